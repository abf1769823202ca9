"""Nodes with spans, documents, and the way from a path to a place in the text."""

from __future__ import annotations

from specgen.diagnostics.model import KEY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from specgen.diagnostics.model import Place, Span
    from specgen.source import Path, Source

    Node: TypeAlias = "Scalar | Mapping | Sequence"


class Scalar:
    """A value with its span; ``plain`` is its text where it stood without quotes, else None."""

    __slots__ = ("end", "plain", "start", "style", "value")

    def __init__(self, value: Any, start: int, end: int, plain: str | None, style: str) -> None:
        self.value = value
        self.start = start
        self.end = end
        self.plain = plain
        self.style = style


class Mapping:
    """``value`` is the plain dict; ``keys`` and ``items`` hold, by the same names, key scalars and value nodes."""

    __slots__ = ("end", "items", "keys", "start", "value")

    def __init__(self, start: int) -> None:
        self.value: dict[str, Any] = {}
        self.keys: dict[str, Scalar] = {}
        self.items: dict[str, Node] = {}
        self.start = start
        self.end = start


class Sequence:
    """``value`` is the plain list, ``items`` the nodes."""

    __slots__ = ("end", "items", "start", "value")

    def __init__(self, start: int) -> None:
        self.value: list[Any] = []
        self.items: list[Node] = []
        self.start = start
        self.end = start


class Document:
    """One YAML document of a text. ``data`` is plain Python data; ``ambiguous`` lists scalars to be wary of.

    ``number`` counts the documents of the file from 0. ``ambiguous`` holds (path offset pair, plain text, value).
    """

    __slots__ = ("_hidden", "ambiguous", "data", "number", "piece", "root", "source")

    def __init__(self, source: Source, root: Node, number: int) -> None:
        self.source = source
        self.root = root
        self.number = number
        self.data: Any = root.value
        self.ambiguous: list[tuple[Scalar, bool]] = []
        self._hidden: list[tuple[int, int, str]] | None = None
        # its text laid out, once a patch has asked for it
        # what ``document.patch`` made of the text, kept between patches of one document
        self.piece: Any = None

    def holding(self, data: Any) -> Document:
        """Its text with other data in it: their paths stand where they would in it, its secrets stay secrets."""
        other = Document(self.source, self.root, self.number)
        other.data = data
        other._hidden = self.hidden()
        return other

    def span(self, place: Place) -> Span:
        """Where a place stands: its key or value, or the nearest enclosing entry that exists."""
        if place.offsets is not None:
            return self.source, *place.offsets
        return self.source, *self._offsets(place)

    def hidden(self) -> list[tuple[int, int, str]]:
        """(start, end, text) of each secret in it, in their order."""
        if self._hidden is None:
            self._hidden = sorted(self._secrets())
        return self._hidden

    def _secrets(self) -> Iterator[tuple[int, int, str]]:
        from specgen.diagnostics.secrets import hidden  # of a document in which nothing is found none are looked for

        for path, span in hidden(self.data):
            left = [self.node(path)]
            while left:
                node = left.pop()
                if isinstance(node, Mapping):
                    left += node.items.values()
                elif isinstance(node, Sequence):
                    left += node.items
                elif node is not None and node.value is not None:
                    value = node.plain if node.plain is not None else str(node.value)
                    start, end = _inner(self.source.text, node) if span is None else _within(node, span)
                    yield start, end, value if span is None else value[slice(*span)]

    def _offsets(self, place: Place) -> tuple[int, int]:
        node: Node = self.root
        key: Scalar | None = None
        found = True
        for step in place.path:
            child: Node | None = None
            if isinstance(node, Mapping):
                if isinstance(step, str) and step in node.items:
                    child, key = node.items[step], node.keys[step]
            elif isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
                child, key = node.items[step], None
            if child is None:
                found = False
                break
            node = child
        if not found and key is None:
            return self._head(node)
        if key is not None and (place.part == KEY or not found):
            return key.start, key.end
        if isinstance(node, Scalar):
            return _within(node, place.inside) if place.inside is not None else (node.start, node.end)
        # A block is never underlined: its key stands for it, and for a list item its first key or scalar.
        if key is not None:
            return key.start, key.end
        return self._head(node)

    def _head(self, node: Node) -> tuple[int, int]:
        while not isinstance(node, Scalar):
            if isinstance(node, Mapping) and node.keys:
                first = next(iter(node.keys.values()))
                return first.start, first.end
            if isinstance(node, Sequence) and node.items:
                node = node.items[0]
                continue
            end = min(node.start + 1, len(self.source.text))
            return min(node.start, end), max(end, min(node.end, end))
        return node.start, node.end

    def node(self, path: Path) -> Node | None:
        """The node at a path, or None."""
        node: Node | None = self.root
        for step in path:
            if isinstance(node, Mapping) and isinstance(step, str):
                node = node.items.get(step)
            elif isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
                node = node.items[step]
            else:
                return None
        return node

    def texts(self) -> list[tuple[int, int]]:
        """The spans of quoted and block texts: what looks like a comment in there is none."""
        spans = []
        left: list[Node] = [self.root]
        while left:
            node = left.pop()
            if isinstance(node, Scalar):
                if node.style in ("|", ">"):  # behind the sign itself a comment may stand
                    spans.append((self.source.text.find("\n", node.start), node.end))
                elif node.style and node.style != "*":
                    spans.append((node.start, node.end))
            else:
                left += node.items if isinstance(node, Sequence) else node.items.values()
        return spans

    def objects(self) -> list[tuple[int, int, int, bool]]:
        """Offsets of its object, and of each item of a List: (start, end of its first lines, end, whether an item).

        Its first lines are those of ``apiVersion`` and ``kind``, as far as it begins with them.
        """
        root = self.root
        if not isinstance(root, Mapping):
            return []
        found = [(root.start, _first_lines(root), root.end, False)]
        items = root.items.get("items")
        kind = root.value.get("kind")
        if isinstance(items, Sequence) and isinstance(kind, str) and kind.endswith("List"):
            found += [(one.start, _first_lines(one), one.end, True) for one in items.items if isinstance(one, Mapping)]
        return found

    def plain(self, path: Path) -> str | None:
        """The text of the scalar at a path where it stands without quotes, else None."""
        node = self.node(path)
        return node.plain if isinstance(node, Scalar) else None


def _inner(text: str, node: Scalar) -> tuple[int, int]:
    """A scalar without its quotes, or without the line with the sign of a block."""
    if node.style in ("|", ">"):
        behind = text.find("\n", node.start, node.end)
        return (node.end if behind < 0 else behind), node.end
    return (node.start + 1, node.end - 1) if node.style in ("'", '"') else (node.start, node.end)


def _first_lines(node: Mapping) -> int:
    end = node.start
    for key, item in node.items.items():
        if key not in ("apiVersion", "kind"):
            break
        end = item.end
    return end


def _within(node: Scalar, inside: tuple[int, int]) -> tuple[int, int]:
    """A range inside a scalar's value as a range of the text; exact where the text is the value, else the whole."""
    if node.plain is not None and "\n" not in node.plain and node.end - node.start == len(node.plain):
        return node.start + inside[0], node.start + inside[1]
    if node.style in "'\"" and node.end - node.start == len(str(node.value)) + 2:
        return node.start + 1 + inside[0], node.start + 1 + inside[1]
    return node.start, node.end
