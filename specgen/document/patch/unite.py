"""Two equal keys of one mapping → one, which holds what stood under both.

No tree shows both, so the second key is given a name of its own for as long as this takes, of the same length: then
both are there, and what must be done is a patch like any other, proven as others are. What the two say differently is
not decided here.
"""

from __future__ import annotations

from specgen.diagnostics.operations import Edit, Move, Refusal, Remove, Rename
from specgen.document import codes
from specgen.document.layout import MAPPING, SCALAR, Unclear, parts
from specgen.document.patch.lines import about, applied, begin, leads, line_start
from specgen.document.patch.style import column, line_break
from specgen.document.patch.tree import at, same
from specgen.document.read import read
from specgen.document.scan import layout
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from specgen.diagnostics.operations import Operation
    from specgen.document.layout import Entry, Layout
    from specgen.document.tree import Document
    from specgen.source import Path

    Patch: TypeAlias = Callable[[Document, Sequence[Operation]], list[Edit] | Refusal]

# Lists whose items mean the same in any order, and where each has a name: the lists that Kubernetes merges by it.
_BY_NAME = ("containers", "env", "envFrom", "imagePullSecrets", "initContainers", "ports", "volumeMounts", "volumes")


def united(source: Source, offset: int, patched: Patch) -> list[Edit] | Refusal:
    """The edit that unites a key with the one before it that is equal; ``offset``: where the second begins.

    ``patched``: what makes a patch of a document.
    """
    try:
        return [_united(source, offset, patched)]
    except Unclear as reason:
        return Refusal(str(reason))


def _united(source: Source, offset: int, patched: Patch) -> Edit:
    document, path, other, start = _apart(source, offset)
    before = document.source.text
    value, second = at(document.data, path), at(document.data, other)
    if value is None and second is not None:
        document = _one(_commented(document.source, path, other))
        steps: list[list[Operation]] = [[Remove(path)], [Rename(other, str(path[-1]))]]
    else:
        document = _patched(document, _moves(value, second, path, other), patched)
        document = _one(_commented(document.source, other, path))
        steps = [[Remove(other)]]
    for patch in steps:
        document = _patched(document, patch, patched)
    outcome = document.source.text
    original = source.text[start : start + len(before)]
    if not original.endswith("\n"):
        outcome = outcome.removesuffix("\n").removesuffix("\r")
    # one edit, from the first sign that differs to the last
    first = next(
        (i for i, (a, b) in enumerate(zip(original, outcome, strict=False)) if a != b), min(len(original), len(outcome))
    )
    last = 0
    while last < min(len(original), len(outcome)) - first and original[-1 - last] == outcome[-1 - last]:
        last += 1
    return Edit(source, start + first, len(original) - first - last, outcome[first : len(outcome) - last])


def _patched(document: Document, patch: list[Operation], patched: Patch) -> Document:
    if not patch:
        return document
    edits = patched(document, patch)
    if isinstance(edits, Refusal):
        raise Unclear(edits.reason)
    text = applied(document.source.text, [(edit.offset, edit.length, edit.text) for edit in edits])
    return _one(Source(document.source.name, text))


def _commented(source: Source, leaving: Path, staying: Path) -> Source:
    """The text with the comments of a key that goes above the one that stays, those that it lacks."""
    known = layout(source.text)
    gone, kept = known.find(leaving)[0], known.find(staying)[0]
    assert gone is not None and kept is not None
    text = source.text
    if kept.container.flow or not (leads(text, gone.start) and leads(text, kept.start)):
        if about(known, gone):
            raise Unclear("a comment would be lost")
        return source
    own = about(known, kept)
    lost = [comment for comment in about(known, gone) if comment not in own]
    # as they followed each other in the text
    at = begin(known, kept) if gone.start < kept.start else line_start(text, kept.start)
    lead, end = " " * column(text, kept.start), line_break(text, kept.start)
    return Source(source.name, text[:at] + "".join(lead + one + end for one in lost) + text[at:])


def _apart(source: Source, offset: int) -> tuple[Document, Path, Path, int]:
    """The document with the second key under another name, the paths of both, and where its text begins."""
    text = source.text
    start = text.rfind("\n---", 0, offset + 1) + 1
    end = text.find("\n---", offset)
    piece = text[start : end + 1 if end >= 0 else len(text)]
    if "\r" in piece.replace("\r\n", "\n"):
        raise Unclear("its lines end in more than one way")
    known = layout(piece)
    second = _entry(known, offset - start)
    names = [entry.name for entry in second.container.entries]
    first = next(entry for entry in second.container.entries if entry.name == second.name)
    if first is second:
        raise Unclear("no equal key stands before it")
    renamed, name = _other_name(piece, second, names)
    document = _one(Source(source.name, renamed))
    path = _path(first, known)
    return document, path, (*path[:-1], name), start


def _entry(known: Layout, at_offset: int) -> Entry:
    for part in parts(known.root):
        for entry in part.entries if part.kind == MAPPING else ():
            if entry.key is not None and entry.key.content == at_offset:
                return entry
    raise Unclear("no key stands there")


def _other_name(text: str, entry: Entry, names: list[str | None]) -> tuple[str, str]:
    """The text with a key of the same length in place of an entry's, and that key."""
    key = entry.key
    if key is None or key.kind != SCALAR or key.style in ("|", ">") or entry.merges or not entry.name:
        raise Unclear("its key is not one that is edited")
    spelt = text[key.content : key.end]
    last = len(spelt) - (2 if key.style else 1)
    if spelt[-1 - bool(key.style)] != entry.name[-1] or spelt.strip("'\"") != entry.name:
        raise Unclear("its key is not spelt as it is read")
    for sign in "xqzjkvw":
        name = entry.name[:-1] + sign
        if name not in names:
            return text[: key.content + last] + sign + text[key.content + last + 1 :], name
    raise Unclear("its key is not one that is edited")


def _path(entry: Entry, known: Layout) -> Path:
    """The path of an entry. Raises Unclear where it leads to another one, below a key that stands twice."""
    steps: list[str | int] = []
    container = entry.container
    while container.owner is not None:
        above = container.owner
        steps.append(above.name if above.name is not None else above.container.entries.index(above))
        container = above.container
    path = tuple(reversed(steps))
    if known.find(path)[1] is not entry.container:
        raise Unclear("it lies below another key that stands twice")
    return (*path, str(entry.name))


def _one(source: Source) -> Document:
    documents, findings = read(source)
    if len(documents) != 1 or any(finding.code is not codes.DUPLICATE_KEY for finding in findings):
        raise Unclear("the text is not read in full")
    return documents[0]


def _moves(value: Any, other: Any, path: Path, there: Path) -> list[Operation]:
    """The operations that leave nothing in ``there`` which is not in ``path`` as well."""
    if same(value, other):
        return []
    if isinstance(value, dict) and isinstance(other, dict):
        found: list[Operation] = []
        for key, item in other.items():
            if key in value:
                found += _moves(value[key], item, (*path, key), (*there, key))
            else:
                found.append(Move((*there, key), (*path, key)))
        return found
    if isinstance(value, list) and isinstance(other, list) and path[-1] in _BY_NAME:
        names = [item.get("name") if isinstance(item, dict) else None for item in (*value, *other)]
        if None in names or len(set(names)) < len(names):
            raise Unclear("the two lists may hold the same item")
        return [Move((*there, index), (*path, len(value) + index)) for index in range(len(other))]
    raise Unclear("the two say different things")
