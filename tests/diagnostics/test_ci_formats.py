"""Formats for CI systems: what those that read them rely on."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from specgen.diagnostics import render
from specgen.diagnostics.fingerprint import fingerprints
from specgen.diagnostics.model import ERROR, NOTE, WARNING, Code, Diagnostic, Place
from specgen.diagnostics.place import place
from specgen.diagnostics.report import Report
from specgen.pipeline import nowhere
from specgen.source import Source
from tests.diagnostics.test_formats import TEXTS, diagnostics, report

LINES = "a: 1\n" * 9000
SOURCES = {name: Source(name, LINES) for name in ("a.yaml", "b.yaml", "a,b:c\n.yaml")}


def found(
    severity: str, message: str, line: int = 1, name: str = "a.yaml", path: tuple[str | int, ...] = ()
) -> Diagnostic:
    source = SOURCES[name]
    at = source.offset(line)
    finding = Code("SG301", "wrong-name", severity, since="0.1", page="").at(Place(path, offsets=(at, at + 1)), message)
    return place(finding, nowhere(source))


# What SARIF 2.1.0 asks of each object that is written here: its properties, and those that it must have.
STRING, NUMBER, FLAG = str, int, bool
SARIF: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
    "log": ({"$schema": STRING, "version": STRING, "runs": ["run"]}, ("version", "runs")),
    "run": (
        {"tool": "tool", "columnKind": STRING, "invocations": ["invocation"], "results": ["result"]},
        ("tool",),
    ),
    "tool": ({"driver": "driver"}, ("driver",)),
    "driver": ({"name": STRING, "semanticVersion": STRING, "rules": ["rule"]}, ("name",)),
    "rule": (
        {
            "id": STRING,
            "name": STRING,
            "shortDescription": "text",
            "fullDescription": "text",
            "help": "text",
            "defaultConfiguration": "configuration",
            "properties": dict,
        },
        ("id",),
    ),
    "text": ({"text": STRING, "markdown": STRING}, ("text",)),
    "configuration": ({"level": STRING}, ()),
    "invocation": (
        {"executionSuccessful": FLAG, "toolExecutionNotifications": ["notification"]},
        ("executionSuccessful",),
    ),
    "notification": ({"level": STRING, "message": "text"}, ("message",)),
    "result": (
        {
            "ruleId": STRING,
            "ruleIndex": NUMBER,
            "level": STRING,
            "message": "text",
            "locations": ["location"],
            "relatedLocations": ["location"],
            "partialFingerprints": dict,
            "fixes": ["fix"],
        },
        ("message",),
    ),
    "location": (
        {"id": NUMBER, "message": "text", "physicalLocation": "physical", "logicalLocations": ["logical"]},
        (),
    ),
    "logical": ({"fullyQualifiedName": STRING, "decoratedName": STRING}, ()),
    "physical": ({"artifactLocation": "artifact", "region": "region"}, ("artifactLocation",)),
    "artifact": ({"uri": STRING, "uriBaseId": STRING}, ("uri",)),
    "region": (
        {
            "startLine": NUMBER,
            "startColumn": NUMBER,
            "endLine": NUMBER,
            "endColumn": NUMBER,
            "charOffset": NUMBER,
            "charLength": NUMBER,
        },
        (),
    ),
    "fix": ({"description": "text", "artifactChanges": ["change"]}, ("artifactChanges",)),
    "change": ({"artifactLocation": "artifact", "replacements": ["replacement"]}, ("artifactLocation", "replacements")),
    "replacement": ({"deletedRegion": "region", "insertedContent": "text"}, ("deletedRegion",)),
}
LEVELS = ("none", "note", "warning", "error")


def wrong(value: Any, form: Any, path: str = "") -> list[str]:
    """Where a value has another form than SARIF gives it."""
    if isinstance(form, list):
        if not isinstance(value, list):
            return [f"{path} is no list"]
        return [one for at, item in enumerate(value) for one in wrong(item, form[0], f"{path}[{at}]")]
    if not isinstance(form, str):
        return [] if type(value) is form else [f"{path} is no {form.__name__}"]
    properties, needed = SARIF[form]
    if not isinstance(value, dict):
        return [f"{path} is no object"]
    said = [f"{path} has no {name}" for name in needed if name not in value]
    said += [f"{path}.{name} is unknown" for name in value if name not in properties]
    said += [f"{path}.level is {value['level']}" for _ in "1" if value.get("level", "none") not in LEVELS]
    if form == "region":
        said += [f"{path}.{name} counts from 1" for name in value if name[-4:] in ("Line", "lumn") and value[name] < 1]
    return said + [
        one for name in value if name in properties for one in wrong(value[name], properties[name], f"{path}.{name}")
    ]


def sarif(items: list[Diagnostic]) -> Any:
    return json.loads(render.renderer("sarif")(report(items)))


def test_sarif_has_the_form_of_its_specification() -> None:
    whole = sarif(diagnostics())
    assert wrong(whole, "log") == []
    assert wrong(sarif([]), "log") == []
    run = whole["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in run["results"])


def test_a_wrong_form_is_seen() -> None:
    whole = sarif(diagnostics())
    whole["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    whole["runs"][0]["results"][1]["level"] = "bad"
    del whole["runs"][0]["tool"]["driver"]["name"]
    assert len(wrong(whole, "log")) == 3


def test_a_fix_in_sarif_is_the_edit_of_its_lines() -> None:
    results = sarif(diagnostics())["runs"][0]["results"]
    (fix,) = [one["fixes"][0] for one in results if "fixes" in one]  # what is only to be looked at is no fix
    (change,) = fix["artifactChanges"]
    assert unquote(change["artifactLocation"]["uri"]) == "job.yaml"
    (replacement,) = change["replacements"]
    region = replacement["deletedRegion"]
    line = TEXTS["job.yaml"].split("\n")[region["startLine"] - 1]
    assert line[region["startColumn"] - 1 : region["endColumn"] - 1] == "中 trainer"
    assert replacement["insertedContent"]["text"] == "pytorch"


def test_sarif_is_cut_where_code_scanning_cuts_it_and_says_so() -> None:
    many = [found(WARNING, "a", line) for line in range(1, 4000)]
    run = sarif(many + [found(ERROR, "b", line) for line in range(4000, 6000)])["runs"][0]
    levels = [one["level"] for one in run["results"]]
    assert (levels.count("error"), len(levels)) == (2000, 5000)
    (said,) = run["invocations"][0]["toolExecutionNotifications"]
    assert said["message"]["text"] == "999 of 5999 results are left out: code scanning shows 5000"


BATCH = {"batch/v1 Job": 1}


@pytest.mark.parametrize(
    ("unchecked", "judged", "unreadable", "said", "successful"),
    [
        ({}, 1, (), None, True),
        (BATCH, 0, (), [("warning", "nothing is checked: 1 batch/v1 Job")], True),
        (BATCH, 2, (), [("note", "not checked: 1 batch/v1 Job")], True),
        ({}, 0, ("a.yaml: there is no such file",), [("error", "a.yaml: there is no such file")], False),
    ],
)
def test_sarif_says_what_was_not_checked(
    unchecked: dict[str, int],
    judged: int,
    unreadable: tuple[str, ...],
    said: list[tuple[str, str]] | None,
    successful: bool,
) -> None:
    whole = json.loads(render.renderer("sarif")(Report([], unchecked=unchecked, judged=judged, unreadable=unreadable)))
    assert wrong(whole, "log") == []
    (run,) = whole["runs"]
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is successful
    notes = invocation.get("toolExecutionNotifications")
    assert (notes and [(one["level"], one["message"]["text"]) for one in notes]) == said


def test_fingerprints_know_findings_and_not_lines() -> None:
    one, again = found(ERROR, "`16` pods", 1, path=("a", 0)), found(ERROR, "`17` pods", 5, path=("a", 3))
    assert fingerprints([one]) == fingerprints([again])
    first, second = fingerprints([one, again])
    assert first != second, "a report with two of them must tell them apart"
    others = [
        found(ERROR, "pods", path=("a",)),
        found(ERROR, "`16` pods", path=("b",)),
        found(ERROR, "", name="b.yaml"),
    ]
    assert len({*fingerprints(others), first}) == 4


def test_lines_of_github_are_commands_whatever_is_in_them() -> None:
    text = render.renderer("github")(report([found(WARNING, "100 %\r\nof: a, b", name="a,b:c\n.yaml")]))
    assert text == (
        "::warning file=a%2Cb%3Ac\\u{a}.yaml,line=1,endLine=1,col=1,endColumn=2,title=SG301 wrong-name"
        "::100 %25\\u{d}\\u{a}of: a, b\n"
    )
    assert render.renderer("github")(report([found(NOTE, "n")])).startswith("::notice file=")
    assert render.renderer("github")(report([])) == ""


def test_junit_lists_the_objects_that_pass() -> None:
    root = ElementTree.fromstring(render.renderer("junit")(report(diagnostics())))
    cases = {(one.get("classname"), one.get("name")): one.find("failure") is not None for one in root.iter("testcase")}
    assert cases == {
        ("file", "dir/a\\u{1b}[31mb.yaml"): True,
        ("file", "empty.yaml"): False,
        ("Service@v1", 'x"<&>'): False,
        ("ConfigMap@v1", "n/m"): False,
        ("PyTorchJob@kubeflow.org/v1", "a"): True,
    }
    assert (root.get("tests"), root.get("failures")) == ("5", "2")


@pytest.mark.parametrize("severity", [ERROR, WARNING, NOTE])
def test_gitlab_takes_its_own_severities(severity: str) -> None:
    (entry,) = json.loads(render.renderer("gitlab")(report([found(severity, "m")])))
    assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
    assert {"description", "check_name", "fingerprint", "location"} <= entry.keys()
