"""What kubectl prints with ``-o json``: JSON texts one behind the other, of any length."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What may stand before a text and between two.
BLANK = " \t\r\n\ufeff"


class Unreadable(Exception):
    """A text that holds no objects; ``help``: what to do."""

    def __init__(self, message: str, help: str = "") -> None:
        super().__init__(message)
        self.help = help


def read(source: str) -> list[Any]:
    """The JSON texts in a text, one behind the other. Raises Unreadable."""
    import json

    decoder, at = json.JSONDecoder(), 0
    found: list[Any] = []
    while True:
        while at < len(source) and source[at] in BLANK:
            at += 1
        if at == len(source):
            return found
        try:
            tree, at = decoder.raw_decode(source, at)
        except RecursionError:
            raise Unreadable("it is nested too deeply for objects of a cluster") from None
        except ValueError as error:
            raise _unreadable(source, at, getattr(error, "pos", at)) from None
        found.append(tree)


def _unreadable(source: str, start: int, at: int) -> Unreadable:
    line = source.count("\n", 0, at) + 1
    if source[start] not in "{[":
        help = "print it with `-o json`"
        return Unreadable(f"line {source.count(chr(10), 0, start) + 1} is no JSON", help)
    if not source[at:].strip() or '"' not in source[at + 1 :]:
        help = "the command that printed it was cut off, or its file was not written to the end: run it again"
        return Unreadable(f"the JSON ends in the middle of an object, in line {line}", help)
    return Unreadable(f"line {line} is no JSON")
