"""Texts that no reader takes, and the one edit with which it goes on."""

from __future__ import annotations

import pytest

from specgen.document.patch import applied, patched
from specgen.document.read import read
from specgen.document.tree import Document
from specgen.source import Source

NBSP = "\u00a0"

# (text, title, text after the edit)
REMEDIES = [
    (
        f"a:\n {NBSP}b: 1\n  c: 3\n {NBSP}d:{NBSP}2\n",
        "write plain blanks for 3 blanks that YAML does not know",
        "a:\n  b: 1\n  c: 3\n  d: 2\n",
    ),
    ("a:\n+ b: 1\n+ c: 2\n  d: 3\n", "take out the `+` of a diff", "a:\n  b: 1\n  c: 2\n  d: 3\n"),
    ('args:\n- "--a"="b"\n- c\n', "close the quotes once", 'args:\n- "--a=b"\n- c\n'),
    ("on:\n- event: *\n  x: 1\n", "quote the text", 'on:\n- event: "*"\n  x: 1\n'),
    ("a: @b # why\nc: 1\n", "quote the text", 'a: "@b" # why\nc: 1\n'),
    ("// a file\na: 1\n", "begin the comment with `#`", "# a file\na: 1\n"),
]


@pytest.mark.parametrize(("text", "title", "after"), REMEDIES)
def test_a_remedy_lets_the_reader_go_on(text: str, title: str, after: str) -> None:
    source = Source("job.yaml", text)
    findings = [one for one in read(source)[1] if one.code.id == "SG002"]
    assert len(findings) == 1
    fix, where = findings[0].fix, findings[0].where
    assert fix is not None and fix.title == title and isinstance(where, Document)
    edits = patched(where, fix.patch)
    assert isinstance(edits, list)
    assert applied(text, [(one.offset, one.length, one.text) for one in edits]) == after
    assert not read(Source("job.yaml", after))[1]


OBJECT = "apiVersion: v1\nkind: Job\nmetadata: {name: a}\nspec: {}\n"


@pytest.mark.parametrize("many", [2, 3])
def test_objects_without_a_marker_between_them_are_parted(many: int) -> None:
    text = OBJECT * many
    documents, findings = read(Source("job.yaml", text))
    assert len(documents) == 1 and [one.code.id for one in findings] == ["SG003"] * (many - 1)
    edits = []
    for one in findings:
        assert one.fix is not None and one.fix.title == "write `---` before it" and isinstance(one.where, Document)
        found = patched(one.where, one.fix.patch)
        assert isinstance(found, list)
        edits += [(edit.offset, edit.length, edit.text) for edit in found]
    assert applied(text, edits) == "---\n".join([OBJECT] * many)
    # what says no more than its kind again is one object, of which a line stands twice
    again = read(Source("job.yaml", OBJECT + "kind: Job\n"))[1]
    assert [one.message for one in again] == ["the key `kind` appears twice in this mapping"]


@pytest.mark.parametrize("text", ["a: [1\n", "a:\n\tb: 1\n", 'a: "b\n', "a: b\n c\n: d: e\n", "a: {b: 1}}\n"])
def test_what_has_no_one_remedy_gets_none(text: str) -> None:
    findings = read(Source("job.yaml", text))[1]
    assert findings and findings[0].fix is None
