"""What the tables call: checks of single values that JSON Schema says with patterns.

``tests/schema/test_checks.py`` holds each to its pattern on generated text.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

NoneType = type(None)

# Objects that may hold anything. ``accept`` knows this shape and does not look inside.
ANYTHING: Any = [{}, (), {}, None]
ANY: Any = ANYTHING[2]
ANY.update({str: True, int: True, float: True, bool: True, NoneType: True, list: True, dict: ANYTHING})

# Kubernetes 1.36, apimachinery, pkg/api/resource: the form of an amount in the schemas of foreign kinds.
QUANTITY_PATTERN = (
    r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"
)

_DIGITS = frozenset("0123456789")
_SUFFIXES = frozenset(("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "n", "u", "m", "k", "M", "G", "T", "P", "E"))


class OrWord:
    """A text of a grammar, or one of some words."""

    __slots__ = ("grammar", "words")

    def __init__(self, grammar: Callable[[str], bool], *words: str) -> None:
        self.grammar = grammar
        self.words = words

    def __call__(self, text: str) -> bool:
        return text in self.words or self.grammar(text)


def _decimal_end(text: str, at: int) -> int:
    """Where a decimal number that begins here ends; ``at`` itself where none does."""
    end = at
    while text[end : end + 1] in _DIGITS:
        end += 1
    whole = end - at
    if text[end : end + 1] != ".":
        return end
    fraction = end + 1
    end = fraction
    while text[end : end + 1] in _DIGITS:
        end += 1
    return end if whole or end > fraction else at


def quantity(text: str) -> bool:
    """The form of a Kubernetes quantity."""
    start = 1 if text[:1] in ("+", "-") else 0
    end = _decimal_end(text, start)
    if end == start:
        return False
    suffix = text[end:]
    if suffix in _SUFFIXES:
        return True
    if suffix[0] not in "eE":
        return False
    exponent = 2 if suffix[1:2] in ("+", "-") else 1
    end = _decimal_end(suffix, exponent)
    return end > exponent and end == len(suffix)
