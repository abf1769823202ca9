"""What operators do with manifests: a library of its own, which knows manifests and nothing above them.

A folder for each operator, with the same words in each: ``facts`` (its releases, and what it calls things), a module
for each kind with its ``READER``, ``pods`` (what it creates), ``refusals`` (what its webhook and its events refuse),
``lifecycle`` (what becomes of a job), ``updates`` (what an update does to one that is there): ``training``, ``mpi``,
``mindspore``, ``trainer``, ``jobset`` and ``volcano``.
``kubernetes`` is the API server and the kubelet: ``admission``, ``command``, ``objects``.

Beside the folders: ``reader`` (all that anybody asks of a kind), ``release`` (versions), ``objection`` (a thing that is
refused), ``template`` (a pod of a role as its operator sends it), ``expand`` (a manifest → what its operator creates,
as an ``expansion`` with a ``lifecycle``), ``fields`` (what becomes of each field, with ``varied`` and ``compared``:
expansions of a job with one field changed), ``gang`` (PodGroups), ``incidents`` (limits on restarts, and what one fault
costs), ``held`` (pods that outlive their job), ``outcome`` (what a status says: succeeded, failed, suspended),
``written`` (what others write into a stored job), ``changes`` (two trees of a job → what changed), ``updates`` (what
becomes of each change), ``worded`` (changes in words of the job), ``slower`` (what slows it down), ``difference`` (all
of that together), ``disagreement`` (pods that stay, and those that are created), ``queues`` (labels by which queues and
gang schedulers know jobs), ``controllers`` (annotations for Argo CD and Flux), ``too_new`` (fields that came later),
``other_version`` (fields of another version of the kind), ``beside`` (kinds that are no jobs), ``unserved`` (kinds and
versions that nobody serves), ``index`` (generated: kind → its module).

May import ``manifest`` and below; never a profile, a plan, or a rule, not even for types. To add a kind: its module,
what it creates beside it, its schema (``generate/kinds``); then ``python -m specgen.generate``. To add an operator: a
folder with the six words, and its module in ``install``. To add a release without news: a line in its ``facts``.
``tests/counts`` holds one of each.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.reader import Reader

# To whom a job of any kind may be left by its ``managedBy``: Kueue, which sends it to another cluster.
MULTIKUEUE = "kueue.x-k8s.io/multikueue"

_loaded: dict[tuple[str, str], Reader | None] = {}


def by_object(api_version: str, kind: str) -> Reader | None:
    """The reader of an object, by apiVersion and kind together; None: it is no job that any operator here takes."""
    key = (api_version, kind)
    if key not in _loaded:
        from specgen.operators.index import KINDS

        if key not in KINDS:
            return None  # kinds of strangers are without number, and not kept
        from specgen.modules import import_module

        _loaded[key] = import_module(f"specgen.operators.{KINDS[key]}").READER
    return _loaded[key]
