"""Characters of a text that nobody sees: those that turn the order of what is shown, and those that have no width.

Loaded where a text is not ASCII alone.
"""

from __future__ import annotations

from specgen.diagnostics.model import Place, listed
from specgen.document.codes import HIDDEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.source import Source

# Embeddings, overrides and isolates of Unicode's bidirectional algorithm (UAX 9, section 2).
_TURNING = frozenset((*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))))
_JOINERS = frozenset("\u200c\u200d")
_WITHOUT_WIDTH = frozenset(("\u00ad", "\u180e", "\u200b", "\u2060", "\u2061", "\u2062", "\u2063", "\u2064", "\ufeff"))
# Flags of regions are spelled with them, behind a black one.
_TAGS = frozenset(map(chr, range(0xE0020, 0xE0080)))
_FLAG = "\U0001f3f4"
_HIDDEN = _TURNING | _JOINERS | _WITHOUT_WIDTH | _TAGS
# As many places are shown.
_MOST = 8


def hidden(source: Source) -> list[Finding]:
    """At most one finding for a text, at the first of them."""
    text = source.text
    if _HIDDEN.isdisjoint(text):
        return []
    found = [at for at, sign in enumerate(text) if sign in _HIDDEN and not _is_writing(text, at)]
    if not found:
        return []
    signs = [text[at] for at in found]
    turning = [sign for sign in signs if sign in _TURNING]
    named = [_name(sign) for sign in dict.fromkeys(turning or signs)]
    one = len(named) == 1
    does = "is part of the text, and nobody sees it" if one else "are part of the text, and nobody sees them"
    if turning:
        does = f"{'turns' if one else 'turn'} the order in which text is shown"
    place, *others = [Place((), offsets=(at, at + 1)) for at in found[:_MOST]]
    return [
        HIDDEN.at(
            place,
            f"{listed(named)} {does}",
            label=f"1 of {len(found)}" if len(found) > 1 else "here",
            related=[(other, _name(text[at])) for other, at in zip(others, found[1:], strict=False)],
            notes=["what a reader sees is not what the cluster gets"],
            helps=["delete it; where it is meant, write its escape in double quotes"],
        )
    ]


def _is_writing(text: str, at: int) -> bool:
    """Whether a sign belongs to its neighbours: a joiner between letters or pictures that it joins; tags of a flag."""
    if text[at] in _JOINERS:
        return 0 < at < len(text) - 1 and not text[at - 1].isascii() and not text[at + 1].isascii()
    if text[at] in _TAGS:
        return text[:at].rstrip("".join(_TAGS)).endswith(_FLAG)
    return False


def _name(sign: str) -> str:
    from unicodedata import name

    return f"U+{ord(sign):04X} {name(sign, 'without a name').lower()}"
