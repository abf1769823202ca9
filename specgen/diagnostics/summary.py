"""What a run comes to, in numbers and in one line."""

from __future__ import annotations

from specgen.diagnostics.model import DISPLAY, ERROR, NOTE, SAFE, UNSAFE, WARNING, plural
from specgen.diagnostics.safe import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Diagnostic
    from specgen.diagnostics.report import Report

MOST = 50
"""Diagnostics of one file that are printed; the rest is a count."""


def capped(diagnostics: list[Diagnostic]) -> tuple[list[Diagnostic], list[str]]:
    """The first 50 of each file, and a line for each file that has more."""
    seen: dict[str, int] = {}
    shown = []
    for diagnostic in diagnostics:
        file = diagnostic["primary"]["file"]
        seen[file] = seen.get(file, 0) + 1
        if seen[file] <= MOST:
            shown.append(diagnostic)
    return shown, [f"and {count - MOST} more in {printable(file)}" for file, count in seen.items() if count > MOST]


def counts(diagnostics: list[Diagnostic]) -> dict[str, Any]:
    """Errors, warnings, notes, and what could be fixed."""

    def severity(word: str) -> int:
        return sum(diagnostic["severity"] == word for diagnostic in diagnostics)

    fixes = [diagnostic["fix"]["applicability"] for diagnostic in diagnostics if diagnostic["fix"]]
    return {
        "errors": severity(ERROR),
        "warnings": severity(WARNING),
        "notes": severity(NOTE),
        "fixable": {kind: fixes.count(kind) for kind in (SAFE, UNSAFE, DISPLAY)},
    }


def line(report: Report) -> str:
    """``2 errors, 1 warning in 3 files``."""
    found = counts(report.diagnostics)
    parts = [
        plural(found[key], word)
        for key, word in (("errors", "error"), ("warnings", "warning"), ("notes", "note"))
        if found[key]
    ]
    text = f"{', '.join(parts)} in {plural(report.files, 'file')}"
    text += f", {report.suppressed} ignored" if report.suppressed else ""
    text += f", {report.baselined} in the baseline" if report.baselined else ""
    return text + (f", {plural(report.excluded, 'file')} left out" if report.excluded else "")


def first_help(diagnostic: Diagnostic) -> str:
    """What to do first, for forms that have one line; empty where nothing is known."""
    fix = diagnostic["fix"]
    return diagnostic["helps"][0] if diagnostic["helps"] else fix["title"] if fix is not None else ""


def unchecked(left: dict[str, int]) -> str:
    """``2 Helm templates, 1 argoproj.io/v1alpha1 Workflow``; empty where nothing was left alone.

    What is said in brackets of something follows it.
    """
    most = 8
    ranked = sorted(left.items(), key=lambda one: (-one[1], one[0]))
    said = []
    for what, count in ranked[:most]:
        noun, bracket, rest = printable(what).partition(" (")
        # what ends as kinds do is one
        counted = f"{count} {noun}" if noun.split(" ")[-1][:1].isupper() else plural(count, noun)
        said.append(f"{counted}{bracket}{rest}")
    others = sum(count for _, count in ranked[most:])
    return ", ".join([*said, *([f"and {others} more"] if others else [])])
