"""Patches of real files made odd: what is offered means what was asked, and touches nothing else.

What is expected is worked out here by other means than in the compiler: the tree by changing a copy, the touched text
by the reader's own marks.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import unified_diff
from pathlib import Path
from random import Random
from typing import Any

import pytest
import ruamel.yaml
import yaml

from specgen.diagnostics.operations import Append, Move, Refusal, Remove, Rename, ReplaceText, Set, Wrap
from specgen.document.patch import applied, patched
from specgen.document.read import read
from specgen.document.tree import Document, Mapping, Scalar
from specgen.source import Source
from tests.document.mutants import ODD, files, mutant

VALUES: tuple[Any, ...] = (
    *(
        "plain",
        "8",
        "yes",
        "two words",
        "a: b",
        "#no",
        "- x",
        "",
        "中 😀",
        "it's",
        'say "x"',
        "x\ty",
        "{a}",
        "[",
        "a, b",
    ),
    *("one\ntwo", "one\ntwo\n", "one\n\n", "/opt/x:/y", "*a", "&a", "!t", "null", "~", "1e3", "0644", "2024-01-02"),
    *(8, 0, -1, 2**40, 1.5, 1e21, True, False, None, {}, [], {"a": 1}, ["x"], [{"name": "X", "value": "8"}]),
    *({"a": {"b": [1, [2, 3], {"c": None}]}, "d e": "f"}, [[1, 2], [], {}], {"text": "one\ntwo\n", "x": 1}),
)
KEYS = ("fresh", "with space", "8", "yes", "中", "a.b/c", "k-1", "it's")


def paths(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    if path:
        yield path, node
    if isinstance(node, dict):
        for key, child in node.items():
            yield from paths(child, (*path, key))
    elif isinstance(node, list):
        for index, child in enumerate(node):
            yield from paths(child, (*path, index))


def operation(data: Any, known: list[tuple[tuple[str | int, ...], Any]], chance: Random) -> Any:
    path, value = chance.choice(known)
    kind = chance.randrange(9)
    if kind == 0:
        return Remove(path)
    if kind == 1 and isinstance(value, dict):
        return Set((*path, chance.choice(KEYS)), chance.choice(VALUES))
    if kind == 2 and isinstance(value, list):
        return Append(path, chance.choice(VALUES))
    if kind == 3 and isinstance(path[-1], str):
        return Rename(path, chance.choice(KEYS))
    if kind == 8 and isinstance(path[-1], str):
        return Wrap(path, chance.choice(KEYS))
    if kind in (4, 5) and isinstance(value, str) and value:
        at = chance.randrange(len(value))
        part = value[at : at + chance.randint(1, 6)]
        if value.count(part) > 1:
            part = value
        return ReplaceText(path, part, chance.choice(("", "x", "1", ": ", "é😀", "'", '"')))
    if kind == 6:
        wanted = dict if isinstance(path[-1], str) else list
        homes = [
            (there, holder) for there, holder in known if isinstance(holder, wanted) and there[: len(path)] != path
        ]
        if homes:
            there, holder = chance.choice(homes)
            return Move(path, (*there, chance.choice(KEYS) if isinstance(holder, dict) else len(holder)))
    return Set(path, chance.choice(VALUES))


def meet(one: Any, other: Any) -> bool:
    """Whether one of two operations may be about what the other changes."""
    places = [[it.path, *([it.to, it.to[:-1]] if isinstance(it, Move) else [])] for it in (one, other)]
    return any(a[: len(b)] == b or b[: len(a)] == a for a in places[0] for b in places[1])


def look(data: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        data = data[step]
    return data


def outcome(data: Any, patch: list[Any]) -> Any:
    """The data as they ought to be: what keeps its place first, then what comes in, then what goes."""
    tree = copy.deepcopy(expanded(data))
    gone = []
    late = []
    for one in single(patch):
        holder, step = look(tree, one.path[:-1]), one.path[-1]
        if isinstance(one, Set):
            late.append((holder, step, copy.deepcopy(one.value)))
        elif isinstance(one, ReplaceText):
            spans = [
                (holder[step].index(other.old), other)
                for other in single(patch)
                if other.path == one.path and isinstance(other, ReplaceText)
            ]
            text = holder[step]
            for at, other in sorted(spans, key=lambda pair: -pair[0]):
                text = text[:at] + other.new + text[at + len(other.old) :]
            late.append((holder, step, text))
        elif isinstance(one, Append):
            late.append((holder[step], None, copy.deepcopy(one.value)))
        elif isinstance(one, Move):
            late.append((look(tree, one.to[:-1]), one.to[-1], holder[step]))
            gone.append((holder, step))
        elif isinstance(one, (Rename, Wrap)):
            late.append((holder, one.key, one))
        else:
            gone.append((holder, step))
    for holder, step, value in sorted(late, key=lambda one: isinstance(one[2], (Rename, Wrap))):
        if isinstance(value, Rename):
            holder[step] = holder.pop(value.path[-1])
        elif isinstance(value, Wrap):
            holder[step] = {value.path[-1]: holder.pop(value.path[-1])}
        elif isinstance(holder, list) and (step is None or step >= len(holder)):
            holder.append(value)
        else:
            holder[step] = value
    for holder, step in sorted(
        gone, key=lambda pair: str(pair[1]).zfill(9) if isinstance(pair[1], int) else "", reverse=True
    ):
        del holder[step]
    return tree


def single(patch: list[Any]) -> list[Any]:
    """A patch with each operation once, but for items that are added twice."""
    return [
        one
        for number, one in enumerate(patch)
        if isinstance(one, Append) or spelt([one]) not in map(spelt, [[other] for other in patch[:number]])
    ]


def expanded(data: Any) -> Any:
    """Data in which nothing is shared."""
    if isinstance(data, dict):
        return {key: expanded(value) for key, value in data.items()}
    return [expanded(value) for value in data] if isinstance(data, list) else data


def typed(data: Any) -> Any:
    """Data that are equal only to data of the same types."""
    if isinstance(data, dict):
        return {key: typed(value) for key, value in data.items()}
    return [typed(value) for value in data] if isinstance(data, list) else (type(data).__name__, data)


def comments(document: Document) -> list[tuple[int, int]]:
    """Offset and column of each comment in the lines of a text."""
    text, hidden = document.source.text, document.texts()
    found = []
    at = text.find("#")
    while at >= 0:
        start = text.rfind("\n", 0, at) + 1
        if (at == start or text[at - 1] in " \t") and not any(begin <= at < end for begin, end in hidden):
            found.append((at, at - start))
            at = text.find("\n", at)
            if at < 0:
                break
        at = text.find("#", at + 1)
    return found


def nodes(text: str, node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], int, int]]:
    """(path, first and last offset) of each key, scalar and bracket; borrowed ones come with each path they have."""
    if isinstance(node, Scalar):
        yield path, node.start, node.end
        return
    if text[node.start : node.start + 1] in ("{", "["):
        yield path, node.start, node.start + 1
        yield path, node.end - 1, node.end
    children = node.items.items() if isinstance(node, Mapping) else enumerate(node.items)
    for step, child in children:
        if isinstance(node, Mapping):
            key = node.keys[str(step)]
            yield (*path, step), key.start, key.end
        yield from nodes(text, child, (*path, step))


class Known:
    """What is needed of a document for each of its cases."""

    def __init__(self, document: Document, documents: list[Document]) -> None:
        self.document = document
        self.all = documents
        self.paths = list(paths(expanded(document.data)))
        self.nodes = list(nodes(document.source.text, document.root))
        self.comments = comments(document)

    def foreign(self, patch: list[Any], edits: list[Any]) -> list[str]:
        """What edits take away that no operation names: signs of other entries, comments of other lines."""
        text = self.document.source.text
        named = [one.path for one in patch]
        # empty brackets give way to a block
        named += [
            home
            for one in patch
            if not look(self.document.data, home := (one.to if isinstance(one, Move) else one.path)[:-1])
        ]
        found = []
        for edit in edits:
            start, end = edit.offset, edit.offset + edit.length
            if start == end:
                continue
            for path, begin, stop in self.nodes:
                meets = begin < end and start < stop and text[max(start, begin) : min(end, stop)].strip()
                if meets and not any(path[: len(name)] == name for name in named):
                    found.append(f"{path} {text[start:end]!r}")
            entries = [
                self._head(name) + spans
                for name in named
                if (spans := [span for path, *span in self.nodes if path[: len(name)] == name])
            ]
            for at, column in self.comments:
                if start <= at < end and not any(self._belongs(at, column, spans) for spans in entries):
                    found.append(text[at : text.find("\n", at)])
        return found

    def _head(self, name: tuple[str | int, ...]) -> list[list[int]]:
        """Where an item begins: it may be a merge key, which is no key of the data."""
        node = self.document.node(name) if name and isinstance(name[-1], int) else None
        return [[node.start, node.start]] if isinstance(node, Mapping) else []

    def _belongs(self, at: int, column: int, spans: list[list[int]]) -> bool:
        """Whether a comment stands within an entry, right above it, or right below it and indented deeper."""
        source = self.document.source
        line = source.position(at)[0]
        first = source.position(spans[0][0])[0]
        # what is borrowed stands before
        last = max(source.position(max(end - 1, start))[0] for start, end in spans if start >= spans[0][0])
        if first <= line <= last:
            return True
        step = 1 if line < first else -1
        if step < 0:
            begin = source.line(first)
            above = first - 1
            while above > 0 and not source.line(above).partition("#")[0].strip("-?\t "):
                if source.line(above).lstrip()[:1] in ("-", "?"):
                    begin = source.line(above)
                above -= 1
            if column <= len(begin) - len(begin.lstrip(" ")):
                return False
        # a dash or a question mark may stand alone between a comment and what it is about
        while not first <= line <= last:
            text = source.line(line).strip()
            if not text or text.partition("#")[0].strip("-?\t "):
                return False
            line += step
        return True


def cases(texts: list[str], number: int, seed: int) -> Iterator[tuple[Known, list[Any], bool]]:
    chance = Random(seed)
    made = 0
    while made < number:
        base = chance.choice(ODD) if chance.random() < 0.2 else chance.choice(texts)
        try:
            text, common = mutant(base, chance)
        except (yaml.YAMLError, TypeError):
            continue
        documents, findings = read(Source("t", text))
        trees = [document for document in documents if isinstance(document.data, (dict, list))]
        if findings or not trees:
            continue
        known = Known(chance.choice(trees), documents)
        if not known.paths:
            continue
        for _ in range(25):
            patch = [operation(known.document.data, known.paths, chance)]
            for _ in range(chance.choice((0, 0, 0, 1, 2))):
                other = operation(known.document.data, known.paths, chance)
                if chance.random() < 0.1 or not any(meet(one, other) for one in patch):
                    patch.append(other)
            yield known, patch, common and base not in ODD
            made += 1


def spelt(patch: list[Any]) -> str:
    """A patch as one would write it, the path first."""
    lines = []
    for one in patch:
        words = [repr(getattr(one, name)) for name in sorted(one.__slots__, key="path".__ne__)]
        lines.append(f"{type(one).__name__}({', '.join(words)})")
    return ", ".join(lines)


class Case:
    """One patch of one text, and what it came to."""

    def __init__(self, known: Known, patch: list[Any], edits: list[Any]) -> None:
        self.known = known
        self.patch = patch
        self.edits = edits
        self.before = known.document.source.text
        self.after = applied(self.before, [(edit.offset, edit.length, edit.text) for edit in edits])

    def told(self) -> str:
        """The case, for those who read that it failed."""
        return "\n".join(
            [spelt(self.patch), *self.known.foreign(self.patch, self.edits), *changes(self.before, self.after)]
        )

    def means_what_was_asked(self) -> None:
        documents, findings = read(Source("t", self.after))
        assert not findings and len(documents) == len(self.known.all), self.told()
        for document, before in zip(documents, self.known.all, strict=True):
            mine = before.number == self.known.document.number
            wanted = outcome(before.data, self.patch) if mine else before.data
            assert typed(document.data) == typed(wanted), self.told()

    def touches_nothing_else(self) -> None:
        assert self.known.foreign(self.patch, self.edits) == [], self.told()
        taken = [(edit.offset, edit.offset + edit.length) for edit in self.edits]
        (document,) = [one for one in read(Source("t", self.after))[0] if one.number == self.known.document.number]
        left = iter([line_from(self.after, at) for at, _ in comments(document)])
        for at, _ in self.known.comments:
            if not any(start <= at < end for start, end in taken):
                assert line_from(self.before, at) in left, self.told()

    def keeps_line_ends(self) -> None:
        if "\r" not in self.before:
            assert "\r" not in self.after, self.told()
        elif self.before.count("\r\n") == self.before.count("\n"):
            assert self.after.count("\r\n") == self.after.count("\n"), self.told()

    def means_the_same_to(self, load: Callable[[str], list[Any]]) -> None:
        """Another reader agrees: what it read before, changed in the same way, is what it reads now."""
        number = self.known.document.number
        try:
            tree = load(self.before)[number]
            if {path for path, _ in paths(tree)} != {path for path, _ in self.known.paths}:
                return  # its keys are others: `on` is true to it, or a date
            wanted = outcome(tree, self.patch)
        except (yaml.YAMLError, ruamel.yaml.error.YAMLError, KeyError, TypeError, AttributeError, ValueError):
            return  # it does not take the text, or sees other types at these paths
        assert typed(load(self.after)[number]) == typed(wanted), self.told()


def line_from(text: str, at: int) -> str:
    return text[at:].partition("\n")[0].rstrip("\r") if "\n" in text[at:] else text[at:]


def changes(before: str, after: str) -> list[str]:
    """The lines that differ, with some around them."""
    return [repr(line) for line in unified_diff(before.split("\n"), after.split("\n"), n=4)]


def libyaml(text: str) -> list[Any]:
    return list(yaml.load_all(text, yaml.CSafeLoader))


def ruamel_yaml(text: str) -> list[Any]:
    return list(ruamel.yaml.YAML(typ="safe", pure=True).load_all(text))


def check(texts: list[str], number: int, seed: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    for count, (known, patch, common) in enumerate(cases(texts, number, seed)):
        edits = patched(known.document, patch)
        kind = f"{'common' if common else 'rare'} {type(patch[0]).__name__ if len(patch) == 1 else 'several'}"
        seen[kind] += 1
        if isinstance(edits, Refusal):
            seen[f"{kind} refused"] += 1
            seen[f"because {'…'.join(edits.reason.split('`')[::2])}"] += 1
            continue
        case = Case(known, patch, edits)
        case.means_what_was_asked()
        case.touches_nothing_else()
        case.keeps_line_ends()
        if count % 50 == 0:
            case.means_the_same_to(libyaml)
        if count % 400 == 0:
            case.means_the_same_to(ruamel_yaml)
    return seen


def report(seen: Counter[str]) -> dict[str, float]:
    shares = {}
    for shape in ("common", "rare"):
        kinds = [kind for kind in seen if kind.startswith(shape) and not kind.endswith("refused")]
        refused = sum(seen[f"{kind} refused"] for kind in kinds)
        shares[shape] = refused / max(1, sum(seen[kind] for kind in kinds))
        for kind in sorted(kinds):
            print(f"{kind}: {seen[kind]}, refused {seen[f'{kind} refused']}")
    for reason, count in seen.most_common():
        if reason.startswith("because"):
            print(f"{count} {reason}")
    return shares


@pytest.mark.parametrize("number", [400, pytest.param(12_000, marks=pytest.mark.fuzz)])
def test_patches_mean_what_was_asked_and_touch_nothing_else(shared: Path, number: int) -> None:
    shares = report(check(files(shared), number, seed=1))
    # of the common shapes, what has to be refused: two operations that meet, and comments that would be lost
    assert shares["common"] < 0.05, shares
    assert shares["rare"] < 0.25, shares
