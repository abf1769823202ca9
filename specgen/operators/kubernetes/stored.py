"""A pod as the API server stores it, where that is not what was sent: aliases filled in, zeros and blanks replaced.

Read from Kubernetes 1.36, pkg/apis/core/v1/{defaults,conversion}.go, and recorded. What it fills in where a manifest is
silent, such as `schedulerName`, is not shown: it says nothing about the job.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

# Fields of a probe that count as absent when they are 0.
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def stored_pod(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec of a pod as it is stored; the tree itself where that is what was sent."""
    grace = spec.get("terminationGracePeriodSeconds")
    spec = stored_template(spec)
    return {**spec, "terminationGracePeriodSeconds": 1} if isinstance(grace, int) and grace < 0 else spec


def stored_template(spec: dict[str, Any]) -> dict[str, Any]:
    """The spec in a Job's pod template as it is stored: what is corrected of pods alone stays."""
    changed: dict[str, Any] = {}
    name = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if spec.get("serviceAccount"):
        changed |= {"serviceAccountName": name, "serviceAccount": name}
    for key, corrected in (("containers", _container), ("initContainers", _container), ("volumes", _volume)):
        items = _items(spec.get(key), corrected)
        if items is not None:
            changed[key] = items
    changed = {key: value for key, value in changed.items() if spec.get(key) != value}
    return {**spec, **changed} if changed else spec


def _items(value: Any, corrected: Callable[[dict[str, Any]], dict[str, Any]]) -> list[Any] | None:
    """The items of a list as they are stored; None where that is as they were sent."""
    items = [corrected(item) if isinstance(item, dict) else item for item in sequence(value)]
    return items if any(a is not b for a, b in zip(items, sequence(value), strict=True)) else None


def _volume(volume: dict[str, Any]) -> dict[str, Any]:
    return volume if any(key != "name" for key in volume) else {**volume, "emptyDir": {}}


def _container(container: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {}
    for key in _PROBES:
        probe = mapping(container.get(key))
        zeros = {field: value for field, value in _PROBE.items() if field in probe and not probe[field]}
        if zeros:
            changed[key] = {**probe, **zeros}
    env = _items(container.get("env"), _variable)
    if env is not None:
        changed["env"] = env
    return {**container, **changed} if changed else container


def _variable(entry: dict[str, Any]) -> dict[str, Any]:
    source = entry.get("valueFrom")
    if not source:
        return entry
    reference = mapping(mapping(source).get("resourceFieldRef"))
    if not reference or "divisor" in reference:
        return entry
    return {**entry, "valueFrom": {**source, "resourceFieldRef": {**reference, "divisor": "0"}}}
