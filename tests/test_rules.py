"""Rules: fixtures with their expectations, the examples of their pages, reports that a person has read, and folding.

Every file of ``tests/rules/*/`` is linted as the command line does it; ``# expect: CODE`` behind a line names each of
its diagnostics. Folders that begin with ``_`` belong to findings of other stages. After a change of wording, run
`pytest tests --snapshot-update -k test_reports` and read the difference of ``report.txt``.
"""

from __future__ import annotations

import json
from math import gcd
from pathlib import Path
from typing import Any

import pytest

from specgen import rules
from specgen.diagnostics.model import Diagnostic, Fix
from specgen.diagnostics.operations import Set
from specgen.diagnostics.place import published
from specgen.diagnostics.render.concise import render
from specgen.diagnostics.report import Report
from specgen.document.read import read
from specgen.linting import lint_source
from specgen.manifest import codes
from specgen.manifest.edits import edits
from specgen.manifest.model import Manifest
from specgen.operators.training.pytorchjob import READER as pytorchjob
from specgen.rules import Context
from specgen.rules._fold import fold
from specgen.source import Source
from tests.golden import Golden
from tests.rules.runner import (
    beside,
    cluster,
    codes_of_rule,
    codes_of_shape,
    examples,
    examples_beside,
    expected,
    lint,
    summary,
)

FOLDER = Path(__file__).parent / "rules"
FILES = sorted(FOLDER.glob("*/*.yaml"))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_fixture_gives_what_it_expects_and_nothing_else(file: Path) -> None:
    assert summary(lint(file)) == sorted(expected(file))


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_bad_fixture_holds_the_code_of_its_rule(file: Path) -> None:
    named = [code for _, code in expected(file)]
    name = file.parent.name
    wanted = rules.load(name).CODE.id if not name.startswith("_") else name[1:].upper()
    if file.stem.startswith("bad"):
        assert wanted in named
    else:
        assert file.stem == "good" or file.stem.startswith("near-")
        # a template is said to be one, whatever else it holds
        assert set(named) <= {"SG012"} if file.stem == "good" else wanted not in named


def text_of(diagnostics: list[Diagnostic]) -> str:
    """The concise rendering, with labels, notes and helps below each line."""
    out = ""
    for one in published(diagnostics, edits):
        assert one["fix"] is None or not one["helps"], "one finding, one help: what else is to be known is a note"
        alone: Diagnostic = {**one, "helps": [], "fix": None}  # they stand below
        out += render(Report([alone])) + f"  ^ {one['primary']['label']}\n"
        for label in one["related"]:
            there = "" if label["file"] == one["primary"]["file"] else f"{label['file']}:"
            out += f"  - {there}{label['start']['line']}:{label['start']['column']} {label['label']}\n"
        out += "".join(f"  = note: {note}\n" for note in one["notes"])
        out += "".join(f"  = help: {help}\n" for help in one["helps"])
        if one["fix"] is not None:
            out += f"  = fix ({one['fix']['applicability']}): {one['fix']['title']}\n"
    return out


@pytest.mark.golden("rules/*/report.txt")
@pytest.mark.parametrize("folder", sorted({file.parent for file in FILES}), ids=lambda folder: str(folder.name))
def test_reports(folder: Path, golden: Golden) -> None:
    text = "".join(text_of(lint(file)) for file in sorted(folder.glob("bad*.yaml")))
    assert text == golden(folder / "report.txt")


@pytest.mark.parametrize("name", rules.names())
def test_a_rule_finds_its_bad_example_and_not_its_good_one(name: str) -> None:
    rule = rules.load(name)
    (bad, beside_bad), (good, beside_good) = examples_beside(rule.CODE.page)
    # what a rule needs to know of a cluster for its example, its bad fixture needs as well
    known = FOLDER / name / "bad.cluster"
    profile = cluster(known) if known.is_file() else None
    # and the runtimes of TrainJobs are those of its fixtures
    assert rule.CODE.id in codes_of_rule(rule, bad, profile, [*beside_bad, *beside(FOLDER / name / "bad.yaml")])
    assert codes_of_rule(rule, good, profile, [*beside_good, *beside(FOLDER / name / "good.yaml")]) == []


@pytest.mark.parametrize("code", codes.ALL, ids=lambda code: str(code.id))
def test_a_misplaced_field_is_found_in_its_bad_example(code: Any) -> None:
    bad, good = examples(code.page)
    assert codes_of_shape(bad) == [code.id]
    assert codes_of_shape(good) == []


# Values that have no business where a rule looks: none may make one fail.
ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    3.5,
    "",
    "text",
    "1²",
    [],
    [None],
    ["a", 1],
    {},
    {"name": None},
    {"": {}},
    [[]],
    [{"name": []}],
)


def _paths(tree: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path] if path else []
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    return found + [below for key, child in children for below in _paths(child, (*path, key))]


def _replaced(tree: Any, path: tuple[str | int, ...], value: Any) -> Any:
    if not path:
        return value
    copy: Any = dict(tree) if isinstance(tree, dict) else list(tree)
    copy[path[0]] = _replaced(tree[path[0]], path[1:], value)
    return copy


@pytest.mark.parametrize("name", rules.names())
def test_no_rule_fails_on_odd_values(name: str) -> None:
    _without_failure(name, 60)


@pytest.mark.fuzz
@pytest.mark.parametrize("name", rules.names())
def test_no_rule_fails_on_more_odd_values(name: str) -> None:
    _without_failure(name, 600)


def _without_failure(name: str, most: int) -> None:
    """A rule is asked of about so many copies of its bad examples, each with an odd value somewhere."""
    rule = rules.load(name)
    cases = []
    for file in sorted((FOLDER / name).glob("bad*.yaml")):
        documents, _ = read(Source(file.name, file.read_text()))
        tree = documents[0].data
        paths = [path for path in _paths(tree) if path not in (("apiVersion",), ("kind",))]
        cases += [(tree, path, value) for path in paths for value in ODD]
    # of long files some cases stand for the rest; the step shares no factor with the number of values
    steps = range(max(1, len(cases) // most), len(cases) + 2)
    step = next(number for number in steps if gcd(number, len(ODD)) == 1)
    for tree, path, value in cases[::step]:
        assert isinstance(codes_of_rule(rule, _replaced(tree, path, value)), list)


def _workload(text: str) -> Any:
    documents, _ = read(Source("job.yaml", text))
    return pytorchjob.read(Manifest(documents[0].data, documents[0]))


def test_equal_findings_of_several_roles_are_folded() -> None:
    workload = _workload((FOLDER / "wrong_container_name" / "bad.yaml").read_text())
    master, worker = (role.path for role in workload.roles)
    code = codes.MISPLACED_ENV
    findings = [code.at((*master, "a"), "same"), code.at((*worker, "b"), "same"), code.at((*worker, "c"), "other")]
    kept = fold(findings, workload)
    assert [(one.place.path, one.message) for one in kept] == [((*master, "a"), "same"), ((*worker, "c"), "other")]
    assert [(place.path, label) for place, label in kept[0].related] == [((*worker, "b"), "the same in `Worker`")]


def test_two_equal_findings_of_one_role_and_those_outside_roles_stay() -> None:
    workload = _workload((FOLDER / "wrong_container_name" / "bad.yaml").read_text())
    worker = workload.roles[1].path
    code = codes.MISPLACED_ENV
    findings = [code.at((*worker, "a"), "same"), code.at((*worker, "b"), "same"), code.at(("kind",), "same")]
    assert fold(findings, workload) == findings


def test_fixes_are_folded_only_where_they_are_the_same_remedy() -> None:
    workload = _workload((FOLDER / "wrong_container_name" / "bad.yaml").read_text())
    master, worker = (role.path for role in workload.roles)
    code = codes.MISPLACED_ENV

    def found(path: Any, title: str) -> Any:
        return code.at(path, "same", fix=Fix(title, "safe", [Set(path, "x")]))

    assert len(fold([found(master, "one"), found(worker, "two")], workload)) == 2
    folded = fold([found(master, "one"), found(worker, "one")], workload)
    assert len(folded) == 1
    assert folded[0].fix is not None
    assert [one.path for one in folded[0].fix.patch] == [master, worker]


SOURCES = {
    "000-1-pytorchjob-nccl-rdma-lustre.yaml": [
        (13, 21, "SG301"),
        (16, 115, "SG551"),
        (16, 143, "SG210"),
        (26, 26, "SG411"),
        (104, 25, "SG111"),
        (106, 25, "SG111"),
    ],
    "001-1-pytorchjob-pytorch-dist-mnist-nccl.yaml": [(17, 22, "SG421")],
    "002-1-pytorchjob-pytorch-dist-mnist-nccl.yaml": [
        (14, 7, "SG003"),
        (15, 9, "SG112"),
        (32, 7, "SG003"),
    ],
    "003-5-pytorchjob-pytorch-dist-mnist-gloo.yaml": [],
    "003-6-pytorchjob-pytorch-dist-mnist-mpi.yaml": [],
}


@pytest.mark.parametrize("name", SOURCES)
def test_sources(shared: Path, name: str) -> None:
    text = (shared / "sources" / "manifests" / name).read_text()
    diagnostics = lint_source(Source(name, text)).diagnostics
    starts = [(one["primary"]["start"], one["code"]) for one in diagnostics]
    assert [(start["line"], start["column"], code) for start, code in starts] == SOURCES[name]


def test_the_folded_findings_of_the_first_source_point_into_the_worker(shared: Path) -> None:
    name = "000-1-pytorchjob-nccl-rdma-lustre.yaml"
    text = (shared / "sources" / "manifests" / name).read_text()
    related = {
        one["code"]: [label["start"]["line"] for label in one["related"]]
        for one in lint_source(Source(name, text)).diagnostics
    }
    assert (related["SG301"], related["SG210"], related["SG411"]) == ([2, 74], [77], [87])


RECORDED = "conformance/training-operator-1.9.4/probes"
# Accepted, and then the operator cannot create what the job asks for, or creates nothing (events of the recordings).
BROKEN_LATER = {
    "pt-gpu-requests-only": "SG412",
    "pt-init-same-name": "SG314",
    "pt-name-54-worker-11": "SG302",
    "pt-name-55": "SG302",
    "pt-name-63": "SG302",
    "pt-no-roles": "SG309",
    "pt-port-too-big": "SG312",
    "pt-port-two-unnamed": "SG312",
    "pt-port-unnamed": "SG312",
    "pt-port-unnamed-same-number": "SG312",
    "pt-requests-over-limits": "SG412",
    "pt-restart-sometimes": "SG313",
    "pt-run-policy-numbers": "SG320",
    "pt-volume-missing": "SG413",
}


def _recorded(shared: Path) -> list[tuple[str, bool, set[str]]]:
    """(probe, whether it was accepted, codes of the errors)."""
    found = []
    for file in sorted((shared / RECORDED).glob("pt-*.yaml")):
        accepted = json.loads(file.with_suffix(".json").read_text())["verdict"]["strict"]["accepted"]
        diagnostics = lint_source(Source(file.name, file.read_text())).diagnostics
        found.append((file.stem, accepted, {one["code"] for one in diagnostics if one["severity"] == "error"}))
    return found


def test_errors_are_what_the_recordings_refuse_or_leave_broken(shared: Path) -> None:
    records = _recorded(shared)
    assert [name for name, accepted, errors in records if not accepted and not errors] == []
    assert {name: "".join(sorted(errors)) for name, accepted, errors in records if accepted and errors} == {
        # The recorder's reader of YAML keeps a bare `y` as text, kubectl's makes it true.
        "pt-template-labels": "SG103",
        **BROKEN_LATER,
    }


# Where older versions differ from what specgen says of them: no file says which priority classes there are.
OLDER = {
    "1.8.1": set(),
    "1.7.0": {"pt-priority-class-missing", "pt-template-labels"},
}


@pytest.mark.parametrize("version", OLDER)
def test_errors_fit_what_older_operators_did(shared: Path, version: str, tmp_path: Path) -> None:
    profile = tmp_path / "job.cluster"
    operators = f'operators: {{training-operator: {{version: "{version}"}}}}\n'
    profile.write_text("apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: lab}\n" + operators)
    different = set()
    for file in sorted((shared / "conformance" / f"training-operator-{version}" / "probes").glob("pt-*.json")):
        record = json.loads(file.read_text())
        conditions = [one["type"] for one in (record.get("job") or {}).get("conditions") or []]
        came_up = (
            record["verdict"]["strict"]["accepted"] and "Created" in conditions and "operator_crashed" not in record
        )
        source = Source(file.name, (shared / RECORDED / f"{file.stem}.yaml").read_text())
        diagnostics = lint_source(source, cluster(profile)).diagnostics
        if came_up == any(one["severity"] == "error" for one in diagnostics):
            different.add(file.stem)
    assert different == OLDER[version]


# What a person found true on reading, by file and code; everything else in the corpus is silent.
CORPUS_TEXT = ("SG010", "SG101", "SG103", "SG104")
CORPUS = {
    "SG012": 10,
    "SG112": 1,
    "SG115": 1,
    "SG210": 8,
    "SG312": 2,
    "SG326": 1,
    "SG401": 3,
    "SG411": 2,
    "SG412": 1,
    "SG414": 1,
    "SG429": 5,
    "SG431": 11,
    "SG436": 2,
    "SG437": 1,
    "SG441": 2,
    "SG710": 5,
}


def test_the_corpus_stays_as_read(shared: Path) -> None:
    counts: dict[str, int] = {}
    for file in sorted((shared / "corpus" / "PyTorchJob").glob("*.yaml")):
        for one in lint_source(Source(file.name, file.read_text())).diagnostics:
            if one["code"] not in CORPUS_TEXT:
                counts[one["code"]] = counts.get(one["code"], 0) + 1
    assert dict(sorted(counts.items())) == CORPUS


def test_a_misplaced_variable_counts_where_it_was_meant() -> None:
    file = FOLDER / "_sg111" / "near-missing-in-worker.txt"
    documents, _ = read(Source(file.name, file.read_text()))
    workload = pytorchjob.read(Manifest(documents[0].data, documents[0]))
    rule = rules.load("env_differs_by_role")
    item = (*workload.roles[1].path, "template", "spec", "containers", 0, "volumeMounts", 0)
    assert [one.code.id for one in rule.check(workload, Context())] == ["SG430"]
    assert list(rule.check(workload, Context(misplaced_env=[item]))) == []
