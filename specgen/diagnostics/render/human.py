"""Diagnostics with the lines they speak of: for people at a terminal.

Lines between labels are shown if there is one, replaced by ``...`` if there are more; at most six labels; tabs expand
to the next multiple of four; wide characters count two. Width of the terminal never changes the text.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING
from specgen.diagnostics.render.safe import printable, width
from specgen.diagnostics.render.summary import capped
from specgen.diagnostics.render.summary import line as summary_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from specgen.diagnostics.model import Diagnostic

    Lines = Callable[[str, Iterable[int]], dict[int, str]]

_MOST_LABELS = 6
_COLOURS = {ERROR: "31", WARNING: "33", "note": "36", "bold": "1", "dim": "2", "label": "34"}


def render(diagnostics: list[Diagnostic], *, files: int, suppressed: int, lines: Lines, colour: bool = False) -> str:
    """All diagnostics, at most 50 of a file, and a summary."""
    paint = _painted if colour else _plain
    out: list[str] = []
    shown, more = capped(diagnostics)
    for diagnostic in shown:
        out += [*_one(diagnostic, lines, paint), ""]
    for line in more:
        out += [line, ""]
    out.append(summary_line(diagnostics, files, suppressed))
    return "\n".join(out) + "\n"


def _plain(text: str, style: str) -> str:
    return text


def _painted(text: str, style: str) -> str:
    return f"\x1b[{_COLOURS[style]}m{text}\x1b[0m" if text else text


def _one(diagnostic: Diagnostic, lines: Lines, paint: Any) -> list[str]:
    severity = diagnostic["severity"]
    head = paint(f"{severity}[{diagnostic['code']}]", severity)
    out = [f"{head}: {paint(printable(diagnostic['message']), 'bold')}"]
    primary = {**diagnostic["primary"], "mark": "^"}
    labels = [primary, *({**other, "mark": "-"} for other in diagnostic["related"])]
    hidden = max(0, len(labels) - _MOST_LABELS)
    labels = labels[:_MOST_LABELS]
    files = list(dict.fromkeys(label["file"] for label in labels))
    margin = max(len(str(label["start"]["line"])) for label in labels)
    for number, file in enumerate(files):
        here = [label for label in labels if label["file"] == file]
        first = here[0]["start"]
        arrow = "-->" if number == 0 else ":::"
        out.append(f"{' ' * margin}{arrow} {printable(file)}:{first['line']}:{first['column']}")
        out += _snippet(here, lines(file, _numbers(here)), margin, severity, paint)
    notes = [f"note: {printable(text)}" for text in diagnostic["notes"]]
    if hidden:
        notes.append(f"note: and {hidden} more places")
    notes += [f"help: {printable(text)}" for text in diagnostic["helps"]]
    if diagnostic["fix"]:
        fix = diagnostic["fix"]
        notes.append(f"help: {printable(fix['title'])}")
    out += [f"{' ' * margin} = {text}" for text in notes]
    return out


def _numbers(labels: list[Any]) -> list[int]:
    """Lines of labels, and a line that stands alone between two of them."""
    own = sorted({label["start"]["line"] for label in labels})
    between = [line + 1 for line in own if line + 2 in own and line + 1 not in own]
    return sorted([*own, *between])


def _snippet(labels: list[Any], texts: dict[int, str], margin: int, severity: str, paint: Any) -> list[str]:
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
        out.append(f"{number:>{margin}} | {_expanded(printable(_cut(text), tabs=True))}".rstrip())
        for label in sorted(
            (one for one in labels if one["start"]["line"] == number), key=lambda one: one["start"]["column"]
        ):
            start, end = label["start"]["column"], label["end"]["column"]
            if label["end"]["line"] != number:
                end = len(text) + 1
            lead = width(_expanded(printable(text[: start - 1], tabs=True)))
            span = width(_expanded(printable(text[start - 1 : max(end - 1, start)], tabs=True))) if end > start else 1
            style = severity if label["mark"] == "^" else "label"
            mark = paint((label["mark"] * max(span, 1) + " " + printable(label["label"])).rstrip(), style)
            out.append(f"{bar} {' ' * lead}{mark}")
    out.append(bar)
    return out


def _cut(text: str) -> str:
    return text if len(text) <= 400 else text[:400] + "…"


def _expanded(text: str) -> str:
    if "\t" not in text:
        return text
    out = ""
    for sign in text:
        out += " " * (4 - width(out) % 4) if sign == "\t" else sign
    return out
