"""A field as an API server or a webhook spells it, and its path in the object.

Kinds of spelling, all recorded: ``spec.roles[Worker].containers[0]`` (field.Path of Go's validation), ``spec.roles.
Worker.containers[0]`` (schemas of CRDs), ``.spec.containers[name="main"].ports`` (server-side apply), and names in
another letter case than the field's own (``spec.RuntimeRef``).
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.source import Path


def path_of(field: str, tree: Any) -> tuple[Path, str]:
    """The path of the deepest part of a field that the tree has, and the rest of it, empty where it has all."""
    path: list[str | int] = []
    node, rest = tree, field
    while rest:
        rest = rest.removeprefix(".")
        step, length = _step(rest, node)
        if step is None:
            break
        path.append(step)
        node, rest = node[step], rest[length:]
    return tuple(path), rest


def _step(rest: str, node: Any) -> tuple[str | int | None, int]:
    """The next step from a node, and the length of its spelling; None: the node has no such entry."""
    if rest.startswith("["):
        inner, closed, _ = rest[1:].partition("]")
        if not closed:
            return None, 0
        step = _in_list(inner, node) if isinstance(node, list) else _in_mapping(inner.strip('"'), node, whole=True)
        return step, len(inner) + 2
    step = _in_mapping(rest, node, whole=False)
    return step, len(step) if isinstance(step, str) else 0


def _in_mapping(text: str, node: Any, *, whole: bool) -> str | None:
    """The longest key that a text is, or begins with where another step may follow."""
    if not isinstance(node, dict):
        return None
    found: str | None = None
    for same in (str, str.lower):
        for key in node:
            begins = isinstance(key, str) and same(text).startswith(same(key))
            ends = begins and text[len(key) :][:1] in ("", *(() if whole else (".", "[")))
            if ends and (found is None or len(key) > len(found)):
                found = key
        if found is not None:
            return found
    return None


def _in_list(inner: str, node: list[Any]) -> int | None:
    """The item of a list by its number, or by its keys: ``name="main"``."""
    if inner.isascii() and inner.isdigit() and len(inner) < 7:
        return int(inner) if int(inner) < len(node) else None
    wanted = {}
    for part in inner.split(","):
        key, equals, value = part.partition("=")
        if not equals:
            return None
        wanted[key.strip()] = value.strip().strip('"')
    for index, item in enumerate(node):
        if isinstance(item, dict) and all(str(item.get(key)) == value for key, value in wanted.items()):
            return index
    return None
