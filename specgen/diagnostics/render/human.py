"""Diagnostics with the lines they speak of: for people at a terminal.

Lines between labels are shown if there is one, replaced by ``...`` if there are more; at most six labels; tabs expand
to the next multiple of four; wide characters count two. Width of the terminal never changes the text.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, SAFE, UNSAFE, WARNING
from specgen.diagnostics.place import published
from specgen.diagnostics.safe import printable, width
from specgen.diagnostics.summary import capped
from specgen.diagnostics.summary import line as summary_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from specgen.diagnostics.model import Diagnostic, Region
    from specgen.diagnostics.report import Report

    # text, style → the text in its colour
    Paint: TypeAlias = Callable[[str, str], str]
    # a region, and the sign that underlines it
    Label: TypeAlias = tuple[Region, str]

_MOST_LABELS = 6
# Characters of a line that are shown, and how many of them at least before a label that stands further on.
_LONGEST = 400
_AHEAD = 60
_COLOURS = {ERROR: "31", WARNING: "33", "note": "36", "bold": "1", "dim": "2", "label": "34"}


def render(report: Report) -> str:
    """All diagnostics, at most 50 of a file, and a summary; nothing where there are none."""
    if not report.diagnostics:
        return ""
    paint = _painted if report.colour else _plain
    out: list[str] = []
    diagnostics = published(report.diagnostics, report.editor, printed=True)
    shown, more = capped(diagnostics)
    for diagnostic in shown:
        out += [*_one(diagnostic, report, paint), ""]
    for line in more:
        out += [line, ""]
    out.append(summary_line(report) + _fixable(diagnostics))
    return "\n".join(out) + "\n"


def _plain(text: str, style: str) -> str:
    return text


def _painted(text: str, style: str) -> str:
    return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if text else text


def _fixable(diagnostics: list[Diagnostic]) -> str:
    levels = [one["fix"]["applicability"] for one in diagnostics if one["fix"] is not None]
    safe, unsafe = levels.count(SAFE), levels.count(UNSAFE)
    if not safe:
        return f"; {unsafe} can be fixed with `specgen fix --unsafe`" if unsafe else ""
    return f"; {safe} can be fixed with `specgen fix`" + (f", {unsafe} more with `--unsafe`" if unsafe else "")


def _one(diagnostic: Diagnostic, report: Report, paint: Paint) -> list[str]:
    severity = diagnostic["severity"]
    head = paint(f"{severity}[{diagnostic['code']}]", severity)
    out = [f"{head}: {paint(printable(diagnostic['message']), 'bold')}"]
    labels = [(diagnostic["primary"], "^"), *((other, "-") for other in diagnostic["related"])]
    hidden = max(0, len(labels) - _MOST_LABELS)
    labels = labels[:_MOST_LABELS]
    files = list(dict.fromkeys(region["file"] for region, _ in labels))
    margin = max(len(str(region["start"]["line"])) for region, _ in labels)
    for number, file in enumerate(files):
        here = [label for label in labels if label[0]["file"] == file]
        first = here[0][0]["start"]
        arrow = "-->" if number == 0 else ":::"
        out.append(f"{' ' * margin}{arrow} {printable(file)}:{first['line']}:{first['column']}")
        out += _snippet(here, report.lines(file, _numbers(here)), margin, severity, paint)
    notes = [f"note: {printable(text)}" for text in diagnostic["notes"]]
    if hidden:
        notes.append(f"note: and {hidden} more places")
    notes += [f"help: {printable(text)}" for text in diagnostic["helps"]]
    if diagnostic["fix"]:
        fix = diagnostic["fix"]
        notes.append(f"fix ({fix['applicability']}): {printable(fix['title'])}")
    out += [f"{' ' * margin} = {text}" for text in notes]
    return out


def _numbers(labels: list[Label]) -> list[int]:
    """Lines of labels, and a line that stands alone between two of them."""
    own = sorted({region["start"]["line"] for region, _ in labels})
    between = [line + 1 for line in own if line + 2 in own and line + 1 not in own]
    return sorted([*own, *between])


def _snippet(labels: list[Label], texts: dict[int, str], margin: int, severity: str, paint: Paint) -> list[str]:
    if not texts:
        return []
    bar = f"{' ' * margin} |"
    out = [bar]
    before: int | None = None
    for number in _numbers(labels):
        if number not in texts:
            continue
        if before is not None and number - before > 1:
            out.append("...")
        before = number
        text = texts[number]
        there = sorted(
            (label for label in labels if label[0]["start"]["line"] == number),
            key=lambda label: label[0]["start"]["column"],
        )
        left = _left(text, [region["start"]["column"] - 1 for region, _ in there])
        shown = _cut(text[left:])
        text = "…" * bool(left) + text[left : left + _LONGEST]
        out.append(f"{number:>{margin}} | {_expanded(printable('…' * bool(left) + shown, tabs=True))}".rstrip())
        for region, sign in there:
            start, end = region["start"]["column"], region["end"]["column"]
            if region["end"]["line"] != number:
                end = left + len(text) + 1
            # what lies beyond the part that is shown is marked at its end
            start, end = (min(column - left + bool(left), len(text) + 1) for column in (start, end))
            lead = width(_expanded(printable(text[: start - 1], tabs=True)))
            span = width(_expanded(printable(text[start - 1 : max(end - 1, start)], tabs=True))) if end > start else 1
            style = severity if sign == "^" else "label"
            mark = paint((sign * max(span, 1) + " " + printable(region["label"])).rstrip(), style)
            out.append(f"{bar} {' ' * lead}{mark}")
    out.append(bar)
    return out


def _left(text: str, starts: list[int]) -> int:
    """How much of a long line is left out in front, so that the first label is seen."""
    first = min(starts, default=0)
    return 0 if len(text) <= _LONGEST or first < _LONGEST - _AHEAD else first - _AHEAD


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _expanded(text: str) -> str:
    if "\t" not in text:
        return text
    out = ""
    for sign in text:
        out += " " * (4 - width(out) % 4) if sign == "\t" else sign
    return out
