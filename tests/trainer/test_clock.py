"""The wall clock is set while a job runs, for Python and for the C++ below it: no limit may follow it."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest

from tests.trainer.harness import Job, Zygote

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")


@pytest.fixture
def job(faulty: Zygote, tmp_path: Path) -> Iterator[Job]:
    one = Job(faulty, tmp_path)
    yield one
    one.close()


@pytest.mark.soak
@pytest.mark.parametrize("seconds", [86400, -86400])
def test_clock_is_set(job: Job, tmp_path: Path, seconds: int) -> None:
    """A day ahead and a day back on rank 0, which judges all the others: training goes on until it is stopped."""
    out, now = tmp_path / "out", tmp_path / "now"
    argv = ["train", "-a", "mnist", "-b", "4", "--dummy", "--iter", "100000", "--print-freq", "5", "--lr", "0.01"]
    argv += ["--step-timeout", "3", "--rdzv-timeout", "20", "--start-timeout", "20", "--out", str(out)]
    job.run(2, argv, env={0: {"FAULT_CLOCK": f"{seconds} {now}"}})
    job.until("   10 ")
    now.touch()
    assert job.wait(3.0) == [None, None], job.logs()
    job.ranks[1].send(signal.SIGTERM)
    assert job.wait(20.0) == [143, 143], job.logs()
    times = [
        datetime.fromisoformat(json.loads(line)["time"])
        for line in (out / "metrics-00000.jsonl").read_text().splitlines()
    ]
    jumps = [later - earlier for earlier, later in pairwise(times) if abs(later - earlier) > timedelta(hours=1)]
    assert len(jumps) == 1 and abs(jumps[0] - timedelta(seconds=seconds)) < timedelta(minutes=1)
