"""Refusals of recorded API servers and webhooks, laid over the manifests that they refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.answers.fields import path_of
from specgen.answers.verdict import judged
from specgen.diagnostics.place import place
from specgen.document.read import read
from specgen.manifest.origins import manifests
from specgen.source import Source

TREE = {
    "spec": {
        "roles": {"Worker": {"replicas": 1, "items": [{"name": "a.b", "n": 1}, {"name": "main", "n": 2}]}},
        "runtimeRef": {"name": "x"},
        "limits": {"nvidia.com/gpu": 8, "nvidia": 1},
    },
    "metadata": {"annotations": {"example.com/a.b": "c"}},
}
FIELDS: dict[str, tuple[tuple[str | int, ...], str]] = {
    "spec.roles[Worker].replicas": (("spec", "roles", "Worker", "replicas"), ""),
    "spec.roles.Worker.items[1].n": (("spec", "roles", "Worker", "items", 1, "n"), ""),
    '.spec.roles.Worker.items[name="main"].n': (("spec", "roles", "Worker", "items", 1, "n"), ""),
    "spec.roles[Master].replicas": (("spec", "roles"), "[Master].replicas"),
    "spec.roles[Worker].items[7].n": (("spec", "roles", "Worker", "items"), "[7].n"),
    "spec.RuntimeRef": (("spec", "runtimeRef"), ""),
    "spec.limits.nvidia.com/gpu": (("spec", "limits", "nvidia.com/gpu"), ""),
    "spec.limits[nvidia.com/gpu]": (("spec", "limits", "nvidia.com/gpu"), ""),
    "metadata.annotations[example.com/a.b]": (("metadata", "annotations", "example.com/a.b"), ""),
    "spec.rolesX": (("spec",), "rolesX"),
    "spec.roles[Worker": (("spec", "roles"), "[Worker"),
    "nothing": ((), "nothing"),
    "": ((), ""),
}


@pytest.mark.parametrize("field", FIELDS)
def test_fields(field: str) -> None:
    assert path_of(field, TREE) == FIELDS[field]


def refused(shared: Path) -> list[tuple[Path, dict[str, Any], str]]:
    """(record, verdict, manifest) of all recordings whose manifest lies beside them, each message once."""
    found = {}
    for file in sorted((shared / "conformance").glob("*/probes/*.json")):
        record = json.loads(file.read_text("utf-8"))
        source = shared.parent / str(record.get("source", ""))
        for verdict in record.get("verdict", {}).values():
            if verdict.get("accepted") is False and source.is_file():
                found[verdict["message"]] = (file, verdict, source.read_text("utf-8"))
    return list(found.values())


def test_recorded_refusals(shared: Path) -> None:
    records = refused(shared)
    assert len(records) > 60
    lost = []
    for file, verdict, text in records:
        documents, _ = read(Source("manifest.yaml", text))
        every = [one for document in documents for one in manifests(document)]
        manifest = next((one for one in every if one.ref.kind in verdict["message"] or len(every) == 1), every[0])
        body = {"message": verdict["message"], "details": {"causes": verdict.get("causes", [])}}
        found = judged(manifest, verdict["code"], body, [])
        assert found, file
        for finding in found:
            assert finding.code.id == "SG845"
            assert "\n" not in finding.message and len(finding.message) < 800
            placed = place(finding, manifest.where)
            assert placed["primary"]["file"] == "manifest.yaml"
            # a field that is named stands in the manifest, or what should hold it does
            if "refuses `spec" in finding.message and finding.place.path[0] != "spec" and "spec" in manifest.tree:
                lost.append((file.name, finding.message))
    assert lost == []


def test_lists_of_a_webhook_are_taken_apart() -> None:
    message = (
        'admission webhook "v.example.com" denied the request: [spec.roles[Worker].replicas: Invalid value: 1: a, b, '
        "metadata.annotations[example.com/a.b]: Forbidden: no, spec.limits: Required value]"
    )
    documents, _ = read(Source("a.yaml", yaml.safe_dump({"kind": "X", **TREE})))
    found = judged(manifests(documents[0])[0], 403, {"message": message}, [])
    assert [finding.message for finding in found] == [
        "the webhook `v.example.com` refuses `spec.roles.Worker.replicas`: invalid value: 1: a, b",
        "the webhook `v.example.com` refuses `metadata.annotations[example.com/a.b]`: forbidden: no",
        "the webhook `v.example.com` refuses `spec.limits`: required value",
    ]


@pytest.mark.parametrize(
    "body", [{}, {"message": ""}, {"message": 7}, {"details": []}, {"details": {"causes": [7, {}]}}]
)
def test_answers_of_another_shape(body: dict[str, Any]) -> None:
    documents, _ = read(Source("a.yaml", "kind: X\nmetadata: {name: a}\n"))
    (found,) = judged(manifests(documents[0])[0], 500, body, [])
    assert found.message.startswith("the API server refuses the X: ")
