"""``expand`` against recordings of the training operator: every object of the first state, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.backends import pytorchjob
from specgen.backends._expansion import Expansion
from specgen.expansion import expand_manifest
from tests.backends.recordings import GROUPS, Record, differences, flattened, leaves, normal, recorded, records

VERSIONS = ("1.9.4", "1.8.1", "1.7.0")
EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "conformance_exceptions.yaml").read_text(encoding="utf-8")) or {}


def _expanded(record: Record) -> dict[str, dict[str, dict[str, Any]]]:
    """Group → name → object; empty groups where the object is not stored."""
    expansion, _ = expand_manifest(record.manifest(), pytorchjob, record.version, lenient=record.refused_strictly)
    if expansion is None:
        return {group: {} for group in GROUPS}
    trees = dict(zip(GROUPS, (expansion.pods, expansion.services, expansion.autoscalers), strict=True))
    return {group: {tree["metadata"]["name"]: normal(flattened(tree)) for tree in trees[group]} for group in GROUPS}


def _compared(record: Record, counts: dict[str, int]) -> list[str]:
    """The differences of one record, and what was compared."""
    got = _expanded(record)
    found = []
    unstable = record.data.get("unstable", ())
    for group in GROUPS:
        if group in unstable:
            continue
        if "created" in record.data:
            names = sorted(record.data["created"].get(group, []))
            counts["names"] += len(names)
            if names != sorted(got[group]):
                found.append(f"{group}: recorded {names}, expanded {sorted(got[group])}")
            continue
        expected = {name: normal(tree) for name, tree in recorded(record.data.get(group, [])).items()}
        if list(expected) != list(got[group]):
            found.append(f"{group}: recorded {list(expected)}, expanded {list(got[group])}")
        for name in expected:
            if name in got[group]:
                counts["objects"] += 1
                counts["fields"] += leaves(expected[name])
                found += [f"{group} {name}{one}" for one in differences(expected[name], got[group][name])]
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_first_states(shared: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    counts = {"records": 0, "objects": 0, "fields": 0, "names": 0}
    failures, used = [], set()
    for record in records(shared, "PyTorchJob", version):
        counts["records"] += 1
        found = _compared(record, counts)
        if record.name in EXCEPTIONS:
            used.add(record.name)
            if not found:
                failures.append(f"{record.name}: its exception is not used")
        elif found:
            failures.append("\n  ".join([record.name, *found[:8]]))
    with capsys.disabled():
        said = ", ".join(f"{counts[key]} {key}" for key in counts)
        print(f"\nPyTorchJob, training-operator {version}: {said}", end=" ")
    stale = [name for name in EXCEPTIONS if name.startswith(f"{version}/") and name not in used]
    assert not failures + stale, "\n".join(failures + stale)
    assert counts["objects"] > 100


def test_refused_jobs_say_who_refuses(shared: Path) -> None:
    """A record without objects is one that nobody stored, that was refused with a reason, or that lies idle."""
    silent = []
    for record in records(shared, "PyTorchJob", "1.9.4"):
        expansion, findings = expand_manifest(record.manifest(), pytorchjob, "1.9.4", lenient=record.refused_strictly)
        if not record.stored and not (findings or _refusals(expansion)):
            silent.append(record.name)
    assert not silent


def _refusals(expansion: Expansion | None) -> list[str]:
    return [] if expansion is None else [refusal.reason for refusal in expansion.refusals]


def test_every_exception_has_a_reason() -> None:
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in EXCEPTIONS.values())
