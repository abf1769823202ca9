"""What `specgen init --from` reads of a manifest that its operator would not take: the line has all that it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen.cli.main import main

ROLE = """\
    {role}:
      replicas: {pods}
      template:
        spec:
          containers:
          - name: {name}
            image: r.example.com/train:1
            command: [torchrun, --nproc_per_node=8, train.py]
            resources: {{limits: {limits}}}
"""


def manifest(kind: str, field: str, *roles: str) -> str:
    return f"apiVersion: kubeflow.org/v1\nkind: {kind}\nmetadata: {{name: a}}\nspec:\n  {field}:\n" + "".join(roles)


def role(name: str, pods: object, limits: str, container: str = "pytorch") -> str:
    return ROLE.format(role=name, pods=pods, limits=limits, name=container)


SLIPS = "{gpu: 8, env: [{name: A, value: b}]}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            manifest(
                "PyTorchJob", "pytorchReplicaSpecs", role("Master", 1, SLIPS), role("Worker", 3, "{nvidia.com/gpus: 8}")
            ),
            "--target PyTorchJob --pods 4 --gpu 8 --image r.example.com/train:1 --name a -- torchrun",
        ),
        (
            manifest("PyTorchJob", "pytorchReplicaSpecs", role("Worker", 2, '{GPU: "4", env: []}')),
            "--target PyTorchJob --pods 2 --gpu 4 --image r.example.com/train:1 --name a --start self -- torchrun",
        ),
        (
            manifest("PyTorchJob", "pytorchReplicaSpecs", role("Worker", 2, "{gpu: many, env: []}")),
            "--target PyTorchJob --pods 2 --gpu 0 --image r.example.com/train:1 --name a -- torchrun",
        ),
        (
            # what is beside a GPU is an adapter, whatever its pool is called
            manifest(
                "PyTorchJob",
                "pytorchReplicaSpecs",
                role("Master", 1, "{nvidia.com/gpu: 8, nvidia.com/resib: 2}"),
                role("Worker", 1, "{nvidia.com/gpu: 8, nvidia.com/resib: 2}"),
            ),
            "--target PyTorchJob --pods 2 --gpu 8 --image r.example.com/train:1 --name a -- torchrun",
        ),
        (
            # parameter servers train nothing that has ranks
            manifest(
                "TFJob",
                "tfReplicaSpecs",
                role("PS", 2, "{env: []}", "tensorflow"),
                role("Worker", 5, SLIPS, "tensorflow"),
            ),
            "--target TFJob --pods 5 --gpu 8 --image r.example.com/train:1 --name a",
        ),
        (manifest("PyTorchJob", "pytorchReplicaSpecs", role("Master", 0, SLIPS)), "--target PyTorchJob > profile.yaml"),
    ],
)
def test_a_manifest_with_slips(
    text: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("job.yaml").write_text(text)
    assert main(["init", "--from", "job.yaml"]) == 2
    assert f"`specgen init job {words}" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["docker-compose.yml", "stack.yml"])
def test_services_are_no_manifest(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("services:\n  trainer:\n    image: a/b:1\n", "utf-8")
    assert main(["init", "--from", name]) == 2
    told = capsys.readouterr().err
    assert f"`{name}` is a file of services" in told
    assert "`specgen init job -- docker run --gpus 2" in told
