"""``$<name>`` in strings. ``$$<`` is the two signs themselves; ``$(NAME)`` and ``${NAME}`` pass untouched."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from specgen.source import Path


# Variables that are always there.
BUILTIN = ("name", "namespace", "pods", "procsPerPod", "processes", "gpu")


def variables(builtin: Mapping[str, str], written: Mapping[str, str]) -> tuple[dict[str, str], Texts]:
    """All variables with their texts, in which other variables may stand; and what was used and unknown in them.

    A variable that stands in its own text, however deep, is unknown there.
    """
    known = dict(builtin)
    if not written:
        return known, Texts(known)
    used: dict[str, None] = {}
    left = dict(written)
    for name in left:
        known.pop(name, None)
    while left:
        filled = {}
        for name, text in left.items():
            texts = Texts(known)
            value = texts.filled(text, ())
            if not texts.unknown:
                filled[name] = value
                used.update(texts.used)
        if not filled:
            break
        known.update(filled)
        left = {name: text for name, text in left.items() if name not in filled}
    rest = Texts(known)
    for name, text in left.items():
        rest.filled(text, ("vars", name))
    rest.used.update(used)
    rest.used.update({name: None for _, name in rest.unknown if name in written})
    return {**known, **left}, rest


def _is_name(text: str) -> bool:
    """Letters, digits, ``_`` and ``-``: what stands between ``$<`` and ``>`` of a shell or of awk is left alone."""
    return text.isalnum() or (bool(text) and all(sign.isalnum() or sign in "_-" for sign in text))


class Texts:
    """Fills variables into strings and remembers what was used, what was unknown, and which keys changed.

    ``collisions``: (path of a mapping, one key, another key) that are the same once filled; the first one stays.
    """

    __slots__ = ("_renamed", "collisions", "known", "unknown", "used")

    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known
        self.used: dict[str, None] = {}
        self.unknown: list[tuple[Path, str]] = []
        self.collisions: list[tuple[Path, str, str]] = []
        self._renamed: dict[Path, Path] = {}

    def filled(self, value: Any, path: Path) -> Any:
        """Data with its variables filled in; what holds none is the same object."""
        kind = type(value)
        if kind is str:
            return self._text(value, path) if "$<" in value else value
        if kind is dict:
            changed: dict[str, Any] | None = None
            for key, child in value.items():
                kind = type(child)
                deeper = kind is dict or kind is list or (kind is str and "$<" in child)
                # most words hold no variable: their path is not needed then
                if not deeper and "$<" not in key:
                    continue
                if key == "vars" and not path:
                    continue
                new = self.filled(child, (*path, key)) if deeper else child
                name = self._text(key, path) if "$<" in key else key
                if new is not child or name is not key:
                    if changed is None:
                        changed = dict(value)
                    if name is not key and name in changed:
                        self.collisions.append((path, name, key))
                        del changed[key]
                        continue
                    if name is not key:
                        changed = {name if k == key else k: v for k, v in changed.items()}
                        self._renamed[*path, name] = (*path, key)
                    changed[name] = new
            return value if changed is None else changed
        if kind is list:
            if not any([type(child) is not str or "$<" in child for child in value]):
                return value
            items = [self.filled(child, (*path, index)) for index, child in enumerate(value)]
            return items if any(new is not old for new, old in zip(items, value, strict=True)) else value
        return value

    def written(self, path: Path) -> Path:
        """The path as the profile spells it: keys with their variables."""
        if not self._renamed:
            return path
        for cut in range(len(path), 0, -1):
            if path[:cut] in self._renamed:
                return self._renamed[path[:cut]] + path[cut:]
        return path

    def _text(self, text: str, path: Path) -> str:
        out = ""
        rest = text
        while True:
            before, sign, after = rest.partition("$<")
            if not sign:
                return out + rest
            if before.endswith("$"):
                out += before + "<"
                rest = after
                continue
            name, closed, tail = after.partition(">")
            if not closed or not _is_name(name):
                out += before + sign
                rest = after
                continue
            if name in self.known:
                self.used[name] = None
                out += before + self.known[name]
            else:
                self.unknown.append((path, name))
                out += before + sign + name + closed
            rest = tail
