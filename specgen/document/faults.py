"""What is wrong with a text that its parser refuses, or that kubectl reads otherwise; and where reading goes on."""

from __future__ import annotations

import re

from specgen.diagnostics.model import Place
from specgen.document import codes
from specgen.document.decode import at_offsets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.source import Source

# What is no character of YAML (1.1, section 5.1), as libyaml and PyYAML read it.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_OPENED = re.compile(r"(?:[&!]\S*\s+)*[\[{]")
_SURROGATE = re.compile(r"(?<!\\)((?:\\\\)*)\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def markers(source: Source) -> Iterator[Finding]:
    """SG005: kubectl cuts a file at lines that begin with `---`, and refuses more than a comment on them."""
    text = source.text
    at = 0 if text.startswith("---") else text.find("\n---") + 1
    while at or text.startswith("---"):
        end = text.find("\n", at)
        rest = text[at + 3 : end if end >= 0 else len(text)].strip()
        # a lone carriage return ends the line to YAML, and to kubectl the line goes on
        if rest and rest[0] != "#" and "\r" not in rest:
            begin = text.index(rest[0], at + 3)
            message = "kubectl refuses a line that begins with `---` and goes on"
            helps = ["begin a new line after `---`"]
            yield at_offsets(codes.UNSUPPORTED, source, begin, begin + len(rest), message, helps=helps)
        at = text.find("\n---", end) + 1 if end >= 0 else 0
        if not at:
            return


def forbidden(source: Source) -> Iterator[Finding]:
    """SG001 for each sign that no parser takes."""
    for one in _FORBIDDEN.finditer(source.text):
        message = f"control character U+{ord(one[0]):04X} is not allowed in YAML"
        yield at_offsets(codes.ENCODING, source, one.start(), one.end(), message)


def without_forbidden(text: str) -> str:
    """The text with a sign that is allowed in place of each of these."""
    return _FORBIDDEN.sub("\ufffd", text)


def is_flow(text: str, start: int) -> bool:
    """Whether the collection that begins there stands in brackets."""
    return _OPENED.match(text, start) is not None


def json_end(text: str) -> int:
    """How far a text that begins with `{` is JSON, which kubectl then reads as such; 0: it is none."""
    import json

    decoder = json.JSONDecoder()
    end, at = 0, len(text) - len(text.lstrip())
    while text.startswith("{", at):
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        behind = text[end:].lstrip()
        if behind.startswith("---\n"):
            behind = behind[3:].lstrip()
        at = len(text) - len(behind)
    return end


def without_surrogates(text: str, end: int) -> str:
    """JSON's escapes of halves of characters as escapes that YAML has, of the same length."""
    return _SURROGATE.sub(r"\1\\uFFFD", text[:end]) + text[end:]


def json_text(source: Source, start: int, end: int) -> tuple[str, Finding | None]:
    """What a text in quotes says as JSON; Go makes U+FFFD of half a character, which is a finding."""
    import json

    value = str(json.loads(source.text[start:end]))
    if value.isascii() or not any("\ud800" <= sign <= "\udfff" for sign in value):
        return value, None
    value = "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in value)
    message = "half of a surrogate pair is no character"
    note = "kubectl replaces it by U+FFFD and goes on"
    return value, at_offsets(codes.ENCODING, source, start, end, message, notes=[note])


def syntax(source: Source, error: Any, *, closed: bool) -> Finding:
    """What the parser refused. ``closed``: the document before ended in `...`."""
    text = source.text
    mark = error.problem_mark
    start = min(mark.index, len(text))
    line = source.line(source.position(start)[0])
    if "\t" in line[: len(line) - len(line.lstrip())]:
        start = source.offset(source.position(start)[0]) + line.index("\t")
        message = "a tab indents this line, YAML indents with spaces only"
        return at_offsets(codes.SYNTAX, source, start, start + 1, message)
    context = getattr(error, "context_mark", None)
    if closed and "document start" in str(error.problem):
        message = "kubectl ignores everything after `...`"
        return at_offsets(codes.UNSUPPORTED, source, start, start + 1, message)
    if context is not None and "quoted scalar" in str(error.context) and "end of stream" in str(error.problem):
        at = context.index
        return at_offsets(codes.SYNTAX, source, at, at + 1, "the quote that opens here is never closed")
    related = []
    if context is not None and context.index != mark.index and error.context:
        at = min(context.index, len(text))
        related = [(Place((), offsets=(at, min(at + 1, len(text)))), str(error.context))]
    end = min(start + 1, len(text))
    if context is not None and "flow" in str(error.context) and context.line < mark.line:
        at = min(context.index, len(text) - 1)
        # what stands no deeper than the line that opened it is no part of it
        outside = not line.strip() or depth_of(line) <= depth_of(source.line(source.position(at)[0]))
        if text[at : at + 1] in ("[", "{") and outside:
            message = f"the `{text[at]}` that opens here is never closed"
            helps = [f"close it with `{']' if text[at] == '[' else '}'}`"]
            return at_offsets(codes.SYNTAX, source, at, at + 1, message, helps=helps)
    message = f"the file is not YAML from here on: {error.problem}"
    return at_offsets(codes.SYNTAX, source, start, end, message, related=related)


def misplaced(source: Source, finding: Finding, error: Any) -> None:
    """Says of a line that the parser refused how it is indented, where no line above that it could belong to is."""
    wrong = None
    if not finding.helps and "flow" not in str(getattr(error, "context", None)) and finding.place.offsets is not None:
        wrong = indented(source, source.position(finding.place.offsets[0])[0])
    if wrong is not None:
        finding.message, help = wrong
        finding.helps = [help]


def indented(source: Source, number: int) -> tuple[str, str] | None:
    """(message, help) of a line that is indented as none above it that is still open; None: it is like one of them."""
    line = source.line(number)
    depth, is_item = depth_of(line), line.lstrip().startswith("- ")
    if depth == 0:
        return None
    open_lines = open_above(source, number)
    if depth in open_lines or not open_lines:
        return None
    deepest = max(open_lines)
    said = open_lines[deepest][1]
    if depth > deepest and (said.endswith(":") or ": " not in said or said[-1] in "|>+-"):
        return None  # the first line below another one
    beside = [at for at, (_, _, dashed) in open_lines.items() if dashed == is_item]
    if not beside:
        return None
    near = min(beside, key=lambda at: (abs(at - depth), -at))
    row, like, _ = open_lines[near]
    holders = [at for at, (_, text, dashed) in open_lines.items() if at < near and not dashed]
    under = f"under `{_key(open_lines[max(holders)][1])}`" if holders else "at the top"
    above_it = max([at for at in open_lines if at < near], default=None)
    if is_item:
        # the key of a list may stand as deep as its items
        above = next((one for one in range(row - 1, 0, -1) if _opens(source.line(one), near)), None)
        under = f"under `{_key(source.line(above).lstrip(' -'))}`" if above else under
    elif above_it is not None and open_lines[above_it][2]:
        under = "in the same item"
    blanks = "1 blank" if depth == 1 else f"{depth} blanks"
    message = f"this line is indented by {blanks}, as no line above that it could belong to"
    to = "not at all" if near == 0 else f"by {near}"
    return message, f"indent it {to}, as line {row} (`{_key(like)}`), to stand {under}"


def _opens(line: str, depth: int) -> bool:
    """Whether a line is the key of a list whose items are indented so."""
    said = line.lstrip(" -")
    return said.rstrip().endswith(":") and len(line) - len(said) <= depth


def holder_of(source: Source, number: int) -> str:
    """The key of the list in the column of whose items a line stands; empty: there is none."""
    depth = depth_of(source.line(number))
    row, _, dashed = open_above(source, number).get(depth, (0, "", False))
    above = next((one for one in range(row - 1, 0, -1) if _opens(source.line(one), depth)), 0) if dashed else 0
    return _key(source.line(above).lstrip(" -")) if above else ""


def open_above(source: Source, number: int) -> dict[int, tuple[int, str, bool]]:
    """Columns in which a line could go on what is above it.

    Indentation → (number, text, whether an item begins there) of the nearest line above with it, as far as the lines
    between are deeper; a key behind a dash stands as deep as it is written.
    """
    open_lines: dict[int, tuple[int, str, bool]] = {}
    least: int | None = None
    for above in range(number - 1, max(0, number - 200), -1):
        text = source.line(above)
        if not text.strip() or text.lstrip().startswith("#"):
            continue
        here = depth_of(text)
        if least is None or here < least:
            behind = text.lstrip(" -")
            at = len(text) - len(behind)
            if at > here and (least is None or at < least):
                open_lines[at] = above, behind.strip(), False
            open_lines[here] = above, behind.strip(), at > here
            least = here
        if here == 0:
            break
    return open_lines


def depth_of(line: str) -> int:
    """The blanks that a line begins with."""
    return len(line) - len(line.lstrip(" "))


def _key(text: str) -> str:
    return text.partition(":")[0][:40].replace("`", "'")
