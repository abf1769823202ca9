"""Where a document leaves its schema: an error is a kind, a path, and the value that stands there.

Draft-07 with three readings of our own. Whole numbers are integers of Python, so `8.0` is none (pydantic's strict
mode says the same). `$` in a pattern is the end of the text and nothing else, as in ECMA-262. Of several
alternatives the one for the value's JSON type is judged, so that its own errors come out. References lead to the
schema's own definitions.

It stands in for the ``jsonschema`` library, which is the other judge of the tests (``tests/schema/library.py``): to
load that costs a process that finds one mistake four times all else, and each document takes five times as long.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from re import Pattern
    from typing import Any, TypeAlias

    from specgen.source import Path

    Schema = dict[str, Any]
    # kind, path, value
    Error: TypeAlias = tuple[str, Path, Any]

_NONE: Schema = {}
# The JSON type of a value; of a whole number it is both.
_TYPES = {
    dict: ("object",),
    list: ("array",),
    str: ("string",),
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    type(None): ("null",),
}


def errors(schema: Schema, definition: str | None, data: Any) -> Iterator[Error]:
    """(kind, path, value at the path) of each error, in the schema's order.

    Kinds: ``unknown`` and ``missing`` of a mapping, ``name`` (the value is then the key), ``type``, and the keyword of
    the schema for everything else.
    """
    definitions = schema.get("definitions", _NONE)
    return _errors(schema if definition is None else definitions[definition], data, (), definitions)


def is_valid(schema: Schema, part: Schema, value: Any) -> bool:
    """Whether a value is valid for one part of a schema."""
    return next(_errors(part, value, (), schema.get("definitions", _NONE)), None) is None


def _errors(schema: Schema, value: Any, path: Path, definitions: Schema) -> Iterator[Error]:
    while "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    types = _TYPES.get(type(value), ())
    for keyword, said in schema.items():
        if keyword in _BELOW:
            yield from _BELOW[keyword](said, value, path, schema, definitions)
        elif keyword == "type":
            if not any([kind in types for kind in ([said] if isinstance(said, str) else said)]):
                yield "type", path, value
        elif keyword in _FAILS:
            of, fails = _FAILS[keyword]
            if (of is None or of in types) and fails(said, value):
                yield keyword, path, value


def _properties(said: Schema, value: Any, path: Path, schema: Schema, definitions: Schema) -> Iterator[Error]:
    if isinstance(value, dict):
        for name, below in said.items():
            if name in value:
                yield from _errors(below, value[name], (*path, name), definitions)


def _others(said: Any, value: Any, path: Path, schema: Schema, definitions: Schema) -> Iterator[Error]:
    """The fields that no property names: one error for all where there may be none."""
    if isinstance(value, dict):
        known = schema.get("properties", _NONE)
        others = [name for name in value if name not in known]
        if said is False and others:
            yield "unknown", path, value
        elif isinstance(said, dict):
            for name in others:
                yield from _errors(said, value[name], (*path, name), definitions)


def _names(said: Schema, value: Any, path: Path, schema: Schema, definitions: Schema) -> Iterator[Error]:
    for name in value if isinstance(value, dict) else ():
        for _, _, key in _errors(said, name, path, definitions):
            yield "name", path, key


def _required(said: list[str], value: Any, path: Path, schema: Schema, definitions: Schema) -> Iterator[Error]:
    if isinstance(value, dict):
        yield from [("missing", path, value) for name in said if name not in value]


def _items(said: Schema, value: Any, path: Path, schema: Schema, definitions: Schema) -> Iterator[Error]:
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from _errors(said, item, (*path, index), definitions)


def _by_type(said: list[Schema], value: Any, path: Path, schema: Schema, definitions: Schema) -> Iterator[Error]:
    for option in said:
        target = option
        while "$ref" in target:
            target = definitions[target["$ref"].rpartition("/")[2]]
        kinds = target["type"] if isinstance(target["type"], list) else [target["type"]]
        if any([kind in _TYPES.get(type(value), ()) for kind in kinds]):
            yield from _errors(option, value, path, definitions)
            return
    yield "type", path, value


_BELOW: dict[str, Callable[[Any, Any, Path, Schema, Schema], Iterator[Error]]] = {
    "properties": _properties,
    "additionalProperties": _others,
    "propertyNames": _names,
    "required": _required,
    "items": _items,
    "anyOf": _by_type,
}


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal: `true` is not 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all([_same(one[key], other[key]) for key in one])
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def _is_apart(of: float, value: float) -> bool:
    """Whether a number is no multiple of another, as far as numbers of this size can tell."""
    try:
        return value / of % 1 != 0 if isinstance(of, float) else value % of != 0
    except OverflowError:
        return False


@cache
def compiled(pattern: str) -> Pattern[str]:
    """An ECMA-262 pattern of ours as Python's: a `$` that stands for the end becomes `\\Z`."""
    import re

    out, in_class, escaped = "", False, False
    for letter in pattern:
        if escaped or letter == "\\":
            escaped = not escaped
        elif letter in "[]":
            in_class = letter == "["
        elif letter == "$" and not in_class:
            letter = r"\Z"
        out += letter
    return re.compile(out)


# Keyword → the type that it speaks of, and whether a value fails it.
_FAILS: dict[str, tuple[str | None, Callable[[Any, Any], bool]]] = {
    "enum": (None, lambda said, value: not any([_same(one, value) for one in said])),
    "const": (None, lambda said, value: not _same(said, value)),
    "minimum": ("number", lambda said, value: value < said),
    "maximum": ("number", lambda said, value: value > said),
    "exclusiveMinimum": ("number", lambda said, value: value <= said),
    "exclusiveMaximum": ("number", lambda said, value: value >= said),
    "multipleOf": ("number", _is_apart),
    "pattern": ("string", lambda said, value: not compiled(said).search(value)),
    "minLength": ("string", lambda said, value: len(value) < said),
    "maxLength": ("string", lambda said, value: len(value) > said),
    "minItems": ("array", lambda said, value: len(value) < said),
    "maxItems": ("array", lambda said, value: len(value) > said),
    "minProperties": ("object", lambda said, value: len(value) < said),
    "maxProperties": ("object", lambda said, value: len(value) > said),
}
