"""Comments that ignore findings, as they are written: ``# specgen: ignore[SG420, missing-shm] why``.

Blanks and case of the sign do not matter. What a comment covers follows from where it stands:

- in the first comments of a file, above all that is no comment, ``---``, or directive: the file;
- alone above an object (a document, or an item of a List), with ``---`` and blank lines between them as may be, or at
  its first lines, those of ``apiVersion`` and ``kind``: the object;
- else alone on a line: the line below it, over further comments; behind something: its own line.
"""

from __future__ import annotations

from specgen.diagnostics._index import CODES
from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.diagnostics.pages import page
from specgen.diagnostics.suggest import hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from specgen.diagnostics.model import Finding
    from specgen.source import Source

MALFORMED = Code(
    "SG032",
    "malformed-ignore",
    WARNING,
    since="0.1",
    page=page(
        "A comment that is meant to ignore a finding, and ignores nothing as it is written.",
        "Every comment that begins with `specgen: ignore` names codes in brackets behind it, by numbers or names that\n"
        "exist. A day behind `until` is one of the calendar.",
        "What it was to ignore is still reported, and nobody sees why.",
        "- warning: nothing breaks: what was to be ignored is reported.",
        "value: /opt/nccl/lib/libnccl.so.2  # specgen: ignore SG420 the image holds it",
        "value: /opt/nccl/lib/libnccl.so.2  # specgen: ignore[SG420] the image holds it",
        "Write the codes in brackets: `# specgen: ignore[SG420, missing-shm] until 2027-01-31 reason`. The day and\n"
        "the reason may be left out. There is no comment that ignores everything.",
        "Never.",
        "The form of the comment: `specgen lint --help`.",
    ),
)

_WORD, _VERB, _UNTIL = "specgen", "ignore", "until"
# Unknown codes of a file for which similar ones are looked up.
_MOST_HINTS = 50
_FORM = "the form is `# specgen: ignore[SG401] reason`"


class Ignore:
    """One comment: its line, what its codes are and where they stand, the day on which it ends, empty for none."""

    __slots__ = ("alone", "codes", "line", "until")

    def __init__(self, line: int, alone: bool) -> None:
        self.line = line
        self.alone = alone
        # code → offsets of the comment's words from its beginning to the end of the code
        self.codes: dict[str, tuple[int, int]] = {}
        self.until = ""


class Spans:
    """Offsets of what stands in a text: quoted texts, which hold no comments, and objects.

    ``objects``: (start, end of its first lines, end of all of it, whether it is an item of a List).
    """

    __slots__ = ("_starts", "_stops", "objects")

    def __init__(
        self, texts: Iterable[tuple[int, int]] = (), objects: Iterable[tuple[int, int, int, bool]] = ()
    ) -> None:
        ordered = sorted(texts)
        self._starts = [start for start, _ in ordered]
        self._stops = [stop for _, stop in ordered]
        self.objects = list(objects)

    def quoted(self, offset: int) -> bool:
        """Whether an offset lies within a quoted text."""
        from bisect import bisect_right

        at = bisect_right(self._starts, offset) - 1
        return at >= 0 and offset < self._stops[at]


def ignores(source: Source, spans: Spans) -> tuple[list[Ignore], list[Finding]]:
    """The comments of a source that ignore something, and what is wrong with others."""
    found: list[Ignore] = []
    wrong: list[Finding] = []
    for start, after in _signs(source.text):
        if spans.quoted(start):
            continue
        line, column = source.position(start)
        text = source.line(line)
        rest = text[after - source.offset(line) :]
        one = Ignore(line, not text[: column - 1].strip())
        opened = len(rest) - len(rest.lstrip())
        closed = rest.find("]")
        if rest[opened : opened + 1] != "[" or closed < 0:
            lacks = "no codes in brackets" if rest[opened : opened + 1] != "[" else "no `]` behind its codes"
            wrong.append(_malformed(start, after, f"this comment has {lacks}, and ignores nothing", _FORM))
            continue
        at = after + opened + 1
        for word in rest[opened + 1 : closed].split(","):
            name, end = word.strip(), at + len(word.rstrip())
            code = _code(name)
            if code:
                one.codes.setdefault(code, (start, end))
            elif name:
                wrong.append(_unknown(name, end, hinted=len(wrong) < _MOST_HINTS))
            else:
                wrong.append(_malformed(start, end, "this comment names no code between commas or brackets", _FORM))
            at += len(word) + 1
        begin, day = _day(rest, closed + 1)
        if day and not _is_day(day):
            begin += after
            # until when it was to hold nobody knows: without an end it would hide what comes later
            said = f"`{shown(day)}` is no day such as 2027-01-31: this comment ignores nothing"
            wrong.append(_malformed(begin, begin + len(day), said, None))
            continue
        one.until = day
        found.append(one)
    return found, wrong


def _signs(text: str) -> Iterator[tuple[int, int]]:
    """(offset of the sign, offset behind ``ignore``) of what may be such a comment."""
    lowered = text.lower()
    if len(lowered) != len(text):  # a few capital letters are longer in lower case, and would move all that follows
        lowered = "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)
    at = lowered.find(_WORD)
    while at >= 0:
        start = at
        while start > 0 and text[start - 1] in " \t":
            start -= 1
        end = _over(text, at + len(_WORD))
        if start > 0 and text[start - 1] == "#" and text[end : end + 1] == ":":
            end = _over(text, end + 1)
            while start > 1 and text[start - 2] == "#":
                start -= 1
            start -= 1
            behind = lowered[end + len(_VERB) : end + len(_VERB) + 1]
            opens = start == 0 or text[start - 1] in " \t\n\ufeff"
            if opens and lowered.startswith(_VERB, end) and not (behind.isalnum() or behind in ("-", "_")):
                yield start, end + len(_VERB)
        at = lowered.find(_WORD, at + 1)


def _over(text: str, at: int) -> int:
    """The offset behind blanks."""
    while text[at : at + 1] in (" ", "\t"):
        at += 1
    return at


def _code(word: str) -> str | None:
    """The code that a number or a name means."""
    if word.upper() in CODES:
        return word.upper()
    return next((code for code, (slug, *_) in CODES.items() if slug == word.lower()), None)


def _day(text: str, at: int) -> tuple[int, str]:
    """The word behind ``until`` that begins with a digit, with its offset; empty where there is none."""
    at = text.find(_UNTIL, at)
    while at >= 0:
        begin = _over(text, at + len(_UNTIL))
        if not text[at - 1].isalnum() and begin > at + len(_UNTIL) and text[begin : begin + 1].isdecimal():
            return begin, text[begin:].split()[0].rstrip(".,;:)")
        at = text.find(_UNTIL, at + 1)
    return 0, ""


def _is_day(text: str) -> bool:
    from datetime import date  # few comments have one

    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _malformed(start: int, end: int, message: str, help: str | None) -> Finding:
    return MALFORMED.at(Place((), offsets=(start, end)), message, helps=[help] if help else [])


def _unknown(name: str, end: int, *, hinted: bool) -> Finding:
    help = hint(name, [*CODES, *(slug for slug, *_ in CODES.values())], "code") if hinted else None
    return _malformed(end - len(name), end, f"no code is called `{shown(name)}`", help)


class Cover:
    """Which comment ignores a code at a line: that of the line before that of an object, and this before the file's."""

    __slots__ = ("_file", "_firsts", "_lines", "_objects")

    def __init__(self, source: Source, found: list[Ignore], spans: Spans) -> None:
        self._lines: dict[tuple[str, int], Ignore] = {}
        self._file: dict[str, Ignore] = {}
        # whether items or documents, and code → first line → last line and comment; none of them overlap
        self._objects: dict[tuple[bool, str], dict[int, tuple[int, Ignore]]] = {}
        from bisect import bisect_right

        targets = _targets(source)
        top = targets[1][0]
        # (first line, last of the first lines, last line, whether an item)
        objects = sorted(
            (
                source.position(start)[0],
                source.position(head)[0] if head > start else 0,
                source.position(_stripped(source, start, end))[0],
                item,
            )
            for start, head, end, item in spans.objects
        )
        firsts = [first for first, _, _, _ in objects]
        for one in found:
            target, gap = targets[one.line] if one.alone else (one.line, False)
            at = bisect_right(firsts, target) - 1
            first, head, last, item = objects[at] if at >= 0 else (0, 0, 0, False)
            for code in one.codes:
                if one.alone and one.line < top:
                    self._file.setdefault(code, one)
                elif (target == first and one.alone) or first <= target <= head:
                    self._objects.setdefault((item, code), {}).setdefault(first, (last, one))
                elif not gap:
                    self._lines.setdefault((code, target), one)
        # comments are met from the top down, and so are the objects that they speak of
        self._firsts = {key: list(ranges) for key, ranges in self._objects.items()}

    def of(self, code: str, line: int) -> Ignore | None:
        """The comment that speaks of a finding."""
        one = self._lines.get((code, line))
        from bisect import bisect_right

        for key in ((True, code), (False, code)):
            firsts = self._firsts.get(key, [])
            at = bisect_right(firsts, line) - 1
            if one is None and at >= 0:
                last, object_of = self._objects[key][firsts[at]]
                one = object_of if line <= last else None
        return one or self._file.get(code)


def _stripped(source: Source, start: int, end: int) -> int:
    """The last offset of a part of the text that is no blank."""
    return max(start, start + len(source.text[start:end].rstrip()) - 1)


def _targets(source: Source) -> list[tuple[int, bool]]:
    """For each line from 1: the first from it that holds something, and whether a blank line or ``---`` comes before.

    Comments and directives hold nothing, nor does a line behind the last one.
    """
    found = [(source.lines + 1, False)] * (source.lines + 2)
    for line in range(source.lines, 0, -1):
        text = source.line(line).strip()
        if text and not text.startswith(("#", "%")) and text != "---":
            found[line] = (line, False)
        else:
            target, gap = found[line + 1]
            found[line] = (target, gap or not text.startswith("#"))
    return found
