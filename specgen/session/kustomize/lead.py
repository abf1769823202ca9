"""The way back from a place in what was rendered to the text that says what stands there."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, VALUE, Place
from specgen.document.tree import Mapping, Scalar
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Span
    from specgen.document.tree import Document, Node
    from specgen.manifest.model import Manifest
    from specgen.session.kustomize.objects import Object, Objects
    from specgen.session.kustomize.patches import Statement
    from specgen.session.kustomize.tree import Kustomization
    from specgen.source import Path

# Fields of a kustomization that write labels, and annotations.
_LABELS = ("labels", "commonLabels")
_ANNOTATIONS = ("commonAnnotations",)
_GENERATORS = ("configMapGenerator", "secretGenerator")


class Way:
    """What a place of the rendered text is: a path of an object, and what the tree says of that."""

    __slots__ = ("inside", "manifest", "object", "part", "path")

    def __init__(self, manifest: Manifest, object: Object | None, path: Path, part: str) -> None:
        self.manifest = manifest
        self.object = object
        self.path = path
        self.part = part
        # a range of the scalar at the path
        self.inside: tuple[int, int] | None = None


class Rendered:
    """The documents of a rendered text, by their places. ``root``: the kustomization that they are rendered from."""

    __slots__ = ("_objects", "_root", "_starts", "_ways")

    def __init__(self, root: Kustomization, documents: list[tuple[Document, list[Manifest]]], objects: Objects) -> None:
        self._root = root
        self._objects = objects
        # begin of each document that is an object
        self._starts = [
            (document.root.start, document, found[0])
            for document, found in documents
            if found and found[0].tree is document.data
        ]
        # the places of a document → path and part; of that at the head of an item, the entry that stands there
        self._ways: dict[int, dict[int, tuple[Path, str, Scalar]]] = {}

    def way(self, start: int, end: int, about: str | None = None) -> Way | None:
        """What stands between two offsets. ``about``: the path of a finding, by which items are told from their heads.

        None: it is no object's.
        """
        held = [one for one in self._starts if one[0] <= start]
        if not held:
            return None
        begin, document, manifest = held[-1]
        if begin not in self._ways:
            self._ways[begin] = _places(document.root)
        found = self._ways[begin].get(start)
        at = start
        while found is None and at > begin:  # a range within a scalar
            at -= 1
            found = self._ways[begin].get(at)
        if found is None:
            return None
        path, part, scalar = found
        object = self._objects.of(manifest)
        if part == KEY and about is not None and path and dotted(path) != about:
            # the first entry of an item stands for the item
            cut = next((cut for cut in range(len(path)) if dotted(path[:cut]) == about), None)
            if cut is not None and all(self._first(document, path[:deep]) for deep in range(cut + 1, len(path) + 1)):
                return Way(manifest, object, path[:cut], VALUE)
        way = Way(manifest, object, path, part)
        if part == VALUE and (start, end) != (scalar.start, scalar.end):
            quote = len(scalar.style) if scalar.style in ("'", '"') else 0
            way.inside = (start - scalar.start - quote, end - scalar.start - quote)
        return way

    def _first(self, document: Document, path: Path) -> bool:
        """Whether what a path ends in stands first in what holds it."""
        above = document.node(path[:-1])
        return path[-1] == (next(iter(above.items)) if isinstance(above, Mapping) else 0)

    def lead(self, way: Way) -> Span | None:
        """The place in the text that says it; None: nothing does for certain."""
        if way.object is None:
            return None
        there: Any = way.manifest.tree
        for step in way.path:
            there = there[step]
        holding: list[tuple[Statement, Path]] = []
        for statement in way.object.statements:
            path = _within(statement, way.path, way.manifest.tree)
            if path is not None:
                holding.append((statement, path))
        for statement, path in reversed(holding):
            node = statement.document.node((*statement.base, *path))
            if node is not None and _says(node, there):
                return _span(statement, path, way)
        if isinstance(there, dict | list):
            # of what several texts say together, the first one stands for it
            for statement, path in holding:
                node = statement.document.node((*statement.base, *path))
                if node is not None and isinstance(node.value, type(there)):
                    return _span(statement, path, way)
        return None

    def resource(self, way: Way) -> Span | None:
        """The place in an object's resource, whatever that says there."""
        statement = way.object.statements[0] if way.object is not None else None
        path = _within(statement, way.path, way.manifest.tree) if statement is not None else None
        if statement is None or path is None:
            return None
        return statement.where.span(Place((*statement.base, *path)))

    def stand_in(self, way: Way | None) -> Span:
        """The entry of a kustomization that stands for what it computes."""
        for part, path in _transformers(way, self._root) if way is not None else ():
            return part.document.span(Place(path))
        if way is not None and way.object is not None and way.object.ways:
            part, path = way.object.ways[-1]
            return part.document.span(Place(path))
        return self._root.document.span(Place(()))


def _places(root: Node) -> dict[int, tuple[Path, str, Scalar]]:
    """Offset of each key and scalar → its path, part and node."""
    found: dict[int, tuple[Path, str, Scalar]] = {}
    left: list[tuple[Node, Path]] = [(root, ())]
    while left:
        node, path = left.pop()
        if isinstance(node, Scalar):
            found[node.start] = path, VALUE, node
        elif isinstance(node, Mapping):
            for key, item in node.items.items():
                found[node.keys[key].start] = (*path, key), KEY, node.keys[key]
                left.append((item, (*path, key)))
        else:
            left += [(item, (*path, at)) for at, item in enumerate(node.items)]
    return found


def _within(statement: Statement, path: Path, rendered: Any) -> Path | None:
    """A path of the object as a path of the statement; None: it does not reach so far."""
    there = rendered
    for at, said in enumerate(statement.at):
        if at == len(path):
            return None
        step = path[at]
        if isinstance(step, int) and said == "-":
            if at != len(statement.at) - 1 or there[step] != statement.tree:
                return None
        elif said != str(step):
            return None
        there = there[step]
    own: Any = statement.tree
    found: list[str | int] = []
    for step in path[len(statement.at) :]:
        if isinstance(step, int):
            position = _item(there, step, own) if isinstance(own, list) else None
            if position is None:
                return None
            found.append(position)
            own = own[position]
        elif isinstance(own, dict) and step in own:
            found.append(step)
            own = own[step]
        else:
            return None
        there = there[step]
    return tuple(found)


def _item(rendered: list[Any], at: int, own: list[Any]) -> int | None:
    """The item of a list that became one of the rendered list: the same, the one of its name, or the only equal one."""
    item = rendered[at]
    if at < len(own) and own[at] == item:
        return at
    name = item.get("name") if isinstance(item, dict) else None
    if isinstance(name, str):
        named = [number for number, one in enumerate(own) if isinstance(one, dict) and one.get("name") == name]
        alike = sum(isinstance(one, dict) and one.get("name") == name for one in rendered)
        return named[0] if len(named) == alike == 1 else None
    equal = [number for number, one in enumerate(own) if one == item]
    if len(equal) == 1:
        return equal[0]
    return at if not equal and len(own) == len(rendered) and isinstance(item, dict | list) else None


def _says(node: Node, value: Any) -> bool:
    """Whether a text says a value: kustomize takes some plain words, such as `yes`, for texts."""
    if type(node.value) is type(value) and node.value == value:
        return True
    return isinstance(node, Scalar) and isinstance(value, str) and node.plain == value


def _span(statement: Statement, path: Path, way: Way) -> Span:
    # what a JSON patch puts at the path has its key in the kustomization's words, and its value here
    part = way.part if path or not statement.at else VALUE
    return statement.where.span(Place((*statement.base, *path), part, inside=way.inside))


def _transformers(way: Way, root: Kustomization) -> list[tuple[Kustomization, Path]]:
    """Entries of kustomizations by which kustomize computes what stands at a path, the last ones first."""
    if way.object is None:
        metadata = way.manifest.tree.get("metadata")
        name = metadata.get("name") if isinstance(metadata, dict) else None
        return [
            (root, (field, at))
            for field in _GENERATORS
            for at, item in enumerate(root.items(field))
            if isinstance(item, dict) and isinstance(name, str) and str(item.get("name")) in name
        ]
    found: list[tuple[Kustomization, Path]] = []
    path = way.path
    value: Any = way.manifest.tree
    for step in path:
        value = value[step]
    last = path[-1] if path else ""
    for part, _ in reversed(way.object.ways):
        fields: tuple[str, ...] = ()
        if last == "image":
            found += [(part, ("images", at)) for at, item in enumerate(part.items("images")) if _writes(item, value)]
        elif last == "replicas":
            names = way.object.names
            replicas = enumerate(part.items("replicas"))
            found += [
                (part, ("replicas", at)) for at, one in replicas if isinstance(one, dict) and one.get("name") in names
            ]
        elif path == ("metadata", "name"):
            fields = ("namePrefix", "nameSuffix")
        elif last == "namespace":
            fields = ("namespace",)
        elif "labels" in path or "matchLabels" in path:
            fields = _LABELS
        elif "annotations" in path:
            fields = _ANNOTATIONS
        found += [(part, (field,)) for field in fields if field in part.tree]
    return found


def _writes(item: Any, image: Any) -> bool:
    """Whether an entry of `images` may have written an image."""
    name = item.get("newName") or item.get("name") if isinstance(item, dict) else None
    return isinstance(name, str) and isinstance(image, str) and image.startswith(name)
