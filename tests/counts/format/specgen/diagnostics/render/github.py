"""Annotations of a pull request, as workflows of GitHub print them."""

from __future__ import annotations

from specgen.diagnostics.safe import printable
from specgen.diagnostics.summary import capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.report import Report

_WORDS = {"error": "error", "warning": "warning", "note": "notice"}


def render(report: Report) -> str:
    """One command a diagnostic."""
    lines = []
    shown, _ = capped(report.diagnostics)
    for diagnostic in shown:
        start, file = diagnostic["primary"]["start"], printable(diagnostic["primary"]["file"])
        place = f"file={file},line={start['line']},col={start['column']},title={diagnostic['code']}"
        lines.append(f"::{_WORDS[diagnostic['severity']]} {place}::{printable(diagnostic['message'])}\n")
    return "".join(lines)
