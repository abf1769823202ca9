"""In which domains of a topology the nodes of a pool are, and which of them are away.

A pool's nodes are counted from 0: the first domain has the first ones, and so on. Of nodes that are away the profile
may say how many they are alone: then each way in which the domains may share them is as good as any other.
"""

from __future__ import annotations

from bisect import bisect_left

from specgen.profile import levels
from specgen.rules._pools import amount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from specgen.profile.cluster import ClusterProfile, Pool

    # (first node, the one behind the last, ``cordoned`` or ``notReady``)
    Away: TypeAlias = list[tuple[int, int, str]]
    # label → (where its domain ends, its value), one after the other
    Ends: TypeAlias = dict[str, list[tuple[int, str]]]

# Domains of one size that are told apart.
MOST_DOMAINS = 4_000
# Ways of sharing nodes that are away among domains, where all of them are looked at.
MOST_WAYS = 24
_MOST_CELLS = 200


class Part:
    """Nodes of a pool that follow each other and are alike: their labels beside those of all, and what is wrong."""

    __slots__ = ("away", "count", "labels", "start")

    def __init__(self, start: int, count: int, labels: dict[str, str], away: str) -> None:
        self.start = start
        self.count = count
        self.labels = labels
        self.away = away


def label_of(word: str, cluster: ClusterProfile) -> str | None:
    """The label of nodes that a word of ``topology`` means; None: it has none."""
    label = levels.label_of(word, {str(name): level for name, level in cluster.topology.items()})
    return None if label is None else str(label)


def parts(name: str, pool: Pool, cluster: ClusterProfile, away: Away | None = None) -> Iterator[Part]:
    """The nodes of a pool by domain, in their order. ``away``: another way of sharing those that are away."""
    count, ends = amount(pool), _ends(name, pool, cluster)
    away = sorted(shared(name, pool, cluster) if away is None else away)
    cuts = {count} | {min(end, count) for listed in ends.values() for end, _ in listed}
    cuts |= {cut for first, last, _ in away for cut in (first, last)}
    start, at = 0, 0
    for end in sorted(cuts - {0}):
        # the first domain that does not end before
        found = {label: bisect_left(listed, (end, "")) for label, listed in ends.items()}
        labels = {label: ends[label][place][1] for label, place in found.items() if place < len(ends[label])}
        while at < len(away) and away[at][1] <= start:
            at += 1
        gone = at < len(away) and away[at][0] <= start
        yield Part(start, end - start, labels, away[at][2] if gone else "")
        start = end


def shared(name: str, pool: Pool, cluster: ClusterProfile) -> Away:
    """Which nodes are away: of a domain that is named the last ones, and of the pool the last ones that are left."""
    made = _told(name, pool, cluster)
    for word, count in _untold(pool):
        made += _taken(0, amount(pool), count, word, made)
    return made


def unplaced(name: str, pool: Pool, cluster: ClusterProfile) -> Iterator[str]:
    """The words of topology of which nobody says in which domain the nodes are that are away."""
    ends = _ends(name, pool, cluster)
    told = _told(name, pool, cluster)
    for word in pool.nodes.domains:
        label = label_of(word, cluster)
        if label is None:
            continue
        listed = ends[label]
        split = any(bisect_left(listed, (last, "")) != bisect_left(listed, (first + 1, "")) for first, last, _ in told)
        if split or any(True for _ in _untold(pool)):
            yield word


def ways(name: str, pool: Pool, cluster: ClusterProfile, *, bounds: bool = False) -> tuple[list[Away], bool]:
    """(how the nodes that are away may be shared among domains, whether these are all ways that differ).

    Of too many, or with ``bounds``, there are two: none is away, and in each domain as many as may be.
    """
    told, untold = _told(name, pool, cluster), list(_untold(pool))
    total = sum(count for _, count in untold)
    cells = _cells(name, pool, cluster, told)
    # of cells that are alike no more than nodes are away have one
    seen: dict[Any, int] = {}
    few = []
    for cell in cells:
        seen[cell.sort] = seen.get(cell.sort, 0) + 1
        few += [cell] if seen[cell.sort] <= total else []
    found: list[Away] = []
    if not bounds and total <= MOST_WAYS and len(few) <= _MOST_CELLS:
        states = [word for word, count in untold for _ in range(count)]
        for counts in _compositions(few, total):
            made, at = list(told), 0
            for cell, count in zip(few, counts, strict=True):
                for word in dict.fromkeys(states[at : at + count]):
                    made += _taken(cell.start, cell.end, states[at : at + count].count(word), word, made)
                at += count
            found.append(made)
            if len(found) > MOST_WAYS:
                break
        else:
            return found, True
    most = list(told)
    for cell in cells:
        most += _taken(cell.start, cell.end, min(cell.free, total), untold[0][0], most)
    return [told, most], False


class _Cell:
    """Nodes between the borders of all domains. ``free``: those that are not away; ``sort``: what those that are alike
    have in common.
    """

    __slots__ = ("end", "free", "sort", "start")

    def __init__(self, start: int, end: int, free: int, sort: tuple[Any, ...]) -> None:
        self.start = start
        self.end = end
        self.free = free
        self.sort = sort


def _cells(name: str, pool: Pool, cluster: ClusterProfile, told: Away) -> list[_Cell]:
    ends = _ends(name, pool, cluster)
    made: list[_Cell] = []
    start = 0
    cuts = {amount(pool)} | {min(end, amount(pool)) for listed in ends.values() for end, _ in listed}
    for end in sorted(cuts - {0}):
        free = end - start - sum([max(0, min(end, last) - max(start, first)) for first, last, _ in told])
        # the larger domains that it is part of
        above = [_larger(listed, end, end - start) for listed in ends.values()]
        made.append(_Cell(start, end, free, (free, *above)))
        start = end
    return made


def _larger(listed: list[tuple[int, str]], end: int, size: int) -> int:
    """The domain of which a part that ends there is not all; -1: it is all of one, or in none."""
    at = bisect_left(listed, (end, ""))
    return at if at < len(listed) and listed[at][0] - (listed[at - 1][0] if at else 0) > size else -1


def _compositions(cells: list[_Cell], total: int) -> Iterator[list[int]]:
    """How so many may be shared among cells; of cells that are alike an earlier one has no fewer than a later one."""

    def rest(at: int, left: int, counts: list[int]) -> Iterator[list[int]]:
        if at == len(cells):
            if not left:
                yield counts
            return
        if left > sum([cell.free for cell in cells[at:]]):
            return
        before = next((counts[one] for one in range(at - 1, -1, -1) if cells[one].sort == cells[at].sort), left)
        for count in range(min(cells[at].free, left, before), -1, -1):
            yield from rest(at + 1, left - count, [*counts, count])

    yield from rest(0, total, [])


def _untold(pool: Pool) -> Iterator[tuple[str, int]]:
    """How many nodes are away of which nobody says more."""
    for word, said in (("cordoned", pool.nodes.cordoned), ("notReady", pool.nodes.not_ready)):
        if isinstance(said, int) and said:
            yield word, said


def _told(name: str, pool: Pool, cluster: ClusterProfile) -> Away:
    """The nodes that are away by name, or from a domain."""
    made: Away = []
    for word, said in (("cordoned", pool.nodes.cordoned), ("notReady", pool.nodes.not_ready)):
        for key, count in said.items() if isinstance(said, dict) else ():
            start, end = _place(str(key), name, pool, cluster)
            made += _taken(start, end, count, word, made)
    return made


def _place(key: str, name: str, pool: Pool, cluster: ClusterProfile) -> tuple[int, int]:
    """The first node of a domain, or of a name, and the one behind the last."""
    if key in pool.nodes.names:
        at = pool.nodes.names.index(key)
        return at, at + 1
    for listed in _ends(name, pool, cluster).values():
        start = 0
        for end, value in listed:
            if value == key:
                return start, min(end, amount(pool))
            start = end
    return 0, 0


def _taken(start: int, end: int, count: int, word: str, away: Away) -> Away:
    """The last nodes among some that are not away yet."""
    made: Away = []
    for first, last in [*sorted([(first, last) for first, last, _ in away], reverse=True), (start, start)]:
        low = max(last, start)
        if low < end and count:
            size = min(count, end - low)
            made.append((end - size, end, word))
            count -= size
        end = min(end, max(first, start))
    return made


def _ends(name: str, pool: Pool, cluster: ClusterProfile) -> Ends:
    found: Ends = {}
    for word, said in pool.nodes.domains.items():
        label = label_of(word, cluster)
        if label is not None:
            found[label] = list(_domains(f"{name}-{word}", said, amount(pool)))
    return found


def _domains(prefix: str, said: int | dict[str, int], count: int) -> Iterator[tuple[int, str]]:
    end = 0
    if isinstance(said, dict):
        for value, size in said.items():
            end += size
            yield end, str(value)
        return
    for at in range(min(-(-count // said), MOST_DOMAINS)):
        yield min((at + 1) * said, count), f"{prefix}-{at}"
