"""A document as it stands in its text: where each entry begins and ends, what is borrowed, and every comment.

``read`` keeps what findings need, and is fast. A patch needs more, and few texts are patched; so ``scan`` makes this
view of a text when a patch asks for it.
"""

from __future__ import annotations

from bisect import bisect_left

from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.source import Path

SCALAR, MAPPING, SEQUENCE, ALIAS, EMPTY = "scalar", "mapping", "sequence", "alias", "empty"


class Unclear(Exception):
    """What the text does not say clearly enough to be edited; its argument is the reason, a clause."""


class Part:
    """A node of the text: a scalar, a collection, an alias, or nothing at all (``a:``)."""

    __slots__ = (
        "anchor",
        "content",
        "end",
        "entries",
        "flow",
        "kind",
        "lead",
        "name",
        "owner",
        "start",
        "style",
        "target",
    )

    def __init__(self, kind: str, lead: int, start: int, end: int) -> None:
        self.kind = kind
        # behind what it follows: its key's colon, its dash, its own anchor
        self.lead = lead
        # where it begins, anchor included, and where it begins without its anchor
        self.start = start
        self.content = start
        # the entry whose value it is
        self.owner: Entry | None = None
        # behind its last sign; without the line break, but for a block text that keeps its blank lines
        self.end = end
        self.anchor: str | None = None
        # the node that an alias stands for
        self.target: Part | None = None
        # of a scalar: the sign of its quotes, ``|``, ``>`` or nothing; and its text as a key
        self.style = ""
        self.name: str | None = None
        # of a collection: whether it stands in brackets, and its entries, all duplicates included
        self.flow = False
        self.entries: list[Entry] = []


class Entry:
    """A key with its value, or an item of a list, as it stands in the text."""

    __slots__ = ("comma", "container", "key", "mark", "start", "value")

    def __init__(self, container: Part, start: int, key: Part | None, mark: int | None, value: Part) -> None:
        self.container = container
        # where it begins: its dash, ``?``, key or value
        self.start = start
        self.key = key
        # behind its colon, for an item behind its dash; None where neither stands
        self.mark = mark
        self.value = value
        value.owner = self
        # behind the comma that follows it in brackets
        self.comma: int | None = None

    @property
    def name(self) -> str | None:
        """Its key as the reader spells it; None for an item."""
        return self.key.name if self.key is not None else None

    @property
    def merges(self) -> bool:
        """Whether it is a merge key."""
        return self.key is not None and self.key.name == "<<" and self.key.style == "" and self.key.kind == SCALAR

    @property
    def end(self) -> int:
        """Behind its last sign, comma left out."""
        if self.value.kind != EMPTY or self.value.anchor is not None:
            return self.value.end
        if self.mark is not None:
            return self.mark
        return self.key.end if self.key is not None else self.start


class Layout:
    """One document of a text, laid out; offsets count from the beginning of that text."""

    __slots__ = ("_aliases", "_paths", "comments", "root", "text")

    def __init__(self, text: str, root: Part, comments: list[tuple[int, int]], aliases: bool) -> None:
        self.text = text
        self.root = root
        # first and last offset of each comment, in order
        self.comments = comments
        self._aliases = aliases
        self._paths: dict[int, list[Path]] | None = None

    def commented(self, start: int, end: int) -> bool:
        """Whether a comment begins in a range."""
        at = bisect_left(self.comments, (start, 0))
        return at < len(self.comments) and self.comments[at][0] < end

    def is_comment(self, at: int) -> bool:
        """Whether a comment begins at an offset."""
        return self.commented(at, at + 1)

    def find(self, path: Path) -> tuple[Entry | None, Part]:
        """The entry that gives a path its value (None for the root) and that value, aliases followed.

        Of a key that stands twice that is the last, as in the data. Raises Unclear where the path leads nowhere.
        """
        entry: Entry | None = None
        part = self.root
        for number, step in enumerate(path):
            entry = self.entry(_target(part), step)
            if entry is None:
                raise Unclear(f"there is no `{spelt(path[: number + 1])}`")
            part = entry.value
        return entry, _target(part)

    def entry(self, part: Part, step: str | int) -> Entry | None:
        """The entry of a collection by its key or number, its own or a merged one."""
        if isinstance(step, int):
            return part.entries[step] if part.kind == SEQUENCE and 0 <= step < len(part.entries) else None
        if part.kind != MAPPING:
            return None
        own = [entry for entry in part.entries if entry.name == step and not entry.merges]
        return own[-1] if own else next((entry for entry in _merged(part) if entry.name == step), None)

    def paths(self, there: Entry | Part, path: Path) -> list[Path]:
        """Every path that leads to an entry or a collection: more than the given one where it is borrowed."""
        if not self._aliases:
            return [path]
        if self._paths is None:
            self._paths = {}
            left: list[tuple[Path, Part]] = [((), self.root)]
            while left:
                at, part = left.pop()
                self._paths.setdefault(id(part), []).append(at)
                for step, entry in _effective(part):
                    self._paths.setdefault(id(entry), []).append((*at, step))
                    left.append(((*at, step), _target(entry.value)))
        return self._paths.get(id(there), [path])

    def bereft(self, ranges: list[tuple[int, int]]) -> str | None:
        """An anchor that stands in one of some ranges, and is named by an alias outside of them."""
        if not self._aliases:
            return None

        def within(part: Part) -> bool:
            return any(start <= part.start < end for start, end in ranges)

        for part in parts(self.root):
            if part.target is not None and within(part.target) and not within(part):
                return part.target.anchor
        return None


def spelt(path: Path) -> str:
    """A path as refusals name it."""
    return dotted(path) or "the document"


def _target(part: Part) -> Part:
    while part.target is not None:
        part = part.target
    return part


def _merged(part: Part) -> Iterator[Entry]:
    """The entries that a mapping borrows by ``<<``, the first of a name before those that it hides."""
    for entry in part.entries:
        if entry.merges:
            value = _target(entry.value)
            for source in [value] if value.kind == MAPPING else [_target(item.value) for item in value.entries]:
                yield from (one for one in source.entries if not one.merges)
                yield from _merged(source)


def _effective(part: Part) -> Iterator[tuple[str | int, Entry]]:
    if part.kind == SEQUENCE:
        yield from enumerate(part.entries)
        return
    own = {entry.name: entry for entry in part.entries if not entry.merges}
    for entry in _merged(part):
        own.setdefault(entry.name, entry)
    for name, entry in own.items():
        if name is not None:
            yield name, entry


def parts(root: Part) -> Iterator[Part]:
    """A node and every node below it that stands in the text, keys included, in no particular order."""
    left = [root]
    while left:
        part = left.pop()
        yield part
        for entry in part.entries:
            left.append(entry.value)
            if entry.key is not None:
                left.append(entry.key)
