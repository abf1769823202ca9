"""JSON Schemas (draft-07) of foreign kinds: the job part of `job_kinds`, the pod part of `pod`.

One self-contained file per kind. Every reference points into its own `definitions`; an object
refuses fields that the API server does not know. Two extension keys say what draft-07 cannot:
`x-kubernetes-list-type` (`map` or `set`) and `x-kubernetes-list-map-keys`.

Null: the API server drops a null value of a mapping before it validates (Kubernetes 1.36,
apiextensions-apiserver, pkg/apiserver/schema/defaulting/prunenulls.go), so optional fields and
values of maps admit null. Items of lists and required fields do not.

Width: the API server refuses a number that does not fit `format: int32` (kube-openapi,
pkg/validation/validate/values.go). Validators ignore that format, hence `minimum` and `maximum`.

Quantities: CRDs refuse decimal numbers without quotes. Types that the API server has in its code read any number
(Kubernetes 1.36, apimachinery, pkg/api/resource/quantity.go, UnmarshalJSON).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import kubernetes

from specgen.generate.job_kinds import KINDS, POD_TYPES
from specgen.generate.pod import pod_shapes
from specgen.generate.shapes import Field, Kind, Shape, container_of
from specgen.schema.formats import PATTERNS

SOURCES = "schemas/k8s/SOURCES.toml"

# Kubernetes 1.36, apimachinery, pkg/api/resource: sign, digits, then a binary, decimal or exponent suffix.
_DIGITS = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
QUANTITY_PATTERN = rf"^(\+|-)?{_DIGITS}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_DIGITS}))?$"

_SCALARS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32", "minimum": -(2**31), "maximum": 2**31 - 1},
    "int64": {"type": "integer", "format": "int64"},
    "integer": {"type": "integer"},
    "time": {"type": "string", "format": "date-time"},
    "object": {"type": "object"},
    "intOrString": {"type": ["integer", "string"]},
    "quantity": {"type": ["integer", "string"], "pattern": QUANTITY_PATTERN},
}
_BUILT_IN = {**_SCALARS, "quantity": {"type": ["number", "string"], "pattern": QUANTITY_PATTERN}}


@cache
def generate() -> dict[str, str]:
    """Path relative to the repository root → text, for every schema and `SOURCES.toml`; tables are made of them."""
    files = {kind.path: _json(kind_schema(kind)) for kind in KINDS}
    files[SOURCES] = _sources(files)
    return files


def kind_schema(kind: Kind) -> dict[str, Any]:
    """The schema of one kind. Raises ValueError where two shapes have one name."""
    shapes = pod_shapes(POD_TYPES[kind.operator])
    for shape in kind.shapes:
        if shapes.setdefault(shape.name, shape) is not shape:
            raise ValueError(f"{kind.kind} has two shapes named {shape.name}")
    definitions = Definitions(shapes, _BUILT_IN if kind.built_in else _SCALARS)
    properties: dict[str, Any] = {
        "apiVersion": {"type": "string", "const": kind.api_version},
        "kind": {"type": "string", "const": kind.kind},
        "metadata": definitions.value("ObjectMeta", nullable=False),
        **{name: definitions.property(field) for name, field in kind.fields.items()},
    }
    if kind.has_status:
        writer = "the cluster" if kind.built_in else "the operator"
        properties["status"] = {
            "type": ["object", "null"],
            "description": f"Written by {writer}; {'kept' if kind.keeps_status else 'ignored'} at creation.",
        }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": kind.kind,
        "description": kind.description,
        "x-kubernetes-group-version-kind": [{"group": kind.group, "version": kind.version, "kind": kind.kind}],
        "type": "object",
        "properties": properties,
        "required": ["apiVersion", "kind", "metadata", *(name for name, f in kind.fields.items() if f.required)],
        "additionalProperties": False,
        "definitions": definitions.named(),
    }


class Definitions:
    """Collects the definitions that a schema refers to.

    A shape has up to two: under its own name, and as `Nullable<name>` for the places that admit null.
    """

    def __init__(self, shapes: Mapping[str, Shape], scalars: Mapping[str, dict[str, Any]]) -> None:
        self._shapes = shapes
        self._scalars = scalars
        self._named: dict[str, dict[str, Any]] = {}

    def named(self) -> dict[str, dict[str, Any]]:
        """All definitions so far, sorted by name."""
        return dict(sorted(self._named.items()))

    def value(self, type_name: str, *, nullable: bool, limits: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The schema of a value of a type in the notation of `shapes`; `limits`: keywords of its innermost scalar."""
        container, inner = container_of(type_name)
        if container == "list":
            items = self.value(inner, nullable=False, limits=limits)
            return _typed({"type": "array", "items": items}, nullable)
        if container == "map":
            values = self.value(inner, nullable=True, limits=limits)
            return _typed({"type": "object", "additionalProperties": values}, nullable)
        if inner in self._scalars:
            scalar = {**self._scalars[inner], **(limits or {})}
            if nullable and "enum" in scalar:  # `enum` speaks of every type, null included
                return {"anyOf": [scalar, {"type": "null"}]}
            return _typed(scalar, nullable)
        return {"$ref": f"#/definitions/{self._define(inner, nullable)}"}

    def _define(self, name: str, nullable: bool) -> str:
        defined = f"Nullable{name}" if nullable else name
        if defined not in self._named:
            self._named[defined] = {}  # a shape that refers to itself finds its name here
            self._named[defined] = self._object(self._shapes[name], nullable)
        return defined

    def _object(self, shape: Shape, nullable: bool) -> dict[str, Any]:
        schema: dict[str, Any] = {"description": shape.description} if shape.description else {}
        schema.update(_typed({"type": "object"}, nullable))
        schema["properties"] = {name: self.property(field) for name, field in shape.fields.items()}
        required = sorted(name for name, field in shape.fields.items() if field.required)
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False
        return schema

    def property(self, field: Field) -> dict[str, Any]:
        """The schema of a field."""
        schema = self.value(field.type, nullable=not field.required, limits=_limits(field))
        if field.known_keys:
            schema["properties"] = {
                key: _described(dict(schema["additionalProperties"]), text) for key, text in field.known_keys.items()
            }
        if field.default is not None:
            schema["default"] = field.default
        if field.list_keys:
            schema["x-kubernetes-list-type"] = "map"
            schema["x-kubernetes-list-map-keys"] = list(field.list_keys)
        if field.unique:
            schema["x-kubernetes-list-type"] = "set"
        return _described(schema, field.description)


_FORMS = {"": "text", "name": "a DNS label of at most 63 characters", "subdomain": "a DNS name"}


def _limits(field: Field) -> dict[str, Any]:
    """Keywords that a scalar gets from its field. Forms and lengths come with a title, by which messages name them."""
    limits: dict[str, Any] = {}
    if field.words:
        limits["enum"] = list(field.words)
    if field.grammar:
        limits |= {"title": _FORMS[field.grammar], "pattern": PATTERNS[field.grammar]}
    if field.length is not None:
        least, most = field.length
        limits["title"] = f"{_FORMS[field.grammar]} of {f'{least} to' if least else 'at most'} {most} characters"
        limits |= {"minLength": least} if least else {}
        limits["maxLength"] = most
    if field.minimum is not None:
        limits["minimum"] = field.minimum
    return limits


def _typed(schema: Mapping[str, Any], nullable: bool) -> dict[str, Any]:
    """A copy of `schema` whose `type` admits null if `nullable`."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return {**schema, "type": [*kinds, "null"] if nullable else schema["type"]}


def _described(schema: dict[str, Any], text: str) -> dict[str, Any]:
    # Draft-07 validators ignore what stands beside `$ref`; editors show it.
    return {"description": text, **schema} if text else schema


def _json(schema: Mapping[str, Any]) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def _sources(files: Mapping[str, str]) -> str:
    lines = [
        "# Where the schemas in this folder come from. Written by `python -m specgen.generate`.",
        "",
        "[pod]",
        f'from = "types of the kubernetes client package {kubernetes.__version__}"',
        'trimmed = "fields newer than the CRD, metadata of templates to the fields that the CRD keeps, texts left out"',
    ]
    for kind in KINDS:
        inside = {name.removeprefix("Nullable") for name in json.loads(files[kind.path])["definitions"]}
        lacking = sorted(key for key in POD_TYPES[kind.operator].left_out if key.partition(".")[0] in inside)
        digest = hashlib.sha256(files[kind.path].encode()).hexdigest()
        lines += [
            "",
            f'["{kind.path.removeprefix("schemas/k8s/")}"]',
            f'operator = "{kind.operator}"',
            f'job = "own description of {kind.key}"',
            f"left_out = {json.dumps(lacking)}",
            f'sha256 = "{digest}"',
        ]
    return "\n".join(lines) + "\n"
