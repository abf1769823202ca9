"""The vendored schemas against what a real API server said to real manifests.

For every document the places where the schema refuses must be exactly those that the API server
names as unknown field, missing field, wrong type or wrong form; items it calls duplicates must be
those that `x-kubernetes-list-map-keys` makes duplicates. What it refuses for another reason (name,
webhook, scale subresource) the schema must accept: the server validates the shape before it asks
a webhook. Schema and table must give one verdict. Exceptions stand, each with its reason, in
`verdict_differences.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from jsonschema.exceptions import ValidationError

from specgen.generate.job_kinds import KINDS
from specgen.generate.kubernetes_schemas import generate
from specgen.generate.shapes import Kind
from specgen.schema.accept import accepts
from specgen.schema.library import validator_for
from tests.manifest.recordings import Recording, recordings

DIFFERENCES = Path(__file__).with_name("verdict_differences.json")
SHAPE_REFUSALS = (
    re.compile(r'unknown field "([^"]+)"'),
    re.compile(r"(\w[\w.\[\]/-]*): Required value"),
    re.compile(r"([\w.\[\]/-]+) in body (?:must be of type|should match|should be)"),
    re.compile(r"([\w.\[\]/-]+): Unsupported value"),
    re.compile(r"([\w.\[\]/-]+): Invalid value: [^:]*: ManagedBy must be"),
    re.compile(r'"([^" ]+)" must validate at least one schema'),
)
UNSEEN = (
    "resource.k8s.io/v1 ResourceClaimTemplate",
    "scheduling.x-k8s.io/v1alpha1 PodGroup",
    "v1 ResourceQuota",
)
"""Kinds of which no verdict of the API server is recorded."""
DUPLICATE = re.compile(r"([\w.\[\]/-]+): Duplicate value")
BRACKETED_KEY = re.compile(r"\[([A-Za-z]\w*)\]")
"""The server writes map keys in brackets when it checks list keys, with dots when it checks types."""


def render(path: Sequence[object]) -> str:
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def refused_places(error: ValidationError) -> Iterator[str]:
    """Where the API server would place an error of the jsonschema library."""
    place: list[object] = list(error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "additionalProperties":
        yield from (render([*place, name]) for name in set(instance) - set(schema["properties"]))
    elif error.validator == "required":
        yield from (render([*place, name]) for name in set(schema["required"]) - set(instance))
    else:
        yield render(place)


def duplicate_places(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any], path: str = "") -> Iterator[str]:
    """Items of keyed lists whose key an earlier item has; a default counts as a value."""
    if "$ref" in schema:
        schema = root["definitions"][schema["$ref"].rpartition("/")[2]]
    if isinstance(value, dict):
        for name, child in value.items():
            below = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
            if below:
                yield from duplicate_places(child, below, root, f"{path}.{name}" if path else name)
    elif isinstance(value, list):
        keys = schema.get("x-kubernetes-list-map-keys", [])
        item_schema = root["definitions"][schema["items"]["$ref"].rpartition("/")[2]] if keys else {}
        seen: list[list[object]] = []
        for index, item in enumerate(value):
            key = [item.get(k, item_schema["properties"][k].get("default")) for k in keys] if keys else []
            if keys and key in seen:
                yield f"{path}[{index}]"
            seen.append(key)
            yield from duplicate_places(item, schema["items"], root, f"{path}[{index}]")


def places_named_by_server(texts: Sequence[str]) -> tuple[set[str], set[str]]:
    text = "\n".join(texts)
    duplicates = {BRACKETED_KEY.sub(r".\1", place) for place in DUPLICATE.findall(text)}
    return {place for form in SHAPE_REFUSALS for place in form.findall(text)}, duplicates


@pytest.fixture(scope="module")
def recorded(shared: Path) -> dict[str, list[Recording]]:
    return recordings(shared)


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return generate()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.key)
def test_schema_refuses_where_the_api_server_does(
    kind: Kind, recorded: dict[str, list[Recording]], generated: dict[str, str]
) -> None:
    schema = json.loads(generated[kind.path])
    validator = validator_for(schema)
    table = import_module(f"specgen.tables.{Path(kind.path).stem}")
    reviewed = json.loads(DIFFERENCES.read_text("utf-8"))[kind.key]
    assert all(line["reason"] for line in reviewed.values())
    unexplained, explained, accepted, refused = {}, set(), 0, 0
    for one in recorded.get(kind.key, []):
        errors = list(validator.iter_errors(one.document))
        assert accepts(table.ROOT, one.document) == (not errors), f"{one.name}: acceptor and library differ"
        places = {place for error in errors for place in refused_places(error)}
        places.update(duplicate_places(one.document, schema, schema))
        difference = {"ours": sorted(places), "server": sorted(set().union(*places_named_by_server(one.said)))}
        refused += bool(places)
        accepted += not places
        if difference["ours"] != difference["server"]:
            explained.add(one.name)
            if {k: reviewed.get(one.name, {}).get(k) for k in difference} != difference:
                unexplained[one.name] = difference
    print(f"{kind.key}: {accepted} documents accepted, {refused} refused, {len(explained)} reviewed differences")
    assert (accepted > 0) == (kind.key not in UNSEEN)
    assert unexplained == {}
    assert sorted(set(reviewed) - explained) == [], "reviewed lines that no longer hold"
