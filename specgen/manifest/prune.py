"""What the API server stores of an object where field validation is off: the fields that its schema knows.

With field validation (the default of kubectl since 1.27) an unknown field refuses the object, one that is null as
well; without it the field goes in silence. Keys that are null go either way, before anything else is judged
(apiextensions-apiserver of 1.36, recorded). Of equal keys the last counts, which is the reader's business.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schema.walk import Walk
    from specgen.source import Path

NOTHING: frozenset[tuple[str, str]] = frozenset()


def without_nulls(value: Any) -> Any:
    """A copy without the keys that are null; items of lists stay."""
    if isinstance(value, dict):
        return {
            key: without_nulls(item) if isinstance(item, (dict, list)) else item
            for key, item in value.items()
            if item is not None
        }
    if isinstance(value, list):
        return [without_nulls(item) if isinstance(item, (dict, list)) else item for item in value]
    return value


def has_nulls(value: Any) -> bool:
    """Whether ``without_nulls`` would leave a key out."""
    items = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict) and None in items:
        return True
    return any([has_nulls(item) for item in items if isinstance(item, (dict, list))])


def prune(schema: dict[str, Any], tree: Any, absent: frozenset[tuple[str, str]] = NOTHING) -> tuple[Any, list[Path]]:
    """A copy of the tree as it is stored, and the paths of the unknown fields that are gone, in the tree's order.

    ``absent``: fields that the schema knows and an older version's does not, as (name of the mapping or list that
    holds them, field). Values of a wrong type are left alone: they refuse the object in any case.
    """
    from specgen.schema.walk import Walk  # nulls alone need no schema

    stored = _Stored(Walk(schema, None), absent)
    return stored.value(schema, tree, (), ""), stored.removed


class _Stored:
    __slots__ = ("absent", "removed", "walk")

    def __init__(self, walk: Walk, absent: frozenset[tuple[str, str]]) -> None:
        self.walk = walk
        self.absent = absent
        self.removed: list[Path] = []

    def value(self, schema: dict[str, Any], value: Any, path: Path, holder: str) -> Any:
        if not isinstance(value, (dict, list)):
            return value
        kind = "object" if isinstance(value, dict) else "array"
        own = next((one for one in self.walk.alternatives(schema) if one.get("type") == kind), None)
        if own is None:
            return without_nulls(value)
        if isinstance(value, list):
            return [self.value(own.get("items", {}), item, (*path, at), holder) for at, item in enumerate(value)]
        properties, others = own.get("properties", {}), own.get("additionalProperties", {})
        stored = {}
        for key, item in value.items():
            below = properties.get(key, others)
            if below is False or (holder, key) in self.absent:
                self.removed.append((*path, key))
            elif item is not None:
                stored[key] = self.value(below if isinstance(below, dict) else {}, item, (*path, key), key)
        return stored
