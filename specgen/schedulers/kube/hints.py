"""Which pods are tried again when a node comes or changes: those that a plugin that refused them has hope for.

Kubernetes 1.36: ``EventsToRegister`` and the hints of noderesources/fit.go, tainttoleration, nodeaffinity,
nodeunschedulable. A pod without hope keeps the message of its last try, with the nodes that were there then.
"""

from __future__ import annotations

from specgen.schedulers.kube import nodeaffinity, taints
from specgen.schedulers.kube.state import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.world import Nodes


def helped(pod: Pod, before: Nodes | None, after: Nodes) -> bool:
    """Whether a pod is tried again after nodes came (``before`` is None), or became others than they were."""
    message = (pod.message or "").partition(". no new claims")[0]
    known = False
    if "Insufficient " in message or "Too many pods" in message:
        known = True
        if before is None or before.allocatable != after.allocatable:
            there = after.allocatable
            if all(name in after.unknown or amount <= there.get(name, 0) for name, amount in pod.sort.asks.items()):
                return True
    kind = Kind(-1, after, after.names[0] if after.count == 1 else None, ())
    if "untolerated taint" in message:
        known = True
        if (before is None or before.taints != after.taints) and taints.tolerated(pod.sort, kind):
            return True
    if "node affinity/selector" in message or "[NodeAffinity]" in message:
        known = True
        if (before is None or before.labels != after.labels) and nodeaffinity.matches(pod.sort, kind):
            return True
    if "were unschedulable" in message:
        known = True
        if (before is None or before.unschedulable) and not after.unschedulable:
            return True
    others = any(word in message for word in ("spread", "affinity rules", "ports", "volume", "claim"))
    return others or not known
