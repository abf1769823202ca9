"""All that is refused of a TrainJob: of itself with its runtime, and of what Trainer makes of the two."""

from __future__ import annotations

from specgen.diagnostics.model import listed, shown
from specgen.document.tree import Document
from specgen.manifest.prune import without_nulls
from specgen.manifest.views import mapping, sequence
from specgen.operators.expansion import Expansion
from specgen.operators.jobset.facts import containers_of, text
from specgen.operators.kubernetes.objects import NAME, misshapen
from specgen.operators.objection import Objection
from specgen.operators.trainer.facts import OPERATOR
from specgen.operators.trainer.pods import expand
from specgen.operators.trainer.refusals import RUNTIME, judge, strangers
from specgen.operators.trainer.spelling import as_written, of_release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.operators.trainer.refusals import Judged
    from specgen.source import Path

# In a patch: the jobs of the runtime, and the containers of one of them.
_JOBS: Path = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs")
_CONTAINERS: Path = ("template", "spec", "template", "spec", "containers")


def refusals(workload: Workload) -> Iterator[Objection]:
    """Everything that is refused of a TrainJob, or of what Trainer makes of it and its runtime, but for pods.

    A tree of the wrong shape is not judged, beyond its name.
    """
    tree = of_release(workload.manifest, workload.version)
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
        # a name is too long for what is called after it; all else lies in the runtime as the TrainJob changes it
        path: Path = NAME if one.reason.startswith("the name of a") else RUNTIME
        reason = f"the {one.kind} `{one.name}` that comes of this TrainJob is refused: {one.reason}"
        own, added = _amount(tree, one.reason), _added(tree, one.reason, judged)
        stranger = next(strangers(judged.job), None) if judged.job is not None else None
        if stranger is not None and one.reason.startswith("a patch adds the job"):
            path = as_written(stranger[0], workload.version)
        elif added is not None:
            path, reason = as_written(added[0], workload.version), f"{added[1]}, and {reason}"
        # what the TrainJob asks for is refused whatever the runtime says
        yield Objection(own or path, reason, one.by, of=one.kind, assumed="" if own else judged.assumed)


def _amount(tree: dict[str, Any], reason: str) -> Path | None:
    """The amount of ``resourcesPerNode`` that is refused for its name; None: a refusal speaks of something else."""
    for word, amounts in mapping(mapping(mapping(tree.get("spec")).get("trainer")).get("resourcesPerNode")).items():
        for name in mapping(amounts):
            if f".resources.{word}`: `{name}` is no resource" in reason:
                return "spec", "trainer", "resourcesPerNode", str(word), str(name)
    return None


def _added(tree: dict[str, Any], reason: str, judged: Judged) -> tuple[Path, str] | None:
    """The name of a patched container that the runtime has not, and what comes of it; None: no image is missing.

    Lists of containers are merged by name (pkg/util/apply): a strange name adds a container, which has no image.
    """
    if judged.runtime is None or not reason.endswith(".image` is missing"):
        return None
    own = {name: names for name, names in _containers(mapping(judged.runtime.tree.get("spec")))}
    for index, patch in enumerate(sequence(mapping(tree.get("spec")).get("runtimePatches"))):
        spec = mapping(mapping(patch).get("trainingRuntimeSpec"))
        for at, (job, names) in enumerate(_containers(spec)):
            strange = [place for place, name in enumerate(names) if name not in own.get(job, names)]
            if strange:
                name, path = names[strange[0]], ("spec", "runtimePatches", index, *_JOBS, at, *_CONTAINERS)
                said = f"the patch adds a container `{shown(name)}` to `{job}`, beside {listed(own[job])}"
                return (*path, strange[0], "name"), said
    return None


def _containers(spec: dict[str, Any]) -> list[tuple[str, list[str]]]:
    """The jobs of a runtime or of a patch with the names of their containers."""
    jobs = sequence(mapping(mapping(spec.get("template")).get("spec")).get("replicatedJobs"))
    return [(text(mapping(job).get("name")), [text(one.get("name")) for one in containers_of(job)]) for job in jobs]
