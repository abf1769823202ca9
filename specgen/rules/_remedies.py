"""Operations that several remedies consist of: values that go where their mappings may not stand yet."""

from __future__ import annotations

from specgen.diagnostics.model import Fix
from specgen.diagnostics.operations import Append, Remove, ReplaceText, Set
from specgen.diagnostics.suggest import similar
from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from specgen.diagnostics.operations import Operation
    from specgen.manifest.views import Container
    from specgen.rules._words import Word
    from specgen.source import Path


def put(tree: Any, path: Path, value: Any, *, within: Path = ()) -> Set:
    """Gives a path of a tree a value, with the mappings that are missing around it. ``within``: where the tree is."""
    for depth, step in enumerate(path[:-1]):
        below = tree[step] if isinstance(tree, list) and isinstance(step, int) else mapping(tree).get(str(step))
        if not isinstance(below, (dict, list)) or (isinstance(below, dict) and not below):
            for key in reversed(path[depth + 1 :]):
                value = {key: value}
            return Set((*within, *path[: depth + 1]), value)
        tree = below
    return Set((*within, *path), value)


def add(tree: Any, path: Path, item: Any, *, within: Path = ()) -> Operation:
    """Adds an item to the end of the list at a path of a tree; a list that is absent is written."""
    inner = tree
    for step in path:
        inner = mapping(inner).get(str(step))
    return Append((*within, *path), item) if isinstance(inner, list) else put(tree, path, [item], within=within)


def removed(tree: Any, path: Path) -> Path:
    """The path whose removal takes out an entry, and the mappings of which it is the only one."""
    holders = [tree]
    for step in path[:-1]:
        holders.append(holders[-1][step])
    while len(path) > 1 and isinstance(holders[-1], dict) and len(holders[-1]) == 1:
        path = path[:-1]
        holders.pop()
    return path


def told_by(container: Container, word: Word, written: str, value: str, variable: str, level: str) -> Fix | None:
    """What an option is told in place of a number: a variable, as the kubelet fills it in, or a shell.

    ``word``: that of the value, ``written``: the option with its value. None where that stands in a text twice.
    """
    return _told(container, word, written, value, (f"$({variable})", f"${variable}"), level)


def told(container: Container, word: Word, written: str, value: str, new: str, level: str) -> Fix | None:
    """What an option is told in place of a number: another one. As ``told_by``."""
    return _told(container, word, written, value, (new, new), level)


def _told(container: Container, word: Word, written: str, value: str, new: tuple[str, str], level: str) -> Fix | None:
    """``new``: as it stands in a word of its own, and in a text."""
    key, index = word.path[-2:]
    text = next((text for at, number, text in container.words() if (at, number) == (key, index)), "")
    alone = text in (written, value)
    said = written.removesuffix(value) + new[0 if alone else 1]
    if alone:
        return Fix(f"write `{said}`", level, [Set(word.path, said if text == written else new[0])])
    return Fix(f"write `{said}`", level, [ReplaceText(word.path, written, said)]) if text.count(written) == 1 else None


def left_out(container: Container, word: Word, written: str, value: str, level: str) -> Fix | None:
    """An option that is taken out with its value; as ``told_by``."""
    key, index = word.path[-2:]
    line: dict[tuple[str | int, int | str], str] = {(at, number): text for at, number, text in container.words()}
    text = line.get((key, index), "")
    title = f"leave `{written}` out"
    if text == written:
        return Fix(title, level, [Remove(word.path)])
    if text == value and isinstance(index, int) and line.get((key, index - 1)) == written.removesuffix(value).rstrip():
        return Fix(title, level, [Remove(word.path), Remove((*word.path[:-1], index - 1))])
    there = text.count(f"{written} ") == 1
    return Fix(title, level, [ReplaceText(word.path, f"{written} ", "")]) if there else None


def respelt(path: Path, word: str, known: Iterable[str], level: str) -> Fix | None:
    """The one known word that is near a word, in its place; None where there is no such word, or several."""
    near = similar(word, known)
    return Fix(f"write `{near[0]}`", level, [Set(path, near[0])]) if len(near) == 1 else None
