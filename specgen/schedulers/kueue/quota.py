"""Cohorts, queues, and what of their quota is left.

Kueue 0.19, pkg/cache/scheduler/resource_node.go (available, potentialAvailable, addUsage, removeUsage), and
pkg/scheduler/preemption/classical/hierarchical_preemption.go (FindHeightOfLowestSubtreeThatFits).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, TypeAlias

    from specgen.schedulers.world import Objects

    # (flavor, resource)
    Of: TypeAlias = tuple[str, str]

_BYTES = ("memory", "ephemeral-storage")


def shown(resource: str, value: int) -> str:
    """An amount of a resource as Kueue's messages write it."""
    return canonical(value, "1Ki" if resource in _BYTES or resource.startswith("hugepages-") else "")


class Node:
    """A queue or a cohort: its own quota, that of all below it, and what is used of it."""

    __slots__ = ("borrow", "children", "lend", "name", "nominal", "parent", "subtree", "used")

    def __init__(self, name: str) -> None:
        self.name = name
        self.parent: Node | None = None
        self.children: list[Node] = []
        self.nominal: dict[Of, int] = {}
        # limits that are there
        self.borrow: dict[Of, int] = {}
        self.lend: dict[Of, int] = {}
        self.subtree: dict[Of, int] = {}
        self.used: dict[Of, int] = {}

    def read(self, spec: dict[str, Any]) -> None:
        """Takes in the quotas of ``resourceGroups``."""
        for group in (mapping(one) for one in sequence(spec.get("resourceGroups"))):
            for flavor in (mapping(one) for one in sequence(group.get("flavors"))):
                for quota in (mapping(one) for one in sequence(flavor.get("resources"))):
                    of = (str(flavor.get("name")), str(quota.get("name")))
                    self.nominal[of] = nano(quota.get("nominalQuota")) or 0
                    for word, limits in (("borrowingLimit", self.borrow), ("lendingLimit", self.lend)):
                        limit = nano(quota.get(word)) if quota.get(word) is not None else None
                        if limit is not None:
                            limits[of] = limit

    def keeps(self, of: Of) -> int:
        """Quota that nobody else may have."""
        return max(0, self.subtree.get(of, 0) - self.lend[of]) if of in self.lend else 0

    def left_here(self, of: Of) -> int:
        """What is left of the quota that nobody else may have."""
        return max(0, self.keeps(of) - self.used.get(of, 0))

    def left(self, of: Of) -> int:
        """What is left, with what may be borrowed."""
        if self.parent is None:
            return self.subtree.get(of, 0) - self.used.get(of, 0)
        above = self.parent.left(of)
        if of in self.borrow:
            stored = self.subtree.get(of, 0) - self.keeps(of)
            used = max(0, self.used.get(of, 0) - self.keeps(of))
            above = min(stored - used + self.borrow[of], above)
        return self.left_here(of) + above

    def most(self, of: Of) -> int:
        """What there would be if nobody else used anything."""
        if self.parent is None:
            return self.subtree.get(of, 0)
        most = self.keeps(of) + self.parent.most(of)
        return min(self.subtree.get(of, 0) + self.borrow[of], most) if of in self.borrow else most

    def add(self, of: Of, amount: int) -> None:
        """Uses an amount."""
        here = self.left_here(of)
        self.used[of] = self.used.get(of, 0) + amount
        if self.parent is not None and amount > here:
            self.parent.add(of, amount - here)

    def take(self, of: Of, amount: int) -> None:
        """Gives an amount back."""
        above = self.used.get(of, 0) - self.keeps(of)
        self.used[of] = self.used.get(of, 0) - amount
        if above > 0 and self.parent is not None:
            self.parent.take(of, min(amount, above))

    def over(self, of: Of, amount: int = 0) -> bool:
        """Whether more is used, with an amount on top, than its own quota."""
        return self.used.get(of, 0) + amount > self.subtree.get(of, 0)

    def up(self) -> Iterator[Node]:
        """The cohorts above, nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def path(self) -> str:
        """Its name behind those of the cohorts above."""
        return "/" + "/".join([*(node.name for node in reversed(list(self.up()))), self.name])

    @property
    def height(self) -> int:
        """Steps down to the furthest queue."""
        own = min(len(self.children), 1)
        return max([own, *(child.height + 1 for child in self.children if child.children)])

    def lowest(self, of: Of, amount: int) -> tuple[int, bool]:
        """(height of the lowest subtree that has room for an amount, whether it is not the whole)."""
        if not self.over(of, amount) or self.parent is None:
            return 0, self.parent is not None
        rest = amount - self.left_here(of)
        node = self.parent
        for node in self.up():
            if not node.over(of, rest):
                break
            rest -= node.left_here(of)
        return node.height, node.parent is not None


class Queue(Node):
    """A ClusterQueue. ``groups``: (resources it covers, flavors in order)."""

    __slots__ = ("groups", "spec", "strict", "tree")

    def __init__(self, tree: dict[str, Any]) -> None:
        super().__init__(str(mapping(tree.get("metadata")).get("name") or ""))
        self.tree = tree
        self.spec = mapping(tree.get("spec"))
        self.read(self.spec)
        # whether a head that cannot begin holds up those behind it
        self.strict = self.spec.get("queueingStrategy") == "StrictFIFO"
        self.groups = [
            (
                [str(name) for name in sequence(mapping(one).get("coveredResources"))],
                [str(mapping(flavor).get("name")) for flavor in sequence(mapping(one).get("flavors"))],
            )
            for one in sequence(self.spec.get("resourceGroups"))
        ]

    def group(self, resource: str) -> tuple[list[str], list[str]] | None:
        """The resource group that covers a resource."""
        return next((group for group in self.groups if resource in group[0]), None)

    def policy(self, word: str) -> str:
        """A policy of preemption."""
        return str(mapping(self.spec.get("preemption")).get(word) or "Never")

    @property
    def checks(self) -> list[str]:
        """Its admission checks."""
        listed = sequence(mapping(self.spec.get("admissionChecksStrategy")).get("admissionChecks"))
        return [
            *(str(one) for one in sequence(self.spec.get("admissionChecks"))),
            *(str(mapping(one).get("name")) for one in listed),
        ]

    @property
    def borrows_by_preempting(self) -> tuple[bool, int | None]:
        """(whether it may evict others of its cohort while it borrows, only those up to this priority)."""
        own = mapping(mapping(self.spec.get("preemption")).get("borrowWithinCohort"))
        if own.get("policy", "Never") == "Never":
            return False, None
        most = own.get("maxPriorityThreshold")
        return True, most if isinstance(most, int) else None


def tree_of(objects: Objects) -> dict[str, Queue]:
    """The queues by name, each below its cohorts."""
    queues = {queue.name: queue for queue in (Queue(tree) for tree in objects.of("ClusterQueue"))}
    cohorts: dict[str, Node] = {}

    def cohort(name: str) -> Node:
        if name not in cohorts:
            cohorts[name] = Node(name)
        return cohorts[name]

    for tree in objects.of("Cohort"):
        spec = mapping(tree.get("spec"))
        node = cohort(str(mapping(tree.get("metadata")).get("name")))
        node.read(spec)
        above = spec.get("parentName") or spec.get("parent")
        if above:
            node.parent = cohort(str(above))
    for queue in queues.values():
        above = queue.spec.get("cohortName") or (
            queue.spec.get("cohort") if str(queue.tree.get("apiVersion")).endswith("/v1beta1") else None
        )
        if above:
            queue.parent = cohort(str(above))
    for node in _rooted([*cohorts.values(), *queues.values()]):
        if node.parent is not None:
            node.parent.children.append(node)
    for root in [*cohorts.values(), *queues.values()]:
        if root.parent is None:
            _sum(root)
    return queues


def _rooted(nodes: Iterable[Node]) -> list[Node]:
    """The nodes; cohorts that go in a circle lose their parents."""
    listed = list(nodes)
    for node in listed:
        seen = {id(node)}
        at = node.parent
        while at is not None:
            if id(at) in seen:
                node.parent = None
                break
            seen.add(id(at))
            at = at.parent
    return listed


def _sum(node: Node) -> None:
    node.subtree = dict(node.nominal)
    for child in node.children:
        _sum(child)
        for of, amount in child.subtree.items():
            node.subtree[of] = node.subtree.get(of, 0) + amount - child.keeps(of)
