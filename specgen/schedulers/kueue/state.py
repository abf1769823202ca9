"""Queues, flavors, topologies and Workloads as they are now, beside the simulation of what stands behind them."""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.schedulers.kueue.flavors import Flavor, Share
    from specgen.schedulers.kueue.quota import Queue
    from specgen.schedulers.kueue.topology import Topology
    from specgen.schedulers.kueue.workload import Workload
    from specgen.schedulers.simulate import Simulation


class State:
    """What Kueue decides by. ``excluded``: prefixes of resources that are not counted."""

    def __init__(self, simulation: Simulation, excluded: Sequence[str]) -> None:
        self.simulation = simulation
        self.excluded = list(excluded)
        self.workloads: dict[str, Workload] = {}
        self.queues: dict[str, Queue] = {}
        self.flavors: dict[str, Flavor] = {}
        self.topologies: dict[str, Topology] = {}

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
        for check in self.checks(queue):
            if objects.named("AdmissionCheck", check) is None:
                return f"there is no AdmissionCheck `{check}`"
        return ""

    @staticmethod
    def checks(queue: Queue) -> list[str]:
        """Admission checks of a queue."""
        listed = sequence(mapping(queue.spec.get("admissionChecksStrategy")).get("admissionChecks"))
        return [
            *(str(one) for one in sequence(queue.spec.get("admissionChecks"))),
            *(str(mapping(one).get("name")) for one in listed),
        ]
