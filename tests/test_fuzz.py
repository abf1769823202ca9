"""Generated and mutated texts through the command line, in process: no bug, no bad place, nothing raw, never half an answer.

`pytest -m fuzz` runs tens of thousands; `SPECGEN_SEED` varies them.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from specgen.cli import exits
from specgen.cli.main import main
from tests.conftest import ROOT, shared_folder

FEW = settings(max_examples=150, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck))
MANY = settings(max_examples=8000, derandomize=False, deadline=None, database=None, suppress_health_check=list(HealthCheck))
SEED = int(os.environ.get("SPECGEN_SEED", "0"))

HEAD = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\ntarget: PyTorchJob\nimage: registry.example.com/train:1\n"

# Pieces that begin, end or bend something in YAML, in specgen's language, or in a terminal.
PIECES = [
    *"\n\t :,-?[]{}&*!|>'\"%@`#~<=.0123456789",
    *("\r\n", "\n\n", "---\n", "...\n", "  ", "    ", "- ", ": ", "? ", "<<: ", "&a ", "*a", "!!int ", "!x ", "| \n", ">-\n", "%YAML 1.1\n"),
    *("null", "true", "yes", "no", "on", ".nan", "-.inf", "0x1F", "0o7", "017", "1_0", "1e3", "1e999", "12:30:00", "2024-01-02", "1:²"),
    *("18446744073709551616", "9" * 30, "1." + "0" * 20, "-0", "+1", "0.5", "-1", "1000001", "500m", "2Gi", "1.5Gi", "90s", "2h"),
    *("\x1b[31m", "\x07", "\x85", "\u2028", "\u202e", "\u200b", "\ufeff", "\x00", "\x7f", "中", "é", "😀", "\ufffe", "\udc80"),
    *("$<pods>", "$<", "$$<x>", "$<nothing>", "$(A)", "${A}", '"\\e[31m"', '"\\ud800"', '"\\0"', '"\\x9b"'),
    *("pods", "roles", "env", "mounts", "resources", "gpu", "hca", "shm", "vars", "variants", "extends", "cluster", "ignore", "patch"),
    *("master", "worker", "command", "args", "start", "torchrun", "procsPerPod", "elastic", "lifecycle", "scheduling", "communication"),
    *("metadata", "name", "labels", "annotations", "spec", "template", "containers", "replicas", "volumeMounts", "value", "SG401"),
    *("pytorchReplicaSpecs", "Worker", "Master", "nprocPerNode", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\n", "specgen/v1"),
    *("# specgen: ignore[SG401]", "# specgen: ignore[", "# specgen: ignore[SG401, SG010] why\n", "]"),
]

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 70)
    | st.integers()
    | st.floats(allow_nan=False)
    | st.sampled_from(PIECES)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(PIECES) | st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@cache
def corpus() -> list[str]:
    """Profiles and manifests of the checkout and, where it is there, of the reference material; small ones only."""
    files = sorted((ROOT / "profiles").rglob("*.yaml"))
    shared = shared_folder()
    if shared is not None:
        files += sorted((shared / "profiles").rglob("*.yaml"))
        files += sorted((shared / "corpus" / "PyTorchJob").rglob("*.y*ml"))
        files += sorted((shared / "sources").rglob("*.yaml"))
    texts = (file.read_bytes().decode("utf-8", "replace") for file in files)
    return [HEAD, *(text for text in texts if len(text) < 20_000)]


@cache
def trees() -> list[Any]:
    """The same as data; what PyYAML cannot read is left out."""
    found = []
    for text in corpus():
        try:
            found += [one for one in yaml.safe_load_all(text) if isinstance(one, dict)]
        except (yaml.YAMLError, ValueError):
            continue
    return found


@st.composite
def mutated_texts(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(corpus()))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(text)))
        kind = draw(st.sampled_from(["insert", "delete", "move", "repeat", "indent"]))
        end = min(len(text), at + draw(st.integers(1, 30)))
        if kind == "insert":
            text = text[:at] + "".join(draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=4))) + text[at:]
        elif kind == "delete":
            text = text[:at] + text[end:]
        elif kind == "repeat":
            text = text[:end] + text[at:end] + text[end:]
        elif kind == "indent":
            line = text.rfind("\n", 0, at) + 1
            text = text[:line] + draw(st.sampled_from(["  ", "\t", "- "])) + text[line:]
        else:
            to = draw(st.integers(0, len(text)))
            piece, rest = text[at:end], text[:at] + text[end:]
            text = rest[:to] + piece + rest[to:]
    return text


def _places(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    children = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in children:
        yield from _places(value, (*path, key))


def _put(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy = tree.copy()
    copy[path[0]] = _put(tree[path[0]], path[1:], value)
    return copy


@st.composite
def mutated_trees(draw: st.DrawFn) -> str:
    """A real document with some values replaced, some keys renamed: what passes the reader and reaches the rest."""
    tree = draw(st.sampled_from(trees()))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(list(_places(tree))[1:] or [()]))
        if path and draw(st.integers(0, 3)) == 0:
            above = tree
            for step in path[:-1]:
                above = above[step]
            if isinstance(above, dict):
                name = draw(st.sampled_from(PIECES))
                tree = _put(tree, path[:-1], {name if key == path[-1] else key: value for key, value in above.items()})
                continue
        tree = _put(tree, path, draw(VALUES))
    return yaml.dump(tree, sort_keys=False, allow_unicode=draw(st.booleans()), default_flow_style=draw(st.sampled_from([None, False, True])))


@st.composite
def made_profiles(draw: st.DrawFn) -> str:
    """A profile with words of the language in it and anything below them."""
    words = st.sampled_from([piece for piece in PIECES if piece.isalpha() and piece.islower()] + ["procsPerPod"])
    return HEAD + yaml.dump(draw(st.dictionaries(words, VALUES, min_size=1, max_size=4)), default_flow_style=False)


TEXTS = st.text(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


class _Input:
    """Standard input that holds these bytes."""

    def __init__(self, data: bytes) -> None:
        self.buffer = io.BytesIO(data)


def specgen(data: bytes, *words: str) -> tuple[int, str, str]:
    """Exit code, standard output, standard error of a run in this process that reads the bytes as its input."""
    streams = sys.stdin, sys.stdout, sys.stderr
    out, err = io.StringIO(), io.StringIO()
    sys.stdin, sys.stdout, sys.stderr = _Input(data), out, err  # type: ignore[assignment]
    try:
        code = main(words)
    finally:
        sys.stdin, sys.stdout, sys.stderr = streams
    return code, out.getvalue(), err.getvalue()


def check_report(text: str, report: str) -> None:
    """Places lie inside the file, one finding for a code and place, and the summary counts them."""
    found = yaml.safe_load(report)
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
        place = (one["code"], one["primary"]["file"], one["primary"]["start"]["offset"], one["primary"]["end"]["offset"])
        assert place not in seen, one
        seen.add(place)
        assert one["message"]
    errors = sum(one["severity"] == "error" for one in found["diagnostics"])
    assert errors == found["summary"]["errors"]


def check_printable(shown: str) -> None:
    raw = [sign for sign in shown if (ord(sign) < 32 and sign != "\n") or 0x7F <= ord(sign) < 0xA0 or sign in "\u202e\u200b\u2028\ufeff"]
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


@pytest.mark.fuzz
@pytest.mark.parametrize("strategy", [TEXTS, mutated_texts(), mutated_trees(), made_profiles()], ids=["text", "file", "document", "profile"])
def test_long(strategy: st.SearchStrategy[str]) -> None:
    @seed(SEED)
    @given(strategy)
    @MANY
    def run(text: str) -> None:
        check(text)

    run()
