"""A job with one field changed: other values that may be taken in its place."""

from __future__ import annotations

import re

from specgen.schema.files import load
from specgen.schema.walk import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.operators.reader import Reader
    from specgen.source import Path

_AMOUNT = re.compile(r"(\d+)([A-Za-z]{0,2})")


def variants(reader: Reader, manifest: Manifest, path: Path, value: Any) -> Iterator[Any]:
    """Other values for a field, the likeliest to be taken first; none for what holds no value of its own."""
    if isinstance(value, bool):
        yield not value
        return
    words = _words(reader, manifest, path)
    yield from (word for word in words if word != value and word)
    if isinstance(value, (int, float)):
        yield value + 1
        yield max(value - 1, 0)
    elif isinstance(value, str) and not words:
        amount = _AMOUNT.fullmatch(value)
        if amount is not None:
            yield f"{int(amount[1]) + 1}{amount[2]}"
        yield f"{value}x"
        yield f"{value[:-1]}{'y' if value[-1:] == 'x' else 'x'}"


def _words(reader: Reader, manifest: Manifest, path: Path) -> list[Any]:
    """The words that the schema allows for a field, if it lists them."""
    schema = reader.schema
    if manifest.ref.kind != reader.kind:
        schema = f"{manifest.ref.kind.lower()}_{manifest.ref.api_version.partition('/')[2]}"
    group = manifest.ref.api_version.partition("/")[0]
    walk = Walk(load(f"k8s/{group}/{schema}.json"), None)
    try:
        return [word for one in walk.alternatives(walk.field(manifest.tree, path)) for word in one.get("enum", ())]
    except (KeyError, TypeError):
        return []  # a field that the schema does not know


def set_at(tree: Any, path: Path, value: Any) -> Any:
    """A copy of the tree with a value at a path."""
    if not path:
        return value
    copied = list(tree) if isinstance(tree, list) else dict(tree)
    copied[path[0]] = set_at(copied[path[0]], path[1:], value)  # type: ignore[index]
    return copied


def removed(tree: Any, path: Path) -> Any:
    """A copy of the tree without the field or item at a path."""
    if len(path) > 1:
        return set_at(tree, path[:1], removed(tree[path[0]], path[1:]))
    copied = list(tree) if isinstance(tree, list) else dict(tree)
    del copied[path[0]]  # type: ignore[arg-type]
    return copied
