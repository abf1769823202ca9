"""What the API server, a webhook, or an operator by its events refuses, ``lint`` refuses, and nothing else.

Held against all recordings of all operators and versions, and against the verdicts of a real API server on the corpus
and on the sources. ``refusal_exceptions.yaml`` says why where the two disagree; one that is not used fails.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specgen.document.decode import decode
from specgen.document.read import read
from specgen.linting import lint_source
from specgen.manifest.origins import manifests
from tests.operators.refusals import Tally, cases, cluster, exceptions, says_refused

# Operator and version → how many recordings both refuse, at least.
RECORDED = {
    ("training-operator", "1.9.4"): 90,
    ("training-operator", "1.8.1"): 56,
    ("training-operator", "1.7.0"): 55,
    ("mpi-operator", "0.8.2"): 43,
    ("mpi-operator", "0.6.0"): 22,
    ("mpi-operator", "0.4.0"): 32,
    ("ms-operator", "1.0.0"): 12,
    ("trainer", "2.3.0"): 149,
}


def test_recordings(shared: Path, capsys: pytest.CaptureFixture[str]) -> None:
    known = exceptions("recordings")
    used: set[str] = set()
    failures = []
    for (operator, version), least in RECORDED.items():
        tally = Tally(known)
        for case in cases(shared, operator, version):
            tally.add(case.name, case.refused, case.errors(), lacks=case.lacks)
        with capsys.disabled():
            print(f"\n{operator} {version}: {tally}", end=" ")
        used |= tally.used
        failures += tally.failures
        if tally.counts["refused by both"] < least:
            failures.append(f"{operator} {version}: only {tally.counts['refused by both']} are refused by both")
    failures += [f"{name}: its exception is not used" for name in known if name not in used]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize(("folder", "least"), [("corpus", 101), ("sources", 4)])
def test_verdicts(shared: Path, folder: str, least: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The server knew the CRDs alone, those of Trainer 2.3: no webhook and no operator spoke."""
    served = cluster("trainer", "2.3.0")
    home = shared / folder / ("manifests" if folder == "sources" else "")
    verdicts = json.loads((shared / folder / "VERDICTS.json").read_text(encoding="utf-8"))
    known = exceptions(folder)
    tally, unread, refused_unread = Tally(known), 0, 0
    for name, verdict in verdicts.items():
        source, findings = decode(name, (home / name).read_bytes())
        documents = [] if source is None else read(source)[0]
        objects = [one for document in documents if isinstance(document.data, dict) for one in manifests(document)]
        said = " ".join(verdict["strict"]["errors"])
        linted = lint_source(source, served) if source is not None else None
        if linted is not None and objects and not linted.checked:
            unread += 1
            refused_unread += not verdict["strict"]["accepted"] and "no matches for kind" not in said
            continue
        refused = "" if verdict["strict"]["accepted"] else said or "refused"
        diagnostics = [] if linted is None else linted.diagnostics
        errors = [f"{one['code']} {one['message']}" for one in diagnostics if says_refused(one)]
        errors += [finding.message for finding in findings]
        tally.add(f"{folder}/{name}", refused, errors, lacks="no matches for kind" in said)
    with capsys.disabled():
        aside = f"{unread} of kinds that specgen does not read ({refused_unread} of them refused)"
        print(f"\n{folder}/VERDICTS.json: {tally}, {aside}", end=" ")
    failures = tally.failures + [f"{name}: its exception is not used" for name in known if name not in tally.used]
    assert not failures, "\n".join(failures)
    assert tally.counts["refused by both"] >= least


@pytest.mark.parametrize("section", ["recordings", "corpus", "sources"])
def test_every_exception_has_a_reason(section: str) -> None:
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in exceptions(section).values())
