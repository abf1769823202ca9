"""Codes, findings, and the serialised diagnostic that renderers consume.

A stage or rule yields a ``Finding``: it holds paths. ``place.py`` turns it into a ``Diagnostic``, a plain
dict in the shape of the ``json`` format, which is all that a renderer ever sees.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, Protocol, TypeAlias

    from specgen.source import Path, Source

    Diagnostic: TypeAlias = dict[str, Any]
    Span: TypeAlias = tuple[Source, int, int]

    class Placer(Protocol):
        """Whatever can say where a path stands: a document, or the origins of a compiled manifest."""

        def span(self, place: Place) -> Span: ...
else:
    Diagnostic = dict

ERROR = "error"
WARNING = "warning"
NOTE = "note"

KEY = "key"
VALUE = "value"


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
    """A remedy in the imperative, its applicability, and edits as (place, new text)."""

    __slots__ = ("applicability", "edits", "title")

    def __init__(self, title: str, applicability: str, edits: Sequence[tuple[Place, str]] = ()) -> None:
        self.title = title
        self.applicability = applicability
        self.edits = list(edits)


SAFE = "safe"
UNSAFE = "unsafe"
DISPLAY = "display"


class Finding:
    """One problem at one place, in the words of ``diagnostics.md``: message, label, related, notes, helps."""

    __slots__ = (
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


def has_errors(findings: Iterable[Finding]) -> bool:
    """Whether any finding stops its file."""
    return any(finding.severity == ERROR for finding in findings)


def plural(count: int, noun: str) -> str:
    """``1 pod``, ``3 pods``, ``2 processes``; the one place that knows English plurals."""
    if count == 1:
        return f"{count} {noun}"
    if noun.endswith(("s", "x", "ch")):
        return f"{count} {noun}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{count} {noun[:-1]}ies"
    return f"{count} {noun}s"


def listed(names: Sequence[str], *, most: int = 4) -> str:
    """``a``, ``a and b``, ``a, b, and c``, or the first four ``and 9 more``; names in backticks."""
    quoted = [f"`{name}`" for name in names]
    if len(quoted) > most:
        return ", ".join(quoted[:most]) + f", and {len(quoted) - most} more"
    if len(quoted) > 2:
        return ", ".join(quoted[:-1]) + f", and {quoted[-1]}"
    return " and ".join(quoted)


def shown(text: str) -> str:
    """A text of a file as messages show it: on one line, without backticks, cut where it is long."""
    line = (text if text.isprintable() else ascii(text)[1:-1]).replace("`", "'")
    return line if len(line) <= 60 else line[:59] + "…"
