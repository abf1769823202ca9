"""The vendored schemas against what a real API server said to real manifests.

For every document the places where the schema refuses must be exactly those that the API server
names as unknown field, missing field, wrong type or wrong form; items it calls duplicates must be
those that `x-kubernetes-list-map-keys` makes duplicates. What it refuses for another reason (name,
webhook, scale subresource) the schema must accept: the server validates the shape before it asks
a webhook. Exceptions stand, each with its reason, in `verdict_differences.json`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator
from jsonschema.exceptions import ValidationError

from specgen.generate.job_kinds import KINDS
from specgen.generate.kubernetes_schemas import generate

DIFFERENCES = Path(__file__).with_name("verdict_differences.json")
SHAPE_REFUSALS = (
    re.compile(r'unknown field "([^"]+)"'),
    re.compile(r"([\w.\[\]/-]+): Required value"),
    re.compile(r"([\w.\[\]/-]+) in body (?:must be of type|should match)"),
    re.compile(r'"([^" ]+)" must validate at least one schema'),
)
DUPLICATE = re.compile(r"([\w.\[\]/-]+): Duplicate value")
BRACKETED_KEY = re.compile(r"\[([A-Za-z]\w*)\]")
"""The server writes map keys in brackets when it checks list keys, with dots when it checks types."""


class Loader(yaml.CSafeLoader):
    """YAML 1.1 as the recordings read it: PyYAML's scalars without time stamps and base 60."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag.rpartition(":")[2] not in ("timestamp", "int", "float")]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:int",
    re.compile(r"^[-+]?(?:0b[01_]+|0[0-7_]+|0|[1-9][0-9_]*|0x[0-9a-fA-F_]+)$"),
    list("-+0123456789"),
)
Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?)$"),
    list("-+0123456789."),
)


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


def places_named_by_server(texts: list[str]) -> tuple[set[str], set[str]]:
    text = "\n".join(texts)
    duplicates = {BRACKETED_KEY.sub(r".\1", place) for place in DUPLICATE.findall(text)}
    return {place for form in SHAPE_REFUSALS for place in form.findall(text)}, duplicates


def documents(path: Path, kind: str, api_version: str) -> list[dict[str, Any]]:
    found = yaml.load_all(path.read_text("utf-8"), Loader=Loader)
    return [d for d in found if isinstance(d, dict) and (d.get("kind"), d.get("apiVersion")) == (kind, api_version)]


def judged_files(shared: Path, kind: str) -> Iterator[tuple[str, Path, list[str]]]:
    """(name, manifest, what the server said) of the corpus, the source manifests and the probes."""
    for folder, manifests in (("corpus", "corpus"), ("sources", "sources/manifests")):
        for name, verdict in json.loads((shared / folder / "VERDICTS.json").read_text("utf-8")).items():
            if name.startswith(f"{kind}/") or f"-{kind.lower()}-" in name or f"__{kind.lower()}-" in name:
                yield f"{folder}/{name}", shared / manifests / name, _errors(verdict, "errors")
    for record in sorted(shared.glob("conformance/training-operator-1.9.4/probes/*.json")):
        recorded = json.loads(record.read_text("utf-8"))
        if recorded["kind"] == kind:
            yield f"probes/{record.name}", record.with_suffix(".yaml"), _errors(recorded["verdict"], "message")


def _errors(verdict: Mapping[str, Any], key: str) -> list[str]:
    texts: list[str] = []
    for mode in ("strict", "lenient"):
        answer = verdict.get(mode, {"accepted": True})
        if not answer["accepted"] and answer.get("code") != 403:
            texts += answer[key] if isinstance(answer[key], list) else [answer[key]]
    return texts


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.group}/{kind.version} {kind.kind}")
def test_schema_refuses_where_the_api_server_does(kind: Any, shared: Path) -> None:
    schema = json.loads(generate()[kind.path])
    validator = Draft7Validator(schema)
    reviewed = json.loads(DIFFERENCES.read_text("utf-8"))
    unexplained, explained, accepted, refused = {}, set(), 0, 0
    for name, path, texts in judged_files(shared, kind.kind):
        for document in documents(path, kind.kind, f"{kind.group}/{kind.version}"):
            ours = {place for error in validator.iter_errors(document) for place in refused_places(error)}
            duplicates = set(duplicate_places(document, schema, schema))
            difference = {
                "ours": sorted(ours | duplicates),
                "server": sorted(set().union(*places_named_by_server(texts))),
            }
            refused += bool(ours | duplicates)
            accepted += not ours | duplicates
            if difference["ours"] != difference["server"]:
                explained.add(name)
                if {k: reviewed.get(name, {}).get(k) for k in difference} != difference:
                    unexplained[name] = difference
    print(f"{kind.kind}: {accepted} documents accepted, {refused} refused at the same places as the API server")
    assert accepted > 0
    assert refused > 0
    assert unexplained == {}
    assert sorted(set(reviewed) - explained) == [], "reviewed lines that no longer hold"
    assert all(line["reason"] for line in reviewed.values())
