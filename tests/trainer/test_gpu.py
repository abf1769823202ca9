"""What only a GPU can show. Two ranks on one GPU are refused by NCCL, so busbw and peer loss need two of them:
`python -m trainer bench --spawn 2` there, and `pytest tests/trainer/test_gpu.py`."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")
if not torch.cuda.is_available():
    pytest.skip("no GPU here", allow_module_level=True)

RUN = ["train", "-a", "resnet18", "-b", "16", "--image-size", "64", "--dummy", "--print-freq", "5"]


@pytest.mark.parametrize(
    "extra", [["--amp", "bf16"], ["--amp", "fp16"], ["--channels-last"], ["--tf32"], ["--sync-bn"]]
)
def test_options(job: Any, extra: list[str]) -> None:
    job.run(1, [*RUN, "--iter", "10", *extra])
    assert job.wait(120) == [0], job.logs()
    assert "nccl over 1 ranks" in job.ranks[0].text


def test_times_come_from_events(job: Any, tmp_path: Path) -> None:
    job.run(1, [*RUN, "--iter", "20", "--out", str(tmp_path / "out")])
    assert job.wait(120) == [0], job.logs()
    lines = [json.loads(line) for line in (tmp_path / "out" / "metrics-00000.jsonl").read_text().splitlines()]
    assert lines[-1]["fwd_bwd_ms"] > 0
    assert lines[-1]["loss"] is not None


def test_expected_nccl(job: Any) -> None:
    version = ".".join(map(str, torch.cuda.nccl.version()))
    job.run(1, ["preflight", "--expect-nccl", version])
    assert job.wait(60) == [0], job.logs()


def test_other_nccl_is_refused(job: Any) -> None:
    job.run(1, ["preflight", "--expect-nccl", "2.4.8"])
    assert job.wait(60) == [78], job.logs()
    assert "2.4.8 expected" in job.last()


def test_out_of_memory_has_a_hint(job: Any) -> None:
    job.run(1, ["train", "-a", "resnet50", "-b", "100000", "--dummy", "--iter", "2"])
    assert job.wait(120) == [70], job.logs()
    assert "lower -b" in job.last()


def test_signal_while_a_kernel_runs(job: Any, tmp_path: Path) -> None:
    job.run(1, [*RUN, "--iter", "100000", "--out", str(tmp_path / "out")])
    job.until("   20 ", limit=120)
    job.ranks[0].send(signal.SIGTERM)
    assert job.wait(30) == [143], job.logs()
    assert "saved at step" in job.last()


def test_bench_of_one_rank(job: Any) -> None:
    job.run(1, ["bench", "-b", "1M", "-e", "64M", "-f", "8"])
    assert job.wait(120) == [0], job.logs()
    assert "# out of bounds values: 0 OK" in job.ranks[0].text
