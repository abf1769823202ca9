"""``expand`` against recordings of manifests that specgen built, of odd values, and of small cases, object by object.

A recording answers for its manifest, also where ``build`` now writes another.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.operators.mindspore.msjob import READER as msjob
from specgen.operators.mpi.mpijob import READER as mpijob_v2beta1
from tests.operators import test_conformance, test_conformance_trainer
from tests.operators.recordings import PARTS, Record, records
from tests.operators.states import State, disagreements, states
from tests.operators.trainer_recordings import Record as TrainerRecord
from tests.operators.trainer_recordings import records as trainer_records

EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "specgen_exceptions.yaml").read_text(encoding="utf-8")) or {}


Counts = dict[str, int]


def _found(shared: Path, part: str) -> Iterator[tuple[str, Callable[[], tuple[list[str], Counts]]]]:
    """The name of each record of a part, and what compares it: differences, and how many fields were compared."""

    def of_training(record: Record, module: Any, gang: str) -> tuple[list[str], Counts]:
        counts = dict.fromkeys(("objects", "fields", "names", "doubtful"), 0)
        return test_conformance._compared(record, module, gang, counts), counts

    def of_state(state: State) -> tuple[list[str], Counts]:
        counts = dict.fromkeys(("records", "objects", "fields", "names", "forward", "unseen"), 0)
        return disagreements([state], {}, counts), counts

    def of_trainer(record: TrainerRecord) -> tuple[list[str], Counts]:
        counts = {"fields": 0}
        return test_conformance_trainer._compared(record, counts), counts

    for gang in ("", *test_conformance.GANGS):
        for module in test_conformance.KINDS:
            for record in records(shared, module.kind, "1.9.4", gang=gang, part=part):
                yield record.name, partial(of_training, record, module, gang)
    for reader, version in ((mpijob_v2beta1, "0.8.2"), (msjob, "1.0.0")):
        for state in states(shared, reader, version, part=part):
            yield state.record.name, partial(of_state, state)
    for one in trainer_records(shared, part):
        yield one.name, partial(of_trainer, one)


@pytest.mark.parametrize("part", PARTS[1:])
def test_first_states(shared: Path, part: str, capsys: pytest.CaptureFixture[str]) -> None:
    failures = []
    records = fields = exceptions = 0
    for name, compared in _found(shared, part):
        found, counts = compared()
        records += 1
        fields += counts["fields"]
        if name in EXCEPTIONS:
            exceptions += 1
            if not found:
                failures.append(f"{name}: its exception is not used")
        elif found:
            failures.append("\n  ".join([name, *found[:8]]))
    with capsys.disabled():
        print(f"\n{part}: {records} records, {fields} fields, {exceptions} exceptions", end=" ")
    assert not failures, f"{len(failures)} records\n" + "\n".join(failures)
    assert fields > 2000


def test_every_exception_has_a_reason() -> None:
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in EXCEPTIONS.values())


def test_all_recordings_are_read(shared: Path) -> None:
    lines = 0
    for file in (shared / "conformance" / "specgen").rglob("INDEX.csv"):
        with open(file, encoding="utf-8", newline="") as index:
            lines += sum(1 for _ in csv.DictReader(index))
    assert sum(1 for part in PARTS[1:] for _ in _found(shared, part)) == lines > 370
