"""Operations on the paths of a file, of which the patch of a fix consists, and what comes of a patch.

A rule says what is to be done, in paths; ``document.patch`` turns it into edits of the text, or says why not. Most runs
have nothing to mend and never load this.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeAlias

    from specgen.source import Path, Source

    Operation: TypeAlias = "Set | Remove | Append | Move | Rename | Wrap | ReplaceText | Unite | Rewrite"


class Set:
    """Gives the entry at a path this value; a mapping that lacks the key gets it as its last entry."""

    __slots__ = ("path", "value")

    def __init__(self, path: Path, value: Any) -> None:
        self.path = path
        # plain data: dict, list, str, int, float, bool or None
        self.value = value


class Remove:
    """Takes out the entry at a path, with the comments that belong to it.

    They speak of what is gone, and go; unless something takes its place (``to``), above which they stand then.
    """

    __slots__ = ("path", "to")

    def __init__(self, path: Path, to: Path | None = None) -> None:
        self.path = path
        # what the patch sets in its place
        self.to = to


class Append:
    """Adds an item to the end of the list at a path."""

    __slots__ = ("path", "value")

    def __init__(self, path: Path, value: Any) -> None:
        self.path = path
        self.value = value


class Move:
    """Moves the entry at a path, with the comments that belong to it, to a new last entry of a mapping or list."""

    __slots__ = ("path", "to")

    def __init__(self, path: Path, to: Path) -> None:
        self.path = path
        # where it stands afterwards: an absent key, the number behind the last item, or 0 of a list that is not there
        self.to = to


class Rename:
    """Gives the entry at a path another key."""

    __slots__ = ("key", "path")

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self.key = key


class Wrap:
    """Puts the entry at a path into a new mapping, which takes its place under another key."""

    __slots__ = ("key", "path")

    def __init__(self, path: Path, key: str) -> None:
        self.path = path
        self.key = key


class ReplaceText:
    """Replaces a part of the text at a path; the part stands there exactly once."""

    __slots__ = ("new", "old", "path")

    def __init__(self, path: Path, old: str, new: str) -> None:
        self.path = path
        self.old = old
        self.new = new


class Unite:
    """Puts what stands under the second of two equal keys under the first.

    No tree shows both: it has no path, and is about the text. No other operation goes with it.
    """

    __slots__ = ("offset", "path")

    def __init__(self, offset: int) -> None:
        self.path: Path = ()
        # where the second key begins in its source
        self.offset = offset


class Rewrite:
    """Characters that give way to others in a text that cannot be read, of which there is no tree and no path."""

    __slots__ = ("length", "offset", "path", "text")

    def __init__(self, offset: int, length: int, text: str) -> None:
        self.path: Path = ()
        self.offset = offset
        self.length = length
        self.text = text


class Edit:
    """Characters of a source, ``length`` of them from ``offset`` on, that give way to a text."""

    __slots__ = ("length", "offset", "source", "text")

    def __init__(self, source: Source, offset: int, length: int, text: str) -> None:
        self.source = source
        self.offset = offset
        self.length = length
        self.text = text


class Refusal:
    """Why a patch is not made, as a clause."""

    __slots__ = ("reason",)

    def __init__(self, reason: str) -> None:
        self.reason = reason


def rebased(patch: Iterable[Operation], there: Callable[[Path], Path]) -> list[Operation]:
    """A patch whose paths are those of another tree."""
    out: list[Operation] = []
    for one in patch:
        path = there(one.path)
        if isinstance(one, Set):
            out.append(Set(path, one.value))
        elif isinstance(one, Remove):
            out.append(Remove(path, there(one.to) if one.to is not None else None))
        elif isinstance(one, Append):
            out.append(Append(path, one.value))
        elif isinstance(one, Move):
            out.append(Move(path, there(one.to)))
        elif isinstance(one, Rename):
            out.append(Rename(path, one.key))
        elif isinstance(one, Wrap):
            out.append(Wrap(path, one.key))
        elif isinstance(one, ReplaceText):
            out.append(ReplaceText(path, one.old, one.new))
        else:
            out.append(one)
    return out
