"""What keeps a text from being read, where one edit lets a reader go on: signs that came along when it was copied.

Nothing is known of such a text but its lines; so each remedy is tried, and offered only if the text is read further.
"""

from __future__ import annotations

import re

from specgen.diagnostics.model import SAFE, UNSAFE, Fix, plural
from specgen.diagnostics.operations import Edit, Refusal, Rewrite
from specgen.document.lookalikes import as_ascii
from specgen.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from specgen.diagnostics.model import Finding
    from specgen.document.tree import Document

    Reader = Callable[[Source], tuple[list[Document], list[Finding]]]

# Blanks that look like one and are none to YAML: those of Unicode that web pages and word processors write.
_BLANKS = re.compile("[\u00a0\u2000-\u200a\u202f\u205f\u3000]")
_DIFF = re.compile(r"^[+]", re.MULTILINE)
_JOINED = re.compile(r"""(["'])=\1""")
_VALUE = re.compile(r"^(?:\s*- )*(?:\s*[\w./-]+: +)?\s*([*&!%@`][^'\"#]*?)\s*(?:\s#.*)?$")
# A key and a value with something between them that is no colon and blank: nothing, `=`, a colon of another width.
_UNPARTED = re.compile(r"^(?:\s*- )*\s*([A-Za-z][\w.-]*)((?:\s*=\s*|:(?=[^\s:/])|\s*：\s*|\s+))(\S.*)$")
_WIDE = re.compile("[：，；｛｝［］【】“”„]")
# A value with a colon of its own.
_TWICE = re.compile(r"^((?:\s*- )*\s*[\w./-]+): +([^'\"\[{|>#&*!][^#]*?: .*?)\s*$")
# An item in brackets that begins with a sign of YAML's own.
_ODD = re.compile(r"[\[,]\s*([*&!%@`][^,\]\[{}'\"]*?)\s*(?=[,\]])")
_SLASHES = re.compile(r"(?:^|(?<=\s))//")


def remedy(source: Source, at: int, read: Reader) -> Fix | None:
    """The edit with which a text is read beyond an offset; None where none is known."""
    for title, level, edits in _remedies(source, at):
        if _end(_applied(source.text, edits), read) > _end(source.text, read):
            return Fix(title, level, [Rewrite(start, length, text) for start, length, text in edits])
    return None


def rewritten(source: Source, patch: list[Rewrite], read: Reader) -> list[Edit] | Refusal:
    """The edits of such a remedy, proven again."""
    edits = [(one.offset, one.length, one.text) for one in patch]
    documents, findings = read(source)
    after, left = read(Source("", _applied(source.text, edits)))
    if len(after) > len(documents) and len(left) < len(findings):
        return [Edit(source, *edit) for edit in edits]  # a text that was read, as one object in place of several
    if _end(_applied(source.text, edits), read) <= _end(source.text, read):
        return Refusal("the text is read no further")
    return [Edit(source, *edit) for edit in edits]


def _remedies(source: Source, at: int) -> Iterator[tuple[str, str, list[tuple[int, int, str]]]]:
    text = source.text
    blanks = [(found.start(), 1, " ") for found in _BLANKS.finditer(text)]
    if blanks:
        yield f"write plain blanks for {plural(len(blanks), 'blank')} that YAML does not know", SAFE, blanks
    pluses = [(found.start(), 1, " ") for found in _DIFF.finditer(text)]
    if pluses:
        yield "take out the `+` of a diff", UNSAFE, pluses
    # the line of the error, and the one before it: a reader notices late
    number = source.position(at)[0]
    for line in (number, number - 1):
        start, said = source.offset(line), source.line(line)
        joined = _JOINED.search(said)
        if joined:
            yield "close the quotes once", UNSAFE, [(start + joined.start(), joined.end() - joined.start(), "=")]
        yield from _parted(start, said)
        value = _VALUE.match(said)
        if value:
            begin, end = value.span(1)
            yield "quote the text", UNSAFE, [(start + begin, end - begin, f'"{value[1]}"')]
        slashes = _SLASHES.search(said)
        if slashes:
            yield "begin the comment with `#`", UNSAFE, [(start + slashes.start(), 2, "#")]


def _parted(start: int, said: str) -> Iterator[tuple[str, str, list[tuple[int, int, str]]]]:
    """Edits of a line that lacks what parts its key from its value, or holds it once too often."""
    found = _UNPARTED.match(said)
    if found:
        begin, end = found.span(2)
        yield f"write `{found[1]}: {found[3].strip()}`", UNSAFE, [(start + begin, end - begin, ": ")]
    if not said.isascii():
        # behind a key, a blank follows the colon; in a time, none
        for colon in (": ", ":"):
            wide = [(one.start(), 1, colon if one[0] == "：" else as_ascii(one[0])) for one in _WIDE.finditer(said)]
            if wide:
                moved = [(start + at, length, new) for at, length, new in wide]
                yield f"write `{_applied(said, wide).strip()}`", UNSAFE, moved
    twice = _TWICE.match(said)
    if twice:
        begin, end = twice.span(2)
        yield (
            f"""write `{twice[1].strip()}: '{twice[2].replace("'", "''")}'`""",
            UNSAFE,
            [(start + begin, end - begin, "'" + twice[2].replace("'", "''") + "'")],
        )
    odd = _ODD.search(said)
    if odd:
        yield f"quote it: write `'{odd[1]}'`", UNSAFE, [(start + odd.start(1), len(odd[1]), f"'{odd[1]}'")]


def _applied(text: str, edits: list[tuple[int, int, str]]) -> str:
    for start, length, new in reversed(edits):
        text = text[:start] + new + text[start + length :]
    return text


def _end(text: str, read: Reader) -> int:
    """The line at which reading ends: behind the last one where all is read."""
    source = Source("", text)
    stops = [source.position((one.place.offsets or (0, 0))[0])[0] for one in read(source)[1] if one.code.id == "SG002"]
    return min(stops) if stops else text.count("\n") + 2
