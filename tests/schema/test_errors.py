"""Each keyword means what it means to the ``jsonschema`` library, of every type of value."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.schema.errors import errors, is_valid
from tests.schema import library

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 8.0, 0.5, 1.5, 2**31, 10**400, "", "a", "ab", "abé", "a\n"),
    *([], [1], [True], ["a", "a"], [None, {}], [[1]]),
    *({}, {"a": 1}, {"a": None}, {"b": "x"}, {"a": 1, "b": 2}, {"a": {"a": {"a": "x"}}}, {"": []}),
)
DEFINITIONS: dict[str, Any] = {
    "Text": {"type": "string", "minLength": 1},
    "Alias": {"$ref": "#/definitions/Text"},
    "Tree": {"type": ["object", "null"], "properties": {"a": {"$ref": "#/definitions/Either"}}},
    "Either": {"anyOf": [{"type": "integer", "minimum": 1}, {"$ref": "#/definitions/Tree"}, {"type": "null"}]},
}
SCHEMAS: list[dict[str, Any]] = [
    {},
    *({"type": kind} for kind in ("object", "array", "string", "boolean", "integer", "number", "null")),
    {"type": ["integer", "string", "null"]},
    *({"enum": words} for words in ([1, "a"], [True], [None, 0], [[1], {"a": 1}], [1.0, [True]])),
    *({"const": word} for word in (1, True, "a", [1], {"a": 1, "b": 2})),
    *({keyword: limit} for keyword in ("minimum", "maximum", "exclusiveMinimum") for limit in (0, 1, 1.5)),
    *({"exclusiveMaximum": 2}, {"multipleOf": 2}, {"multipleOf": 0.5}, {"multipleOf": 0.1}),
    *({keyword: 1} for keyword in ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")),
    *({"pattern": "^a$"}, {"pattern": "b"}, {"format": "int32"}, {"title": "T", "description": "D", "default": 1}),
    {"properties": {"a": {"type": "integer"}, "b": {}}},
    {"additionalProperties": False, "properties": {"a": {}}},
    {"additionalProperties": {"type": "string"}, "properties": {"a": {}}},
    {"additionalProperties": True, "required": ["a", "b", "c"]},
    {"propertyNames": {"pattern": "^a$", "maxLength": 0}},
    {"propertyNames": {"$ref": "#/definitions/Alias"}},
    {"items": {"type": "string"}},
    *({"$ref": f"#/definitions/{name}"} for name in DEFINITIONS),
    {"required": ["b"], "type": "object", "maxProperties": 1, "additionalProperties": False},
]


@pytest.mark.parametrize("schema", SCHEMAS, ids=str)
def test_a_keyword(schema: dict[str, Any]) -> None:
    whole = {**schema, "definitions": DEFINITIONS}
    below = {"definitions": {**DEFINITIONS, "It": {"properties": {"x": {"items": schema}}}}}
    for value in VALUES:
        try:
            wanted = list(library.errors(whole, None, value))
        except OverflowError:
            # of a number that large the library cannot tell
            assert list(errors(whole, None, value)) == []
            continue
        assert list(errors(whole, None, value)) == wanted, value
        assert is_valid(whole, schema, value) == (not wanted)
        inner = {"x": [value, value]}
        assert list(errors(below, "It", inner)) == list(library.errors(below, "It", inner)), value
