"""SARIF 2.1.0, for code scanning: rules with their pages, results with fingerprints, related places, and fixes.

The form is OASIS's (https://docs.oasis-open.org/sarif/sarif/v2.1.0/), and what GitHub shows of it is cut here as there:
5,000 results, errors first, and 100 places for each
(https://docs.github.com/code-security/code-scanning/troubleshooting-sarif-uploads/results-exceed-limit). What was not
checked, or cannot be read, is a notification of the run, and a run that misses a file was not successful.
"""

from __future__ import annotations

from specgen.diagnostics.fingerprint import fingerprints
from specgen.diagnostics.model import DISPLAY, ERROR, NOTE, WARNING
from specgen.diagnostics.safe import json_text
from specgen.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Diagnostic, Region, Replacement
    from specgen.diagnostics.report import Report

_MOST_RESULTS = 5_000
_MOST_PLACES = 100
_RANK = {ERROR: 0, WARNING: 1, NOTE: 2}
# What GitHub calls the severity of a rule.
_PROBLEM = {ERROR: "error", WARNING: "warning", NOTE: "recommendation"}


def render(report: Report) -> str:
    """One log with one run."""
    from json import dumps

    from specgen.diagnostics.place import published

    diagnostics = published(report.diagnostics, report.editor, printed=True)
    known = list(zip(diagnostics, fingerprints(diagnostics), strict=True))
    shown = known
    if len(known) > _MOST_RESULTS:
        # those that stay keep the order of the report
        kept = sorted(range(len(known)), key=lambda at: (_RANK[known[at][0]["severity"]], at))[:_MOST_RESULTS]
        shown = [known[at] for at in sorted(kept)]
    codes = sorted({one["code"] for one, _ in shown})
    names = {one["code"]: one["name"] for one, _ in shown}
    notifications = _notifications(report)
    if len(shown) < len(known):
        text = f"{len(known) - len(shown)} of {len(known)} results are left out: code scanning shows {_MOST_RESULTS}"
        notifications.append(_notification(NOTE, text))
    invocation: dict[str, Any] = {"executionSuccessful": not report.unreadable}
    if notifications:
        invocation["toolExecutionNotifications"] = notifications
    run = {
        "tool": {
            "driver": {
                "name": "specgen",
                "semanticVersion": __version__,
                "rules": [_rule(code, names[code], report) for code in codes],
            }
        },
        "columnKind": "unicodeCodePoints",
        "invocations": [invocation],
        "results": [_result(one, own, codes, report) for one, own in shown],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json_text(dumps(log, indent=1, ensure_ascii=True)) + "\n"


def _notifications(report: Report) -> list[dict[str, Any]]:
    """What was not checked: no result is no good answer about it."""
    found = [_notification(ERROR, sentence) for sentence in report.unreadable]
    if report.unchecked:
        from specgen.diagnostics.summary import unchecked

        left = unchecked(report.unchecked)
        some = _notification(NOTE, f"not checked: {left}")
        found.append(some if report.judged else _notification(WARNING, f"nothing is checked: {left}"))
    return found


def _notification(level: str, text: str) -> dict[str, Any]:
    return {"level": level, "message": {"text": text}}


def _rule(id: str, name: str, report: Report) -> dict[str, Any]:
    code = report.page(id)
    rule: dict[str, Any] = {"id": id, "name": name}
    if code is None:
        return rule
    title, _, page = code.page.strip().partition("\n")
    return {
        **rule,
        "shortDescription": {"text": title},
        "fullDescription": {"text": title},
        "help": {"text": page.strip(), "markdown": page.strip()},
        "defaultConfiguration": {"level": code.severity},
        "properties": {"problem.severity": _PROBLEM[code.severity]},
    }


def _result(diagnostic: Diagnostic, fingerprint: str, codes: list[str], report: Report) -> dict[str, Any]:
    primary = diagnostic["primary"]
    notes = [f"Note: {text}" for text in diagnostic["notes"]] + [f"Help: {text}" for text in diagnostic["helps"]]
    if diagnostic["fix"] is not None:
        notes.append(f"Fix: {diagnostic['fix']['title']}")
    place = _location(primary)
    subject = diagnostic["subject"]
    if diagnostic["path"]:
        place["logicalLocations"] = [{"fullyQualifiedName": diagnostic["path"]}]
        if subject is not None:
            place["logicalLocations"][0]["decoratedName"] = f"{subject.get('kind')}/{subject.get('name')}"
    result: dict[str, Any] = {
        "ruleId": diagnostic["code"],
        "ruleIndex": codes.index(diagnostic["code"]),
        "level": diagnostic["severity"],
        "message": {"text": "\n".join([diagnostic["message"], *notes])},
        "locations": [place],
        # the first one is what GitHub tells alerts apart by
        "partialFingerprints": {"primaryLocationLineHash": f"{fingerprint}:1", "specgenFinding/v1": fingerprint},
    }
    related = [
        {"id": number, **_location(other), "message": {"text": other["label"] or "here"}}
        for number, other in enumerate(diagnostic["related"][: _MOST_PLACES - 1])
    ]
    if related:
        result["relatedLocations"] = related
    fix = diagnostic["fix"]
    if fix is not None and fix["applicability"] != DISPLAY and isinstance(fix["edits"], list) and fix["edits"]:
        result["fixes"] = [{"description": {"text": fix["title"]}, "artifactChanges": _changes(fix["edits"], report)}]
    return result


def _location(region: Region) -> dict[str, Any]:
    start, end = region["start"], region["end"]
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(region["file"]),
            "region": {
                "startLine": start["line"],
                "startColumn": start["column"],
                "endLine": end["line"],
                "endColumn": end["column"],
            },
        }
    }


def _artifact(file: str) -> dict[str, str]:
    from urllib.parse import quote

    if file.startswith("/"):
        return {"uri": "file://" + quote(file, errors="surrogatepass")}
    return {"uri": quote(file, errors="surrogatepass"), "uriBaseId": "%SRCROOT%"}


def _changes(edits: list[Replacement], report: Report) -> list[dict[str, Any]]:
    files = dict.fromkeys(edit["file"] for edit in edits)
    return [
        {
            "artifactLocation": _artifact(file),
            "replacements": [
                {
                    "deletedRegion": _region(report.text(file), edit["start"], edit["end"]),
                    "insertedContent": {"text": edit["text"]},
                }
                for edit in edits
                if edit["file"] == file
            ],
        }
        for file in files
    ]


def _region(lines: list[str], start: int, end: int) -> dict[str, int]:
    """Two offsets as lines and columns; as they are, of a text that is gone."""
    if not lines:
        return {"charOffset": start, "charLength": end - start}
    first, last = _position(lines, start), _position(lines, end)
    return {"startLine": first[0], "startColumn": first[1], "endLine": last[0], "endColumn": last[1]}


def _position(lines: list[str], offset: int) -> tuple[int, int]:
    for number, line in enumerate(lines, 1):
        if offset <= len(line):
            return number, offset + 1
        offset -= len(line) + 1
    return len(lines), len(lines[-1]) + 1
