"""Structural schemas of CRDs as ``judge`` reads them: small ones by hand, and the real ones against real verdicts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specgen.document.read import read
from specgen.manifest.origins import manifests
from specgen.schema.crd import kinds_of
from specgen.schema.judge import judge
from specgen.schema.wording import MANIFEST
from specgen.source import Source

OWN = {"apiVersion": "example.com/v1", "kind": "Run", "metadata": {"name": "a"}}


def crd(spec: dict[str, Any], **more: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", **spec}}}
    versions = [{"name": "v1", "served": True, "schema": {"openAPIV3Schema": schema}}, {"name": "v0", "served": False}]
    names = {"group": "example.com", "names": {"kind": "Run"}, "versions": versions}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "spec": {**names, **more}}


def found(schema: dict[str, Any], spec: Any) -> list[tuple[str, str]]:
    whole = dict(kinds_of(crd(schema)))["example.com/v1", "Run"]
    return [
        (one.code.id, ".".join(map(str, one.place.path)))
        for one in judge(whole, None, {**OWN, "spec": spec}, wording=MANIFEST)
    ]


@pytest.mark.parametrize(
    ("schema", "good", "bad", "expected"),
    [
        ({"properties": {"a": {"type": "integer"}}}, {"a": 1}, {"a": "1"}, ("SG103", "spec.a")),
        ({"properties": {"a": {"type": "integer"}}}, {"a": None}, {"b": 1}, ("SG101", "spec.b")),
        ({"properties": {"a": {"type": "object"}}}, {"a": {}}, {"a": {"b": 1}}, ("SG101", "spec.a.b")),
        ({"required": ["a"], "properties": {"a": {"type": "string"}}}, {"a": ""}, {}, ("SG102", "spec")),
        ({"required": ["a"], "properties": {"a": {"type": "string"}}}, {"a": ""}, {"a": None}, ("SG103", "spec.a")),
        ({"properties": {"a": {"type": "string", "enum": ["x", "y"]}}}, {"a": "x"}, {"a": "z"}, ("SG104", "spec.a")),
        ({"properties": {"a": {"type": "string", "enum": ["x"]}}}, {"a": None}, {"a": 1}, ("SG103", "spec.a")),
        ({"properties": {"a": {"x-kubernetes-int-or-string": True}}}, {"a": "5%"}, {"a": [1]}, ("SG103", "spec.a")),
        (
            {"properties": {"a": {"type": "integer", "minimum": 0, "exclusiveMinimum": True}}},
            {"a": 1},
            {"a": 0},
            ("SG104", "spec.a"),
        ),
        ({"properties": {"a": {"type": "integer", "format": "int32"}}}, {"a": 1}, {"a": 2**31}, ("SG104", "spec.a")),
        ({"properties": {"a": {"type": "string", "pattern": "^[a-z]+$"}}}, {"a": "b"}, {"a": "B"}, ("SG104", "spec.a")),
        (
            {"additionalProperties": {"type": "array", "items": {"type": "string"}}},
            {"a": ["b"], "c": None},
            {"a": [None]},
            ("SG103", "spec.a.0"),
        ),
        (
            {
                "x-kubernetes-preserve-unknown-fields": True,
                "properties": {"a": {"type": "boolean"}, "b": {"type": "object", "properties": {}}},
            },
            {"z": 1},
            {"z": 1, "b": {"c": 1}},
            ("SG101", "spec.b.c"),
        ),
    ],
)
def test_what_a_schema_takes(schema: dict[str, Any], good: Any, bad: Any, expected: tuple[str, str]) -> None:
    assert found(schema, good) == []
    assert found(schema, bad) == [expected]


def test_what_is_no_schema_to_refuse_by() -> None:
    # expressions, alternatives, forms that Python does not know, and versions without a schema
    schema: dict[str, Any] = {"properties": {"a": {"type": "string", "pattern": r"\pN\z", "not": {"enum": ["x"]}}}}
    assert found(schema, {"a": "x"}) == []
    assert list(dict(kinds_of(crd({})))) == [("example.com/v1", "Run")]
    old = {**crd({}), "apiVersion": "apiextensions.k8s.io/v1beta1"}
    old["spec"] = {"group": "example.com", "names": {"kind": "Run"}, "version": "v1"}
    ((_, schema),) = kinds_of(old)
    assert judge(schema, None, {**OWN, "spec": {"any": 1}}, wording=MANIFEST) == []


@pytest.mark.parametrize("odd", [None, [], "text", {"spec": 1}, {"spec": {"group": "a.b", "names": {"kind": "A"}}}])
def test_what_is_no_crd_defines_nothing_and_breaks_nothing(odd: Any) -> None:
    assert [key for key, _ in kinds_of(odd)] == []


def test_real_crds_against_real_verdicts(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing that the API server took is refused by what is made of its own CRD."""
    kinds: dict[tuple[str, str], dict[str, Any]] = {}
    for file in sorted((shared / "crds").glob("*.yaml")):
        for document in read(Source(file.name, file.read_text(encoding="utf-8")))[0]:
            kinds.update(kinds_of(document.data))
    verdicts = json.loads((shared / "corpus/VERDICTS.json").read_text(encoding="utf-8"))
    taken = refused = both = 0
    wrong = []
    for name, verdict in verdicts.items():
        documents, findings = read(Source(name, (shared / "corpus" / name).read_text(encoding="utf-8")))
        objects = [one for document in documents if isinstance(document.data, dict) for one in manifests(document)]
        judged = [
            one.message
            for object in objects
            if (key := (object.ref.api_version, object.ref.kind)) in kinds
            for one in judge(kinds[key], None, object.tree, wording=MANIFEST)
        ]
        if verdict["strict"]["accepted"]:
            taken += 1
            wrong += [f"{name}: {one}" for one in judged]
        elif not findings and all((one.ref.api_version, one.ref.kind) in kinds for one in objects):
            refused += 1
            both += bool(judged)
    with capsys.disabled():
        print(f"\n{taken} taken, {both} of {refused} that were refused are found", end=" ")
    assert wrong == []
    assert taken > 150 and both > 60
