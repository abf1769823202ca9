"""Where a pod may run: selectors, affinity, tolerations, spread, gates (Kubernetes 1.36: validateAffinity, …)."""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, is_label_value, is_qualified, is_subdomain, known
from specgen.operators.kubernetes.reason import at_least, because, missing, number, one_of, text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason
    from specgen.source import Path

_EFFECTS = ("NoExecute", "NoSchedule", "PreferNoSchedule")
_REQUIRED, _PREFERRED = (f"{word}DuringSchedulingIgnoredDuringExecution" for word in ("required", "preferred"))


def key_of_label(name: Any, path: Path) -> Iterator[Reason]:
    """The key of a label or taint."""
    if isinstance(name, str) and not is_qualified(name):
        yield because(path, f"`{shown(name)}` is no name of a label", "label-key")


def value_of_label(value: Any, path: Path) -> Iterator[Reason]:
    """The value of a label."""
    if isinstance(value, str) and not is_label_value(known(value)):
        yield because(path, f"`{shown(value)}` is no value of a label", "label-value")


def labels(tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    """Labels, or a selector that is written as them."""
    for name, value in tree.items():
        if isinstance(name, str) and not is_qualified(name):
            yield because((*path, name), f"`{shown(name)}` is no name of a label", "label-name")
        else:
            yield from value_of_label(value, (*path, name))


def tolerations(entries: list[Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a pod's tolerations."""
    for at, entry in enumerate(entries):
        tree, here = mapping(entry), (*path, at)
        key, operator, value = (text(tree, one) for one in ("key", "operator", "value"))
        if key:
            yield from key_of_label(key, (*here, "key"))
        elif key == "" and operator in ("", "Equal"):
            place = "operator" if operator else "value" if value else "key"
            yield because((*here, place), "a toleration without a `key` needs `operator: Exists`")
        if operator == "Exists" and value:
            message = f"`operator: Exists` of a toleration contradicts `value: {shown(value)}`"
            yield because((*here, "value"), message, "toleration-value", (*here, "operator"))
        elif operator in ("", "Equal") and value:
            yield from value_of_label(value, (*here, "value"))
        yield from one_of(tree, "operator", here, ("Equal", "Exists"))
        yield from one_of(tree, "effect", here, _EFFECTS)
        if tree.get("tolerationSeconds") is not None and text(tree, "effect") not in ("NoExecute", None):
            yield because((*here, "tolerationSeconds"), "`tolerationSeconds` needs `effect: NoExecute`")


def affinity(tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a pod's affinity."""
    node = mapping(tree.get("nodeAffinity"))
    here = (*path, "nodeAffinity")
    required = node.get(_REQUIRED)
    if isinstance(required, dict):
        terms = sequence(required.get("nodeSelectorTerms"))
        if not terms:
            yield missing((*here, _REQUIRED, "nodeSelectorTerms"))
        for at, term in enumerate(terms):
            yield from _node_term(mapping(term), (*here, _REQUIRED, "nodeSelectorTerms", at), exact=True)
    for at, term in enumerate(sequence(node.get(_PREFERRED))):
        yield from _weight(mapping(term), (*here, _PREFERRED, at))
        preference = mapping(mapping(term).get("preference"))
        yield from _node_term(preference, (*here, _PREFERRED, at, "preference"), exact=False)
    for kind in ("podAffinity", "podAntiAffinity"):
        pod, here = mapping(tree.get(kind)), (*path, kind)
        for at, term in enumerate(sequence(pod.get(_REQUIRED))):
            yield from _pod_term(mapping(term), (*here, _REQUIRED, at))
        for at, term in enumerate(sequence(pod.get(_PREFERRED))):
            yield from _weight(mapping(term), (*here, _PREFERRED, at))
            below = mapping(mapping(term).get("podAffinityTerm"))
            yield from _pod_term(below, (*here, _PREFERRED, at, "podAffinityTerm"))


def _weight(term: dict[str, Any], path: Path) -> Iterator[Reason]:
    yield from at_least(term, "weight", path, 1, 100)


def _node_term(term: dict[str, Any], path: Path, *, exact: bool) -> Iterator[Reason]:
    """A term about nodes; ``exact``: its values must be those of labels, as no preference's must."""
    for at, item in enumerate(sequence(term.get("matchExpressions"))):
        tree, here = mapping(item), (*path, "matchExpressions", at)
        yield from key_of_label(tree.get("key"), (*here, "key"))
        yield from _operator(tree, here, ("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
        for number_of, value in enumerate(sequence(tree.get("values")) if exact else ()):
            yield from value_of_label(value, (*here, "values", number_of))
    for at, item in enumerate(sequence(term.get("matchFields"))):
        tree, here = mapping(item), (*path, "matchFields", at)
        yield from one_of(tree, "operator", here, ("In", "NotIn"))
        if text(tree, "operator") in ("In", "NotIn") and len(sequence(tree.get("values"))) != 1:
            yield because((*here, "values"), "a field of nodes is compared with one value")
        yield from one_of(tree, "key", here, ("metadata.name",))
        for number_of, value in enumerate(sequence(tree.get("values"))):
            if isinstance(value, str) and not is_subdomain(value):
                yield because((*here, "values", number_of), f"`{shown(value)}` is no name of a node")


def _operator(tree: dict[str, Any], path: Path, words: tuple[str, ...]) -> Iterator[Reason]:
    """An operator, and whether values stand beside it."""
    word, values = text(tree, "operator"), sequence(tree.get("values"))
    if word == "":
        yield missing((*path, "operator"))
    yield from one_of(tree, "operator", path, words)
    if word in ("In", "NotIn") and not values:
        yield because((*path, "operator"), f"`{word}` needs `values`")
    elif word in ("Exists", "DoesNotExist") and values:
        yield because((*path, "values"), f"`values` contradicts `operator: {word}`", "", (*path, "operator"))
    elif word in ("Gt", "Lt") and word in words and len(values) != 1:
        yield because((*path, "operator"), f"`{word}` needs one value")


def _pod_term(term: dict[str, Any], path: Path) -> Iterator[Reason]:
    for key in ("labelSelector", "namespaceSelector"):
        if isinstance(term.get(key), dict):
            yield from _selector(term[key], (*path, key))
    for at, name in enumerate(sequence(term.get("namespaces"))):
        if isinstance(name, str) and not is_label(name):
            yield because((*path, "namespaces", at), f"`{shown(name)}` is no name of a namespace")
    topology = text(term, "topologyKey")
    if topology == "":
        yield missing((*path, "topologyKey"))
    else:
        yield from key_of_label(topology, (*path, "topologyKey"))
    match, mismatch = sequence(term.get("matchLabelKeys")), sequence(term.get("mismatchLabelKeys"))
    for field, keys in (("matchLabelKeys", match), ("mismatchLabelKeys", mismatch)):
        if keys and not isinstance(term.get("labelSelector"), dict):
            yield because((*path, field), f"`{field}` needs a `labelSelector`")
        for at, key in enumerate(keys):
            yield from key_of_label(key, (*path, field, at))
    for at, key in enumerate(match):
        if key in mismatch:
            message = f"`{shown(key)}` stands in `mismatchLabelKeys` as well"
            yield because((*path, "matchLabelKeys", at), message)


def _selector(tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    """A selector of labels (apimachinery, pkg/apis/meta/v1/validation, ValidateLabelSelector)."""
    yield from labels(mapping(tree.get("matchLabels")), (*path, "matchLabels"))
    for at, item in enumerate(sequence(tree.get("matchExpressions"))):
        one, here = mapping(item), (*path, "matchExpressions", at)
        yield from key_of_label(one.get("key"), (*here, "key"))
        yield from _operator(one, here, ("In", "NotIn", "Exists", "DoesNotExist"))
        for number_of, value in enumerate(sequence(one.get("values"))):
            yield from value_of_label(value, (*here, "values", number_of))


def spread(entries: list[Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a pod's ``topologySpreadConstraints``."""
    seen: dict[tuple[Any, Any], int] = {}
    for at, entry in enumerate(entries):
        tree, here = mapping(entry), (*path, at)
        yield from at_least(tree, "maxSkew", here, 1)
        topology, word = text(tree, "topologyKey"), text(tree, "whenUnsatisfiable")
        if topology == "":
            yield missing((*here, "topologyKey"))
        yield from one_of(tree, "whenUnsatisfiable", here, ("DoNotSchedule", "ScheduleAnyway"))
        if word == "":
            yield missing((*here, "whenUnsatisfiable"))
        if topology and word and (topology, word) in seen:
            message = f"two constraints have the key `{shown(topology)}` and `{shown(word)}`"
            yield because((*here, "topologyKey"), message, "spread-twice", (*path, seen[topology, word], "topologyKey"))
        seen.setdefault((topology, word), at)
        yield from at_least(tree, "minDomains", here, 1)
        if number(tree, "minDomains") is not None and word == "ScheduleAnyway":
            message = "`minDomains` contradicts `whenUnsatisfiable: ScheduleAnyway`"
            yield because((*here, "minDomains"), message, "", (*here, "whenUnsatisfiable"))
        for key in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            yield from one_of(tree, key, here, ("Honor", "Ignore"))
        yield from _keys(tree, here)
        if isinstance(tree.get("labelSelector"), dict):
            yield from _selector(tree["labelSelector"], (*here, "labelSelector"))


def _keys(tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    selector, keys = tree.get("labelSelector"), sequence(tree.get("matchLabelKeys"))
    if keys and not isinstance(selector, dict):
        yield because((*path, "matchLabelKeys"), "`matchLabelKeys` needs a `labelSelector`")
    expressions = sequence(mapping(selector).get("matchExpressions"))
    selected = [*mapping(mapping(selector).get("matchLabels")), *(mapping(one).get("key") for one in expressions)]
    for at, key in enumerate(keys):
        yield from key_of_label(key, (*path, "matchLabelKeys", at))
        if key in selected:
            message = f"`{shown(key)}` stands in `labelSelector` as well"
            yield because((*path, "matchLabelKeys", at), message)


def gates(entries: list[Any], key: str, path: Path) -> Iterator[Reason]:
    """What is wrong with ``schedulingGates`` and ``readinessGates``: their names, under ``key``."""
    seen: list[str] = []
    for at, entry in enumerate(entries):
        name, here = text(mapping(entry), key), (*path, at, key)
        if name is None:
            continue
        if not is_qualified(name):
            yield because(here, f"`{shown(name)}` is no name of a gate")
        elif name in seen and key == "name":
            yield because(here, f"two gates are called `{shown(name)}`", "gate-twice", (*path, seen.index(name), key))
        seen.append(name)
