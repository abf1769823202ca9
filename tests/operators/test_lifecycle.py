"""What ``expand`` says of a job's life against every recorded stage of success, failure, and clean-up.

``lifecycle_exceptions.yaml`` holds the records that say something else, with the reason; one that is not used fails.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.operators import by_object
from specgen.operators.expand import expand_manifest
from specgen.operators.mindspore.msjob import READER as msjob
from specgen.operators.mpi.mpijob import READER as mpijob_v2beta1
from specgen.operators.training.jaxjob import READER as jaxjob
from specgen.operators.training.mpijob import READER as mpijob_v1
from specgen.operators.training.paddlejob import READER as paddlejob
from specgen.operators.training.pytorchjob import READER as pytorchjob
from specgen.operators.training.tfjob import READER as tfjob
from specgen.operators.training.xgboostjob import READER as xgboostjob
from tests.operators import trainer_recordings
from tests.operators.life import Life, Stages
from tests.operators.life_trainer import JobSetStages
from tests.operators.recordings import Record, records
from tests.operators.states import states

EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "lifecycle_exceptions.yaml").read_text(encoding="utf-8")) or {}
TRAINING: tuple[Any, ...] = (pytorchjob, tfjob, mpijob_v1, xgboostjob, paddlejob, jaxjob)
CASES: list[tuple[str, str, tuple[Any, ...], tuple[str, ...]]] = [
    ("training-operator", "1.9.4", TRAINING, ("", "volcano", "scheduler-plugins")),
    ("training-operator", "1.8.1", TRAINING[:-1], ("",)),
    ("training-operator", "1.7.0", TRAINING[:-1], ("",)),
    ("mpi-operator", "0.8.2", (mpijob_v2beta1,), ("", "volcano", "scheduler-plugins")),
    ("mpi-operator", "0.6.0", (mpijob_v2beta1,), ("",)),
    ("mpi-operator", "0.4.0", (mpijob_v2beta1,), ("",)),
    ("ms-operator", "1.0.0", (msjob,), ("", "volcano")),
]


def _recorded(shared: Path, operator: str, version: str, module: Any, gang: str) -> list[tuple[Record, str | None]]:
    """(record, the operator's flag) of a kind."""
    if operator == "training-operator":
        return [(one, gang or None) for one in records(shared, module.kind, version, gang=gang)]
    return [(one.record, one.gang) for one in states(shared, module, version, gang)]


@pytest.mark.parametrize(("operator", "version", "modules", "gangs"), CASES, ids=lambda value: str(value)[:20])
def test_stages(
    shared: Path,
    operator: str,
    version: str,
    modules: tuple[Any, ...],
    gangs: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    counts: dict[str, int] = {}
    lives, used, failures = 0, [], []
    for module in modules:
        for gang in gangs:
            for record, flag in _recorded(shared, operator, version, module, gang):
                if not record.data.get("stages") or not record.stored:
                    continue
                lenient = record.refused_strictly
                expansion, _ = expand_manifest(record.manifest(), module, version, lenient=lenient, gang=flag)
                if expansion is None or expansion.lifecycle is None:
                    continue
                stages = Stages(Life(expansion), counts)
                stages.go(record.data["stages"])
                lives += 1
                if record.name in EXCEPTIONS:
                    used.append(record.name)
                    if not stages.wrong:
                        failures.append(f"{record.name}: its exception is not used")
                elif stages.wrong:
                    failures.append("\n  ".join([record.name, *stages.wrong]))
    with capsys.disabled():
        print(f"\n{_said(f'{operator} {version}', lives, counts)}; {len(used)} exceptions", end=" ")
    assert not failures, "\n".join(failures)
    assert lives > 0
    assert sum(counts.values()) > 40
    # an exception of a record that is not there any more is no better than one that is not used
    assert [name for name in EXCEPTIONS if _is_of(name, operator, version) and name not in used] == []


def test_stages_of_trainjobs(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts: dict[str, int] = {}
    lives, failures = 0, []
    for record in trainer_recordings.records(shared):
        job = record.job()
        if not record.data.get("stages") or record.refused or (job.tree.get("spec") or {}).get("suspend") is True:
            continue
        backend = by_object(job.ref.api_version, job.ref.kind)
        assert backend is not None
        lenient = record.refused_strictly
        companions = [one for one in record.companions() if one.tree is not job.tree]
        expansion, _ = expand_manifest(job, backend, lenient=lenient, companions=companions)
        if expansion is None or expansion.lifecycle is None:
            continue
        stages = JobSetStages(Life(expansion), counts)
        stages.go(record.data["stages"], f"{job.ref.kind}/{expansion.job.name}")
        lives += 1
        failures += ["\n  ".join([record.name, *stages.wrong])] if stages.wrong else []
    with capsys.disabled():
        print(f"\n{_said('trainer 2.3.0', lives, counts)}", end=" ")
    assert not failures, "\n".join(failures)
    assert sum(counts.values()) > 60


def test_every_exception_has_a_reason_and_an_operator() -> None:
    assert all(isinstance(reason, str) and len(reason) > 40 for reason in EXCEPTIONS.values())
    assert all(any(_is_of(name, *case[:2]) for case in CASES) for name in EXCEPTIONS)


def _is_of(name: str, operator: str, version: str) -> bool:
    """Whether a record's name is of this operator and version; those of the training operator begin with the latter."""
    return name.startswith(f"{version}/" if operator == "training-operator" else f"{operator}-{version}/")


def _said(who: str, lives: int, counts: dict[str, int]) -> str:
    parts = ", ".join(f"{counts[key]} {key}" for key in counts)
    return f"{who}: {lives} lives, {sum(counts.values())} facts compared: {parts}"
