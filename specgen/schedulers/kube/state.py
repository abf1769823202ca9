"""The nodes while pods are placed: nodes that are alike and hold alike pods are one shelf, looked at once.

A node that holds nothing is only counted. What a scheduler asks of a node is asked of its shelf, so that a step costs
as much as there are different nodes, whatever their number.
"""

from __future__ import annotations

from itertools import islice

from specgen.operators.kubernetes.selectors import meets
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    from specgen.operators.kubernetes.selectors import Requirement
    from specgen.schedulers.pods import Pod, Sort, Sorts
    from specgen.schedulers.world import Nodes

    # (sort, pods of it on one node), by the number of the sort
    Load: TypeAlias = tuple[tuple[int, int], ...]
    # (capacity, how much of it) that is taken of a device
    Share: TypeAlias = tuple[tuple[str, int], ...]
    # a device by its place among others, or a part of one, which a number tells from other parts
    Place: TypeAlias = int | tuple[int, int, Share]

UNSCHEDULABLE, UNRESOLVABLE = 1, 2
# The filters in the order in which nodes are asked (Kubernetes 1.36, pkg/scheduler/apis/config/v1/default_plugins.go).
FILTERS = (
    "NodeUnschedulable",
    "NodeName",
    "TaintToleration",
    "NodeAffinity",
    "NodePorts",
    "NodeResourcesFit",
    "VolumeRestrictions",
    "VolumeBinding",
    "VolumeZone",
    "PodTopologySpread",
    "InterPodAffinity",
    "DynamicResources",
)


class Status:
    """Why a node will not do, by which of the filters.

    ``code``: whether evicting pods might help (UNSCHEDULABLE) or not (UNRESOLVABLE).
    """

    __slots__ = ("by", "code", "reasons")

    def __init__(self, by: str, code: int, *reasons: str) -> None:
        self.by = by
        self.code = code
        self.reasons = reasons


class Kind:
    """Nodes that nothing but what they hold tells apart. ``name``: of the one node, where names matter."""

    __slots__ = ("devices", "id", "labels", "name", "nodes")

    def __init__(self, number: int, nodes: Nodes, name: str | None, devices: tuple[Any, ...]) -> None:
        self.id = number
        self.nodes = nodes
        self.name = name
        # devices that only pods on the node can use
        self.devices = devices
        # the hostname is among them where names matter
        self.labels = {HOSTNAME: name, **nodes.labels} if name else nodes.labels

    def has(self, key: str) -> bool:
        """Whether the nodes have a label."""
        return key == HOSTNAME or key in self.nodes.labels


class Node:
    """A node that holds pods, or held some."""

    __slots__ = ("kind", "name", "pods", "shelf")

    def __init__(self, kind: Kind, name: str) -> None:
        self.kind = kind
        self.name = name
        self.pods: list[Pod] = []
        self.shelf: Shelf


class Shelf:
    """Nodes of a kind that hold alike pods: ``nodes`` that were touched, and ``fresh`` ones that are only counted."""

    __slots__ = ("fresh", "key", "kind", "load", "nodes", "number", "room", "scored", "taken", "used")

    def __init__(self, kind: Kind, load: Load, taken: Any, sorts: Sorts) -> None:
        # the same for shelves of nodes of which as much is used; and which of all shelves it was to come up
        self.room = self.number = -1
        self.kind = kind
        self.load = load
        self.key = (kind.id, load, taken)
        # devices that are given away, as places in ``kind.devices``
        self.taken: frozenset[Place] = taken
        self.nodes: dict[str, Node] = {}
        self.fresh = 0
        self.used: dict[str, int] = {}
        self.scored: dict[str, int] = {}
        for number, pods in load:
            sort = sorts.listed[number]
            for name, amount in sort.asks.items():
                self.used[name] = self.used.get(name, 0) + amount * pods
            for name, amount in sort.scored.items():
                self.scored[name] = self.scored.get(name, 0) + amount * pods
            self.used["pods"] = self.used.get("pods", 0) + pods * 10**9

    @property
    def count(self) -> int:
        """Nodes on it."""
        return len(self.nodes) + self.fresh

    def domain(self, key: str) -> Any:
        """The value of a label; None: it has none. Of the hostname the shelf itself: each node has its own."""
        if key == HOSTNAME:
            return self
        return self.kind.nodes.labels.get(key)


class Room:
    """Shelves of nodes of one kind of which as much is used: ``count`` nodes in all."""

    __slots__ = ("count", "shelves")

    def __init__(self) -> None:
        self.count = 0
        self.shelves: dict[Any, Shelf] = {}


class State:
    """All nodes, and the pods on them. ``version`` counts changes; ``taken``: node → devices of it that are given.

    ``count``: nodes in all; ``freed``: how often a pod has gone from a node.
    """

    __slots__ = (
        "_by_name",
        "_kinds",
        "_left",
        "_meeting",
        "_numbers",
        "_rooms",
        "_shelved",
        "count",
        "freed",
        "rooms",
        "shelves",
        "sorts",
        "taken",
        "version",
    )

    def __init__(self, sorts: Sorts) -> None:
        self.sorts = sorts
        self.shelves: dict[Any, Shelf] = {}
        self.taken: dict[str, frozenset[Place]] = {}
        self.version = self.count = self.freed = 0
        self._kinds: list[Kind] = []
        self._rooms: dict[Any, int] = {}
        # shelves by room, and by the sorts of pods that their nodes hold
        self.rooms: dict[int, Room] = {}
        self._shelved: dict[int, dict[Any, Shelf]] = {}
        self._numbers = 0
        # what is asked of labels → (sorts that meet it, those to look at, how many of them were looked at)
        self._meeting: dict[Any, tuple[set[int], list[Sort], list[int]]] = {}
        self._by_name: dict[str, Node] = {}
        # kind → (its nodes, place of the next fresh one, places that are taken out of turn or belong to others)
        self._left: dict[int, tuple[Nodes, int, set[int]]] = {}

    def add(
        self,
        nodes: Nodes,
        apart: dict[str, tuple[Any, ...]],
        like: Iterable[str] = (),
        changed: dict[str, Nodes] | None = None,
    ) -> None:
        """Adds a group of nodes. ``apart``: devices of nodes that have some; ``like``: names that somebody asks for;
        ``changed``: nodes that are not like their group any more.
        """
        skipped: set[int] = set()
        for name in dict.fromkeys((*apart, *like)):
            at = nodes.names.place(name)
            if at is not None and at not in skipped:
                skipped.add(at)
                own = (changed or {}).get(name, nodes)
                self._single(Kind(len(self._kinds), own, name, (*apart.get(name, ()), *own.devices)), name)
        rest = nodes.count - len(skipped)
        if rest > 0:
            kind = Kind(len(self._kinds), nodes, None, nodes.devices)
            self._kinds.append(kind)
            self._left[kind.id] = (nodes, 0, skipped)
            shelf = self._shelf(kind, (), frozenset())
            shelf.fresh = rest
            self.rooms[shelf.room].count += rest
        self.count += nodes.count
        self.version += 1

    def _single(self, kind: Kind, name: str) -> None:
        self._kinds.append(kind)
        node = Node(kind, name)
        self._by_name[name] = node
        self._put(node)

    def _shelf(self, kind: Kind, load: Load, taken: frozenset[Place]) -> Shelf:
        key = (kind.id, load, taken)
        shelf = self.shelves.get(key)
        if shelf is None:
            shelf = self.shelves[key] = Shelf(kind, load, taken, self.sorts)
            amounts = (kind.id, tuple(sorted(shelf.used.items())), tuple(sorted(shelf.scored.items())))
            shelf.room = self._rooms.setdefault(amounts, len(self._rooms))
            shelf.number = self._numbers = self._numbers + 1
            self.rooms.setdefault(shelf.room, Room()).shelves[key] = shelf
            for number, _ in load:
                self._shelved.setdefault(number, {})[key] = shelf
        return shelf

    def _close(self, shelf: Shelf) -> None:
        """A shelf that no node is on any more goes."""
        del self.shelves[shelf.key]
        room = self.rooms[shelf.room]
        del room.shelves[shelf.key]
        if not room.shelves:
            del self.rooms[shelf.room]
        for number, _ in shelf.load:
            del self._shelved[number][shelf.key]

    def holding(self, sorts: Iterable[int]) -> list[Shelf]:
        """The shelves whose nodes hold pods of some sorts, by their numbers."""
        found = {shelf.number: shelf for number in sorts for shelf in self._shelved.get(number, {}).values()}
        return list(found.values())

    def meeting(self, namespace: str, asked: tuple[Requirement, ...] | None) -> set[int]:
        """The sorts of pods of a namespace whose labels meet requirements, by their numbers."""
        known = self._meeting.get((namespace, asked))
        if known is None:
            known = self._meeting[namespace, asked] = (set(), self.sorts.eligible(namespace, asked), [0])
        met, sorts, seen = known
        for sort in islice(sorts, seen[0], None):
            if sort.namespace == namespace and meets(sort.labels, asked):
                met.add(sort.id)
        seen[0] = len(sorts)
        return met

    def _put(self, node: Node, load: Load | None = None) -> None:
        """Puts a node on the shelf of those that hold alike pods; ``load``: what it holds, where that is known."""
        if load is None:
            counts: dict[int, int] = {}
            for pod in node.pods:
                counts[pod.sort.id] = counts.get(pod.sort.id, 0) + 1
            load = tuple(sorted(counts.items()))
        node.shelf = self._shelf(node.kind, load, self.taken.get(node.name, frozenset()))
        node.shelf.nodes[node.name] = node
        self.rooms[node.shelf.room].count += 1

    def _off(self, node: Node) -> None:
        shelf = node.shelf
        del shelf.nodes[node.name]
        self.rooms[shelf.room].count -= 1
        if not shelf.count:
            self._close(shelf)

    def node(self, name: str) -> Node | None:
        """The node of a name; None: there is none."""
        if name in self._by_name:
            return self._by_name[name]
        for number, (nodes, following, skipped) in self._left.items():
            at = nodes.names.place(name)
            if at is not None and at not in skipped and at >= following:
                skipped.add(at)
                return self._touch(self._kinds[number], name)
        return None

    def known(self, name: str) -> Node | None:
        """The node of a name, where it was touched or is told apart from others."""
        return self._by_name.get(name)

    def single_out(self, name: str) -> None:
        """Tells a node apart from those that it is like, as somebody asks for it by its name."""
        node = self.node(name)
        if node is None or node.kind.name is not None:
            return
        self._off(node)
        node.kind = Kind(len(self._kinds), node.kind.nodes, name, node.kind.devices)
        self._kinds.append(node.kind)
        self._put(node)
        self.version += 1

    def pick(self, shelf: Shelf, *, last: bool = False) -> Node:
        """A node of a shelf."""
        return self._some(shelf, 1, last=last)[0]

    def _some(self, shelf: Shelf, count: int, *, last: bool) -> list[Node]:
        """So many nodes of a shelf, in the order in which they are picked one after the other."""
        made: list[Node] = []
        if last:
            made += [self._following(shelf) for _ in range(min(count, shelf.fresh))]
        # those that were just touched stand at the end
        held = islice(reversed(shelf.nodes.values()), len(made), count) if last else islice(shelf.nodes.values(), count)
        made += list(held)
        if not last:
            made += [self._following(shelf) for _ in range(min(count - len(made), shelf.fresh))]
        return made

    def _following(self, shelf: Shelf) -> Node:
        """The next node that is only counted."""
        nodes, following, skipped = self._left[shelf.kind.id]
        while following in skipped:
            following += 1
        self._left[shelf.kind.id] = (nodes, following + 1, skipped)
        return self._touch(shelf.kind, nodes.names[following])

    def _touch(self, kind: Kind, name: str) -> Node:
        node = self._by_name[name] = Node(kind, name)
        empty = node.shelf = self.shelves[(kind.id, (), frozenset())]
        empty.fresh -= 1
        empty.nodes[name] = node
        return node

    def take(self, node: Node, devices: frozenset[Place]) -> None:
        """Gives away devices of a node."""
        if devices:
            self._off(node)
            self.taken[node.name] = self.taken.get(node.name, frozenset()) | devices
            self._put(node)
            self.version += 1

    def give_back(self, node: Node, devices: frozenset[Place]) -> None:
        """Devices of a node that nobody has any more."""
        if devices:
            self._off(node)
            self.taken[node.name] = self.taken.get(node.name, frozenset()) - devices
            self._put(node)
            self.version += 1

    def bind(self, pod: Pod, node: Node) -> None:
        """Puts a pod on a node."""
        self._off(node)
        node.pods.append(pod)
        counts = dict(node.shelf.load)
        counts[pod.sort.id] = counts.get(pod.sort.id, 0) + 1
        self._put(node, tuple(sorted(counts.items())))
        pod.node = node
        self.version += 1

    def bind_alike(self, pods: Sequence[Pod], start: int, shelf: Shelf, *, last: bool = False) -> int:
        """Puts pods of one sort, from a place in a list on, on nodes of a shelf, each on one of its own.

        Returns how many: one where a shelf comes or goes by it, or as many as find the shelves that it found.
        """
        before = len(self.shelves)
        self.bind(pods[start], self.pick(shelf, last=last))
        pods[start].reason = pods[start].message = None
        full: Shelf = pods[start].node.shelf
        if not shelf.count or len(self.shelves) != before:
            return 1
        nodes = self._some(shelf, min(len(pods) - start - 1, shelf.count), last=last)
        for pod, node in zip(islice(pods, start + 1, None), nodes, strict=False):
            del shelf.nodes[node.name]
            full.nodes[node.name] = node
            node.shelf = full
            node.pods.append(pod)
            pod.node = node
            pod.reason = pod.message = None
        self.rooms[shelf.room].count -= len(nodes)
        self.rooms[full.room].count += len(nodes)
        if not shelf.count:
            self._close(shelf)
        self.version += len(nodes)
        return 1 + len(nodes)

    def free(self, pod: Pod) -> None:
        """Takes a pod off its node."""
        node: Node = pod.node
        self._off(node)
        node.pods.remove(pod)
        self._put(node)
        pod.node = None
        self.version += 1
        self.freed += 1

    def resort(self) -> None:
        """Shelves anew, after pods are told apart by more than before."""
        fresh = {shelf.kind.id: shelf.fresh for shelf in self.shelves.values() if shelf.fresh}
        self.shelves, self.rooms, self._shelved = {}, {}, {}
        for number, count in fresh.items():
            shelf = self._shelf(self._kinds[number], (), frozenset())
            shelf.fresh = count
            self.rooms[shelf.room].count += count
        for node in self._by_name.values():
            for pod in node.pods:
                pod.sort = self.sorts.of(pod)
            self._put(node)
        self.version += 1

    def held(self) -> Iterator[tuple[Shelf, Sort, int]]:
        """(shelf, sort, pods of it on each node of the shelf), for all that stands."""
        for shelf in self.shelves.values():
            for number, pods in shelf.load:
                yield shelf, self.sorts.listed[number], pods

    def nodes(self) -> Iterator[Node]:
        """The nodes that were touched."""
        yield from self._by_name.values()
