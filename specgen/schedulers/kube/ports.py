"""NodePorts: ports of the node that are taken (Kubernetes 1.36, nodeports, framework/types.go, HostPortInfo)."""

from __future__ import annotations

from specgen.schedulers.kube.state import UNSCHEDULABLE, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.kube.state import Shelf
    from specgen.schedulers.pods import Port, Sort, Sorts

_ANY = "0.0.0.0"


def check(sort: Sort, shelf: Shelf, sorts: Sorts) -> Status | None:
    """A node of which another pod has a port."""
    if not sort.ports:
        return None
    for number, _ in shelf.load:
        for other in sorts.listed[number].ports:
            if any(clash(port, other) for port in sort.ports):
                return Status("NodePorts", UNSCHEDULABLE, "node(s) didn't have free ports for the requested pod ports")
    return None


def clash(one: Port, other: Port) -> bool:
    """Whether two pods cannot have these on one node: any address takes the port of all."""
    same = one[0] == other[0] and one[2] == other[2]
    return same and (one[1] == other[1] or _ANY in (one[1], other[1]))
