"""Whether pods find room on nodes that are empty, as kube-scheduler counts: bounds, and where a pod may go at all.

What breaks a bound cannot fit; what breaks none may still not. Kubernetes 1.36, pkg/scheduler/framework/plugins
(NodeResourcesFit, NodePorts, NodeAffinity, TaintToleration); recorded in worlds ``init-*``, ``res-*``, ``ports-*``.
Amounts are whole numbers of any unit, the same for what is asked and what is offered.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import NANO, nano, rounded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, Protocol

    class Sort(Protocol):
        """Pods that are alike.

        ``asks``: what one asks of its node. ``single``: no two of them share a node. ``spread``: nor one of them and
        one of another sort that says so. ``ports``: those of the node that each takes.
        """

        @property
        def pods(self) -> int: ...
        @property
        def asks(self) -> dict[str, int]: ...
        @property
        def single(self) -> bool: ...
        @property
        def spread(self) -> bool: ...
        @property
        def ports(self) -> Sequence[int]: ...


# Billionths of a thousandth.
_MILLI = 10**6
# Which bound is broken: pods of one sort, pods that need a node each, pods of more than half a node, or a sum.
EACH, APART, HALF, SUM = "each", "apart", "half", "sum"
# Said where pods without devices find no room: these may land anywhere.
ELSEWHERE = "nodes that no pool of the cluster profile names are not counted"


class Nodes:
    """Nodes that are alike: how many, and what one of them offers; what is not in there is not counted."""

    __slots__ = ("count", "offers")

    def __init__(self, count: int, offers: dict[str, int]) -> None:
        self.count = count
        self.offers = offers


class Shortage:
    """A bound that is broken, by which pods. ``room``: pods that fit (EACH, APART, HALF) or the amount there is (SUM).

    ``what``: the resource that decides; empty where no two pods share a node. ``total``: the amount asked (SUM).
    """

    __slots__ = ("bound", "room", "sorts", "total", "what")

    def __init__(self, bound: str, sorts: list[Any], room: int, what: str = "", total: int = 0) -> None:
        self.bound = bound
        self.sorts = sorts
        self.room = room
        self.what = what
        self.total = total


def shortage(sorts: Sequence[Sort], grounds: Sequence[Nodes]) -> Shortage | None:
    """The first bound that pods break which may run on these nodes alone; None: none."""
    for sort in sorts:
        room, what = _room(sort, grounds)
        if room is not None and sort.pods > room:
            return Shortage(EACH, [sort], room, what)
    if len(sorts) < 2:
        return None
    nodes = sum(ground.count for ground in grounds)
    for lonely in _apart(sorts):
        if sum(sort.pods for sort in lonely) > nodes:
            return Shortage(APART, lonely, nodes)
    for what in dict.fromkeys(what for sort in sorts for what in sort.asks):
        if any(what not in ground.offers for ground in grounds):
            continue
        rows = [sort for sort in sorts if what in sort.asks]
        large = [sort for sort in rows if all(sort.asks[what] * 2 > ground.offers[what] for ground in grounds)]
        if sum(sort.pods for sort in large) > nodes:
            return Shortage(HALF, large, nodes, what)
        total = sum(sort.pods * sort.asks[what] for sort in rows)
        offered = sum(ground.count * ground.offers[what] for ground in grounds)
        if total > offered:
            return Shortage(SUM, rows, offered, what, total)
    return None


def per_node(sort: Sort, ground: Nodes) -> tuple[int | None, str]:
    """(pods of a sort that one node takes, None for any number; the resource that decides, empty where none does)."""
    most: int | None = 1 if sort.single or sort.spread or sort.ports else None
    what = ""
    for name, asked in sort.asks.items():
        fits = ground.offers[name] // asked if asked and name in ground.offers else None
        if fits is not None and (most is None or fits < most):
            most, what = fits, name
    return most, what


def _room(sort: Sort, grounds: Sequence[Nodes]) -> tuple[int | None, str]:
    room, why = 0, ""
    for ground in grounds:
        most, what = per_node(sort, ground)
        if most is None:
            return None, ""
        room += ground.count * most
        why = why or what
    return room, why


def _apart(sorts: Sequence[Sort]) -> list[list[Sort]]:
    """Pods of which no two share a node: those that are spread, and those that take one port of it."""
    found = [[sort for sort in sorts if sort.spread]]
    for port in dict.fromkeys(port for sort in sorts for port in sort.ports):
        found.append([sort for sort in sorts if port in sort.ports])
    return found


def asked(pod: dict[str, Any]) -> dict[str, int]:
    """What the spec of a pod asks of its node, resource by resource, in billionths.

    The sum of its containers and sidecars, or the largest init container with the sidecars before it if that is more,
    and the overhead; a limit stands for a request that is missing. Requests of the pod as a whole go before.
    """
    total: dict[str, int] = {}
    for container in sequence(pod.get("containers")):
        for name, amount in _amounts(mapping(container).get("resources")).items():
            total[name] = total.get(name, 0) + amount
    sidecars: dict[str, int] = {}
    most: dict[str, int] = {}
    for container in sequence(pod.get("initContainers")):
        stays = mapping(container).get("restartPolicy") == "Always"
        for name, amount in _amounts(mapping(container).get("resources")).items():
            most[name] = max(most.get(name, 0), sidecars.get(name, 0) + amount)
            if stays:
                sidecars[name] = sidecars.get(name, 0) + amount
    for name, amount in sidecars.items():
        total[name] = total.get(name, 0) + amount
    for name, amount in most.items():
        total[name] = max(total.get(name, 0), amount)
    total.update(_amounts(pod.get("resources")))
    for name, said in mapping(pod.get("overhead")).items():
        total[name] = total.get(name, 0) + (nano(said) or 0)
    return {name: amount for name, amount in total.items() if amount > 0}


def named(pod: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(where, resource → amount) of all that the spec of a pod names amounts of."""
    for word in ("initContainers", "containers"):
        for at, container in enumerate(sequence(pod.get(word))):
            for side, own in mapping(mapping(container).get("resources")).items():
                if side in ("requests", "limits"):
                    yield f"{word}[{at}].resources.{side}", mapping(own)
    for side in ("requests", "limits"):
        yield f"resources.{side}", mapping(mapping(pod.get("resources")).get(side))
    yield "overhead", mapping(pod.get("overhead"))


def _amounts(resources: Any) -> dict[str, int]:
    """Requests, and limits where a resource has none; rounded up, CPU to thousandths, all else to whole numbers."""
    tree = mapping(resources)
    merged = {**mapping(tree.get("limits")), **mapping(tree.get("requests"))}
    found = {}
    for name, amount in merged.items():
        if isinstance(name, str):
            unit = _MILLI if name == "cpu" else NANO
            found[name] = rounded(nano(amount) or 0, unit) * unit
    return found


def host_ports(pod: dict[str, Any]) -> list[int]:
    """TCP ports of the node that a pod takes on all its addresses: its host ports, and on the node's network all."""
    own = pod.get("hostNetwork") is True
    found = []
    for container in sequence(pod.get("containers")):
        for port in (mapping(one) for one in sequence(mapping(container).get("ports"))):
            number = port.get("hostPort") or (port.get("containerPort") if own else None)
            elsewhere = port.get("protocol") not in (None, "", "TCP") or port.get("hostIP") not in (None, "", "0.0.0.0")
            if isinstance(number, int) and not isinstance(number, bool) and not elsewhere and number not in found:
                found.append(number)
    return found


def tolerates(tolerations: Any, key: str, value: str | None, effect: str) -> bool:
    """Whether one of the tolerations bears a taint."""
    for one in (mapping(entry) for entry in sequence(tolerations)):
        if one.get("key") not in (None, "", key) or one.get("effect") not in (None, "", effect):
            continue
        if one.get("operator") == "Exists" or (one.get("key") and (one.get("value") or "") == (value or "")):
            return True
    return False


def selects(pod: dict[str, Any], labels: dict[str, list[str]]) -> str:
    """The label by which a pod keeps off nodes with these labels, each with the values it may have; empty: none.

    Labels that are not among them may be there all the same.
    """
    for key, value in mapping(pod.get("nodeSelector")).items():
        if key in labels and value not in labels[key]:
            return str(key)
    node = mapping(mapping(pod.get("affinity")).get("nodeAffinity"))
    required = mapping(node.get("requiredDuringSchedulingIgnoredDuringExecution"))
    terms = [mapping(term) for term in sequence(required.get("nodeSelectorTerms"))]
    against = [_against(term, labels) for term in terms]
    return against[0] if against and all(against) else ""


def _against(term: dict[str, Any], labels: dict[str, list[str]]) -> str:
    for one in (mapping(entry) for entry in sequence(term.get("matchExpressions"))):
        key, values = one.get("key"), sequence(one.get("values"))
        own = labels.get(key) if isinstance(key, str) else None
        if own is None:
            continue
        word = one.get("operator")
        if (
            (word == "In" and not any(value in values for value in own))
            or (word == "NotIn" and all(value in values for value in own))
            or word == "DoesNotExist"
        ):
            return str(key)
    return ""
