"""Text and places in it: the floor that everything stands on.

An offset counts characters (code points) from 0 in ``Source.text``; lines and columns count from 1,
lines end at LF, columns count code points. A byte-order mark is kept aside and not counted.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    Path: TypeAlias = tuple[str | int, ...]


class Source:
    """One text with its name: a path relative to where the command ran, or a word in angle brackets."""

    __slots__ = ("_starts", "bom", "name", "text")

    def __init__(self, name: str, text: str, *, bom: bool = False) -> None:
        self.name = name
        self.text = text
        self.bom = bom
        self._starts: list[int] | None = None

    def _line_starts(self) -> list[int]:
        if self._starts is None:
            starts = [0]
            at = self.text.find("\n")
            while at >= 0:
                starts.append(at + 1)
                at = self.text.find("\n", at + 1)
            self._starts = starts
        return self._starts

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self._line_starts())

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column (both from 1) of a character offset; an offset past the end is the end."""
        from bisect import bisect_right

        starts = self._line_starts()
        offset = min(max(offset, 0), len(self.text))
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line (from 1) without its line end; empty past the last line."""
        starts = self._line_starts()
        if not 1 <= number <= len(starts):
            return ""
        end = starts[number] - 1 if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : end].rstrip("\r")

    def offset(self, line: int, column: int = 1) -> int:
        """The offset of a line and column, both from 1; clipped to the text."""
        starts = self._line_starts()
        line = min(max(line, 1), len(starts))
        return min(starts[line - 1] + column - 1, len(self.text))


def is_markdown(name: str) -> bool:
    """Whether a file, by its name, holds manifests among prose."""
    return name.endswith((".md", ".markdown"))


def dotted(path: Path) -> str:
    """A path as people read it: ``spec.containers[0].limits[nvidia.com/gpu]``. Never parsed back."""
    out = ""
    for step in path:
        if isinstance(step, int) or "." in step or "/" in step or not step:
            out += f"[{step}]"
        else:
            out += f".{step}" if out else step
    return out
