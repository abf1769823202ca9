"""A TrainJob beside its runtime, as Trainer's plugins see the two: replicated jobs with counts, and what they inject.

Read from kubeflow/trainer v2.3.0 (658725bdae5c): pkg/runtime/{runtime,core/trainingruntime}.go, pkg/apply/apply.go.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset import facts as layout
from specgen.operators.trainer.facts import PORT
from specgen.operators.trainer.runtime import SOURCES, ancestor, patched
from specgen.quantity import NANO, nano, rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

TRAINER = "trainer"
NODE = "node"
LAUNCHER = "launcher"
CONTAINERS = ("replicatedJobs", "template", "spec", "template", "spec", "containers")
INDEX_PATH = "metadata.annotations['batch.kubernetes.io/job-completion-index']"


class TrainJob:
    """A TrainJob and its runtime; ``spec`` is the JobSet's, ``counts`` the pods of its replicated jobs.

    What lies in ``spec`` is the runtime's own until ``take`` copies it: few who look at it write into it.
    ``trainer``: None where the TrainJob has none, since then no environment is injected. ``source``: the word of the
    policy, empty for none; ``policy``: its mapping.
    """

    __slots__ = (
        "annotations",
        "counts",
        "gang",
        "has_policy",
        "labels",
        "name",
        "namespace",
        "policy",
        "runtime",
        "said_processes",
        "source",
        "spec",
        "trainer",
        "tree",
    )

    def __init__(self, name: str, namespace: str | None, tree: dict[str, Any], runtime: dict[str, Any]) -> None:
        spec = mapping(tree.get("spec"))
        body = mapping(runtime.get("spec"))
        template = mapping(body.get("template"))
        policy = mapping(body.get("mlPolicy"))
        patches = sequence(spec.get("runtimePatches"))
        self.name = name
        self.namespace = namespace
        self.tree = spec
        self.runtime = runtime
        self.trainer: dict[str, Any] | None = spec["trainer"] if isinstance(spec.get("trainer"), dict) else None
        self.has_policy = "mlPolicy" in body
        self.source = next((source for source in SOURCES if source in policy), "")
        self.policy = dict(mapping(policy.get(self.source)))
        self.gang = mapping(body.get("podGroupPolicy"))
        self.labels = _metadata(template, patches, "labels")
        # as ``spelling.processes``
        self.said_processes = ""
        self.annotations = _metadata(template, patches, "annotations")
        self.spec: dict[str, Any] = dict(mapping(template.get("spec")))
        patched(self.spec, patches)
        self.counts: list[int] = []
        nodes = layout.number(policy.get("numNodes"), 1) or 1
        for job in self.jobs:
            own = layout.number(layout.job_spec(job).get("parallelism"), 1)
            self.counts.append(nodes if ancestor(job) == TRAINER and self.has_policy else own)

    def take(self) -> None:
        """Makes ``spec`` a copy that may be changed."""
        self.spec = layout.copied(self.spec)

    def take_containers(self) -> None:
        """Makes the containers in ``spec`` ones whose fields may be set; what the fields hold stays the runtime's."""
        self.spec = layout.opened(self.spec, CONTAINERS)

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """The replicated jobs, patches applied."""
        return [mapping(job) for job in sequence(self.spec.get("replicatedJobs"))]

    def own_jobs(self) -> list[str]:
        """The names of the jobs that the runtime has, without those that patches add."""
        template = mapping(mapping(mapping(self.runtime.get("spec")).get("template")).get("spec"))
        return [layout.text(mapping(job).get("name")) for job in sequence(template.get("replicatedJobs"))]

    @property
    def nodes(self) -> int | None:
        """``trainer.numNodes``; None where it is not given."""
        given = mapping(self.trainer).get("numNodes")
        return None if given is None else layout.number(given, 1)

    @property
    def processes(self) -> int | None:
        """``trainer.numProcPerNode``; None where it is not given."""
        given = mapping(self.trainer).get("numProcPerNode")
        return None if given is None else layout.number(given, 1)

    def first(self, *, step: str = "", name: str = "") -> int | None:
        """The position of the first replicated job of a step, or of a name."""
        for at, job in enumerate(self.jobs):
            if (step and ancestor(job) == step) or (name and job.get("name") == name):
                return at
        return None

    def main(self) -> dict[str, Any] | None:
        """The container ``node`` of the first job for the step ``trainer``."""
        at = self.first(step=TRAINER)
        if at is None:
            return None
        return next((one for one in layout.containers_of(self.jobs[at]) if one.get("name") == NODE), None)

    def size(self) -> int:
        """Pods of the step ``trainer``."""
        at = self.first(step=TRAINER)
        return 1 if at is None else self.counts[at]

    def is_node(self, job: dict[str, Any]) -> bool:
        """Whether environment and resources of ``trainer`` go to a replicated job."""
        also = self.source == "mpi" and self.policy.get("runLauncherAsNode") is True and job.get("name") == NODE
        return ancestor(job) == TRAINER or also

    def runtime_resources(self) -> dict[str, Any]:
        """Resources of the container ``node`` in the runtime's first job that trains."""
        for job in self.jobs:
            if job.get("name") == NODE or ancestor(job) == TRAINER:
                for one in layout.containers_of(job):
                    if one.get("name") == NODE and mapping(one.get("resources")):
                        return mapping(one.get("resources"))
        return {}

    def given_resources(self) -> dict[str, Any] | None:
        """``trainer.resourcesPerNode``; None where it is not given."""
        given = mapping(self.trainer).get("resourcesPerNode")
        return given if isinstance(given, dict) else None


def _metadata(template: dict[str, Any], patches: list[Any], key: str) -> dict[str, Any]:
    """Labels or annotations of the JobSet: the runtime's, and those of each patch over them."""
    found = dict(mapping(mapping(template.get("metadata")).get(key)))
    for patch in patches:
        inner = mapping(mapping(mapping(patch).get("trainingRuntimeSpec")).get("template"))
        found |= mapping(mapping(inner.get("metadata")).get(key))
    return found


def whole(amount: Any) -> int:
    """A quantity rounded up to a whole number; 0 where it is none."""
    value = nano(amount)
    return 0 if value is None else rounded(value, NANO)


def gpus(resources: dict[str, Any]) -> int:
    """The amount of the first resource with gpu in its name: of requests, else of limits; megabytes count too."""
    for side in ("requests", "limits"):
        # of several the controller takes a random one; here the first by name
        for name, amount in sorted(mapping(resources.get(side)).items()):
            if "gpu" in str(name).lower() and whole(amount) > 0:
                return whole(amount)
    return 0


def merged_resources(base: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Resources with others laid over them, resource by resource."""
    out = dict(base)
    for side in ("limits", "requests"):
        if mapping(given.get(side)):
            out[side] = {**mapping(base.get(side)), **given[side]}
    if "claims" in given:
        out["claims"] = given["claims"]
    return out


def upsert(container: dict[str, Any], key: str, items: list[dict[str, Any]], by: str = "name") -> None:
    """Puts items into a list of a container or pod: in place of those with the same key, else at the end."""
    listed = list(sequence(container.get(key)))
    for item in [one for one in items if isinstance(one, dict)]:
        same = [at for at, one in enumerate(listed) if mapping(one).get(by) == item.get(by)]
        for at in same:
            listed[at] = item
        if not same:
            listed.append(item)
    container[key] = listed


def add_port(container: dict[str, Any]) -> None:
    """The trainer's port: it takes the place of each port without a name, and of its own number."""
    own = {"containerPort": PORT, "protocol": "TCP"}
    listed, found = [], False
    for port in sequence(container.get("ports")):
        tree = mapping(port)
        same = not tree.get("name") or tree.get("containerPort") == PORT
        listed.append(dict(own) if same else port)
        found = found or same
    container["ports"] = listed if found else [*listed, own]


def variables(**values: str) -> list[dict[str, Any]]:
    """Entries of ``env``, in order."""
    return [{"name": name, "value": value} for name, value in values.items()]


def from_index(name: str) -> dict[str, Any]:
    """An entry of ``env`` that takes the pod's index."""
    return {"name": name, "valueFrom": {"fieldRef": {"fieldPath": INDEX_PATH}}}
