"""Everything that joins by lying in a folder fits: rules, their codes, their pages, their fixtures, and the index."""

from __future__ import annotations

import ast
import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from specgen import rules
from specgen.cli.explain import codes
from specgen.diagnostics.model import ERROR, NOTE, WARNING, Code
from specgen.generate import rules_index
from specgen.profile.codes import DOES_NOT_FIT, POD_SECURITY
from specgen.rules import _index
from tests.members import WITHOUT, missing

HEADINGS = [
    "## What it checks",
    "## Why it hurts",
    "## Severity",
    "## Example",
    "## Fix",
    "## When to ignore it",
    "## References",
]
SCOPES = (rules.WORKLOAD, rules.ROLE, rules.CONTAINER, rules.REFUSED, rules.BESIDE, rules.OBJECT)
OURS = [rules.load(name).CODE.id for name in rules.names()]


def test_codes_and_slugs_are_unique() -> None:
    # `catalog` raises for a code or a slug that is there twice
    assert list(codes()) == sorted(codes())
    assert set(OURS) <= set(codes())


@pytest.mark.parametrize("code", codes().values(), ids=lambda code: str(code.id))
def test_a_page_has_the_headings_in_order_and_a_readable_length(code: Code) -> None:
    lines = code.page.strip().splitlines()
    assert [line for line in lines if line.startswith("## ")] == HEADINGS
    assert lines[0].endswith(".") and not lines[0].startswith("#")
    assert 15 <= len(lines) <= 60


@pytest.mark.parametrize("code", codes().values(), ids=lambda code: str(code.id))
def test_a_code_is_well_formed(code: Code) -> None:
    assert len(code.id) == 5 and code.id[:2] == "SG" and code.id[2:].isdigit()
    assert code.slug and code.slug == code.slug.lower() and " " not in code.slug
    assert not code.slug.startswith(("no-", "check-", "should-"))
    assert code.severity in (ERROR, WARNING, NOTE)
    assert code.since


@pytest.mark.parametrize("name", rules.names())
def test_a_rule_fits_its_protocol(name: str, root: Path) -> None:
    rule = rules.load(name)
    assert isinstance(rule.CODE, Code)
    assert rule.SCOPE in SCOPES
    assert list(inspect.signature(rule.check).parameters)[1:] == ["context"]
    assert inspect.isgeneratorfunction(rule.check)
    # what profiles are told as well has its page where both can reach it
    assert rule.CODE.page == rule.__doc__ or rule.CODE in (DOES_NOT_FIT, POD_SECURITY)
    folder = root / "tests" / "rules" / name
    assert (folder / "report.txt").is_file(), f"`pytest tests --snapshot-update -k test_reports` writes that of {name}"


@pytest.mark.parametrize("name", rules.names())
def test_a_rule_imports_only_what_rules_may(name: str) -> None:
    allowed = (
        "specgen.diagnostics",
        "specgen.manifest.beside",
        "specgen.manifest.model",
        "specgen.manifest.origins",
        "specgen.manifest.views",
        "specgen.nccl",
        "specgen.operators.controllers",
        "specgen.operators.objection",
        "specgen.operators.kubernetes",
        "specgen.operators.incidents",
        "specgen.operators.expansion",
        "specgen.operators.held",
        "specgen.operators.lifecycle",
        "specgen.operators.mpi.mpirun",
        "specgen.operators.jobset.facts",
        "specgen.operators.queues",
        "specgen.operators.template",
        "specgen.operators.trainer",
        "specgen.operators.volcano.facts",
        "specgen.profile.cluster",
        "specgen.profile.codes",
        "specgen.profile.library",
        "specgen.devices",
        "specgen.quantity",
        "specgen.rules",
        "specgen.schedulers.fit",
        "specgen.schedulers.sums",
        "specgen.schedulers.verdict",
        "specgen.source",
        "specgen.tables.trainer_contract",
        "collections.abc",
        "typing",
        "__future__",
    )
    source = inspect.getsource(rules.load(name))  # type: ignore[arg-type]
    for node in ast.walk(ast.parse(source)):
        names = [f"{node.module}.{alias.name}" for alias in node.names] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        assert all(one.startswith(allowed) for one in names)


def test_no_member_lacks_a_part(root: Path) -> None:
    assert not missing(root), "\n".join(missing(root))


@pytest.mark.parametrize(("folder", "word"), WITHOUT)
def test_what_an_operator_goes_without_is_not_there(folder: str, word: str, root: Path) -> None:
    assert (root / "specgen/operators" / folder).is_dir()
    assert not (root / "specgen/operators" / folder / f"{word}.py").is_file(), "take the exception off the list"


def test_the_index_names_every_code_once(root: Path) -> None:
    text = rules_index.generate()[rules_index.PATH]
    assert [line.split(" | ")[0][2:] for line in text.splitlines() if line.startswith("| SG")] == list(codes())
    assert text == (root / rules_index.PATH).read_text()


def test_a_rule_that_is_not_in_the_table_is_named(root: Path) -> None:
    """The table is what a start reads: a rule that it lacks would never be asked."""
    assert list(_index.RULES) == rules.names(), "a rule came or went: run `python -m specgen.generate`"
    assert rules_index.generate()[rules_index.TABLE] == (root / rules_index.TABLE).read_text(), (
        "a rule says other `KINDS` or `CAUSES` than the table: run `python -m specgen.generate`"
    )


class _Whole:
    """A rule that has all its parts."""

    CODE = None
    SCOPE = rules.WORKLOAD
    KINDS = ("MPIJob",)
    check = None


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"CODE": ...}, "has no `CODE`"),
        ({"SCOPE": ...}, "has no `SCOPE`"),
        ({"KINDS": ...}, "has no `KINDS`"),
        ({"check": ...}, "has no `check`"),
        ({"KINDS": ("MXJob",)}, "names `MXJob`, which no operator here reads"),
        ({"SCOPE": "pod"}, "`SCOPE` is none of those"),
        ({"SCOPE": rules.REFUSED}, "does not say for which `CAUSES`"),
    ],
)
def test_half_a_rule_is_not_registered(parts: dict[str, object], said: str) -> None:
    whole = {name: value for name, value in vars(_Whole).items() if not name.startswith("__")}
    assert rules_index.registered("mine", SimpleNamespace(**whole)) == (("MPIJob",), (), ())
    half = {name: value for name, value in (whole | parts).items() if value is not ...}
    with pytest.raises(ValueError, match=re.escape(said)) as caught:
        rules_index.registered("mine", SimpleNamespace(**half))
    assert "specgen/rules/mine.py" in str(caught.value)


# Causes of which the rule finds the place for itself, in jobs that nobody refuses as well.
FOUND_ANYWAY = {"containers", "image", "limit"}


def test_every_cause_has_the_rule_that_presents_it(root: Path) -> None:
    """A refusal with a cause that no rule names would be in ``expand`` alone."""
    presented = [cause for name in rules.names() for cause in getattr(rules.load(name), "CAUSES", ())]
    assert len(presented) == len(set(presented)), "two rules present one cause"
    said: set[str] = set()
    for file in sorted((root / "specgen" / "operators").glob("*/*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            words: list[ast.expr] = []
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Objection":
                words = node.args[3:]
            elif isinstance(node, ast.Yield) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 3:
                words = node.value.elts[2:]
            for word in words:
                branches = [word.body, word.orelse] if isinstance(word, ast.IfExp) else [word]
                said |= {one.value for one in branches if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    assert said - set(presented) == FOUND_ANYWAY, "an operator refuses for a cause that no rule presents"
    assert set(presented) <= said, "a rule presents a cause for which nobody refuses"
