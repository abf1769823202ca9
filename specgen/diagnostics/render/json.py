"""The serialised form itself; keys are only added within a version."""

from __future__ import annotations

from specgen import __version__
from specgen.diagnostics.render.summary import counts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Diagnostic


def render(diagnostics: list[Diagnostic], *, files: int, suppressed: int) -> str:
    """One object: version, tool, diagnostics, summary."""
    from json import dumps

    from specgen.diagnostics.place import published

    diagnostics = published(diagnostics)
    whole = {
        "version": 1,
        "tool": {"name": "specgen", "version": __version__},
        "diagnostics": diagnostics,
        "summary": {"files": files, **counts(diagnostics), "suppressed": suppressed},
    }
    return dumps(whole, indent=1, ensure_ascii=True) + "\n"
