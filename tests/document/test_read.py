"""The reader: where things stand, which scalars are ambiguous, and comments that leave findings unreported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
import yaml.events

from specgen.diagnostics.model import KEY, Place
from specgen.document.decode import decode
from specgen.document.one import wary
from specgen.document.read import read
from specgen.document.tree import Document, Mapping, Scalar, Sequence
from specgen.source import Source

SAMPLE = """\
# a comment
plain: text of several words
quoted: "a\\tb"
single: 'it''s'
number: 12
"quoted key": yes it is
tab: x\ty
wide: 中文é😀 x
after 中: z
flow: [a, "b c", {d: e, f: [g]}]
list:
- one
-   two
- three: 3
  four: 4
nested:
    deep: &anchor {x: 1}
    again: *anchor
  # comment in between
merged:
  <<: *anchor
  z: 2
empty:
tilde: ~
literal: |
  line one
  line two
folded: >-
  line one
  line two
multi: begins here
  and goes on
last: end"""


def nodes(node: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    yield path, node
    if isinstance(node, Mapping):
        for key, child in node.items.items():
            yield from nodes(child, (*path, key))
    elif isinstance(node, Sequence):
        for index, child in enumerate(node.items):
            yield from nodes(child, (*path, index))


def parsed(text: str) -> Document:
    documents, findings = read(Source("t", text))
    assert findings == []
    (document,) = documents
    return document


def under(text: str, path: tuple[str | int, ...], part: str = "value") -> str:
    """The text that stands at the span of a place."""
    source, start, end = parsed(text).span(Place(path, part))
    return source.text[start:end]


@pytest.mark.parametrize("text", [SAMPLE, SAMPLE + "\n", SAMPLE.replace("\n", "\r\n")], ids=["LF", "line end", "CRLF"])
def test_every_span_holds_its_text(text: str) -> None:
    document = parsed(text)
    seen = 0
    for path, node in nodes(document.root):
        if path and isinstance(path[-1], str) and path[0] != "merged":
            written = under(text, path, KEY)
            assert written.strip('"') == path[-1]
        if not isinstance(node, Scalar):
            continue
        _, start, end = document.span(Place(path))
        written = text[start:end]
        seen += 1
        if node.style == "":
            folded = " ".join(written.split()) if "\n" in written else written
            assert folded == node.plain
        elif node.style == "*":
            assert written.startswith("*")
        elif node.style in "|>":
            assert written.startswith(node.style)
        else:
            assert yaml.load(written, yaml.SafeLoader) == node.value
    assert seen > 25


@pytest.mark.parametrize(
    ("path", "part", "wanted"),
    [
        (("plain",), "value", "text of several words"),
        (("plain",), KEY, "plain"),
        (("quoted",), "value", '"a\\tb"'),
        (("quoted key",), KEY, '"quoted key"'),
        (("tab",), "value", "x\ty"),
        (("wide",), "value", "中文é😀 x"),
        (("after 中",), "value", "z"),
        (("flow", 1), "value", '"b c"'),
        (("flow", 2, "f", 0), "value", "g"),
        (("list", 1), "value", "two"),
        (("list", 2, "four"), KEY, "four"),
        (("nested", "again"), "value", "again"),
        (("nested", "again", "x"), "value", "1"),
        (("merged", "x"), "value", "1"),
        (("merged", "z"), "value", "2"),
        (("empty",), "value", ""),
        (("last",), "value", "end"),
        # a block is never underlined: its key stands for it, a list item by its first key
        (("flow",), "value", "flow"),
        (("list", 2), "value", "three"),
        # what is absent is placed at the nearest entry that exists
        (("nested", "absent"), "value", "nested"),
        (("list", 9), "value", "list"),
        (("absent",), "value", "plain"),
        (("plain", "below", 3), "value", "plain"),
    ],
)
def test_spans_of_places(path: tuple[str | int, ...], part: str, wanted: str) -> None:
    assert under(SAMPLE, path, part) == wanted


def test_a_range_inside_a_scalar() -> None:
    document = parsed("a: --size=16\nb: '--size=16'\nc: \"\\x2d-size=16\"\n")
    texts = []
    for key in "abc":
        source, start, end = document.span(Place((key,), inside=(7, 9)))
        texts.append(source.text[start:end])
    assert texts == ["16", "16", '"\\x2d-size=16"']


def test_positions_count_lines_by_lf_and_columns_by_characters() -> None:
    source = Source("t", "a: 1\r\n中é: 2\n\tx\n")
    assert [source.position(offset) for offset in (0, 3, 6, 10, 12, 99)] == [
        (1, 1),
        (1, 4),
        (2, 1),
        (2, 5),
        (3, 1),
        (4, 1),
    ]
    assert [source.line(number) for number in (1, 2, 3, 4, 5)] == ["a: 1", "中é: 2", "\tx", "", ""]
    for offset in range(len(source.text)):
        assert source.offset(*source.position(offset)) == offset


def test_a_byte_order_mark_is_not_counted() -> None:
    source, findings = decode("t", b"\xef\xbb\xbfa: 1\n")
    assert findings == []
    assert source is not None and source.bom
    assert source.text == "a: 1\n"


def test_ambiguous_scalars() -> None:
    text = "a: yes\nb: 0644\nc: 1_000\nd: 1e3\ne: 12:30:00\nf: 2024-01-02\non: x\n12: z\n010: w\n"
    document = parsed(text)
    found = [(text[slice(*finding.place.offsets)], finding.message, finding.helps) for finding in wary(document)]  # type: ignore[misc]
    assert found == [
        (
            "yes",
            "the value `yes` without quotes is `true` to Kubernetes and something else to other readers",
            ['write `"yes"` or `true`'],
        ),
        (
            "0644",
            "the value `0644` without quotes is `420` to Kubernetes and something else to other readers",
            ['write `"0644"` or `420`'],
        ),
        (
            "1_000",
            "the value `1_000` without quotes is `1000` to Kubernetes and something else to other readers",
            ['write `"1_000"` or `1000`'],
        ),
        (
            "1e3",
            "the value `1e3` without quotes is `1000` to Kubernetes and something else to other readers",
            ['write `"1e3"` or `1000`'],
        ),
        (
            "12:30:00",
            "the value `12:30:00` without quotes is text to Kubernetes and a date or a number to YAML 1.1",
            ['write `"12:30:00"`'],
        ),
        (
            "2024-01-02",
            "the value `2024-01-02` without quotes is text to Kubernetes and a date or a number to YAML 1.1",
            ['write `"2024-01-02"`'],
        ),
        (
            "on",
            "the key `on` without quotes is `true` to Kubernetes and something else to other readers",
            ['write `"on"`'],
        ),
        (
            "010",
            "the key `010` without quotes is `8` to Kubernetes and something else to other readers",
            ['write `"010"`'],
        ),
    ]
    assert {finding.severity for finding in wary(document)} == {"warning"}


def test_clear_scalars_are_not_ambiguous() -> None:
    text = "a: true\nb: null\nc: ~\nd:\ne: 12\nf: -1\ng: 1.5\nh: text\ni: \"yes\"\nj: '0644'\n"
    text += "k: v1.2\nl: 10.0.0.1\nm: a:b\np: 500m\nq: 1-2\n12: x\n"
    assert wary(parsed(text)) == []
