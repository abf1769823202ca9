"""Parts of a scalar's text: replaced where they stand, or the scalar is written anew."""

from __future__ import annotations

from specgen.document import write
from specgen.document.layout import SCALAR, Unclear
from specgen.document.patch.tree import replaced
from specgen.document.read import read
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.diagnostics.operations import ReplaceText
    from specgen.document.layout import Entry
    from specgen.document.patch.edits import Edits


def replace(edits: Edits, entry: Entry, value: str, pairs: Sequence[ReplaceText], depth: int) -> None:
    """Replaces parts of an entry's text; ``value`` is the whole of it."""
    part, text = entry.value, edits.text
    if part.kind != SCALAR:
        raise Unclear("its text does not stand there")
    start, end = part.content, part.end
    if part.style in ("|", ">"):
        start = text.find("\n", start, end) + 1
        if not start:
            raise Unclear("its text does not stand there")
    elif part.style:
        start, end = start + 1, end - 1
    found = [_place(text[start:end], part.style, pair) for pair in pairs]
    places = [place for place in found if place is not None]
    whole = replaced(value, pairs)
    if len(places) == len(pairs) and (part.style or _reads(text[start:end], places, whole, entry.container.flow)):
        for at, length, new in places:
            edits.put(start + at, start + at + length, new, depth)
    elif part.style in ("|", ">") or "\n" in text[start:end]:
        raise Unclear("this part of the text does not stand on one line as it is")
    else:
        edits.value(entry, whole, depth)


def _place(raw: str, style: str, pair: ReplaceText) -> tuple[int, int, str] | None:
    """Where the part stands in the text of the file, and what comes there; None: not as it is."""
    old, new = pair.old, pair.new
    if raw.find(old) != raw.rfind(old) or old not in raw or "\n" in old or "\n" in new or not new.isprintable():
        return None
    if "\n" in raw and old.strip(" ") != old:
        return None  # a blank may be a line break that is folded
    if style == '"':
        if "\\" in raw:
            return None
        new = write.quoted(new)[1:-1]
    elif style == "'":
        if "'" in old:
            return None
        new = new.replace("'", "''")
    return raw.index(old), len(old), new


def _reads(raw: str, places: list[tuple[int, int, str]], whole: str, flow: bool) -> bool:
    """Whether a plain text is still that text, to every reader, with its parts replaced."""
    for at, length, new in sorted(places, reverse=True):
        raw = raw[:at] + new + raw[at + length :]
    documents, findings = read(Source("", f"[{raw}]\n" if flow else f"- {raw}\n"))
    return not findings and len(documents) == 1 and documents[0].data == [whole] and not documents[0].ambiguous
