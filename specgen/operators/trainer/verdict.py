"""All that is refused of a TrainJob: of itself with its runtime, and of what Trainer makes of the two."""

from __future__ import annotations

from specgen.document.tree import Document
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping
from specgen.operators.expansion import Expansion
from specgen.operators.kubernetes.objects import NAME, misshapen
from specgen.operators.objection import Objection
from specgen.operators.trainer.facts import OPERATOR
from specgen.operators.trainer.pods import expand
from specgen.operators.trainer.refusals import RUNTIME, judge
from specgen.operators.trainer.spelling import as_newest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.source import Path


def refusals(workload: Workload) -> Iterator[Objection]:
    """Everything that is refused of a TrainJob, or of what Trainer makes of it and its runtime, but for pods.

    A tree of the wrong shape is not judged, beyond its name.
    """
    tree = as_newest(workload.manifest.tree, workload.version)
    if not workload.shaped:
        tree = mapping(without_nulls(tree))
        if misshapen("trainjob_v1alpha1", tree):
            tree = {"metadata": tree.get("metadata")}
    judged = judge(workload, tree, Expansion(OPERATOR.name, workload.version, workload.manifest.ref))
    yield from judged.objections
    # what specgen compiled was planned so that its objects are taken; to expand each job would slow every build
    if judged.objections or not isinstance(workload.manifest.where, Document):
        return
    for one in expand(workload).refusals:
        if one.kind == "Pod":
            continue  # followers of exclusive placement, which come once their leader has a node
        # a name is too long for what is called after it; all else lies in the runtime as the TrainJob changes it
        path = NAME if one.reason.startswith("the name of a") else RUNTIME
        reason = f"the {one.kind} `{one.name}` that comes of this TrainJob is refused: {one.reason}"
        own = _amount(tree, one.reason)
        # what the TrainJob asks for is refused whatever the runtime says
        yield Objection(own or path, reason, one.by, of=one.kind, assumed="" if own else judged.assumed)


def _amount(tree: dict[str, Any], reason: str) -> Path | None:
    """The amount of ``resourcesPerNode`` that is refused for its name; None: a refusal speaks of something else."""
    for word, amounts in mapping(mapping(mapping(tree.get("spec")).get("trainer")).get("resourcesPerNode")).items():
        for name in mapping(amounts):
            if f".resources.{word}`: `{name}` is no resource" in reason:
                return "spec", "trainer", "resourcesPerNode", str(word), str(name)
    return None
