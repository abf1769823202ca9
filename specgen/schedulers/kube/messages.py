"""What a pod is told that found no node (Kubernetes 1.36, pkg/scheduler/framework/types.go, FitError)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NO_NODES = "no nodes available to schedule pods"
NOT_HELPFUL = "Preemption is not helpful for scheduling"
NO_VICTIMS = "No preemption victims found for incoming pod"


def counted(reasons: Iterable[tuple[str, int]], nodes: int) -> str:
    """``0/3 nodes are available: 1 Insufficient cpu, 2 …``: reasons with how many nodes each, in the order of texts."""
    counts: dict[str, int] = {}
    for reason, number in reasons:
        counts[reason] = counts.get(reason, 0) + number
    listed = ", ".join(sorted(f"{number} {reason}" for reason, number in counts.items()))
    return f"0/{nodes} nodes are available: {listed}." if listed else f"0/{nodes} nodes are available:"
