"""Errors that do not depend on one another are found in one round."""

from __future__ import annotations

from pathlib import Path

import pytest

from specgen.cli.main import main

CLUSTER = """\
apiVersion: specgen/v1
kind: Cluster
metadata: {name: lab}
pools:
  gpu:
    nodes: {count: 4}
    gpu: {resource: nvidia.com/gpu, perNode: 8}
storage:
  data: {pvc: data}
nccl: {2.4.8-1: /opt/nccl/lib/libnccl.so}
"""
JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: train}
cluster: cluster.yaml
target: PyTorchJob
image: registry.example.com/train:1
command: [python, train.py]
pods: 4
resources: {gpu: 1}
communication: {library: nccl, version: 2.4.8-1}
mounts:
  /data: {storage: data}
env: {A: "3"}
"""
SLIPS = {
    "pods": (("pods: 4", "pods: 200"), "SG601"),
    "device": (("gpu: 1}", "gpu: 1, hca: 1}"), "SG602"),
    "version": (("version: 2.4.8-1", "version: 9.9.9"), "SG203"),
    "storage": (("storage: data", "storage: nothere"), "SG203"),
    "env": (("A:", "RANK:"), "SG212"),
}


def codes(folder: Path, slips: list[str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    job = JOB
    for slip in slips:
        was, now = SLIPS[slip][0]
        assert was in job
        job = job.replace(was, now)
    (folder / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    (folder / "job.yaml").write_text(job, encoding="utf-8")
    assert main(["build", str(folder / "job.yaml"), "-o", "json"]) == (1 if slips else 0)
    return [line.split("error[")[1][:5] for line in capsys.readouterr().err.splitlines() if "error[" in line]


@pytest.mark.parametrize(
    "slips",
    [
        [],
        pytest.param(["env", "pods", "storage", "version"], marks=pytest.mark.fuzz),
        ["device", "env", "storage", "version"],
        # how many pods of which pool cannot be known without the pool
        ["device", "env"],
        ["pods", "env"],
    ],
    ids=lambda slips: "-".join(slips) or "none",
)
def test_one_round(slips: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert sorted(codes(tmp_path, slips, capsys)) == sorted(SLIPS[slip][1] for slip in slips)
    if len(slips) > 1:
        # each alone is found alone
        for slip in slips:
            assert codes(tmp_path, [slip], capsys) == [SLIPS[slip][1]]
