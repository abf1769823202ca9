"""Lines of a text that is no YAML, and the one move of them after which its object has a right shape.

Which column a line is meant for, no reader of text can know: three of them may be YAML. The schema of the kind knows
where a key is a field. So every move is read and judged, and one is offered that alone leaves nothing to be found.
"""

from __future__ import annotations

from specgen import operators
from specgen.diagnostics.model import UNSAFE, Fix, plural
from specgen.diagnostics.operations import Rewrite
from specgen.document import codes
from specgen.document.faults import depth_of, holder_of
from specgen.document.moves import extent, moves, untabbed
from specgen.document.read import read
from specgen.document.tree import Mapping, Sequence
from specgen.manifest.misplaced import noun
from specgen.manifest.shape import file_of
from specgen.manifest.shape import shape as shape_of_object
from specgen.operators.beside import SCHEMAS
from specgen.profile.library import is_profile
from specgen.profile.shape import MODELS, shape
from specgen.schema.files import load
from specgen.schema.walk import Walk
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.document.moves import Moved
    from specgen.document.tree import Document, Node
    from specgen.source import Path

# Characters of a document that are read in all moves together.
_MOST = 1_500_000
_NUMBERS = {1: "one column", 2: "two columns", 3: "three columns", 4: "four columns"}


def advise(source: Source, findings: list[Finding]) -> None:
    """Gives the first line that its reader refuses the move that mends it, where exactly one does."""
    finding = next((one for one in findings if one.code is codes.SYNTAX and one.place.offsets is not None), None)
    if finding is None or finding.fix is not None or "{{" in source.text or "{%" in source.text:
        return
    at = (finding.place.offsets or (0, 0))[0]
    start, end = extent(source, at)
    own = Source("", source.text[start:end])
    number = own.position(at - start)[0]
    tabs = "a tab indents" in finding.message
    found = _best(untabbed(own) if tabs else moves(own, number))
    if found is None:
        return
    moved, document = found
    patch = [Rewrite(start + begin, length, text) for begin, length, text in moved.edits]
    finding.related = []
    if tabs:
        finding.fix = Fix(f"write {moved.by} blanks for each tab", UNSAFE, patch)
        return
    line = own.line(moved.first)
    key = line.lstrip(" -").partition(":")[0].strip()[:40].replace("`", "'")
    holder = holder_of(own, moved.first) if not line.lstrip().startswith("- ") else ""
    if holder:
        finding.message = f"`{key}` stands inside the list `{holder}`"
    elif moved.first != number:
        depth, other = depth_of(line), depth_of(own.line(number))
        finding.message = f"`{key}` is indented by {plural(depth, 'blank')}, and what goes on below it by {other}"
    if moved.first != number:
        offset = start + own.offset(moved.first, depth_of(line) + 1)
        finding.place.offsets = (offset, offset + 1)
    way = f"{_NUMBERS.get(abs(moved.by), f'{abs(moved.by)} columns')} to the {'right' if moved.by > 0 else 'left'}"
    lines = moved.last - moved.first + 1
    what = f"`{key}`" if lines == 1 else f"`{key}` and the {plural(lines - 1, 'line')} below it"
    finding.helps = []
    finding.fix = Fix(f"move {what} {way}: {_as(document, own, moved)}", UNSAFE, patch)


def _best(tried: Iterator[Moved]) -> tuple[Moved, Document] | None:
    """The one move that leaves a right shape, and the document that comes of it; None: there is none, or another."""
    found: dict[str, tuple[Moved, Document]] = {}
    room = _MOST
    for moved in tried:
        room -= len(moved.text)
        if room < 0:
            return None
        documents, findings = read(Source("", moved.text))
        if findings or len(documents) != 1 or not _is_right(documents[0]):
            continue
        said = repr(documents[0].data)
        # of moves to the same end the shortest
        if said not in found or moved.last - moved.first < found[said][0].last - found[said][0].first:
            found[said] = moved, documents[0]
    return next(iter(found.values())) if len(found) == 1 else None


def _is_right(document: Document) -> bool:
    """Whether a document is an object or profile of a kind that is known, and has its shape."""
    data = document.data
    if not isinstance(data, dict):
        return False
    version, kind = data.get("apiVersion"), data.get("kind")
    if not isinstance(version, str) or not isinstance(kind, str):
        return False
    if is_profile(version):
        return kind in MODELS and not shape(document)
    schema = _schema(version, kind)
    return schema is not None and not shape_of_object(schema, data)


def _schema(version: str, kind: str) -> str | None:
    reader = operators.by_object(version, kind)
    return reader.schema if reader is not None else SCHEMAS.get((version, kind))


def _as(document: Document, own: Source, moved: Moved) -> str:
    """What the line is in its new column, as a clause."""
    line = own.line(moved.first)
    begin = own.offset(moved.first) + depth_of(line) + moved.by
    if line.lstrip().startswith("- "):
        begin += len(line.lstrip()) - len(line.lstrip(" -"))
    path = _path(document.root, begin)
    if path is None:
        return "there the file is read"
    if line.lstrip().startswith("- "):
        path = path if isinstance(path[-1], int) else path[:-1]
        names = [step for step in path if isinstance(step, str)]
        return f"there it is an item of `{names[-1]}`" if names else "there it is an item"
    data = document.data
    version, kind = data["apiVersion"], data["kind"]
    if len(path) == 1:
        return "there it is a word of the profile" if is_profile(version) else "there it is a field of the object"
    if is_profile(version):
        return f"there it stands under `{next(one for one in reversed(path[:-1]) if isinstance(one, str))}`"
    walk = Walk(load(file_of(_schema(version, kind) or "")), None)
    return f"there it is a field of {noun(path[:-1], walk.chain(data, path[:-1])[-1][0])}"


def _path(root: Node, offset: int) -> Path | None:
    """The path of the entry that begins there."""
    left: list[tuple[Path, Node]] = [((), root)]
    while left:
        path, node = left.pop()
        if path and node.start == offset and not isinstance(node, Mapping):
            return path
        if isinstance(node, Mapping):
            for key, item in node.items.items():
                if node.keys[key].start == offset:
                    return (*path, key)
                left.append(((*path, key), item))
        elif isinstance(node, Sequence):
            left += [((*path, index), item) for index, item in enumerate(node.items)]
    return None
