"""JUnit's XML, for the test tabs of CI systems: a suite for each file, a case for each object, errors as failures.

Warnings and notes stand in the suite's output: a case that has none but these passes. What belongs to no object, such
as a text that cannot be read, is of a case with the file's name.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR
from specgen.diagnostics.safe import log_line, printable
from specgen.diagnostics.summary import first_help

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from specgen.diagnostics.model import Diagnostic
    from specgen.diagnostics.report import Report

    # class and name of a case
    Case: TypeAlias = tuple[str, str]


def render(report: Report) -> str:
    """One document."""
    files: dict[str, list[Diagnostic]] = {name: [] for name in report.looked_at}
    for diagnostic in report.diagnostics:
        files.setdefault(diagnostic["primary"]["file"], []).append(diagnostic)
    suites = [_suite(name, found, report.looked_at.get(name, [])) for name, found in sorted(files.items())]
    tests, failures = sum(suite[1] for suite in suites), sum(suite[2] for suite in suites)
    head = f'<testsuites name="specgen" tests="{tests}" failures="{failures}">\n'
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + head + "".join(suite[0] for suite in suites) + "</testsuites>\n"


def _suite(file: str, found: list[Diagnostic], objects: list[dict[str, str]]) -> tuple[str, int, int]:
    """Its text, its cases, and how many of them failed."""
    own: Case = ("file", file)
    cases: dict[Case, list[Diagnostic]] = {_case(one): [] for one in objects} or {own: []}
    for diagnostic in found:
        subject = _case(diagnostic["subject"]) if diagnostic["subject"] else own
        if subject in cases or diagnostic["severity"] == ERROR:
            cases.setdefault(subject if subject in cases else own, []).append(diagnostic)
    text = ""
    failures = 0
    for (kind, name), here in cases.items():
        errors = [one for one in here if one["severity"] == ERROR]
        failures += bool(errors)
        text += f"  <testcase classname={_quoted(kind)} name={_quoted(name)}"
        text += f">\n{_failure(errors)}  </testcase>\n" if errors else "/>\n"
    others = "".join(f"{_line(one)}\n" for one in found if one["severity"] != ERROR)
    text += f"  <system-out>{_escaped(others)}</system-out>\n" if others else ""
    head = f' <testsuite name={_quoted(file)} tests="{len(cases)}" failures="{failures}">\n'
    return f"{head}{text} </testsuite>\n", len(cases), failures


def _case(subject: dict[str, str]) -> Case:
    names = (subject.get("namespace"), subject.get("name") or subject.get("generateName"))
    kind = f"{subject.get('kind', '')}@{subject.get('apiVersion', '')}"
    return kind, "/".join(str(name) for name in names if name) or "without a name"


def _failure(errors: list[Diagnostic]) -> str:
    more = f", and {len(errors) - 1} more" if len(errors) > 1 else ""
    kinds = " ".join(dict.fromkeys(one["code"] for one in errors))
    lines = "".join(f"{_line(one)}\n" for one in errors)
    message = _quoted(errors[0]["message"] + more)
    return f"    <failure type={_quoted(kinds)} message={message}>{_escaped(lines)}</failure>\n"


def _line(diagnostic: Diagnostic) -> str:
    start = diagnostic["primary"]["start"]
    place = f"{diagnostic['primary']['file']}:{start['line']}:{start['column']}"
    help = first_help(diagnostic)
    said = f"{diagnostic['message']} ({help})" if help else diagnostic["message"]
    return log_line(f"{place}: {diagnostic['severity']}[{diagnostic['code']}] {said}")


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(text: str) -> str:
    return '"' + _escaped(printable(text)).replace('"', "&quot;") + '"'
