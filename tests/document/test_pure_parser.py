"""libyaml and PyYAML's own parser say the same: where PyYAML has no C part, specgen reads with the other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
import yaml.events
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen.document import libyaml
from specgen.document.decode import decode
from specgen.document.read import read
from specgen.document.tree import Scalar
from specgen.source import Source
from tests.conftest import ROOT, shared_folder
from tests.document.test_read import SAMPLE, nodes


def pure() -> tuple[Any, Any, Any]:
    return libyaml._pure(), yaml.events, yaml.YAMLError


def everything(text: str) -> tuple[list[Any], list[Any]]:
    """Data and every span of all documents, and code, place and severity of every finding."""
    documents, findings = read(Source("t", text))
    seen: list[Any] = []
    for document in documents:
        for path, node in nodes(document.root):
            style = getattr(node, "style", None)
            # PyYAML's parser ends a block text and an empty value elsewhere: only the start is used there
            end = node.end if isinstance(node, Scalar) and style not in ("|", ">") and node.end > node.start else None
            seen.append(
                (
                    path,
                    type(node).__name__,
                    getattr(node, "value", None),
                    style,
                    getattr(node, "plain", None),
                    node.start,
                    end,
                )
            )
        seen.append([(scalar.start, scalar.end, is_key) for scalar, is_key in document.ambiguous])
    return seen, [(finding.code.id, finding.severity, finding.place.offsets) for finding in findings]


def both(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Any]:
    fast = everything(text)
    with monkeypatch.context() as patch:
        patch.setattr(libyaml, "parser", pure)
        slow = everything(text)
    return fast, slow


def small_files() -> list[Path]:
    files = sorted((ROOT / "tests" / "bad" / "cases").glob("*.yaml")) + sorted((ROOT / "profiles").rglob("*.yaml"))
    shared = shared_folder()
    if shared is not None:
        files += (
            sorted((shared / "corpus" / "PyTorchJob").rglob("*.y*ml"))[::3]
            + sorted((shared / "corpus" / "broken").rglob("*.y*ml"))[::3]
        )
    return [file for file in files if file.stat().st_size < 20_000]


def test_pure_parser_reads_files_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    files = small_files()
    assert len(files) > 100
    for file in files:
        source, _ = decode(file.name, file.read_bytes())
        if source is None:
            continue
        (fast, found), (slow, also) = both(source.text, monkeypatch)
        assert fast == slow, file
        assert [(code, severity) for code, severity, _ in found] == [(code, severity) for code, severity, _ in also], (
            file
        )


def test_pure_parser_reads_the_sample_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    sample = SAMPLE.replace("\t", " ")  # PyYAML takes no tabs inside a line
    for text in (sample, sample.replace("\n", "\r\n")):
        fast, slow = both(text, monkeypatch)
        assert fast == slow


@given(
    st.lists(st.sampled_from([*"ab:-? \n[]{},&*'\"#|>", "\n- ", "\n  ", ": ", "é", "12", "no"]), max_size=14).map(
        "".join
    )
)
@settings(
    max_examples=400,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_pure_parser_reads_generated_text_alike(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Where both take a text they see the same; where one refuses it, so does the other. PyYAML refuses more tabs."""
    (fast, found), (slow, also) = both(text, monkeypatch)
    assert bool(found) == bool(also), text
    if not found:
        assert fast == slow
