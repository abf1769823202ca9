"""What a patch of a kustomization says, and of which objects: strategic merges, JSON patches, in files and inline."""

from __future__ import annotations

from specgen.diagnostics.place import Spot
from specgen.document.read import read
from specgen.document.tree import Scalar
from specgen.pipeline import Text
from specgen.recognise.markdown import blank
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from specgen.diagnostics.model import Placer
    from specgen.document.tree import Document
    from specgen.session.kustomize.tree import Kustomization
    from specgen.source import Path


class Statement:
    """A part of an object that a text says. ``at``: its path in the object, with "-" for the end of a list.

    ``base``: its path in the ``document``, whose places ``where`` knows.
    """

    __slots__ = ("at", "base", "document", "tree", "where")

    def __init__(
        self, document: Document, base: Path, tree: Any, *, at: Path = (), where: Placer | None = None
    ) -> None:
        self.document = document
        self.base = base
        self.tree = tree
        self.at = at
        self.where = where or document


class Patch:
    """What is said of all objects that it is for. ``target``: what kustomize selects them by; None: by kind and name.

    ``late``: it is applied when names have their prefixes.
    """

    __slots__ = ("group", "kind", "late", "name", "statements", "target")

    def __init__(self, statements: list[Statement], target: dict[str, Any] | None, *, late: bool = False) -> None:
        self.statements = statements
        self.target = target
        self.late = late
        whole = statements[0].tree if statements and not statements[0].at else {}
        self.group, self.kind, self.name = identity(whole if isinstance(whole, dict) else {})


def identity(tree: dict[str, Any]) -> tuple[str, str, str]:
    """Group, kind and name of an object; empty where they are absent."""
    metadata = tree.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    version, kind = tree.get("apiVersion"), tree.get("kind")
    group = version.partition("/")[0] if isinstance(version, str) and "/" in version else ""
    return group, kind if isinstance(kind, str) else "", name if isinstance(name, str) else ""


def patches(part: Kustomization, text: Callable[[str], Text | None]) -> list[Patch]:
    """The patches of a kustomization in the order in which they are applied; ``text``: a file of its tree."""
    found: list[Patch] = []
    for at, item in enumerate(part.items("patchesStrategicMerge")):
        if isinstance(item, str):
            found += _read(part, ("patchesStrategicMerge", at), item, None, text)
    for field in ("patches", "patchesJson6902"):
        for at, item in enumerate(part.items(field)):
            if not isinstance(item, dict):
                continue
            target = item.get("target")
            key = "path" if isinstance(item.get("path"), str) else "patch"
            if isinstance(item.get(key), str) and (target is None or isinstance(target, dict)):
                found += _read(part, (field, at, key), item[key], target, text)
    return found


def _read(
    part: Kustomization, path: Path, said: str, target: dict[str, Any] | None, text: Callable[[str], Text | None]
) -> Iterator[Patch]:
    late = path[0] == "patchesJson6902"
    where: Placer | None = None
    if "\n" in said or (path[-1] == "patch" and path[0] != "patchesStrategicMerge"):
        documents, where = _inline(part, path, said)
    else:
        file = text(_beside(part, said))
        documents = file.parsed[0] if file is not None else []
    for document in documents:
        data = document.data
        if isinstance(data, list):
            yield Patch([one for one in _operations(document, data, where)], target or {}, late=late)
        elif isinstance(data, dict):
            yield Patch([Statement(document, (), data, where=where)], target, late=late)


def _beside(part: Kustomization, word: str) -> str:
    from posixpath import dirname, join, normpath

    return normpath(join(dirname(part.name), word))


def _inline(part: Kustomization, path: Path, said: str) -> tuple[list[Document], Placer | None]:
    """The documents of a text in the kustomization; in a literal block each part of them has its own place."""
    node = part.document.node(path)
    source = part.document.source
    if isinstance(node, Scalar) and node.style == "|":
        first = source.text.find("\n", node.start) + 1
        inner = blank(source.text[:first]) + source.text[first : node.end] + blank(source.text[node.end :])
        documents, findings = read(Source(source.name, inner, bom=source.bom))
        if not findings:
            return documents, None
    from specgen.diagnostics.model import Place

    return read(Source(source.name, said))[0], Spot.of(Place(path), part.document)


def _operations(document: Document, operations: list[Any], where: Placer | None) -> Iterator[Statement]:
    """What a JSON patch says: the values that it adds, and that it puts in place of others."""
    for number, one in enumerate(operations):
        if not isinstance(one, dict) or one.get("op") not in ("add", "replace") or "value" not in one:
            continue
        pointer = one.get("path")
        if isinstance(pointer, str) and pointer.startswith("/"):
            yield Statement(document, (number, "value"), one["value"], at=_steps(pointer), where=where)


def _steps(pointer: str) -> Path:
    """RFC 6901; a number may be a key as well, which the object decides."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/"))


def applies(patch: Patch, object: Any) -> bool:
    """Whether a patch is for an object, for certain. ``object``: has ``group``, ``kind``, ``names``, ``labels``."""
    target = patch.target
    if target is None:
        return (patch.group, patch.kind) == (object.group, object.kind) and patch.name in object.names
    for key, values in (("group", [object.group]), ("kind", [object.kind]), ("name", object.names)):
        wanted = target.get(key)
        if wanted and not any(_matches(wanted, value) for value in values):
            return False
    if target.get("annotationSelector") or target.get("namespace"):
        return False  # who is meant is not known for certain here
    return _selects(target.get("labelSelector"), object.labels)


def _matches(pattern: Any, value: str) -> bool:
    """Whether a pattern matches, which kustomize reads as an anchored one; of its signs `.*` alone is known here."""
    if not isinstance(pattern, str):
        return False
    first, *others = pattern.removeprefix("^").removesuffix("$").split(".*")
    if not value.startswith(first) or (not others and value != first):
        return False
    at = len(first)
    for number, piece in enumerate(others):
        if number == len(others) - 1:
            return value.endswith(piece) and len(value) - len(piece) >= at
        at = value.find(piece, at)
        if at < 0:
            return False
        at += len(piece)
    return True


def _selects(selector: Any, labels: dict[str, Any]) -> bool:
    if not selector:
        return True
    for term in str(selector).split(","):
        key, sign, value = term.replace("==", "=").partition("=")
        if not sign or key.endswith("!") or labels.get(key.strip()) != value.strip():
            return False
    return True
