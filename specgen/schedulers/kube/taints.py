"""NodeUnschedulable and TaintToleration (Kubernetes 1.36, nodeunschedulable, tainttoleration)."""

from __future__ import annotations

from specgen.operators.kubernetes.room import tolerates
from specgen.schedulers.kube.state import UNRESOLVABLE, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.kube.state import Kind
    from specgen.schedulers.pods import Sort

CORDONED = "node.kubernetes.io/unschedulable"


def cordoned(sort: Sort, kind: Kind) -> Status | None:
    """A node that is marked unschedulable, unless its taint is tolerated."""
    if kind.nodes.unschedulable and not tolerates(sort.tolerations, CORDONED, "", "NoSchedule"):
        return Status("NodeUnschedulable", UNRESOLVABLE, "node(s) were unschedulable")
    return None


def check(sort: Sort, kind: Kind) -> Status | None:
    """A taint that keeps pods away and is not tolerated."""
    return (
        None if tolerated(sort, kind) else Status("TaintToleration", UNRESOLVABLE, "node(s) had untolerated taint(s)")
    )


def tolerated(sort: Sort, kind: Kind) -> bool:
    """Whether no taint keeps a pod away."""
    return all(
        taint.effect == "PreferNoSchedule" or tolerates(sort.tolerations, taint.key, taint.value, taint.effect)
        for taint in kind.nodes.taints
    )


def unwelcome(sort: Sort, kind: Kind) -> int:
    """Taints that would rather not have the pod."""
    soft = [taint for taint in kind.nodes.taints if taint.effect == "PreferNoSchedule"]
    return sum(not tolerates(sort.tolerations, taint.key, taint.value, taint.effect) for taint in soft)
