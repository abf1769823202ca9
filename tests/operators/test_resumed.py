"""A suspended job, expanded as its queue lets it begin, comes to what the operators were recorded to create then."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specgen.manifest.model import Manifest
from specgen.operators import by_object
from specgen.operators.expand import expand_manifest, is_suspended
from specgen.operators.expansion import Expansion
from tests.operators import trainer_recordings
from tests.operators.recordings import GROUPS, Record, differences, leaves, recorded
from tests.operators.states import State, expanded
from tests.operators.states import _normal as normal

OPERATORS = ("training-operator-1.9.4", "training-operator-1.8.1", "mpi-operator-0.8.2", "mpi-operator-0.4.0")


def _expanded(manifest: Manifest, version: str, gang: str | None, companions: list[Manifest]) -> Expansion:
    backend = by_object(manifest.ref.api_version, manifest.ref.kind)
    assert backend is not None
    assert is_suspended(manifest.tree)
    held, _ = expand_manifest(manifest, backend, version, gang=gang, companions=companions)
    assert held is not None
    assert not held.pods
    begun, _ = expand_manifest(manifest, backend, version, gang=gang, companions=companions, resumed=True)
    assert begun is not None
    return begun


@pytest.mark.parametrize("folder", OPERATORS)
def test_pods_of_the_stage_that_resumes(folder: str, shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    version = folder.rpartition("-")[2]
    kinds = {kind: group for group, kind in GROUPS.items()}
    objects = fields = 0
    found = sorted((shared / "conformance" / folder).rglob("*-suspend.json"))
    for file in found:
        data = json.loads(file.read_text(encoding="utf-8"))
        stage = next(one for one in data["stages"] if one["stage"] == "resumed")
        record = Record(version, file.name, data, shared)
        backend = by_object(data["apiVersion"], data["kind"])
        top = file.relative_to(shared / "conformance" / folder).parts[0]
        flag = top.removeprefix("gang-") if top.startswith("gang-") else None
        gang = State(record, backend).gang or flag  # type: ignore[arg-type]
        begun = _expanded(record.manifest(), version, gang, [])
        got = expanded(begun)
        created: dict[str, list[Any]] = {group: [] for group in GROUPS}
        for key, tree in stage["created"].items():
            kind, _, name = key.partition("/")
            created[kinds[kind]].append({**tree, "name": name})
        for group, trees in created.items():
            for name, tree in recorded(trees).items():
                expected = normal(group, tree)
                assert name in got[group], f"{file.name}: {GROUPS[group]}/{name} is not expanded"
                assert not differences(expected, got[group][name]), f"{file.name}: {GROUPS[group]}/{name}"
                objects, fields = objects + 1, fields + leaves(expected)
        assert {one["name"] for one in created["pods"]} == set(got["pods"]), file.name
    assert objects
    with capsys.disabled():
        print(f"\n{folder}, resumed: {len(found)} records, {objects} objects, {fields} fields", end=" ")


def test_pods_of_a_trainjob_that_is_resumed(shared: Path) -> None:
    counted = 0
    for record in trainer_recordings.records(shared):
        stages = {one.get("did"): one for one in record.data.get("stages", ())}
        created = stages.get("spec.suspend false", {}).get("created", {}).get("Pod")
        # where something was changed before, what was sent is not what was resumed
        if not created or list(stages)[1] != "spec.suspend false":
            continue
        begun = _expanded(record.job(), "2.3.0", None, record.companions())
        assert sorted(pod["metadata"]["name"] for pod in begun.pods) == sorted(created), record.name
        counted += 1
    assert counted >= 2
