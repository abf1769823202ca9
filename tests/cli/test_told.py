"""What somebody at a terminal is told of a job after its manifest, and who is told nothing."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from specgen.cli.main import main
from tests.bad.program import ROOT

JOBS = "profiles/jobs"
EXAMPLE = f"{JOBS}/allreduce-resnet50.yaml"


class Screen(io.StringIO):
    """A stream that somebody reads."""

    def isatty(self) -> bool:
        return True


def said(monkeypatch: pytest.MonkeyPatch, *words: str) -> list[str]:
    monkeypatch.chdir(ROOT)
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["build", *words]) == 0
    return screen.getvalue().splitlines()


def test_three_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    assert said(monkeypatch, EXAMPLE) == [
        "PyTorchJob pytorch-dist-mnist-nccl: 16 pods × 1 process = 16 ranks, each pod with 1 nvidia.com/gpu and "
        "1 rdma/hca: 1 × Master (rank 0), 15 × Worker (ranks 1-15); "
        "all wait for one another at pytorch-dist-mnist-nccl-master-0:23456",
        "added: devices nvidia.com/gpu, rdma/hca; IPC_LOCK (an HCA pins memory), /dev/shm; variables "
        f"NVIDIA_DRIVER_CAPABILITIES, NVIDIA_REQUIRE_CUDA, CUDA_HOME, LD_PRELOAD; `specgen explain {EXAMPLE}` says why",
        f"next: `specgen build {EXAMPLE} | kubectl apply -f -`, or `--out DIR` for a repository that Argo CD or Flux "
        "follow",
    ]


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (
            ["nccl-tests.yaml"],
            ["3 pods, 16 ranks: 1 × Launcher", "the launcher starts", "image: sshd, ssh, mpirun"],
        ),
        (["llama-pretrain-v2.yaml", "--variant", "small"], ["2 pods × 8 processes = 16 ranks", "IPC_LOCK", "small |"]),
        (["tf-distributed.yaml"], ["3 pods: 2 × Worker, 1 × PS; they meet at", "nothing but what the operator needs"]),
        (["ms-widedeep.yaml"], ["4 × Worker (1 nvidia.com/gpu)", "devices nvidia.com/gpu"]),
        (["imagenet-elastic.yaml"], ["2 × Worker; they meet at imagenet-elastic-worker-0:23456"]),
        (["mnist-volcano.yaml", "--set", "pods=3"], ["3 pods × 1 process = 3 ranks", "--set pods=3 | kubectl apply"]),
    ],
)
def test_other_kinds(monkeypatch: pytest.MonkeyPatch, words: list[str], parts: list[str]) -> None:
    lines = said(monkeypatch, f"{JOBS}/{words[0]}", *words[1:])
    assert len(lines) == 3
    for part in parts:
        assert part in "\n".join(lines), lines


def test_a_tree_names_its_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert f"`kubectl apply -k {out}/" in said(monkeypatch, EXAMPLE, "--out", str(out))[-1]


@pytest.mark.parametrize("words", [[EXAMPLE, "-q"], [EXAMPLE, f"{JOBS}/mnist.yaml"]])
def test_who_is_told_nothing(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    assert said(monkeypatch, *words) == []


@pytest.mark.parametrize(
    ("more", "line"),
    [
        (
            "",
            "3 jobs of job.yaml: a, a-s, a-l; `a` is the job without a variant, which `variantsOnly: true` leaves out",
        ),
        ("variantsOnly: true\n", "2 jobs of job.yaml: a-s, a-l"),
    ],
)
def test_jobs_of_variants_are_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, more: str, line: str) -> None:
    (tmp_path / "job.yaml").write_text(
        "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\ntarget: PyTorchJob\nimage: a:1\n"
        f"matrix: {{size: {{s: {{pods: 2}}, l: {{pods: 4}}}}}}\n{more}"
    )
    monkeypatch.chdir(tmp_path)
    screen = Screen()
    monkeypatch.setattr(sys, "stderr", screen)
    assert main(["build", "job.yaml"]) == 0
    assert screen.getvalue().splitlines() == [line]
