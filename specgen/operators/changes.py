"""Two trees of one object → what changed, by paths: items of lists with names of their own are known by these."""

from __future__ import annotations

from specgen.operators.compared import ABSENT, keys
from specgen.operators.controllers import TRACKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.source import Path

# Fields of the server in any object: no difference between what two people wrote.
_OWNED = (
    *("creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation", "managedFields"),
    *("ownerReferences", "resourceVersion", "selfLink", "uid"),
)
# Where a live object has a namespace, its manifest may leave that to kubectl; the names of the two are one already.
_IDENTITY = ("name", "namespace", "generateName")


class Change:
    """A value that is another one: ``path`` with items of lists as ``[NAME]``; a side without it has ``ABSENT``."""

    __slots__ = ("new", "old", "path")

    def __init__(self, path: Path, old: Any, new: Any) -> None:
        self.path = path
        self.old = old
        self.new = new

    def below(self, *path: str) -> bool:
        """Whether it is a value at this path, or below it."""
        return self.path[: len(path)] == path


def changes(old: dict[str, Any], new: dict[str, Any]) -> list[Change]:
    """What changed from one tree to another, in the order of the new one, what is gone behind it.

    Mappings that are there on one side alone are gone through down to their values; items of lists are one whole. A
    list of plain texts or numbers, such as a command, and one whose items have no names, is one value.
    """
    return list(_mapping(_own(old), _own(new), ()))


def _own(tree: dict[str, Any]) -> dict[str, Any]:
    """The tree without what the server owns, its identity, and its status."""
    found = {key: value for key, value in tree.items() if key not in ("apiVersion", "kind", "status")}
    metadata = found.get("metadata")
    if isinstance(metadata, dict):
        metadata = {key: value for key, value in metadata.items() if key not in (*_OWNED, *_IDENTITY)}
        for field, tracked in TRACKED.items():
            said = metadata.get(field)
            if isinstance(said, dict):
                metadata[field] = {key: value for key, value in said.items() if key not in tracked}
        found["metadata"] = metadata
    return found


def _mapping(old: dict[str, Any], new: dict[str, Any], path: Path) -> Iterator[Change]:
    for key in [*new, *(key for key in old if key not in new)]:
        yield from _value(old.get(key, ABSENT), new.get(key, ABSENT), (*path, key))


def _value(old: Any, new: Any, path: Path) -> Iterator[Change]:
    if old is ABSENT and isinstance(new, dict):
        old = {}
    elif new is ABSENT and isinstance(old, dict):
        new = {}
    if isinstance(old, dict) and isinstance(new, dict):
        yield from _mapping(old, new, path)
    elif isinstance(old, list) and isinstance(new, list):
        yield from _list(old, new, path)
    elif old is ABSENT and isinstance(new, list) and (known := _named(new, path)):
        yield from (Change((*path, key), ABSENT, item) for key, item in known.items())
    elif new is ABSENT and isinstance(old, list) and (known := _named(old, path)):
        yield from (Change((*path, key), item, ABSENT) for key, item in known.items())
    elif type(old) is not type(new) or old != new:
        yield Change(path, old, new)


def _list(old: list[Any], new: list[Any], path: Path) -> Iterator[Change]:
    before, after = _named(old, path), _named(new, path)
    if before is None or after is None:
        if old != new:
            yield Change(path, old, new)
        return
    for key in [*after, *(key for key in before if key not in after)]:
        was, item = before.get(key, ABSENT), after.get(key, ABSENT)
        if was is ABSENT or item is ABSENT:
            yield Change((*path, key), was, item)
        else:
            yield from _value(was, item, (*path, key))


def _named(items: list[Any], path: Path) -> dict[str, Any] | None:
    """Items by names of their own, of equal ones the last; None: they have none."""
    if not items:
        return {}
    known = keys(items, path)
    return dict(zip(map(str, known), items, strict=True)) if isinstance(known[0], str) else None
