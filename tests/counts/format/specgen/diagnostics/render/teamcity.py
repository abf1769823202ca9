"""Service messages of TeamCity, which lists them among the inspections of a build.

The form is that of https://www.jetbrains.com/help/teamcity/service-messages.html.
"""

from __future__ import annotations

from specgen.diagnostics.safe import printable
from specgen.diagnostics.summary import capped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.report import Report

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "note": "INFO"}
_ESCAPED = str.maketrans({"|": "||", "'": "|'", "[": "|[", "]": "|]"})


def render(report: Report) -> str:
    """The type of an inspection before its first, then one message a diagnostic."""
    lines, named = [], set()
    shown, _ = capped(report.diagnostics)
    for diagnostic in shown:
        code, place = diagnostic["code"], diagnostic["primary"]
        if code not in named:
            named.add(code)
            name = f"id='{code}' name='{diagnostic['name']}' category='specgen' description='{diagnostic['name']}'"
            lines.append(f"##teamcity[inspectionType {name}]\n")
        said, file = (printable(text).translate(_ESCAPED) for text in (diagnostic["message"], place["file"]))
        where = f"file='{file}' line='{place['start']['line']}' SEVERITY='{_SEVERITIES[diagnostic['severity']]}'"
        lines.append(f"##teamcity[inspection typeId='{code}' message='{said}' {where}]\n")
    return "".join(lines)
