"""The one entry of a block of a profile that a part of a manifest was written by.

What a profile says in one block, such as a mount, becomes many fields, which all come from that block. A finding about
one of them points at the entry that holds its value; loaded for findings alone.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place
from specgen.document.tree import Mapping, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.document.tree import Document, Node
    from specgen.source import Path


def nearer(document: Document, block: Place, place: Place, tree: Any) -> Place:
    """Where in a block a path of a manifest was written; the block itself where no single entry tells.

    block: of the document. place: of the manifest. tree: the manifest. An entry that holds the very value goes before
    one that has the same keys above it; of several the one with more of these. A key may be the value as well.
    """
    node = document.node(block.path)
    if node is None or isinstance(node, Scalar):
        return block
    path, value = _there(tree, place.path)
    best: tuple[int, int, int] = (0, 0, 0)
    found: list[tuple[Path, bool]] = []
    for below, entry in _entries(node, ()):
        equal = isinstance(entry, Scalar) and value is not None and _same(entry.value, value)
        score = (
            2 if equal else int(isinstance(value, str) and below[-1] == value),
            _alike(block.path + below, path, len(below)),
            sum(isinstance(step, str) and step in path for step in below),
        )
        if score[:2] == (0, 0):
            continue
        if score > best:
            best, found = score, []
        if score == best:
            found.append((below, equal and path == place.path))
    if len(found) != 1:
        return block
    below, whole = found[0]
    return Place((*block.path, *below), place.part if whole else KEY, where=document)


def _there(tree: Any, path: Path) -> tuple[Path, Any]:
    """As much of a path as there is, and the value at its end."""
    for number, step in enumerate(path):
        below = dict(enumerate(tree)) if isinstance(tree, list) else tree
        if not isinstance(below, dict) or step not in below:
            return path[:number], tree
        tree = below[step]
    return path, tree


def _entries(node: Node, path: Path) -> Iterator[tuple[Path, Node]]:
    """Every entry below a node, with its path from there."""
    if isinstance(node, Scalar):
        return
    pairs: Any = node.items.items() if isinstance(node, Mapping) else enumerate(node.items)
    for step, entry in pairs:
        yield (*path, step), entry
        yield from _entries(entry, (*path, step))


def _same(written: Any, value: Any) -> bool:
    return type(written) is type(value) and bool(written == value)


def _alike(written: Path, path: Path, most: int) -> int:
    """How many steps the two paths have in common at their ends, numbers alone not counted."""
    count = 0
    for one, other in zip(reversed(written[-most:]), reversed(path), strict=False):
        if one != other:
            break
        count += 1
    return count if any(isinstance(step, str) for step in written[len(written) - count :]) else 0
