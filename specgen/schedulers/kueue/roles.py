"""What plain pods of a group are told apart by: the hash by which Kueue names a pod set of them.

Kueue 0.19, pkg/util/pod/pod.go (GenerateRoleHash, SpecShape): the first eight digits of the SHA-256 of what decides
about a place, as Go writes it as JSON: fields of a struct in the order of their declaration (k8s.io/api/core/v1).
Recorded in worlds ``kind-podgroup*``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SEEN = (
    "initContainers",
    "containers",
    "nodeSelector",
    "affinity",
    "tolerations",
    "runtimeClassName",
    "priority",
    "topologySpreadConstraints",
    "overhead",
    "resourceClaims",
)
# Fields in the order in which Go's structs have them, of all structs below the words above.
_ORDER = (
    *("name", "hostPort", "containerPort", "protocol", "hostIP"),
    *("key", "operator", "value", "values", "effect", "tolerationSeconds"),
    *("nodeAffinity", "podAffinity", "podAntiAffinity"),
    *("requiredDuringSchedulingIgnoredDuringExecution", "preferredDuringSchedulingIgnoredDuringExecution"),
    *("nodeSelectorTerms", "weight", "preference", "podAffinityTerm", "matchLabels", "matchExpressions", "matchFields"),
    *("labelSelector", "namespaces", "topologyKey", "namespaceSelector", "mismatchLabelKeys"),
    *("resourceClaimName", "resourceClaimTemplateName"),
)
_SPREAD = (
    *("maxSkew", "topologyKey", "whenUnsatisfiable", "labelSelector", "minDomains", "nodeAffinityPolicy"),
    *("nodeTaintsPolicy", "matchLabelKeys"),
)
# What the API server adds to every pod (plugin/pkg/admission/defaulttolerationseconds).
_TOLERATIONS = [
    {"key": f"node.kubernetes.io/{why}", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300}
    for why in ("not-ready", "unreachable")
]


def role_of(spec: dict[str, Any]) -> str:
    """The name of the pod set of a pod, by its spec as the API server stores it."""
    from hashlib import sha256
    from json import dumps

    shape: dict[str, Any] = dict.fromkeys(sorted(_SEEN))
    for word in ("initContainers", "containers"):
        shape[word] = [_container(mapping(one)) for one in sequence(spec.get(word))] or None
    for word in ("nodeSelector", "affinity", "runtimeClassName", "resourceClaims"):
        shape[word] = _ordered(spec[word]) if spec.get(word) else None
    shape["nodeSelector"] = dict(sorted(mapping(spec.get("nodeSelector")).items())) or None
    shape["overhead"] = _amounts(spec.get("overhead"))
    shape["priority"] = spec.get("priority", 0)
    shape["tolerations"] = [_ordered(one) for one in _tolerations(spec)]
    spread = [mapping(one) for one in sequence(spec.get("topologySpreadConstraints"))]
    shape["topologySpreadConstraints"] = [
        {word: _ordered(one[word]) for word in _SPREAD if word in one} for one in spread
    ] or None
    text = dumps({"spec": shape}, separators=(",", ":"), ensure_ascii=False, default=str)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]


def _tolerations(spec: dict[str, Any]) -> list[dict[str, Any]]:
    own = [mapping(one) for one in sequence(spec.get("tolerations"))]
    for added in _TOLERATIONS:
        if not any(
            one.get("key") in (None, "", added["key"]) and one.get("effect") in (None, "", added["effect"])
            for one in own
        ):
            own = [*own, added]
    return own


def _container(tree: dict[str, Any]) -> dict[str, Any]:
    ports = [{"protocol": "TCP", **mapping(one)} for one in sequence(tree.get("ports"))]
    return {
        "ports": [_ordered(one) for one in ports] or None,
        "resources": {"requests": _amounts(mapping(tree.get("resources")).get("requests"))},
    }


def _amounts(tree: Any) -> dict[str, str] | None:
    """Amounts as the API server writes them."""
    found = {str(name): str(amount) for name, amount in sorted(mapping(tree).items(), key=lambda one: str(one[0]))}
    return {name: canonical(nano(amount) or 0, amount) for name, amount in found.items()} or None


def _ordered(tree: Any) -> Any:
    if isinstance(tree, dict):
        known = {key: at for at, key in enumerate(_ORDER)}
        keys = sorted(map(str, tree), key=lambda key: (known.get(key, len(known)), key))
        return {key: _ordered(tree[key]) for key in keys if key in tree}
    return [_ordered(one) for one in tree] if isinstance(tree, list) else tree
