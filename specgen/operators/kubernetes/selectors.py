"""Labels against selectors: those of pods, of nodes, and of namespaces, as Kubernetes matches them.

Kubernetes 1.36, apimachinery/pkg/labels/selector.go (Requirement.Matches), component-helpers/scheduling/corev1/
nodeaffinity (node terms: an empty term matches nothing).
"""

from __future__ import annotations

from specgen.diagnostics.model import spelt
from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    # key, operator, values
    Requirement: TypeAlias = tuple[str, str, tuple[str, ...]]


def requirements(selector: Any) -> tuple[Requirement, ...] | None:
    """What a label selector asks; None: there is no selector, so that nothing matches."""
    if not isinstance(selector, dict):
        return None
    asked: list[Requirement] = [
        (str(key), "In", (spelt(value),)) for key, value in mapping(selector.get("matchLabels")).items()
    ]
    return (*asked, *expressions(selector.get("matchExpressions")))


def expressions(entries: Any) -> tuple[Requirement, ...]:
    """Expressions of a selector, or of a term of node affinity."""
    trees = [mapping(one) for one in sequence(entries)]
    return tuple(
        (str(one.get("key")), str(one.get("operator")), tuple(spelt(value) for value in sequence(one.get("values"))))
        for one in trees
    )


def meets(labels: Mapping[str, str], asked: tuple[Requirement, ...] | None) -> bool:
    """Whether labels meet all requirements; None is met by nothing."""
    return asked is not None and all(_met(labels.get(key), operator, values) for key, operator, values in asked)


def _met(value: str | None, operator: str, values: tuple[str, ...]) -> bool:
    if operator == "In":
        return value is not None and value in values
    if operator == "NotIn":
        return value is None or value not in values
    if operator == "Exists":
        return value is not None
    if operator == "DoesNotExist":
        return value is None
    if operator in ("Gt", "Lt") and value is not None and len(values) == 1:
        own, bound = _whole(value), _whole(values[0])
        return own is not None and bound is not None and (own > bound if operator == "Gt" else own < bound)
    return False


def _whole(text: str) -> int | None:
    digits = text[1:] if text[:1] in ("-", "+") else text
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < 20 else None


def node_term(term: Any, labels: Mapping[str, str], name: str | None) -> bool:
    """Whether a node meets a term of node affinity; ``name``: the node's own, None where nodes are not told apart."""
    tree = mapping(term)
    labelled, fields = expressions(tree.get("matchExpressions")), expressions(tree.get("matchFields"))
    if not labelled and not fields:
        return False
    own = {"metadata.name": name} if name is not None else {}
    return meets(labels, labelled) and meets(own, fields)
