"""LimitRange: amounts that it gives containers which name none, and pods that it refuses.

Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go, pkg/apis/core/v1/defaults.go (LimitRangeItem).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.world import Objects


class Denied(Exception):
    """A pod, or another object, that is not let in. The text says why."""


def with_limits(spec: dict[str, Any], namespace: str, objects: Objects) -> dict[str, Any]:
    """A pod's spec with the defaults of the namespace's LimitRanges. Raises Denied where one refuses it."""
    items = [
        mapping(item)
        for tree in objects.of("LimitRange", namespace)
        for item in sequence(mapping(tree.get("spec")).get("limits"))
    ]
    if not items:
        return spec
    spec = dict(spec)
    for item in items:
        if item.get("type") == "Container":
            limits, requests = _defaults(item)
            for word in ("containers", "initContainers"):
                if spec.get(word):
                    spec[word] = [_filled(mapping(one), limits, requests) for one in sequence(spec[word])]
    for item in items:
        if item.get("type") == "Container":
            for one in (*sequence(spec.get("containers")), *sequence(spec.get("initContainers"))):
                own = mapping(mapping(one).get("resources"))
                _judge(item, "Container", _amounts(own.get("requests")), _amounts(own.get("limits")))
        elif item.get("type") == "Pod":
            _judge(item, "Pod", _sum(spec, "requests"), _sum(spec, "limits"))
    return spec


def _defaults(item: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """(default limits, default requests) as the server completes them."""
    limits = {**mapping(item.get("max")), **mapping(item.get("default"))}
    requests = {**mapping(item.get("min")), **limits, **mapping(item.get("defaultRequest"))}
    return limits, requests


def _filled(container: dict[str, Any], limits: dict[str, Any], requests: dict[str, Any]) -> dict[str, Any]:
    own = mapping(container.get("resources"))
    made = {
        **own,
        "limits": {**limits, **mapping(own.get("limits"))},
        "requests": {**requests, **mapping(own.get("requests"))},
    }
    return {**container, "resources": made}


def _amounts(tree: Any) -> dict[str, int]:
    return {str(name): nano(amount) or 0 for name, amount in mapping(tree).items()}


def _sum(spec: dict[str, Any], word: str) -> dict[str, int]:
    """Amounts of a pod: of its containers and sidecars together, or of the largest init container."""
    total: dict[str, int] = {}
    most: dict[str, int] = {}
    for one in sequence(spec.get("containers")):
        for name, amount in _amounts(mapping(mapping(one).get("resources")).get(word)).items():
            total[name] = total.get(name, 0) + amount
    for one in sequence(spec.get("initContainers")):
        for name, amount in _amounts(mapping(mapping(one).get("resources")).get(word)).items():
            if mapping(one).get("restartPolicy") == "Always":
                total[name] = total.get(name, 0) + amount
            most[name] = max(most.get(name, 0), amount)
    return {name: max(total.get(name, 0), most.get(name, 0)) for name in (*total, *most)}


def _judge(item: dict[str, Any], of: str, requests: dict[str, int], limits: dict[str, int]) -> None:
    for name, least in _amounts(item.get("min")).items():
        text = f"minimum {name} usage per {of} is {canonical(least)}"
        if name not in requests:
            raise Denied(f"{text}.  No request is specified")
        if requests[name] < least:
            raise Denied(f"{text}, but request is {canonical(requests[name])}")
        if name in limits and limits[name] < least:
            raise Denied(f"{text}, but limit is {canonical(limits[name])}")
    for name, most in _amounts(item.get("max")).items():
        text = f"maximum {name} usage per {of} is {canonical(most)}"
        if name not in limits:
            raise Denied(f"{text}.  No limit is specified")
        if limits[name] > most:
            raise Denied(f"{text}, but limit is {canonical(limits[name])}")
        if requests.get(name, 0) > most:
            raise Denied(f"{text}, but request is {canonical(requests[name])}")
    for name, ratio in _amounts(item.get("maxLimitRequestRatio")).items():
        text = f"{name} max limit to request ratio per {of} is {canonical(ratio)}"
        if not requests.get(name):
            raise Denied(f"{text}, but no request is specified or request is 0")
        if not limits.get(name):
            raise Denied(f"{text}, but no limit is specified or limit is 0")
        if limits[name] * 10**9 > ratio * requests[name]:
            raise Denied(f"{text}, but provided ratio is {limits[name] / requests[name]:.6f}")
