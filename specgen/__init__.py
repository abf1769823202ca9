"""specgen: typed job profiles, compiled to the manifests of distributed training on Kubernetes.

The Python API is four names, loaded on first use so that ``import specgen`` costs nothing:
``compile_job``, ``lint_text``, ``Diagnostic`` and ``JobProfile``. Everything else may change.

Floors, lowest first; a module imports from lower floors and from its own package only
(``tests/test_floors.py`` holds it):

0 ``devices``, ``modules``, ``source``, ``nccl``, ``quantity``, ``version``; 1 ``diagnostics``; 2 ``document``;
3 ``schema``, ``tables``; 4 ``profile``, ``manifest``; 5 ``operators``; 6 ``schedulers``; 7 ``plan``, ``rules``,
``emit``; 8 ``lower``, ``gangs``; 9 ``session``, ``pipeline``, ``linting``, ``recognise``, ``checking``, ``install``,
``local``, ``reference``, ``capture``, ``answers``, ``indented``; 10 ``cli``; 11 ``generate``.

Words that stand for one thing each:

profile       what a person writes of a job; a cluster profile says what all jobs of a cluster share
layer         one source of a profile: a base below, the job above it, a variant, ``--set`` on top
target        the kind that a profile compiles to; a kind is known by apiVersion and kind, a release by its version
operator      the controller of one or more kinds; its releases stand in ``facts`` of its folder
role          the pods of a job that share a template: Master, Worker, Launcher, ...; its replicas are counted from 0
rank, slot    a process among all that train together; room for one on a host, as mpirun counts
HCA           an adapter of an InfiniBand or RoCE network: a device that a pod asks for
world         what a scheduler sees of a cluster: its nodes, what stands on them, and the objects that matter
gang          pods of which none starts before all have a place
plan          a job decided in full, with no word of a profile and no field of a kind in it; a draft is one on its way
lowering      a plan becomes a manifest; a reader reads a manifest as its operator does
manifest      an object as a plain tree; its origins say where each part came from; with its prerequisites, a bundle
expansion     what an operator creates of a manifest
objection     what a webhook or an operator refuses of a job; a reason, what the API server refuses of a pod
finding       a problem at a path; placed in a file it is a diagnostic; a code names the problem, a page explains it
fix           a patch of operations on paths that is offered once its edits are proven
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Diagnostic as Diagnostic
    from specgen.linting import lint_text as lint_text
    from specgen.pipeline import compile_job as compile_job
    from specgen.profile.job import JobProfile as JobProfile
    from specgen.version import __version__ as __version__

_HOME = {
    "compile_job": "specgen.pipeline",
    "lint_text": "specgen.linting",
    "Diagnostic": "specgen.diagnostics.model",
    "JobProfile": "specgen.profile.job",
    "__version__": "specgen.version",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'specgen' has no attribute {name!r}")
    from specgen.modules import import_module

    return getattr(import_module(_HOME[name]), name)
