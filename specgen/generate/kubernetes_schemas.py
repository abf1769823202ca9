"""JSON Schemas (draft-07) of foreign kinds: the job part of `job_kinds`, the pod part of `pod`.

One self-contained file per kind. Every reference points into its own `definitions`; an object
refuses fields that the API server does not know. Two extension keys say what draft-07 cannot:
`x-kubernetes-list-type` (`map` or `set`) and `x-kubernetes-list-map-keys`.

Null: the API server drops a null value of a mapping before it validates (Kubernetes 1.36,
apiextensions-apiserver, pkg/apiserver/schema/defaulting/prunenulls.go), so optional fields and
values of maps admit null. Items of lists and required fields do not.

Width: the API server refuses a number that does not fit `format: int32` (kube-openapi,
pkg/validation/validate/values.go). Validators ignore that format, hence `minimum` and `maximum`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import kubernetes

from specgen.generate import pod_facts
from specgen.generate.job_kinds import KINDS
from specgen.generate.pod import pod_shapes
from specgen.generate.shapes import Field, Kind, Shape, container_of

SOURCES = "schemas/k8s/SOURCES.toml"

# Kubernetes 1.36, apimachinery, pkg/api/resource: sign, digits, then a binary, decimal or exponent suffix.
_DIGITS = r"(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))"
QUANTITY_PATTERN = rf"^(\+|-)?{_DIGITS}(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?{_DIGITS}))?$"

_SCALARS: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "boolean": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32", "minimum": -(2**31), "maximum": 2**31 - 1},
    "int64": {"type": "integer", "format": "int64"},
    "time": {"type": "string", "format": "date-time"},
    "object": {"type": "object"},
    "intOrString": {"type": ["integer", "string"]},
    "quantity": {"type": ["integer", "string"], "pattern": QUANTITY_PATTERN},
}


def generate() -> dict[str, str]:
    """Path relative to the repository root → text, for every schema and `SOURCES.toml`."""
    files = {kind.path: _json(kind_schema(kind)) for kind in KINDS}
    files[SOURCES] = _sources(files)
    return files


def kind_schema(kind: Kind) -> dict[str, Any]:
    """The schema of one kind. Raises ValueError where two shapes have one name."""
    shapes = pod_shapes(pod_facts.NEWER_THAN_CRD[kind.operator])
    for shape in kind.shapes:
        if shapes.setdefault(shape.name, shape) is not shape:
            raise ValueError(f"{kind.kind} has two shapes named {shape.name}")
    definitions = Definitions(shapes)
    properties = {
        "apiVersion": {"type": "string", "const": f"{kind.group}/{kind.version}"},
        "kind": {"type": "string", "const": kind.kind},
        "metadata": definitions.value("ObjectMeta", nullable=False),
        "spec": definitions.value(kind.spec, nullable=True),
        "status": {"type": ["object", "null"], "description": "Written by the operator; ignored at creation."},
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": kind.kind,
        "description": kind.description,
        "x-kubernetes-group-version-kind": [{"group": kind.group, "version": kind.version, "kind": kind.kind}],
        "type": "object",
        "properties": properties,
        "required": ["apiVersion", "kind", "metadata"],
        "additionalProperties": False,
        "definitions": definitions.named(),
    }


class Definitions:
    """Collects the definitions that a schema refers to.

    A shape has up to two: under its own name, and as `Nullable<name>` for the places that admit null.
    """

    def __init__(self, shapes: Mapping[str, Shape]) -> None:
        self._shapes = shapes
        self._named: dict[str, dict[str, Any]] = {}

    def named(self) -> dict[str, dict[str, Any]]:
        """All definitions so far, sorted by name."""
        return dict(sorted(self._named.items()))

    def value(self, type_name: str, *, nullable: bool) -> dict[str, Any]:
        """The schema of a value of a type in the notation of `shapes`."""
        container, inner = container_of(type_name)
        if container == "list":
            return _typed({"type": "array", "items": self.value(inner, nullable=False)}, nullable)
        if container == "map":
            return _typed({"type": "object", "additionalProperties": self.value(inner, nullable=True)}, nullable)
        if inner in _SCALARS:
            return _typed(_SCALARS[inner], nullable)
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
        schema["properties"] = {name: self._property(field) for name, field in shape.fields.items()}
        required = sorted(name for name, field in shape.fields.items() if field.required)
        if required:
            schema["required"] = required
        schema["additionalProperties"] = False
        return schema

    def _property(self, field: Field) -> dict[str, Any]:
        schema = self.value(field.type, nullable=not field.required)
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
        'trimmed = "fields newer than the CRD, metadata to the five fields that the CRD keeps, texts left out"',
    ]
    for kind in KINDS:
        newer = ", ".join(f'"{key}"' for key in sorted(pod_facts.NEWER_THAN_CRD[kind.operator]))
        digest = hashlib.sha256(files[kind.path].encode()).hexdigest()
        lines += [
            "",
            f'["{kind.path.removeprefix("schemas/k8s/")}"]',
            f'operator = "{kind.operator}"',
            f'job = "own description of {kind.group}/{kind.version} {kind.kind}"',
            f"left_out = [{newer}]",
            f'sha256 = "{digest}"',
        ]
    return "\n".join(lines) + "\n"
