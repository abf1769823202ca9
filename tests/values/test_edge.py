"""Profiles with one odd value each, of which a real API server said what becomes: build refuses what it refused.

``edge.yaml`` says of each profile what build says: ``built``, or the code and the line of the error, which is the odd
word's; and why where that differs from what the server was recorded to say.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.cli.files import DiskFiles
from specgen.diagnostics.model import ERROR
from specgen.session import Session
from tests.operators.refusals import Case

REVIEW = yaml.safe_load((Path(__file__).parent / "edge.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def said(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Profile → ``built``, or the code and line of its first error."""
    home = tmp_path_factory.mktemp("edge") / "repository"
    shutil.copytree(shared / "findings" / "cases" / "operators", home)
    # profiles may name files of their repository alone
    (home / ".git").mkdir()
    found: dict[str, str] = {}
    for file in sorted((home / "edge").glob("*.yaml")):
        (result,) = Session(DiskFiles()).compile([str(file)])
        errors = [one for one in result.diagnostics if one["severity"] == ERROR]
        assert all(Path(one["primary"]["file"]).name == file.name for one in errors)
        first = errors[0] if errors else None
        found[file.stem] = f"{first['code']} {first['primary']['start']['line']}" if first is not None else "built"
    return found


def test_every_profile_is_built_or_refused_at_the_odd_word(said: dict[str, str]) -> None:
    assert said == REVIEW["said"]


def test_build_refuses_what_the_server_refused(shared: Path, said: dict[str, str]) -> None:
    compared, different = 0, {}
    for file in sorted((shared / "conformance" / "specgen" / "edge").rglob("*.json")):
        name = file.stem.removeprefix("edge-")
        if name not in said:
            continue
        compared += 1
        data: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        if bool(Case(name, data, "", None).refused) != (said[name] != "built"):
            different[name] = said[name]
    assert compared > 30
    assert sorted(different) == sorted(REVIEW["exceptions"])
    assert all(len(reason) > 20 for reason in REVIEW["exceptions"].values())
