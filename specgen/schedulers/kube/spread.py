"""PodTopologySpread: how many pods a value of a label may have more than the least (Kubernetes 1.36,
podtopologyspread/{filtering,scoring,common}.go).
"""

from __future__ import annotations

from math import log

from specgen.operators.kubernetes.selectors import meets
from specgen.schedulers.kube import nodeaffinity, taints
from specgen.schedulers.kube.state import UNRESOLVABLE, UNSCHEDULABLE, Shelf, Status
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.kube.state import State
    from specgen.schedulers.pods import Constraint, Sort

_MISMATCH = "node(s) didn't match pod topology spread constraints"


class Spread:
    """Where pods stand that a pod's constraints count, for one try of it."""

    __slots__ = ("_constraints", "_counts", "_least", "_sort")

    def __init__(self, sort: Sort, state: State) -> None:
        self._sort = sort
        self._constraints = [one for one in sort.constraints if one.hard]
        self._counts: list[dict[Any, int]] = []
        self._least: list[int] = []
        for constraint in self._constraints:
            counts, domains = self._count(constraint, state)
            self._counts.append(counts)
            least = min(counts.values(), default=0)
            self._least.append(0 if domains < constraint.least else least)

    def _count(self, constraint: Constraint, state: State) -> tuple[dict[Any, int], int]:
        counts: dict[Any, int] = {}
        domains = 0
        for shelf in state.shelves.values():
            if not all(shelf.kind.has(one.key) for one in self._constraints) or not _counts(
                self._sort, constraint, shelf
            ):
                continue
            value = shelf.domain(constraint.key)
            own = matching(constraint, self._sort, shelf, state)
            if value is shelf:
                domains += shelf.count
                counts[shelf] = own
            else:
                domains += value not in counts
                counts[value] = counts.get(value, 0) + own * shelf.count
        return counts, domains

    def check(self, shelf: Shelf) -> Status | None:
        """A node whose domain would have too many."""
        for at, constraint in enumerate(self._constraints):
            if not shelf.kind.has(constraint.key):
                return Status("PodTopologySpread", UNRESOLVABLE, f"{_MISMATCH} (missing required label)")
            itself = meets(self._sort.labels, constraint.asked)
            there = self._counts[at].get(shelf.domain(constraint.key), 0)
            if there + itself - self._least[at] > constraint.skew:
                return Status("PodTopologySpread", UNSCHEDULABLE, _MISMATCH)
        return None


def _counts(sort: Sort, constraint: Constraint, shelf: Shelf) -> bool:
    """Whether the constraint looks at a node."""
    if constraint.affinity and not nodeaffinity.matches(sort, shelf.kind):
        return False
    return not constraint.taints or taints.tolerated(sort, shelf.kind)


def matching(constraint: Constraint, sort: Sort, shelf: Shelf, state: State) -> int:
    """Pods on one node of a shelf that a constraint counts."""
    met = state.meeting(sort.namespace, constraint.asked)
    return sum(pods for number, pods in shelf.load if number in met) if met else 0


def scores(
    sort: Sort,
    constraints: list[Constraint],
    fitting: list[Shelf],
    state: State,
    *,
    whole: bool,
    count: int | None = None,
) -> list[float | None]:
    """How crowded the domains of nodes are that would do, the less the better; by shelf.

    The constraints of the pod that are no condition, or those that the scheduler has for pods of a Service. ``whole``:
    a node that lacks one of the labels is None, the worst there is, as it is where the pod itself says them. ``count``:
    how many nodes would do, where not all of them are on these shelves.
    """
    seen = [not whole or all(shelf.kind.has(one.key) for one in constraints) for shelf in fitting]
    total = [0.0] * len(fitting)
    nodes = (
        sum(shelf.count for shelf, counted in zip(fitting, seen, strict=True) if counted) if count is None else count
    )
    for constraint in constraints:
        known = [shelf.domain(constraint.key) if own else None for shelf, own in zip(fitting, seen, strict=True)]
        size = nodes if constraint.key == HOSTNAME else len(set(filter(None, known)))
        weight = log(size + 2)
        counts: dict[Any, int] = {}
        met = state.meeting(sort.namespace, constraint.asked)
        for shelf in state.holding(met):
            own = sum(pods for number, pods in shelf.load if number in met)
            value = shelf.domain(constraint.key)
            if not own or value is None or (whole and not all(shelf.kind.has(one.key) for one in constraints)):
                continue
            if _counts(sort, constraint, shelf):
                counts[value] = counts.get(value, 0) + own * (1 if value is shelf else shelf.count)
        for at, value in enumerate(known):
            if value is not None:
                total[at] += counts.get(value, 0) * weight + constraint.skew - 1
    return [score if counted else None for score, counted in zip(total, seen, strict=True)]
