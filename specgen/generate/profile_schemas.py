"""JSON Schemas (draft-07) of the profile's language, made from the pydantic models in `specgen.profile`.

Their notation is narrow on purpose, so that a message can always name what is wrong: alternatives of a value stand in
`anyOf` and differ by JSON type, no object has two alternatives, every optional field admits null, and so does every
value of a map but where nothing is laid over it (`words.layered`). An annotation that this module does not know is an
error.
"""

from __future__ import annotations

import json
import re
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, Le, MaxLen, MinLen
from pydantic.fields import FieldInfo

from specgen import nccl
from specgen.profile.cluster import ClusterProfile
from specgen.profile.job import BaseProfile, JobProfile
from specgen.profile.words import Raw, Unlayered, Words, layered
from specgen.schema import formats

JOB = "schemas/job.schema.json"
CLUSTER = "schemas/cluster.schema.json"

Schema = dict[str, Any]

# Signs of a description: editors show it on a line or two.
_MOST = 120
_SCALARS = {str: "string", int: "integer", float: "number", bool: "boolean"}
_TITLES = {"EnvSource": "source of a variable", "EnvFrom": "source of variables"}


def generate() -> dict[str, str]:
    """Path relative to the repository root → text, for both schemas."""
    return {path: _json(schema) for path, schema in schemas().items()}


def schemas() -> dict[str, Schema]:
    """Path → schema. The definitions have the names of the models."""
    job, cluster = Definitions(), Definitions()
    is_base = {"properties": {"kind": {"const": "Base"}}, "required": ["kind"]}
    branches = {"if": is_base, "then": job.model(BaseProfile), "else": job.model(JobProfile)}
    return {
        JOB: _document("Job or base profile of specgen", branches, job),
        CLUSTER: _document("Cluster profile of specgen", {"allOf": [cluster.model(ClusterProfile)]}, cluster),
    }


def _document(title: str, root: Schema, definitions: Definitions) -> Schema:
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": title,
        **root,
        "definitions": dict(sorted(definitions.named.items())),
    }


def _json(schema: Schema) -> str:
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


class Definitions:
    """Collects the definitions that a schema refers to: one for each model, `Env`, and `AddedEnv`."""

    def __init__(self) -> None:
        self.named: dict[str, Schema] = {}
        # models whose mappings stand in lists, over which nothing is laid
        self.items: set[Any] = set()

    def model(self, cls: type[Words]) -> Schema:
        """A reference to a model's definition, which is made on first use."""
        name = cls.__name__
        if name not in self.named:
            self.named[name] = {}  # a model that contains itself finds its name here
            self.named[name] = self._object(cls)
        return {"$ref": f"#/definitions/{name}"}

    def _object(self, cls: type[Words]) -> Schema:
        hints = get_type_hints(cls, include_extras=True)
        properties, required = {}, []
        for name, field in cls.model_fields.items():
            key = field.alias or name
            properties[key] = self._property(field, hints[name], layered=layered(cls, name))
            if field.is_required():
                required.append(key)
        schema: Schema = {"title": title(cls), "description": cls.__doc__, "type": "object", "properties": properties}
        if required:
            # what one layer leaves out another one may say: it is looked for once they are merged
            merged = not issubclass(cls, (JobProfile, BaseProfile, Unlayered)) and cls not in self.items
            schema["x-specgen-required" if merged else "required"] = required
        schema["additionalProperties"] = False
        return schema

    def _property(self, field: FieldInfo, annotation: Any, *, layered: bool) -> Schema:
        schema = self.value(annotation, nullable=not field.is_required(), layered=layered)
        if field.description:
            schema = {"description": field.description, **schema}
        if not field.is_required() and field.default_factory is None and field.default is not None:
            schema["default"] = field.default
        if field.examples:
            schema["examples"] = field.examples
        return schema

    def value(self, annotation: Any, *, nullable: bool, layered: bool = True) -> Schema:
        """The schema of a value of an annotated type. ``layered``: entries of its maps may be null."""
        alternatives = _merged(self._alternatives(annotation, layered))
        if not nullable:
            return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}
        (only, *others) = alternatives
        if not others and not {"enum", "const", "$ref"} & only.keys():
            return {**only, "type": [only["type"], "null"]}
        return {"anyOf": [*alternatives, {"type": "null"}]}

    def _alternatives(self, annotation: Any, layered: bool = True) -> list[Schema]:
        origin, arguments = get_origin(annotation), get_args(annotation)
        if annotation is NoneType:
            return []
        if annotation in _SCALARS:
            return [{"type": _SCALARS[annotation]}]
        if annotation == Raw:
            return [{"type": "object"}]
        if origin is Annotated:
            return self._annotated(arguments[0], arguments[1:], layered)
        if origin in (Union, UnionType):
            return [schema for option in arguments for schema in self._alternatives(option, layered)]
        if origin is Literal:
            words = {"const": arguments[0]} if len(arguments) == 1 else {"enum": list(arguments)}
            return [{"type": "string", **words}]
        if origin is list:
            self.items.add(arguments[0])
            return [{"type": "array", "items": self.value(arguments[0], nullable=False, layered=layered)}]
        if origin is dict:
            return [self._map(*arguments, layered=layered)]
        if isinstance(annotation, type) and issubclass(annotation, Words):
            return [self.model(annotation)]
        raise TypeError(f"no schema for {annotation!r}")

    def _annotated(self, annotation: Any, extras: tuple[Any, ...], layered: bool) -> list[Schema]:
        (schema,) = self._alternatives(annotation, layered)
        for info in extras:
            if not isinstance(info, FieldInfo):
                continue
            more = info.json_schema_extra if isinstance(info.json_schema_extra, dict) else {}
            if "x-specgen-variables" in more:
                name = "Env" if layered else "AddedEnv"
                self.named.setdefault(name, self._variables({**schema, **more}))
                return [{"$ref": f"#/definitions/{name}"}]
            if info.title:
                schema["title"] = info.title
            if "enumDescriptions" in more:
                schema["enumDescriptions"] = more["enumDescriptions"]
            if "x-specgen-format" in more:
                schema["pattern"] = formats.PATTERNS[str(more["x-specgen-format"])]
            for bound in info.metadata:
                if isinstance(bound, Ge):
                    schema["minimum"] = bound.ge
                elif isinstance(bound, Le):
                    schema["maximum"] = bound.le
                elif isinstance(bound, MinLen):
                    schema["minLength"] = bound.min_length
                elif isinstance(bound, MaxLen):
                    schema["maxLength"] = bound.max_length
        return [schema]

    def _map(self, key: Any, value: Any, *, layered: bool) -> Schema:
        below = self.value(value, nullable=layered, layered=layered)
        if get_origin(key) is Literal:
            properties = {name: below for name in get_args(key)}
            return {"type": "object", "properties": properties, "additionalProperties": False}
        (name,) = self._alternatives(key)
        names = {} if name == {"type": "string"} else {"propertyNames": name}
        return {"type": "object", **names, "additionalProperties": below}

    def _variables(self, schema: Schema) -> Schema:
        """A map of variables; what NCCL's own are for and take stands in their descriptions."""
        below = schema["additionalProperties"]["anyOf"]
        known = {}
        for name, (grammar, since, *_, meaning) in nccl.VARIABLES.items():
            takes = nccl.takes(grammar)
            said = [meaning[:1].upper() + meaning[1:], f"takes {takes}" if takes else "", f"since NCCL {since}"]
            description = "; ".join(part for part in (said if since else said[:2]) if part) + "."
            if len(description) > _MOST:  # what it takes stands in the finding
                description = "; ".join([said[0], *said[2:]][: 2 if since else 1]) + "."
            known[name] = {"description": description, "anyOf": below}
        about = {"title": "environment", "description": "Variables by name; those of NCCL with what they take."}
        return {**about, "properties": known, **schema}


def title(cls: type[Words]) -> str:
    """What messages and editors call an object of a model: `mount`, `job profile`."""
    return _TITLES.get(cls.__name__) or re.sub(r"(?<=[a-z])(?=[A-Z])", " ", cls.__name__).lower()


def _merged(alternatives: list[Schema]) -> list[Schema]:
    """Alternatives that differ by JSON type: a number takes integers in, a grammar takes words in."""
    by_type: dict[str, Schema] = {}
    for schema in alternatives:
        kind = schema.get("type", "object")
        if kind == "number":
            whole = by_type.pop("integer", None)
            if whole is not None and {**whole, "type": "number"} != schema:
                raise TypeError(f"integers and numbers differ: {whole} and {schema}")
        if kind == "string" and kind in by_type:
            schema = _grammar_or_words(by_type[kind], schema)
        elif kind in by_type:
            raise TypeError(f"two alternatives of type {kind}: {by_type[kind]} and {schema}")
        by_type[kind] = schema
    return list(by_type.values())


def _grammar_or_words(grammar: Schema, words: Schema) -> Schema:
    enum = words["enum"]
    return {
        "type": "string",
        "title": f"{grammar['title']}; {', '.join(f'`{word}`' for word in enum[:-1])}, or `{enum[-1]}`",
        "pattern": f"^({'|'.join(enum)})$|{grammar['pattern']}",
        "x-specgen-words": enum,
    }
