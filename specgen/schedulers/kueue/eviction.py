"""Whom Kueue evicts to make room: lowest priority first, then who came last, and no more than needed.

Kueue 0.19, pkg/scheduler/preemption/preemption.go and classical/ (candidates, attempts, fillBackWorkloads).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol

    from specgen.schedulers.kueue.quota import Node, Of, Queue

    class Held(Protocol):
        """A job that has quota. ``since``: when it got it; ``order``: when it came."""

        queue: Queue
        priority: int
        order: int
        since: int

        def usage(self) -> dict[Of, int]: ...

        def count(self, sign: int) -> None: ...


WITHIN, RECLAIM, WHILE_BORROWING = "InClusterQueue", "InCohortReclamation", "InCohortReclaimWhileBorrowing"
SAID = {
    WITHIN: "prioritization in the ClusterQueue",
    RECLAIM: "reclamation within the cohort",
    WHILE_BORROWING: "reclamation within the cohort while borrowing",
}


class Candidate:
    """A job that may be evicted. ``only_own``: not if the one who comes would borrow; ``below``: their cohort."""

    __slots__ = ("below", "held", "only_own", "reason")

    def __init__(self, held: Held, reason: str, below: Node | None, *, only_own: bool) -> None:
        self.held = held
        self.reason = reason
        self.below = below
        self.only_own = only_own


class Preemptor:
    """Who asks for room. ``wanted``: (flavor, resource) → amount; ``needed``: those of which there is too little."""

    def __init__(self, queue: Queue, priority: int, order: int, wanted: dict[Of, int], needed: Sequence[Of]) -> None:
        self.queue = queue
        self.priority = priority
        self.order = order
        self.wanted = wanted
        self.needed = needed

    def victims(self, held: Sequence[Held], fits: Callable[[], bool]) -> list[Candidate]:
        """Those who are evicted; none where that does not help. ``fits``: whether there is room beside the quota."""
        above, beside, own = self._candidates(held) if held else ([], [], [])
        if not above and not beside and not own:
            return []
        from_cohort = bool(above or beside)
        may_borrow, _ = self.queue.borrows_by_preempting
        if not from_cohort or (not above and not self._under_nominal()):
            ways = [True]
        elif may_borrow and not above:
            ways = [True, False]
        else:
            ways = [False, True]
        for borrowing in ways:
            chosen: list[Candidate] = []
            done = False
            for one in [*above, *beside, *own]:
                if not self._valid(one, borrowing=borrowing):
                    continue
                one.held.count(-1)
                chosen.append(one)
                if self._room(borrowing=borrowing) and fits():
                    done = True
                    break
            if done:
                # from the last but one: who need not go after all stays
                for one in chosen[-2::-1]:
                    one.held.count(1)
                    if self._room(borrowing=borrowing) and fits():
                        chosen.remove(one)
                    else:
                        one.held.count(-1)
            for one in chosen:
                one.held.count(1)
            if done:
                return chosen
        return []

    def _room(self, *, borrowing: bool) -> bool:
        for of, amount in self.wanted.items():
            if amount > self.queue.left(of) or (not borrowing and self.queue.over(of, amount)):
                return False
        return True

    def _under_nominal(self) -> bool:
        return all(self.queue.used.get(of, 0) < self.queue.nominal.get(of, 0) for of in self.needed)

    def _within(self, node: Node) -> bool:
        return not any(node.over(of) for of in self.needed)

    def _valid(self, one: Candidate, *, borrowing: bool) -> bool:
        """Whether somebody may still be evicted, now that others are."""
        queue = one.held.queue
        if queue is self.queue:
            return True
        if (borrowing and one.only_own) or self._within(queue):
            return False
        for node in queue.up():
            if node is one.below:
                break
            if self._within(node):
                return False
        return True

    def _candidates(self, held: Sequence[Held]) -> tuple[list[Candidate], list[Candidate], list[Candidate]]:
        """(those of queues that use what belongs to this one, others of the cohort, those of the queue itself)."""
        by_queue: dict[int, list[Held]] = {}
        for one in held:
            usage = one.usage()
            if any(usage.get(of) for of in self.needed):
                by_queue.setdefault(id(one.queue), []).append(one)
        own = [
            Candidate(one, WITHIN, None, only_own=False)
            for one in by_queue.get(id(self.queue), [])
            if self._may(one, self.queue.policy("withinClusterQueue"))
        ]
        above: list[Candidate] = []
        beside: list[Candidate] = []
        policy = self.queue.policy("reclaimWithinCohort")
        if self.queue.parent is not None and policy != "Never":
            advantage, rest = _fit_in(self.queue, self.wanted)
            before: Node | None = None
            for root in self.queue.up():
                into = above if advantage else beside
                for queue in self._borrowers(root, before):
                    for one in by_queue.get(id(queue), []):
                        if self._may(one, policy):
                            into.append(self._of(one, root, advantage=advantage))
                fits, rest = _fit_in(root, rest)
                advantage = advantage or fits
                before = root

        def order(one: Candidate) -> tuple[int, int]:
            return one.held.priority, -one.held.since

        return sorted(above, key=order), sorted(beside, key=order), sorted(own, key=order)

    def _of(self, one: Held, below: Node, *, advantage: bool) -> Candidate:
        if advantage:
            return Candidate(one, RECLAIM, below, only_own=False)
        allowed, most = self.queue.borrows_by_preempting
        if not allowed or one.priority >= self.priority or (most is not None and one.priority > most):
            return Candidate(one, RECLAIM, below, only_own=True)
        return Candidate(one, WHILE_BORROWING, below, only_own=False)

    def _borrowers(self, node: Node, skip: Node | None) -> Iterator[Node]:
        """Queues below a cohort that use more than their own."""
        for child in node.children:
            if child is skip or child is self.queue or self._within(child):
                continue
            if child.children:
                yield from self._borrowers(child, skip)
            else:
                yield child

    def _may(self, one: Held, policy: str) -> bool:
        lower = one.priority < self.priority
        if policy == "LowerPriority":
            return lower
        if policy == "LowerOrNewerEqualPriority":
            return lower or (one.priority == self.priority and self.order < one.order)
        return policy == "Any"


def _fit_in(node: Node, wanted: dict[Of, int]) -> tuple[bool, dict[Of, int]]:
    """(whether amounts fit in the node's own quota, what of them must come from above)."""
    fits = not any(node.over(of, amount) for of, amount in wanted.items())
    return fits, {of: max(0, amount - node.left_here(of)) for of, amount in wanted.items()}
