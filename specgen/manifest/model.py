"""An object, its reference, and where a path of it can be shown."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from specgen.diagnostics.model import Placer

    # group, kind, namespace, name
    Key: TypeAlias = tuple[str, str, str, str]


class ObjectRef:
    """What identifies an object: its apiVersion and kind together, its name and namespace."""

    __slots__ = ("api_version", "kind", "name", "namespace")

    def __init__(self, api_version: str, kind: str, name: str, namespace: str | None) -> None:
        self.api_version = api_version
        self.kind = kind
        self.name = name
        self.namespace = namespace

    def as_dict(self) -> dict[str, str]:
        """The ``subject`` of a diagnostic."""
        subject = {"apiVersion": self.api_version, "kind": self.kind, "name": self.name}
        if self.namespace:
            subject["namespace"] = self.namespace
        return subject


def reference(tree: Any) -> ObjectRef:
    """The reference of a tree; parts that are absent or of another type are empty."""

    def word(value: Any) -> str:
        return value if isinstance(value, str) else ""

    tree = tree if isinstance(tree, dict) else {}
    metadata = tree.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    name = word(metadata.get("name")) or word(metadata.get("generateName"))
    return ObjectRef(
        word(tree.get("apiVersion")), word(tree.get("kind")), name, word(metadata.get("namespace")) or None
    )


class Manifest:
    """One object as a tree of plain data; ``where`` places its paths: a document, or the origins of a compiled one."""

    __slots__ = ("ref", "tree", "where")

    def __init__(self, tree: dict[str, Any], where: Placer) -> None:
        self.ref = reference(tree)
        self.tree = tree
        self.where = where


def key_of(manifest: Manifest) -> Key:
    """By what an object is known, whichever version of its group it says."""
    ref = manifest.ref
    return ref.api_version.rpartition("/")[0], ref.kind, ref.namespace or "", ref.name


class Bundle:
    """The objects of one job in apply order: what is emitted, compared and applied together.

    ``job`` is the training job itself; it is given first, and what must be there before it goes in front of it later.
    """

    __slots__ = ("job", "manifests", "name")

    def __init__(self, name: str, manifests: list[Manifest]) -> None:
        self.name = name
        self.job = manifests[0]
        self.manifests = manifests
