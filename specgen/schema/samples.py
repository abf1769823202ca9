"""Values that a field takes, few and unlike each other: what holds whichever of them stands there depends on none."""

from __future__ import annotations

from itertools import zip_longest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.schema.walk import Schema, Walk

# Texts of the forms that schemas ask for; those that do not fit are left out.
_TEXTS = ("a", "b-2", "a:1", "/a", "/b/c", "a/b", "1Gi", "64Gi", "5m", "2h", "1.0.0", "A_B", "1", "$(A)")
_NUMBERS = (1, 2, 8, 0, 64, 4096, 0.5)
# Of words that are all known each may be the one that was meant.
MOST = 12
# Of everything else so many say enough.
_SOME = 3
# Mappings in mappings: real ones are not so deep.
_DEPTH = 4
_ANY: Schema = {}


def samples(walk: Walk, schema: Schema, depth: int = _DEPTH) -> list[Any]:
    """At most ``MOST`` values that this part of a schema takes, those of different types in turn; no null."""
    key = (id(schema), depth)
    if key not in _known:
        alternatives = walk.alternatives(schema)
        found = zip_longest(*(_of(walk, one, depth) for one in alternatives), fillvalue=_NONE)
        values = (value for row in found for value in row if value is not _NONE)
        _known[key] = schema, [value for value in values if walk.fits(value, alternatives)][:MOST]
    return [_fresh(value) for value in _known[key][1]]


# The samples of parts by identity, each with its part: a hundred questions to the library of schemas for each word.
_known: dict[tuple[int, int], tuple[Schema, list[Any]]] = {}
_NONE = object()


def _fresh(value: Any) -> Any:
    """The same value, for somebody to change."""
    if isinstance(value, dict):
        return {key: _fresh(one) for key, one in value.items()}
    return [_fresh(one) for one in value] if isinstance(value, list) else value


def _of(walk: Walk, schema: Schema, depth: int) -> list[Any]:
    if "const" in schema:
        return [schema["const"]]
    words = [*schema.get("enum", ()), *schema.get("x-specgen-words", ())]
    if words:
        return [word for word in words if word is not None]
    kind = schema.get("type")
    if kind == "boolean":
        return [True, False]
    if kind in ("string", "integer", "number"):
        values = _TEXTS if kind == "string" else [one for one in _NUMBERS if kind == "number" or type(one) is int]
        return [value for value in values if walk.fits(value, [schema])][:_SOME]
    if kind not in ("array", "object") or not depth:
        return []
    if kind == "array":
        return [[one] for one in samples(walk, schema.get("items", _ANY), depth - 1)[:_SOME]]
    return list(_mappings(walk, schema, depth))


def _mappings(walk: Walk, schema: Schema, depth: int) -> Iterator[dict[str, Any]]:
    fields = schema.get("properties", {})
    others = schema.get("additionalProperties")
    if isinstance(others, dict):
        name = next((one for one in _TEXTS if walk.fits(one, [schema.get("propertyNames", {})])), "a")
        for one in samples(walk, others, depth - 1)[:_SOME]:
            yield {name: one}
        return
    needed = [*schema.get("required", ()), *schema.get("x-specgen-required", ())]
    for names in [needed] if needed else [[name] for name in fields]:
        found = [samples(walk, fields.get(name, _ANY), depth - 1) for name in names]
        for at in range(_SOME if all(found) else 0):
            yield {name: values[at % len(values)] for name, values in zip(names, found, strict=True)}
