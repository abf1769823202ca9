"""Objects that no operator takes: pages, fixes, and what build, lint, and expand say of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from specgen import operators
from specgen.document.read import read
from specgen.document.write import write_yaml
from specgen.linting import lint_text
from specgen.manifest import codes
from specgen.operators.beside import SCHEMAS
from specgen.operators.index import KINDS
from specgen.operators.unserved import FORMER, unserved
from specgen.pipeline import compile_job
from specgen.source import Source
from tests.bad.program import specgen
from tests.rules.runner import examples

JOB = """\
apiVersion: {version}
kind: {kind}
metadata: {{name: llama-ft}}
spec:
  {field}ReplicaSpecs:
    {role}:
      replicas: 1
      template:
        spec:
          containers: [{{name: {name}, image: "registry.example.com/train:1.4", command: [python, train.py]}}]
"""
PYTORCH = {"field": "pytorch", "role": "Master", "name": "pytorch"}


@pytest.mark.parametrize("code", codes.OF_KINDS, ids=lambda code: str(code.id))
def test_a_page_has_an_example_that_is_found_and_one_that_is_not(code: Any) -> None:
    bad, good = examples(code.page)
    assert [one["code"] for one in lint_text(write_yaml(bad))] == [code.id]
    assert lint_text(write_yaml(good)) == []


@pytest.mark.parametrize(
    ("version", "kind", "more", "expected"),
    [
        ("kubeflow.org/v1beta1", "PyTorchJob", PYTORCH, "kubeflow.org/v1 PyTorchJob"),
        ("kubeflow.org/v1", "Pytorchjob", PYTORCH, "kubeflow.org/v1 PyTorchJob"),
        ("batch/v1", "PyTorchJob", PYTORCH, "kubeflow.org/v1 PyTorchJob"),
        # the shape says which of the two versions is meant
        (
            "kubeflow.org/v1alpha2",
            "TFJob",
            {"field": "tf", "role": "Worker", "name": "tensorflow"},
            "kubeflow.org/v1 TFJob",
        ),
    ],
)
def test_the_fix_writes_what_the_object_has_the_shape_of(
    version: str, kind: str, more: dict[str, str], expected: str
) -> None:
    text = JOB.format(version=version, kind=kind, **more)
    (found,) = lint_text(text)
    assert found["fix"] is not None and found["fix"]["applicability"] == "unsafe"
    edits: Any = found["fix"]["edits"]
    for edit in sorted(edits, key=lambda one: -one["start"]):
        text = text[: edit["start"]] + edit["text"] + text[edit["end"] :]
    (document,), _ = read(Source("fixed.yaml", text))
    assert f"{document.data['apiVersion']} {document.data['kind']}" == expected
    assert not [one for one in lint_text(text) if one["severity"] == "error"]


@pytest.mark.parametrize(
    "spec", ["{replicas: 2, template: {spec: {containers: [{name: a, image: b}]}}}", "{mpiReplicaSpecs: {}}"]
)
def test_there_is_no_fix_where_several_versions_or_none_have_the_shape(spec: str) -> None:
    (found,) = lint_text(f"apiVersion: kubeflow.org/v1alpha1\nkind: MPIJob\nmetadata: {{name: a}}\nspec: {spec}\n")
    assert found["code"] == "SG115" and found["fix"] is None


def test_nothing_that_is_served_is_found() -> None:
    for version, kind in (*KINDS, *SCHEMAS):
        assert unserved({"apiVersion": version, "kind": kind}) is None
    assert not [key for key in FORMER if key in KINDS or key in SCHEMAS]


def test_a_kind_that_went_is_named_with_the_release_that_had_it() -> None:
    reader = operators.by_object("kubeflow.org/v1", "PyTorchJob")
    assert reader is not None
    found = unserved({"apiVersion": "kubeflow.org/v1", "kind": "MXJob"})
    assert found is not None and f"{reader.operator.name} {reader.operator.minors('MXJob')[-1]}" in found.notes[0]


@pytest.mark.parametrize("kind", ["kubeflow.org/v1beta1 PyTorchJob", "kubeflow.org/v1 PytorchJob"])
def test_build_and_expand_say_it_too(kind: str, tmp_path: Path) -> None:
    version, name = kind.split()
    text = JOB.format(version=version, kind=name, **PYTORCH)
    (linted,) = lint_text(text)
    (tmp_path / "job.yaml").write_text(text)
    expanded = specgen("expand", "job.yaml", cwd=tmp_path)
    assert f"error[{linted['code']}] {linted['message']}" in expanded.err
    given = write_yaml({"objects": [read(Source("given", text))[0][0].data]})
    profile = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\ntarget: PyTorchJob\npods: 1\n"
    built = compile_job(f"{profile}image: registry.example.com/train:1\ncommand: [python, t.py]\n{given}")
    assert [one["code"] for one in built.diagnostics if one["severity"] == "error"] == [linted["code"]]


def test_whoever_has_another_release_is_told_how_to_say_so() -> None:
    job = "apiVersion: jobset.x-k8s.io/{}\nkind: JobSet\nmetadata: {{name: a}}\nspec: {{}}\n"
    (found,) = lint_text(job.format("v1"))
    assert "no release serves it of those that were looked at: jobset 0.12.0" in found["notes"]
    assert any("`--crds`" in note and "`operators` of the cluster profile" in note for note in found["notes"])
    # who says so is not told again
    assert unserved({"apiVersion": "jobset.x-k8s.io/v1", "kind": "JobSet"}, {"jobset": "0.13.0"}) is None
    # a group that nobody can have meant is a slip in every release
    (found,) = lint_text(JOB.format(version="kubflow.org/v1", kind="PyTorchJob", **PYTORCH))
    assert not any("--crds" in said for said in (*found["helps"], *found["notes"]))
