"""What others write into a job that is stored, so that it differs from its manifest though nobody changed that.

Defaults that a CRD or a webhook adds inside of lists (elsewhere a field that the manifest does not have is no
difference), and what Kueue 0.19 writes while it holds and admits a job. Both from recordings of stored jobs
(``stored_changes``), which ``tests/emit/test_differences.py`` holds against this.
"""

from __future__ import annotations

from specgen.operators.queues import KUEUE, UNCONSTRAINED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from specgen.operators.reader import Reader

    # A key; every value of a mapping or item of a list; or the items of a list whose field (first) is so (second).
    Step: TypeAlias = str | tuple[str, str]
    Steps: TypeAlias = tuple[Step, ...]

EVERY = "*"
# Where the launcher of an MPIJob works too, the Workers are counted from 1.
OFFSET = KUEUE + "pod-index-offset"

# Kinds whose pods stand in no field of replicas.
_TEMPLATES: dict[str, Steps] = {
    "JobSet": ("spec", "replicatedJobs", EVERY, "template", "spec", "template"),
    "Job": ("spec", "tasks", EVERY, "template"),
}
_PATCHES: Steps = ("spec", "runtimePatches")
# Kinds that Kueue does not know: nothing of it is written into them.
_UNQUEUED = ("MSJob", "Job")
_SUSPENDED_IN_SPEC = ("JobSet", "TrainJob")
# What Kueue writes into the template of each role while the job is admitted: the flavor's labels and tolerations.
_ADMITTED: tuple[Steps, ...] = (
    *(("metadata", "labels", KUEUE + name) for name in ("podset", "cluster-queue-name", "local-queue-name")),
    *(("metadata", "annotations", name) for name in (KUEUE + "workload", UNCONSTRAINED, OFFSET)),
    *(("spec", field) for field in ("nodeSelector", "tolerations", "schedulingGates")),
)


def defaults(reader: Reader) -> list[Steps]:
    """What the API server and the operator's webhook add inside of lists."""
    if reader.kind == "TrainJob":
        return [(*_PATCHES, EVERY, "time")]
    lists = ("containers", "initContainers")
    return [(*one, "spec", field, EVERY, "ports", EVERY, "protocol") for one in _templates(reader) for field in lists]


def queued(reader: Reader) -> list[Steps]:
    """What Kueue writes into a job of a queue; nothing into kinds that it does not know."""
    if reader.kind in _UNQUEUED:
        return []
    suspend: Steps = ("spec", "suspend") if reader.kind in _SUSPENDED_IN_SPEC else ("spec", "runPolicy", "suspend")
    if reader.kind == "TrainJob":
        return [suspend, (*_PATCHES, ("manager", KUEUE + "manager"))]
    return [suspend, *((*one, *steps) for one in _templates(reader) for steps in _ADMITTED)]


def _templates(reader: Reader) -> list[Steps]:
    """Where the templates of all roles of a kind stand; nowhere if the operator makes them of another object."""
    known = _TEMPLATES.get(reader.kind)
    if known is not None:
        return [known]
    from specgen.document.tree import Document, Mapping
    from specgen.manifest.model import Manifest
    from specgen.source import Source

    bare = {"apiVersion": reader.api_version, "kind": reader.kind, "metadata": {}, "spec": {}}
    terms = reader.read(Manifest(bare, Document(Source("", ""), Mapping(0), 0))).terms
    return [] if terms is None else [("spec", terms.field, EVERY, "template")]
