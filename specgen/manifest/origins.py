"""Where each part of a compiled manifest came from: a place in a profile, and a reason in words."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place
from specgen.document.tree import Document
from specgen.manifest.model import Manifest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Placer, Span
    from specgen.source import Path


class Sourced:
    """A value of a manifest with its origin."""

    __slots__ = ("place", "reason", "value")

    def __init__(self, value: Any, place: Place | None, reason: str) -> None:
        self.value = value
        # where somebody wrote it, or what it follows from; None: nowhere
        self.place = place
        # why it is there, in words
        self.reason = reason

    @property
    def at(self) -> Place:
        """Where a finding points that is about it; the whole document where nobody wrote it."""
        return located(self.place)

    @property
    def key(self) -> Place:
        """The key of the entry that says it."""
        return key_of(self.place)


def located(place: Place | None) -> Place:
    """A place for a finding: the whole document where there is no other."""
    return place if place is not None else Place(())


def key_of(place: Place | None) -> Place:
    """The key of an entry, from the place of its value."""
    return Place(place.path, KEY, where=place.where) if place is not None else Place((), KEY)


class Origins:
    """``notes``: manifest path → (place in a profile or None, reason). A path below a noted one has its origin.

    ``before``: path of a command line → how many words stand in front of those that somebody wrote.
    """

    __slots__ = ("_twins", "before", "default", "notes", "tree")

    def __init__(self, default: Placer) -> None:
        self.notes: dict[Path, tuple[Place | None, str]] = {}
        self.before: dict[Path, int] = {}
        # the manifest itself, once something was found in it
        self.tree: Any = None
        self._twins: dict[Path, Path] = {}
        self.default = default

    def hidden(self) -> list[tuple[int, int, str]]:
        """The secrets of the text that most of it comes from."""
        return self.default.hidden()

    def note(self, path: Path, place: Place | None, reason: str) -> None:
        """Says where a path came from; None: from nowhere but the reason."""
        self.notes[path] = (place, reason)

    def same(self, path: Path, twin: Path) -> None:
        """Says that what stands at a path came from where the same thing at another path did."""
        self._twins[path] = twin

    def hand(self, moves: dict[Path, Path], other: Origins) -> None:
        """Tells the origins of another object about what moves into it: path here → path there."""
        for path, there in moves.items():
            origin = self.of(path)
            if origin is not None:
                other.note(there, *origin[1:])
                if path in self.before:
                    other.before[there] = self.before[path]
        lengths = {len(path) for path in moves}
        for noted, said in list(self.notes.items()):
            for cut in lengths:
                to = moves.get(noted[:cut])
                if to is not None:
                    other.note((*to, *noted[cut:]), *said)

    def of(self, path: Path) -> tuple[Path, Place | None, str] | None:
        """(the noted path, place, reason) of the nearest noted path at or above this one."""
        for cut in range(len(path), -1, -1):
            if path[:cut] in self.notes:
                return path[:cut], *self.notes[path[:cut]]
            twin = self._twin(path, cut)
            if twin is not None:
                return path[:cut], *self.notes[twin]
        return None

    def _twin(self, path: Path, cut: int) -> Path | None:
        """The noted path whose note also stands for the first ``cut`` steps of a path."""
        for begin, twin in self._twins.items():
            if cut >= len(begin) and path[: len(begin)] == begin:
                there = twin + path[len(begin) : cut]
                return there if there in self.notes else None
        return None

    def span(self, place: Place) -> Span:
        """The span in the profile from which a manifest path came: the nearest noted path that has a place."""
        written = self._written(place.path)
        if written is None:
            return self.default.span(Place(("metadata",), KEY))
        cut, path, origin = written
        where = origin.where or self.default
        if path[-1:] in (("command",), ("args",)) and len(place.path) == cut + 1:
            origin = _word(origin, where, place, self.before.get(path, 0))
        elif place.path[-1:] == ("name",) and place.path[-3:-2] == ("env",) == origin.path[-2:-1]:
            # a variable of a map: its key became the name of an item
            origin = Place(origin.path, KEY, where=origin.where)
        elif self.tree is not None and isinstance(where, Document):
            from specgen.manifest.nearer import nearer  # few manifests have findings

            origin = nearer(where, origin, place, self.tree)
        return where.span(origin)

    def wrote(self, place: Place) -> bool:
        """Whether somebody wrote what a manifest path came from."""
        return place.where is not None or self._written(place.path) is not None

    def _written(self, path: Path) -> tuple[int, Path, Place] | None:
        """(steps, noted path, place) of the nearest path at or above this one that has a place."""
        for cut in range(len(path), -1, -1):
            noted = path[:cut]
            if noted not in self.notes and (twin := self._twin(path, cut)) is not None:
                noted = twin
            said = self.notes.get(noted)
            if said is not None and said[0] is not None:
                return cut, noted, said[0]
        return None


def _word(origin: Place, where: Placer, place: Place, before: int) -> Place:
    """The word of a command line that is meant, where somebody wrote it: ``origin`` is the key of the whole line."""
    written: Any = getattr(where, "data", None)
    for step in origin.path:
        known = isinstance(written, dict) or (isinstance(written, list) and isinstance(step, int))
        written = written[step] if known and (isinstance(step, int) or step in written) else None
    at = int(place.path[-1]) - before
    if origin.part != KEY or not isinstance(written, list) or not 0 <= at < len(written):
        return origin
    # where a variable of the profile is filled in, the text has other lengths
    inside = place.inside if isinstance(written[at], str) and "$<" not in written[at] else None
    return Place((*origin.path, at), inside=inside, where=origin.where)


def manifests(document: Document) -> list[Manifest]:
    """The objects of a document: itself, or the items of a List, whose own kind stands for items that say none."""
    tree = document.data
    kind = tree.get("kind") if isinstance(tree, dict) else None
    items = tree.get("items") if isinstance(tree, dict) else None
    if not isinstance(kind, str) or not kind.endswith("List") or not isinstance(items, list):
        return [Manifest(tree, document)]
    said = {"apiVersion": tree.get("apiVersion"), "kind": kind.removesuffix("List")}
    return [
        Manifest(
            {**said, **item} if "kind" not in item else item, Copied(document, ("items", index), "an item of a List")
        )
        for index, item in enumerate(items)
        if isinstance(item, dict)
    ]


class Copied(Origins):
    """The origins of an object that stays as somebody wrote it, below a path of a document."""

    __slots__ = ("_base", "_reason", "document")

    def __init__(self, document: Document, base: Path, reason: str) -> None:
        super().__init__(document)
        self.document = document
        self._base = base
        self._reason = reason

    def of(self, path: Path) -> tuple[Path, Place | None, str]:
        """Every path is its own origin, but for what was added."""
        if path in self.notes:
            return path, *self.notes[path]
        return path, Place(self.below(path), where=self.document), self._reason

    def wrote(self, place: Place) -> bool:
        """All of it is somebody's own text."""
        return True

    def span(self, place: Place) -> Span:
        """Where the document says what is meant."""
        if place.offsets is not None:
            return self.document.span(place)
        return self.document.span(Place(self.below(place.path), place.part, inside=place.inside))

    def below(self, path: Path) -> Path:
        """The path in the document."""
        return (*self._base, *path)
