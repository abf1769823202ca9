"""Volcano's queues as they stand: their tree, what each may have at most, and what each deserves.

Volcano 1.15, pkg/scheduler/plugins/{proportion,capacity}: the plugin proportion divides what the nodes have by the
weights of queues that ask at once, none gets more than it asks, and what one leaves goes to the others. Recorded:
``queue-weight-elastic``. The plugin capacity goes by no weight.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.quantity import nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any, TypeAlias

    from specgen.schedulers.world import Objects

    # queue → resource → billionths
    Amounts: TypeAlias = dict[str, dict[str, int]]

ROOT = "root"
# Queues that Volcano makes itself.
OWN = ("default", ROOT)
# Of these a capability of 0 is none.
_UNBOUND = ("cpu", "memory")


class Queues:
    """The queues among the objects. ``hierarchy``: whether those above a queue count."""

    __slots__ = ("_closed", "_guaranteed", "_kept", "_most", "_parents", "_trees", "_under", "priorities")

    def __init__(self, objects: Objects, *, hierarchy: bool) -> None:
        self._trees = {str(mapping(tree.get("metadata")).get("name")): tree for tree in objects.of("Queue")}
        said = {name: mapping(tree.get("spec")).get("parent") for name, tree in self._trees.items()}
        self._under = {name: str(above) for name, above in said.items() if above and above != ROOT}
        self._parents = self._under if hierarchy else {}
        self._closed = {
            mapping(tree.get("target")).get("name")
            for tree in objects.of("Command")
            if tree.get("action") == "CloseQueue" and mapping(tree.get("target")).get("kind") == "Queue"
        }
        # what queues of an equal share are ordered by, where one says something
        self.priorities: dict[str, int] = {}
        self._guaranteed: dict[str, int] = {}
        self._kept: dict[str, dict[str, int]] = {}
        self._most: dict[str, dict[str, int]] = {}
        for name in self._trees:
            value = self.spec(name).get("priority")
            if isinstance(value, int):
                self.priorities[name] = value
            listed = mapping(mapping(self.spec(name).get("guarantee")).get("resource"))
            kept = {str(resource): nano(amount) or 0 for resource, amount in listed.items()}
            most = {
                str(resource): nano(amount) or 0
                for resource, amount in mapping(self.spec(name).get("capability")).items()
            }
            self._kept |= {name: kept} if kept else {}
            self._most[name] = {one: amount for one, amount in most.items() if amount or one not in _UNBOUND}
            for resource, amount in kept.items():
                self._guaranteed[resource] = self._guaranteed.get(resource, 0) + amount

    def spec(self, name: str) -> dict[str, Any]:
        """What a queue says of itself."""
        return mapping(mapping(self._trees.get(name)).get("spec"))

    def known(self, name: str) -> bool:
        """Whether there is a queue of the name."""
        return name in self._trees or name in OWN

    def state(self, name: str) -> str:
        """The state of a queue: as it says itself, or closed by a Command that is among the objects."""
        if name in self._closed:
            return "Closed"
        return str(mapping(mapping(self._trees.get(name)).get("status")).get("state") or "Open")

    def below_it(self, name: str) -> int:
        """How many queues name it as the one above them, whatever is configured."""
        return sum(above == name for above in self._under.values())

    def holds_others(self, name: str) -> bool:
        """Whether jobs in it wait for ever, as it has queues below it that count."""
        return name in self._parents.values()

    def up(self, name: str) -> list[str]:
        """A queue, and those above it that count."""
        found = [name]
        while found[-1] in self._parents and self._parents[found[-1]] not in found:
            found.append(self._parents[found[-1]])
        return found

    def below(self, name: str) -> set[str]:
        """A queue, and those below it that count."""
        return {name, *(other for other in self._parents if name in self.up(other))}

    def places(self, names: Iterable[str], *, last: bool) -> dict[str, int]:
        """The places of queues in the order in which they were made; ``last``: of those of somebody the last first."""
        made = {name: at for at, name in enumerate(self._trees, len(OWN))}
        return {name: OWN.index(name) if name in OWN else made.get(name, 0) * (-1 if last else 1) for name in names}

    def guarantee(self, name: str) -> dict[str, int]:
        """What a queue has for sure."""
        return self._kept.get(name, {})

    def capability(self, name: str, whole: Mapping[str, int]) -> dict[str, int]:
        """The most that jobs of a queue may have: what it says, and what other queues have not for sure."""
        made = dict(whole)
        if self._guaranteed:
            own: dict[str, int] = {}
            for one in {*self.up(name), *self.below(name)}:
                for resource, amount in self.guarantee(one).items():
                    own[resource] = own.get(resource, 0) + amount
            for resource, amount in self._guaranteed.items():
                made[resource] = made.get(resource, 0) - amount + own.get(resource, 0)
        for resource, amount in self._most.get(name, {}).items():
            made[resource] = min(amount, made.get(resource, 0))
        return made

    def deserved(self, asks: Amounts, whole: Mapping[str, int]) -> Amounts:
        """What each of the queues deserves of what there is, by their weights; ``asks``: what they have and wait for.

        Those that ask for no more than their share are served, and what they leave is divided among the others.
        """
        most = {name: self.capability(name, whole) for name in asks}
        given = {
            name: {resource: min(amount, most[name].get(resource, 0)) for resource, amount in own.items()}
            for name, own in asks.items()
        }
        left = {resource: whole.get(resource, 0) for own in asks.values() for resource in own}
        if self._guaranteed or any(
            sum(own.get(resource, 0) for own in given.values()) > amount for resource, amount in left.items()
        ):
            self._divide(asks, most, left, given)
        return given

    def _divide(self, asks: Amounts, most: Amounts, left: dict[str, int], given: Amounts) -> None:
        weights = {name: self._weight(name) for name in asks}
        given |= {name: {} for name in asks}
        served: set[str] = set()
        while len(served) < len(asks):
            weight = sum(weights[name] for name in asks if name not in served)
            spent: dict[str, int] = {}
            for name, own in asks.items():
                if name in served:
                    continue
                before = given[name]
                now = {}
                for resource, amount in own.items():
                    share = before.get(resource, 0) + left[resource] * weights[name] // weight
                    now[resource] = min(share, most[name].get(resource, 0), amount)
                if all(now[resource] >= amount for resource, amount in own.items()) or now == before:
                    served.add(name)
                for resource, amount in self.guarantee(name).items():
                    now[resource] = max(now.get(resource, 0), amount)
                for resource, amount in now.items():
                    spent[resource] = spent.get(resource, 0) + amount - before.get(resource, 0)
                given[name] = now
            if not any(spent.values()):
                break
            left = {resource: amount - spent.get(resource, 0) for resource, amount in left.items()}

    def _weight(self, name: str) -> int:
        value = self.spec(name).get("weight")
        return value if isinstance(value, int) and value > 0 else 1
