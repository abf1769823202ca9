"""The word of a real API server: what it took is taken, what it refused of pods is refused, by lint and expand alike.

``exceptions.yaml`` says why where the three disagree; one that is not used fails.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.operators.kubernetes.admission import refusals
from tests.admission.pods import Verdicts
from tests.operators.refusals import Case

EXCEPTIONS = yaml.safe_load((Path(__file__).parent / "exceptions.yaml").read_text(encoding="utf-8"))


def _records(folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for file in sorted(folder.rglob("*.json")):
        data = json.loads(file.read_text(encoding="utf-8"))
        if isinstance(data, dict) and "verdict" in data:
            yield str(file.relative_to(folder)), data


def test_pods_that_a_real_server_took_are_taken(shared: Path) -> None:
    """Every pod that an operator was recorded to create; of a name that was left open the letters are unknown."""
    count = 0
    for name, data in _records(shared / "conformance"):
        for pod in data.get("pods") or []:
            if isinstance(pod, dict) and "same_as" not in pod:
                count += 1
                assert [one.reason for one in refusals(pod)] == [], name
    assert count > 2500


@pytest.mark.parametrize("folder", ["edge", "lint-cases", "probes", "built"])
def test_server_lint_and_expand_agree(shared: Path, folder: str, capsys: pytest.CaptureFixture[str]) -> None:
    home = shared / "conformance" / "specgen" / folder
    known = {name: reason for name, reason in EXCEPTIONS.items() if name.startswith(f"{folder}/")}
    used, failures, refused, taken = set(), [], 0, 0
    for name, data in _records(home):
        text = (shared / data["source"].removeprefix("shared/")).read_text(encoding="utf-8")
        server = Case(name, data, text, None).refused
        verdicts = Verdicts(text)
        refused += bool(server)
        taken += not server
        said = {bool(server), bool(verdicts.errors)}
        # a runtime that is installed stands in no file, and without one `expand` can say nothing
        if not any("is not among the files" in reason for reason in verdicts.refusals):
            said.add(bool(verdicts.refusals))
        if len(said) == 1:
            continue
        if f"{folder}/{name}" in known:
            used.add(f"{folder}/{name}")
            continue
        failures.append(
            f"{folder}/{name}: server {server[-150:]!r}, lint {verdicts.errors}, expand {verdicts.refusals}"
        )
    with capsys.disabled():
        print(f"\n{folder}: {refused} refused, {taken} taken, {len(used)} exceptions", end=" ")
    failures += [f"{name}: its exception is not used" for name in known if name not in used]
    assert not failures, "\n".join(failures)
    assert taken


def test_every_exception_has_a_reason() -> None:
    assert all(isinstance(reason, str) and len(reason) > 20 for reason in EXCEPTIONS.values())
