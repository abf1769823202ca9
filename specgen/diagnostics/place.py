"""Finding + document or origins → diagnostic: the one function that turns paths into spans."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, WARNING, Place
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.diagnostics.model import Diagnostic, Edit, Finding, Fix, Placer, Region, Remedy, Span
    from specgen.source import Path

_LONGEST = 200
_RANK = {ERROR: 0, WARNING: 1, NOTE: 2}


def _span(place: Place, default: Placer) -> Span:
    return (place.where or default).span(place)


def _region(span: Span, label: str) -> Region:
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


def _fix(fix: Fix, where: Placer) -> Remedy:
    edits: list[Edit] = []
    for place, text in fix.edits:
        source, start, end = _span(place, where)
        edits.append({"file": source.name, "start": start, "end": end, "text": text})
    return {"title": fix.title, "applicability": fix.applicability, "edits": edits}


def _cut(text: str) -> str:
    """A text whose quoted values are cut to 200 characters: a whole file can be one value."""
    if len(text) <= _LONGEST:
        return text
    parts = text.split("`")
    return "`".join(part if len(part) <= _LONGEST else part[:_LONGEST] + "…" for part in parts)


def place(finding: Finding, where: Placer) -> Diagnostic:
    """The diagnostic of one finding; ``where`` is the document or the origins that its paths belong to."""
    where = finding.where or where
    return {
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
        "fix": _fix(finding.fix, where) if finding.fix else None,
    }


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


class Spot:
    """Places everything at one span, so that the document or the origins that it was found in can go."""

    __slots__ = ("_span",)

    def __init__(self, span: Span) -> None:
        self._span = span

    @classmethod
    def of(cls, place: Place | Path, where: Placer) -> Spot:
        """Where a place stands."""
        place = place if isinstance(place, Place) else Place(place)
        return cls(_span(place, where))

    def span(self, place: Place) -> Span:
        """That span, whatever the place."""
        return self._span
