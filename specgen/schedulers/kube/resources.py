"""NodeResourcesFit: what a pod asks against what is left (Kubernetes 1.36, noderesources/fit.go, fitsRequest)."""

from __future__ import annotations

from specgen.schedulers.kube.state import UNRESOLVABLE, UNSCHEDULABLE, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.kube.state import Shelf
    from specgen.schedulers.pods import Sort

_ONE = 10**9


def check(sort: Sort, shelf: Shelf, elsewhere: frozenset[str] = frozenset()) -> Status | None:
    """Why a node has no room; more than it has at all cannot be helped. ``elsewhere``: amounts that devices cover."""
    offers, used, unknown = shelf.kind.nodes.allocatable, shelf.used, shelf.kind.nodes.unknown
    found: list[str] = []
    code = UNSCHEDULABLE
    if "pods" not in unknown and used.get("pods", 0) + _ONE > offers.get("pods", 0):
        found.append("Too many pods")
    for name, amount in sort.asks.items():
        if name in elsewhere or name in unknown:
            continue
        there = offers.get(name, 0)
        if amount > there - used.get(name, 0):
            found.append(f"Insufficient {name}")
            if amount > there:
                code = UNRESOLVABLE
    return Status("NodeResourcesFit", code, *found) if found else None
