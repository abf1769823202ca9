"""Finding + document or origins → diagnostic: the one function that turns paths into spans."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, NOTE, WARNING, Place
from specgen.source import dotted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.diagnostics.model import Diagnostic, Editor, Finding, Fix, Placer, Region, Remedy, Replacement, Span
    from specgen.source import Path

_LONGEST = 200
# Proving a fix reads its text again: characters that are read again for all fixes of one file, later ones are left out.
_MOST_READ_AGAIN = 16 * 1024 * 1024
# Secrets of one text that are looked for in each message; one that a finding stands at is always found.
_MOST_SECRETS = 200
_RANK = {ERROR: 0, WARNING: 1, NOTE: 2}


def _span(place: Place, default: Placer) -> Span:
    return (place.where or default).span(place)


class _Secrets:
    """The secrets of the texts that one finding is about."""

    __slots__ = ("_here", "_known")

    def __init__(self, finding: Finding, where: Placer, span: Span) -> None:
        self._here: list[str] = []
        self._known: list[str] = []
        placers = [where, finding.place.where, *(place.where for place, _ in finding.related)]
        for placer in dict.fromkeys(placers):
            found = placer.hidden() if placer is not None else []
            if found:
                self._take(found, span[1], max(span[2], span[1] + 1))

    def _take(self, found: list[tuple[int, int, str]], start: int, end: int) -> None:
        """Takes the one that the finding stands at, however short, and those too long to stand elsewhere by chance."""
        from bisect import bisect_left

        from specgen.diagnostics.secrets import LEAST

        at = bisect_left(found, (end,))
        if at and start < found[at - 1][1]:
            self._here.append(found[at - 1][2])
        long = [text for _, _, text in found[:_MOST_SECRETS] if len(text) >= LEAST]
        self._known = sorted({*self._known, *long}, key=lambda text: (-len(text), text))

    def masked(self, text: str) -> str:
        """A text without them."""
        from specgen.diagnostics.secrets import DOTS, masked

        for one in self._here:
            for quote in ("`", '"'):
                text = text.replace(f"{quote}{one}{quote}", f"{quote}{DOTS}{quote}")
        return masked(text, self._known)


def region(span: Span, label: str) -> Region:
    """A span as it is published, with what there is to say about it."""
    source, start, end = span
    # what is missing at the end of a text is placed behind it
    start, end = min(start, len(source.text)), min(end, len(source.text))
    first, last = source.position(start), source.position(end)
    return {
        "file": source.name,
        "label": label,
        "start": {"line": first[0], "column": first[1], "offset": start},
        "end": {"line": last[0], "column": last[1], "offset": end},
    }


class Unproven:
    """The ``edits`` of a fix until it is ``published``: only a reader of edits pays for their proof."""

    __slots__ = ("_patch", "_span", "_where", "file")

    def __init__(self, fix: Fix, where: Placer, span: Span) -> None:
        self._patch = fix.patch
        self._where = where
        self._span = span
        # the file that it is about
        self.file = span[0].name

    def length(self) -> int:
        """How much there is to read again: its document, as ``document.patch`` parts them."""
        text, start = self._span[0].text, self._span[1]
        end = text.find("\n---", start)
        return (end if end >= 0 else len(text)) - (text.rfind("\n---", 0, start + 1) + 1)

    def shows(self, edits: list[Replacement]) -> bool:
        """Whether the text of an edit holds a secret."""
        hidden = self._where.hidden()
        return any(text and text in edit["text"] for _, _, text in hidden for edit in edits)

    def proven(self, edits: Editor) -> list[Replacement] | None:
        """The edits as they are published, or None where the patch is refused."""
        # only a fix is proven, and most runs have none
        from specgen.diagnostics.operations import Refusal

        found = edits(self._where, self._patch)
        if isinstance(found, Refusal):
            return None
        return [
            {"file": edit.source.name, "start": edit.offset, "end": edit.offset + edit.length, "text": edit.text}
            for edit in found
        ]


def published(diagnostics: Iterable[Diagnostic], editor: Editor, *, printed: bool = False) -> list[Diagnostic]:
    """The diagnostics with proven edits in each fix; what cannot be proven, or takes too much reading, is a help.

    ``printed``: so is what would write a secret anew, as its text is shown to whoever sees the log.
    """
    read: dict[str, int] = {}
    out = []
    for diagnostic in diagnostics:
        fix = diagnostic["fix"]
        if fix is not None and isinstance(fix["edits"], Unproven):
            unproven = fix["edits"]
            before = read.get(unproven.file, 0)
            read[unproven.file] = before + unproven.length()
            edits = unproven.proven(editor) if not before or read[unproven.file] <= _MOST_READ_AGAIN else None
            if printed and edits and unproven.shows(edits):
                edits = None
            if edits is None:
                diagnostic = {**diagnostic, "fix": None, "helps": [*diagnostic["helps"], fix["title"]]}
            else:
                remedy: Remedy = {"title": fix["title"], "applicability": fix["applicability"], "edits": edits}
                diagnostic = {**diagnostic, "fix": remedy}
        out.append(diagnostic)
    return out


def settled(diagnostics: Iterable[Diagnostic], editor: Editor | None) -> list[Diagnostic]:
    """Diagnostics that hold on to no text: with proven edits in each fix, or with none where there is no ``editor``."""
    if editor is not None:
        return published(diagnostics, editor, printed=True)
    return [one if one["fix"] is None else {**one, "fix": {**one["fix"], "edits": []}} for one in diagnostics]


def edits_of(fix: Remedy) -> list[Replacement]:
    """The edits of a published fix."""
    edits = fix["edits"]
    assert isinstance(edits, list), "only a published fix has edits"
    return edits


def _fix(fix: Fix, title: str, where: Placer, span: Span) -> Remedy:
    return {"title": title, "applicability": fix.applicability, "edits": Unproven(fix, where, span)}


def _cut(text: str) -> str:
    """A text whose quoted values are cut to 200 characters: a whole file can be one value."""
    if len(text) <= _LONGEST:
        return text
    parts = text.split("`")
    return "`".join(part if len(part) <= _LONGEST else part[:_LONGEST] + "…" for part in parts)


def place(finding: Finding, where: Placer) -> Diagnostic:
    """The diagnostic of one finding; ``where`` is the document or the origins that its paths belong to."""
    where = finding.where or where
    span = _span(finding.place, where)
    secrets = _Secrets(finding, where, span)

    def said(text: str) -> str:
        return _cut(secrets.masked(text)) if text else text

    diagnostic: Diagnostic = {
        "code": finding.code.id,
        "name": finding.code.slug,
        "severity": finding.severity,
        "message": said(finding.message),
        "subject": finding.subject,
        "path": dotted(finding.place.path),
        "primary": region(span, said(finding.label)),
        "related": [region(_span(other, where), said(label)) for other, label in finding.related],
        "notes": [said(text) for text in finding.notes],
        "helps": [said(text) for text in finding.helps],
        "fix": _fix(finding.fix, said(finding.fix.title), where, span) if finding.fix else None,
    }
    return diagnostic


def against(findings: Iterable[Finding], where: Placer, cluster: Placer | None) -> None:
    """Shows beside findings what the cluster profile says against them, and but once what one word of the job says.

    ``cluster``: the profile's document; None: nobody has it, and what the findings know of it stays with them.
    """
    for finding in findings:
        if finding.cluster and cluster is not None:
            at = place(finding, where)
            shown = zip(finding.related, at["related"], strict=True)
            finding.related = [one for one, said in shown if said["start"] != at["primary"]["start"]]
            finding.related += [(Place(path, where=cluster), said) for path, said in finding.cluster]
            finding.cluster = []


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

    def hidden(self) -> list[tuple[int, int, str]]:
        """None: whoever keeps a place alone says nothing of values."""
        return []

    @classmethod
    def of(cls, place: Place | Path, where: Placer) -> Spot:
        """Where a place stands."""
        place = place if isinstance(place, Place) else Place(place)
        return cls(_span(place, where))

    def span(self, place: Place) -> Span:
        """That span, whatever the place."""
        return self._span
