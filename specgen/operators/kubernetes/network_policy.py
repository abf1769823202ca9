"""NetworkPolicies: which pods one isolates, and which connections it lets through.

Policies of a namespace add up: a pod that one of them isolates in a direction is reached, or reaches, by what any of
them lets through. Read from Kubernetes 1.36, "Network Policies", and its API (networking.k8s.io/v1).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import meets, requirements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

INGRESS, EGRESS = "Ingress", "Egress"
# Field of a direction → that of the peers in its rules.
FIELDS = {INGRESS: ("ingress", "from"), EGRESS: ("egress", "to")}
DNS = 53
# Ports that Linux gives to who asks for any (`ip_local_port_range`).
EPHEMERAL = (32768, 60999)


def isolates(policy: dict[str, Any], direction: str, labels: Mapping[str, str]) -> bool:
    """Whether a policy isolates pods of its namespace with these labels in a direction."""
    spec = mapping(policy.get("spec"))
    said = sequence(spec.get("policyTypes")) or [INGRESS, *([EGRESS] if spec.get("egress") else [])]
    return direction in said and meets(labels, requirements(mapping(spec.get("podSelector"))))


def rules(policy: dict[str, Any], direction: str) -> list[dict[str, Any]]:
    """The rules of a direction, in their order."""
    return [mapping(one) for one in sequence(mapping(policy.get("spec")).get(FIELDS[direction][0]))]


def is_met(rule: dict[str, Any], direction: str, labels: Mapping[str, str]) -> bool:
    """Whether a rule may be about pods of the policy's own namespace with these labels: its addresses may be theirs."""
    peers = [mapping(one) for one in sequence(rule.get(FIELDS[direction][1]))]
    return not peers or any(
        [
            "ipBlock" in one or "podSelector" not in one or meets(labels, requirements(mapping(one["podSelector"])))
            for one in peers
        ]
    )


def is_elsewhere(rule: dict[str, Any], direction: str) -> bool:
    """Whether a rule may be about pods of other namespaces, or about addresses."""
    peers = [mapping(one) for one in sequence(rule.get(FIELDS[direction][1]))]
    return not peers or any(["ipBlock" in one or "namespaceSelector" in one for one in peers])


def has_port(rule: dict[str, Any], first: int, last: int, protocol: str) -> bool:
    """Whether a rule lets all ports from one to another through; a name may be any of them."""
    ports = [mapping(one) for one in sequence(rule.get("ports"))]
    for one in ports:
        start = one.get("port")
        if one.get("protocol", "TCP") != protocol:
            continue
        if start is None or (isinstance(start, str) and first == last):
            return True
        end = one.get("endPort", start)
        if isinstance(start, int) and isinstance(end, int) and start <= first and end >= last:
            return True
    return not ports
