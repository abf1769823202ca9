"""The ``jsonschema`` library, told what our schemas mean: the only module that imports it, and only when asked.

Draft-07 with three readings of our own. Whole numbers are integers of Python, so `8.0` is none (pydantic's strict
mode says the same). `$` in a pattern is the end of the text and nothing else, as in ECMA-262. Of several
alternatives the one for the value's JSON type is judged, so that its own errors come out.
"""

from __future__ import annotations

from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from re import Pattern
    from typing import Any

    from specgen.source import Path

    Schema = dict[str, Any]

_KINDS = {
    "additionalProperties": "unknown",
    "required": "missing",
    "type": "type",
    "anyOf": "type",
}


def errors(schema: Schema, definition: str | None, data: Any) -> Iterator[tuple[str, Path, Any]]:
    """(kind, path, value at the path) of each error.

    Kinds: ``unknown`` and ``missing`` of a mapping, ``name`` (the value is then the key), ``type``, and the keyword of
    the schema for everything else.
    """
    definitions = schema.get("definitions", _NONE)
    at = schema if definition is None else {"$ref": f"#/definitions/{definition}", "definitions": definitions}
    for error in validator_for(at).iter_errors(data):
        where = list(error.absolute_schema_path)
        path = tuple(error.absolute_path)
        if len(where) > 1 and where[-2] == "propertyNames":
            yield "name", path, error.instance
        else:
            yield _KINDS.get(error.validator, error.validator), path, error.instance


def is_valid(schema: Schema, part: Schema, value: Any) -> bool:
    """Whether a value is valid for one part of a schema."""
    whole = {"definitions": schema.get("definitions", _NONE), "allOf": [part]}
    return bool(validator_for(whole).is_valid(value))


# Definitions by identity, each with the class of validators that reads them: the library makes a class in milliseconds.
_classes: dict[int, tuple[Schema, Any]] = {}
_NONE: Schema = {}


def validator_for(root: Schema) -> Any:
    """The library's validator of a schema that holds its own definitions."""
    definitions = root.get("definitions", _NONE)
    if id(definitions) not in _classes:
        _classes[id(definitions)] = definitions, _class_for(definitions)
    return _classes[id(definitions)][1](root)


def _class_for(definitions: Schema) -> Any:
    from jsonschema import Draft7Validator
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    def by_type(validator: Any, options: list[Schema], value: Any, schema: Schema) -> Iterator[Any]:
        for index, option in enumerate(options):
            target = option
            while "$ref" in target:
                target = definitions[target["$ref"].rpartition("/")[2]]
            kinds = target["type"] if isinstance(target["type"], list) else [target["type"]]
            if any(validator.is_type(value, kind) for kind in kinds):
                yield from validator.descend(value, option, schema_path=index)
                return
        yield ValidationError("no alternative has this type")

    checker = Draft7Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    extended: Any = extend  # not typed in all versions of its stubs
    return extended(Draft7Validator, {"anyOf": by_type, "pattern": _pattern}, type_checker=checker)


def _pattern(validator: Any, pattern: str, value: Any, schema: Schema) -> Iterator[Any]:
    from jsonschema.exceptions import ValidationError

    if isinstance(value, str) and not compiled(pattern).search(value):
        yield ValidationError("the text has another form")


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
