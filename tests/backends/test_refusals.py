"""What the API server or the webhook of training-operator 1.9.4 refuses, ``lint`` refuses, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from specgen.diagnostics.model import ERROR
from specgen.pipeline import lint_source
from specgen.source import Source
from tests.backends.recordings import Record, records

EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "refusal_exceptions.yaml").read_text(encoding="utf-8")) or {}


def _errors(record: Record) -> list[str]:
    linted = lint_source(Source(record.name, record.text()))
    return [f"{one['code']} {one['message']}" for one in linted.diagnostics if one["severity"] == ERROR]


def test_lint_refuses_what_is_refused(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = {"refused by both": 0, "accepted by both": 0, "accepted, an error to lint": 0, "refused, clean to lint": 0}
    failures, used = [], set()
    for record in records(shared, "PyTorchJob", "1.9.4"):
        errors = _errors(record)
        if record.refused_strictly == bool(errors):
            counts["refused by both" if errors else "accepted by both"] += 1
            continue
        counts["accepted, an error to lint" if errors else "refused, clean to lint"] += 1
        if record.name in EXCEPTIONS:
            used.add(record.name)
        else:
            message = errors or [record.data["verdict"]["strict"]["message"][-200:]]
            failures.append(f"{record.name}: {'lint says' if errors else 'the server says'} {message[:3]}")
    with capsys.disabled():
        said = ", ".join(f"{count} {what}" for what, count in counts.items())
        print(f"\nPyTorchJob, refusals of 1.9.4: {said}", end=" ")
    failures += [f"{name}: its exception is not used" for name in EXCEPTIONS if name not in used]
    assert not failures, "\n".join(failures)


def test_every_exception_has_a_reason() -> None:
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in EXCEPTIONS.values())
