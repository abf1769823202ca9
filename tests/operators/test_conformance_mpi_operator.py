"""``expand`` against recordings of the mpi-operator: every object of a job, with the launcher that comes later."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.operators.mpi.mpijob import READER as mpijob_v2beta1
from tests.operators.recordings import differences
from tests.operators.states import disagreements, expanded, states, verdicts

EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "states_exceptions.yaml").read_text(encoding="utf-8"))
CASES = [
    ("0.8.2", "", 192),
    ("0.8.2", "volcano", 34),
    ("0.8.2", "scheduler-plugins", 34),
    ("0.6.0", "", 75),
    ("0.4.0", "", 75),
]


@pytest.mark.parametrize(("version", "gang", "records"), CASES)
def test_states(shared: Path, version: str, gang: str, records: int, capsys: pytest.CaptureFixture[str]) -> None:
    keys = ("records", "objects", "fields", "names", "forward", "unseen", "exceptions")
    counts = dict.fromkeys(keys, 0)
    failures = disagreements(states(shared, mpijob_v2beta1, version, gang), EXCEPTIONS, counts)
    with capsys.disabled():
        said = ", ".join(f"{count} {key}" for key, count in counts.items())
        print(f"\nMPIJob, mpi-operator {version}{', gang ' + gang if gang else ''}: {said}", end=" ")
    assert not failures, "\n".join(failures)
    assert counts["records"] >= records
    assert counts["objects"] > 300
    assert counts["forward"] > 0 or version == "0.4.0"  # which has no launcherCreationPolicy


def test_exceptions_are_of_records(shared: Path) -> None:
    known = [state.record.name for version, gang, _ in CASES for state in states(shared, mpijob_v2beta1, version, gang)]
    assert [name for name in EXCEPTIONS if name.startswith("mpi-operator-") and name not in known] == []
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in EXCEPTIONS.values())


@pytest.mark.parametrize("version", ("0.8.2", "0.6.0", "0.4.0"))
def test_refusals(shared: Path, version: str, capsys: pytest.CaptureFixture[str]) -> None:
    counts, wrong = verdicts(states(shared, mpijob_v2beta1, version))
    with capsys.disabled():
        print(
            f"\nMPIJob, mpi-operator {version}: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()),
            end=" ",
        )
    assert not wrong, "\n".join(wrong)
    assert counts["refused by the operator"] >= 18


@pytest.mark.parametrize("version", ("0.8.2", "0.6.0", "0.4.0"))
def test_a_suspended_job_that_is_resumed(shared: Path, version: str) -> None:
    """What comes on top when ``suspend`` becomes false is what the expansion without it has on top."""
    state = next(one for one in states(shared, mpijob_v2beta1, version) if one.record.name.endswith("/mo-suspend.json"))
    stage = next(one for one in state.data["stages"] if one["stage"] == "resumed")
    created: dict[str, Any] = {key: tree for key, tree in stage["created"].items() if key.startswith("Pod/")}
    manifest = state.record.manifest()
    backend: Any = mpijob_v2beta1
    before = expanded(expand_manifest(manifest, backend, version)[0])
    assert before["pods"] == {}
    tree = {**manifest.tree, "spec": {**manifest.tree["spec"], "runPolicy": {"suspend": False}}}
    pods = expanded(expand_manifest(Manifest(tree, manifest.where), backend, version)[0])["pods"]
    assert [f"Pod/{name}" for name in pods] == list(created)
    for name, pod in pods.items():
        recorded = created[f"Pod/{name}"]
        if "same_as" not in recorded:
            assert differences({**recorded, "name": name}, pod) == []
