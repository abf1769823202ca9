"""A code quality report of GitLab, as merge requests compare it with that of their target.

The form is that of https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format.
"""

from __future__ import annotations

from specgen.diagnostics.fingerprint import fingerprints
from specgen.diagnostics.model import ERROR, NOTE, WARNING
from specgen.diagnostics.safe import json_text
from specgen.diagnostics.summary import first_help

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Diagnostic
    from specgen.diagnostics.report import Report

_SEVERITIES = {ERROR: "major", WARNING: "minor", NOTE: "info"}


def render(report: Report) -> str:
    """A list with an entry for each diagnostic."""
    from json import dumps

    known = fingerprints(report.diagnostics)
    entries = [_one(one, own) for one, own in zip(report.diagnostics, known, strict=True)]
    return json_text(dumps(entries, indent=1, ensure_ascii=True)) + "\n"


def _one(diagnostic: Diagnostic, fingerprint: str) -> dict[str, Any]:
    primary = diagnostic["primary"]
    help = first_help(diagnostic)
    return {
        "description": f"{diagnostic['message']} ({help})" if help else diagnostic["message"],
        "check_name": f"{diagnostic['code']} {diagnostic['name']}",
        "fingerprint": fingerprint,
        "severity": _SEVERITIES[diagnostic["severity"]],
        "location": {
            "path": primary["file"],
            "lines": {"begin": primary["start"]["line"], "end": primary["end"]["line"]},
        },
    }
