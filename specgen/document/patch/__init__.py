"""A patch of operations on paths → edits of the text, and the proof that they are that patch and nothing else.

``tree`` (what a patch makes of plain data), ``style`` (values as their surroundings write them), ``lines`` (the lines
of an entry), ``edits`` (entries and collections changed), ``added`` (entries written or moved), ``texts`` (parts of
scalars), ``unite`` (two equal keys). ``layout`` beside this package says where everything stands.

What is made here is read again before it is offered: the tree must be the one that the patch makes of the data, no
finding may come in, and what stands outside of the edits is not touched since it is not written at all. Whatever is
not clear is refused, with the reason.
"""

from __future__ import annotations

from specgen.diagnostics.operations import (
    Append,
    Edit,
    Move,
    Refusal,
    Remove,
    Rename,
    ReplaceText,
    Rewrite,
    Set,
    Unite,
    Wrap,
)
from specgen.document.layout import Entry, Layout, Part, Unclear, spelt
from specgen.document.patch import texts, tree
from specgen.document.patch.added import Begun, Moved, Written
from specgen.document.patch.edits import Edits
from specgen.document.patch.lines import about
from specgen.document.patch.lines import applied as applied
from specgen.document.read import read
from specgen.document.scan import layout
from specgen.document.write import Unwritable
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.diagnostics.operations import Operation
    from specgen.document.tree import Document
    from specgen.source import Path

    Payload = tuple[Path, list[Any]]

# YAML 1.1 ends lines with these as well, and hardly any other reader does.
_ODD_BREAKS = ("\x85", "\u2028", "\u2029")


class Piece:
    """The part of a text that is one document: lines that begin with ``---`` part documents, in whatever they stand."""

    __slots__ = ("findings", "layout", "start", "text", "wary")

    def __init__(self, document: Document) -> None:
        text = document.source.text
        begin = document.root.start
        self.start = text.rfind("\n---", 0, begin + 1) + 1
        end = text.find("\n---", begin)
        self.text = text[self.start : end + 1 if end >= 0 else len(text)]
        if any(sign in self.text for sign in _ODD_BREAKS) or "\r" in self.text.replace("\r\n", ""):
            raise Unclear("its lines end in more than one way")
        documents, findings = read(Source(document.source.name, self.text))
        if len(documents) != 1 or not tree.same(documents[0].data, document.data):
            raise Unclear("the text is not read in full")
        if any(finding.code.id not in ("SG003", "SG005") for finding in findings):
            raise Unclear("the text is not read in full")
        self.findings = len(findings)
        self.wary = len(documents[0].ambiguous)
        self.layout: Layout = layout(self.text)


def patched(document: Document, patch: Sequence[Operation]) -> list[Edit] | Refusal:
    """The edits that make a patch of a document, proven, by offset in its source; or why it is refused."""
    unread = [one for one in patch if isinstance(one, Rewrite)]
    if unread:
        from specgen.document.unread import rewritten  # few texts cannot be read

        return rewritten(document.source, unread, read)
    for one in patch:
        if isinstance(one, Unite):
            from specgen.document.patch.unite import united  # few texts have keys twice

            return united(document.source, one.offset, patched) if len(patch) == 1 else Refusal("it stands not alone")
    try:
        operations = tree.distinct(patch)
        wanted = tree.changed(document.data, operations)
        piece = document.piece = document.piece or Piece(document)
        placing = _Placing(piece.layout, document.data, operations)
        found = placing.edits()
        if not _means(piece, applied(piece.text, found), wanted):
            # a comment or the end of the text behind a block literal becomes a part of it
            found = placing.edits(literals=False)
            if not _means(piece, applied(piece.text, found), wanted):
                raise Unclear("the text would say something else")
    except Unclear as reason:
        return Refusal(str(reason))
    except Unwritable as fault:
        return Refusal(f"a value {fault.reason}")
    return [Edit(document.source, piece.start + start, length, text) for start, length, text in found]


def _means(piece: Piece, text: str, wanted: Any) -> bool:
    """Whether a text is read as one document of this data, with no finding more than before, by every reader."""
    documents, findings = read(Source("", text))
    if len(documents) != 1 or len(findings) > piece.findings or not tree.same(documents[0].data, wanted):
        return False
    return len(documents[0].ambiguous) <= piece.wary


class _Placing:
    """Operations grouped by what they touch in the text: several paths lead to what is borrowed."""

    __slots__ = ("_data", "_instead", "_layout", "_paths", "_set", "_touched")

    def __init__(self, layout: Layout, data: Any, operations: Sequence[Operation]) -> None:
        self._layout = layout
        self._data = data
        # (identity, what is done) → what is touched, and the payloads by path
        self._touched: dict[tuple[int, str], tuple[Entry | Part, dict[Path, list[Any]]]] = {}
        self._paths = {operation.path for operation in operations}
        # entries that something takes the place of, each with the path of that; and what is set, by its path
        self._instead: list[tuple[Entry, Path]] = []
        self._set: dict[Path, Entry | Written] = {}
        for operation in operations:
            self._touch(operation)
        for (_, kind), (there, payloads) in self._touched.items():
            self._all_borrowers(there, payloads)
            if isinstance(there, Entry) and kind in ("set", "text") and there.value.anchor is not None:
                self._all_aliases(there.value, next(iter(payloads)))

    def edits(self, *, literals: bool = True) -> list[tuple[int, int, str]]:
        """The edits by offset."""
        edits = Edits(self._layout, literals=literals)
        self._bring_comments(edits)
        gone: dict[int, tuple[Part, list[Entry], int]] = {}
        new: dict[int, tuple[Part, list[Any], int]] = {}
        for (_, kind), (there, payloads) in self._touched.items():
            path, payload = next(iter(payloads.items()))
            if isinstance(there, Part):
                new.setdefault(id(there), (there, [], len(path)))[1].extend(payload)
            elif kind == "remove":
                gone.setdefault(id(there.container), (there.container, [], len(path) - 1))[1].append(there)
            elif kind == "set":
                edits.value(there, payload[0], len(path), tree.at(self._data, path))
            elif kind == "rename":
                edits.key(there, payload[0], len(path))
            elif kind == "wrap":
                edits.wrapped(there, payload[0], len(path))
            else:
                texts.replace(edits, there, tree.at(self._data, path), payload, len(path))
        for container, entries, depth in gone.values():
            edits.removed(container, entries, depth)
        for container, added, depth in new.values():
            edits.added(container, added, gone.get(id(container), (container, [], 0))[1], depth)
        return edits.ordered()

    def _bring_comments(self, edits: Edits) -> None:
        """Gives the comments of what is taken out to what takes its place."""
        above: dict[int, tuple[Entry, list[str], int]] = {}
        for gone, to in self._instead:
            path = next((to[:cut] for cut in range(len(to), 0, -1) if to[:cut] in self._set), None)
            if path is None:
                raise Unclear(f"nothing is set at `{spelt(to)}`")
            there, comments = self._set[path], about(self._layout, gone)
            if isinstance(there, Written):
                there.comment(to[len(path) :], comments)
            else:
                known = above.setdefault(id(there), (there, [], len(path)))[1]
                known += [comment for comment in comments if comment not in known]
        for entry, comments, depth in above.values():
            edits.above(entry, comments, depth)

    def _touch(self, operation: Operation) -> None:
        path = operation.path
        holder = self._layout.find(path[:-1])[1]
        entry = self._layout.entry(holder, path[-1])
        if isinstance(operation, Set):
            if entry is None:
                written = Written(str(path[-1]), operation.value)
                self._add(holder, path[:-1], written)
            else:
                self._note(entry, "set", path, operation.value)
            self._set[path] = entry or written
            return
        if entry is None:
            raise Unclear(f"`{spelt(path)}` does not stand in the text")
        if isinstance(operation, Append):
            self._add(self._layout.find(path)[1], path, Written(None, operation.value))
        elif isinstance(operation, Remove):
            self._note(entry, "remove", path, None)
            if operation.to is not None:
                self._instead.append((entry, operation.to))
        elif isinstance(operation, Rename):
            self._note(entry, "rename", path, operation.key)
        elif isinstance(operation, Wrap):
            self._note(entry, "wrap", path, operation.key)
        elif isinstance(operation, ReplaceText):
            self._note(entry, "text", path, operation)
        elif isinstance(operation, Move):
            self._move(operation, entry)

    def _move(self, move: Move, entry: Entry) -> None:
        name = move.to[-1] if isinstance(move.to[-1], str) else None
        value = tree.at(self._data, move.path)
        if tree.begins_list(self._data, move):
            *above, key, _ = move.to
            self._note(entry, "remove", move.path, None)
            begun = Begun(str(key), Moved(self._layout, entry, None, value))
            self._add(self._layout.find(tuple(above))[1], tuple(above), begun)
            return
        holder = self._layout.find(move.to[:-1])[1]
        if entry is entry.container.entries[-1] and holder is entry.container:
            if name is not None:  # it stands at its place already
                self._note(entry, "rename", move.path, name)
            return
        self._note(entry, "remove", move.path, None)
        self._add(holder, move.to[:-1], Moved(self._layout, entry, name, value))

    def _note(self, there: Entry | Part, kind: str, path: Path, payload: Any) -> None:
        _, payloads = self._touched.setdefault((id(there), kind), (there, {}))
        payloads.setdefault(path, []).append(payload)

    def _add(self, container: Part, path: Path, added: Any) -> None:
        if container.kind not in ("mapping", "sequence"):
            raise Unclear(f"`{spelt(path)}` is neither a mapping nor a list in the text")
        self._note(container, "add", path, added)

    def _all_borrowers(self, there: Entry | Part, payloads: dict[Path, list[Any]]) -> None:
        first = next(iter(payloads))
        for path in self._layout.paths(there, first):
            if path not in payloads:
                raise Unclear(f"`{spelt(first)}` is shared with `{spelt(path)}`")
        one = payloads[first]
        for other in payloads.values():
            if len(other) != len(one) or not all(map(_alike, one, other)):
                raise Unclear(f"`{spelt(first)}` is shared, and would change in two ways")

    def _all_aliases(self, value: Part, path: Path) -> None:
        for other in self._layout.paths(value, path):
            if other not in self._paths:
                raise Unclear(f"`{spelt(path)}` is shared with `{spelt(other)}`")


def _alike(one: Any, other: Any) -> bool:
    if isinstance(one, Written) and isinstance(other, Written):
        return one.name == other.name and tree.same(one.value, other.value)
    if isinstance(one, ReplaceText) and isinstance(other, ReplaceText):
        return (one.old, one.new) == (other.old, other.new)
    return tree.same(one, other)
