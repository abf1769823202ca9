"""Ordered building that records origins: ``put`` writes a value and says in the same breath why it is there."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Place
    from specgen.manifest.origins import Origins, Sourced
    from specgen.source import Path


class Build:
    """A mapping under construction at a path of the manifest. Keys keep the order in which they are put."""

    __slots__ = ("origins", "path", "tree")

    def __init__(self, origins: Origins, path: Path = (), tree: dict[str, Any] | None = None) -> None:
        self.origins = origins
        self.path = path
        self.tree: dict[str, Any] = {} if tree is None else tree

    def put(self, key: str, value: Any, place: Place | None, reason: str) -> None:
        """Sets a key."""
        self.tree[key] = value
        self.origins.notes[*self.path, key] = place, reason

    def say(self, key: str, said: Sourced) -> None:
        """Sets a key to a value that carries its origin."""
        self.tree[key] = said.value
        self.origins.notes[*self.path, key] = said.place, said.reason

    def within(self, key: str) -> Build:
        """The mapping under a key, made if it is new."""
        below = self.tree.get(key)
        if below is None:
            below = self.tree[key] = {}
        return Build(self.origins, (*self.path, key), below)

    def item(self, key: str) -> Build:
        """A new mapping at the end of the list under a key."""
        items = self.tree.setdefault(key, [])
        items.append({})
        return Build(self.origins, (*self.path, key, len(items) - 1), items[-1])
