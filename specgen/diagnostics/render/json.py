"""The serialised form itself, with fingerprints; keys are only added within a version."""

from __future__ import annotations

from specgen.diagnostics.safe import json_text
from specgen.diagnostics.summary import counts
from specgen.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.report import Report


def render(report: Report) -> str:
    """One object: version, tool, diagnostics, summary."""
    from json import dumps

    from specgen.diagnostics.fingerprint import fingerprints
    from specgen.diagnostics.place import published

    diagnostics = published(report.diagnostics, report.editor, printed=True)
    known = fingerprints(diagnostics)
    whole = {
        "version": 1,
        "tool": {"name": "specgen", "version": __version__},
        "diagnostics": [{**one, "fingerprint": own} for one, own in zip(diagnostics, known, strict=True)],
        "summary": {
            "files": report.files,
            **counts(diagnostics),
            "suppressed": report.suppressed,
            "baselined": report.baselined,
            "excluded": report.excluded,
            "unchecked": dict(sorted(report.unchecked.items())),
        },
    }
    return json_text(dumps(whole, indent=1, ensure_ascii=True)) + "\n"
