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


class Unnamed(Denied):
    """A pod that a quota does not let in, as containers do not say what it counts.

    ``missing``: name in the quota → the containers.
    """

    def __init__(self, text: str, missing: dict[str, list[str]]) -> None:
        super().__init__(text)
        self.missing = missing


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


class _Amount:
    """An amount, which keeps the kind of spelling that it was written in, as a Quantity does."""

    __slots__ = ("spelling", "value")

    def __init__(self, value: int, spelling: Any) -> None:
        self.value = value
        self.spelling = spelling

    def __str__(self) -> str:
        return canonical(self.value, self.spelling)

    def __add__(self, other: _Amount) -> _Amount:
        return _Amount(self.value + other.value, self.spelling if self.value else other.spelling)


_NONE = _Amount(0, "")


def _amounts(tree: Any) -> dict[str, _Amount]:
    return {str(name): _Amount(nano(amount) or 0, amount) for name, amount in mapping(tree).items()}


def _sum(spec: dict[str, Any], word: str) -> dict[str, _Amount]:
    """Amounts of a pod: of its containers and sidecars together, or of the largest init container."""
    total: dict[str, _Amount] = {}
    most: dict[str, _Amount] = {}
    for one in sequence(spec.get("containers")):
        for name, amount in _amounts(mapping(mapping(one).get("resources")).get(word)).items():
            total[name] = total.get(name, _NONE) + amount
    for one in sequence(spec.get("initContainers")):
        for name, amount in _amounts(mapping(mapping(one).get("resources")).get(word)).items():
            if mapping(one).get("restartPolicy") == "Always":
                total[name] = total.get(name, _NONE) + amount
            if name not in most or amount.value > most[name].value:
                most[name] = amount
    return {
        name: max(total.get(name, _NONE), most.get(name, _NONE), key=lambda amount: amount.value)
        for name in (*total, *most)
    }


def _judge(item: dict[str, Any], of: str, requests: dict[str, _Amount], limits: dict[str, _Amount]) -> None:
    for name, least in _amounts(item.get("min")).items():
        text = f"minimum {name} usage per {of} is {least}"
        if name not in requests:
            raise Denied(f"{text}.  No request is specified")
        if requests[name].value < least.value:
            raise Denied(f"{text}, but request is {requests[name]}")
        if name in limits and limits[name].value < least.value:
            raise Denied(f"{text}, but limit is {limits[name]}")
    for name, most in _amounts(item.get("max")).items():
        text = f"maximum {name} usage per {of} is {most}"
        if name not in limits:
            raise Denied(f"{text}.  No limit is specified")
        if limits[name].value > most.value:
            raise Denied(f"{text}, but limit is {limits[name]}")
        if requests.get(name, _NONE).value > most.value:
            raise Denied(f"{text}, but request is {requests[name]}")
    for name, ratio in _amounts(item.get("maxLimitRequestRatio")).items():
        text = f"{name} max limit to request ratio per {of} is {ratio}"
        request, limit = requests.get(name, _NONE).value, limits.get(name, _NONE).value
        if not request:
            raise Denied(f"{text}, but no request is specified or request is 0")
        if not limit:
            raise Denied(f"{text}, but no limit is specified or limit is 0")
        if limit * 10**9 > ratio.value * request:
            raise Denied(f"{text}, but provided ratio is {limit / request:.6f}")
