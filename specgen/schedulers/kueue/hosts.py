"""The nodes of a simulation, as topologies look at them."""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.schedulers.kueue.standing import Standing, workload_of
from specgen.schedulers.kueue.topology import ENOUGH, Host, Topology, selected
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.kueue.state import State


def topologies(state: State) -> dict[str, Topology]:
    """The topologies of flavors, with the nodes as they are now."""
    objects = state.simulation.objects
    found: dict[str, Topology] = {}
    levels: dict[str, list[str]] = {}
    for tree in objects.of("Topology"):
        entries = sequence(mapping(tree.get("spec")).get("levels"))
        name = str(mapping(tree.get("metadata")).get("name"))
        levels[name] = [str(mapping(one).get("nodeLabel")) for one in entries]
    made = [flavor for flavor in state.flavors.values() if levels.get(flavor.topology)]
    if state.simulation.supposed is not None:
        # what is supposed of domains matters to pods alone that wish for one of them
        wished = {level for one in state.workloads.values() for pods in one.sets for level in pods.wish.levels}
        told = state.simulation.supposed.told
        made = [one for one in made if one.name in told or not wished.isdisjoint(levels[one.topology])]
    if not made or not state.simulation.domains:
        return found
    hosts = _nodes(state)
    for flavor in made:
        topology = Topology(flavor.topology, levels[flavor.topology], list(flavor.tolerations))
        for host in hosts:
            if selected(host.labels, dict(flavor.labels)):
                topology.add(host)
        found[flavor.name] = topology
    return found


def _nodes(state: State) -> list[Host]:
    """All nodes, with what pods use on them that no topology has placed."""
    simulation = state.simulation
    hosts = {}
    asked = {name for one in state.workloads.values() for pods in one.sets for name in pods.asks}
    known = {name for group in simulation.groups for name in (*group.allocatable, *group.unknown)}
    # levels of which nobody says where they are: all in one domain, and whoever wishes for it is told
    unsaid = dict.fromkeys(simulation.supposed.words, "") if simulation.supposed is not None else {}
    # of which nobody speaks
    beyond = sorted(name for name in asked - known if simulation.unsaid(name))
    for place, group in enumerate(simulation.groups, 1):
        for at in range(group.count):
            name = group.names[at]
            nodes = simulation.changed.get(name, group)
            ready = not nodes.unschedulable and nodes.conditions.get("Ready", "True") == "True"
            labels = {**unsaid, HOSTNAME: name, **nodes.labels}
            there = {**dict.fromkeys(beyond, ENOUGH), **dict.fromkeys(nodes.unknown, ENOUGH), **nodes.allocatable}
            hosts[name] = Host(name, labels, there, nodes.taints, ready=ready)
            hosts[name].alike = place if nodes is group else 0
    placed = {
        workload.job.workload if isinstance(workload.job, Standing) else workload.job.id
        for workload in state.workloads.values()
        if workload.given is not None and any(share.domains is not None for share in workload.given.shares)
    }
    for pod in simulation.pods:
        if (
            pod.node is not None
            and not pod.done
            and (pod.job or workload_of(pod)) not in placed
            and pod.node.name in hosts
        ):
            used = hosts[pod.node.name].used
            for name, amount in {**pod.sort.asks, "pods": 10**9}.items():
                used[name] = used.get(name, 0) + amount
    return list(hosts.values())
