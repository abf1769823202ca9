"""One line a diagnostic: ``file:line:column: severity[code] message``."""

from __future__ import annotations

from specgen.diagnostics.render.safe import printable
from specgen.diagnostics.render.summary import capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Diagnostic


def render(diagnostics: list[Diagnostic]) -> str:
    """For grep, editors and pipes."""
    lines = []
    shown, more = capped(diagnostics)
    for diagnostic in shown:
        start = diagnostic["primary"]["start"]
        place = f"{printable(diagnostic['primary']['file'])}:{start['line']}:{start['column']}"
        lines.append(f"{place}: {diagnostic['severity']}[{diagnostic['code']}] {printable(diagnostic['message'])}\n")
    return "".join([*lines, *(f"{line}\n" for line in more)])
