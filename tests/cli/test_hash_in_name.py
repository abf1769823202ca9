"""``metadata.suffix: hash``: a changed job is a new job, wherever its name stands, and what outlives it stays."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from specgen.cli.main import main
from specgen.pipeline import compile_job

JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: bert, suffix: hash}
target: PyTorchJob
image: registry.example.com/train:1
pods: 2
start: torchrun
command: [train.py, --out, /runs/$<name>]
scheduling: {spread: host}
files: {/etc/train.toml: {text: "lr = 1"}}
mounts: {/runs: {pvc: $<name>-runs, create: {size: 10Gi, access: ReadWriteMany}}}
"""
KINDS = ("PyTorchJob", "TrainJob", "VolcanoJob", "JobSet", "MPIJob", "{kind: MPIJob, version: v1}")


def objects(text: str) -> dict[str, dict[str, Any]]:
    """Kind → object of the one job of a profile."""
    result = compile_job(text)
    assert not result.failed, result.diagnostics
    bundle = result.compiled[0].bundle
    assert bundle is not None and bundle.name == "bert"
    return {one.ref.kind: one.tree for one in bundle.manifests} | {"job": bundle.job.tree}


def name(text: str) -> str:
    return str(objects(text)["job"]["metadata"]["name"])


@pytest.mark.parametrize("kind", KINDS)
def test_the_name_is_the_same_everywhere_and_what_outlives_the_job_has_the_plain_one(kind: str) -> None:
    text = JOB.replace("PyTorchJob", kind).replace("torchrun", "mpirun" if "MPI" in kind else "torchrun")
    hashed, plain = objects(text), objects(text.replace(", suffix: hash", ""))
    called = hashed["job"]["metadata"]["name"]
    assert re.fullmatch(r"bert-[0-9a-f]{8}", called)
    for key in ("PersistentVolumeClaim", "ConfigMap"):
        assert hashed[key] == plain[key]
    # no other word of the manifests is called after the job, and none has the name that stood for it at first
    words = json.dumps([hashed, plain])
    assert "xxxxxxxx" not in words and "/runs/bert" in words
    kept = re.compile(r'bert-runs|bert-files-\w+|/runs/bert(?=")')
    before, after = (kept.sub("", json.dumps(one, sort_keys=True)) for one in (plain, hashed))
    assert after.replace(called, "bert") == before


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("train:1", "train:2", False),
        ("lr = 1", "lr = 2", False),
        ("suffix: hash", "suffix: hash, labels: {team: nlp}", False),
        ("suffix: hash", "suffix: hash, annotations: {note: x}", False),
        ("pods: 2", "pods: 3", False),
        ("pods: 2", "# two\npods: 2", True),
        ("size: 10Gi", "size: 20Gi", True),
        ("pods: 2\nstart: torchrun", "start: torchrun\npods: 2", True),
    ],
)
def test_what_the_hash_is_of(old: str, new: str, same: bool) -> None:
    assert old in JOB and (name(JOB) == name(JOB.replace(old, new))) is same


def test_the_hash_is_the_same_in_every_release() -> None:
    assert name(JOB) == "bert-90af800d"


def test_lengths_are_judged_with_the_hash() -> None:
    fits = JOB.replace("name: bert", f"name: {'b' * 45}")
    assert not compile_job(fits).failed
    found = compile_job(fits.replace("name: b", "name: bb")).diagnostics
    assert [one["code"] for one in found] == ["SG211"] and "-xxxxxxxx-master-0` of this name" in found[0]["message"]


@pytest.mark.parametrize(
    ("kind", "word", "pod"),
    [
        ("PyTorchJob", "tcp://$<name>-master-0:23456", "bert-master-0"),
        ("TrainJob", "--host=$<name>-node-0-1.$<name>", "bert-node-0-1"),
        ("MPIJob", "-H $<name>-worker-0,$<name>-worker-1", "bert-worker-0"),
        ("VolcanoJob", "$<name>-worker-0.$<name>", "bert-worker-0"),
        # folders, images and other names
        ("PyTorchJob", "/runs/$<name>-master-0", ""),
        ("PyTorchJob", "$<name>-master", ""),
        ("PyTorchJob", "my-$<name>-master-0", ""),
    ],
)
def test_a_pod_that_is_called_by_the_plain_name(kind: str, word: str, pod: str) -> None:
    text = JOB.replace("PyTorchJob", kind).replace("torchrun", "mpirun" if "MPI" in kind else "torchrun")
    for written in (text.replace("--out", f'"{word}"'), f'{text}env: {{PEER: "{word}"}}\n'):
        found = [one for one in compile_job(written).diagnostics if one["code"] == "SG834"]
        assert [one["message"].partition(":")[0] for one in found] == (
            [f"no pod of this job is called `{pod}`"] if pod else []
        )
        plain = compile_job(written.replace(", suffix: hash", "")).diagnostics
        assert "SG834" not in [one["code"] for one in plain]
    claim = compile_job(JOB.replace("$<name>-runs", "$<name>-worker-0")).diagnostics
    assert "SG834" not in [one["code"] for one in claim]


def test_pods_that_are_selected_by_the_plain_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(JOB + "objects: [service.yaml]\n", "utf-8")
    service = "apiVersion: v1\nkind: Service\nmetadata: {name: bert, labels: {training.kubeflow.org/job-name: bert}}\n"
    service += "spec: {clusterIP: None, selector: {training.kubeflow.org/job-name: bert}}\n"
    Path("service.yaml").write_text(service, "utf-8")
    assert main(["build", "job.yaml"]) == 0
    err = capsys.readouterr().err
    assert err.count("SG834") == 1
    assert "service.yaml:4:68: warning[SG834] no pod of this job has the label `training.kubeflow.org/job-name: " in err


def test_a_changed_job_replaces_the_old_one_in_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(JOB, "utf-8")
    assert main(["build", "job.yaml", "--out", "out"]) == 0
    before, files = name(JOB), sorted(Path("out").rglob("*"))
    changed = JOB.replace("train:1", "train:2")
    Path("job.yaml").write_text(changed, "utf-8")
    capsys.readouterr()
    assert main(["diff", "out", "job.yaml", "--format", "json"]) == 1
    (pair,) = json.loads(capsys.readouterr().out)["jobs"]
    assert (pair["change"], pair["was"], pair["name"]) == ("recreated", before, name(changed))
    assert [(one["what"], one["effect"]["how"]) for one in pair["changes"]] == [("image", "anew")]
    assert pair["update"] == {"taken": True, "restarts": False, "createAnew": False, "refused": []}
    assert main(["diff", "out", "job.yaml"]) == 1
    assert f"recreated under a new name, was `{before}`: whoever prunes" in capsys.readouterr().out
    assert main(["build", "job.yaml", "--out", "out"]) == 0
    assert sorted(Path("out").rglob("*")) == files
    assert f"name: {name(changed)}\n" in Path("out/bert/pytorchjob.yaml").read_text("utf-8")
    assert main(["lint", "out"]) == 0 and main(["build", "job.yaml", "--out", "out", "--check"]) == 0
