"""Numbers that readers of YAML disagree on, in fields that take a number: quotes would make a text of them."""

from __future__ import annotations

from specgen.diagnostics.model import NOTE, SAFE, Fix
from specgen.diagnostics.operations import Set
from specgen.document.tree import Document, Mapping, Scalar, Sequence
from specgen.manifest.origins import Copied
from specgen.manifest.shape import file_of
from specgen.schema.files import load
from specgen.schema.walk import Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Node
    from specgen.manifest.model import Manifest
    from specgen.source import Path

# Fields of permission bits, which everybody writes in octal.
_MODES = ("mode", "defaultMode")


def advise(
    doubts: Iterable[Finding], objects: Iterable[Manifest], schema_of: Callable[[Manifest], str | None]
) -> list[Finding]:
    """The doubts, SG010, each with the remedy that its field takes; what the API server itself writes is none.

    A fraction of zero is none where the field takes more than whole numbers: `1.0` is 1 to all readers. ``schema_of``:
    the module of ``specgen.tables`` of an object.
    """
    walks: dict[str, Walk] = {}
    kept = []
    for doubt in doubts:
        takes_whole, is_fraction, is_servers = False, False, False
        for manifest in objects:
            found = _place(manifest, doubt.place.offsets or (-1, -1))
            schema = schema_of(manifest) if found is not None else None
            if found is None:
                continue
            path, scalar = found
            is_servers = path[:1] == ("status",) or path[-1:] == ("creationTimestamp",)
            is_fraction = "." in (scalar.plain or "") and type(scalar.value) is int
            if schema is None:
                continue
            if schema not in walks:
                walks[schema] = Walk(load(file_of(schema)), None)
            walk = walks[schema]
            kinds = {one.get("type") for one in walk.alternatives(walk.field(manifest.tree, path))}
            if type(scalar.value) is int and "integer" in kinds and "string" not in kinds:
                takes_whole = True
                _take_number(doubt, manifest, path, scalar)
        if not is_servers and (takes_whole or not is_fraction):
            kept.append(doubt)
    return kept


def _take_number(doubt: Finding, manifest: Manifest, path: Path, scalar: Scalar) -> None:
    text, number = scalar.plain or "", scalar.value
    if "." in text:
        whole = manifest.where.below(path) if isinstance(manifest.where, Copied) else path
        doubt.message = (
            f"`{path[-1]}` takes a whole number: kubectl makes `{number}` of `{text}`, not every reader does"
        )
        doubt.helps, doubt.fix = [], Fix(f"write `{number}`", SAFE, [Set(whole, number)])
        return
    if path[-1] in _MODES and text[:1] == "0" and text.strip("01234567") in ("", "o"):
        # what is written is what is meant, and what Kubernetes makes of it
        doubt.severity = NOTE
        doubt.message = (
            f"`{text}` is octal to Kubernetes, which makes `{number}` of it, and may be another number elsewhere"
        )
        doubt.helps = [f"keep it where Kubernetes' tools alone read the file, else write `{number}`: a text is refused"]
    else:
        doubt.helps = [f"write `{number}`, if that is meant: the field takes no text"]


def _place(manifest: Manifest, offsets: tuple[int, int]) -> tuple[Path, Scalar] | None:
    """The path in an object of the value between two offsets of its text; None: it is not in there."""
    where = manifest.where
    if isinstance(where, Copied):
        document, base = where.document, where.below(())
    elif isinstance(where, Document):
        document, base = where, ()
    else:
        return None
    top = document.node(base)
    left: list[tuple[Path, Node]] = [((), top)] if top is not None else []
    while left:
        path, node = left.pop()
        if isinstance(node, Scalar):
            if (node.start, node.end) == offsets:
                return path, node
        elif isinstance(node, Mapping):
            left += [((*path, name), below) for name, below in node.items.items()]
        elif isinstance(node, Sequence):
            left += [((*path, index), below) for index, below in enumerate(node.items)]
    return None
