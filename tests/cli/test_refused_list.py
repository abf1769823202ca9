"""``expand -o yaml`` of what somebody refuses: no List on standard output, and why on standard error."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.bad.every_node import specgen

JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: NAME}
spec:
  pytorchReplicaSpecs: {Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: a:1}]}}}}
"""


@pytest.mark.parametrize("form", ["yaml", "json"])
def test_a_refused_job_has_no_list(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.yaml").write_text(JOB.replace("NAME", "good"))
    Path("bare.yaml").write_text(JOB.replace("NAME", "bare").replace("replicas: 1, ", ""))
    Path("name.yaml").write_text(JOB.replace("NAME", "Name"))
    said = "bare.yaml: PyTorchJob bare is refused by the validating webhook of training-operator 1.9.4: "
    said += "`spec.pytorchReplicaSpecs.Master.replicas` must be written and 1\n"
    assert specgen("expand", "-o", form, "bare.yaml") == (1, "", said)
    named = "name.yaml: PyTorchJob Name is refused by the API server: `metadata.name`: `Name` is no name of an object\n"
    assert specgen("expand", "-o", form, "name.yaml") == (1, "", named)
    # of several jobs all are answered or none
    assert specgen("expand", "-o", form, "good.yaml", "bare.yaml") == (1, "", said)
    code, out, err = specgen("expand", "-o", form, "good.yaml")
    assert (code, err, "good-master-0" in out) == (0, "", True)


def test_the_table_says_it_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("name.yaml").write_text(JOB.replace("NAME", "Name"))
    code, out, err = specgen("expand", "name.yaml")
    assert (code, err) == (1, "")
    assert out.endswith(
        "PyTorchJob Name is refused by the API server: `metadata.name`: `Name` is no name of an object\n"
    )
