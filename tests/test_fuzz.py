"""Generated texts through the command line, in process: no bug, no bad place, nothing raw, never half an answer.

`pytest -m fuzz` runs 400 of each, the same every time; `SPECGEN_FUZZ=20000 SPECGEN_SEED=7` runs that many new ones.
"""

from __future__ import annotations

import io
import json
import os
import sys
from itertools import product

import pytest
import yaml
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from specgen.cli import exits
from specgen.cli.main import main
from tests.bad.generated import TEXTS, made_profiles, mutated_texts, mutated_trees

FEW = settings(max_examples=18, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
# The marker's short form draws the same inputs every time; SPECGEN_FUZZ=20000 draws that many new ones.
ASKED = os.environ.get("SPECGEN_FUZZ")
MANY = settings(
    max_examples=int(ASKED or "250"),
    derandomize=ASKED is None,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
SEED = int(os.environ.get("SPECGEN_SEED", "0"))


JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec:
          %s
          containers: [{name: pytorch, image: "example.com/train:1", resources: %s}]
"""


class _Input:
    """Standard input that holds these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def specgen(data: bytes, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error of a run in this process that reads the bytes as its input."""
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = io.StringIO(), io.StringIO()
    sys.stdin, sys.stdout, sys.stderr = _Input(data), out, err
    try:
        code = main(words)
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    return code, out.getvalue(), err.getvalue()


def check_report(text: str, report: str) -> None:
    """Places lie inside the file, one finding for a code and place, and the summary counts them."""
    found = json.loads(report)
    lines = text.split("\n")
    seen = set()
    for one in found["diagnostics"]:
        for region in (one["primary"], *one["related"]):
            if region["file"] != "<stdin>":
                continue
            start, end = region["start"], region["end"]
            assert 0 <= start["offset"] <= end["offset"] <= len(text), one
            assert 1 <= start["line"] <= len(lines), one
            assert 1 <= start["column"] <= len(lines[start["line"] - 1]) + 1, one
            before = text[: start["offset"]]
            assert start["line"] == before.count("\n") + 1
            assert start["column"] == start["offset"] - (before.rfind("\n") + 1) + 1
        place = (
            one["code"],
            one["primary"]["file"],
            one["primary"]["start"]["offset"],
            one["primary"]["end"]["offset"],
        )
        assert place not in seen, one
        seen.add(place)
        assert one["message"]
    errors = sum(one["severity"] == "error" for one in found["diagnostics"])
    assert errors == found["summary"]["errors"]


def check_printable(shown: str) -> None:
    raw = [
        sign
        for sign in shown
        if (ord(sign) < 32 and sign != "\n") or 0x7F <= ord(sign) < 0xA0 or sign in "\u202e\u200b\u2028\ufeff"
    ]
    assert raw == [], shown


def check(text: str) -> None:
    """Every promise about one text, by both verbs and in every format."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        text = data.decode().removeprefix("\ufeff")
    except UnicodeDecodeError:
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    for verb in ("build", "lint"):
        code, out, err = specgen(data, verb, "-", "--format=json")
        assert code in (exits.GOOD, exits.BAD), err
        if verb == "build":
            check_report(text, err)
            assert (out != "") == (code == exits.GOOD)
            if code == exits.GOOD:
                assert all(isinstance(one, dict) for one in yaml.load_all(out, yaml.CSafeLoader))
        else:
            check_report(text, out)
        for form in ("human", "concise"):
            again, shown, said = specgen(data, verb, "-", f"--format={form}")
            assert again == code
            check_printable(said if verb == "build" else shown + said)


@given(TEXTS)
@FEW
def test_any_text(text: str) -> None:
    check(text)


@given(mutated_texts())
@FEW
def test_mutated_files(text: str) -> None:
    check(text)


@given(mutated_trees())
@FEW
def test_mutated_documents(text: str) -> None:
    check(text)


@given(made_profiles())
@FEW
def test_made_profiles(text: str) -> None:
    check(text)


LESS_OFTEN = [pytest.param(name, marks=pytest.mark.fuzz) for name in ("cpu", "a b/c", "hugepages-x")]


@pytest.mark.parametrize("name", ["foo", "nvidia.com/gpu", *LESS_OFTEN])
def test_amounts_that_are_wrong_in_two_ways(name: str) -> None:
    for request, limit in product((-1, -2, 1, 2, "x", None), repeat=2):
        amounts = {"requests": {name: request}, "limits": {name: limit}}
        check(JOB % ("", json.dumps(amounts)))
        check(JOB % (f"resources: {json.dumps(amounts)}", "{}"))


@pytest.mark.fuzz
@pytest.mark.parametrize(
    "strategy", [TEXTS, mutated_texts(), mutated_trees(), made_profiles()], ids=["text", "file", "document", "profile"]
)
def test_long(strategy: st.SearchStrategy[str]) -> None:
    @seed(SEED)
    @given(strategy)
    @MANY
    def run(text: str) -> None:
        check(text)

    run()
