"""Each code gives a reason for each severity that its findings have, in its page alone; what is printed agrees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from specgen import rules
from specgen.cli.codes import codes
from specgen.diagnostics.model import ERROR, NOTE, WARNING, Code
from specgen.diagnostics.pages import severities
from specgen.manifest.symptoms import RAISED

_PRINTED = re.compile(r"\b(error|warning|note)\[(SG\d{3})\]")
_SUFFIXES = (".txt", ".yaml")


@pytest.mark.parametrize("code", codes().values(), ids=lambda code: str(code.id))
def test_a_page_says_in_one_line_why_each_severity(code: Code) -> None:
    found = severities(code.page)
    assert code.severity in found
    assert list(found) == [one for one in (ERROR, WARNING, NOTE) if one in found]
    assert all(reason.endswith(".") and len(reason) > 15 for reason in found.values())
    # all of the section is such lines
    section = code.page.partition("\n## Severity\n")[2].partition("\n\n")[0]
    assert section.count("\n") == len(found) - 1


@pytest.mark.parametrize("name", rules.names())
def test_a_rule_that_says_a_severity_has_several(name: str, root: Path) -> None:
    rule = rules.load(name)
    text = (root / f"specgen/rules/{name}.py").read_text("utf-8")
    # the pages of two rules stand with the stage that finds the same
    if "page=__doc__" in text and rule.CODE.id not in RAISED:
        assert ("severity=" in text) == (len(severities(rule.CODE.page)) > 1)


def test_what_is_printed_has_its_reason(root: Path) -> None:
    known = {code.id: severities(code.page) for code in codes().values()}
    printed = {}
    for path in sorted((root / "tests").rglob("*")):
        if path.suffix in _SUFFIXES and "formats" not in path.parts:
            for severity, code in _PRINTED.findall(path.read_text("utf-8", errors="replace")):
                printed[code, severity] = path.relative_to(root)
    assert len(printed) > 150
    assert {key: path for key, path in printed.items() if key[1] not in known.get(key[0], {})} == {}


def test_every_code_is_in_the_catalog(root: Path) -> None:
    written = set()
    for path in sorted((root / "specgen").rglob("*.py")):
        written |= set(re.findall(r'\bCode\(\s*"(SG\d{3})"', path.read_text("utf-8")))
    assert written == set(codes())
