"""Names of nodes that an object asks for; all other nodes of a group need not be told apart."""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def mentioned(tree: dict[str, Any]) -> set[str]:
    """The values that a pod, a volume or a slice may have a node's name by."""
    spec = mapping(tree.get("spec"))
    found = {str(value) for key, value in mapping(spec.get("nodeSelector")).items() if key == HOSTNAME}
    if spec.get("nodeName"):
        found.add(str(spec["nodeName"]))
    affinity = mapping(mapping(spec.get("affinity")).get("nodeAffinity"))
    required = mapping(affinity.get("requiredDuringSchedulingIgnoredDuringExecution"))
    terms = [*sequence(required.get("nodeSelectorTerms"))]
    terms += [
        mapping(one).get("preference")
        for one in sequence(affinity.get("preferredDuringSchedulingIgnoredDuringExecution"))
    ]
    terms += sequence(mapping(mapping(spec.get("nodeAffinity")).get("required")).get("nodeSelectorTerms"))
    terms += sequence(mapping(spec.get("nodeSelector")).get("nodeSelectorTerms"))
    for term in terms:
        for word in ("matchExpressions", "matchFields"):
            for one in (mapping(entry) for entry in sequence(mapping(term).get(word))):
                if one.get("key") in (HOSTNAME, "metadata.name"):
                    found |= {str(value) for value in sequence(one.get("values"))}
    return found
