"""Why the API server refuses something: where, for which cause, and in words; and how values are asked for.

A value of a wrong type is not judged here: no object that holds one is stored, which the schema finds. What looks at a
single value is no generator: that there is nothing to say, as mostly, would cost it the most.
"""

from __future__ import annotations

from specgen.diagnostics.model import listed, shown
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.source import Path


class Reason:
    """One refusal of a part of an object."""

    __slots__ = ("cause", "message", "other", "path", "reason", "right", "words")

    def __init__(self, path: Path, message: str, cause: str, other: Path | None, reason: str) -> None:
        # Path of the value at fault, from the root of the object.
        self.path = path
        # What is wrong, without saying where: lower case, no full stop.
        self.message = message
        # A word for those that present it in their own way; empty where nobody does.
        self.cause = cause
        # Path of the value that it contradicts, if it contradicts one.
        self.other = other
        # What is wrong and where, for those who cannot point.
        self.reason = reason
        # The words of which one is taken, where that is what is wrong.
        self.words: tuple[str, ...] = ()
        # The one value that is taken there as the rest stands; None: there are several, or none.
        self.right: Any = None


def because(path: Path, message: str, cause: str = "", other: Path | None = None) -> Reason:
    """A value that is refused."""
    # the name of a resource is none of the object's fields, and the message says it
    place = path[:-1] if len(path) > 1 and path[-2] in ("limits", "requests") else path
    return Reason(path, message, cause, other, f"`{dotted(place)}`: {message}")


def missing(path: Path, cause: str = "", *, what: str = "is missing") -> Reason:
    """A field that must be there and not be empty."""
    return Reason(path, f"`{path[-1]}` {what}", cause, None, f"`{dotted(path)}` {what}")


def text(tree: dict[str, Any], key: str) -> str | None:
    """The text of a field, empty where it is absent or null; None: it is no text."""
    value = tree.get(key)
    return "" if value is None else value if isinstance(value, str) else None


def number(tree: dict[str, Any], key: str) -> int | None:
    """The whole number of a field; None: it is absent, or none."""
    value = tree.get(key)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def one_of(tree: dict[str, Any], key: str, path: Path, words: Sequence[str], *, cause: str = "") -> Sequence[Reason]:
    """A field that must hold one of some words, where it holds anything."""
    word = tree.get(key)
    if not word or word in words or not isinstance(word, str):
        return ()
    reason = because((*path, key), f"`{shown(word)}` is none of {listed(words, most=9)}", cause)
    reason.words = tuple(words)
    return (reason,)


def needed(tree: dict[str, Any], key: str, path: Path) -> Sequence[Reason]:
    """A text that must be there and not be empty."""
    return (missing((*path, key)),) if text(tree, key) == "" else ()


def at_least(tree: dict[str, Any], key: str, path: Path, least: int, most: int | None = None) -> Sequence[Reason]:
    """A number that must not be below, or above, another."""
    value = number(tree, key)
    if value is None:
        return ()
    if most is not None and not least <= value <= most:
        return (because((*path, key), f"{shown(value)} is not between {least} and {most}"),)
    return (because((*path, key), f"{shown(value)} is below {least}"),) if value < least else ()


def relative(value: str, path: Path, *, reserved: bool = False) -> Iterator[Reason]:
    """A path below a folder: not absolute, never upwards; ``reserved``: nor with two dots in front."""
    if value.startswith("/"):
        yield because(path, f"`{shown(value)}` is not a relative path")
    yield from no_backsteps(value, path)
    if reserved and value.startswith("..") and ".." not in value.split("/"):
        yield because(path, f"`{shown(value)}` begins with `..`")


def no_backsteps(value: str, path: Path) -> Sequence[Reason]:
    """A path without ``..``."""
    if ".." not in value or ".." not in value.split("/"):
        return ()
    return (because(path, f"`{shown(value)}` goes upwards with `..`"),)
