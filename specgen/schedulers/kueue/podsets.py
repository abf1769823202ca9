"""What of a job Kueue counts: its pod sets, with what one pod of each asks for and which domain it wishes.

Kueue 0.19, pkg/controller/jobs (PodSets of each kind), pkg/controller/jobframework/tas.go (topology requests),
pkg/workload/resources.go (what a pod asks for).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.jobset.facts import pods_each
from specgen.operators.kubernetes.room import asked
from specgen.operators.queues import GROUP, KUEUE, PREFERRED, REQUIRED, SLICE, SLICE_SIZE, UNCONSTRAINED
from specgen.quantity import NANO, nano, rounded
from specgen.schedulers.admit import admitted
from specgen.schedulers.limits import Denied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.world import Objects

# Kind → where its roles stand, and their order; None: a kind without roles.
_ROLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "PyTorchJob": ("pytorchReplicaSpecs", ("Master", "Worker")),
    "TFJob": ("tfReplicaSpecs", ("Chief", "Master", "PS", "Worker", "Evaluator")),
    "PaddleJob": ("paddleReplicaSpecs", ("Master", "Worker")),
    "XGBoostJob": ("xgbReplicaSpecs", ("Master", "Worker")),
    "JAXJob": ("jaxReplicaSpecs", ("Worker",)),
    "MPIJob": ("mpiReplicaSpecs", ("Launcher", "Worker")),
}
MIN_PARALLELISM = KUEUE + "job-min-parallelism"
COMPLETIONS_FOLLOW = KUEUE + "job-completions-equal-parallelism"
# Slices of slices: a list of levels and sizes, the outermost first.
CONSTRAINTS = KUEUE + "podset-slice-required-topology-constraints"
_MILLI = 10**6


class Wish:
    """The domains that a pod set wishes for.

    ``level``: a label of nodes, empty: none is named; ``layers``: (level, size) of the slices within slices.
    """

    __slots__ = ("group", "layers", "level", "required", "slice", "slice_size", "unconstrained")

    def __init__(self, marks: dict[str, Any]) -> None:
        required, preferred = marks.get(REQUIRED), marks.get(PREFERRED)
        self.required = required is not None
        self.level = str(required if required is not None else preferred or "")
        self.unconstrained = str(marks.get(UNCONSTRAINED)) == "true"
        self.slice = str(marks.get(SLICE) or "")
        size = str(marks.get(SLICE_SIZE) or "")
        self.slice_size = max(int(size), 1) if self.slice and size.isdecimal() else 1
        self.layers: list[tuple[str, int]] = []
        outermost, *inner = layers_of(str(marks.get(CONSTRAINTS) or "")) or [("", 1)]
        if outermost[0]:
            (self.slice, self.slice_size), self.layers = outermost, inner
        self.group = str(marks.get(GROUP) or "")

    @property
    def levels(self) -> list[str]:
        """The labels of the levels that are named."""
        return [one for one in (self.level, self.slice, *(level for level, _ in self.layers)) if one]

    @property
    def named(self) -> bool:
        """Whether the pods say anything of a topology."""
        return bool(self.level or self.unconstrained or self.slice)


def layers_of(text: str) -> list[tuple[str, int]]:
    """(level, size) of slices within slices, the outermost first; none of a text that is no such list."""
    from json import loads

    try:
        listed = sequence(loads(text)) if text else []
    except (ValueError, RecursionError):
        return []
    found = [(mapping(one).get("topology"), mapping(one).get("size")) for one in listed]
    good = all(isinstance(level, str) and level and type(size) is int and size > 0 for level, size in found)
    return [(str(level), size) for level, size in found if type(size) is int] if good else []


class PodSet:
    """Pods of a job that are alike. ``asks``: of one pod, in billionths; ``counted``: what of it is held against quota,
    where that is another; ``least``: fewer will not do.
    """

    __slots__ = ("asks", "bad", "count", "counted", "least", "name", "over", "spec", "template", "wish")

    def __init__(self, name: str, count: int, template: dict[str, Any], namespace: str, objects: Objects) -> None:
        self.name = name
        self.count = count
        self.least: int | None = None
        self.template = template
        # why its pods would be refused
        self.bad = ""
        metadata = mapping(template.get("metadata"))
        pod = {"metadata": {"namespace": namespace}, "spec": mapping(template.get("spec"))}
        try:
            self.spec: dict[str, Any] = admitted(pod, objects)["spec"]
        except Denied as error:
            self.spec = mapping(template.get("spec"))
            self.bad = str(error)
        self.over = _above_limits(self.spec, _most(objects, namespace))
        # whole thousandths of CPUs, else whole units (pkg/resources/requests.go)
        self.asks = {
            name: rounded(amount, _MILLI) * _MILLI if name == "cpu" else rounded(amount, NANO) * NANO
            for name, amount in asked(self.spec).items()
        }
        self.counted: dict[str, int] | None = None
        self.wish = Wish(mapping(metadata.get("annotations")))

    def sum(self, count: int | None = None) -> dict[str, int]:
        """What of its pods, or so many of them, is held against quota."""
        asks = self.asks if self.counted is None else self.counted
        return {name: amount * (self.count if count is None else count) for name, amount in asks.items()}


def _most(objects: Objects, namespace: str) -> dict[str, int]:
    """The most that LimitRanges allow a container to ask for."""
    found: dict[str, int] = {}
    for tree in objects.of("LimitRange", namespace):
        for item in (mapping(one) for one in sequence(mapping(tree.get("spec")).get("limits"))):
            for name, amount in mapping(item.get("max")).items() if item.get("type") == "Container" else ():
                found[str(name)] = min(nano(amount) or 0, found.get(str(name), nano(amount) or 0))
    return found


def _above_limits(spec: dict[str, Any], most: dict[str, int]) -> list[str]:
    """Resources of which a container requests more than its limit, or a LimitRange, allows; by container."""
    found = []
    for at, one in enumerate(mapping(entry) for entry in sequence(spec.get("containers"))):
        own = mapping(one.get("resources"))
        limits = {str(name): nano(amount) or 0 for name, amount in mapping(own.get("limits")).items()}
        names = sorted(
            str(name)
            for name, amount in mapping(own.get("requests")).items()
            if any(str(name) in bounds and (nano(amount) or 0) > bounds[str(name)] for bounds in (limits, most))
        )
        if names:
            found.append(f"containers[{at}]: Invalid value: [{', '.join(chr(34) + name + chr(34) for name in names)}]")
    return found


def pod_sets(job: Job, objects: Objects) -> list[PodSet]:
    """The pod sets of a job, in the order in which they are counted."""
    made = [PodSet(*one, job.namespace, objects) for one in _templates(job)]
    if job.kind == "Job" and made:
        least = mapping(mapping(job.tree.get("metadata")).get("annotations")).get(MIN_PARALLELISM)
        if isinstance(least, str) and least.isdecimal():
            made[0].least = int(least)
    return made


def _templates(job: Job) -> list[tuple[str, int, dict[str, Any]]]:
    spec = mapping(job.tree.get("spec"))
    if job.kind == "Job":
        return [("main", pods_each(spec), mapping(spec.get("template")))]
    if job.kind in _ROLES:
        word, order = _ROLES[job.kind]
        roles = mapping(spec.get(word) or mapping(spec.get("mpiReplicaSpecs")))
        return [
            (name.lower(), layout.number(mapping(roles[name]).get("replicas"), 1), mapping(roles[name].get("template")))
            for name in order
            if isinstance(roles.get(name), dict)
        ]
    if job.kind == "TrainJob":
        others = job.expansion.others if job.expansion is not None else []
        spec = mapping(next((one for one in others if one.get("kind") == "JobSet"), {}).get("spec"))
    made = []
    for one in (mapping(entry) for entry in sequence(spec.get("replicatedJobs"))):
        inner = layout.job_spec(one)
        count = layout.number(one.get("replicas"), 1) * pods_each(inner)
        made.append((str(one.get("name")), count, mapping(inner.get("template"))))
    return made
