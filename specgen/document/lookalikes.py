"""Signs that look like one of YAML's, or of a command line's, and are another: what word processors and input methods
write. Loaded where a text is not ASCII alone.

A text in another writing may hold all of them. So a sign is one of these where nothing else in the scalar is outside
ASCII, and where it stands in quotes' or a dash's place.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.diagnostics.secrets import secret
from specgen.document.codes import LOOKALIKE
from specgen.document.tree import Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document, Node
    from specgen.source import Path

QUOTES = "“”„‟‘’‚‛«»‹›「」『』＂＇"
_DASHES = "‐‑‒–—―−－"
# Full-width forms, and the marks of Chinese that stand where YAML has its own.
_SIGNS = {"、": ",", "。": ".", "【": "[", "】": "]", "〔": "[", "〕": "]", "　": " ", "\u00a0": " "}
_SIGNS |= {sign: '"' for sign in "“”„‟«»「」『』"} | {sign: "'" for sign in "‘’‚‛‹›"}
_SIGNS |= dict.fromkeys(_DASHES, "-")
# U+FF01 to U+FF5E are the signs of ASCII, as wide as those of Chinese.
_SIGNS |= {chr(0xFF01 + at): chr(0x21 + at) for at in range(0x5E)} | {"；": ","}
_BLANKS = "\u00a0\u3000"
# As many findings are made of a text.
_MOST = 20


def as_ascii(text: str) -> str:
    """A text with the signs of ASCII for those that look like them."""
    return "".join(_SIGNS.get(sign, sign) for sign in text)


def plain(text: str) -> str:
    """The same of a scalar: without quotes around it, and what parts it from the next one."""
    out = as_ascii(text)
    if text[:1] in QUOTES and text[-1:] in QUOTES and len(text) > 1:
        out = out[1:-1]
    if text[-1:] in ("，", "；"):
        out = out[:-1]
    # one long dash is what two short ones become where dashes are corrected
    if text[:1] in "–—" and out[1:2].isalpha():
        out = "-" + out
    return out.strip()


def is_alike(text: str) -> bool:
    """Whether nothing but such signs is outside ASCII."""
    return not text.isascii() and plain(text).isascii()


def lookalikes(document: Document) -> list[Finding]:
    """SG036 of scalars without quotes of their own that such a sign begins, ends, or parts."""
    found: list[Finding] = []
    for path, node, key in _scalars(document.root, ()):
        text = document.source.text[node.start : node.end]
        if len(found) == _MOST or node.style or text.isascii() or not is_alike(text):
            continue
        sign = next((one for one in text if not one.isascii()), "")
        quoted, dashed = text[0] in QUOTES and text[-1] in QUOTES, text[0] in _DASHES
        blank = key and sign in _BLANKS
        if not (quoted or dashed or blank or any(one in "：，；｛｝［］【】、" for one in text)):
            continue
        what = "is no quotation mark" if quoted else "is no hyphen" if dashed else f"is no `{_SIGNS[sign]}`"
        if blank:
            sign, what = f"U+{ord(sign):04X}", "is no blank that YAML indents with"
        place = Place(path, KEY if key else "value")
        is_secret = any(isinstance(step, str) and secret(step) for step in path)
        # of a key, a colon is what parts it from its value
        meant = plain(text.replace("：", ": ")) if key else plain(text)
        helps = [f"write `{meant}`"] if key and not is_secret else []
        fix = None if helps or is_secret else Fix(f"write `{meant}`", UNSAFE, [Set(path, meant)])
        notes = ["YAML takes it for a letter of the text"]
        found.append(LOOKALIKE.at(place, f"`{sign}` {what}", notes=notes, helps=helps, fix=fix))
    return found


def _scalars(node: Node, path: Path) -> Iterator[tuple[Path, Scalar, bool]]:
    """(path, scalar, whether it is a key) of all texts."""
    if isinstance(node, Scalar):
        if isinstance(node.value, str):
            yield path, node, False
    elif isinstance(node, Mapping):
        for name, below in node.items.items():
            key = node.keys.get(name)
            if key is not None:
                yield (*path, name), key, True
            yield from _scalars(below, (*path, name))
    elif isinstance(node, Sequence):
        for at, below in enumerate(node.items):
            yield from _scalars(below, (*path, at))
