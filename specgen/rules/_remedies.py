"""Operations that several remedies consist of: values that go where their mappings may not stand yet."""

from __future__ import annotations

from specgen.diagnostics.model import Fix
from specgen.diagnostics.operations import Append, Set
from specgen.diagnostics.suggest import similar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from specgen.diagnostics.operations import Operation
    from specgen.source import Path


def put(tree: dict[str, Any], path: Path, steps: tuple[str, ...], value: Any) -> Operation:
    """Sets a value below the mapping at a path, with the mappings on the way that are absent."""
    for depth, step in enumerate(steps):
        below = tree.get(step)
        if depth == len(steps) - 1 or not isinstance(below, dict):
            for name in reversed(steps[depth + 1 :]):
                value = {name: value}
            return Set((*path, *steps[: depth + 1]), value)
        tree = below
    raise AssertionError("a value goes somewhere")


def add(tree: dict[str, Any], path: Path, steps: tuple[str, ...], item: Any) -> Operation:
    """Adds an item to the end of the list below the mapping at a path; a list that is absent is written."""
    inner: Any = tree
    for step in steps:
        inner = inner.get(step) if isinstance(inner, dict) else None
    return Append((*path, *steps), item) if isinstance(inner, list) else put(tree, path, steps, [item])


def respelt(path: Path, word: str, known: Iterable[str], level: str) -> Fix | None:
    """The one known word that is near a word, in its place; None where there is no such word, or several."""
    near = similar(word, known)
    return Fix(f"write `{near[0]}`", level, [Set(path, near[0])]) if len(near) == 1 else None
