"""HyperNodes: the domains of a network, each of a tier, and the nodes in it.

Volcano 1.15, topology.volcano.sh/v1alpha1 (members by name or label; of regular expressions none are read here).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import meets, requirements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.simulate import Simulation


class HyperNodes:
    """The HyperNodes of a world. ``domains``: (tier, name, nodes), lowest first; ``tiers``: tiers by their names;
    ``unknown``: (tier, why) of those that cannot be read.
    """

    __slots__ = ("domains", "tiers", "unknown")

    def __init__(self, simulation: Simulation) -> None:
        self.unknown: list[tuple[int, str]] = []
        trees = {str(mapping(one.get("metadata")).get("name")): one for one in simulation.objects.of("HyperNode")}
        self.tiers: dict[str, int] = {}
        self.domains: list[tuple[int, str, frozenset[str]]] = []
        for name, tree in trees.items():
            tier = mapping(tree.get("spec")).get("tier")
            called = mapping(tree.get("spec")).get("tierName")
            if isinstance(called, str) and isinstance(tier, int):
                self.tiers[called] = tier
            tier = tier if isinstance(tier, int) else 0
            if "members" not in mapping(tree.get("spec")):
                # as a cluster profile has it: by its word, or for what lies above all of these
                line = "" if " " in name else f": `pools.NAME.nodes.domains.{name}`"
                self.unknown.append((tier, f"nobody says which nodes share a `{name}`{line}"))
            nodes, unread = self._nodes(name, trees, simulation, ())
            if unread:
                self.unknown.append((tier, f"the members of the HyperNode `{unread}` are not read here"))
            self.domains.append((tier, name, frozenset(nodes)))
        self.domains.sort(key=lambda one: one[:2])
        simulation.tell_apart({node for _, _, nodes in self.domains for node in nodes})

    def _nodes(
        self, name: str, trees: dict[str, dict[str, Any]], simulation: Simulation, above: tuple[str, ...]
    ) -> tuple[dict[str, None], str]:
        """Its nodes, and which one holds members that cannot be read."""
        found: dict[str, None] = {}
        unread = ""
        for member in map(mapping, sequence(mapping(mapping(trees.get(name)).get("spec")).get("members"))):
            selector = mapping(member.get("selector"))
            exact = str(mapping(selector.get("exactMatch")).get("name") or "")
            if member.get("type") == "HyperNode" and exact and exact not in (name, *above):
                nodes, below = self._nodes(exact, trees, simulation, (*above, name))
                found |= nodes
                unread = unread or below
            elif member.get("type") == "Node" and exact:
                found[exact] = None
            elif member.get("type") == "Node" and selector.get("labelMatch") is not None:
                wanted = requirements(selector["labelMatch"])
                for group in simulation.groups:
                    if meets(group.labels, wanted):
                        found |= {group.names[at]: None for at in range(group.count)}
            else:
                unread = unread or name
        return found, unread
