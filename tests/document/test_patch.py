"""Patches, text by text: ``patches/*.txt`` hold an operation, the text before it and the text after it.

``␍`` stands for CR, ``␃`` for the end of a text that has no last line end. Of several documents the second is patched.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
import yaml
import yaml.events

from specgen.diagnostics.operations import Append, Move, Refusal, Remove, Rename, ReplaceText, Set, Unite, Wrap
from specgen.document import libyaml
from specgen.document.codes import DUPLICATE_KEY
from specgen.document.decode import decode
from specgen.document.patch import applied
from specgen.document.patch import patched as edits_of
from specgen.document.read import read
from specgen.document.scan import layout
from specgen.document.tree import Document
from specgen.source import Source

NAMES = {one.__name__: one for one in (Append, Move, Remove, Rename, ReplaceText, Set, Wrap)}


def cases() -> Iterator[Any]:
    for file in sorted((Path(__file__).parent / "patches").glob("*.txt")):
        for case in file.read_bytes().decode().split("## ")[1:]:
            title, _, rest = case.partition("\n")
            patch, _, rest = rest.partition("\n<<<\n")
            before, _, rest = rest.partition("\n===")
            verdict, _, after = rest.partition("\n")
            after = "" if after.startswith(">>>") else after.partition("\n>>>")[0]
            values = (patch, written(before), verdict.strip(), written(after))
            yield pytest.param(*values, id=f"{file.stem}: {title}")


def written(text: str) -> str:
    text = text.replace("␍", "\r")
    return text[:-1] if text.endswith("␃") else text + "\n"


CASES = list(cases())


def operations(patch: str, text: str = "") -> list[Any]:
    """``Unite(2)`` is about the second duplicate key that the reader finds in the text."""

    def unite(number: int) -> Unite:
        found = [one for one in read(Source("t", text))[1] if one.code is DUPLICATE_KEY]
        return Unite((found[number - 1].place.offsets or (0, 0))[0])

    return list(eval(f"({patch},)", {**NAMES, "Unite": unite}))


def document_of(source: Source) -> Document:
    documents, _ = read(source)
    return documents[min(1, len(documents) - 1)]


def patched(text: str, patch: list[Any]) -> str | Refusal:
    edits = edits_of(document_of(Source("t", text)), patch)
    if isinstance(edits, Refusal):
        return edits
    return applied(text, [(edit.offset, edit.length, edit.text) for edit in edits])


@pytest.fixture(params=["libyaml", "PyYAML"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "PyYAML":
        if "tabs" in request.node.name:
            pytest.skip("PyYAML's own parser takes no tab before a comment")
        monkeypatch.setattr(libyaml, "_loaded", (libyaml._pure(), yaml.events, yaml.YAMLError))


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(("patch", "before", "verdict", "after"), CASES)
def test_patches(patch: str, before: str, verdict: str, after: str) -> None:
    if verdict == "unread":
        documents, findings = read(Source("t", before))
        assert findings and not documents
        return
    outcome = patched(before, operations(patch, before))
    if verdict:
        assert isinstance(outcome, Refusal)
        assert f"refused: {outcome.reason}" == verdict
    else:
        assert not isinstance(outcome, Refusal), outcome.reason
        assert outcome == after


@pytest.mark.parametrize(("patch", "before", "verdict", "after"), CASES)
def test_the_order_of_operations_does_not_matter(patch: str, before: str, verdict: str, after: str) -> None:
    whole = operations(patch, before)
    if verdict or len(whole) > 4:
        return
    for order in permutations(whole):
        outcome = patched(before, list(order))
        assert not isinstance(outcome, Refusal), outcome.reason
        assert read(Source("t", outcome))[0][-1].data == read(Source("t", after))[0][-1].data


def test_a_mark_of_byte_order_stays() -> None:
    source, _ = decode("t", "\ufeffa: 1\nb: 2\n".encode())
    assert source is not None and source.bom
    edits = edits_of(document_of(source), [Set(("b",), 3)])
    assert not isinstance(edits, Refusal)
    assert [(edit.source, edit.offset, edit.length, edit.text) for edit in edits] == [(source, 8, 1, "3")]


@pytest.mark.parametrize("value", [float("nan"), object(), {1: 2}, {"a": {None: 1}}, "\ud800", [set()]])
def test_what_cannot_be_written_is_refused(value: Any) -> None:
    assert isinstance(patched("a: 1\nb: {}\nc: [x]\n", [Set(("a",), value)]), Refusal)
    assert isinstance(patched("a: 1\nb: {}\nc: [x]\n", [Append(("c",), value)]), Refusal)
    assert isinstance(patched('{"a": 1}\n', [Set(("a",), value)]), Refusal)


@pytest.mark.parametrize("text", ["a: 1\rb: 2\n", "a: x\x85b: 2\n", "a: x\u2028y\n"])
def test_line_ends_that_readers_see_differently_are_refused(text: str) -> None:
    documents, findings = read(Source("t", text))
    if not findings:
        assert isinstance(edits_of(documents[0], [Set(("a",), 2)]), Refusal)


@pytest.mark.parametrize("patch", [[Set((), 1)], [Remove(())], [Append((), 1)], [Set((0,), 1)], [Rename(("a",), "b")]])
def test_what_fits_no_tree_is_refused(patch: list[Any]) -> None:
    assert isinstance(patched("a: 1\nb: 2\n", patch), Refusal)


def test_a_patch_of_nothing_has_no_edits() -> None:
    assert patched("a: 1\n", []) == "a: 1\n"


def test_the_layout_knows_entries_styles_comments_and_duplicates() -> None:
    text = "a: &x {b: 1}  # flow\nl:\n- *x\n- |\n  c\n\n\na: 2\n"
    known = layout(text)
    entries = known.root.entries
    assert [(entry.name, text[entry.start : entry.end]) for entry in entries] == [
        ("a", "a: &x {b: 1}"),
        ("l", "l:\n- *x\n- |\n  c"),
        ("a", "a: 2"),
    ]
    assert [(entry.value.flow, entry.value.anchor) for entry in entries] == [(True, "x"), (False, None), (False, None)]
    assert [item.value.kind for item in entries[1].value.entries] == ["alias", "scalar"]
    assert entries[1].value.entries[0].value.target is entries[0].value
    assert [text[start:end] for start, end in known.comments] == ["# flow"]


def test_the_layout_knows_every_path_to_what_is_borrowed() -> None:
    known = layout("a: &x {b: 1}\nc: *x\nd:\n  <<: *x\n  e: 2\n")
    entry = known.find(("d", "b"))[0]
    assert entry is not None
    assert sorted(known.paths(entry, ("d", "b"))) == [("a", "b"), ("c", "b"), ("d", "b")]
