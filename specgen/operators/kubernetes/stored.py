"""A pod as the API server stores it, where that is not what was sent: aliases filled in, zeros and blanks replaced.

Read from Kubernetes 1.36, pkg/apis/core/v1/{defaults,conversion}.go, and recorded. What it fills in where a manifest is
silent, such as `schedulerName`, is not shown: it says nothing about the job. Who compares two pods asks ``default``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.compared import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# Fields of a probe that count as absent when they are 0.
_PROBE = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
# What a pod has where it says nothing: field → value, of its spec, of a container, of an action of a probe or hook, and
# of a source of a volume. Pods that are said to share nothing with their host are those that say nothing of it.
_POD = {
    "dnsPolicy": "ClusterFirst",
    "enableServiceLinks": True,
    "hostIPC": False,
    "hostNetwork": False,
    "hostPID": False,
    "schedulerName": "default-scheduler",
    "terminationGracePeriodSeconds": 30,
}
_CONTAINER = {"terminationMessagePath": "/dev/termination-log", "terminationMessagePolicy": "File"}
_ACTIONS = {("httpGet", "scheme"): "HTTP", ("httpGet", "path"): "/", ("grpc", "service"): ""}
_FILES = {f"{source}.defaultMode": 0o644 for source in ("configMap", "downwardAPI", "projected", "secret")}
_SOURCES = {**_FILES, "hostPath.type": ""}
_LISTS = ("containers", "initContainers")


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


def default(spec: dict[str, Any], path: Sequence[str | int]) -> Any:
    """What a pod has at a path below its spec where it says nothing there; ``ABSENT``: nothing, or it is not known.

    spec: of the pod that says nothing. path: with items of lists by their names. The restart policy is none of these:
    operators write that of the role over it.
    """
    field, below = path[0], tuple(map(str, path[2:]))
    if len(path) == 1:
        if field == "serviceAccount":
            return spec.get("serviceAccountName", ABSENT)
        # operators that give the network of the host the names of the cluster do so where nothing is said
        held = field == "dnsPolicy" and spec.get("hostNetwork") is True
        return ABSENT if held else _POD.get(str(field), ABSENT)
    if field == "volumes":
        return _SOURCES.get(".".join(below), ABSENT)
    if field not in _LISTS or not below:
        return ABSENT
    if below == ("imagePullPolicy",):
        named = (one for one in sequence(spec.get(str(field))) if f"[{mapping(one).get('name')}]" == path[1])
        return _pulled(mapping(next(named, None)).get("image"))
    if len(below) == 1:
        return _CONTAINER.get(below[0], ABSENT)
    if below[0] in _PROBES and len(below) == 2:
        return _PROBE.get(below[1], ABSENT)
    if below[0] in _PROBES or below[:1] == ("lifecycle",):
        return _ACTIONS.get((below[-2], below[-1]), ABSENT)
    is_field = below[0] == "env" and below[2:] == ("valueFrom", "fieldRef", "apiVersion")
    return "v1" if is_field else ABSENT


def _pulled(image: Any) -> Any:
    """When an image is pulled, by its tag; where the operator names the image, nobody knows it here."""
    if not isinstance(image, str) or not image or "$" in image:
        return ABSENT
    is_fixed = "@" in image or image.rpartition("/")[2].partition(":")[2] not in ("", "latest")
    return "IfNotPresent" if is_fixed else "Always"
