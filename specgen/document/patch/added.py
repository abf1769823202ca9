"""What is added to a collection: a value that is written, or an entry that moves with its own text."""

from __future__ import annotations

from specgen.document.layout import ALIAS, MAPPING, SCALAR, SEQUENCE, Unclear
from specgen.document.patch.lines import after, begin, inner_end, leads, line_start
from specgen.document.patch.style import column

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol

    from specgen.document.layout import Entry, Layout
    from specgen.document.patch.style import Writer
    from specgen.source import Path

    class Added(Protocol):
        """An entry for the end of a collection."""

        @property
        def comments(self) -> Sequence[str]:
            """What must stand above it where it stands in brackets."""
            ...

        def block(self, writer: Writer, at: int) -> list[str]:
            """Its lines, from a column on."""
            ...

        def flow(self, writer: Writer) -> str:
            """Its text within brackets."""
            ...


class Written:
    """A value, with its key in a mapping."""

    __slots__ = ("_comments", "name", "value")

    def __init__(self, name: str | None, value: Any) -> None:
        self.name = name
        self.value = value
        # those of what it takes the place of, each with the keys below its own that lead there
        self._comments: list[tuple[Path, str]] = []

    @property
    def comments(self) -> list[str]:
        """The comments of what it takes the place of."""
        return [comment for _, comment in self._comments]

    def comment(self, below: Path, comments: list[str]) -> None:
        """Takes the comments of what it takes the place of; several places may have said the same."""
        self._comments += [(below, one) for one in comments if (below, one) not in self._comments]

    def block(self, writer: Writer, at: int) -> list[str]:
        """Its lines, from a column on."""
        if self.name is None:
            return writer.item(self.value, at)
        lines = writer.entry(self.name, self.value, at)
        for below, comment in reversed(self._comments):
            line = self._line(below)
            spaces = len(lines[line]) - len(lines[line].lstrip(" "))
            lines.insert(line, " " * spaces + comment)
        return lines

    def _line(self, below: Path) -> int:
        """The line of a key below its own, as far as each is the first of its mapping."""
        line, value = 0, self.value
        for step in below:
            if not isinstance(value, dict) or next(iter(value), None) != step:
                break
            line, value = line + 1, value[step]
        return line

    def flow(self, writer: Writer) -> str:
        """Its text within brackets."""
        text = writer.flow(self.value)
        return text if self.name is None else f"{writer.key(self.name, flow=True)}: {text}"


class Moved:
    """An entry of the text. ``value`` is its value as data, for the places that its own text does not fit."""

    __slots__ = ("entry", "layout", "name", "value")

    comments = ()

    def __init__(self, layout: Layout, entry: Entry, name: str | None, value: Any) -> None:
        self.layout = layout
        self.entry = entry
        self.name = name
        self.value = value
        if (entry.key is None) != (name is None):
            raise Unclear("an item and a key do not take each other's place")

    def block(self, writer: Writer, at: int) -> list[str]:
        """Its lines with the comments that belong to it, indented anew; within brackets what stands there."""
        layout, entry = self.layout, self.entry
        text = layout.text
        if entry.container.flow:
            self._no_comment()
            raw = self._raw()
            lines = Written(self.name, self.value).block(writer, at)
            if raw is None:
                return lines
            lead = " " * at
            return [f"{lead}{writer.key(self.name)}: {raw}" if self.name is not None else f"{lead}- {raw}"]
        start = entry.start
        indent = column(text, start)
        if leads(text, start):
            start = begin(layout, entry)
            end = after(layout, entry)
            chunk = text[start:end]
        else:
            start = line_start(text, start)
            end = after(layout, entry)
            chunk = " " * indent + text[entry.start : end]
        chunk = self._renamed(writer, chunk, len(chunk) - (end - entry.start))
        lines = chunk.removesuffix("\n").split("\n")
        return [_shifted(line.removesuffix("\r"), at - indent) for line in lines]

    def _renamed(self, writer: Writer, chunk: str, at: int) -> str:
        """The text of the entry under its new key; ``at``: where the entry begins in it."""
        key = self.entry.key
        if key is None or key.name == self.name:
            return chunk
        if key.kind != SCALAR or key.style in ("|", ">") or self.name is None:
            raise Unclear("its key is not one that is edited")
        start = at + key.content - self.entry.start
        written = writer.text(self.name, quote=key.style)
        return chunk[:start] + written + chunk[start + key.end - key.content :]

    def flow(self, writer: Writer) -> str:
        """Its text within brackets."""
        self._no_comment()
        raw = None if writer.json else self._raw()
        if raw is None:
            return Written(self.name, self.value).flow(writer)
        return raw if self.name is None else f"{writer.key(self.name, flow=True)}: {raw}"

    def _no_comment(self) -> None:
        entry = self.entry
        text = self.layout.text
        start = begin(self.layout, entry) if leads(text, entry.start) else entry.start
        end = after(self.layout, entry) if not entry.container.flow else entry.comma or entry.end
        if self.layout.commented(start, end):
            raise Unclear("a comment would be lost")

    def _raw(self) -> str | None:
        """The text of its value, where it can stand within brackets as well as without."""
        part = self.entry.value
        raw = self.layout.text[part.start : inner_end(self.layout.text, part.end)]
        quoted = part.kind == SCALAR and part.style in ("'", '"')
        brackets = part.kind in (MAPPING, SEQUENCE) and part.flow
        plain = part.kind == SCALAR and not part.style and not any(sign in raw for sign in ",[]{}")
        return raw if (quoted or brackets or plain or part.kind == ALIAS) and "\n" not in raw and raw else None


class Begun:
    """A list that is not there yet, of one item that moves."""

    __slots__ = ("item", "name")

    comments = ()

    def __init__(self, name: str, item: Moved) -> None:
        self.name = name
        self.item = item

    def block(self, writer: Writer, at: int) -> list[str]:
        """Its lines, from a column on."""
        return [f"{' ' * at}{writer.key(self.name)}:", *self.item.block(writer, at + writer.dash)]

    def flow(self, writer: Writer) -> str:
        """Its text within brackets."""
        return f"{writer.key(self.name, flow=True)}: [{self.item.flow(writer)}]"


def _shifted(line: str, by: int) -> str:
    if by >= 0:
        return " " * by + line if line else line
    spaces = len(line) - len(line.lstrip(" "))
    return line[min(spaces, -by) :]
