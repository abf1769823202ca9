"""Values in the style of what stands around them: indentation, dashes, quotes, line ends, JSON.

The rules for scalars are those of ``write``; only the layout follows the neighbours.
"""

from __future__ import annotations

from specgen.document import write
from specgen.document.layout import EMPTY, MAPPING, SCALAR, SEQUENCE, Unclear, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.document.layout import Entry, Layout, Part

_FLOW_SIGNS = ",[]{}"
_LONGEST_KEY = 1000


def column(text: str, at: int) -> int:
    """How many signs stand before an offset on its line."""
    return at - (text.rfind("\n", 0, at) + 1)


def line_break(text: str, at: int) -> str:
    """The line end that is used before an offset, or else first in the text."""
    found = text.rfind("\n", 0, at)
    if found < 0:
        found = text.find("\n")
    return "\r\n" if found > 0 and text[found - 1] == "\r" else "\n"


class Style:
    """How a text indents: signs from a key to the keys below it, to the dashes below it, from a dash to its item."""

    __slots__ = ("_dashes", "_gaps", "_steps")

    def __init__(self, layout: Layout) -> None:
        # (offset, signs) of each example in the text
        self._steps: list[tuple[int, int]] = []
        self._dashes: list[tuple[int, int]] = []
        self._gaps: list[tuple[int, int]] = []
        text = layout.text
        for part in parts(layout.root):
            owner = part.owner
            if part.kind == SEQUENCE and not part.flow:
                self._gaps += [
                    (entry.start, entry.value.start - entry.start)
                    for entry in part.entries
                    if entry.value.kind != EMPTY and "\n" not in text[entry.start : entry.value.start]
                ]
            if owner is None or owner.key is None or part.flow or part.kind not in (MAPPING, SEQUENCE):
                continue
            deeper = column(text, part.content) - column(text, owner.start)
            (self._steps if part.kind == MAPPING else self._dashes).append((part.content, deeper))

    def step(self, near: int) -> int:
        """From a key to the keys below it."""
        return _nearest(self._steps, near, 2)

    def dash(self, near: int) -> int:
        """From a key to the dashes below it."""
        return _nearest(self._dashes, near, 0)

    def gap(self, near: int) -> int:
        """From a dash to its item."""
        return _nearest(self._gaps, near, 2)


def _nearest(examples: list[tuple[int, int]], near: int, default: int) -> int:
    return min(examples, key=lambda example: (abs(example[0] - near), example))[1] if examples else default


class Writer:
    """Writes values for one place of a text."""

    __slots__ = ("dash", "gap", "json", "literals", "quote", "spread", "step")

    def __init__(self, style: Style, near: int, *, json: bool = False, quote: str = "", literals: bool = True) -> None:
        self.step = style.step(near)
        self.dash = style.dash(near)
        self.gap = style.gap(near)
        # whether everything is written as JSON
        self.json = json
        # the quotes that the neighbours have
        self.quote = quote
        # whether a text of several lines may be a block literal
        self.literals = literals
        # whether collections of JSON take a line for each entry
        self.spread = False

    def lines(self, value: Any, at: int) -> list[str]:
        """The lines of a mapping or list that is not empty, in block style from a column on."""
        out: list[str] = []
        pad = " " * at
        if isinstance(value, dict):
            for key, item in value.items():
                out += self.entry(key, item, at)
            return out
        for item in value:
            if isinstance(item, (dict, list)) and item:
                first, *rest = self.lines(item, at + self.gap)
                out += [f"{pad}-{' ' * (self.gap - 1)}{first[at + self.gap :]}", *rest]
            else:
                out += f"{pad}-{' ' * (self.gap - 1)}{self.scalar(item, pad, top=False)}".split("\n")
        return out

    def entry(self, key: str, value: Any, at: int) -> list[str]:
        """The lines of a key and its value, in block style from a column on."""
        pad = " " * at
        name = self.key(key)
        if isinstance(value, (dict, list)) and value:
            deeper = at + (self.step if isinstance(value, dict) else self.dash)
            return [f"{pad}{name}:", *self.lines(value, deeper)]
        return f"{pad}{name}: {self.scalar(value, pad)}".split("\n")

    def item(self, value: Any, at: int) -> list[str]:
        """The lines of an item of a list, its dash at a column."""
        if isinstance(value, (dict, list)) and value:
            return self.lines([value], at)
        pad = " " * at
        return f"{pad}-{' ' * (self.gap - 1)}{self.scalar(value, pad)}".split("\n")

    def key(self, key: str, *, flow: bool = False) -> str:
        """A key."""
        if not isinstance(key, str):
            raise Unclear("a key is no text")
        name = self.text(key, flow=flow)
        if len(name) > _LONGEST_KEY:
            raise Unclear("a key is too long for one line")
        return name

    def scalar(self, value: Any, pad: str, *, top: bool = True) -> str:
        """A scalar or an empty collection in block style; a text of several lines as a block literal, if it may."""
        if isinstance(value, str) and (not self.literals or value.endswith("\n\n") or "\n" not in value):
            return self.text(value, quote=self.quote if top else "")
        return write.scalar(value, pad)

    def text(self, text: str, *, flow: bool = False, quote: str = "") -> str:
        """A text on one line."""
        if self.json:
            return write.write_json(text)[:-1]
        if quote == "'" and text.isascii() and text.isprintable():
            return "'" + text.replace("'", "''") + "'"
        if quote:
            return write.quoted(text)
        written = write.inline(text)
        return write.quoted(text) if flow and any(sign in written for sign in _FLOW_SIGNS) else written

    def flow(self, value: Any, *, top: bool = True) -> str:
        """A value for a place within brackets: on one line, or as JSON is written over several."""
        if self.json and self.spread and isinstance(value, (dict, list)) and value:
            return write.write_json(value)[:-1]
        if isinstance(value, dict) and value:
            pairs = [f"{self.key(key, flow=True)}: {self.flow(item, top=False)}" for key, item in value.items()]
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, list) and value:
            return "[" + ", ".join([self.flow(item, top=False) for item in value]) + "]"
        if isinstance(value, str):
            return self.text(value, flow=True, quote=self.quote if top else "")
        return write.write_json(value)[:-1] if self.json else write.scalar(value, "")


def is_json(layout: Layout, part: Part) -> bool:
    """Whether a node stands among JSON: in a text of JSON, or in brackets where each key is in double quotes."""
    if layout.root.flow and layout.text.lstrip()[:1] in ("{", "["):
        return all(one.style == '"' for entry in layout.root.entries if (one := entry.key) is not None)
    while part.flow:
        if part.kind == MAPPING and part.entries:
            return all(entry.key is not None and entry.key.style == '"' for entry in part.entries)
        owner = part.owner
        if owner is None:
            break
        part = owner.container
    return False


def quotes(entries: list[Entry]) -> str:
    """The quotes that all texts among some entries have; nothing where they differ or there are none."""
    styles = {entry.value.style for entry in entries if entry.value.kind == SCALAR}
    return styles.pop() if len(styles) == 1 and styles <= {'"', "'"} else ""
