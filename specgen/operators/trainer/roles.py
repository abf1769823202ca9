"""The pods of a TrainJob: its runtime's replicated jobs with what the TrainJob says laid over them.

Paths of these roles are the runtime's; ``relocate`` leads a finding to the object that holds the value.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place
from specgen.manifest.views import Role, mapping, sequence
from specgen.operators.trainer import policies
from specgen.operators.trainer.facts import MERGED, OPERATOR
from specgen.operators.trainer.job import NODE, TRAINER, TrainJob
from specgen.operators.trainer.runtime import ancestor, found
from specgen.operators.trainer.spelling import of_release, processes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.source import Path

JOBS = ("spec", "template", "spec", "replicatedJobs")
NODES = ("spec", "trainer", "numNodes")
_MOVED = {"image": "image", "command": "command", "args": "args", "env": "env", "resources": "resourcesPerNode"}


class Node(Role):
    """The pods of one replicated job, of which there are as many as the TrainJob says."""

    __slots__ = ("count", "counted")

    def __init__(self, workload: Workload, tree: dict[str, Any], index: int, count: int, *, counted: bool) -> None:
        name = tree.get("name")
        path = (*JOBS, index)
        super().__init__(workload, name if isinstance(name, str) else "", path, tree, ("template", "spec", "template"))
        self.count = count
        # whether the TrainJob says how many
        self.counted = counted

    @property
    def replicas(self) -> int:
        """Pods that train."""
        return self.count

    @property
    def replicas_place(self) -> Place:
        """Where the TrainJob says how many, else the replicated job."""
        return Place(NODES) if self.counted else Place(self.path, KEY)


def runtime_of(workload: Workload) -> Manifest | None:
    """The runtime among the workload's companions."""
    ref = workload.manifest.ref
    reference = mapping(mapping(workload.manifest.tree.get("spec")).get("runtimeRef"))
    kind, name = reference.get("kind", "ClusterTrainingRuntime"), reference.get("name")
    if not isinstance(name, str) or not isinstance(kind, str):
        return None
    return found(workload.companions, kind, name, ref.namespace)


def add_roles(workload: Workload) -> None:
    """Gives the workload the roles that train: the jobs of the step ``trainer``, and MPI's nodes."""
    runtime = runtime_of(workload)
    if runtime is None:
        return
    job = merged(workload, runtime)
    policies.with_trainer(job)
    listed = mapping(mapping(mapping(runtime.tree.get("spec")).get("template")).get("spec")).get("replicatedJobs")
    names = [mapping(one).get("name") for one in sequence(listed)]
    at = _counted(job)
    for place, (replicated, count) in enumerate(zip(job.jobs, job.counts, strict=True)):
        name = replicated.get("name")
        if name in names and (ancestor(replicated) == TRAINER or (job.source == "mpi" and name == NODE)):
            workload.roles.append(Node(workload, replicated, names.index(name), count, counted=place == at))
    if job.source == "torch":
        workload.procs_told = policies.torch_processes(job)
    procs = job.policy.get("numProcPerNode")
    if job.source == "torch" and job.said_processes.isdecimal():
        procs = int(job.said_processes)
    if workload.procs_path is None and isinstance(procs, int) and not isinstance(procs, bool):
        workload.procs_per_pod = procs


def merged(workload: Workload, runtime: Manifest) -> TrainJob:
    """The TrainJob with its runtime: pods counted, and their resources given."""
    ref, tree = workload.manifest.ref, of_release(workload.manifest, workload.version)
    job = TrainJob(ref.name, ref.namespace, tree, runtime.tree)
    job.said_processes = processes(workload.manifest, runtime.tree, workload.version)
    job.take_containers()
    _count(job)
    policies.with_resources(job, replaced=OPERATOR.at(workload.version) < MERGED)
    return job


def _counted(job: TrainJob) -> int | None:
    """The place of the replicated job whose pods the TrainJob counts; None: it says no number."""
    if job.nodes is None:
        return None
    return job.first(name=NODE) if job.source == "mpi" else job.first(step=TRAINER)


def _count(job: TrainJob) -> None:
    nodes, at = job.nodes, _counted(job)
    as_node = job.policy.get("runLauncherAsNode") is True
    if nodes is not None and at is not None:
        job.counts[at] = max(nodes - 1, 1) if job.source == "mpi" and as_node else nodes


def relocate(workload: Workload, finding: Finding) -> None:
    """A finding about a pod, with the object and the path where its value stands."""
    path = finding.place.path
    runtime = runtime_of(workload)
    if runtime is None or finding.where is not None:
        return
    finding.related = [(_place(workload, runtime, place), label) for place, label in finding.related]
    if path[: len(JOBS)] != JOBS:
        return
    moved = _moved(workload, runtime, path)
    if moved is not None:
        if finding.fix is not None:
            # its paths are those of the runtime's pods
            finding.helps = [*finding.helps, finding.fix.title]
            finding.fix = None
        finding.place = Place(moved, finding.place.part)
        return
    finding.where = runtime.where
    finding.subject = runtime.ref.as_dict()


def locate(workload: Workload, path: Path) -> tuple[Manifest, Path]:
    """The object that holds what stands at a path of these roles, and its path there."""
    runtime = runtime_of(workload)
    if runtime is None or path[: len(JOBS)] != JOBS:
        return workload.manifest, path
    moved = _moved(workload, runtime, path)
    return (workload.manifest, moved) if moved is not None else (runtime, path)


def _place(workload: Workload, runtime: Manifest, place: Place) -> Place:
    if place.path[: len(JOBS)] != JOBS or place.where is not None:
        return place
    moved = _moved(workload, runtime, place.path)
    if moved is not None:
        return Place(moved, place.part, where=workload.manifest.where)
    return Place(place.path, place.part, where=runtime.where)


def _moved(workload: Workload, runtime: Manifest, path: Path) -> Path | None:
    """The path in the TrainJob of a value that it brings to the training container; None: it is the runtime's."""
    trainer = mapping(mapping(workload.manifest.tree.get("spec")).get("trainer"))
    rest = path[len(JOBS) + 1 :]
    if rest[:4] != ("template", "spec", "template", "spec") or rest[4:5] != ("containers",) or len(rest) < 7:
        return None
    field = _MOVED.get(str(rest[6]))
    if field is None or field not in trainer:
        return None
    given: Any = next((role for role in workload.roles if role.path == path[: len(JOBS) + 1]), None)
    listed = given.containers() if given is not None else []
    if int(rest[5]) < len(listed) and listed[int(rest[5])].name != workload.container:
        return None
    if field == "resourcesPerNode" and not _is_said(trainer[field], rest[7:]) and _is_said(runtime.tree, path):
        return None  # laid over the runtime's amount by amount
    if field != "env" or len(rest) < 8:
        return ("spec", "trainer", field, *rest[7:])
    entries = sequence(listed[int(rest[5])].tree.get("env")) if given is not None else []
    wanted = mapping(entries[int(rest[7])]).get("name") if int(rest[7]) < len(entries) else None
    own = [mapping(entry).get("name") for entry in sequence(trainer["env"])]
    return ("spec", "trainer", "env", own.index(wanted), *rest[8:]) if wanted in own else None


def _is_said(tree: Any, path: Path) -> bool:
    for step in path:
        items = sequence(tree)
        tree = (items[step] if step < len(items) else None) if isinstance(step, int) else mapping(tree).get(step)
    return tree is not None
