"""Finding + document or origins → diagnostic: the one function that turns paths into spans."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, WARNING, Refusal
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.diagnostics.model import Diagnostic, Finding, Fix, Place, Placer, Span

_LONGEST = 200
# Proving a fix reads its text again: characters that are read again for all fixes of one file, later ones are left out.
_MOST_READ_AGAIN = 16 * 1024 * 1024
_RANK = {ERROR: 0, WARNING: 1, NOTE: 2}


def _span(place: Place, default: Placer) -> Span:
    return (place.where or default).span(place)


def _region(span: Span, label: str) -> Diagnostic:
    source, start, end = span
    # what is missing at the end of a text is placed behind it
    start, end = min(start, len(source.text)), min(end, len(source.text))
    first, last = source.position(start), source.position(end)
    return {
        "file": source.name,
        "label": _cut(label),
        "start": {"line": first[0], "column": first[1], "offset": start},
        "end": {"line": last[0], "column": last[1], "offset": end},
    }


class Offer:
    """The ``fix`` of a diagnostic until it is ``published``: what it would do, and who can turn it into edits.

    Only a reader of edits pays for their proof.
    """

    __slots__ = ("_fix", "_where", "file", "length", "title")

    def __init__(self, fix: Fix, where: Placer, place: Place) -> None:
        self._fix = fix
        self._where = where
        self.title = fix.title
        source, _, _ = _span(place, where)
        # the file that it is about, and how much there is to read again
        self.file = source.name
        self.length = len(source.text)

    def proven(self) -> Diagnostic | None:
        """The fix as it is published, or None where its patch is refused."""
        edits = self._where.edits(self._fix.patch)
        if isinstance(edits, Refusal):
            return None
        written = [
            {
                "file": edit.source.name,
                "start": edit.offset,
                "end": edit.offset + edit.length,
                "text": edit.text,
            }
            for edit in edits
        ]
        return {"title": self.title, "applicability": self._fix.applicability, "edits": written}


def published(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics with each offered fix as proven edits; without one where the proof fails or takes too long."""
    read: dict[str, int] = {}
    out = []
    for diagnostic in diagnostics:
        offer = diagnostic["fix"]
        if isinstance(offer, Offer):
            length = read[offer.file] = read.get(offer.file, 0) + offer.length
            first = length == offer.length
            diagnostic = {**diagnostic, "fix": offer.proven() if first or length <= _MOST_READ_AGAIN else None}
        out.append(diagnostic)
    return out


def _cut(text: str) -> str:
    """A text whose quoted values are cut to 200 characters: a whole file can be one value."""
    if len(text) <= _LONGEST:
        return text
    parts = text.split("`")
    return "`".join(part if len(part) <= _LONGEST else part[:_LONGEST] + "…" for part in parts)


def place(finding: Finding, where: Placer) -> Diagnostic:
    """The diagnostic of one finding; ``where`` is the document or the origins that its paths belong to."""
    where = finding.where or where
    diagnostic: Diagnostic = {
        "code": finding.code.id,
        "name": finding.code.slug,
        "severity": finding.severity,
        "message": _cut(finding.message),
        "subject": finding.subject,
        "path": dotted(finding.place.path),
        "primary": _region(_span(finding.place, where), finding.label),
        "related": [_region(_span(other, where), label) for other, label in finding.related],
        "notes": [_cut(text) for text in finding.notes],
        "helps": [_cut(text) for text in finding.helps],
        "fix": Offer(finding.fix, where, finding.place) if finding.fix else None,
    }
    return diagnostic


def order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Sorted by file, position and code, equal ones (code and place) kept once."""

    def key(diagnostic: Diagnostic) -> tuple[str, int, int, str, str]:
        start = diagnostic["primary"]["start"]
        return (
            diagnostic["primary"]["file"],
            start["offset"],
            _RANK[diagnostic["severity"]],
            diagnostic["code"],
            diagnostic["message"],
        )

    kept: list[Diagnostic] = []
    for diagnostic in sorted(diagnostics, key=key):
        if kept and kept[-1]["code"] == diagnostic["code"] and kept[-1]["primary"] == diagnostic["primary"]:
            continue
        kept.append(diagnostic)
    return kept
