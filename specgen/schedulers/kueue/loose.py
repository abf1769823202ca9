"""Plain pods under a queue, without a job around them that is: one by one, or as a group that is whole.

Kueue 0.19, pkg/controller/jobs/pod (pod_webhook.go, pod_controller.go). A pod is made with a gate, which is taken off
when it is admitted; one that is stopped is deleted. Recorded in worlds ``kind-pod*`` and ``quota-label-on-template``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.queues import KUEUE, KUEUE_PODS, KUEUE_QUEUE
from specgen.schedulers.kueue.podsets import PodSet
from specgen.schedulers.kueue.roles import role_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation
    from specgen.schedulers.world import Objects

TOTAL = KUEUE + "pod-group-total-count"
_FAST = KUEUE + "pod-group-fast-admission"
GATES = (KUEUE + "admission", KUEUE + "topology")
# Roles that a group may have.
_ROLES = 8


class Loose:
    """The pods of a Workload that has no job. ``members``: (job, pod of it) → the role; ``total``: of a group."""

    __slots__ = ("_simulation", "failed", "id", "kind", "members", "name", "namespace", "total", "tree")

    def __init__(self, simulation: Simulation, name: str, first: Pod, total: int = 0) -> None:
        self._simulation = simulation
        self.id = self.name = name
        self.kind = "Pod"
        self.namespace = first.namespace
        self.tree = first.tree
        self.total = total
        self.failed = False
        self.members: dict[tuple[str, str], str] = {}

    def add(self, pod: Pod) -> None:
        """Takes in a pod."""
        self.members[pod.job, pod.key] = role_of(pod.spec) if self.total else "main"

    @property
    def pods(self) -> list[Pod]:
        """Those that exist."""
        own = {
            job: {pod.key: pod for pod in self._simulation.of(job)} for job in dict.fromkeys(j for j, _ in self.members)
        }
        return [own[job][key] for job, key in self.members if key in own[job]]

    @property
    def finished(self) -> bool:
        """Whether all have ended well."""
        return sum(pod.done for pod in self.pods) >= max(self.total, 1)

    @property
    def gone(self) -> bool:
        """Whether none is left."""
        return not self.pods

    def sets(self, objects: Objects) -> list[PodSet]:
        """Its pods by role, in the order of their names."""
        found: dict[str, list[Pod]] = {}
        for pod in self.pods:
            found.setdefault(self.members[pod.job, pod.key], []).append(pod)
        made = []
        for role, own in sorted(found.items()):
            spec = {key: value for key, value in own[0].spec.items() if key != "schedulingGates"}
            template = {"metadata": mapping(own[0].tree.get("metadata")), "spec": spec}
            made.append(PodSet(role, len(own), template, self.namespace, objects))
        return made


def queue_at(tree: dict[str, Any]) -> str:
    """The queue that a pod names."""
    return str(mapping(mapping(tree.get("metadata")).get("labels")).get(KUEUE_QUEUE) or "")


def group_at(tree: dict[str, Any]) -> str:
    """The group that a pod says it belongs to."""
    return str(mapping(mapping(tree.get("metadata")).get("labels")).get(KUEUE_PODS) or "")


def total_at(tree: dict[str, Any]) -> int:
    """How many pods its group is to have; 0: it does not say."""
    said = str(mapping(mapping(tree.get("metadata")).get("annotations")).get(TOTAL) or "")
    return int(said) if said.isascii() and said.isdigit() and len(said) < 10 else 0


def gated(tree: dict[str, Any]) -> dict[str, Any]:
    """A pod as it is made under a queue."""
    spec = mapping(tree.get("spec"))
    own = [mapping(one) for one in sequence(spec.get("schedulingGates"))]
    more = [{"name": name} for name in GATES if all(one.get("name") != name for one in own)]
    return {**tree, "spec": {**spec, "schedulingGates": [*own, *more]}}


def refused_pod(tree: dict[str, Any]) -> str:
    """Why the webhook refuses a pod; empty: it does not."""
    name, annotations = group_at(tree), mapping(mapping(tree.get("metadata")).get("annotations"))
    both = f"both the '{TOTAL}' annotation and the '{KUEUE_PODS}' label should be set"
    if not name:
        return f"metadata.labels[{KUEUE_PODS}]: Required value: {both}" if TOTAL in annotations else ""
    if TOTAL not in annotations:
        return f"metadata.annotations[{TOTAL}]: Required value: {both}"
    if total_at(tree):
        return ""
    said = str(annotations[TOTAL])
    number = said[1:] if said[:1] in ("-", "+") else said
    why = f'strconv.Atoi: parsing "{said}": invalid syntax'
    if number.isascii() and number.isdigit():
        why = f"incorrect annotation value '{TOTAL}={said}': group total count should be greater than zero"
    return f'metadata.annotations[{TOTAL}]: Invalid value: "{said}": {why}'


def uncomposed(pods: list[Pod]) -> str:
    """Why no Workload is made of the pods of a group; empty: it is."""
    first = pods[0]
    total = total_at(first.tree)
    if len(pods) < total and str(_annotation(first, _FAST)) != "true":
        return f"'{group_at(first.tree)}' group has fewer runnable pods than expected"
    for pod in pods:
        if queue_at(pod.tree) != queue_at(first.tree):
            names = f"{queue_at(first.tree)}!={queue_at(pod.tree)}"
            return f"pods '{first.name}' and '{pod.name}' has different queue names: {names}"
        if total_at(pod.tree) != total:
            said = f"values: {total}!={total_at(pod.tree)}"
            return f"pods '{first.name}' and '{pod.name}' has different '{TOTAL}' {said}"
    if len({role_of(pod.spec) for pod in pods}) > _ROLES:
        return f"pod group can't include more than {_ROLES} roles"
    return ""


def _annotation(pod: Pod, key: str) -> Any:
    return mapping(mapping(pod.tree.get("metadata")).get("annotations")).get(key)


def labelled(tree: Any, at: str = "spec") -> Iterator[tuple[dict[str, Any], str]]:
    """The labels of templates in a job, with their places."""
    if isinstance(tree, dict):
        if isinstance(tree.get("template"), dict):
            labels = mapping(mapping(tree["template"].get("metadata")).get("labels"))
            yield labels, f"{at}.template.metadata.labels"
        for key, value in tree.items():
            yield from labelled(value, f"{at}.{key}")
    elif isinstance(tree, list):
        for place, value in enumerate(tree):
            yield from labelled(value, f"{at}[{place}]")
