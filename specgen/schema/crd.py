"""Structural schemas of CustomResourceDefinitions, in the notation that ``judge`` reads.

Kubernetes 1.36, apiextensions-apiserver, pkg/apiserver/schema: fields that a structural schema does not name are
pruned, which kubectl's strict validation refuses; nulls of fields that are not nullable are pruned before validation
(defaulting/prunenulls.go). What stands under ``anyOf``, ``oneOf``, ``allOf`` and ``not``, expressions of CEL, forms of
texts by ``format``, and keys of lists that must be unique are left out: nothing is refused for them here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Schema = dict[str, Any]

# Keywords that mean the same in draft-07.
_SAME = (
    "maximum",
    "maxItems",
    "maxLength",
    "maxProperties",
    "minimum",
    "minItems",
    "minLength",
    "minProperties",
    "multipleOf",
)
_INT32 = {"minimum": -(2**31), "maximum": 2**31 - 1}
_TYPES = ("array", "boolean", "integer", "number", "object", "string")


def kinds_of(crd: Any) -> Iterator[tuple[tuple[str, str], Schema]]:
    """((apiVersion, kind), schema in the notation of ``judge``) of each version that a CRD serves.

    A version without a schema takes any fields, as those of ``apiextensions.k8s.io/v1beta1`` may.
    """
    spec = _mapping(_mapping(crd).get("spec"))
    group, kind = spec.get("group"), _mapping(spec.get("names")).get("kind")
    if not isinstance(group, str) or not isinstance(kind, str):
        return
    versions = spec.get("versions")
    # the form before apiextensions.k8s.io/v1 has one version and one schema for all
    served = versions if isinstance(versions, list) else [{"name": spec.get("version")}]
    for version in served:
        version = _mapping(version)
        name = version.get("name")
        if not isinstance(name, str) or version.get("served") is False:
            continue
        own = _mapping(version.get("schema")) or _mapping(spec.get("validation"))
        pruned = spec.get("preserveUnknownFields") is not True and _mapping(crd).get("apiVersion") != _BEFORE
        yield (f"{group}/{name}", kind), _root(kind, _mapping(own.get("openAPIV3Schema")), pruned)


_BEFORE = "apiextensions.k8s.io/v1beta1"


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _root(kind: str, schema: Schema, pruned: bool) -> Schema:
    whole = _converted(schema, pruned)
    properties = {name: below for name, below in _mapping(whole.get("properties")).items() if name != "status"}
    word = {"type": "string"}
    return {
        "title": kind,
        "type": "object",
        "properties": {
            **properties,
            "apiVersion": word,
            "kind": word,
            "metadata": {"type": "object"},
            # dropped where it is a subresource, and its operator's business elsewhere
            "status": {},
        },
        "required": [
            "apiVersion",
            "kind",
            "metadata",
            *_names(whole.get("required"), "apiVersion", "kind", "metadata"),
        ],
        "additionalProperties": whole.get("additionalProperties", True) if schema else True,
        "definitions": {},
    }


def _names(value: Any, *apart: str) -> list[str]:
    return [name for name in value if isinstance(name, str) and name not in apart] if isinstance(value, list) else []


def _converted(schema: Any, pruned: bool, nullable: bool = False) -> Schema:
    """``nullable``: a null in its place is dropped before anybody looks at it."""
    schema = _mapping(schema)
    if schema.get("x-kubernetes-int-or-string") is True:
        types: list[str] = ["integer", "string"]
    elif schema.get("type") in _TYPES:
        types = [schema["type"]]
    else:
        return {}
    out: Schema = {key: schema[key] for key in _SAME if isinstance(schema.get(key), int | float)}
    _limit(schema, out)
    null = nullable or schema.get("nullable") is True
    if isinstance(schema.get("enum"), list):
        out |= {"enum": schema["enum"], "type": types[0]}
        # `enum` speaks of every type, null included
        return {"anyOf": [out, {"type": "null"}]} if null else out
    if types == ["object"]:
        _object(schema, out, pruned)
    elif types == ["array"]:
        out["items"] = _converted(schema.get("items"), pruned)
    out["type"] = [*types, "null"] if null else types[0] if len(types) == 1 else types
    return out


def _limit(schema: Schema, out: Schema) -> None:
    """Ranges that draft-07 spells otherwise, and forms that Python can compile: those of a CRD are RE2's."""
    import re

    if schema.get("format") == "int32":
        out |= {key: out.get(key, limit) for key, limit in _INT32.items()}
    for bound, strict in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if schema.get(strict) is True and bound in out:
            out[strict] = out.pop(bound)
    pattern = schema.get("pattern")
    if isinstance(pattern, str):
        try:
            re.compile(pattern)
        except re.error:
            return
        out["pattern"] = pattern
        out["title"] = f"text of the form `{pattern}`"


def _object(schema: Schema, out: Schema, pruned: bool) -> None:
    required = _names(schema.get("required"))
    out["properties"] = {
        name: _converted(below, pruned, nullable=name not in required)
        for name, below in _mapping(schema.get("properties")).items()
        if isinstance(name, str)
    }
    if schema.get("x-kubernetes-embedded-resource") is True:
        for name in ("apiVersion", "kind", "metadata"):
            out["properties"].setdefault(name, {})
    if required:
        out["required"] = required
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        out["additionalProperties"] = _converted(others, pruned, nullable=True)
    elif pruned and others is not True and schema.get("x-kubernetes-preserve-unknown-fields") is not True:
        out["additionalProperties"] = False
