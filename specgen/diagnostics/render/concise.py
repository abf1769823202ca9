"""One line a diagnostic: ``file:line:column: severity[code] message (the first help)``."""

from __future__ import annotations

from specgen.diagnostics.safe import log_line
from specgen.diagnostics.summary import capped, first_help

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.report import Report


def render(report: Report) -> str:
    """For grep, editors and pipes."""
    lines = []
    shown, more = capped(report.diagnostics)
    for diagnostic in shown:
        start = diagnostic["primary"]["start"]
        place = f"{diagnostic['primary']['file']}:{start['line']}:{start['column']}"
        help = first_help(diagnostic)
        said = f"{diagnostic['message']} ({help})" if help else diagnostic["message"]
        lines.append(log_line(f"{place}: {diagnostic['severity']}[{diagnostic['code']}] {said}") + "\n")
    return "".join([*lines, *(f"{one}\n" for one in more)])
