"""Secrets of trees, of words, and of texts; what is none of them stays."""

from __future__ import annotations

import json
from typing import Any

import pytest

from specgen.diagnostics.secrets import hidden, masked, masked_words, spans, values
from specgen.document.secrets import concealed
from specgen.source import Source

TREES: list[tuple[Any, list[tuple[str | int, ...]]]] = [
    ({"env": {"HF_TOKEN": "x", "NCCL_DEBUG": "INFO"}}, [("env", "HF_TOKEN")]),
    ({"DB_PASSWORD": {"value": "x"}}, [("DB_PASSWORD", "value")]),
    ({"TOKEN": {"secret": "hub", "key": "token"}}, []),
    ([{"value": 644, "other": 1, "name": "A_SECRET"}], [(0, "value")]),
    ([{"name": "A_SECRET", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}], []),
    ([{"name": "A_SECRET", "value": "$(OTHER)"}], []),
    ({"kind": "Secret", "data": {"a": "eA=="}, "stringData": {"b": 1}}, [("data", "a"), ("stringData", "b")]),
    ({"kind": "ConfigMap", "data": {"a": "x"}}, []),
    ({"objects": [{"kind": "Secret", "stringData": {"b": "x"}}]}, [("objects", 0, "stringData", "b")]),
    ({"args": ["--api-key", "x", "--token", "--other", "--secret", "$(X)"]}, [("args", 1)]),
    ({"topologyKey": "zone", "key": "nvidia.com/gpu", "secretName": "s", "MONKEY": "x"}, []),
]


@pytest.mark.parametrize(("tree", "found"), TREES)
def test_secrets_of_a_tree(tree: Any, found: list[tuple[str | int, ...]]) -> None:
    assert [path for path, span in hidden(tree) if span is None] == found


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("--password=hunter2", "--password=•••"),
        ("python a.py --hf-token abc --size 3", "python a.py --hf-token ••• --size 3"),
        ("export WANDB_API_KEY='a b'; run", "export WANDB_API_KEY=•••; run"),
        ("--token=$(HF_TOKEN) --token $X", "--token=$(HF_TOKEN) --token $X"),
        ("WANDB_API_KEY=<secret hub, key token>", "WANDB_API_KEY=<secret hub, key token>"),
        ("https://me:pw@host/x", "https://me:•••@host/x"),
        ("https://host:80/x@y", "https://host:80/x@y"),
        ("--max-token-length=512 --eos-tokens 3", "--max-token-length=512 --eos-tokens 3"),
        ("it says hunter22 here", "it says ••• here"),
    ],
)
def test_secrets_of_a_text(text: str, shown: str) -> None:
    assert masked(text, ["hunter22"]) == shown


def test_secrets_of_a_command_in_several_words() -> None:
    assert masked_words(["a", "--password", "b", "--x=longsecret"], ["longsecret"]) == [
        "a",
        "--password",
        "•••",
        "--x=•••",
    ]
    assert list(spans("plain words")) == []


def test_what_is_looked_for_elsewhere_is_long() -> None:
    assert values({"A_TOKEN": "short", "B_TOKEN": "longer1", "C_TOKEN": "the longest"}) == ["the longest", "longer1"]


TEXTS = [
    ("env: {HF_TOKEN: abc, A: b}\n", "env: {HF_TOKEN: •••, A: b}\n"),
    (
        "- name: HF_TOKEN\n  # far\n\n  # away\n  value: 'abc'\n",
        "- name: HF_TOKEN\n  # far\n\n  # away\n  value: '•••'\n",
    ),
    ("A_KEY: |\n  ab\n  c d\nb: 1\n", "A_KEY: |\n  ••\n  • •\nb: 1\n"),
    ("{kind: Secret, data: {a: eA==, b: {c: x}}}\n", "{kind: Secret, data: {a: ••••, b: {c: •}}}\n"),
    (
        json.dumps({"kind": "Secret", "stringData": {"a": "x y"}, "z": 1}),
        '{"kind": "Secret", "stringData": {"a": "• •"}, "z": 1}',
    ),
    ("args: [--password=abc, b]\n", "args: [--password=•••, b]\n"),
    ("# was --password=abc\na: [\n", "# was --password=•••\na: [\n"),
    ("x: &t longsecret\nA_TOKEN: *t\n", "x: &t ••••••••••\nA_TOKEN: ••\n"),
    ("a: [\n---\nB_TOKEN: {value: abc}\n", "a: [\n---\nB_TOKEN: {value: •••}\n"),
]


@pytest.mark.parametrize(("text", "shown"), TEXTS)
def test_a_text_keeps_its_places(text: str, shown: str) -> None:
    assert concealed(Source("t", text)) == shown
    assert len(shown) == len(text)
