"""What a run comes to, in numbers and in one line."""

from __future__ import annotations

from specgen.diagnostics.model import DISPLAY, ERROR, NOTE, SAFE, UNSAFE, WARNING, plural

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Diagnostic


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


def line(diagnostics: list[Diagnostic], files: int, suppressed: int) -> str:
    """``2 errors, 1 warning in 3 files``."""
    found = counts(diagnostics)
    parts = [plural(found[key], word) for key, word in (("errors", "error"), ("warnings", "warning"), ("notes", "note")) if found[key]]
    text = f"{', '.join(parts)} in {plural(files, 'file')}"
    return text + (f", {suppressed} ignored" if suppressed else "")
