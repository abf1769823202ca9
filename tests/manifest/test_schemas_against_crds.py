"""The vendored schemas against the real CRDs, field by field.

Compared at every path: type, format, pattern, required fields, defaults, list keys, constants,
whether null is admitted, and which fields there are inside; any other keyword counts as
a difference too. Differences stand, each with its reason, in `crd_differences.json`, those of
every CRD under `*`; one that is not there fails, and so does a line there that no longer holds.
Not compared: texts, rules about the old value of an update, and whether server-side apply merges
a list or map or replaces it as a whole (`atomic`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from specgen.generate.job_kinds import KINDS
from specgen.generate.kubernetes_schemas import generate
from specgen.generate.shapes import Kind

DIFFERENCES = Path(__file__).with_name("crd_differences.json")
CRD_KINDS = [kind for kind in KINDS if not kind.built_in]
NOT_COMPARED = {"$schema", "$ref", "title", "description", "definitions", "x-kubernetes-group-version-kind"}
WALKED = {"properties", "items", "additionalProperties", "required", "type", "nullable"}
INT32_RANGE = {"minimum": -2147483648, "maximum": 2147483647}
NOT_COMPARED_OURS = {"anyOf"}
INT_OR_STRING = {"x-kubernetes-int-or-string", "anyOf"}

Node = Mapping[str, Any]
Facts = dict[tuple[str, str], object]


def kind_key(kind: Kind) -> str:
    return kind.key


def merged(schema: Node) -> Node:
    """Alternatives of ours, which are words or null, as one node that admits both."""
    if "anyOf" not in schema or "x-kubernetes-int-or-string" in schema:
        return schema
    words, null = schema["anyOf"]
    return {**schema, **words, "type": [words["type"], null["type"]]}


def nodes(schema: Node, root: Node, path: str = "", *, droppable: bool = False) -> Iterator[tuple[str, Node, bool]]:
    """Every node with its path, references followed; `droppable`: a null here counts as absent."""
    if "$ref" in schema:
        schema = {**schema, **root["definitions"][schema["$ref"].rpartition("/")[2]]}
    schema = merged(schema)
    yield path, schema, droppable
    required = schema.get("required", [])
    values = schema.get("additionalProperties")
    if not isinstance(values, dict):
        for name, child in schema.get("properties", {}).items():
            yield from nodes(child, root, f"{path}.{name}", droppable=name not in required)
    else:
        yield from nodes(values, root, f"{path}.*", droppable=True)
    if "items" in schema:
        yield from nodes(schema["items"], root, f"{path}[]")


def facts(schema: Node, *, ours: bool) -> Facts:
    """(path, fact) → value. In a CRD null follows from the place and the range from the format."""
    found: Facts = {}
    for path, plain_node, droppable in nodes(schema, schema):
        implied = {} if ours or plain_node.get("format") != "int32" else INT32_RANGE
        node = {**implied, **plain_node}
        kinds = node["type"] if isinstance(node.get("type"), list) else [node.get("type")]
        other = set(node) - NOT_COMPARED - WALKED - (NOT_COMPARED_OURS if ours else set())
        if node.get("x-kubernetes-int-or-string"):
            kinds = ["integer", "string"]
            other -= INT_OR_STRING
        found[path, "type"] = sorted(str(kind) for kind in kinds if kind != "null")
        found[path, "null"] = "null" in kinds if ours else droppable or node.get("nullable", False)
        found[path, "required"] = sorted(node.get("required", []))
        if "object" in kinds:
            found[path, "fields"] = fields_inside(node, path, ours=ours)
        for keyword in sorted(other - {"x-kubernetes-validations"}):
            if node[keyword] != "atomic":
                found[path, keyword] = node[keyword]
        rules = [check["rule"] for check in node.get("x-kubernetes-validations", ())]
        if lasting := [rule for rule in rules if "oldSelf" not in rule]:
            found[path, "x-kubernetes-validations"] = lasting
    return found


def fields_inside(node: Node, path: str, *, ours: bool) -> str:
    """`listed`, `none` or `any`; an object without fields keeps none in a CRD, but for the metadata of the whole."""
    if node.get("properties") or node.get("additionalProperties"):
        return "listed"
    if ours:
        return "none" if node.get("additionalProperties") is False else "any"
    return "any" if path == ".metadata" or node.get("x-kubernetes-preserve-unknown-fields") else "none"


def differences(ours: Facts, crd: Facts) -> Iterator[dict[str, object]]:
    """What differs, without what follows from a difference above it: a missing field, fields not listed."""
    open_paths = {
        path for path, fact in {*ours, *crd} if fact == "fields" and ours.get((path, fact)) != crd.get((path, fact))
    }
    only_one_side = {path for path, _ in ours} ^ {path for path, _ in crd}
    for path, fact in sorted({*ours, *crd}):
        parent = parent_of(path)
        if any(path.startswith((f"{above}.", f"{above}[")) for above in open_paths) or parent in only_one_side:
            continue
        if path in only_one_side:
            if fact == "type":
                yield {"path": path, "fact": "field", "crd": (path, fact) in crd, "ours": (path, fact) in ours}
        elif ours.get((path, fact)) != crd.get((path, fact)):
            yield {"path": path, "fact": fact, "crd": crd.get((path, fact)), "ours": ours.get((path, fact))}


def parent_of(path: str) -> str:
    return path[:-2] if path.endswith("[]") else path.rpartition(".")[0]


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    return generate()


@pytest.mark.parametrize("kind", KINDS, ids=kind_key)
def test_schema_is_valid_draft_07_and_refers_only_to_itself(kind: Kind, generated: dict[str, str]) -> None:
    schema = json.loads(generated[kind.path])
    Draft7Validator.check_schema(schema)
    references = set(_references(schema))
    assert references == {f"#/definitions/{name}" for name in schema["definitions"]}


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if "$ref" in value:
            yield value["$ref"]
        for child in value.values():
            yield from _references(child)
    elif isinstance(value, list):
        for child in value:
            yield from _references(child)


def crd_schema(kind: Kind, shared: Path) -> Node:
    name = f"{kind.kind.lower()}s.{kind.group}-{kind.version}.yaml"
    crd = yaml.load((shared / "crds" / name).read_text("utf-8"), Loader=yaml.CSafeLoader)
    (version,) = (v for v in crd["spec"]["versions"] if v["name"] == kind.version)
    schema: Node = version["schema"]["openAPIV3Schema"]
    return schema


def reviewed_lines(kind: Kind) -> list[dict[str, Any]]:
    """The lines of every kind, then its own."""
    lines = json.loads(DIFFERENCES.read_text("utf-8"))
    assert sorted(lines) == sorted(["*", *(crd_kind.key for crd_kind in CRD_KINDS)])
    constants = {".apiVersion": kind.api_version, ".kind": kind.kind}
    common = [
        {**line, "ours": constants[line["path"]] if line["fact"] == "const" else line["ours"]}
        for line in lines["*"]
        if line["path"] != ".status" or kind.has_status
    ]
    return [*common, *lines[kind.key]]


@pytest.mark.parametrize("kind", CRD_KINDS, ids=kind_key)
def test_schema_equals_the_crd_but_for_reviewed_differences(
    kind: Kind, generated: dict[str, str], shared: Path
) -> None:
    crd_facts = facts(crd_schema(kind, shared), ours=False)
    our_facts = facts(json.loads(generated[kind.path]), ours=True)
    reviewed = reviewed_lines(kind)
    assert all(line["reason"] for line in reviewed)
    expected = [{key: value for key, value in line.items() if key != "reason"} for line in reviewed]
    found = list(differences(our_facts, crd_facts))
    paths = {path for path, _ in crd_facts}
    print(f"{kind.key}: {len(paths)} paths, {len(crd_facts)} facts of the CRD, {len(found)} reviewed differences")
    assert [line for line in found if line not in expected] == [], "differences without a reviewed line"
    assert [line for line in expected if line not in found] == [], "reviewed lines that no longer hold"
