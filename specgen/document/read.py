"""Text → documents: libyaml's events, with limits checked while they stream and kubectl's meaning of scalars.

What is refused, and why no loader is used, stands in ``codes.py``. Nothing here recurses, so depth costs no stack.
"""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.document import codes, libyaml
from specgen.document.decode import MOST_BYTES, at_offsets
from specgen.document.scalars import HINTS, NotFinite, TooLong, integer, meaning
from specgen.document.tree import Document, Mapping, Scalar, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Code, Finding, Fix
    from specgen.document.tree import Node
    from specgen.source import Source

MOST_DEPTH = 100
MOST_NODES = 300_000
MOST_CHARACTERS = 16 * 1024 * 1024
MOST_DOCUMENTS = 10_000
# Of a text beyond MOST_BYTES, which only who runs specgen lets in: characters of it to a node, and to a document, and
# how many times itself it may become. 756 real manifests have 8 to 97 characters to a node, half of them 17 or more.
TO_A_NODE, TO_A_DOCUMENT, TIMES_ITSELF = 8, 500, 3
# Of one file, as a text: one that is no manifest has a problem in each line, and is not worth a gigabyte of them.
MOST_PROBLEMS = 1_000


def read(source: Source) -> tuple[list[Document], list[Finding]]:
    """Source → documents in order, and what is wrong with the text itself.

    What can be read in spite of it is read, and is a finding: a tag, a number that JSON has not, an alias of nothing. A
    syntax error ends its document, and reading goes on behind the next line that begins with `---`. A limit ends the
    file.
    """
    return _Reader(source).read()


def _united(name: str, first: Node, second: Node, offset: int) -> Fix | None:
    """The remedy of a key that stands twice; None where its two texts say different things."""
    from specgen.diagnostics.model import SAFE, UNSAFE, Fix  # few texts have one
    from specgen.diagnostics.operations import Unite

    if type(first) is Scalar and first.value is None:
        return Fix(f"remove the first `{name}`, which is empty", UNSAFE, [Unite(offset)])
    if type(first) is not Scalar and type(first) is type(second):
        return Fix(f"put both under one `{name}`", UNSAFE, [Unite(offset)])
    if type(first) is type(second) is Scalar and (type(first.value), first.value) == (type(second.value), second.value):
        return Fix(f"remove the second `{name}`, which says the same", SAFE, [Unite(offset)])
    return None


def _remedy(source: Source, at: int) -> Fix | None:
    if not source.name:
        return None  # a text that is tried
    from specgen.document.unread import remedy

    return remedy(source, at, read)


class _Stop(Exception):
    """A finding that ends the file."""


# Tags of YAML's own types, and that of texts.
_CORE = "tag:yaml.org,2002:"
_TEXT = _CORE + "str"
# What the scanner of libyaml says from 0.2.6 on, at the thousandth level.
_DEEP = "exceeded maximum nesting depth"
# The key of what cannot have one: it is read, and left out.
_DROPPED = Scalar(None, 0, 0, "<<", "")


class _Reader:
    __slots__ = (
        "anchors",
        "begin",
        "characters",
        "closed",
        "deepest",
        "documents",
        "findings",
        "json",
        "most_characters",
        "most_documents",
        "most_nodes",
        "nodes",
        "questions",
        "slashes",
        "source",
        "text",
        "twice",
        "weird",
        "whole",
    )

    def __init__(self, source: Source) -> None:
        self.source = source
        # what the parser is given, and what it was given before any part of it was left out: offsets are the source's
        self.text = self.whole = source.text
        # where the document begins that is read
        self.begin = 0
        # as far as the text is JSON, if that matters
        self.json = 0
        self.questions = False
        self.documents: list[Document] = []
        self.findings: list[Finding] = []
        self.twice = 0  # keys that are there already
        self.nodes = 0
        self.characters = 0
        # whether the last document ended in `...`
        self.closed = False
        self.slashes = False
        # the deepest level since the innermost anchor was opened
        self.deepest = 0
        # anchor → (node, nodes below it, characters below it, levels of it), None while it is still open
        self.anchors: dict[str, tuple[Node, int, int, int] | None] = {}
        self.weird: list[tuple[Scalar, bool]] = []
        self.most_nodes, self.most_characters, self.most_documents = MOST_NODES, MOST_CHARACTERS, MOST_DOCUMENTS
        length = len(source.text)
        if length > MOST_BYTES:
            self.most_nodes = max(MOST_NODES, length // TO_A_NODE)
            self.most_characters = max(MOST_CHARACTERS, length * TIMES_ITSELF)
            self.most_documents = max(MOST_DOCUMENTS, length // TO_A_DOCUMENT)

    def report(self, code: Code, start: int, end: int, message: str, **more: Any) -> None:
        self.findings.append(at_offsets(code, self.source, start, end, message, **more))
        if len(self.findings) >= MOST_PROBLEMS and code is not codes.LIMIT:
            message = f"the file has more than {MOST_PROBLEMS:,} problems as YAML: the rest of it is not read"
            raise self.stop(codes.LIMIT, start, end, message)

    def stop(self, code: Code, start: int, end: int, message: str, **more: Any) -> _Stop:
        self.report(code, start, end, message, **more)
        return _Stop()

    def read(self) -> tuple[list[Document], list[Finding]]:
        text = self.source.text
        nul = text.find("\0")
        if nul >= 0:
            self.report(codes.ENCODING, nul, nul + 1, "the file holds a NUL character")
            return [], self.findings
        if text.startswith("\ufeff"):
            self.report(codes.ENCODING, 0, 1, "the file begins with two byte-order marks")
            return [], self.findings
        if "---" in text:
            self._markers(text)
        if "\\" in text and text.lstrip()[:1] == "{":
            from specgen.document import faults

            self.json = faults.json_end(text)
            self.text = self.whole = text = faults.without_surrogates(text, self.json)
        # go-yaml knows no such escape
        self.slashes = "\\/" in text
        # nor takes it this sign within a text between brackets
        self.questions = "?" in text and ("[" in text or "{" in text)
        parser_class, events, yaml_error = libyaml.parser()
        room = self.most_characters
        while True:
            parser = None
            try:
                parser = parser_class(self.text)
                self._stream(parser, events)
                break
            except _Stop:
                break
            except yaml_error as error:
                # the text is copied each time
                room -= len(text)
                if not self._resumed(error) or room < 0:
                    break
            finally:
                if parser is not None:
                    parser.dispose()
        if self.twice > 1:
            from specgen.document.boundary import parted  # few texts have a key twice

            return self.documents, parted(self.source, self.findings)
        return self.documents, self.findings

    def _markers(self, text: str) -> None:
        """SG005 where a line that begins with `---` goes on; most lines do not."""
        text = text.removeprefix("---\n")
        if "\n---" in text.replace("\n---\n", "\n") or text.startswith("---"):
            from specgen.document.faults import markers

            self.findings += [finding for _, finding in zip(range(MOST_PROBLEMS), markers(self.source), strict=False)]

    def _restart(self, text: str) -> None:
        """Reads this from its beginning, in place of what was read so far."""
        from specgen.document import faults

        self.text = self.whole = text
        self.documents.clear()
        self.findings.clear()
        for found in (faults.markers(self.source), faults.forbidden(self.source)):
            self.findings += [finding for _, finding in zip(range(MOST_PROBLEMS), found, strict=False)]
        self.begin = self.nodes = self.characters = 0
        self.closed = False

    def _resumed(self, error: Any) -> bool:
        """Takes the error of a parser. Whether there is a text behind it, or without what it refuses, to go on with."""
        from specgen.document import faults

        if getattr(error, "problem_mark", None) is None:
            # a character: how much was read before it depends on the parser
            self._restart(faults.without_forbidden(self.source.text))
            return True
        if error.problem == _DEEP and error.problem_mark.index < len(self.whole):
            # the scanner is ahead of the events: with nothing to be found there, the level that is too deep comes first
            self._restart(self.whole[: error.problem_mark.index])
            return True
        finding = faults.syntax(self.source, error, closed=self.closed)
        if not any(one.code is codes.SYNTAX for one in self.findings) and finding.code is codes.SYNTAX:
            finding.fix = _remedy(self.source, (finding.place.offsets or (0, 0))[0])
            if finding.fix is None:
                faults.misplaced(self.source, finding, error)
        self.findings.append(finding)
        at = self.text.find("\n---", self.begin) + 1
        if at <= self.begin:
            return False
        self.begin, self.closed = at, False
        self.text = "\n" * at + self.text[at:]
        return True

    def _stream(self, parser: Any, events: Any) -> None:
        get = parser.get_event
        Start, End = events.DocumentStartEvent, events.DocumentEndEvent
        while True:
            event = get()
            kind = type(event)
            if kind is Start:
                at = event.start_mark.index
                if event.version is not None or event.tags:
                    self.report(codes.UNSUPPORTED, at, at + 1, "kubectl refuses a `%` directive")
                if self.documents and at > self.begin and "\n---" not in self.text[self.begin : at + 3]:
                    self._unread(at)
                self.begin = at
                if len(self.documents) >= self.most_documents:
                    message = f"the file holds more than {self.most_documents:,} documents"
                    raise self.stop(codes.LIMIT, at, at + 1, message)
                self.anchors.clear()
                self.deepest = 0
                self.weird = []
                root = self._tree(get, events)
                if type(root) is Scalar and root.start == root.end and event.explicit:
                    # nothing stands there: parsers place it where the next document begins
                    root.start = root.end = at + 3
                document = Document(self.source, root, len(self.documents))
                document.ambiguous = self.weird
                self.documents.append(document)
            elif kind is End:
                self.closed = event.explicit
            elif kind is events.StreamEndEvent:
                return

    def _unread(self, at: int) -> None:
        message = "kubectl reads nothing from here on: only a line feed lets a document begin"
        notes = ["to YAML a carriage return alone ends a line, too"]
        self.report(codes.UNSUPPORTED, at, at + 3, message, notes=notes, helps=["end lines with a line feed"])

    def _tree(self, get: Any, events: Any) -> Node:
        """One document's nodes, by an explicit stack of (container, its anchor, counts before it)."""
        ScalarEvent, MappingStart, SequenceStart = (
            events.ScalarEvent,
            events.MappingStartEvent,
            events.SequenceStartEvent,
        )
        AliasEvent = events.AliasEvent
        stack: list[tuple[Mapping | Sequence, str | None, tuple[int, int, int]]] = []
        container: Any = None
        pending: Scalar | None = None
        # the innermost collection that stands where a key is wanted
        odd: list[Mapping | Sequence] = []
        merges: dict[int, list[tuple[Scalar, Node]]] = {}
        while True:
            event = get()
            kind = type(event)
            if kind is ScalarEvent:
                node: Node = self._scalar(event)
                if self.questions and container is not None and "?" in event.value:
                    self._question(node, container)
                if event.anchor is not None:
                    self.anchors[event.anchor] = (node, 1, len(event.value), 0)
            elif kind is AliasEvent:
                node = self._alias(event, len(stack))
            elif kind is MappingStart or kind is SequenceStart:
                if event.tag is not None:
                    self._tag(event)
                start = event.start_mark.index
                self.nodes += 1
                if self.nodes > self.most_nodes:
                    self._count_at(start, 0, 0)
                if len(stack) >= MOST_DEPTH:
                    raise self._too_deep(start)
                opened: Mapping | Sequence = Mapping(start) if kind is MappingStart else Sequence(start)
                is_key = pending is None and type(container) is Mapping
                if is_key:
                    self._odd_key(opened)
                    odd.append(opened)
                if event.anchor is not None:
                    self.anchors[event.anchor] = None
                stack.append((opened, event.anchor, (self.nodes, self.characters, self.deepest)))
                if event.anchor is not None or len(stack) > self.deepest:
                    self.deepest = len(stack)
                if container is not None and not is_key:
                    self._put(container, pending, opened, merges)
                container, pending = opened, None
                continue
            else:  # the end of a mapping or sequence
                closed, anchor, (nodes, characters, deepest) = stack.pop()
                closed.end = event.end_mark.index
                if merges and id(closed) in merges:
                    self._merge(closed, merges.pop(id(closed)))
                if anchor is not None:
                    below, levels = self.nodes - nodes + 1, self.deepest - len(stack)
                    self.anchors[anchor] = (closed, below, self.characters - characters, levels)
                    self.deepest = max(self.deepest, deepest)
                if not stack:
                    return closed
                container, pending = stack[-1][0], None
                if odd and odd[-1] is closed:
                    odd.pop()
                    pending = _DROPPED
                continue
            if container is None:
                return node
            if type(container) is Sequence:
                container.items.append(node)
                container.value.append(node.value)
            elif pending is None:
                pending = node if type(node) is Scalar and type(node.value) is str else self._key(node)
            elif pending.value not in container.items and pending.plain != "<<":
                # as `_put` does it, which is called for the rest: here most nodes come by
                name = pending.value
                container.keys[name], container.items[name], container.value[name] = pending, node, node.value
                pending = None
            else:
                self._put(container, pending, node, merges)
                pending = None

    def _put(
        self, container: Any, pending: Scalar | None, node: Node, merges: dict[int, list[tuple[Scalar, Node]]]
    ) -> None:
        if type(container) is Sequence:
            container.items.append(node)
            container.value.append(node.value)
            return
        assert pending is not None
        if pending is _DROPPED:
            return
        name = pending.value
        if pending.plain == "<<":
            first = merges.setdefault(id(container), [])
            if first:
                message = "the key `<<` appears twice in this mapping"
                self.report(codes.DUPLICATE_KEY, pending.start, pending.end, message)
            first.append((pending, node))
            return
        if name in container.items:
            first = container.keys[name]
            message = f"the key `{name}` appears twice in this mapping"
            related = [(Place((), offsets=(first.start, first.end)), "first definition")]
            note = "readers disagree on which one counts: some refuse the file, some keep the first, some the last"
            self.twice += 1
            self.report(
                codes.DUPLICATE_KEY,
                pending.start,
                pending.end,
                message,
                label="second definition",
                related=related,
                notes=[note],
                fix=_united(name, container.items[name], node, pending.start),
            )
        container.keys[name] = pending
        container.items[name] = node
        container.value[name] = node.value

    def _merge(self, mapping: Any, merges: list[tuple[Scalar, Node]]) -> None:
        """YAML 1.1 merge keys: the mapping's own keys win, then the first mapping that has a key."""
        merged_names: dict[str, None] = {}
        for key, node in merges:
            sources = node.items if type(node) is Sequence else [node]
            for merged in sources:
                if type(merged) is not Mapping:
                    # an alias that leads nowhere was reported
                    if all(one.place.offsets != (merged.start, merged.end) for one in self.findings):
                        self.report(codes.UNSUPPORTED, key.start, key.end, "`<<` merges mappings only")
                    break
                for name, item in merged.items.items():
                    self._count_at(key.start, 1, len(name))
                    if name in mapping.items and name not in merged_names and mapping.keys[name].start < key.start:
                        self._overridden(key, mapping.keys[name])
                    if name not in mapping.items:
                        merged_names[name] = None
                        mapping.keys[name] = merged.keys[name]
                        mapping.items[name] = item
                        mapping.value[name] = item.value

    def _overridden(self, key: Scalar, own: Scalar) -> None:
        message = f"`<<` overrides the key `{own.value}` before it to kubectl, and not to other readers"
        related = [(Place((), offsets=(own.start, own.end)), "this key")]
        self.report(codes.UNSUPPORTED, key.start, key.end, message, related=related, helps=["write `<<` first"])

    def _odd_key(self, node: Node) -> Scalar:
        message = "a key that is a list or a mapping cannot become JSON"
        helps = []
        if self.source.text.startswith("{{", node.start - 1):
            line = self.source.line(self.source.position(node.start)[0]).strip()
            before, mark, rest = line.partition("{{")
            helps = [f'a template puts its braces into quotes: `{before}"{mark}{rest}"`']
        self.report(codes.UNSUPPORTED, node.start, node.start + 1, message, helps=helps)
        return _DROPPED

    def _key(self, node: Node) -> Scalar:
        if type(node) is not Scalar:
            return self._odd_key(node)
        if type(node.value) is str:
            return node
        value = node.value
        if value is None:
            message = "a key that is null cannot become JSON"
            self.report(codes.UNSUPPORTED, node.start, max(node.end, node.start + 1), message)
            return _DROPPED
        if not isinstance(value, bool) and _rounded(value, written := node.plain or str(value)):
            message = f"the key `{written}` is a number to kubectl, which rounds it and drops zeros"
            self.report(codes.UNSUPPORTED, node.start, node.end, message, helps=[f'write `"{written}"`'])
            return Scalar(written, node.start, node.end, node.plain, node.style)
        # sigs.k8s.io/yaml turns keys into JSON names: booleans and numbers as their text
        name = str(value).lower() if isinstance(value, bool) else str(value)
        key = Scalar(name, node.start, node.end, node.plain, node.style)
        if isinstance(value, bool) or name != node.plain:
            if self.weird and self.weird[-1][0] is node:
                self.weird.pop()
            self.weird.append((node, True))
        return key

    def _scalar(self, event: Any) -> Scalar:
        text: str = event.value
        nodes = self.nodes = self.nodes + 1
        characters = self.characters = self.characters + len(text)
        start, end, style = event.start_mark.index, event.end_mark.index, event.style
        if nodes > self.most_nodes or characters > self.most_characters:
            self._count_at(start, 0, 0)
        if event.tag is not None:
            self._tag(event)
            if style or not event.tag.startswith(_CORE) or event.tag == _TEXT:
                return Scalar(text, start, end, None, style or "*")
        if style:
            if self.json > start and style == '"':
                return self._json_text(text, start, end)
            if self.slashes and style == '"':
                self._slash(start, end)
            return Scalar(text, start, end, None, style)
        if text and text[0] not in HINTS:
            return Scalar(text, start, end, text, "")
        try:
            value, doubtful = meaning(text)
        except TooLong:
            # to kubectl it is a float, with other digits
            self.report(codes.LIMIT, start, end, "the number has more digits than 64 bits hold")
            return Scalar(text, start, end, text, "")
        except NotFinite:
            self.report(codes.UNSUPPORTED, start, end, f"JSON has no number `{text}`")
            return Scalar(text, start, end, text, "")
        scalar = Scalar(value, start, end, text, "")
        if doubtful:
            self.weird.append((scalar, False))
        return scalar

    def _json_text(self, text: str, start: int, end: int) -> Scalar:
        if "\\u" in self.source.text[start:end]:
            from specgen.document.faults import json_text

            text, finding = json_text(self.source, start, end)
            self.findings += [finding] if finding is not None else []
        return Scalar(text, start, end, None, '"')

    def _question(self, node: Node, container: Mapping | Sequence) -> None:
        """SG005: go-yaml ends a text without quotes at this sign, where it stands between brackets."""
        from specgen.document.faults import is_flow

        if type(node) is Scalar and node.style in ("", "*") and is_flow(self.source.text, container.start):
            message = "kubectl refuses `?` in a text without quotes between brackets"
            self.report(codes.UNSUPPORTED, node.start, node.end, message, helps=["put the text into quotes"])

    def _slash(self, start: int, end: int) -> None:
        at = self.source.text.find("\\", start, end)
        while at >= 0:
            if self.source.text[at + 1] == "/":
                message = "kubectl does not know the escape `\\/`"
                self.report(codes.UNSUPPORTED, at, at + 2, message, helps=["write `/`"])
            at = self.source.text.find("\\", at + 2, end)

    def _alias(self, event: Any, depth: int) -> Node:
        start, end = event.start_mark.index, event.end_mark.index
        if event.anchor not in self.anchors:
            self.report(codes.SYNTAX, start, end, f"no anchor `&{event.anchor}` stands before this alias")
            return Scalar(None, start, end, None, "*")
        entry = self.anchors[event.anchor]
        if entry is None:
            self.report(codes.LIMIT, start, end, f"the anchor `&{event.anchor}` contains itself")
            return Scalar(None, start, end, None, "*")
        target, nodes, characters, levels = entry
        self._count_at(start, nodes, characters)
        if depth + levels > MOST_DEPTH:
            raise self._too_deep(start)
        self.deepest = max(self.deepest, depth + levels)
        if type(target) is Scalar:
            return Scalar(target.value, start, end, None, "*")
        if type(target) is Mapping:
            copy = Mapping(start)
            copy.value, copy.keys, copy.items, copy.end = target.value, target.keys, target.items, end
            return copy
        assert type(target) is Sequence
        items = Sequence(start)
        items.value, items.items, items.end = target.value, target.items, end
        return items

    def _too_deep(self, at: int) -> _Stop:
        return self.stop(codes.LIMIT, at, at + 1, f"the file nests deeper than {MOST_DEPTH} levels")

    def _tag(self, event: Any) -> None:
        at = event.start_mark.index
        message = f"the tag `{event.tag[:60]}` is not read by Kubernetes"
        note = "kubectl drops local tags and keeps the text behind them"
        end = min(at + 1, len(self.source.text))
        self.report(codes.UNSUPPORTED, at, end, message, notes=[note], helps=["write the value itself"])

    def _count_at(self, at: int, nodes: int, characters: int) -> None:
        self.nodes += nodes
        self.characters += characters
        if self.nodes > self.most_nodes:
            raise self.stop(codes.LIMIT, at, at + 1, f"the file expands to more than {self.most_nodes:,} nodes")
        if self.characters > self.most_characters:
            message = f"the file expands to more than {self.most_characters:,} characters"
            raise self.stop(codes.LIMIT, at, at + 1, message)


def _rounded(value: int | float, plain: str) -> bool:
    """Whether sigs.k8s.io/yaml gives a number another name than its text as a key: it prints floats with 32 bits."""
    if isinstance(value, int):
        return integer(plain.replace("_", "")) is None
    return str(value) != plain or plain.endswith(".0") or len(plain) > 7 or abs(value) < 1e-4
