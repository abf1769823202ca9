"""Lines of a text, and which of them belong to an entry: its own, the comments right above it, those below that are
indented deeper.
"""

from __future__ import annotations

from specgen.document.patch.style import column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.document.layout import Entry, Layout


def applied(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """A text with edits in it, (offset, length, text): they are ordered and do not overlap."""
    out, end = [], 0
    for start, length, new in edits:
        out += [text[end:start], new]
        end = start + length
    return "".join([*out, text[end:]])


def line_start(text: str, at: int) -> int:
    """Where the line of an offset begins."""
    return text.rfind("\n", 0, at) + 1


def line_end(text: str, at: int) -> int:
    """Where the line of an offset ends, before its line break."""
    end = text.find("\n", at)
    if end < 0:
        return len(text)
    return end - 1 if end > at and text[end - 1] == "\r" else end


def next_line(text: str, at: int) -> int:
    """Where the line behind an offset begins; the offset itself where it is behind a line break already."""
    if at and text[at - 1] == "\n":
        return at
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def inner_end(text: str, at: int) -> int:
    """An end without the line break right before it: that of a block text which keeps its blank lines."""
    if at and text[at - 1] == "\n":
        return at - 2 if text[at - 2 : at] == "\r\n" else at - 1
    return at


def leads(text: str, at: int) -> bool:
    """Whether nothing but spaces stands before an offset on its line."""
    return not text[line_start(text, at) : at].strip(" ")


def begin(layout: Layout, entry: Entry) -> int:
    """Where an entry begins with the comments right above it, for one that begins its line.

    A comment at the head of the file is the file's.
    """
    text = layout.text
    indent = column(text, entry.start)
    first = at = line_start(text, entry.start)
    while at:
        above = line_start(text, at - 1)
        sign = above + indent
        if not layout.is_comment(sign) or text[above:sign].strip(" "):
            return at
        at = above
    return first


def about(layout: Layout, entry: Entry) -> list[str]:
    """The comments that go with an entry; within brackets only those of one that has its lines for itself."""
    text = layout.text
    start, end = entry.start, entry.comma or entry.end
    own = leads(text, start)
    if not entry.container.flow:
        end = after(layout, entry)
    elif own:
        sign = end
        while text[sign : sign + 1] in (" ", "\t"):
            sign += 1
        own = sign >= line_end(text, end) or layout.is_comment(sign)
        end = after(layout, entry) if own else end
    start = begin(layout, entry) if own else start
    return [text[at:stop].rstrip() for at, stop in layout.comments if start <= at < end]


def runs(layout: Layout, entries: list[Entry]) -> list[tuple[int, int]]:
    """(begin, end) of the lines of entries that follow each other, apart where a comment of neither stands between."""
    found: list[tuple[int, int]] = []
    for entry in entries:
        start, end = begin(layout, entry), after(layout, entry)
        if found and not layout.commented(found[-1][1], start):
            start = found.pop()[0]
        found.append((start, end))
    return found


def after(layout: Layout, entry: Entry) -> int:
    """Where the line behind an entry begins, comments right below it left out that are indented deeper."""
    text = layout.text
    indent = column(text, entry.start)
    at = next_line(text, entry.comma or entry.end)
    while at < len(text):
        sign = at
        while text[sign : sign + 1] == " ":
            sign += 1
        if sign - at <= indent or not layout.is_comment(sign):
            break
        at = next_line(text, sign)
    return at
