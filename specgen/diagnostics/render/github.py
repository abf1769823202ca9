"""Workflow commands of GitHub Actions: each diagnostic is an annotation of its line, in the log and in the changes.

The form is that of https://docs.github.com/actions/reference/workflow-commands-for-github-actions.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, WARNING
from specgen.diagnostics.safe import printable
from specgen.diagnostics.summary import capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Diagnostic
    from specgen.diagnostics.report import Report

_COMMANDS = {ERROR: "error", WARNING: "warning", NOTE: "notice"}


def render(report: Report) -> str:
    """One line a diagnostic, at most 50 of a file."""
    shown, more = capped(report.diagnostics)
    return "".join([*map(_one, shown), *(f"::notice::{_data(line)}\n" for line in more)])


def _one(diagnostic: Diagnostic) -> str:
    primary = diagnostic["primary"]
    start, end = primary["start"], primary["end"]
    places = {"file": printable(primary["file"]), "line": start["line"], "endLine": end["line"]}
    if start["line"] == end["line"]:  # columns are of one line
        places |= {"col": start["column"], "endColumn": end["column"]}
    places["title"] = f"{diagnostic['code']} {diagnostic['name']}"
    properties = ",".join(f"{name}={_property(str(value))}" for name, value in places.items())
    notes = [f"note: {text}" for text in diagnostic["notes"]] + [f"help: {text}" for text in diagnostic["helps"]]
    if diagnostic["fix"] is not None:
        notes.append(f"fix: {diagnostic['fix']['title']}")
    said = "\n".join(printable(text) for text in (diagnostic["message"], *notes))
    return f"::{_COMMANDS[diagnostic['severity']]} {properties}::{_data(said)}\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
