"""``expand`` against recordings of the training operator: every object of the first state, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.operators.expand import expand_manifest
from specgen.operators.training.jaxjob import READER as jaxjob
from specgen.operators.training.mpijob import READER as mpijob_v1
from specgen.operators.training.paddlejob import READER as paddlejob
from specgen.operators.training.pytorchjob import READER as pytorchjob
from specgen.operators.training.tfjob import READER as tfjob
from specgen.operators.training.xgboostjob import READER as xgboostjob
from tests.operators.recordings import GROUPS, Record, differences, flattened, leaves, normal, recorded, records

VERSIONS = ("1.9.4", "1.8.1", "1.7.0")
KINDS: tuple[Any, ...] = (pytorchjob, tfjob, mpijob_v1, xgboostjob, paddlejob, jaxjob)
GANGS = ("volcano", "scheduler-plugins")
EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "conformance_exceptions.yaml").read_text(encoding="utf-8")) or {}
# JAXJob came with 1.9, and only the newest version was recorded with gang flags.
CASES = [
    *((module, version, "") for module in KINDS for version in VERSIONS if module is not jaxjob or version == "1.9.4"),
    *((module, "1.9.4", gang) for gang in GANGS for module in KINDS),
]


def _expanded(record: Record, module: Any, gang: str) -> dict[str, dict[str, dict[str, Any]]]:
    """Group → name → object; empty groups where the object is not stored."""
    lenient = record.refused_strictly
    expansion, _ = expand_manifest(record.manifest(), module, record.version, lenient=lenient, gang=gang)
    trees = [] if expansion is None else expansion.objects
    assert all(tree["kind"] in GROUPS.values() for tree in trees)
    return {
        group: {tree["metadata"]["name"]: normal(flattened(tree)) for tree in trees if tree["kind"] == kind}
        for group, kind in GROUPS.items()
    }


def _in_order(names: list[str]) -> dict[str, list[str]]:
    """The names by what stands before their index: recordings sort roles by name, expansions as the operator does."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.rpartition("-")[0], []).append(name)
    return found


def _compared(record: Record, module: Any, gang: str, counts: dict[str, int]) -> list[str]:
    """The differences of one record, and what was compared.

    ``doubtful`` counts groups of other names where the newest version did not make the same names twice.
    """
    got = _expanded(record, module, gang)
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
        if group in record.doubtful and list(expected) != list(got[group]):
            counts["doubtful"] += 1
            continue
        if _in_order(list(expected)) != _in_order(list(got[group])):
            found.append(f"{group}: recorded {list(expected)}, expanded {list(got[group])}")
        for name in expected:
            if name in got[group]:
                counts["objects"] += 1
                counts["fields"] += leaves(expected[name])
                found += [f"{group} {name}{one}" for one in differences(expected[name], got[group][name])]
    return found


def _name(value: Any) -> str:
    return str(value) if isinstance(value, str) else str(value.kind)


@pytest.mark.parametrize(("module", "version", "gang"), CASES, ids=_name)
def test_first_states(shared: Path, module: Any, version: str, gang: str, capsys: pytest.CaptureFixture[str]) -> None:
    counts = dict.fromkeys(("records", "objects", "fields", "names", "doubtful", "exceptions"), 0)
    failures = []
    for record in records(shared, module.kind, version, gang=gang):
        counts["records"] += 1
        found = _compared(record, module, gang, counts)
        if record.name in EXCEPTIONS:
            counts["exceptions"] += 1
            if not found:
                failures.append(f"{record.name}: its exception is not used")
        elif found:
            failures.append("\n  ".join([record.name, *found[:8]]))
    with capsys.disabled():
        said = ", ".join(f"{counts[key]} {key}" for key in counts)
        print(f"\n{module.kind}, training-operator {version}{', gang ' + gang if gang else ''}: {said}", end=" ")
    assert not failures, "\n".join(failures)
    assert counts["records"] > 0
    assert counts["objects"] > 0


def test_every_exception_is_of_a_record(shared: Path) -> None:
    gangs = {version: ("", *GANGS) if version == "1.9.4" else ("",) for version in VERSIONS}
    known = [
        record.name
        for version in VERSIONS
        for gang in gangs[version]
        for module in KINDS
        for record in records(shared, module.kind, version, gang=gang)
    ]
    assert [name for name in EXCEPTIONS if name not in known] == []
    assert len(known) > 700


@pytest.mark.parametrize(("module", "version"), [case[:2] for case in CASES if not case[2]], ids=_name)
def test_verdicts(shared: Path, module: Any, version: str) -> None:
    """With field validation a job is refused by the API server or its webhook if and only if it was."""
    wrong = []
    for record in records(shared, module.kind, version):
        expansion, findings = expand_manifest(record.manifest(), module, version)
        refusals = [] if expansion is None else expansion.refusals
        refused = any(
            one.kind == module.kind and ("webhook" in one.by or one.by == "the API server") for one in refusals
        )
        if (expansion is None or refused) != record.refused_strictly:
            wrong.append(f"{record.name}: {record.data['verdict']['strict']}, {[one.message for one in findings]}")
        if expansion is None:
            assert findings
    assert not wrong, "\n".join(wrong)


def test_every_exception_has_a_reason() -> None:
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in EXCEPTIONS.values())
