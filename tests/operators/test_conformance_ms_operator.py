"""``expand`` against recordings of the ms-operator: every object of the first state, and who refuses a job."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from specgen.operators.mindspore.msjob import READER as msjob
from tests.operators.states import disagreements, states, verdicts

EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "states_exceptions.yaml").read_text(encoding="utf-8"))
CASES = [("", 74, 180), ("volcano", 6, 30)]


@pytest.mark.parametrize(("gang", "records", "objects"), CASES)
def test_states(shared: Path, gang: str, records: int, objects: int, capsys: pytest.CaptureFixture[str]) -> None:
    counts = dict.fromkeys(("records", "objects", "fields", "names", "forward", "unseen", "exceptions"), 0)
    failures = disagreements(states(shared, msjob, "1.0.0", gang), EXCEPTIONS, counts)
    with capsys.disabled():
        said = ", ".join(f"{count} {key}" for key, count in counts.items())
        print(f"\nMSJob, ms-operator 1.0.0{', gang ' + gang if gang else ''}: {said}", end=" ")
    assert not failures, "\n".join(failures)
    assert counts["records"] >= records
    assert counts["objects"] >= objects


def test_exceptions_are_of_records(shared: Path) -> None:
    known = [state.record.name for gang, _, _ in CASES for state in states(shared, msjob, "1.0.0", gang)]
    assert [name for name in EXCEPTIONS if name.startswith("ms-operator-") and name not in known] == []


def test_refusals(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts, wrong = verdicts(states(shared, msjob, "1.0.0"))
    with capsys.disabled():
        print("\nMSJob, ms-operator 1.0.0: " + ", ".join(f"{count} {kind}" for kind, count in counts.items()), end=" ")
    assert not wrong, "\n".join(wrong)
    assert counts["crashes the operator"] == 2
