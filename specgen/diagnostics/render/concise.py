"""One line a diagnostic: ``file:line:column: severity[code] message (the first help)``."""

from __future__ import annotations

from specgen.diagnostics.safe import printable
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
        place = f"{printable(diagnostic['primary']['file'])}:{start['line']}:{start['column']}"
        help = first_help(diagnostic)
        said = f"{diagnostic['message']} ({help})" if help else diagnostic["message"]
        lines.append(f"{place}: {diagnostic['severity']}[{diagnostic['code']}] {printable(said)}\n")
    return "".join([*lines, *(f"{line}\n" for line in more)])
