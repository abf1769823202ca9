"""Profiles that are the same on both sides with all that they name, byte for byte: they come to the same jobs.

Two thirds of the time for a repository of a hundred jobs would go into compiling what nobody changed, twice.
"""

from __future__ import annotations

import os

from specgen.document.decode import MOST_BYTES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from specgen.cli.files import DiskFiles
    from specgen.pipeline import Text

# Texts that are longer are no names of files.
_LONGEST = 4096
_FILE, _FOLDER = "file", "folder"
_YAML = (".yaml", ".yml")
# A manifest of a TrainJob may need the runtime that a profile of another file brings.
_NEEDY = b"trainer.kubeflow.org"


class Untouched:
    """Two folders, and which of their profiles are the same. ``count``: how many were."""

    __slots__ = ("_absolute", "_all", "_files", "_known", "_starts", "count")

    def __init__(self, files: tuple[DiskFiles, DiskFiles], starts: tuple[str, str]) -> None:
        self._files = files
        self._starts = starts
        # name on the old side and on the new one → whether the two files are the same, with what they name
        self._known: dict[tuple[str, str], bool] = {}
        # absolute paths that profiles hold, and whether they lie where a profile may read
        self._absolute: dict[str, bool] = {}
        self.count = 0
        below = [one.below(start) for one, start in zip(files, starts, strict=True)]
        self._all = None in below
        for one, names in zip(files, below, strict=True):
            one.expect(names or ())
            self._all = self._all or any(_NEEDY in (one.stored(name) or b"") for name in names or ())

    def of(self, side: int) -> Callable[[Text], bool]:
        """Whether a text of one side need not be looked at: 0 is the old one."""

        def same(text: Text) -> bool:
            start = self._starts[side]
            name = text.source.name
            if self._all or not is_below(name, start):
                return False
            rest = name[len(start) :].lstrip("/") if start != "." else name
            names = _joined(self._starts[0], rest), _joined(self._starts[1], rest)
            if names not in self._known and text.kind is None:
                return False  # a manifest is compared as it stands
            found = self._same(*names)
            self.count += found and side == 1
            return found

        return same

    def _same(self, old: str, new: str) -> bool:
        if (old, new) not in self._known:
            self._known[old, new] = True  # files that name each other
            self._known[old, new] = self._is_same(old, new)
        return self._known[old, new]

    def _is_same(self, old: str, new: str) -> bool:
        before, after = (one.stored(name) for one, name in zip(self._files, (old, new), strict=True))
        if before is None or before != after or len(before) > MOST_BYTES:
            return False
        return not old.endswith(_YAML) or all(
            self._names_same(text, old, new) for text in dict.fromkeys(_texts(before))
        )

    def _names_same(self, text: str, old: str, new: str) -> bool:
        """Whether a text of a profile names the same file on both sides, or none."""
        if not text or len(text) > _LONGEST:
            return True
        if text.startswith("/"):
            if text not in self._absolute:
                self._absolute[text] = os.path.realpath(text).startswith(os.path.realpath(os.curdir) + os.sep)
            return not self._absolute[text]
        there = self._files[0].join(text, old), self._files[1].join(text, new)
        kinds = [one.what(name) for one, name in zip(self._files, there, strict=True)]
        if kinds[0] != kinds[1] or kinds[0] == _FOLDER:
            return False
        if kinds[0] is None:
            return True
        readable = [one.is_readable(name) for one, name in zip(self._files, there, strict=True)]
        return readable[0] == readable[1] and self._same(*there)


def is_below(name: str, start: str) -> bool:
    """Whether a file lies in the folder that a side begins with."""
    return start in (".", "") or name.startswith(start if start.endswith(("/", ":")) else f"{start}/")


def _joined(start: str, rest: str) -> str:
    if start.endswith(":"):
        return start + rest
    return rest if start == "." else f"{start.rstrip('/')}/{rest}"


def _texts(data: bytes) -> Iterator[str]:
    """All texts of a file, keys with them; a text that cannot be read has none, and is refused on both sides alike."""
    from specgen.document.decode import decode
    from specgen.document.read import read

    source, _ = decode("", data)
    if source is not None:
        for document in read(source)[0]:
            yield from _leaves(document.data)


def _leaves(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield from _leaves(key)
            yield from _leaves(value)
    elif isinstance(tree, list):
        for value in tree:
            yield from _leaves(value)
