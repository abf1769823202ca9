"""Files that are named more than once: each time their jobs are submitted as others of their kind."""

from __future__ import annotations

from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    # kind, namespace, name
    Called = tuple[str, str, str]


def repeated(names: Sequence[str], paths: Sequence[str]) -> list[str]:
    """Those of some names, each with its path, that name a file which another one before them names."""
    first: dict[str, int] = {}
    for at, path in enumerate(paths):
        first.setdefault(path, at)
    return [name for at, name in enumerate(names) if first[paths[at]] < at]


def submitted(jobs: Mapping[str, list[dict[str, Any]]], paths: Sequence[str]) -> list[dict[str, Any]]:
    """The jobs of files in the order in which their paths are named, each time under a name of their own.

    ``jobs``: path → the jobs of the file or folder.
    """
    taken = {_called(tree) for own in jobs.values() for tree in own}
    found: list[dict[str, Any]] = []
    met: set[str] = set()
    for path in paths:
        found += [_again(tree, taken) for tree in jobs.get(path, [])] if path in met else jobs.get(path, [])
        met.add(path)
    return found + [tree for path, own in jobs.items() if path not in met for tree in own]


def _again(tree: dict[str, Any], taken: set[Called]) -> dict[str, Any]:
    """The job under the next name that nobody has, in the selectors of its pods as well."""
    kind, namespace, name = _called(tree)
    new = next(one for one in _numbered(name) if (kind, namespace, one) not in taken)
    taken.add((kind, namespace, new))
    metadata = {**mapping(tree.get("metadata")), "name": new}
    return {**tree, "metadata": metadata, "spec": _renamed(tree.get("spec"), name, new, within=False)}


def _numbered(name: str) -> Iterator[str]:
    number = 2
    while True:
        yield f"{name}-{number}"
        number += 1


def _renamed(tree: Any, name: str, new: str, *, within: bool) -> Any:
    """A tree in which selectors of labels speak of the new name; ``within``: it is part of one."""
    if isinstance(tree, dict):
        return {key: _renamed(value, name, new, within=within or key == "labelSelector") for key, value in tree.items()}
    if isinstance(tree, list):
        return [_renamed(one, name, new, within=within) for one in tree]
    return new if within and tree == name else tree


def _called(tree: dict[str, Any]) -> Called:
    metadata = mapping(tree.get("metadata"))
    name = metadata.get("name") or str(metadata.get("generateName")).rstrip("-")
    return str(tree.get("kind")), str(metadata.get("namespace") or ""), str(name)
