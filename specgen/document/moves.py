"""Lines of a text that is no YAML, each with the columns that it could stand in: moves that a reader may try.

The line at which a reader stops is seldom the one that is wrong: a key that is indented too far is noticed at its
neighbour. So the lines above are tried, too, alone, with what is below them, and with all that follows as deep.
"""

from __future__ import annotations

from specgen.document.faults import depth_of, open_above

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.source import Source

# Lines above the one at which reading ends, at which a move may begin; and the lines of a block that is moved.
_ABOVE, _MOST_LINES = 6, 400
# Blanks that an editor shows in place of a tab.
_TABS = (2, 4, 8)


class Moved:
    """A text with lines in other columns: their first and last, and how many columns they went to the right."""

    __slots__ = ("by", "edits", "first", "last", "text")

    def __init__(self, text: str, edits: list[tuple[int, int, str]], first: int, last: int, by: int) -> None:
        self.text = text
        # (offset, length, text) in the text as it was
        self.edits = edits
        self.first = first
        self.last = last
        self.by = by


def extent(source: Source, at: int) -> tuple[int, int]:
    """The offsets between which the document lies that holds an offset."""
    text = source.text
    start = text.rfind("\n---", 0, at) + 1
    end = text.find("\n---", at)
    return start, end + 1 if end >= 0 else len(text)


def moves(source: Source, number: int) -> Iterator[Moved]:
    """The moves that may let a reader go on who stopped at this line; each text is another one."""
    seen = {source.text}
    tried = 0
    for first in range(number, 0, -1):
        line = source.line(first)
        said = line.strip()
        if said.startswith("---") or tried > _ABOVE:
            return
        if not said or said[0] == "#":
            continue
        tried += 1
        depth = depth_of(line)
        columns = {*open_above(source, first), *open_above(source, number), depth_of(source.line(number))}
        columns |= {column + 2 for column in columns}
        for last in _ends(source, first):
            for column in sorted(columns - {depth}, key=lambda one: (abs(one - depth), one)):
                moved = _shifted(source, first, last, column - depth)
                if moved is not None and moved.text not in seen:
                    seen.add(moved.text)
                    yield moved


def untabbed(source: Source) -> Iterator[Moved]:
    """The text with blanks in place of tabs that indent its lines."""
    seen = set()
    first = next((one for one in range(1, source.lines + 1) if "\t" in _head(source.line(one))), 0)
    tabs = max(_head(source.line(first)).count("\t"), 1)
    # one line with a tab among lines with blanks goes where they stand
    columns = [column // tabs for column in sorted(open_above(source, first)) if column and column % tabs == 0]
    for width in dict.fromkeys([*_TABS, *columns]):
        edits = []
        for number in range(1, source.lines + 1):
            line = source.line(number)
            head = _head(line)
            if "\t" in head and line.strip():
                edits.append((source.offset(number), len(head), head.expandtabs(width)))
        text = _applied(source.text, edits)
        if edits and text not in seen:
            seen.add(text)
            yield Moved(text, edits, 0, 0, width)


def _head(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _ends(source: Source, first: int) -> list[int]:
    """The last lines of the blocks that begin at a line: itself, what is below it, what follows as deep."""
    line = source.line(first)
    depth, is_item = depth_of(line), line.lstrip().startswith("- ")
    own = last = first
    is_own = True
    for number in range(first + 1, min(source.lines, first + _MOST_LINES) + 1):
        text = source.line(number)
        said = text.strip()
        if not said or (said[0] == "#" and depth_of(text) < depth):
            continue
        here = depth_of(text)
        if here < depth or said.startswith("---"):
            break
        # the items of a list may stand as deep as its key
        is_own = is_own and (here > depth or (not is_item and said.startswith("- ") and line.rstrip().endswith(":")))
        last = number
        if is_own:
            own = number
    return sorted({first, own, last})


def _shifted(source: Source, first: int, last: int, by: int) -> Moved | None:
    edits = []
    for number in range(first, last + 1):
        line = source.line(number)
        if not line.strip():
            continue
        depth = depth_of(line)
        if depth + by < 0:
            return None
        edits.append((source.offset(number), depth, " " * (depth + by)))
    return Moved(_applied(source.text, edits), edits, first, last, by)


def _applied(text: str, edits: list[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, length, new in edits:
        parts += [text[at:start], new]
        at = start + length
    return "".join([*parts, text[at:]])
