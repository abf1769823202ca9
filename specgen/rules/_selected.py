"""Objects that select pods by their labels, beside a job, and the labels of its pods."""

from __future__ import annotations

from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.rules._context import Context

# Kind → where its selector stands.
SELECTORS = {
    "NetworkPolicy": ("spec", "podSelector"),
    "PodDisruptionBudget": ("spec", "selector"),
    "PodMonitor": ("spec", "selector"),
}


def beside(workload: Workload, context: Context, kind: str) -> list[Manifest]:
    """The objects of a kind in the job's own namespace."""
    from specgen.manifest.beside import of_kind  # few jobs have such objects

    space = workload.manifest.ref.namespace
    return [one for one in of_kind(context.companions, kind) if one.ref.namespace == space]


def pods_of(workload: Workload, context: Context) -> list[dict[str, Any]]:
    """The pods of a job, one for each set of labels but for numbers and names, which tell like ones apart."""
    if context.reader is None:
        return []
    expansion = context.resumed(workload)
    found: dict[tuple[tuple[str, str], ...], dict[str, Any]] = {}
    for pod in [] if expansion.refusals else expansion.pods:
        own = str(mapping(pod.get("metadata")).get("name"))
        alike = [
            (key, str(value)) for key, value in labels_of(pod).items() if not str(value).isdigit() and value != own
        ]
        found.setdefault(tuple(sorted(alike)), pod)
    return list(found.values())


def labels_of(pod: dict[str, Any]) -> dict[str, str]:
    """The labels of a pod."""
    found: dict[str, str] = mapping(mapping(pod.get("metadata")).get("labels"))
    return found
