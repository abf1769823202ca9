"""Two expansions of a job beside each other: which of their values are one, whatever stands around them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from specgen.operators.expansion import Expansion
    from specgen.source import Path

    # Kind, and place among the objects of its kind, from 0.
    Object: TypeAlias = tuple[str, int]
    # An object, and a path in it: items with names of their own are known by them.
    Spot: TypeAlias = tuple[Object, Path]
    Leaves: TypeAlias = dict[Spot, Any]

# What stands where nothing does.
ABSENT = object()
# What items of lists are known by, where all have it.
NAMES = ("mountPath", "name")


class Seen:
    """An expansion as it is compared: the values of its objects, and what becomes of the job.

    names: those of the objects that it is compared with, which are the same ones where any of a kind has such a name.
    known: items that are known by another name there, as steps of paths.
    """

    __slots__ = ("leaves", "life")

    def __init__(
        self, expansion: Expansion, names: dict[Object, str] | None = None, known: dict[str, str] | None = None
    ) -> None:
        self.leaves: Leaves = {}
        for thing, tree in _numbered(expansion, names or {}):
            for path, value in _leaves(tree):
                self.leaves[thing, tuple(known.get(str(step), step) for step in path) if known else path] = value
        self.life = (_plain(expansion.lifecycle), expansion.idle, expansion.notes, len(expansion.objects))


def _numbered(expansion: Expansion, names: dict[Object, str]) -> Iterator[tuple[Object, dict[str, Any]]]:
    """The objects by their numbers, those of known names by the numbers of these."""
    places: dict[str, dict[str, Object]] = {}
    for thing, name in names.items():
        places.setdefault(thing[0], {})[name] = thing
    kinds: dict[str, list[dict[str, Any]]] = {}
    for tree in expansion.objects:
        kinds.setdefault(tree["kind"], []).append(tree)
    for kind, trees in kinds.items():
        known = places.get(kind, {})
        if not any(tree["metadata"]["name"] in known for tree in trees):
            known = {}
        later = len(known)
        for tree in trees:
            thing = known.get(tree["metadata"]["name"], (kind, later))
            yield thing, tree
            later += thing[1] == later


def names_of(expansion: Expansion) -> Iterator[tuple[Object, str]]:
    """Each object with its name."""
    for thing, tree in _numbered(expansion, {}):
        yield thing, tree["metadata"]["name"]


def _leaves(tree: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    for key, part in tree.items():
        if key in ("apiVersion", "kind"):
            continue
        if key == "metadata":  # who owns it says nothing of a field
            part = {word: value for word, value in part.items() if word != "ownerReferences"}
        for path, value in _steps(part, (key,)):
            # a text that is a whole object is a copy, of which nothing is made
            if not (isinstance(value, str) and value.startswith("apiVersion:")):
                yield path, value


def _steps(tree: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            yield from _steps(value, (*path, key))
    elif isinstance(tree, list) and tree:
        known = keys(tree, path)
        for at, (key, value) in enumerate(zip(known, tree, strict=True)):
            # of variables of one name the last counts
            if path[-1] != "env" or key not in known[at + 1 :]:
                yield from _steps(value, (*path, key))
    else:
        yield path, tree


def keys(items: list[Any], path: Path) -> list[str | int]:
    """What the items of a list are known by, in brackets: their mount paths or names; else their places."""
    for key in NAMES:
        known = [item.get(key) if isinstance(item, dict) else None for item in items]
        if all(isinstance(one, str) for one in known) and (path[-1] == "env" or len(set(known)) == len(known)):
            return [f"[{one}]" for one in known]
    return list(range(len(items)))


def last_name(path: Path) -> str:
    """The last step of a path that is a name, and no place in a list."""
    return next((step for step in reversed(path) if isinstance(step, str)), "")


def _plain(value: Any) -> Any:
    """Facts as values that can be compared."""
    if hasattr(value, "__slots__") and not isinstance(value, (str, int, tuple)):
        return {name: _plain(getattr(value, name)) for name in value.__slots__}
    return [_plain(one) for one in value] if isinstance(value, (list, tuple)) else value
