"""Compiles JSON Schemas into the modules of `specgen.tables`; their notation stands in that package's docstring.

Draft-07 as our own schemas use it: alternatives in `anyOf` differ by JSON type, references point into `definitions`.
A keyword that is not known here is an error, since an acceptor that overlooked it would accept too much.
"""

from __future__ import annotations

import json
from typing import Any

from specgen.generate import kubernetes_schemas, profile_schemas, sharing
from specgen.generate.records import quoted, records_text, words_text
from specgen.profile.cluster import ClusterProfile
from specgen.profile.job import BaseProfile, JobProfile
from specgen.schema import formats
from specgen.schema.checks import QUANTITY_PATTERN

Schema = dict[str, Any]

_TYPES = {
    "string": "str",
    "integer": "int",
    "boolean": "bool",
    "null": "NoneType",
    "array": "list",
    "object": "dict",
}
_ANNOTATIONS = {
    "title",
    "description",
    "default",
    "examples",
    "format",
    "enumDescriptions",
    "x-specgen-required",
    "x-specgen-variables",
    "x-specgen-words",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-group-version-kind",
}
_KNOWN = {
    "string": {"pattern", "enum", "const", "minLength", "maxLength"},
    "integer": {"minimum", "maximum"},
    "number": {"minimum", "maximum"},
    "boolean": set(),
    "null": set(),
    "array": {"items"},
    "object": {"properties", "required", "additionalProperties", "propertyNames"},
}
_FORMATS = {pattern: check for check, pattern in formats.PATTERNS.items()}


def generate() -> dict[str, str]:
    """Path relative to the repository root → text, for every module."""
    profiles = profile_schemas.schemas()
    files = {
        "specgen/tables/job.py": module(
            profiles[profile_schemas.JOB],
            profile_schemas.JOB,
            f"{records_text((JobProfile, BaseProfile))}{words_text()}",
        ),
        "specgen/tables/cluster.py": module(
            profiles[profile_schemas.CLUSTER], profile_schemas.CLUSTER, records_text((ClusterProfile,))
        ),
    }
    foreign = {path: json.loads(text) for path, text in kubernetes_schemas.generate().items() if path.endswith(".json")}
    for name, text in sharing.compile_all(foreign, _ANNOTATIONS, _kind_module).items():
        files[f"specgen/tables/{name}.py"] = text
    return files


def _kind_module(schema: Schema, path: str, known: dict[str, str], shared: bool) -> str:
    """The module of a foreign kind, or one that several of them share; `known`: definition → module that has it."""
    table = _Table(schema["definitions"], known, "" if shared else "_")
    if shared:
        names = sorted(schema["definitions"].keys() - known.keys())
        shapes = {name.removeprefix("Nullable"): table.shape(name) for name in names}
        twins = "".join(f"{name} = {shape}\n" for name, shape in shapes.items() if name != shape)
        return _text(table, path, "".join(table.text) + twins)
    top = {key: value for key, value in schema.items() if key not in ("$schema", "definitions")}
    root = f"ROOT: dict[Any, Any] = {table.node(top)}\n"
    return _text(table, path, "".join(table.text) + root)


def module(schema: Schema, path: str, records: str = "") -> str:
    """The text of the module for one schema. Raises ValueError on what cannot be compiled exactly."""
    table = _Table(schema.get("definitions", {}))
    for name in table.definitions:
        table.shape(name)
    nodes = {name: table.node({"$ref": f"#/definitions/{name}"}) for name in table.definitions}
    named = [f"    {quoted(name)}: {node},\n" for name, node in nodes.items()]
    definitions = "DEFINITIONS: dict[str, dict[Any, Any]] = {\n" + "".join(named) + "}\n"
    if records:
        table.imports["specgen.schema.record"] = {"EMPTY"}
        merged = [(name, one.get("x-specgen-required")) for name, one in schema["definitions"].items()]
        required = "".join(f"    {quoted(name)}: ({quoted(*keys)},),\n" for name, keys in merged if keys)
        records = f"# What a mapping must say once all layers are merged.\nREQUIRED = {{\n{required}}}\n{records}"
    return _text(table, path, "".join(table.text) + definitions + (f"\n{records}" if records else ""))


def _text(table: _Table, path: str, body: str) -> str:
    lines = [f"from {source} import {', '.join(sorted(names))}\n" for source, names in sorted(table.imports.items())]
    typing = "TYPE_CHECKING = False\nif TYPE_CHECKING:\n    from typing import Any\n"
    head = f'"""Written by `python -m specgen.generate` from `{path}`; see the package."""\n'
    return f"{head}\nfrom __future__ import annotations\n\n{''.join(lines)}\n{typing}\n{body}"


class _Table:
    def __init__(self, definitions: dict[str, Schema], known: dict[str, str] | None = None, prefix: str = "_") -> None:
        self.definitions = definitions
        self._known = known or {}
        self._prefix = prefix
        self.text: list[str] = []
        self.imports: dict[str, set[str]] = {}
        self._shapes: dict[str, str] = {}
        self._open: dict[str, bool] = {}
        self._by_text: dict[str, str] = {}

    def node(self, schema: Schema) -> str:
        """The expression of a node."""
        parts = dict(self._entries(schema))
        return "{" + ", ".join(f"{kind}: {check}" for kind, check in parts.items()) + "}"

    def shape(self, definition: str) -> str:
        """The name of the shape of a definition, which is written before its first use."""
        if definition in self._shapes:
            return self._shapes[definition]
        name = f"{self._prefix}{definition.removeprefix('Nullable')}"
        if definition in self._known:
            self._import(f"specgen.tables.{self._known[definition]}", name := definition.removeprefix("Nullable"))
            return name
        if definition in self._open:
            self._open[definition] = True  # it contains itself: its users need it before it is complete
            return name
        self._open[definition] = False
        text = self._shape(self.definitions[definition])
        if self._open.pop(definition):
            self.text.insert(0, f"{name}: Any = []\n")
            self.text.append(f"{name}[:] = {text}\n")
        elif text in self._by_text:
            name = self._by_text[text]  # the same with and without null
        else:
            self.text.append(f"{name}: Any = {text}\n")
            self._by_text[text] = name
        self._shapes[definition] = name
        return name

    def _entries(self, schema: Schema) -> list[tuple[str, str]]:
        if "$ref" in schema:
            name = schema["$ref"].removeprefix("#/definitions/")
            target = self.definitions[name]
            shape = self.shape(name)
            kinds = target["type"] if isinstance(target["type"], list) else [target["type"]]
            return [("dict", shape) if kind == "object" else (_TYPES[kind], "True") for kind in kinds]
        if "anyOf" in schema:
            self._refuse_unknown(schema, {"anyOf"})
            entries = [entry for option in schema["anyOf"] for entry in self._entries(option)]
            if len(dict(entries)) != len(entries):
                raise ValueError(f"two alternatives of one type: {schema}")
            return entries
        if "type" not in schema:
            self._refuse_unknown(schema, set())
            return list(self._any())
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        self._refuse_unknown(schema, {"type"}.union(*(_KNOWN[kind] for kind in kinds)))
        if len(kinds) > 1 and {"enum", "const"} & schema.keys():
            raise ValueError(f"words that stand beside several types: {schema}")
        return [entry for kind in kinds for entry in self._typed(kind, schema)]

    def _any(self) -> list[tuple[str, str]]:
        self._import("specgen.schema.checks", "ANYTHING", "NoneType")
        kinds = ("str", "int", "float", "bool", "NoneType", "list")
        return [*((kind, "True") for kind in kinds), ("dict", "ANYTHING")]

    def _typed(self, kind: str, schema: Schema) -> list[tuple[str, str]]:
        if kind == "null":
            self._import("specgen.schema.checks", "NoneType")
        if kind == "number":
            return [("int", _at_least("int", schema)), ("float", _at_least("float", schema))]
        if kind == "integer":
            return [("int", _at_least("int", schema))]
        if kind == "string":
            return [("str", self._string(schema))]
        if kind == "array":
            return [("list", self.node(schema.get("items", {})))]
        if kind == "object":
            return [("dict", self._anonymous(schema))]
        return [(_TYPES[kind], "True")]

    def _string(self, schema: Schema) -> str:
        words = [schema["const"]] if "const" in schema else schema.get("enum")
        if words is not None:
            if "pattern" in schema:
                raise ValueError(f"words and a pattern: {schema}")
            return f"frozenset(({quoted(*words)},)).__contains__"
        pattern = schema.get("pattern")
        if "maxLength" in schema or "minLength" in schema:
            return self._length(schema)
        if pattern is None:
            return "True"
        if pattern == QUANTITY_PATTERN:
            self._import("specgen.schema.checks", "quantity")
            return "quantity"
        if pattern in _FORMATS:
            return self._format(pattern)
        head, _, grammar = pattern.partition("$|")
        if head.startswith("^(") and head.endswith(")") and grammar in _FORMATS:
            self._import("specgen.schema.checks", "OrWord")
            words = head[2:-1].split("|")
            return f"OrWord({self._format(grammar)}, {quoted(*words)})"
        raise ValueError(f"no check for the pattern {pattern}")

    def _length(self, schema: Schema) -> str:
        if "maxLength" not in schema:
            raise ValueError(f"bounds that have no check: {schema}")
        least, most = schema.get("minLength", 0), schema["maxLength"]
        lengths = f"{least} <= len(text) <= {most}" if least else f"len(text) <= {most}"
        form = f" and {self._format(schema['pattern'])}(text)" if "pattern" in schema else ""
        return f"lambda text: {lengths}{form}"

    def _format(self, pattern: str) -> str:
        check = formats.CHECKS[_FORMATS[pattern]].__name__
        self._import("specgen.schema.formats", check)
        return check

    def _anonymous(self, schema: Schema) -> str:
        return " ".join(self._shape(schema).split()).replace("( ", "(").replace(", )", ")")

    def _shape(self, schema: Schema) -> str:
        self._refuse_unknown(schema, {"type", *_KNOWN["object"]})
        variables = "x-specgen-variables" in schema
        names = schema.get("propertyNames")
        properties = {} if variables else schema.get("properties", {})
        extra = schema.get("additionalProperties", True)
        if extra is True and not properties and not schema.get("required") and names is None:
            self._import("specgen.schema.checks", "ANYTHING")
            return "ANYTHING"
        others = "None" if extra is False else self.node({} if extra is True else extra)
        if names is not None and (properties or self._string(names) == "True"):
            raise ValueError(f"names are checked where there are properties: {schema}")
        check = "None" if names is None else self._string(names)
        entries = "".join(f"        {quoted(key)}: {self.node(below)},\n" for key, below in properties.items())
        inside = "{\n" + entries + "    }" if entries else "{}"
        required = f"({quoted(*schema['required'])},)" if schema.get("required") else "()"
        parts = (inside, required, others, check)
        return "(\n" + "".join(f"    {part},\n" for part in parts) + ")"

    def _import(self, source: str, *names: str) -> None:
        self.imports.setdefault(source, set()).update(names)

    def _refuse_unknown(self, schema: Schema, known: set[str]) -> None:
        unknown = sorted(schema.keys() - known - _ANNOTATIONS)
        if unknown:
            raise ValueError(f"the tables do not know {', '.join(unknown)}: {schema}")


def _at_least(kind: str, schema: Schema) -> str:
    """A check of a number's bounds that runs in C."""
    least, most = schema.get("minimum"), schema.get("maximum")
    if least is None and most is None:
        return "True"
    if least is None:
        raise ValueError(f"bounds that have no check: {schema}")
    if most is None:
        return f"({least}.0).__le__" if kind == "float" else f"({least}).__le__"
    return (
        f"range({least}, {most + 1}).__contains__" if kind == "int" else f"lambda number: {least} <= number <= {most}"
    )
