"""Every rule that public failures ask for is built, or stands in ``failures.yaml`` with the reason against it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen import rules
from specgen.diagnostics._index import CODES
from specgen.linting import lint_source
from specgen.source import Source
from tests.acceptance.trees import load
from tests.rules.runner import cluster, expected, whole

HERE = Path(__file__).parent
LIST = load(HERE / "failures.yaml")
SHOWN = [(name, code) for name, entry in LIST.items() for code in entry.get("shows", {})]
FIXTURES = sorted((HERE.parent / "rules").glob("*/bad*.yaml"))


def test_every_rule_of_the_index_is_listed(shared: Path) -> None:
    index = (shared / "facts/failures.md").read_text("utf-8").partition("### b.13")[2]
    asked = re.findall(r"^\| (SG\d{3}) \|", index, re.MULTILINE)
    assert len(asked) > 80
    assert list(LIST) == asked


@pytest.mark.parametrize("name", LIST)
def test_an_entry_names_codes_that_exist_or_a_reason(name: str) -> None:
    entry = LIST[name]
    assert entry.keys() <= {"codes", "shows", "cluster", "beyond"}
    named = entry.get("codes", [])
    assert named or len(entry["beyond"]) > 40
    assert [code for code in named if code not in CODES] == []
    assert set(entry.get("shows", {})) <= set(named)


def test_every_code_of_a_rule_is_shown_here_or_by_its_own_fixture() -> None:
    own = {rules.load(name).CODE.id for name in rules.names()}
    found = {code for file in FIXTURES for _, code in expected(file)}
    named = {code for entry in LIST.values() for code in entry.get("codes", [])}
    shown = {code for _, code in SHOWN}
    assert sorted((named & own) - found) == []
    # what is no rule's is shown here, but for what takes a profile or a tree of files
    assert sorted(named - own - shown) == ["SG211", "SG212", "SG531", "SG720"]


@pytest.mark.parametrize(("name", "code"), SHOWN)
def test_a_small_job_shows_it(name: str, code: str, tmp_path: Path) -> None:
    part: Any = LIST[name]["shows"][code]
    profile = None
    if "cluster" in LIST[name]:
        said = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "lab"}, **LIST[name]["cluster"]}
        (tmp_path / "cluster.yaml").write_text(yaml.safe_dump(said))
        profile = cluster(tmp_path / "cluster.yaml")
    if isinstance(part, dict):
        part = [whole(part)]
    text = part if isinstance(part, str) else "---\n".join(json.dumps(one, indent=1) + "\n" for one in part)
    found = lint_source(Source("job.yaml", text), profile, chosen=frozenset([code])).diagnostics
    assert code in [one["code"] for one in found]
