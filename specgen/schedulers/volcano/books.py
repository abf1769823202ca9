"""What Volcano counts of gangs and of their queues. Kept up while pods get nodes, and made anew once others went."""

from __future__ import annotations

from specgen.schedulers.gangs import total, used

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Protocol

    from specgen.schedulers.gangs import Group
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation
    from specgen.schedulers.volcano.queues import Queues

    class Ganging(Protocol):
        """Who has gangs and queues."""

        simulation: Simulation
        groups: dict[str, Group]
        queues: Queues

        def pods(self, group: Group) -> list[Pod]: ...

        def ends(self, group: Group) -> tuple[int, Pod | None]: ...

        def whole(self, names: Iterable[str]) -> dict[str, int]: ...


INQUEUE, RUNNING = "Inqueue", "Running"


class Books:
    """``queues``: what pods on nodes have of each queue's gangs; ``counted``: what of a queue holds back further
    PodGroups, which is what gangs said they need, and not what they have beyond that; ``promised``: what PodGroups in
    the queue are to have yet; ``taken``: what all pods use; ``whole``: what all nodes have.
    """

    __slots__ = (
        "_asks",
        "_deserved",
        "_lines",
        "_manager",
        "_shares",
        "counted",
        "promised",
        "queues",
        "taken",
        "whole",
    )

    def __init__(self, manager: Ganging) -> None:
        self._manager = manager
        self.queues: dict[str, dict[str, int]] = {}
        self.counted: dict[str, dict[str, int]] = {}
        self.promised: dict[str, int] = {}
        self.taken = used(manager.simulation.pods)
        self.whole = total(manager.simulation)
        self._asks: dict[str, dict[str, int]] = {}
        # group → (its pods, and their last one; what it has, asks, counts and is promised)
        self._lines: dict[Group, tuple[Any, dict[str, int], dict[str, int], dict[str, int], dict[str, int]]] = {}
        self._deserved: dict[str, dict[str, int]] | None = None
        self._shares: dict[str, float] = {}
        for group in manager.groups.values():
            self.touch(group)

    def look(self) -> None:
        """Takes in pods that were made since."""
        for group in self._manager.groups.values():
            line = self._lines.get(group)
            if line is None or line[0] != self._manager.ends(group):
                self.touch(group)

    def touch(self, group: Group) -> None:
        """Counts a gang anew."""
        own = self._manager.pods(group)
        has, asks = used(own), dict[str, int]()
        for pod in own:
            for name, amount in pod.sort.asks.items() if not pod.done else ():
                asks[name] = asks.get(name, 0) + amount
        ready = group.phase == RUNNING and sum(pod.node is not None for pod in own) >= group.least
        counted, promised = dict[str, int](), dict[str, int]()
        for name, amount in group.sum.items():
            due = amount if group.phase == INQUEUE else max(0, amount - has.get(name, 0)) if ready else 0
            counted[name], promised[name] = min(has.get(name, 0), amount) + due, due
        before = self._lines.get(group)
        self._lines[group] = (self._manager.ends(group), has, asks, counted, promised)
        for sign, line in ((-1, before), (1, self._lines[group])):
            if line is not None:
                _add(self.queues.setdefault(group.queue, {}), line[1], sign)
                _add(self._asks.setdefault(group.queue, {}), line[2], sign)
                _add(self.counted.setdefault(group.queue, {}), line[3], sign)
                _add(self.promised, line[4], sign)
        if before is None or before[2] != asks:
            self._deserved = None
            self._shares = {}
        self._shares.pop(group.queue, None)

    def shift(self, group: Group, placed: list[Pod]) -> None:
        """Pods of a gang got nodes."""
        for pod in placed:
            _add(self.taken, pod.sort.asks)
        self.touch(group)

    @property
    def deserved(self) -> dict[str, dict[str, int]]:
        """What each queue deserves by its weight, where the plugin proportion divides."""
        if self._deserved is None:
            manager = self._manager
            names = dict.fromkeys(name for own in self._asks.values() for name in own)
            self._deserved = manager.queues.deserved(self._asks, manager.whole(names))
        return self._deserved

    def share(self, queue: str) -> float:
        """The largest part that a queue has of a resource that it deserves."""
        if queue not in self._shares:
            self._shares[queue] = _share(self.queues.get(queue, {}), self.deserved.get(queue, {}))
        return self._shares[queue]

    def own_share(self, group: Group) -> float:
        """The largest part that a gang has of what all nodes have."""
        return _share(self._lines[group][1], self.whole)


def _share(has: dict[str, int], of: dict[str, int]) -> float:
    return max((amount / of[name] for name, amount in has.items() if of.get(name)), default=0.0)


def _add(made: dict[str, int], amounts: dict[str, int], sign: int = 1) -> None:
    for name, amount in amounts.items():
        made[name] = made.get(name, 0) + sign * amount
