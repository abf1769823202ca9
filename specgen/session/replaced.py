"""A file of an output tree that a build replaces: what the object that it was applied as does not take.

An object that its controller is told to make anew takes everything.
"""

from __future__ import annotations

from specgen.manifest.model import key_of
from specgen.operators import by_object
from specgen.operators.changes import changes
from specgen.operators.controllers import is_made_anew
from specgen.operators.difference import Side, refusals
from specgen.operators.updates import REFUSED, of_companion
from specgen.operators.worded import spelled
from specgen.operators.written import unmarked
from specgen.pipeline import Text
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.model import Manifest


class Refusal:
    """Changes of an object that one refuses, for one reason: their names in words, and by whom."""

    __slots__ = ("by", "manifest", "what", "why")

    def __init__(self, manifest: Manifest, what: list[str], why: str, by: str) -> None:
        self.manifest = manifest
        self.what = what
        self.why = why
        self.by = by


def refused(path: str, old: str, new: str, version: str = "") -> list[Refusal]:
    """What is refused of a file that becomes another one. version: of the operator, empty: its newest."""
    before, after = (
        {key_of(one): one for document in Text(Source(path, text)).objects for one in document} for text in (old, new)
    )
    found = []
    for key, manifest in after.items():
        was = before.get(key)
        if was is None or was.tree == manifest.tree or is_made_anew(manifest.tree):
            continue
        # who refuses, and why → what
        said: dict[tuple[str, str], list[str]] = {}
        for what, why, by in _of(was, manifest, version):
            said.setdefault((by, why), []).append(what)
        found += [Refusal(manifest, what, why, by) for (by, why), what in said.items()]
    return found


def _of(old: Manifest, new: Manifest, version: str) -> Iterator[tuple[str, str, str]]:
    """(what, why, by whom) of each change that is refused."""
    reader = by_object(new.ref.api_version, new.ref.kind)
    if reader is not None:
        version = version or reader.newest
        for row in refusals(Side(old, reader, version), Side(new, reader, version)):
            yield row.what, row.effect.why, row.effect.by
        return
    tree = unmarked(old.tree)
    for change in changes(tree, unmarked(new.tree)):
        effect = of_companion(change, new.ref.kind, tree)
        if effect.how == REFUSED:
            yield spelled(change.path), effect.why, effect.by
