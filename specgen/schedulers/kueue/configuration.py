"""Kueue's own configuration, as far as it decides who begins: what its manager is started with.

Kueue 0.19, apis/config/v1beta2/configuration_types.go. It stands in a ConfigMap, which its charts and manifests call
``kueue-manager-config``, or is an object of kind Configuration by itself; where nobody shows it, it is the default one.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import meets, requirements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.selectors import Requirement
    from specgen.schedulers.world import Objects

_GROUP = "config.kueue.x-k8s.io/"
_KEY = "controller_manager_config.yaml"
# Namespaces whose jobs are left alone that do not name a queue, and whose pods are.
_SYSTEM = ("kube-system", "kueue-system")
# apis/config/v1beta2/defaults.go
_TIMEOUT = 30 * 60.0
_BACKOFF = 60.0
# Gates that decide nothing of who begins.
_SILENT_GATES = ("VisibilityOnDemand", "ObjectRetentionPolicies", "LocalQueueMetrics", "KueueMetrics")
_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


class Configuration:
    """What the configuration says. ``other``: what of it is not followed here; empty: all of it is.

    ``kinds``: those that it looks after, by framework; None: all. ``timeout``: seconds that pods have to be ready in;
    None: any. ``retries``: how often a job comes again after that; None: always. ``ignores``: what a queue has no quota
    of is not counted.
    """

    __slots__ = (
        "backoff",
        "blocks",
        "excluded",
        "ignores",
        "kinds",
        "namespaces",
        "other",
        "retries",
        "timeout",
        "transformed",
        "unnamed",
    )

    def __init__(self, tree: dict[str, Any]) -> None:
        resources = mapping(tree.get("resources"))
        self.excluded = [str(one) for one in sequence(resources.get("excludeResourcePrefixes"))]
        self.ignores = resources.get("quotaCheckStrategy") == "IgnoreUndeclared"
        self.unnamed = tree.get("manageJobsWithoutQueueName") is True
        self.namespaces: tuple[Requirement, ...] | None = None
        if tree.get("managedJobsNamespaceSelector") is not None:
            self.namespaces = requirements(tree["managedJobsNamespaceSelector"])
        frameworks = sequence(mapping(tree.get("integrations")).get("frameworks"))
        self.kinds = {str(one) for one in frameworks} if frameworks else None
        ready = mapping(tree.get("waitForPodsReady"))
        off = ready.get("enable") is False
        again = mapping(ready.get("requeuingStrategy"))
        limit, base = again.get("backoffLimitCount"), again.get("backoffBaseSeconds")
        self.blocks = not off and ready.get("blockAdmission") is True
        self.timeout = None if off else _seconds(ready.get("timeout"), _TIMEOUT)
        self.retries = limit if isinstance(limit, int) else None
        self.backoff = float(base) if isinstance(base, int) else _BACKOFF
        self.transformed = [mapping(one) for one in sequence(resources.get("transformations"))]
        self.other = _unfollowed(tree)

    def knows(self, tree: dict[str, Any]) -> bool:
        """Whether Kueue looks after objects of this kind."""
        if self.kinds is None:
            return True
        group = str(tree.get("apiVersion")).rpartition("/")[0]
        kind = str(tree.get("kind")).lower()
        return (f"{group}/{kind}" if group else kind) in self.kinds

    def reaches(self, namespace: str, labels: dict[str, str]) -> bool:
        """Whether jobs of a namespace are looked after that name no queue, and pods by themselves."""
        if self.namespaces is None:
            return namespace not in _SYSTEM
        return meets(labels, self.namespaces)

    def counted(self, asks: dict[str, int]) -> dict[str, int]:
        """What is counted of a pod that asks for these amounts (pkg/workload/resources.go, transformations)."""
        if not self.transformed and not self.excluded:
            return asks
        made: dict[str, int] = {}
        for name, amount in asks.items():
            if any(name.startswith(prefix) for prefix in self.excluded):
                continue
            own = next((one for one in self.transformed if one.get("input") == name), None)
            if own is None or own.get("strategy", "Retain") == "Retain":
                made[name] = made.get(name, 0) + amount
            if own is not None:
                for output, each in _outputs(own, amount, asks):
                    made[output] = made.get(output, 0) + each
        return made


def _outputs(own: dict[str, Any], amount: int, asks: dict[str, int]) -> Iterator[tuple[str, int]]:
    from specgen.quantity import NANO, nano

    # a resource by which all is multiplied: none of it is once
    factor = asks.get(str(own.get("multiplyBy") or ""), 0) // NANO or 1
    for name, each in mapping(own.get("outputs")).items():
        # a quantity times the whole units of the other
        yield str(name), (nano(each) or 0) * -(-amount // NANO) * factor


def _unfollowed(tree: dict[str, Any]) -> str:
    """The first word by which it decides otherwise than is followed here."""
    sharing = tree.get("fairSharing")
    # v1beta1 has a word for it, in v1beta2 it is on where it is said
    if isinstance(sharing, dict) and sharing.get("enable", not str(tree.get("apiVersion")).endswith("/v1beta1")):
        return "fairSharing"
    if tree.get("admissionFairSharing"):
        return "admissionFairSharing"
    if mapping(tree.get("resources")).get("deviceClassMappings"):
        return "deviceClassMappings"
    gates = [str(name) for name in mapping(tree.get("featureGates")) if name not in _SILENT_GATES]
    return f"featureGates: {gates[0]}" if gates else ""


def _seconds(value: Any, default: float) -> float:
    """A duration as Go writes it."""
    import re

    parts = re.findall(r"(\d+(?:\.\d+)?)(ms|h|m|s)", value) if isinstance(value, str) else []
    return sum(float(number) * _UNITS[unit] for number, unit in parts) if parts else default


def configuration_of(objects: Objects) -> Configuration:
    """The configuration that is among the objects, else the default one."""
    for tree in objects.of("Configuration"):
        if str(tree.get("apiVersion")).startswith(_GROUP):
            return Configuration(tree)
    for tree in objects.of("ConfigMap"):
        text = mapping(tree.get("data")).get(_KEY)
        if isinstance(text, str):
            found = _read(text)
            if found is not None:
                return found
    return Configuration({})


def _read(text: str) -> Configuration | None:
    """The configuration in a text; None: there is none, or not of Kueue."""
    from specgen.document.read import read
    from specgen.source import Source

    documents, _ = read(Source(_KEY, text))
    tree = documents[0].data if documents else None
    if not isinstance(tree, dict) or not str(tree.get("apiVersion", _GROUP)).startswith(_GROUP):
        return None
    return Configuration(tree)
