"""Pods of real nodes in a world whose nodes are counted: a cluster profile says how many there are, and no names."""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.room import asked
from specgen.schedulers.world import Numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.schedulers.world import Nodes, World


def house(world: World) -> dict[str, int]:
    """Takes the pods of each node that is not there to one of the only group that has room for their devices.

    Returns group → nodes of it that are theirs now. Pods of a node stay together. Those without a device stay as they
    are, and so do those that several groups could hold.
    """
    there: dict[str, list[int]] = {}
    for at, tree in enumerate(world.pods):
        name = mapping(tree.get("spec")).get("nodeName")
        if isinstance(name, str) and name:
            there.setdefault(name, []).append(at)
    taken = {name for name in there if any(nodes.names.place(name) is not None for nodes in world.nodes)}
    free = [_free(nodes, taken) for nodes in world.nodes]
    found: dict[str, int] = {}
    for name, own in there.items():
        if name in taken:
            continue
        specs = [mapping(world.pods[at].get("spec")) for at in own]
        # where a group's nodes have names, this is none of them
        counted = [at for at, nodes in enumerate(world.nodes) if isinstance(nodes.names, Numbered)]
        fitting = [at for at in counted if _holds(world.nodes[at], specs)]
        if len({world.nodes[at].group for at in fitting}) != 1:
            continue
        home = next((node for at in fitting for node in free[at]), None)
        if home is not None:
            for at, spec in zip(own, specs, strict=True):
                world.pods[at] = {**world.pods[at], "spec": {**spec, "nodeName": home}}
            group = world.nodes[fitting[0]].group
            found[group] = found.get(group, 0) + 1
    return found


def _free(nodes: Nodes, taken: set[str]) -> Iterator[str]:
    yield from (name for name in map(nodes.names.__getitem__, range(nodes.count)) if name not in taken)


def _holds(nodes: Nodes, specs: list[dict[str, Any]]) -> bool:
    """Whether a node has what pods with devices ask for together, and the labels that they wish for."""
    total: dict[str, int] = {}
    for spec in specs:
        for name, value in mapping(spec.get("nodeSelector")).items():
            if nodes.labels.get(name, value) != value:
                return False
        for name, amount in asked(spec).items():
            total[name] = total.get(name, 0) + amount
    known = {name: amount for name, amount in total.items() if name not in nodes.unknown}
    return any("/" in name for name in total) and all(
        amount <= nodes.allocatable.get(name, 0) for name, amount in known.items() if "/" in name
    )
