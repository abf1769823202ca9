"""What a question about a compiled manifest is about: a path, its end, a name, a value, or a word of the profile.

The parts of roles that are alike are one part with its twins: a job says most things once for all of its roles.
"""

from __future__ import annotations

from specgen.manifest.origins import Origins
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from specgen.diagnostics.model import Place
    from specgen.manifest.model import Manifest
    from specgen.source import Path

# Shorter texts are values as a whole only, and not parts of others.
_PART = 4
# Lists of roles, as JobSet and Volcano call them; the maps of the others end in `ReplicaSpecs`.
_ROLES = ("replicatedJobs", "tasks")


def value_at(tree: Any, path: Path) -> Any:
    """What stands at a path of a tree."""
    for step in path:
        tree = tree[step]
    return tree


def leaves(tree: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of values that are no filled mapping or list, in the order of the tree."""
    if isinstance(tree, dict) and tree:
        for key, value in tree.items():
            yield from leaves(value, (*path, key))
    elif isinstance(tree, list) and tree:
        for index, value in enumerate(tree):
            yield from leaves(value, (*path, index))
    else:
        yield path


def units(manifest: Manifest, path: Path = ()) -> Iterator[Path]:
    """Parts at or below a path that are read as one: values, and items or lists of words that came from one place."""
    origins = manifest.where
    node = value_at(manifest.tree, path)
    below = list(node.items()) if isinstance(node, dict) else list(enumerate(node)) if isinstance(node, list) else []
    if not below:
        yield path
        return
    words = isinstance(node, list) and not any(isinstance(one, (dict, list)) for one in node)
    item = isinstance(node, dict) and path[-1:] and isinstance(path[-1], int)
    if (words or item) and isinstance(origins, Origins):
        first, *others = [_origin(origins, leaf) for leaf in leaves(node, path)]
        if all(one == first for one in others):
            yield path
            return
    for step, _ in below:
        yield from units(manifest, (*path, step))


def origin_of(manifest: Manifest, path: Path) -> tuple[Path, Place | None, str] | None:
    """(the noted path, place, reason) of a part, or of the last of what it holds, which is the value of a variable."""
    origins = manifest.where
    assert isinstance(origins, Origins)
    *_, last = leaves(value_at(manifest.tree, path), path)
    return origins.of(path) or origins.of(last)


def _origin(origins: Origins, path: Path) -> object:
    """Where a part came from and why, to be compared."""
    origin = origins.of(path)
    if origin is None:
        return None
    _, place, reason = origin
    return None if place is None else (place.path, place.part, id(place.where)), reason


def asked(manifest: Manifest, wanted: str) -> list[Path]:
    """The parts that a question is about, in the order of the manifest; of what is found in several ways the nearest.

    ``wanted``: a path as ``dotted`` prints it or its end, with names or nothing for the numbers of items, in any case
    of letters; a path with its value behind `` = ``; a word of the profile from which parts came; a value.
    """
    if not wanted.strip():
        return []
    path, equals, value = wanted.partition(" = ")
    found = _by_path(manifest.tree, path if equals else wanted)
    if equals:
        return [one for one in found if _said(value_at(manifest.tree, one)) == value]
    return found or _by_word(manifest, wanted) or _by_value(manifest.tree, wanted)


def _by_path(tree: Any, wanted: str) -> list[Path]:
    spelled = list(_spelled(tree))
    texts = [(path, names) for path, *names in spelled]
    found = [path for path, names in texts if wanted in names]
    if found:
        return found
    for fold in (str, str.lower):
        end = "." + _plain(fold(wanted))
        found = [path for path, names in texts if any(("." + _plain(fold(name))).endswith(end) for name in names)]
        if found:
            return found
    return []


def _plain(text: str) -> str:
    """A path whose brackets are dots."""
    return text.replace("][", ".").replace("[", ".").replace("]", "").strip(".")


def _spelled(tree: Any, path: Path = (), named: Path = (), bare: Path = ()) -> Iterator[tuple[Path, str, str, str]]:
    """Each part: its path, as it is printed, with the names of items, and without numbers and names."""
    if path:
        # an item without its number is its list, which is met before it
        yield path, dotted(path), dotted(named), "" if isinstance(path[-1], int) else dotted(bare)
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _spelled(value, (*path, key), (*named, key), (*bare, key))
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            name = value.get("name") if isinstance(value, dict) else None
            step: Path = (*named[:-1], f"{named[-1]}[{name}]") if isinstance(name, str) else (*named, index)
            yield from _spelled(value, (*path, index), step, bare)


def _by_word(manifest: Manifest, wanted: str) -> list[Path]:
    """Parts that came from a word of a profile, wherever it stands in it."""
    origins = manifest.where
    if not isinstance(origins, Origins):
        return []
    found = []
    end = "." + _plain(wanted)
    for path in leaves(manifest.tree):
        origin = origins.of(path)
        if origin is None or origin[1] is None:
            continue
        steps = origin[1].path
        for cut in range(1, len(steps) + 1):
            if ("." + _plain(dotted(steps[:cut]))).endswith(end):
                found.append(path)
                break
    return found


def _by_value(tree: Any, wanted: str) -> list[Path]:
    said = [(path, _said(value_at(tree, path))) for path in leaves(tree)]
    same = [path for path, value in said if value == wanted]
    if same or len(wanted) < _PART:
        return same
    return [path for path, value in said if wanted in value]


def _said(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def role_of(path: Path) -> int | None:
    """The place of the step in a path that names a role; None: what stands there is of no role."""
    for at, step in enumerate(path[:-1]):
        if isinstance(step, str) and (step.endswith("ReplicaSpecs") or step in _ROLES):
            return at + 1
    return None


def roles_once(manifest: Manifest, paths: Iterable[Path]) -> list[tuple[Path, list[str]]]:
    """Each part with the names of further roles that have the same one for the same reason."""
    origins = manifest.where
    firsts: dict[object, int] = {}
    found: list[tuple[Path, list[str]]] = []
    for path in paths:
        at = role_of(path)
        if at is None or at == len(path) - 1 or not isinstance(origins, Origins):
            found.append((path, []))
            continue
        came = tuple(_origin(origins, leaf) for leaf in leaves(value_at(manifest.tree, path), path))
        key = (path[:at], path[at + 1 :], _said(value_at(manifest.tree, path)), came)
        if key in firsts:
            found[firsts[key]][1].append(role_name(manifest.tree, path[: at + 1]))
            continue
        firsts[key] = len(found)
        found.append((path, []))
    return found


def role_name(tree: Any, path: Path) -> str:
    """What a role is called: its key, or the name of an item."""
    if isinstance(path[-1], str):
        return path[-1]
    item = value_at(tree, path)
    return str(item.get("name", path[-1])) if isinstance(item, dict) else str(path[-1])
