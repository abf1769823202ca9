"""What a tree says of each object that it renders: its resource, and the patches in their order."""

from __future__ import annotations

from specgen.manifest.origins import Copied
from specgen.session.kustomize.patches import Statement, applies, identity, patches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.pipeline import Text
    from specgen.session.kustomize.forest import Tree
    from specgen.session.kustomize.patches import Patch
    from specgen.session.kustomize.tree import Kustomization, Trees
    from specgen.source import Path

# A base that is taken twice at each of some levels becomes so many objects; of more than these none is known.
_MOST = 10_000


class Object:
    """An object on its way through kustomizations. ``names``: all that it has had, the last one as it is rendered.

    ``statements``: its resource first, then patches. ``ways``: from within, each kustomization with the entry in it by
    which the object came.
    """

    __slots__ = ("group", "kind", "labels", "names", "namespace", "statements", "ways")

    def __init__(self, statement: Statement) -> None:
        self.group, self.kind, name = identity(statement.tree)
        metadata = statement.tree.get("metadata")
        metadata = metadata if isinstance(metadata, dict) else {}
        labels = metadata.get("labels")
        self.names = [name]
        self.namespace = metadata.get("namespace")
        self.labels: dict[str, Any] = labels if isinstance(labels, dict) else {}
        self.statements = [statement]
        self.ways: list[tuple[Kustomization, Path]] = []


class Objects:
    """The objects of a tree, by group, kind and name as they are rendered."""

    __slots__ = ("_by_name", "_patches", "_tree", "_trees", "count")

    def __init__(self, tree: Tree, trees: Trees) -> None:
        self._tree = tree
        self._trees = trees
        self._patches: dict[str, list[Patch]] = {}
        self.count = 0
        self._by_name: dict[tuple[str, str, str], list[Object]] = {}
        try:
            found = self._of(tree.root, [], [])
        except _TooMany:
            found = []
        for one in found:
            self._by_name.setdefault((one.group, one.kind, one.names[-1]), []).append(one)

    def of(self, manifest: Manifest) -> Object | None:
        """What is said of a rendered object; None: no resource of the tree is it for certain."""
        found = self._by_name.get(identity(manifest.tree), [])
        if len(found) > 1:
            found = [one for one in found if (one.namespace or "default") == (manifest.ref.namespace or "default")]
        return found[0] if len(found) == 1 else None

    def _of(self, part: Kustomization, before: list[Object], trail: list[Kustomization]) -> list[Object]:
        """``before`` with what a kustomization adds, after what it does to all of them."""
        if part in trail:
            return before
        found = list(before)
        for path in (*part.resources, *(one for one in part.takes if one[0] in ("resources", "bases"))):
            if path in part.resources:
                text = self._tree.texts.get(part.resources[path])
                new = [self._new(one) for one in _statements(text)] if text is not None else []
            else:
                other = self._trees.kustomization(part.takes[path])
                new = self._of(other, [], [*trail, part]) if other is not None else []
            for one in new:
                one.ways.append((part, path))
            found += new
        for path, name in part.components.items():
            other = self._trees.kustomization(name)
            known = len(found)
            found = self._of(other, found, [*trail, part]) if other is not None else found
            for one in found[known:]:
                one.ways.append((part, path))
        self._transform(part, found)
        return found

    def _new(self, statement: Statement) -> Object:
        self.count += 1
        if self.count > _MOST:
            raise _TooMany
        return Object(statement)

    def _transform(self, part: Kustomization, objects: list[Object]) -> None:
        own = self._own(part)
        namespace = part.tree.get("namespace")
        prefix, suffix = (part.tree.get(key) or "" for key in ("namePrefix", "nameSuffix"))
        for one in objects:
            _patch(one, (patch for patch in own if not patch.late))
            one.namespace = namespace if isinstance(namespace, str) else one.namespace
            if prefix or suffix:
                one.names.append(f"{prefix}{one.names[-1]}{suffix}")
            _patch(one, (patch for patch in own if patch.late))

    def _own(self, part: Kustomization) -> list[Patch]:
        if part.name not in self._patches:
            self._patches[part.name] = patches(part, self._tree.texts.get)
        return self._patches[part.name]


class _TooMany(Exception):
    pass


def _patch(object: Object, patches: Iterable[Patch]) -> None:
    for patch in patches:
        if applies(patch, object):
            object.statements += patch.statements


def _statements(text: Text) -> list[Statement]:
    """The objects of a file, and of Lists in it."""
    found = []
    for document, objects in zip(text.parsed[0], text.objects, strict=True):
        for manifest in objects:
            where = manifest.where
            base = where.below(()) if isinstance(where, Copied) else ()
            found.append(Statement(document, base, manifest.tree))
    return found
