"""The objects beside the jobs of two sessions: which changed, and what that does to those that use them."""

from __future__ import annotations

from specgen.manifest.model import key_of
from specgen.operators.changes import changes
from specgen.operators.index import KINDS
from specgen.operators.trainer.facts import RUNTIMES
from specgen.operators.updates import of_companion
from specgen.operators.worded import spelled
from specgen.operators.written import unmarked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Key, Manifest
    from specgen.operators.updates import Effect
    from specgen.session.jobs import Jobs


class Companion:
    """An object beside jobs that changed: where, as paths are spelled, and what that does; its file now.

    ``gone``: it is a claim that is not there any more, with what it holds.
    """

    __slots__ = ("changes", "file", "gone", "key")

    def __init__(self, key: Key, file: str, changes: list[tuple[str, Effect]], *, gone: bool = False) -> None:
        self.key = key
        self.file = file
        self.changes = changes
        self.gone = gone


def companions(old: Jobs, new: Jobs) -> list[Companion]:
    """The objects of both sides that are no jobs and changed, and claims that are gone.

    Runtimes are told of with their TrainJobs; objects that come or go otherwise come and go with what uses them.
    """
    before, after = _beside(old), _beside(new)
    found = []
    for key, (manifest, file) in after.items():
        was = before.pop(key, None)
        if was is not None and was[0].tree != manifest.tree:
            tree = unmarked(was[0].tree)
            found_of = changes(tree, unmarked(manifest.tree))
            told = [(spelled(one.path), of_companion(one, key[1], tree)) for one in found_of]
            found += [Companion(key, file, told)] if told else []
    claims = [(key, file) for key, (_, file) in before.items() if key[1] == "PersistentVolumeClaim" and not new.broken]
    return found + [Companion(key, file, [], gone=True) for key, file in claims]


def _beside(side: Jobs) -> dict[Key, tuple[Manifest, str]]:
    """Objects that are no jobs and no runtimes, each with its file."""
    return {
        key_of(one): (one, file)
        for one, file in side.objects
        if one.ref.name and one.ref.kind not in RUNTIMES and (one.ref.api_version, one.ref.kind) not in KINDS
    }
