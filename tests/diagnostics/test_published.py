"""Fixes as they are published: proven edits, or none. Nothing that another line borrows is changed with it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from specgen import lint_text
from specgen.diagnostics.model import Code, Finding, Fix
from specgen.diagnostics.operations import Append, Refusal, Remove, Set
from specgen.diagnostics.place import _MOST_READ_AGAIN as MOST_READ_AGAIN
from specgen.diagnostics.place import edits_of, place, published
from specgen.document.read import read
from specgen.document.tree import Document
from specgen.linting import lint_source
from specgen.manifest.edits import edits
from specgen.manifest.origins import Copied, Origins
from specgen.source import Source

if TYPE_CHECKING:
    from specgen.diagnostics.model import Remedy

CODE = Code("SG999", "none-such", "error", since="0.1", page=None)

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: a
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        metadata:
          labels: {master}
        spec:
          containers: [{{name: pytorch, image: "a:1"}}]
    Worker:
      replicas: {replicas}
      template:
        metadata:
          labels: {worker}
        spec:
          containers: [{{name: pytorch, image: "a:1"}}]
"""


def fixes(text: str) -> list[Any]:
    return [one["fix"] for one in lint_text(text) if one["code"] == "SG103"]


def applied(text: str, fix: Remedy | None) -> str:
    assert fix is not None
    for edit in reversed(edits_of(fix)):
        text = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    return text


def test_a_value_that_another_line_borrows_is_not_fixed() -> None:
    # the number is right where it counts replicas, and wrong as a label
    text = JOB.format(master="{a: b}", worker="{count: *n}", replicas="2").replace("replicas: 1", "replicas: &n 1")
    (fix,) = fixes(text)
    assert applied(text, fix) == text.replace("*n", '"1"')
    text = JOB.format(master="&l {count: 1}", worker="\n            <<: *l\n            app: x", replicas="2")
    (fix,) = fixes(text)  # one finding for both roles, and one edit
    assert applied(text, fix) == text.replace("count: 1", 'count: "1"')
    text = JOB.format(master="{count: &n 1}", worker="{a: b}", replicas="*n")
    assert fixes(text) == [None]


def test_a_fix_that_is_refused_stays_a_sentence() -> None:
    text = JOB.format(master="{count: &n 1}", worker="{a: b}", replicas="*n")
    (finding,) = [one for one in lint_source(Source("t", text)).diagnostics if one["code"] == "SG103"]
    assert finding["fix"] is not None and finding["fix"]["title"] == 'write `"1"`'
    (finding,) = [one for one in lint_text(text) if one["code"] == "SG103"]
    assert finding["helps"] == ['write `"1"`'] and finding["fix"] is None


def test_a_key_of_json_keeps_its_quotes() -> None:
    text = json.dumps({"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": "a"}, "spce": {}})
    (fix,) = [one["fix"] for one in lint_text(text) if one["code"] == "SG101"]
    assert applied(text, fix) == text.replace('"spce"', '"spec"')


def test_an_item_of_a_list_is_fixed_where_it_stands() -> None:
    job = JOB.format(master="{count: 1}", worker="{a: b}", replicas="2").replace("\n", "\n    ").rstrip()
    text = f"apiVersion: v1\nkind: List\nitems:\n  - {job}\n"
    (fix,) = fixes(text)
    assert applied(text, fix) == text.replace("count: 1", 'count: "1"')


def finding(text: str, patch: list[Any]) -> Finding:
    (document,) = read(Source("t", text))[0]
    found = CODE.at(("a",), "message", fix=Fix("do it", "safe", patch))
    found.where = document
    return found


def test_edits_are_made_when_they_are_asked_for() -> None:
    found = finding("a: 1\n", [Set(("a",), 2)])
    document = found.where
    assert document is not None
    diagnostic = place(found, document)
    assert isinstance(document, Document) and document.piece is None
    (after,) = published([diagnostic], edits)
    assert after["fix"] == {
        "title": "do it",
        "applicability": "safe",
        "edits": [{"file": "t", "start": 3, "end": 4, "text": "2"}],
    }
    assert published([after], edits) == [after]


def test_what_is_read_again_for_one_file_is_limited() -> None:
    text = "a: 1\nb: " + "x" * (MOST_READ_AGAIN // 3) + "\n"
    found = finding(text, [Set(("a",), 2)])
    assert found.where is not None
    fixed = [one["fix"] is not None for one in published([place(found, found.where)] * 5, edits)]
    assert fixed == [True, True, False, False, False]


def test_what_is_compiled_is_not_edited() -> None:
    (document,) = read(Source("t", "items: [{a: [1]}]\n"))[0]
    assert isinstance(edits(Origins(document), [Remove(("a",))]), Refusal)
    found = edits(Copied(document, ("items", 0), "an item"), [Append(("a",), 2)])
    assert not isinstance(found, Refusal)
    assert [(edit.offset, edit.text) for edit in found] == [(14, ", 2")]


@pytest.mark.parametrize(("form", "loaded"), [("json", True), ("concise", False), ("human", True)])
def test_only_a_reader_of_edits_pays_for_their_proof(tmp_path: Path, root: Path, form: str, loaded: bool) -> None:
    file = tmp_path / "job.yaml"
    file.write_text(JOB.format(master="{count: 1}", worker="{a: b}", replicas="2"))
    code = (
        "import sys; from specgen.cli.main import main; main(sys.argv[1:]);"
        "print('specgen.document.patch' in sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "lint", "--format", form, str(file)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=root, check=True)
    assert done.stderr.endswith(f"{loaded}\n")
