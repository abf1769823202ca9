"""specgen: typed job profiles, compiled to the manifests of distributed training on Kubernetes.

The Python API is four names, loaded on first use so that ``import specgen`` costs nothing:
``compile_job``, ``lint_text``, ``Diagnostic`` and ``JobProfile``. Everything else may change.

Floors, lowest first; a module imports from lower floors and from its own package only
(``tests/test_floors.py`` holds it):

0 ``source``, ``nccl``, ``quantity``; 1 ``diagnostics``; 2 ``document``; 3 ``schema``, ``tables``;
4 ``profile``, ``manifest``; 5 ``operators``; 6 ``plan``, ``rules``, ``emit``; 7 ``lower``, ``gangs``;
8 ``session``, ``pipeline``, ``checking``, ``install``, ``local``; 9 ``cli``; 10 ``generate``.
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Diagnostic as Diagnostic
    from specgen.pipeline import compile_job as compile_job
    from specgen.pipeline import lint_text as lint_text
    from specgen.profile.job import JobProfile as JobProfile

_HOME = {
    "compile_job": "specgen.pipeline",
    "lint_text": "specgen.pipeline",
    "Diagnostic": "specgen.diagnostics.model",
    "JobProfile": "specgen.profile.job",
}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module 'specgen' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)
