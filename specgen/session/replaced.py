"""A file of an output tree that a build replaces: what the objects that it was applied as do not take, or not wholly.

An object that its controller is told to make anew takes everything.
"""

from __future__ import annotations

from specgen.manifest.model import key_of
from specgen.operators import by_object
from specgen.operators.changes import changes
from specgen.operators.controllers import is_made_anew
from specgen.operators.difference import Side, difference, refusals
from specgen.operators.disagreement import disagreement
from specgen.operators.trainer.facts import RUNTIMES
from specgen.operators.updates import LATER, NEVER, REFUSED, of_companion
from specgen.operators.worded import spelled
from specgen.operators.written import unmarked
from specgen.pipeline import Text
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from specgen.manifest.model import Manifest
    from specgen.operators.updates import Effect

    # what changed, in words, and what that does
    Told: TypeAlias = tuple[str, Effect]


class Untaken:
    """Changes of an object that have one fate, for one reason: their names in words, and what becomes of them."""

    __slots__ = ("effect", "manifest", "what")

    def __init__(self, manifest: Manifest, what: list[str], effect: Effect) -> None:
        self.manifest = manifest
        self.what = what
        self.effect = effect


class Replaced:
    """What becomes of a file that is replaced.

    ``refused``: changes that somebody refuses; ``unreached``: those that are taken, and reach no pod that exists;
    ``apart``: sentences of what pods that stay disagree on with those that are created.
    """

    __slots__ = ("apart", "refused", "unreached")

    def __init__(self) -> None:
        self.refused: list[Untaken] = []
        self.unreached: list[Untaken] = []
        self.apart: list[str] = []


def replaced(path: str, old: str, new: str, version: str = "") -> Replaced:
    """What becomes of a file that becomes another one. version: of the operator, empty: its newest."""
    before, after = (
        {key_of(one): one for document in Text(Source(path, text)).objects for one in document} for text in (old, new)
    )
    found = Replaced()
    for key, manifest in after.items():
        was = before.get(key)
        if was is None or was.tree == manifest.tree or is_made_anew(manifest.tree):
            continue
        reader = by_object(manifest.ref.api_version, manifest.ref.kind)
        if reader is None:
            _sort(found, manifest, list(_beside(was, manifest)))
            continue
        version = version or reader.newest
        sides = Side(was, reader, version), Side(manifest, reader, version)
        rows = refusals(*sides)
        if not rows:
            # of an update that is refused, nothing becomes of the rest
            whole = difference(*sides)
            rows = whole.rows
            found.apart += [one for one in (disagreement(whole),) if one]
        _sort(found, manifest, [(row.what, row.effect) for row in rows])
    return found


def _beside(old: Manifest, new: Manifest) -> Iterator[Told]:
    """The changes of an object that is no job."""
    tree = unmarked(old.tree)
    for change in changes(tree, unmarked(new.tree)):
        if new.ref.kind not in RUNTIMES:
            yield spelled(change.path), of_companion(change, new.ref.kind, tree)
        elif change.path[0] == "spec":
            from specgen.operators.trainer.updates import of_runtime

            yield spelled(change.path), of_runtime()


def _sort(found: Replaced, manifest: Manifest, told: list[Told]) -> None:
    """Takes the changes that are refused, or reach no pod, by what becomes of them and why."""
    said: dict[tuple[str, str, str], Untaken] = {}
    for what, effect in told:
        if effect.how in (REFUSED, LATER, NEVER):
            one = said.setdefault((effect.how, effect.by, effect.why), Untaken(manifest, [], effect))
            if what not in one.what:
                one.what.append(what)
    for one in said.values():
        (found.refused if one.effect.how == REFUSED else found.unreached).append(one)
