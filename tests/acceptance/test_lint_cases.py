"""Small manifests with one mistake each, against what the real API server and operators made of them.

What is refused, or comes to pods that are all refused, is an error of ``lint``; what is accepted and makes its pods is
none, but for those that a person has read, in ``lint_cases.yaml``. Where the material is absent, the tests are skipped.
"""

from __future__ import annotations

import csv
from pathlib import Path

from specgen.diagnostics.model import ERROR
from specgen.linting import lint_source
from specgen.source import Source
from tests.acceptance.trees import load

REVIEW = load(Path(__file__).with_name("lint_cases.yaml"))
TABLE = "conformance/specgen/lint-cases/TABLE.csv"


def _found(shared: Path, name: str) -> tuple[list[str], list[str]]:
    """(`CODE line` of each error, the codes of the rest)."""
    file = shared / "findings/cases/lint" / f"{name}.yaml"
    diagnostics = lint_source(Source(file.name, file.read_text("utf-8"))).diagnostics
    errors = [f"{one['code']} {one['primary']['start']['line']}" for one in diagnostics if one["severity"] == ERROR]
    return errors, sorted({one["code"] for one in diagnostics if one["severity"] != ERROR})


def _cases(shared: Path) -> dict[str, bool]:
    """Case → whether it was refused, or all its pods were."""
    rows = csv.DictReader((shared / TABLE).read_text("utf-8").splitlines())
    return {Path(row["file"]).stem: row["strict"] == "refused" or "FailedCreatePod" in row["operator"] for row in rows}


def test_what_is_refused_is_an_error_at_its_line(shared: Path) -> None:
    refused = [name for name, is_refused in _cases(shared).items() if is_refused and name not in REVIEW["not judged"]]
    assert {name: _found(shared, name)[0] for name in refused} == REVIEW["refused"]
    assert all(REVIEW["refused"].values())


def test_what_is_accepted_is_no_error_but_for_those_that_were_read(shared: Path) -> None:
    accepted = [name for name, is_refused in _cases(shared).items() if not is_refused]
    errors = {name: _found(shared, name)[0] for name in accepted}
    reviewed = {name: one["errors"] for name, one in REVIEW["errors on what is accepted"].items()}
    assert {name: found for name, found in errors.items() if found} == reviewed


def test_what_is_wrong_with_what_is_accepted_is_said(shared: Path) -> None:
    assert {name: _found(shared, name)[1] for name in REVIEW["said"]} == REVIEW["said"]
