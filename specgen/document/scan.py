"""Text → its layout, from the tokens of libyaml's scanner.

Between two tokens stand blanks, line breaks and comments only, which is how comments are told from texts that look like
one.
"""

from __future__ import annotations

from specgen.document import libyaml
from specgen.document.layout import ALIAS, EMPTY, MAPPING, SCALAR, SEQUENCE, Entry, Layout, Part, Unclear
from specgen.document.scalars import NotFinite, TooLong, meaning

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def layout(text: str) -> Layout:
    """The layout of a text that the reader took as one document. Raises Unclear where the two disagree.

    So it does of a text that the reader took for YAML up to some place only.
    """
    parser_class, _, yaml_error = libyaml.parser()
    parser = parser_class(text)
    try:
        tokens = []
        while True:
            token = parser.get_token()
            if token is None:
                break
            tokens.append((type(token).__name__[:-5], token.start_mark.index, token.end_mark.index, token))
    except yaml_error as error:
        raise Unclear("the text is no YAML from some place on") from error
    finally:
        parser.dispose()
    return _Parser(text, tokens).layout()


# Tokens that stand for no sign of the text.
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
                before = close
                at = self.text.find("#", close, start)
            if kind == "Scalar" and self.text[start] in "|>":
                # behind the sign of a block text one may stand, and belongs to no text
                close = self.text.find("\n", start)
                at = self.text.find("#", start, close)
                if at >= 0:
                    yield at, close
            if kind not in _SIGNS:
                before = end

    def node(self, empty: int, *, indentless: bool = False) -> Part:
        """A node; ``empty``: where it is if nothing stands there."""
        start: int | None = None
        anchor: str | None = None
        if self.kind == "Tag" and self.tokens[self.at + 1][0] == "Scalar":
            # the tag is a part of the text: it goes where that goes, and is gone once another stands there
            at = self.take("Tag")[0]
            part = self.node(empty)
            part.start = part.content = at
            return part
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
            # PyYAML's own scanner leaves the empty lines out
            while end < len(text):
                close = text.find("\n", end) + 1 or len(text)
                if text[end:close].strip(" \r\n"):
                    break
                end = close
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
    try:
        value, _ = meaning(text)
    except (NotFinite, TooLong):
        return text  # the reader has said so, and reads what stands there
    if isinstance(value, bool):
        return str(value).lower()
    return None if value is None else str(value)
