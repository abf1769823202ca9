"""Workloads that a cluster has already: those that hold quota, and those that wait before others."""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.queues import KUEUE
from specgen.quantity import NANO, nano
from specgen.schedulers.kueue.flavors import FIT, Assignment, Given, Share
from specgen.schedulers.kueue.podsets import PodSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.schedulers.kueue.quota import Of
    from specgen.schedulers.kueue.topology import Domains
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.world import Objects


# Kind of a job → the label by which its pods are found, whoever owns them.
_LABELS = {
    "Job": "batch.kubernetes.io/job-name",
    "JobSet": "jobset.sigs.k8s.io/jobset-name",
    "TrainJob": "jobset.sigs.k8s.io/jobset-name",
    "MPIJob": "training.kubeflow.org/job-name",
}


class Standing:
    """The job of a Workload that is there already, of which nothing but the Workload is known."""

    __slots__ = ("_owner", "_pods", "failed", "finished", "gone", "id", "kind", "name", "namespace", "tree", "workload")

    def __init__(self, tree: dict[str, Any]) -> None:
        metadata = mapping(tree.get("metadata"))
        owner = next((mapping(one) for one in sequence(metadata.get("ownerReferences"))), {})
        self.workload = str(metadata.get("name"))
        self.namespace = str(metadata.get("namespace") or "default")
        self.name = str(owner.get("name") or self.workload)
        self.kind = str(owner.get("kind") or "Workload")
        self.id = f"Workload {self.namespace}/{self.workload}"
        self.tree = tree
        self.finished = self.failed = self.gone = False
        # plain pods are the owners of their Workload
        owners = [mapping(one) for one in sequence(metadata.get("ownerReferences"))]
        self._pods = {str(one.get("name")) for one in owners if one.get("kind") == "Pod"}
        self._owner = (self.kind, self.name, str(owner.get("uid") or ""))

    def has(self, pod: Pod) -> bool:
        """Whether a pod that stands there already is the job's: by the Workload that it names, its owner, or a label
        by which all operators of such jobs find their pods again, where a Job of batch stands in between."""
        if pod.job or pod.namespace != self.namespace:
            return False
        named = workload_of(pod)
        if named or pod.name in self._pods:
            return named == self.workload or not named
        metadata = mapping(pod.tree.get("metadata"))
        kind, name, uid = self._owner
        for one in map(mapping, sequence(metadata.get("ownerReferences"))):
            if (one.get("kind"), one.get("name")) == (kind, name):
                return str(one.get("uid") or uid) == uid or not uid
        label = _LABELS.get(kind)
        return label is not None and mapping(metadata.get("labels")).get(label) == name


def workload_of(pod: Pod) -> str:
    """The Workload that a pod which stands there already belongs to."""
    return str(mapping(mapping(pod.tree.get("metadata")).get("annotations")).get(KUEUE + "workload") or "")


def true(tree: dict[str, Any], kind: str) -> bool:
    """Whether an object has a condition."""
    conditions = [mapping(one) for one in sequence(mapping(tree.get("status")).get("conditions"))]
    return any(one.get("type") == kind and one.get("status") == "True" for one in conditions)


def standing(objects: Objects) -> Iterator[dict[str, Any]]:
    """The Workloads that have not ended, in the order in which they came."""
    trees = [tree for tree in objects.of("Workload") if not true(tree, "Finished")]
    return iter(sorted(trees, key=lambda tree: str(mapping(tree.get("metadata")).get("creationTimestamp") or "")))


def held(tree: dict[str, Any], objects: Objects) -> tuple[list[PodSet], Assignment | None]:
    """The pod sets of a Workload, and what it holds; None: it waits."""
    spec = mapping(tree.get("spec"))
    namespace = namespace_of(tree)
    sets = []
    for one in (mapping(entry) for entry in sequence(spec.get("podSets"))):
        count = one.get("count")
        pods = PodSet(
            str(one.get("name")),
            count if isinstance(count, int) else 1,
            mapping(one.get("template")),
            namespace,
            objects,
        )
        least = one.get("minCount")
        pods.least = least if isinstance(least, int) else None
        sets.append(pods)
    admission = mapping(mapping(tree.get("status")).get("admission"))
    if not admission:
        return sets, None
    made = Assignment()
    by_name = {pods.name: pods for pods in sets}
    for one in (mapping(entry) for entry in sequence(admission.get("podSetAssignments"))):
        name = str(one.get("name"))
        usage = {str(key): nano(value) or 0 for key, value in mapping(one.get("resourceUsage")).items()}
        found = by_name.get(name)
        count = one.get("count")
        number = count if isinstance(count, int) else found.count if found is not None else 1
        pods = PodSet(name, number, {}, namespace, objects)
        pods.asks = {key: amount // max(number, 1) for key, amount in usage.items() if key != "pods"}
        share = Share(pods, number)
        share.flavors = {str(key): Given(str(flavor), FIT, 0) for key, flavor in mapping(one.get("flavors")).items()}
        if one.get("topologyAssignment"):
            share.domains = domains(mapping(one["topologyAssignment"]))
            if found is not None:
                pods.asks = {**found.asks, **pods.asks}
        made.shares.append(share)
    return sets, made


def domains(tree: dict[str, Any]) -> Domains:
    """The domains of an assignment, listed one by one (v1beta1) or in slices (v1beta2)."""
    made: Domains = []
    for one in (mapping(entry) for entry in sequence(tree.get("domains"))):
        count = one.get("count")
        made.append(
            (tuple(str(value) for value in sequence(one.get("values"))), count if isinstance(count, int) else 0)
        )
    for one in (mapping(entry) for entry in sequence(tree.get("slices"))):
        number = one.get("domainCount")
        number = number if isinstance(number, int) else 0
        columns = [_column(mapping(entry), number) for entry in sequence(one.get("valuesPerLevel"))]
        counts = mapping(one.get("podCounts"))
        each = sequence(counts.get("individual"))
        for at in range(number):
            count = each[at] if at < len(each) else counts.get("universal")
            made.append((tuple(column[at] for column in columns), count if isinstance(count, int) else 0))
    return made


def _column(tree: dict[str, Any], number: int) -> list[str]:
    """The values of one level."""
    if tree.get("universal") is not None:
        return [str(tree["universal"])] * number
    own = mapping(tree.get("individual"))
    roots = [f"{own.get('prefix') or ''}{root}{own.get('suffix') or ''}" for root in sequence(own.get("roots"))]
    return [*roots, *[""] * (number - len(roots))]


def used_by_nobody(queue: dict[str, Any]) -> dict[Of, int]:
    """What a ClusterQueue says that is reserved of it, where its Workloads are not known."""
    made: dict[Of, int] = {}
    status = mapping(queue.get("status"))
    for flavor in (mapping(one) for one in sequence(status.get("flavorsReservation") or status.get("flavorsUsage"))):
        for one in (mapping(entry) for entry in sequence(flavor.get("resources"))):
            amount = nano(one.get("total")) or 0
            if amount >= NANO // 1000:
                made[str(flavor.get("name")), str(one.get("name"))] = amount
    return made
