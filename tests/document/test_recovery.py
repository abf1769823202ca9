"""What is wrong with a text, and what is read of it all the same; PyYAML's own parser says it in the same words."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
import yaml.events

from specgen.document import libyaml
from specgen.document.read import read
from specgen.linting import lint_text
from specgen.source import Source

TAG = "the tag `{}` is not read by Kubernetes"
QUESTION = "kubectl refuses `?` in a text without quotes between brackets"
CUT = "kubectl reads nothing from here on: only a line feed lets a document begin"
GOES_ON = "kubectl refuses a line that begins with `---` and goes on"
ODD_KEY = "a key that is a list or a mapping cannot become JSON"
NOT_YAML = "the file is not YAML from here on: "

# (text, data of its documents, (code, what stands at its place, message) of each finding)
CASES: list[tuple[str, list[Any], list[tuple[str, str, str]]]] = [
    ("a: !x b\nc: d\n", [{"a": "b", "c": "d"}], [("SG005", "!", TAG.format("!x"))]),
    ("a: !!str 12\n", [{"a": "12"}], [("SG005", "!", TAG.format("tag:yaml.org,2002:str"))]),
    ("a: !x [b]\nc: !x {}\n", [{"a": ["b"], "c": {}}], [("SG005", "!", TAG.format("!x"))] * 2),
    ("a: .inf\nb: 1\n", [{"a": ".inf", "b": 1}], [("SG005", ".inf", "JSON has no number `.inf`")]),
    (
        "a: 99999999999999999999\nb: 1\n",
        [{"a": "99999999999999999999", "b": 1}],
        [("SG004", "99999999999999999999", "the number has more digits than 64 bits hold")],
    ),
    ("a: *no\nb: 1\n", [{"a": None, "b": 1}], [("SG002", "*no", "no anchor `&no` stands before this alias")]),
    ("a: &a [*a]\nb: 1\n", [{"a": [None], "b": 1}], [("SG004", "*a", "the anchor `&a` contains itself")]),
    ("? [x, {y: z}]\n: 1\nb: 2\n", [{"b": 2}], [("SG005", "[", ODD_KEY)]),
    ("{a: b}: {c: d}\nb: 2\n", [{"b": 2}], [("SG005", "{", ODD_KEY)]),
    ("a: &a [x]\n*a : 1\nb: 2\n", [{"a": ["x"], "b": 2}], [("SG005", "*", ODD_KEY)]),
    ("~: 1\nb: 2\n", [{"b": 2}], [("SG005", "~", "a key that is null cannot become JSON")]),
    (
        "1e20: a\nb: 2\n",
        [{"1e20": "a", "b": 2}],
        [("SG005", "1e20", "the key `1e20` is a number to kubectl, which rounds it and drops zeros")],
    ),
    ("<<: 1\nb: 2\n", [{"b": 2}], [("SG005", "<<", "`<<` merges mappings only")]),
    (
        "a: &a {x: 1}\nb: {<<: *a, <<: {z: 2}}\n",
        [{"a": {"x": 1}, "b": {"x": 1, "z": 2}}],
        [("SG003", "<<", "the key `<<` appears twice in this mapping")],
    ),
    ('a: "x\\/y"\n', [{"a": "x/y"}], [("SG005", "\\/", "kubectl does not know the escape `\\/`")]),
    ("%YAML 1.1\n---\na: 1\n", [{"a": 1}], [("SG005", "%", "kubectl refuses a `%` directive")]),
    ("--- [a]\n---\nb: 1\n", [["a"], {"b": 1}], [("SG005", "[a]", GOES_ON)]),
    # kubectl cuts a file at lines, and go-yaml reads one document of each part
    ("a: 1\r---\rb: 2\r", [{"a": 1}, {"b": 2}], [("SG005", "---", CUT)]),
    ("a: 1\u0085---\nb: 2\n---\nc: 3\n", [{"a": 1}, {"b": 2}, {"c": 3}], [("SG005", "---", CUT)]),
    ("# a\r---\ra: 1\r", [{"a": 1}], []),
    # go-yaml is older than libyaml here
    (
        "a: [--glob, shard-?.tar, '?', \"?\"]\n",
        [{"a": ["--glob", "shard-?.tar", "?", "?"]}],
        [("SG005", "shard-?.tar", QUESTION)],
    ),
    ("a: &x [{b?: c}]\nd: e?\n", [{"a": [{"b?": "c"}], "d": "e?"}], [("SG005", "b?", QUESTION)]),
    # a syntax error ends its document alone
    (
        "a: [b\n---\nc: d\n---\ne: }\n---\nf: g\n",
        [{"c": "d"}, {"f": "g"}],
        [
            ("SG002", "[", "the `[` that opens here is never closed"),
            ("SG002", "}", NOT_YAML + "did not find expected node content"),
        ],
    ),
    ('a: "b\n---\nc: d\n', [{"c": "d"}], [("SG002", "-", NOT_YAML + "found unexpected document indicator")]),
    ('a: "b\nc: d\n', [], [("SG002", '"', "the quote that opens here is never closed")]),
    ("a: {b}}\nc: 1\n", [], [("SG002", "}", NOT_YAML + "did not find expected key")]),
    (
        "a: b\x07\n---\nc: \x01d\n",
        [{"a": "b\ufffd"}, {"c": "\ufffdd"}],
        [
            ("SG001", "\x07", "control character U+0007 is not allowed in YAML"),
            ("SG001", "\x01", "control character U+0001 is not allowed in YAML"),
        ],
    ),
    # what a parser says
    ('a: "\\U00110000"\n', [], [("SG002", "0", NOT_YAML + "found invalid Unicode character escape code")]),
    ('a: "\\\\ud8 \\ud83d\\ude80"\n', [], [("SG002", "d", NOT_YAML + "found invalid Unicode character escape code")]),
    ("a: b: c\n", [], [("SG002", ":", NOT_YAML + "mapping values are not allowed in this context")]),
    ("a: - b\n", [], [("SG002", "-", NOT_YAML + "block sequence entries are not allowed in this context")]),
    ("a: b\n- c\n", [], [("SG002", "-", NOT_YAML + "did not find expected key")]),
    ("- a\nb: c\n", [], [("SG002", "b", NOT_YAML + "did not find expected '-' indicator")]),
    ("a: `b`\n", [], [("SG002", "`", NOT_YAML + "found character that cannot start any token")]),
    ('a: "\\q"\n', [], [("SG002", "\\", NOT_YAML + "found unknown escape character")]),
    ('a: "\\xzz"\n', [], [("SG002", "z", NOT_YAML + "did not find expected hexdecimal number")]),
    ("a: |x\n  b\n", [], [("SG002", "x", NOT_YAML + "did not find expected comment or line break")]),
    ("a: &\n", [], [("SG002", "\n", NOT_YAML + "did not find expected alphabetic or numeric character")]),
    ("a: !x!y z\n", [], [("SG002", "!", NOT_YAML + "found undefined tag handle")]),
    ("[a:]\n", [], [("SG002", ":", NOT_YAML + "found unexpected ':'")]),
    # JSON is read as such, with escapes that YAML has not
    (
        json.dumps({"a": "\U0001f680", "b": "\\ud83d", "c/": 'x"'}),
        [{"a": "\U0001f680", "b": "\\ud83d", "c/": 'x"'}],
        [],
    ),
    ('{"a": "\\/"}\n---\n{"b": "\\ud83d\\ude80"}\n', [{"a": "/"}, {"b": "\U0001f680"}], []),
    (
        '{"a": "x\\ud83d", "b": 1}',
        [{"a": "x\ufffd", "b": 1}],
        [("SG001", '"x\\ud83d"', "half of a surrogate pair is no character")],
    ),
    ('{"a": "\\/",}', [{"a": "/"}], [("SG005", "\\/", "kubectl does not know the escape `\\/`")]),
]


@pytest.fixture(params=["libyaml", "PyYAML"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "PyYAML":
        monkeypatch.setattr(libyaml, "_loaded", (libyaml._pure(), yaml.events, yaml.YAMLError))


@pytest.mark.parametrize(("text", "data", "said"), CASES, ids=[repr(text)[:40] for text, _, _ in CASES])
def test_what_is_read_and_what_is_said(text: str, data: list[Any], said: list[tuple[str, str, str]]) -> None:
    documents, findings = read(Source("t", text))
    assert [document.data for document in documents] == data
    found = [(one.code.id, text[slice(*(one.place.offsets or (0, 0)))], one.message) for one in findings]
    assert found == said


def test_an_empty_document_stands_at_its_marker() -> None:
    source = Source("t", "a: 1\n---\n# c\n\n--- # d\n---\nb: 2\n---\n")
    places = [source.position(document.root.start) for document in read(source)[0]]
    assert places == [(1, 1), (2, 4), (5, 4), (7, 1), (8, 4)]


def test_a_restart_is_paid_for_by_the_length_of_the_text() -> None:
    documents, findings = read(Source("t", "a: [\n---\n" * 30_000))
    assert documents == [] and 10 < len(findings) < 100


MANIFEST = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: j, labels: {a: !x b, c: .inf}}
spec:
  runPolicy: {backoffLimit: 3.0, ttlSecondsAfterFinished: !!int 12, activeDeadlineSeconds: 99999999999999999999}
  pytorchReplicaSpecs:
    Master:
      replicas: 1.0
      template:
        spec:
          containers:
          - {name: pytorch, image: "a:1", command: [a, --glob, shard-?.tar], args: *no, ports: 5}
---
kind: [
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: k}
spec: {}
"""


def test_one_slip_hides_no_other_and_is_one_finding() -> None:
    found = [(one["primary"]["start"]["line"], one["code"], one["severity"]) for one in lint_text(MANIFEST)]
    assert found == [
        (3, "SG005", "error"),
        (3, "SG005", "error"),
        (5, "SG010", "warning"),
        (5, "SG005", "error"),
        (5, "SG004", "error"),
        (8, "SG010", "warning"),
        (12, "SG005", "error"),
        (12, "SG002", "error"),
        (12, "SG103", "error"),
        (15, "SG002", "error"),
        (19, "SG102", "error"),
    ]


def test_a_whole_number_with_a_fraction_is_what_kubectl_makes_of_it() -> None:
    text = MANIFEST.partition("---")[0].replace("!x ", "").replace(".inf", "x").replace("!!int 12", "12")
    text = text.replace("99999999999999999999", "5").replace("?", "").replace(", args: *no, ports: 5", "")
    found = lint_text(text)
    assert [(one["code"], one["message"], one["fix"]["title"]) for one in found if one["fix"]] == [
        (
            "SG010",
            "`backoffLimit` takes a whole number: kubectl makes `3` of `3.0`, not every reader does",
            "write `3`",
        ),
        ("SG010", "`replicas` takes a whole number: kubectl makes `1` of `1.0`, not every reader does", "write `1`"),
    ]
    assert {one["severity"] for one in found if one["code"] != "SG509"} == {"warning"}


def test_a_fraction_of_zero_is_nothing_where_any_number_goes() -> None:
    claim = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: a}\nspec: {x: 1.0}\n"
    assert [one["code"] for one in lint_text(claim)] == ["SG101"]


def test_a_list_in_a_list() -> None:
    config = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}
    inner = json.dumps({"apiVersion": "v1", "kind": "List", "items": [config]})
    (one,) = lint_text(f"apiVersion: v1\nkind: List\nitems:\n- {inner}\n")
    assert (one["code"], one["severity"], one["primary"]["start"]["line"]) == ("SG016", "error", 4)
    assert lint_text(inner) == []
