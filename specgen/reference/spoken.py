"""Which codes speak of a word: their pages name it, or show it right beside wrong."""

from __future__ import annotations

import re
from functools import cache

from specgen.document.read import read
from specgen.reference.words import by_name, words
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from specgen.diagnostics.model import Code
    from specgen.reference.words import Word

_QUOTED = re.compile(r"`([A-Za-z][\w.-]*)(?:: [^`]*)?`")
_BLOCK = re.compile(r"```yaml\n(.*?)\n```", re.DOTALL)
# Codes of profiles: in their pages a name alone is a word, elsewhere it may be a field of a manifest.
_OF_PROFILES = ("SG2", "SG6")


def spoken(codes: Iterable[Code]) -> dict[str, list[Code]]:
    """Name of a word → the codes whose pages speak of it, in order."""
    found: dict[str, list[Code]] = {}
    for code in codes:
        names = dict.fromkeys(_named(code.id, code.page))
        for name in names:
            found.setdefault(name, []).append(code)
    return found


def _named(number: str, page: str) -> Iterator[str]:
    known = by_name()
    shown = _shown(page)
    yield from shown
    of_profiles = number.startswith(_OF_PROFILES) or bool(shown)
    for match in _QUOTED.finditer(_BLOCK.sub("", page)):
        name = match[1]
        if name in known and ("." in name or of_profiles):
            yield name
        elif "." in name and f"cluster.pools.{name}" in known:
            yield f"cluster.pools.{name}"


@cache
def _shown(page: str) -> tuple[str, ...]:
    """The words that differ between the wrong and the right example of a page, where both are lines of profiles."""
    blocks = [_data(block) for block in _BLOCK.findall(page)]
    if len(blocks) < 2:
        return ()
    bad, good = (set(_paths(block, ())) for block in blocks[:2])
    return tuple(dict.fromkeys(word for path, _ in sorted(bad ^ good) if (word := _word(path)) is not None))


def _data(block: str) -> dict[str, Any]:
    """The data of an example, where it is a profile's; empty elsewhere."""
    documents, _ = read(Source("page", block))
    data = documents[0].data if len(documents) == 1 else None
    if not isinstance(data, dict) or not data.keys() <= _tops() or "/" in str(data.get("apiVersion", "specgen/")[:7]):
        return {}
    return data


@cache
def _tops() -> frozenset[str]:
    return frozenset(word.path[0] for word in words())


def _paths(node: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(node, dict) and node:
        for key, value in node.items():
            yield from _paths(value, (*path, str(key)))
    else:
        yield path, str(node)


def _word(path: tuple[str, ...]) -> str | None:
    """The deepest word on a path that may hold names of entries."""
    known = _by_path()
    at: tuple[str, ...] = ()
    found: Word | None = None
    for step in path:
        if (*at, step) in known:
            at = (*at, step)
            found = known[at]
    return found.name if found is not None else None


@cache
def _by_path() -> dict[tuple[str, ...], Word]:
    """Path → word: those of jobs before those of clusters."""
    return {word.path: word for word in reversed(words())}
