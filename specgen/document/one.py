"""Documents as they are asked for: exactly one profile, and scalars that readers disagree on."""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Place, listed, spelt
from specgen.document import codes
from specgen.document.decode import at_offsets
from specgen.document.read import read
from specgen.document.tree import Mapping, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document
    from specgen.source import Source


def wary(document: Document, *, severity: str | None = None) -> list[Finding]:
    """SG010 for each ambiguous scalar of a document: errors in a profile, warnings in a manifest."""
    findings = []
    for scalar, is_key in document.ambiguous:
        value = scalar.value
        text = scalar.plain or ""
        if isinstance(value, str):
            meant = "text to Kubernetes and a date or a number to YAML 1.1"
            written = [f'"{text}"']
        else:
            word = spelt(value)
            meant = f"`{word}` to Kubernetes and something else to other readers"
            # a key is text, whatever it looks like
            written = [f'"{text}"'] if is_key else [f'"{text}"', word]
        noun = "key" if is_key else "value"
        place = Place((), offsets=(scalar.start, scalar.end))
        findings.append(
            codes.AMBIGUOUS.at(
                place,
                f"the {noun} `{text}` without quotes is {meant}",
                helps=[f"write {listed(written).replace(' and ', ' or ')}"],
                severity=severity or codes.AMBIGUOUS.severity,
            )
        )
    return findings


def one(
    source: Source, *, what: str, parsed: tuple[list[Document], list[Finding]] | None = None
) -> tuple[Document | None, list[Finding]]:
    """Exactly one document, a mapping, as profiles must be; ambiguous scalars are errors.

    There is none where the text is not read to its end.

    ``parsed``: what ``read`` made of the source, where that is known.
    """
    documents, findings = parsed or read(source)
    if any(finding.code is codes.SYNTAX for finding in findings) or (findings and len(documents) != 1):
        return None, findings
    documents = [document for document in documents if document.root.value is not None]
    if not documents:
        helps = [f"`specgen init` prints a {what} to begin with"]
        return None, [at_offsets(codes.NOT_A_MAPPING, source, 0, 0, f"the file holds no {what}", helps=helps)]
    if len(documents) > 1:
        second = documents[1].root
        message = f"the file holds {len(documents)} documents, a {what} is one"
        helps = ["each is a file of its own: a command that is given their folder takes them all"]
        return None, [at_offsets(codes.NOT_A_MAPPING, source, second.start, second.start + 1, message, helps=helps)]
    document = documents[0]
    if not isinstance(document.root, Mapping):
        start = document.root.start
        kind = "list" if isinstance(document.root, Sequence) else "scalar"
        message = f"the document is a {kind}, a {what} is a mapping"
        return None, [at_offsets(codes.NOT_A_MAPPING, source, start, start + 1, message)]
    return document, findings + wary(document, severity=ERROR)


def unexplained(doubts: Iterable[Finding], others: list[Finding], document: Document) -> list[Finding]:
    """What is wrong with the text and other findings, one for each place.

    What the reader refuses explains whatever is found there, a doubtful key explains an unknown one, and a value of the
    wrong type explains a doubtful one, as does a key whose help says what to write in place of both.
    """
    doubts = list(doubts)
    refused = [doubt for doubt in doubts if doubt.code is not codes.AMBIGUOUS]
    if refused:
        places = {(doubt.place.offsets or (-1,))[0] for doubt in refused}
        # a sign that nobody sees is a warning, and no reason to take what is wrong for right
        errors = {(doubt.place.offsets or (-1,))[0] for doubt in refused if doubt.severity == ERROR}
        others = [
            other
            for other in others
            if (other.where or document).span(other.place)[1] not in (errors if other.severity == ERROR else places)
        ]
        doubts = [doubt for doubt in doubts if (doubt.place.offsets or (-1,))[0] not in places]
        return refused + unexplained(doubts, others, document)
    found = {document.span(other.place)[1:]: other for other in others if other.place.where is None}
    kept = list(others)
    replaced = [other.place for other in others if other.place.part == KEY and other.helps and other.place.path]
    values = {document.span(Place(at.path))[1:] for at in replaced if at.where is None}
    for doubt in doubts:
        if doubt.place.offsets in values:
            continue
        other = found.get(doubt.place.offsets or (-1, -1))
        if other is not None and other.place.part != KEY:
            continue
        if other is not None:
            kept.remove(other)
        kept.append(doubt)
    return kept
