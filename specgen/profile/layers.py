"""Layers laid over each other: maps merge key by key, lists and texts replace, null removes. A map laid over a text
that is short for one leaves the text's entry standing.

Beside the merged data stands its provenance: a tree of the same keys whose leaves say in which document, and below
which path of it, everything underneath was written. Nothing is copied that did not change.
"""

from __future__ import annotations

from specgen.diagnostics.model import Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, TypeAlias

    from specgen.document.tree import Document
    from specgen.source import Path

    Provenance: TypeAlias = "At | dict[str, Provenance]"

# Below these keys null is a value like any other: Kubernetes' own spelling begins there.
_RAW = frozenset(("patch", "volume", "objects"))

# Words of a job that may be a text in place of a map with one entry: `start: torchrun` is `start: {by: torchrun}`.
_SHORT = {"start": "by", "target": "kind"}


class At:
    """A document and a path in it: where a value, and all below it, was written."""

    __slots__ = ("document", "path")

    def __init__(self, document: Document, path: Path = ()) -> None:
        self.document = document
        self.path = path

    def below(self, path: Path) -> At:
        """The same document, further down."""
        return At(self.document, self.path + path) if path else self


class Layers:
    """Merged data, its provenance, and its nulls: path → where it stood, and whether a weaker layer had a value.

    A null also keeps off what the fabric or a default would add, so it stays on record when it removed something.
    """

    __slots__ = ("data", "provenance", "removals")

    def __init__(self, data: dict[str, Any], provenance: Provenance, removals: dict[Path, tuple[At, bool]]) -> None:
        self.data = data
        self.provenance = provenance
        self.removals = removals

    def origin(self, path: Path) -> At:
        """Where a path was written; for one that is absent, where its nearest enclosing mapping was."""
        node = self.provenance
        for depth, step in enumerate(path):
            if isinstance(node, At):
                return At(node.document, node.path + path[depth:])
            below = node.get(str(step))
            if below is None:
                break
            node = below
        return node if isinstance(node, At) else nearest(node)

    def over(self, data: dict[str, Any], at: Provenance) -> Layers:
        """This with a stronger layer on top."""
        # a null is void once a stronger layer says the thing again
        removals = {path: null for path, null in self.removals.items() if _value(data, path) is None}
        merged, provenance = _merge(self.data, self.provenance, data, at, (), removals, False)
        return Layers(merged, provenance, removals)

    def without(self, nulls: Mapping[Path, At]) -> Layers:
        """This with the nulls of a stronger layer applied: path → where the null stands."""
        data, provenance, removals = self.data, self.provenance, dict(self.removals)
        for path, at in nulls.items():
            met = _value(data, path) is not None
            if met:
                data, provenance = _drop(data, provenance, path)
            removals[path] = at, met
        return Layers(data, provenance, removals)


class Written(Place):
    """Where a path of merged data was written. It is looked up when it is asked for: most places are in no finding."""

    __slots__ = ("layers", "merged")

    def __init__(self, layers: Layers, merged: Path, part: str, inside: tuple[int, int] | None) -> None:
        self.layers = layers
        self.merged = merged
        self.part = part
        self.inside = inside
        self.offsets = None

    def __getattr__(self, name: str) -> Any:
        # comes here for a slot that is not filled yet: `path` or `where`
        at = self.layers.origin(self.merged)
        self.path, self.where = at.path, at.document
        return object.__getattribute__(self, name)


def first(data: dict[str, Any], at: Provenance) -> Layers:
    """The weakest layer."""
    removals: dict[Path, tuple[At, bool]] = {}
    return Layers(_strip(data, at, (), removals), at, removals)


def step_down(provenance: Provenance, key: str) -> Provenance:
    """The provenance of what stands under a key."""
    return provenance.below((key,)) if isinstance(provenance, At) else provenance[key]


def nearest(provenance: Provenance) -> At:
    """One place for a mapping: where it was written, or where its strongest layer was."""
    depth = 0
    while not isinstance(provenance, At):
        provenance = provenance[next(reversed(provenance))]
        depth += 1
    return At(provenance.document, provenance.path[: len(provenance.path) - depth]) if depth else provenance


def _value(data: Any, path: Path) -> Any:
    """What stands at a path, None if nothing does."""
    for step in path:
        if type(data) is not dict or step not in data:
            return None
        data = data[step]
    return data


def _drop(data: dict[str, Any], at: Provenance, path: Path) -> tuple[dict[str, Any], Provenance]:
    """The data without what stands at a path, which is there."""
    key, rest = str(path[0]), path[1:]
    kept = dict(data)
    provenance = {name: step_down(at, name) for name in data}
    if rest:
        kept[key], provenance[key] = _drop(kept[key], provenance[key], rest)
    else:
        del kept[key]
        del provenance[key]
    return kept, provenance or nearest(at)


def _has_null(data: dict[str, Any]) -> bool:
    for key, value in data.items():
        if value is None:
            return True
        if type(value) is dict and key not in _RAW and _has_null(value):
            return True
    return False


def _strip(data: dict[str, Any], at: Provenance, path: Path, removals: dict[Path, tuple[At, bool]]) -> dict[str, Any]:
    """A mapping without its nulls, which become removals; the mapping itself where there are none."""
    if not _has_null(data):
        return data
    kept: dict[str, Any] = {}
    for key, value in data.items():
        below = step_down(at, key)
        if value is None:
            removals[*path, key] = nearest(below), False
        elif type(value) is dict and key not in _RAW:
            kept[key] = _strip(value, below, (*path, key), removals)
        else:
            kept[key] = value
    return kept


def _merge(
    base: dict[str, Any],
    base_at: Provenance,
    over: dict[str, Any],
    over_at: Provenance,
    path: Path,
    removals: dict[Path, tuple[At, bool]],
    raw: bool,
) -> tuple[dict[str, Any], Provenance]:
    if not base and not raw:
        return _strip(over, over_at, path, removals), over_at
    merged = dict(base)
    provenance: Provenance
    if isinstance(base_at, At):
        provenance = {key: base_at.below((key,)) for key in base}
    else:
        provenance = {key: base_at[key] for key in base}
    for key, value in over.items():
        below = step_down(over_at, key)
        inside = raw or key in _RAW
        if value is None and not raw:
            if key in merged:
                del merged[key]
                del provenance[key]
                removals[*path, key] = nearest(below), True
            else:
                removals[*path, key] = nearest(below), False
        elif type(value) is dict and type(merged.get(key)) is dict:
            merged[key], provenance[key] = _merge(
                merged[key], provenance[key], value, below, (*path, key), removals, inside
            )
        elif type(value) is dict and not path and key in _SHORT and type(merged.get(key)) is str:
            short, origin = {_SHORT[key]: merged[key]}, {_SHORT[key]: provenance[key]}
            merged[key], provenance[key] = _merge(short, origin, value, below, (key,), removals, False)
        elif type(value) is dict and not inside:
            merged[key] = _strip(value, below, (*path, key), removals)
            provenance[key] = below
        else:
            merged[key] = value
            provenance[key] = below
    if not provenance:
        return merged, over_at
    return merged, provenance
