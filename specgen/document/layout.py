"""A document as it stands in its text: where each entry begins and ends, what is borrowed, and every comment.

``read`` keeps what findings need, and is fast. A patch needs more, and few texts are patched; so this view is made
from the scanner's tokens when a patch asks for it. Between two tokens stand blanks, line breaks and comments only,
which is how comments are told from texts that look like one.
"""

from __future__ import annotations

from bisect import bisect_left

from specgen.document import libyaml
from specgen.document.scalars import meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

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

        Raises Unclear where the path leads nowhere, or over a key that stands twice.
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
        if len(own) > 1:
            raise Unclear(f"the key `{step}` stands twice in one mapping")
        return own[0] if own else next((entry for entry in _merged(part) if entry.name == step), None)

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
    from specgen.source import dotted

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


def layout(text: str) -> Layout:
    """The layout of a text that the reader took as one document. Raises Unclear where the two disagree."""
    parser = libyaml.parser()[0](text)
    try:
        tokens = []
        while True:
            token = parser.get_token()
            if token is None:
                break
            tokens.append((type(token).__name__[:-5], token.start_mark.index, token.end_mark.index, token))
    finally:
        parser.dispose()
    return _Parser(text, tokens).layout()


_SIGNS = ("StreamStart", "StreamEnd", "BlockMappingStart", "BlockSequenceStart", "BlockEnd")


class _Parser:
    """The grammar of YAML over tokens; depth is within what the reader takes, so it may recurse."""

    __slots__ = ("anchors", "at", "text", "tokens")

    def __init__(self, text: str, tokens: list[tuple[str, int, int, Any]]) -> None:
        self.text = text
        self.tokens = tokens
        self.at = 0
        self.anchors: dict[str, Part] = {}

    def layout(self) -> Layout:
        self.take("StreamStart")
        if self.kind == "DocumentStart":
            self.take("DocumentStart")
        root = self.node(self.tokens[self.at - 1][2])
        while self.kind == "DocumentEnd":
            self.take("DocumentEnd")
        self.take("StreamEnd")
        aliases = any(kind == "Alias" for kind, _, _, _ in self.tokens)
        return Layout(self.text, root, list(self.comments()), aliases)

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    def take(self, kind: str) -> tuple[int, int, Any]:
        found, start, end, token = self.tokens[self.at]
        if found != kind:
            raise Unclear("its structure is not one that is edited")
        self.at += 1
        return start, end, token

    def comments(self) -> Iterator[tuple[int, int]]:
        before = 0
        for kind, start, end, _ in self.tokens:
            at = self.text.find("#", before, start)
            while at >= 0:
                close = self.text.find("\n", at)
                close = len(self.text) if close < 0 else close
                yield at, close
                at = self.text.find("#", close, start)
            if kind not in _SIGNS:
                before = end

    def node(self, empty: int, *, indentless: bool = False) -> Part:
        """A node; ``empty``: where it is if nothing stands there."""
        start: int | None = None
        anchor: str | None = None
        while self.kind in ("Anchor", "Tag"):
            if self.kind == "Tag":
                raise Unclear("a tag stands there")
            begin, empty, token = self.take("Anchor")
            start, anchor = begin if start is None else start, token.value
        kind, begin, end, token = self.tokens[self.at]
        if kind == "Alias":
            self.at += 1
            part = Part(ALIAS, empty, begin, end)
            part.target = self.anchors.get(token.value)
            if part.target is None:
                raise Unclear("an alias stands there before its anchor")
            return part
        if kind == "Scalar":
            self.at += 1
            part = Part(SCALAR, empty, begin, end)
            part.style = token.style or ""
            if part.style in ("|", ">"):
                part.end = self.block_end(begin, end)
            part.name = token.value if part.style else _name(token.value)
        elif kind in ("BlockMappingStart", "FlowMappingStart", "BlockSequenceStart", "FlowSequenceStart"):
            part = Part(MAPPING if "Mapping" in kind else SEQUENCE, empty, begin, end)
        elif kind == "BlockEntry" and indentless:
            part = Part(SEQUENCE, empty, begin, end)
        else:
            part = Part(EMPTY, empty, empty, empty)
        if start is not None:
            part.start, part.anchor = start, anchor
            assert anchor is not None
            self.anchors[anchor] = part
        if part.kind in (MAPPING, SEQUENCE):
            self.collection(part, kind)
        return part

    def block_end(self, start: int, end: int) -> int:
        """Behind the last line of a block text, without empty lines that are none of its value."""
        text = self.text
        header = text[start : text.find("\n", start)] if "\n" in text[start:end] else text[start:end]
        if "+" in header.partition("#")[0]:
            return end
        while end > start and text[end - 1] == "\n":
            end -= 2 if text[end - 2 : end] == "\r\n" else 1
        return end

    def collection(self, part: Part, opener: str) -> None:
        part.flow = opener.startswith("Flow")
        if opener != "BlockEntry":
            self.at += 1
        if part.flow:
            self.brackets(part)
            return
        if part.kind == SEQUENCE:
            while self.kind == "BlockEntry":
                start, end, _ = self.take("BlockEntry")
                part.entries.append(Entry(part, start, None, end, self.node(end)))
        else:
            while self.kind in ("Key", "Value"):
                part.entries.append(self.pair(part))
        part.end = part.entries[-1].end if part.entries else part.end
        if opener != "BlockEntry":
            self.take("BlockEnd")

    def pair(self, container: Part) -> Entry:
        start, end = self.tokens[self.at][1:3]
        key: Part | None = None
        indentless = not container.flow
        if self.kind == "Key":
            self.at += 1
            key = self.node(end, indentless=indentless)
            start = min(start, key.start)
        mark: int | None = None
        behind = key.end if key is not None else end
        value = Part(EMPTY, behind, behind, behind)
        if self.kind == "Value":
            _, mark, _ = self.take("Value")
            value = self.node(mark, indentless=indentless)
        if key is None or key.kind not in (SCALAR, ALIAS):
            raise Unclear("a key stands there that is no text")
        if key.target is not None:
            key.name = key.target.name
        return Entry(container, start, key, mark, value)

    def brackets(self, part: Part) -> None:
        closer = "FlowMappingEnd" if part.kind == MAPPING else "FlowSequenceEnd"
        while self.kind != closer:
            if self.kind == "Key" and part.kind == SEQUENCE:
                begin = self.tokens[self.at][1]
                inner = Part(MAPPING, begin, begin, begin)
                inner.flow = True
                inner.entries.append(self.pair(inner))
                inner.end = inner.entries[0].end
                entry = Entry(part, inner.start, None, None, inner)
            elif self.kind in ("Key", "Value"):
                entry = self.pair(part)
            elif part.kind == MAPPING:
                key = self.node(self.tokens[self.at][1])
                entry = Entry(part, key.start, key, None, Part(EMPTY, key.end, key.end, key.end))
            else:
                value = self.node(self.tokens[self.at][1])
                entry = Entry(part, value.start, None, None, value)
            part.entries.append(entry)
            if self.kind == "FlowEntry":
                entry.comma = self.take("FlowEntry")[1]
            elif self.kind != closer:
                raise Unclear("its structure is not one that is edited")
        part.end = self.take(closer)[1]


def _name(text: str) -> str | None:
    """A plain key as the reader spells it."""
    value, _ = meaning(text)
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)
