"""Operations → edits of the text, one entry or collection after the other.

Nothing here decides that an edit is right: what comes of all edits is read again (``patched``). What is refused here is
what no text is known for, or what would lose a comment that is not the entry's own.
"""

from __future__ import annotations

from specgen.document.layout import EMPTY, MAPPING, SCALAR, SEQUENCE, Unclear
from specgen.document.patch.added import Written
from specgen.document.patch.lines import about, after, begin, inner_end, leads, line_end, line_start, next_line, runs
from specgen.document.patch.style import Style, Writer, column, is_json, line_break, quotes
from specgen.document.patch.tree import same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from specgen.document.layout import Entry, Layout, Part
    from specgen.document.patch.added import Added


class Edits:
    """Collects the edits of one document: (offset, length, text, depth of what is edited)."""

    __slots__ = ("_found", "_literals", "layout", "style", "text")

    def __init__(self, layout: Layout, *, literals: bool = True) -> None:
        self.layout = layout
        self.text = layout.text
        self.style = Style(layout)
        # whether texts of several lines may be block literals
        self._literals = literals
        self._found: list[tuple[int, int, str, int]] = []

    def put(self, start: int, end: int, text: str, depth: int) -> None:
        """One edit. Of several at one offset the deeper one comes first."""
        if end > start or text:
            self._found.append((start, end - start, text, depth))

    def ordered(self) -> list[tuple[int, int, str]]:
        """All edits by offset. Raises Unclear where two overlap."""
        # at one offset what is added comes before what is taken away
        self._found.sort(key=lambda edit: (edit[0], edit[1] > 0, -edit[3]))
        end = 0
        for start, length, _, _ in self._found:
            if start < end:
                raise Unclear("two operations meet in the text")
            end = start + length
        anchor = self.layout.bereft([(start, start + length) for start, length, _, _ in self._found])
        if anchor is not None:
            raise Unclear(f"the anchor `&{anchor}` that stands there is used elsewhere")
        found: list[tuple[int, int, str]] = []
        for start, length, text, _ in self._found:
            if found and found[-1][0] + found[-1][1] == start:
                # two that meet are one
                before = found.pop()
                found.append((before[0], before[1] + length, before[2] + text))
            else:
                found.append((start, length, text))
        return found

    def writer(self, part: Part, near: int, *, quote: str = "") -> Writer:
        """A writer for values within a collection."""
        return Writer(self.style, near, json=is_json(self.layout, part), quote=quote, literals=self._literals)

    # comments

    def above(self, entry: Entry | None, comments: Sequence[str], depth: int) -> None:
        """Comments of what gives way, above an entry, or above the next one around it that begins a line."""
        text = self.text
        while entry is not None and (entry.container.flow or not leads(text, entry.start)):
            entry = entry.container.owner
        if not comments:
            return
        if entry is None or self.writer(entry.container, entry.start).json:
            raise Unclear("a comment would be lost")
        start = line_start(text, entry.start)
        lead = " " * column(text, entry.start)
        self.lines(start, start, [lead + one for one in comments], depth)

    def _within(self, ranges: Iterable[tuple[int, int]]) -> list[str]:
        """The comments that begin in one of some ranges."""
        comments = self.layout.comments
        return [self.text[at:stop].rstrip() for at, stop in comments if any(a <= at < b for a, b in ranges)]

    # values

    def value(self, entry: Entry, value: Any, depth: int, old: Any = None) -> None:
        """Gives an entry another value; ``old``: what it has. Comments among what gives way stay, or stand above."""
        part = entry.value
        inside = part.kind in (MAPPING, SEQUENCE) and self.layout.commented(next_line(self.text, part.lead), part.end)
        if inside and not part.flow and self._piecewise(part, old, value, depth):
            return
        since = len(self._found)
        self._whole(entry, value, depth)
        taken = [(start, start + length) for start, length, _, _ in self._found[since:]]
        self.above(entry, self._within(taken), depth)

    def _piecewise(self, part: Part, old: Any, value: Any, depth: int) -> bool:
        """Changes of a block what differs; False where nothing of it would stay, or somebody else's entries are in it.

        The comments of items that give way stand above what takes their place.
        """
        entries = part.entries
        if not value or type(old) is not type(value) or any(entry.merges for entry in entries):
            return False
        if isinstance(value, dict):
            return self._keys(part, old, value, depth)
        if not isinstance(value, list) or len(entries) != len(old):
            return False
        first = 0
        while first < min(len(old), len(value)) and same(old[first], value[first]):
            first += 1
        last = 0
        while last < min(len(old), len(value)) - first and same(old[-1 - last], value[-1 - last]):
            last += 1
        gone, new = entries[first : len(entries) - last], value[first : len(value) - last]
        if not new:
            self.removed(part, gone, depth)
            return True
        at = column(self.text, entries[0].start)
        if not all(leads(self.text, entry.start) for entry in entries):
            return False
        writer = self.writer(part, entries[0].start, quote=quotes(entries))
        if len(gone) == 1:
            # the first of what comes keeps the line, with what is said of it
            self.value(gone[0], new[0], depth, old[first])
            gone, new, place = [], new[1:], after(self.layout, gone[0])
        elif gone or last:
            place = begin(self.layout, entries[first])
        else:
            place = after(self.layout, entries[-1])
        end = after(self.layout, gone[-1]) if gone else place
        lines = [" " * at + comment for comment in self._within([(place, end)])]
        lines += [line for one in new for line in writer.item(one, at)]
        if lines:
            self.lines(place, end, lines, depth)
        return True

    def _keys(self, part: Part, old: dict[str, Any], value: dict[str, Any], depth: int) -> bool:
        entries = {str(entry.name): entry for entry in part.entries}
        if entries.keys() != old.keys() or not any(key in value for key in old):
            return False
        for key, entry in entries.items():
            if key in value and not same(old[key], value[key]):
                self.value(entry, value[key], depth + 1, old[key])
        gone = [entry for key, entry in entries.items() if key not in value]
        new = [Written(key, item) for key, item in value.items() if key not in old]
        if gone:
            self.removed(part, gone, depth)
        if new:
            new[0].comment((), [comment for entry in gone for comment in about(self.layout, entry)])
            self.added(part, list(new), gone, depth)
        return True

    def _whole(self, entry: Entry, value: Any, depth: int) -> None:
        part = entry.value
        quote = part.style if part.kind == SCALAR and part.style in ("'", '"') else ""
        writer = self.writer(entry.container, entry.start, quote=quote)
        if entry.container.flow or (part.flow and part.entries and isinstance(value, (dict, list)) and value):
            self._inline(entry, writer.flow(value), depth)
        elif isinstance(value, (dict, list)) and value and not writer.json:
            self._block(entry, value, writer, depth)
        else:
            pad = " " * column(self.text, entry.start)
            writer.literals = writer.literals and not self._comment_behind(part)
            text = writer.flow(value) if writer.json else writer.scalar(value, pad)
            self._inline(entry, text.replace("\n", line_break(self.text, entry.start)), depth)

    def _comment_behind(self, part: Part) -> bool:
        """Whether a comment stands behind a value on the line that another one would be written on."""
        below = part.kind in (MAPPING, SEQUENCE) and not part.flow and leads(self.text, part.content)
        at = part.lead if below or part.kind == EMPTY else inner_end(self.text, part.end)
        return self.layout.commented(at, line_end(self.text, at))

    def _inline(self, entry: Entry, text: str, depth: int) -> None:
        part = entry.value
        if part.kind == EMPTY:
            text = f": {text}" if entry.mark is None and not part.anchor else f" {text}"
            self.put(part.lead, part.lead, text, depth)
        elif part.kind in (MAPPING, SEQUENCE) and not part.flow and leads(self.text, part.content):
            self._same_line(part, text, depth)
        else:
            self.put(part.content, inner_end(self.text, part.end), text, depth)

    def _same_line(self, part: Part, text: str, depth: int) -> None:
        """Writes behind a colon, and takes out the lines of the block that stands below it."""
        self.put(part.lead, part.lead, f" {text}", depth)
        start, end = next_line(self.text, part.lead), next_line(self.text, part.end)
        self.put(start, end, "", depth)

    def _block(self, entry: Entry, value: Any, writer: Writer, depth: int) -> None:
        """Writes a mapping or list in block style in place of what stands there."""
        part, text = entry.value, self.text
        at = column(text, entry.start)
        if entry.mark is None:
            raise Unclear("a key without a colon takes no block")
        if entry.key is not None:
            at += writer.step if isinstance(value, dict) else writer.dash
        elif part.kind != EMPTY and not leads(text, part.content):
            at = column(text, part.content)
        else:
            at += writer.gap
        lines = writer.lines(value, at)
        if entry.key is None and not part.anchor and not self.layout.commented(part.lead, line_end(text, part.lead)):
            end = inner_end(text, part.end)
            between = at - column(text, part.lead)
            self.put(part.lead, end, " " * between + self.joined(lines, part.lead)[at:], depth)
            return
        start = next_line(text, part.lead)
        if part.kind in (MAPPING, SEQUENCE) and not part.flow and leads(text, part.content):
            self.lines(start, next_line(text, part.end), lines, depth)
            return
        end = inner_end(text, part.end)
        if "\n" in text[part.lead : end]:
            start = next_line(text, part.end)
        self.put(part.lead, end, "", depth)
        self.lines(start, start, lines, depth)

    def joined(self, lines: list[str], near: int) -> str:
        """Lines as one text, with the line ends of their neighbours."""
        return line_break(self.text, near).join(lines)

    def lines(self, start: int, end: int, lines: list[str], depth: int) -> None:
        """Whole lines in place of others."""
        text, near = self.joined(lines, start), line_break(self.text, start)
        if start and self.text[start - 1] != "\n":
            self.put(start, end, near + text, depth)
        else:
            self.put(start, end, text + near, depth)

    # keys and parts of texts

    def key(self, entry: Entry, name: str, depth: int) -> None:
        """Gives an entry another key."""
        key = entry.key
        if key is None or key.kind != SCALAR or key.style in ("|", ">") or entry.merges:
            raise Unclear("its key is not one that is edited")
        writer = self.writer(entry.container, entry.start)
        text = writer.text(name, flow=entry.container.flow, quote=key.style)
        if len(text) > 1000 or "\n" in self.text[key.content : key.end]:
            raise Unclear("a key is too long for one line")
        self.put(key.content, key.end, text, depth)

    def wrapped(self, entry: Entry, name: str, depth: int) -> None:
        """Puts an entry under a key of its own, one step deeper."""
        if entry.key is None or entry.merges:
            raise Unclear("its key is not one that is edited")
        text = self.text
        writer = self.writer(entry.container, entry.start)
        if entry.container.flow:
            self.put(entry.start, entry.start, f"{writer.key(name, flow=True)}: {{", depth)
            self.put(entry.end, entry.end, "}", depth)
            return
        at = column(text, entry.start)
        if not leads(text, entry.start):
            raise Unclear("it begins behind a dash")
        start, end = begin(self.layout, entry), after(self.layout, entry)
        self.put(start, start, f"{' ' * at}{writer.key(name)}:{line_break(text, start)}", depth)
        while start < end:
            if text[start : line_end(text, start)].strip(" "):
                self.put(start, start, " " * writer.step, depth - 1)
            start = next_line(text, start + 1)

    # entries taken out

    def removed(self, container: Part, gone: list[Entry], depth: int) -> None:
        """Takes entries out of a collection; one that would be empty becomes ``{}`` or ``[]``."""
        entries = container.entries
        out = {id(entry) for entry in gone}
        if len(out) == len(entries):
            self._emptied(container, depth)
            return
        first = 0
        while first < len(entries):
            last = first
            while last < len(entries) and id(entries[last]) in out:
                last += 1
            if last > first:
                kept = next((entry for entry in entries[last:] if id(entry) not in out), None)
                before = entries[first - 1] if first else None
                if container.flow:
                    self._from_brackets(container, entries[first], entries[last - 1], before, kept, depth)
                else:
                    self._from_block(entries[first:last], kept, depth)
            first = last + 1

    def _emptied(self, container: Part, depth: int) -> None:
        text, sign = self.text, "{}" if container.kind == MAPPING else "[]"
        first, last = container.entries[0], container.entries[-1]
        if container.flow:
            beside = self.layout.commented(container.content, first.start) or self.layout.commented(
                last.comma or last.end, container.end
            )
            if beside or text[container.content] not in "{[":
                raise Unclear("its brackets hold more than its entries")
            self.put(container.content + 1, container.end - 1, "", depth)
        elif not leads(text, container.content):
            self.put(container.content, inner_end(text, container.end), sign, depth)
        elif container.owner is None:
            (start, end), *others = runs(self.layout, container.entries)
            self.lines(start, end, [sign], depth)
            for start, end in others:
                self.put(start, end, "", depth)
        else:
            self.put(container.lead, container.lead, f" {sign}", depth)
            for start, end in runs(self.layout, container.entries):
                self.put(start, end, "", depth)

    def _from_block(self, gone: list[Entry], kept: Entry | None, depth: int) -> None:
        text, first, last = self.text, gone[0], gone[-1]
        if leads(text, first.start):
            for start, end in runs(self.layout, gone):
                self.put(start, end, "", depth)
            return
        if kept is None:
            raise Unclear("nothing would follow a dash")
        if not self.layout.commented(next_line(text, last.end), kept.start):
            self.put(first.start, kept.start, "", depth)
            return
        start = first.start
        while text[start - 1] == " ":
            start -= 1
        self.put(start, line_end(text, inner_end(text, last.end)), "", depth)

    def _from_brackets(
        self, container: Part, first: Entry, last: Entry, before: Entry | None, kept: Entry | None, depth: int
    ) -> None:
        text, layout = self.text, self.layout
        end = last.comma or last.end
        if leads(text, first.start) and line_end(text, end) < (kept.start if kept is not None else container.end - 1):
            self.put(begin(layout, first), after(layout, last), "", depth)
            if kept is None and before is not None and before.comma and not last.comma:
                self.put(before.comma - 1, before.comma, "", depth)
            return
        if kept is not None:
            start, end = first.start, kept.start
        else:
            assert before is not None
            start = before.end if last.comma is None else before.comma or before.end
        if layout.commented(start, end):
            raise Unclear("a comment stands among the entries")
        if kept is None and text[start - 1] == ":":
            # without a blank the colon would be a part of its key
            if text[start] == " ":
                start += 1
            else:
                self.put(start, start, " ", depth)
        self.put(start, end, "", depth)

    # entries added

    def added(self, container: Part, new: list[Added], gone: Iterable[Entry], depth: int) -> None:
        """Adds entries to the end of a collection."""
        out = {id(entry) for entry in gone}
        entries = container.entries
        if entries and id(entries[-1]) in out and (container.flow or len(out) == len(entries)):
            raise Unclear("the last entry is taken out at once")
        owner = container.owner
        if container.flow and not entries and owner is not None and not owner.container.flow:
            self._opened(container, owner, new, depth)
        elif container.flow:
            self._into_brackets(container, new, depth)
        else:
            last = entries[-1]
            at = column(self.text, entries[0].start)
            writer = self.writer(container, last.start, quote=quotes(entries))
            lines = [line for one in new for line in one.block(writer, at)]
            place = after(self.layout, last)
            self.lines(place, place, lines, depth)

    def _opened(self, container: Part, owner: Entry, new: list[Added], depth: int) -> None:
        """Writes entries in block style in place of empty brackets."""
        writer = self.writer(owner.container, owner.start)
        text = self.text
        if writer.json or self.layout.commented(container.content, container.end):
            self._into_brackets(container, new, depth)
            return
        at = column(text, owner.start)
        if owner.key is None:
            at += writer.gap
        else:
            at += writer.step if container.kind == MAPPING else writer.dash
        lines = [line for one in new for line in one.block(writer, at)]
        self.put(container.lead, container.end, "", depth)
        place = next_line(text, container.end)
        self.lines(place, place, lines, depth)

    def _into_brackets(self, container: Part, new: list[Added], depth: int) -> None:
        text, entries = self.text, container.entries
        if text[container.content] not in "{[":
            raise Unclear("a single pair in a list takes no second one")
        writer = self.writer(container, container.content, quote=quotes(entries))
        if not entries:
            texts = [one.flow(writer) for one in new]
            self.above(container.owner, [comment for one in new for comment in one.comments], depth)
            if self.layout.commented(container.content, container.end):
                raise Unclear("its brackets hold a comment")
            self.put(container.content + 1, container.end - 1, ", ".join(texts), depth)
            return
        self.above(container.owner, [comment for one in new for comment in one.comments], depth)
        last = entries[-1]
        end = last.comma or last.end
        if not leads(text, last.start) or line_end(text, end) >= container.end - 1:
            texts = [one.flow(writer) for one in new]
            self.put(end, end, (" " if last.comma else ", ") + ", ".join(texts), depth)
            return
        near = line_break(text, end)
        pad = near + text[line_start(text, last.start) : last.start]
        writer.spread = True
        written = ("," + pad).join([one.flow(writer).replace("\n", pad) for one in new])
        place = line_end(text, end)
        tail = "," if last.comma else ""
        if last.comma or self.layout.commented(end, place):
            self.put(end, end, "" if last.comma else ",", depth + 1)
            self.put(place, place, pad + written + tail, depth)
        else:
            self.put(end, end, "," + pad + written, depth)
