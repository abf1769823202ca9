"""A profile of a wrong shape, be it a job's, its base's or its cluster's, as it would be with another value in each
place that is wrong.

What is found in every such copy, with the same words, depends on none of the wrong values: it can be told in the same
round. Whoever asks still leaves out what speaks of a place that was changed, and, where nobody knows what a word was
meant to be (``Repaired.guarded``), all that such a word might heal. Files that are wrong together are repaired
together, as are settings of the command line (``Reset``).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, Place, has_errors
from specgen.diagnostics.operations import Remove, Rename, Set
from specgen.diagnostics.place import place
from specgen.document import codes as text_codes
from specgen.document.layout import Unclear
from specgen.document.patch.tree import at, changed
from specgen.document.tree import Mapping, Sequence
from specgen.profile import codes
from specgen.profile.library import API_VERSION
from specgen.profile.resolve import NEEDED
from specgen.profile.shape import shape
from specgen.schema.codes import MISSING_FIELD, UNKNOWN_FIELD, WRONG_TYPE, WRONG_VALUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from specgen.diagnostics.model import Finding, Region
    from specgen.diagnostics.operations import Operation
    from specgen.document.tree import Document, Node
    from specgen.schema.walk import Walk
    from specgen.source import Path

# More than this nobody mends in one round, and each copy is compiled.
MOST = 50
# References to files, and variables that the operator sets: whatever else a job says, they are wrong.
_ALONE = ("SG202", "SG212")
# A variable that no text uses: each value may be the one that does.
_OF_ALL_TEXTS = ("SG205",)
# Words of programs and of Kubernetes, which rules read in the manifest.
_OPEN = frozenset(("args", "command", "env", "envFrom", "files", "objects", "patch", "prepare", "volume"))
# Kind → the schema of its profiles, and the definition there.
_SCHEMAS = {
    "Job": ("job.schema.json", "JobProfile"),
    "Base": ("job.schema.json", "BaseProfile"),
    "Cluster": ("cluster.schema.json", "ClusterProfile"),
}
# Words that name other profiles.
_FILES = (("extends",), ("cluster",))
# Words that every job says: they are said in another way, never left out.
_NEEDED = frozenset((("metadata", "name"), *((key,) for key in ("apiVersion", "kind", "metadata", *NEEDED))))


class Repaired:
    """The copies, all of a right shape; the paths that differ in them; and whether a word is there of unknown meaning.

    The copies stand in the text of the document: their paths lead to its lines.
    """

    __slots__ = ("copies", "document", "guarded", "of_cluster", "planned", "spans", "variables")

    def __init__(self, document: Document, paths: list[Path], guarded: bool) -> None:
        self.document = document
        self.copies: list[Document] = []
        self.guarded = guarded
        self.of_cluster = document.data["kind"] == "Cluster"
        # whether a wrong place holds what only programs and Kubernetes read, so that no value stands for the others
        self.planned = any(step in _OPEN for path in paths for step in path)
        self.variables = any(path[0] == "vars" for path in paths if path)
        self.spans = [_extent(document, path) for path in paths]

    def kept(self, findings: list[Finding], copy: Document, job: Document) -> list[Finding] | None:
        """The findings of a copy that speak of no changed place; None: a value in it is refused.

        ``job``: the job's document, where the copy is of another.
        """
        kept = []
        for finding in findings:
            finding.where = finding.where or job
            diagnostic = place(finding, job)
            if self._touches(diagnostic["primary"]):
                return None
            if any(map(self._touches, diagnostic["related"])) or not self._stands(finding):
                continue
            kept.append(finding)
        return kept

    def in_original(self, finding: Finding, copy: Document) -> None:
        """Has a finding of a copy speak of the document itself."""
        if finding.where is copy:
            finding.where = self.document
        for spot in (finding.place, *(spot for spot, _ in finding.related)):
            if spot.where is copy:
                spot.where = self.document

    def _stands(self, finding: Finding) -> bool:
        """Whether no value that was not tried could heal a finding."""
        if finding.code is codes.UNKNOWN_NAME and self.of_cluster:
            return False  # which names there are is what nobody can read
        if finding.code is codes.UNKNOWN_NAME and self.guarded:
            return bool(finding.related)  # the cluster profile that has no such name
        if finding.code is codes.UNKNOWN_VARIABLE and self.variables:
            return False
        return finding.code.id in _ALONE if self.guarded else finding.code.id not in _OF_ALL_TEXTS

    def _touches(self, region: Region) -> bool:
        if region["file"] != self.document.source.name:
            return False
        start, end = region["start"]["offset"], region["end"]["offset"]
        return any(start < right and left < max(end, start + 1) for left, right in self.spans)


class Reset:
    """Settings of the command line of which some have a value that is refused: lists with others in their place."""

    __slots__ = ("guarded", "lists")

    def __init__(self, lists: list[list[str]], guarded: bool) -> None:
        self.lists = lists
        self.guarded = guarded

    def kept(self, findings: list[Finding], settings: Iterable[str], job: Document) -> list[Finding] | None:
        """The findings that speak of no changed setting; None: a value of one is refused.

        ``settings``: those that the findings are of.
        """
        same = {f"--set {one}" for one in settings if all(one in other for other in self.lists)}
        kept = []
        for finding in findings:
            finding.where = finding.where or job
            diagnostic = place(finding, job)
            strange = [
                region["file"].startswith("--set ") and region["file"] not in same
                for region in (diagnostic["primary"], *diagnostic["related"])
            ]
            if strange[0]:
                return None
            if not any(strange) and (finding.code.id in _ALONE if self.guarded else True):
                kept.append(finding)
        return kept


def reset(settings: Iterable[str], findings: list[Finding]) -> Reset | None:
    """Settings for the errors in their values; None: too little is known of them."""
    from specgen.document.tree import Document
    from specgen.profile.settings import steps
    from specgen.schema.files import load
    from specgen.schema.remedies import flow
    from specgen.schema.samples import samples
    from specgen.schema.walk import Walk
    from specgen.source import dotted

    walk = Walk(load("job.schema.json"), "Layer")
    wrong = [one.where.source.name for one in findings if isinstance(one.where, Document)]
    # what stands in place of each: nothing, or another value
    instead: list[list[str | None]] = []
    guarded = False
    for setting in settings:
        if f"--set {setting}" not in wrong:
            instead.append([setting])
            continue
        names = tuple(steps(setting.partition("=")[0]))
        data: Any = None
        for name in reversed(names):
            data = {name: data}
        field = walk.field(data, names)
        kinds = [one.get("type") for one in walk.alternatives(field)]
        guarded = guarded or "object" in kinds or "array" in kinds
        instead.append([None, *(f"{dotted(names)}={flow(one)}" for one in samples(walk, field))])
    turns = max(map(len, instead), default=0)
    lists = [[one for said in instead if (one := said[turn % len(said)]) is not None] for turn in range(turns)]
    return Reset(lists, guarded) if len(lists) > 1 or (lists and guarded) else None


def _extent(document: Document, path: Path) -> tuple[int, int]:
    """From where to where an entry stands; of one that is absent, the entry that it would stand in."""
    _, start, end = document.span(Place(path, KEY))
    node = document.node(path)
    return (start, max(end, node.end)) if node is not None else (start, end)


class _Wrong:
    """One place that is wrong: patches of which any may mend it."""

    __slots__ = ("patches", "paths")

    def __init__(self, paths: list[Path], patches: list[list[Operation]]) -> None:
        self.paths = paths
        self.patches = patches


def repaired(document: Document, findings: list[Finding]) -> Repaired | None:
    """Copies of a profile for the errors in it; None: too little is known of what it would be without them."""
    data = document.data
    errors = [finding for finding in findings if has_errors([finding])]
    if not errors or len(errors) > MOST or not isinstance(data, dict):
        return None
    kind = data.get("kind")
    if data.get("apiVersion") != API_VERSION or not isinstance(kind, str) or kind not in _SCHEMAS:
        return None
    made = _Maker(document)
    wrong: dict[Path, list[Finding]] = {}
    for finding in errors:
        path = made.path(finding)
        if path is None:
            return None
        wrong.setdefault(path, []).append(finding)
    outer = [path for path in wrong if not any(path[:cut] in wrong for cut in range(1, len(path)))]
    places = [made.wrong(path, wrong[path]) for path in outer]
    result = Repaired(document, [path for spot in places for path in spot.paths], made.guarded)
    for turn in range(max(len(spot.patches) for spot in places)):
        patch = [operation for spot in places for operation in spot.patches[turn % len(spot.patches)]]
        copy = _copied(document, patch)
        if copy is not None:
            result.copies.append(copy)
    # one copy alone proves nothing of any other value
    return result if len(result.copies) > 1 or (result.copies and result.guarded) else None


def _copied(document: Document, patch: list[Operation]) -> Document | None:
    """The document with a patch in its data; None where that has no right shape, either."""
    try:
        data = changed(document.data, patch)
    except Unclear:
        return None
    copy = document.holding(data)
    return None if shape(copy) else copy


class _Maker:
    __slots__ = ("document", "guarded", "walk")

    def __init__(self, document: Document) -> None:
        from specgen.schema.files import load
        from specgen.schema.walk import Walk

        self.document = document
        schema, definition = _SCHEMAS[document.data["kind"]]
        self.walk: Walk = Walk(load(schema), definition)
        self.guarded = False

    def path(self, finding: Finding) -> Path | None:
        """What is changed for a finding: the entry that it is about, of a list the whole list; None: nobody knows."""
        if finding.code in (UNKNOWN_FIELD, MISSING_FIELD, WRONG_TYPE, WRONG_VALUE):
            path: Path | None = finding.place.path
        elif finding.code is codes.MISSING:
            return ()
        elif finding.code is codes.BROKEN_REFERENCE and finding.place.path[:1] in _FILES:
            path = finding.place.path
        elif finding.code in (text_codes.AMBIGUOUS, text_codes.DUPLICATE_KEY):
            places = [finding.place, *(place for place, _ in finding.related)]
            path = next(filter(None, (_at(self.document, place.offsets) for place in places)), None)
        else:
            path = None
        if path is None:
            return None
        cut = next((depth for depth, step in enumerate(path) if isinstance(step, int)), len(path))
        return path[:cut] if cut or not path else None

    def wrong(self, path: Path, findings: list[Finding]) -> _Wrong:
        """The ways to mend what was found at a path."""
        data = self.document.data
        first = findings[0]
        if not path:
            return self._lacking()
        if first.code is UNKNOWN_FIELD or (first.code is WRONG_VALUE and first.place.part == KEY):
            rename = next((one for one in (first.fix.patch if first.fix else ()) if isinstance(one, Rename)), None)
            if rename is None or rename.path != path:
                self.guarded = True
                return _Wrong([path], [[Remove(path)]])
            meant = (*path[:-1], rename.key)
            said: list[list[Operation]] = [[Remove(path), Set(meant, one)] for one in self._samples(meant)]
            return _Wrong([path, meant], [[rename], [Remove(path)], *said])
        if first.code is codes.BROKEN_REFERENCE:
            self.guarded = True  # nobody knows what the file says
            return _Wrong([path], [[Remove(path)]])
        patches: list[list[Operation]] = [] if path in _NEEDED else [[Remove(path)]]
        patches += [[Set(path, one)] for one in self._samples(path)]
        meant_value = self._meant(path, findings)
        if meant_value is not None:
            patches.insert(0, [Set(path, meant_value)])
        # of a whole mapping or list nobody tries all that it may say
        kinds = [one.get("type") for one in self.walk.alternatives(self.walk.field(data, path))]
        if path[-1] == "options" or (not meant_value and ("object" in kinds or "array" in kinds)):
            self.guarded = True
        if first.code is MISSING_FIELD and first.place.path == path and isinstance(at(data, path), dict):
            patches += self._filled(path)
        return _Wrong([path], patches or [[]])

    def _lacking(self) -> _Wrong:
        """What the document itself must say and does not."""
        data = self.document.data
        roles = data.get("roles")
        lacks: list[Path] = [
            (key,) for key in ("metadata", *NEEDED) if data.get(key) is None and not (key == "image" and roles)
        ]
        metadata = data.get("metadata")
        if isinstance(metadata, dict) and "name" not in metadata and "generateName" not in metadata:
            lacks.append(("metadata", "name"))
        values = [self._samples(path) for path in lacks]
        count = max(map(len, values), default=0)
        patches: list[list[Operation]] = [
            [Set(path, one[turn % len(one)]) for path, one in zip(lacks, values, strict=True) if one]
            for turn in range(count)
        ]
        return _Wrong(lacks, patches or [[]])

    def _filled(self, path: Path) -> list[list[Operation]]:
        """A mapping with the fields that it lacks."""
        schema, instance = self.walk.chain(self.document.data, path)[-1]
        must = (*schema.get("required", ()), *schema.get("x-specgen-required", ()))
        lacks = [key for key in must if key not in instance]
        values = [self._samples((*path, key)) for key in lacks]
        if not lacks or not all(values):
            return []
        return [
            [Set((*path, key), one[turn % len(one)]) for key, one in zip(lacks, values, strict=True)]
            for turn in range(max(map(len, values)))
        ]

    def _samples(self, path: Path) -> list[Any]:
        from specgen.schema.samples import samples

        if path == ("metadata",):
            return [{"name": "a"}, {"name": "b-2"}]
        return samples(self.walk, self.walk.field(self.document.data, path))

    def _meant(self, path: Path, findings: Iterable[Finding]) -> Any:
        """The value that the fixes and helps of findings at a path come to; None: there is none."""
        from specgen.schema.remedies import line

        data = self.document.data
        patch: list[Operation] = []
        for finding in findings:
            where = finding.place.path
            if finding.fix is not None:
                patch += finding.fix.patch
            elif finding.code in (WRONG_TYPE, WRONG_VALUE):
                alternatives = self.walk.alternatives(self.walk.field(data, where))
                found = line(data, where, at(data, where), alternatives, self.walk)
                if found is not None:
                    patch.append(Set(found[1], found[2]))
        try:
            return at(changed(data, patch), path) if patch else None
        except Unclear:
            return None


def _at(document: Document, offsets: tuple[int, int] | None) -> Path | None:
    """The path of the entry whose key or value begins where something was found in the text."""
    left: list[tuple[Path, Node]] = [((), document.root)] if offsets is not None else []
    while left and offsets is not None:
        path, node = left.pop()
        if node.start == offsets[0] and path:
            return path
        if isinstance(node, Mapping):
            for key, item in node.items.items():
                if node.keys[key].start == offsets[0]:
                    return (*path, key)
                left.append(((*path, key), item))
        elif isinstance(node, Sequence):
            left += [((*path, index), item) for index, item in enumerate(node.items)]
    return None
