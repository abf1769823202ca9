"""One line a diagnostic: ``file:line:column: severity[code] message``."""

from __future__ import annotations

from specgen.diagnostics.render.safe import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Diagnostic


def render(diagnostics: list[Diagnostic]) -> str:
    """For grep, editors and pipes."""
    lines = []
    for diagnostic in diagnostics:
        start = diagnostic["primary"]["start"]
        place = f"{printable(diagnostic['primary']['file'])}:{start['line']}:{start['column']}"
        lines.append(f"{place}: {diagnostic['severity']}[{diagnostic['code']}] {printable(diagnostic['message'])}\n")
    return "".join(lines)
