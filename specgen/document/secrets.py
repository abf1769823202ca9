"""Texts without the secrets that stand in them."""

from __future__ import annotations

from specgen.diagnostics.secrets import LEAST, spans
from specgen.document.read import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.source import Source

# Secrets that are looked for all over a text, which takes a look at the whole of it for each.
_MOST = 200


def concealed(source: Source) -> str:
    """The text with dots in place of its secrets, as wide as they are, so that every place stays."""
    text = source.text
    # in comments, and in what cannot be read; a bracket or comma behind it belongs to the line
    found = [(start, start + len(text[start:end].rstrip(",]})"))) for start, end in spans(text)]
    elsewhere: dict[str, None] = {}
    for document in read(source)[0]:
        for start, end, value in document.hidden():
            found.append((start, end))
            if len(value) >= LEAST and len(elsewhere) < _MOST:
                elsewhere[value] = None
    for value in elsewhere:
        at = text.find(value)
        while at >= 0:
            found.append((at, at + len(value)))
            at = text.find(value, at + len(value))
    if not found:
        return text
    signs = list(text)
    for start, end in found:
        signs[start:end] = ["•" if not sign.isspace() else sign for sign in text[start:end]]
    return "".join(signs)
