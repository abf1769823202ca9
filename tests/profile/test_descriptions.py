"""Every word of the language says what it is for, and its examples are ones that the schema takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft7Validator

from specgen.generate.profile_schemas import CLUSTER, JOB, schemas

SCHEMAS = schemas()
LEAST_WITH_EXAMPLES = 15


def properties(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """(definition.property, schema of the property) of every model."""
    for name, definition in schema["definitions"].items():
        for key, below in definition.get("properties", {}).items():
            yield f"{name}.{key}", below


def described(schema: dict[str, Any], below: dict[str, Any]) -> bool:
    """A description of its own, or that of the definition it refers to."""
    target = schema["definitions"].get(below.get("$ref", "").rpartition("/")[2], {})
    return bool(below.get("description") or target.get("description"))


@pytest.mark.parametrize("path", [JOB, CLUSTER])
def test_every_property_has_a_description(path: str) -> None:
    found = list(properties(SCHEMAS[path]))
    assert found
    assert [name for name, below in found if not described(SCHEMAS[path], below)] == []


@pytest.mark.parametrize("path", [JOB, CLUSTER])
def test_a_description_is_a_sentence(path: str) -> None:
    # a name between backticks or a Kubernetes word may stand first, as it is spelled
    texts = {name: below["description"] for name, below in properties(SCHEMAS[path]) if "description" in below}
    assert [name for name, text in texts.items() if not text.endswith(".") or "\n" in text or len(text) > 120] == []


@pytest.mark.parametrize("path", [JOB, CLUSTER])
def test_examples_are_valid(path: str) -> None:
    schema = SCHEMAS[path]
    with_examples = {name: below for name, below in properties(schema) if "examples" in below}
    assert len(with_examples) >= LEAST_WITH_EXAMPLES
    for name, below in with_examples.items():
        judge = Draft7Validator({**below, "definitions": schema["definitions"]})
        for example in below["examples"]:
            assert [error.message for error in judge.iter_errors(example)] == [], name
