"""The arithmetic behind a verdict: what a pod asks, what a group of nodes has and what of it is free."""

from __future__ import annotations

from specgen.schedulers.kube import nodeaffinity, taints
from specgen.schedulers.walk import walks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kube.state import Shelf
    from specgen.schedulers.pods import Sort
    from specgen.schedulers.simulate import Simulation


class Row:
    """A resource that pods of a role ask for, on a group of nodes, in billionths.

    ``each``: of one pod; ``pods``: how many there are; ``nodes``: of the group, those that are not ``away``; ``there``:
    what these have; ``free``: before this job; ``fitting``: pods of the role that find room by this resource alone;
    ``barred``: why none may go there at all.
    """

    __slots__ = ("away", "barred", "each", "fitting", "free", "group", "nodes", "pods", "resource", "role", "there")

    def __init__(self, role: str, pods: int, group: str, resource: str, each: int, barred: str) -> None:
        self.role = role
        self.pods = pods
        self.group = group
        self.resource = resource
        self.each = each
        self.barred = barred
        self.nodes = self.there = self.free = self.fitting = self.away = 0


class Short:
    """What pod sets ask of a flavor that it never has, in billionths. ``before``: of it for sets that come first."""

    __slots__ = ("asked", "before", "flavor", "most", "resource")

    def __init__(self, flavor: str, resource: str, asked: int, before: int, most: int) -> None:
        self.flavor = flavor
        self.resource = resource
        self.asked = asked
        self.before = before
        self.most = most


class Above:
    """A job that its queue never holds, whoever else is away.

    ``pods``: the pod set that finds no room, behind those for which part of it is kept; ``shorts``: why not, by flavor.
    """

    __slots__ = ("pods", "queue", "shorts")

    def __init__(self, queue: str, pods: list[str], shorts: list[Short]) -> None:
        self.queue = queue
        self.pods = pods
        self.shorts = shorts


class Lacking:
    """Pods of a set that wish for a level of a topology which no flavor has: each flavor with the levels it has."""

    __slots__ = ("flavors", "level", "pods")

    def __init__(self, pods: str, level: str, flavors: list[tuple[str, list[str]]]) -> None:
        self.pods = pods
        self.level = level
        self.flavors = flavors


class Unsuited:
    """Pods of a set that suit no flavor for one resource that they ask for: each flavor with a clause that says why."""

    __slots__ = ("flavors", "pods")

    def __init__(self, pods: str, flavors: list[tuple[str, str]]) -> None:
        self.pods = pods
        self.flavors = flavors


class Sums:
    """The sums of a job before it is placed, added up once somebody asks for them; ``walks``: where that is asked."""

    __slots__ = ("_counts", "_rows", "_shelves", "_sorts", "unsaid", "walks")

    def __init__(self, job: Job, simulation: Simulation, *, walked: bool = False) -> None:
        self.walks = walks(job, simulation) if walked else []
        self._sorts = [(role, pods, pod.sort) for role, pods, pod in simulation.first(job)]
        # what stands on a shelf never changes, but how many nodes do
        self._shelves = list(simulation.cluster.state.shelves.values())
        self._counts = [len(shelf.nodes) + shelf.fresh for shelf in self._shelves]
        self._rows: list[Row] | None = None
        # role → a label that its pods ask for, and of which nobody says which nodes have it
        self.unsaid: dict[str, str] = {}

    @property
    def rows(self) -> list[Row]:
        """They, by role, group and resource."""
        if self._rows is None:
            self._rows = _rows(self._sorts, self._shelves, self._counts)
            for row in self._rows:
                if row.barred == nodeaffinity.MISMATCH and row.role in self.unsaid:
                    row.barred = f"`{self.unsaid[row.role]}` is not said of them"
        return self._rows


def deciding(rows: Sequence[Row]) -> list[Row]:
    """The rows by which pods find no room, each role by itself or all of them together; all where none is."""
    together: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if not row.barred:
            together.setdefault((row.group, row.resource), []).append(row)
    short = {
        key
        for key, own in together.items()
        if sum(row.each * row.pods for row in own) > max(row.free for row in own)
        or sum(row.pods for row in own) > max(row.fitting for row in own)
    }
    return [row for row in rows if row.barred or (row.group, row.resource) in short] or list(rows)


def _rows(sorts: list[tuple[str, int, Sort]], shelves: list[Shelf], counts: list[int]) -> list[Row]:
    found: dict[tuple[str, str, str], Row] = {}
    for role, pods, sort in sorts:
        for shelf, count in zip(shelves, counts, strict=True):
            nodes = shelf.kind.nodes
            barred = _barred(sort, shelf)
            for name, each in sort.asks.items():
                if name in nodes.unknown:
                    continue
                key = (role, nodes.group, name)
                row = found.get(key)
                if row is None:
                    row = found[key] = Row(role, pods, nodes.group, name, each, barred)
                if barred and nodes.returned() is not None:
                    row.away += count
                    row.barred = row.barred and barred
                    continue
                free = max(nodes.allocatable.get(name, 0) - shelf.used.get(name, 0), 0)
                row.nodes += count
                row.there += nodes.allocatable.get(name, 0) * count
                row.free += free * count
                row.fitting += 0 if barred else free // each * count
                row.barred = row.barred and barred
    return list(found.values())


def _barred(sort: Sort, shelf: Shelf) -> str:
    status = taints.cordoned(sort, shelf.kind) or taints.check(sort, shelf.kind) or nodeaffinity.check(sort, shelf.kind)
    return status.reasons[0] if status is not None else ""
