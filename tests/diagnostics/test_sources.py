"""Secrets in quoted lines are dots, everything else stays as it is."""

from __future__ import annotations

import pytest

from specgen.diagnostics.sources import quoted

CASES = [
    ("env: {NCCL_DEBUG: INFO, HF_TOKEN: abc}", "env: {NCCL_DEBUG: INFO, HF_TOKEN: •••}"),
    ('  AWS_SECRET_ACCESS_KEY: "a b"', "  AWS_SECRET_ACCESS_KEY: •• ••"),
    ("  TOKEN: {secret: hub, key: token}", "  TOKEN: {secret: hub, key: token}"),
    ("- key: nvidia.com/gpu", "- key: nvidia.com/gpu"),
    ("- {name: DB_PASSWORD, value: x1}  # note", "- {name: DB_PASSWORD, value: ••}  # note"),
    ("MONKEY: banana", "MONKEY: banana"),
    ("env.HF_TOKEN=abc", "env.HF_TOKEN=•••"),
    ("pods=20", "pods=20"),
]


@pytest.mark.parametrize(("line", "shown"), CASES)
def test_a_line(line: str, shown: str) -> None:
    assert quoted([line], [1]) == {1: shown}


def test_a_value_beside_its_name() -> None:
    lines = ["- name: HF_TOKEN", "  value: abc", "- name: NCCL_DEBUG", "  value: INFO"]
    assert quoted(lines, [2, 4]) == {2: "  value: •••", 4: "  value: INFO"}


def test_the_value_before_its_name() -> None:
    assert quoted(["- value: abc", "  name: API_KEY"], [1]) == {1: "- value: •••"}


def test_a_secret_object() -> None:
    lines = [
        "kind: Secret",
        "metadata: {name: a}",
        "data:",
        "  user: bXk=",
        "---",
        "kind: ConfigMap",
        "data:",
        "  user: me",
    ]
    assert quoted(lines, [2, 4, 8]) == {2: "metadata: {name: a}", 4: "  user: ••••", 8: "  user: me"}


def test_numbers_outside_the_text() -> None:
    assert quoted(["a"], [0, 1, 2]) == {1: "a"}
