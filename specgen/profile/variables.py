"""``$<name>`` in strings. ``$$<`` is the two signs themselves; ``$(NAME)`` and ``${NAME}`` pass untouched."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from specgen.source import Path


# Variables that are always there.
BUILTIN = ("name", "namespace", "pods", "procsPerPod", "processes", "gpu")
# Characters that variables may bring into the words of a role: the API server takes requests of 3 MiB.
MOST_FILLED = 4 * 1024 * 1024


def variables(builtin: Mapping[str, str], written: Mapping[str, str]) -> tuple[dict[str, str], Texts]:
    """All variables with their texts, in which other variables may stand; and what was used and unknown in them.

    A variable that stands in its own text, however deep, is unknown there.
    """
    known = dict(builtin)
    if not written:
        return known, Texts(known)
    for name in written:
        known.pop(name, None)
    # those whose texts wait for others → how many; and the other way round
    waiting: dict[str, int] = {}
    waited: dict[str, list[str]] = {}
    texts = Texts(known)
    ready = []
    for name, text in written.items():
        probe = Texts({})
        probe.filled(text, ())
        named = [one for one in dict.fromkeys([one for _, one in probe.unknown]) if one not in known]
        for one in named:
            waited.setdefault(one, []).append(name)
        waiting[name] = len(named)
        if not named:
            ready.append(name)
    for name in ready:
        known[name] = texts.filled(written[name], ("vars", name))
        for other in waited.get(name, ()):
            waiting[other] -= 1
            if not waiting[other]:
                ready.append(other)
    left = {name: text for name, text in written.items() if waiting[name]}
    for name, text in left.items():
        texts.filled(text, ("vars", name))
    texts.used.update({name: None for _, name in texts.unknown if name in written})
    return {**known, **left}, texts


def _is_name(text: str) -> bool:
    """Letters, digits, ``_`` and ``-``: what stands between ``$<`` and ``>`` of a shell or of awk is left alone."""
    return text.isalnum() or (bool(text) and all(sign.isalnum() or sign in "_-" for sign in text))


class Texts:
    """Fills variables into strings and remembers what was used, what was unknown, and which keys changed.

    ``collisions``: (path of a mapping, one key, another key) that are the same once filled; the first one stays.
    ``overfull``: the text at which they came to more than ``MOST_FILLED`` characters; it and all later ones stay as
    they are written.
    """

    __slots__ = ("_filled", "_renamed", "collisions", "known", "overfull", "unknown", "used")

    def __init__(self, known: Mapping[str, str]) -> None:
        self.known = known
        self.used: dict[str, None] = {}
        self.unknown: list[tuple[Path, str]] = []
        self.collisions: list[tuple[Path, str, str]] = []
        self.overfull: Path | None = None
        self._filled = 0
        self._renamed: dict[Path, Path] = {}

    def filled(self, value: Any, path: Path) -> Any:
        """Data with its variables filled in; what holds none is the same object."""
        kind = type(value)
        if kind is str:
            return self._text(value, path) if "$<" in value else value
        if kind is dict:
            changed: dict[str, Any] = {}
            # key → what it is once filled; None: another one is the same
            names: dict[str, str | None] = {}
            taken: set[str] | None = None
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
                if new is not child:
                    changed[key] = new
                if name is not key:
                    taken = set(value) if taken is None else taken
                    taken.discard(key)
                    if name in taken:
                        self.collisions.append((path, name, key))
                        names[key] = None
                        continue
                    taken.add(name)
                    names[key] = name
                    self._renamed[*path, name] = (*path, key)
            if not names:
                return {**value, **changed} if changed else value
            filled = ((names.get(key, key), changed.get(key, child)) for key, child in value.items())
            return {name: child for name, child in filled if name is not None}
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
        parts = []
        begin, at = 0, text.find("$<")
        end = 0
        while at >= 0:
            after = at + 2
            following = text.find("$<", after)
            if at > begin and text[at - 1] == "$":
                parts += [text[begin:at], "<"]
                begin = after
            else:
                if 0 <= end < after:
                    end = text.find(">", after)
                name = text[after:end] if end >= 0 and not 0 <= following < end else ""
                if _is_name(name):
                    parts += [text[begin:at], self._value(name, path)]
                    begin = end + 1
            at = following
        return "".join([*parts, text[begin:]])

    def _value(self, name: str, path: Path) -> str:
        if name not in self.known:
            self.unknown.append((path, name))
            return f"$<{name}>"
        self.used[name] = None
        value = self.known[name]
        self._filled += len(value)
        if self._filled > MOST_FILLED:
            self.overfull = self.overfull or path
            return f"$<{name}>"
        return value
