"""Codes, findings, and the serialised diagnostic that renderers consume.

A stage or rule yields a ``Finding``: it holds paths. ``place.py`` turns it into a ``Diagnostic``, a plain
dict in the shape of the ``json`` format, which is all that a renderer ever sees. What is wrong with the question itself
is a ``BadQuestion``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any, Protocol, TypeAlias, TypedDict

    from specgen.diagnostics.operations import Edit, Operation, Refusal
    from specgen.source import Path, Source

    Span: TypeAlias = tuple[Source, int, int]
    # what a patch's paths belong to, and the patch → its edits, proven, or why there are none
    Editor: TypeAlias = "Callable[[Placer, Sequence[Operation]], list[Edit] | Refusal]"

    class Placer(Protocol):
        """Whatever can say where a path stands: a document, or the origins of a compiled manifest."""

        def span(self, place: Place) -> Span: ...

        def hidden(self) -> list[tuple[int, int, str]]:
            """(start, end, text) of each secret in its text, in their order: they are never printed."""
            ...

    class Position(TypedDict):
        """Line and column count from 1, the offset from 0; all count characters."""

        line: int
        column: int
        offset: int

    class Region(TypedDict):
        """A part of a file, and what there is to say about it."""

        file: str
        label: str
        start: Position
        end: Position

    class Replacement(TypedDict):
        """A new text between two offsets of a file."""

        file: str
        start: int
        end: int
        text: str

    class Unproven(Protocol):
        """The edits of a fix until somebody asks for them: only a reader of edits pays for their proof."""

        def proven(self, edits: Editor) -> list[Replacement] | None:
            """The edits, or None where the patch is refused."""
            ...

    class Remedy(TypedDict):
        """A fix with its edits, once they are proven (``place.published``)."""

        title: str
        applicability: str
        edits: list[Replacement] | Unproven

    class Diagnostic(TypedDict):
        """A finding whose places are known, as the format ``json`` publishes it: keys are only ever added."""

        code: str
        name: str
        severity: str
        message: str
        subject: dict[str, str] | None
        path: str
        primary: Region
        related: list[Region]
        notes: list[str]
        helps: list[str]
        fix: Remedy | None
else:
    Diagnostic = dict

ERROR = "error"
WARNING = "warning"
NOTE = "note"

KEY = "key"
VALUE = "value"


class BadQuestion(Exception):
    """What was asked for has no answer: an option that does not exist, a file that cannot be opened. Exit code 2."""

    def __init__(self, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.help = help


class Place:
    """A path, the part of the entry meant (its key or its value), and a range inside a scalar's text.

    ``where`` names another placer than the finding's own (the cluster profile, say). ``offsets`` is for the
    reader, which knows the text before there is a tree. A key that is absent is placed at the nearest
    enclosing entry that exists.
    """

    __slots__ = ("inside", "offsets", "part", "path", "where")

    def __init__(
        self,
        path: Path,
        part: str = VALUE,
        *,
        inside: tuple[int, int] | None = None,
        where: Placer | None = None,
        offsets: tuple[int, int] | None = None,
    ) -> None:
        self.path = path
        self.part = part
        self.inside = inside
        self.where = where
        self.offsets = offsets


class Fix:
    """A remedy in the imperative, its applicability, and the patch that is the remedy: operations on paths.

    All paths are those of the tree as it stands before the patch. It is a proposal: ``place.published`` has it turned
    into edits and proven, and leaves out what is refused.
    """

    __slots__ = ("applicability", "patch", "title")

    def __init__(self, title: str, applicability: str, patch: Sequence[Operation] = ()) -> None:
        self.title = title
        self.applicability = applicability
        self.patch = list(patch)


SAFE = "safe"
UNSAFE = "unsafe"
DISPLAY = "display"


class Finding:
    """One problem at one place, in the words of ``diagnostics.md``: message, label, related, notes, helps.

    ``cluster``: what of the cluster profile contradicts it, by paths there; related for whoever has its document.
    """

    __slots__ = (
        "cluster",
        "code",
        "fix",
        "helps",
        "label",
        "message",
        "notes",
        "place",
        "related",
        "severity",
        "subject",
        "where",
    )

    def __init__(
        self,
        code: Code,
        place: Place,
        message: str,
        *,
        label: str = "",
        related: Iterable[tuple[Place, str]] = (),
        notes: Iterable[str] = (),
        helps: Iterable[str] = (),
        fix: Fix | None = None,
        severity: str | None = None,
    ) -> None:
        self.code = code
        self.place = place
        self.message = message
        self.label = label
        self.related = list(related)
        self.notes = list(notes)
        self.helps = list(helps)
        self.fix = fix
        self.severity = severity or code.severity
        self.cluster: list[tuple[Path, str]] = []
        self.subject: dict[str, str] | None = None
        self.where: Placer | None = None


class Code:
    """A problem that has a number, a slug that reads well after "ignore", and one page."""

    __slots__ = ("id", "page", "severity", "since", "slug")

    def __init__(self, id: str, slug: str, severity: str, *, since: str, page: str | None) -> None:
        self.id = id
        self.slug = slug
        self.severity = severity
        self.since = since
        self.page = page or ""

    def at(self, place: Place | Path, message: str, *, part: str = VALUE, **more: Any) -> Finding:
        """A finding of this code; a bare path means its value, or its key with ``part=KEY``."""
        if not isinstance(place, Place):
            place = Place(place, part)
        return Finding(self, place, message, **more)


def holds(code: Code) -> bool:
    """Whether an error of a code holds whatever else is true: its page says that it is never ignored."""
    return "\n## When to ignore it\nNever" in code.page


def has_errors(findings: Iterable[Finding]) -> bool:
    """Whether any finding stops its file."""
    return any(finding.severity == ERROR for finding in findings)


def plural(count: int, noun: str) -> str:
    """``1 pod``, ``3 pods``, ``2 processes``."""
    return f"{count} {noun if count == 1 else many(noun)}"


def many(noun: str) -> str:
    """``pods``, ``processes``, ``priorities``; the one place that knows English plurals."""
    if noun.endswith(("s", "x", "ch")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def listed(names: Sequence[str], *, most: int = 4) -> str:
    """``a``, ``a and b``, ``a, b, and c``, or the first four ``and 9 more``; names in backticks."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > most:
        return ", ".join(quoted[:most]) + f", and {len(quoted) - most} more"
    if len(quoted) > 2:
        return ", ".join(quoted[:-1]) + f", and {quoted[-1]}"
    return " and ".join(quoted)


def article(noun: str) -> str:
    """``a mount``, ``an operator``, ``an MPIJob``; the one place that knows which words begin with a vowel."""
    # a name in capitals is read letter by letter: an M, a P
    vowels = "AEFHILMNORSX" if noun[:2].isupper() and len(noun) > 1 else "AEIOUaeiou"
    if noun.startswith("NCCL"):
        vowels = ""  # which is read as a word
    return f"{'an' if noun[:1] in vowels and noun else 'a'} {noun}"


def spelt(value: object) -> str:
    """A scalar as YAML spells it: ``true``, ``null``."""
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def shown(value: object) -> str:
    """A scalar of a file as messages show it: on one line, without backticks, cut where it is long."""
    text = spelt(value)
    line = (text if text.isprintable() else ascii(text)[1:-1]).replace("`", "'")
    return line if len(line) <= 60 else line[:59] + "…"
