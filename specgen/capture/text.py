"""A tree with comments, written as YAML: small mappings on one line, as a person writes them."""

from __future__ import annotations

from specgen.diagnostics.safe import printable
from specgen.document.write import inline, quoted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WIDTH = 120
# What ends a plain scalar within brackets.
_FLOW = ",[]{}"


class Tree:
    """Entries in their order, each with the comments above it; ``last``: comments below all of them."""

    __slots__ = ("_notes", "entries", "last")

    def __init__(self) -> None:
        self.entries: list[tuple[list[str], str, Any]] = []
        self.last: list[str] = []
        self._notes: list[str] = []

    def note(self, comment: str) -> None:
        """A comment above the next entry."""
        self._notes.append(comment)

    def add(self, key: str, value: Any) -> None:
        """An entry: a tree, or what YAML holds."""
        self.entries.append((self._notes, key, value))
        self._notes = []

    def end(self, comment: str) -> None:
        """A comment below all entries."""
        self.last.append(comment)

    @property
    def comments(self) -> list[str]:
        """Those below all entries, and those whose entry never came."""
        return [*self._notes, *self.last]


def written(tree: Tree) -> str:
    """The text, which ends with a line break."""
    return "".join(f"{line}\n" for line in _lines(tree, ""))


def _lines(tree: Tree, indent: str) -> list[str]:
    lines: list[str] = []
    for notes, key, value in tree.entries:
        for note in notes:
            lines += _comment(note, indent)
        lines += _entry(inline(key), value, indent)
    for note in tree.comments:
        lines += _comment(note, indent)
    return lines


def _entry(key: str, value: Any, indent: str) -> list[str]:
    if isinstance(value, Tree):
        if not value.entries:
            # an entry without words is one that says nothing: its comments still do
            return [f"{indent}{key}: {{}}", *[line for note in value.comments for line in _comment(note, indent)]]
        return [f"{indent}{key}:", *_lines(value, f"{indent}  ")]
    line = f"{indent}{key}: {_flow(value)}"
    if len(line) <= _WIDTH or not isinstance(value, (dict, list)) or not value:
        return [line]
    if isinstance(value, list):
        return [f"{indent}{key}:", *[f"{indent}  - {_flow(item)}" for item in value]]
    below = [_entry(inline(name), item, f"{indent}  ") for name, item in value.items()]
    return [f"{indent}{key}:", *[line for lines in below for line in lines]]


def _flow(value: Any) -> str:
    """A value on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join([f"{_scalar(key)}: {_flow(item)}" for key, item in value.items()]) + "}"
    if isinstance(value, list):
        return "[" + ", ".join([_flow(item) for item in value]) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    return _scalar(value) if isinstance(value, str) else str(value)


def _scalar(text: str) -> str:
    plain = inline(text)
    return quoted(text) if any(sign in plain for sign in _FLOW) else plain


def _comment(text: str, indent: str) -> list[str]:
    """A comment, broken where a line would be too long; what a cluster calls things cannot end it."""
    head = f"{indent}# "
    lines, line = [], head
    for word in printable(text).split(" "):
        if len(line) > len(head) and len(line) + len(word) > _WIDTH:
            lines.append(line.rstrip())
            line = f"{head}  "
        line += f"{word} "
    return [*lines, line.rstrip()]
