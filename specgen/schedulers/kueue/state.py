"""Queues, flavors, topologies and Workloads as they are now, beside the simulation of what stands behind them."""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.queues import RELEASE, kueue_knows
from specgen.schedulers.kueue.configuration import configuration_of
from specgen.schedulers.kueue.loose import queue_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.kueue.flavors import Flavor, Share
    from specgen.schedulers.kueue.quota import Queue
    from specgen.schedulers.kueue.topology import Topology
    from specgen.schedulers.kueue.workload import Workload
    from specgen.schedulers.simulate import Simulation

_POD = {"apiVersion": "v1", "kind": "Pod"}


def says(tree: dict[str, Any], kind: str, status: str) -> bool:
    """Whether an object has a condition with this status."""
    conditions = [mapping(one) for one in sequence(mapping(tree.get("status")).get("conditions"))]
    return any(one.get("type") == kind and one.get("status") == status for one in conditions)


class State:
    """What Kueue decides by. ``loose``: (job, pod of it) → its Workload, of pods that come under a queue themselves."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.configuration = configuration_of(simulation.objects)
        # which one is installed; None: nobody says
        self.release = simulation.operators.get(RELEASE, (None, None))[0]
        self.workloads: dict[str, Workload] = {}
        self.loose: dict[tuple[str, str], Workload] = {}
        self.queues: dict[str, Queue] = {}
        self.flavors: dict[str, Flavor] = {}
        self.topologies: dict[str, Topology] = {}

    def looks_after(self, tree: dict[str, Any]) -> bool:
        """Whether the installed release, as it is configured, looks after objects of this kind."""
        return kueue_knows(tree, self.release) and self.configuration.knows(tree)

    def queue_of(self, tree: dict[str, Any]) -> str | None:
        """The LocalQueue of a job, empty: it names none; None: Kueue leaves the job alone."""
        metadata = mapping(tree.get("metadata"))
        if not self.looks_after(tree):
            return None
        return self._named(tree, str(metadata.get("namespace") or "default"))

    def queue_of_pod(self, tree: dict[str, Any], namespace: str) -> str | None:
        """The LocalQueue that a pod comes under by itself, as its job is under none; None: it does not."""
        return self._named(tree, namespace) if self.looks_at_pods(namespace) else None

    def looks_at_pods(self, namespace: str) -> bool:
        """Whether the webhook of plain pods is asked in a namespace."""
        return self.configuration.knows(_POD) and self.configuration.reaches(namespace, self.labels_of(namespace))

    def _named(self, tree: dict[str, Any], namespace: str) -> str | None:
        named = queue_at(tree)
        if not named and self.simulation.objects.named("LocalQueue", "default", namespace) is not None:
            return "default"
        unnamed = self.configuration.unnamed and self.configuration.reaches(namespace, self.labels_of(namespace))
        return named if named or unnamed else None

    def labels_of(self, namespace: str) -> dict[str, str]:
        """The labels of a namespace."""
        tree = self.simulation.objects.named("Namespace", namespace)
        labels = mapping(mapping(mapping(tree).get("metadata")).get("labels"))
        return {"kubernetes.io/metadata.name": namespace, **{str(key): str(value) for key, value in labels.items()}}

    def current(self, name: str) -> Workload | None:
        """The Workload of a job; of an elastic one the last that has begun."""
        found = self.workloads.get(name)
        while found is not None and found.slice is not None and (found.slice.given or found.finished):
            found = found.slice
        return found

    def topology_of(self, share: Share) -> Topology | None:
        """The topology of the flavor that pods have."""
        for given in share.flavors.values():
            if given.flavor in self.topologies:
                return self.topologies[given.flavor]
        return None

    def inactive(self, queue: Queue) -> str:
        """Why a queue takes nobody."""
        objects = self.simulation.objects
        if queue.spec.get("stopPolicy", "None") != "None":
            return "it is stopped"
        for _, names in queue.groups:
            for name in names:
                if name not in self.flavors:
                    return f"there is no ResourceFlavor `{name}`"
                topology = self.flavors[name].topology
                if topology and self.simulation.domains and objects.named("Topology", topology) is None:
                    return f"there is no Topology `{topology}`"
        for check in queue.checks:
            found = objects.named("AdmissionCheck", check)
            if found is None:
                return f"there is no AdmissionCheck `{check}`"
            if says(found, "Active", "False"):
                return f"its AdmissionCheck `{check}` is not active"
        return ""
