"""Why Volcano's webhook does not store a queue, so that no job is ever in it.

Volcano 1.15, pkg/webhooks/admission/queues/validate: what a queue is sure of is at most what it deserves, and what it
may have is at most what the queues above it may. Recorded: ``queue-guarantee-without-deserved``,
``queue-child-above-parent``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.quantity import nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.world import Objects


def refusal(name: str, objects: Objects) -> str:
    """Why a queue is refused; empty: it is not, or is not among the objects."""
    spec = mapping(mapping(objects.named("Queue", name)).get("spec"))
    deserved = mapping(spec.get("deserved"))
    for resource, amount in mapping(mapping(spec.get("guarantee")).get("resource")).items():
        if (nano(amount) or 0) > (nano(deserved.get(resource, 0)) or 0):
            return "it has no `deserved` as large as its guarantee"
    seen, above = {name}, str(spec.get("parent") or "")
    while above and above not in seen:
        seen.add(above)
        other = mapping(mapping(objects.named("Queue", above)).get("spec"))
        most = mapping(other.get("capability"))
        for resource, amount in mapping(spec.get("capability")).items():
            if resource in most and (nano(amount) or 0) > (nano(most[resource]) or 0):
                return f"its capability of {amount} {resource} is above the {most[resource]} of its parent `{above}`"
        above = str(other.get("parent") or "")
    return ""
