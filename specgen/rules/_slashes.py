"""Comments of another language behind values of a text."""

from __future__ import annotations

from specgen.document.tree import Document
from specgen.manifest.shape import file_of
from specgen.schema.files import load
from specgen.schema.judge import before_slashes
from specgen.schema.walk import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

# Command lines may hold such signs.
_LINES = ("command", "args")


def comments(workload: Workload, context: Context) -> Iterator[tuple[Path, str, str]]:
    """(path, value, its first word) of values without quotes; what a field does not take is an error of shape."""
    where, tree = workload.manifest.where, workload.manifest.tree
    if not isinstance(where, Document) or context.reader is None:
        return
    walk = Walk(load(file_of(context.reader.schema)), None)
    for path, value in _texts(tree, ()):
        word = before_slashes(value)
        if word is None or where.plain(path) is None:
            continue
        if walk.fits(value, walk.alternatives(walk.field(tree, path))):
            yield path, value, word


def _texts(tree: Any, path: Path) -> Iterator[tuple[Path, str]]:
    """Texts of one line, without those of command lines."""
    below = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in below:
        if isinstance(value, str):
            if "//" in value:
                yield (*path, key), value
        elif key not in _LINES:
            yield from _texts(value, (*path, key))
