"""Which of the nodes that would do is taken: the default scores and their weights.

Kubernetes 1.36, apis/config/v1/default_plugins.go (weights), noderesources/{least_allocated,balanced_allocation}.go,
plugins/helper/{normalize_score,spread}.go. Of equal scores the real scheduler draws one; here it is the first, or the
last where that is asked for: what differs between the two is not certain.
"""

from __future__ import annotations

from functools import lru_cache

from specgen.schedulers.kube import nodeaffinity, podaffinity, spread, taints
from specgen.schedulers.pods import Constraint
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.schedulers.kube.state import Shelf, State
    from specgen.schedulers.pods import Sort
    from specgen.schedulers.world import Objects

# What the scheduler spreads by where a pod says nothing (podtopologyspread/plugin.go, systemDefaultConstraints).
_DEFAULTS = ((HOSTNAME, 3), ("topology.kubernetes.io/zone", 5))


def best(
    sort: Sort,
    fitting: Sequence[Shelf],
    state: State,
    objects: Objects,
    early: dict[Shelf, int] | None = None,
    *,
    nodes: int | None = None,
) -> list[Shelf]:
    """The shelves of the highest score. ``early``: how early the alternatives stand that its devices would meet;
    ``nodes``: how many would do, where not all shelves are among them.
    """
    if len(fitting) < 2:
        return list(fitting)
    shelves = list(fitting)
    total = _alone(sort, shelves, state, objects)
    if early:
        for at, score in enumerate(_normal([early.get(shelf, 0) for shelf in shelves])):
            total[at] += 2 * score
    constraints = [one for one in sort.constraints if not one.hard] if sort.constraints else crowd(sort, objects)
    if constraints:
        scored = spread.scores(sort, constraints, shelves, state, whole=bool(sort.constraints), count=nodes)
        crowded = [None if one is None else round(one) for one in scored]
        most = max((one for one in crowded if one is not None), default=0)
        least = min((one for one in crowded if one is not None), default=0)
        for at, own in enumerate(crowded):
            if own is not None:
                total[at] += 2 * (100 * (most + least - own) // most if most else 100)
    top = max(total)
    return [shelf for shelf, score in zip(shelves, total, strict=True) if score == top]


def lasts(sort: Sort, shelf: Shelf, fitting: Sequence[Shelf], state: State, objects: Objects) -> bool:
    """Whether the best shelf stays so while pods of a sort are put on its nodes, one on each, and none comes or goes.

    Where they are spread since Services select them, a node with none of them scores 2 x 100 and one with some at most
    2 x 99, whatever the number of nodes; by zone, each pod changes what the others of its zone score.
    """
    constraints = crowd(sort, objects) if len(fitting) > 1 else []
    if not constraints:
        return True
    by_node, by_zone = constraints
    if any(one.domain(by_zone.key) is not None for one in fitting):
        return False
    crowded = [spread.matching(by_node, sort, one, state) for one in fitting]
    total = _alone(sort, list(fitting), state, objects)
    at = next(at for at, one in enumerate(fitting) if one is shelf)
    return not crowded[at] and all(
        not held or score + 2 * 99 < total[at] + 2 * 100 for held, score in zip(crowded, total, strict=True)
    )


def _alone(sort: Sort, shelves: list[Shelf], state: State, objects: Objects) -> list[int]:
    """What each shelf scores but for how pods are spread."""
    rooms: dict[int, int] = {}
    for shelf in shelves:
        if shelf.room not in rooms:
            rooms[shelf.room] = _least(sort, shelf) + _balanced(sort, shelf)
    total = [rooms[shelf.room] for shelf in shelves]
    kinds = {shelf.kind: taints.unwelcome(sort, shelf.kind) for shelf in {one.kind: one for one in shelves}.values()}
    bad = [kinds[shelf.kind] for shelf in shelves]
    for at, score in enumerate(_normal(bad, reverse=True)):
        total[at] += 3 * score
    if sort.preferred:
        for at, score in enumerate(_normal([nodeaffinity.preferred(sort, shelf.kind) for shelf in shelves])):
            total[at] += 2 * score
    if state.sorts.social:
        near = podaffinity.scores(sort, shelves, state, objects)
        low, high = min(near), max(near)
        if high > low:
            for at, own in enumerate(near):
                total[at] += 2 * (100 * (own - low) // (high - low))
    return total


def _least(sort: Sort, shelf: Shelf) -> int:
    """LeastAllocated, of CPU and memory."""
    score = weights = 0
    for name, unit in (("cpu", 10**6), ("memory", 10**9)):
        there = shelf.kind.nodes.allocatable.get(name, 0) // unit
        if there:
            asked = (shelf.scored.get(name, 0) + sort.scored[name]) // unit
            score += max(0, there - asked) * 100 // there
            weights += 1
    return score // weights if weights else 0


def _balanced(sort: Sort, shelf: Shelf) -> int:
    """BalancedAllocation: how alike the parts of CPU and memory are that are asked; nothing for pods without either."""
    if not sort.asks.get("cpu") and not sort.asks.get("memory"):
        return 0
    parts = []
    for name in ("cpu", "memory"):
        there = shelf.kind.nodes.allocatable.get(name, 0)
        if there:
            parts.append(min(1.0, (shelf.used.get(name, 0) + sort.asks.get(name, 0)) / there))
    apart = abs(parts[0] - parts[1]) / 2 if len(parts) == 2 else 0.0
    return int((1 - apart) * 100)


def _normal(scores: list[int], *, reverse: bool = False) -> list[int]:
    high = max(scores)
    if not high:
        return [100 if reverse else 0] * len(scores)
    scaled = [100 * score // high for score in scores]
    return [100 - score for score in scaled] if reverse else scaled


def crowd(sort: Sort, objects: Objects) -> list[Constraint]:
    """The scheduler's own constraints for pods of Services, over the pods that all of these select."""
    own: dict[str, str] = {}
    for selector in objects.selecting(sort.namespace, sort.labels):
        own |= selector
    return _crowding(tuple(own.items())) if own else []


@lru_cache(maxsize=1024)
def _crowding(selector: tuple[tuple[str, str], ...]) -> list[Constraint]:
    tree = {"whenUnsatisfiable": "ScheduleAnyway", "labelSelector": {"matchLabels": dict(selector)}}
    return [Constraint({**tree, "topologyKey": key, "maxSkew": skew}, {}) for key, skew in _DEFAULTS]
