"""How long a pod stays on a node that does not answer: what it tolerates itself, and what the API server adds.

Kubernetes 1.36: plugin/pkg/admission/defaulttolerationseconds (what is added), pkg/controller/tainteviction
(``getMinTolerationTime``: the least of the seconds that are said).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import tolerates

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

UNREACHABLE = "node.kubernetes.io/unreachable"
# The taints of nodes that fail.
FAILING = ("node.kubernetes.io/not-ready", UNREACHABLE)
# Seconds for which pods bear them that say nothing themselves (its flags `--default-…-toleration-seconds`).
USUAL = 300
_EVICTS = "NoExecute"


def with_usual(tolerations: Any) -> list[Any]:
    """Tolerations as they are stored: with those of nodes that fail, where the pod has none of the taint."""
    found = list(sequence(tolerations))
    own = [mapping(one) for one in found]
    for key in FAILING:
        if not any(one.get("key") in (None, "", key) and one.get("effect") in (None, "", _EVICTS) for one in own):
            found.append({"key": key, "operator": "Exists", "effect": _EVICTS, "tolerationSeconds": USUAL})
    return found


def lost_after(pod: dict[str, Any]) -> int | None:
    """Seconds after which a pod is marked for deletion once its node does not answer; None: never."""
    bearing = [one for one in with_usual(pod.get("tolerations")) if tolerates([one], UNREACHABLE, "", _EVICTS)]
    if not bearing:
        return 0
    seconds = [one["tolerationSeconds"] for one in bearing if isinstance(one.get("tolerationSeconds"), int)]
    return max(0, min(seconds)) if seconds else None
