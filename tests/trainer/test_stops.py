"""Stops that the other tables leave out: signals in a row, rank 0 gone or frozen while the others wait for it."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from tests.trainer.harness import Job

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

ARGV = ["train", "-a", "mnist", "-b", "4", "--dummy", "--dummy-size", "4096", "--iter", "100000", "--print-freq", "1"]
ARGV += ["--lr", "0.01", "--step-timeout", "3", "--start-timeout", "20", "--rdzv-timeout", "20"]


@pytest.mark.soak
def test_second_sigterm_leaves_at_once(job: Job, tmp_path: Path) -> None:
    """The first one waits for the end of a step that does not come; the second saves nothing."""
    out = tmp_path / "out"
    job.run(2, [*ARGV, "--out", str(out), "--step-timeout", "20"], inject={1: ["stall", 5]})
    job.until("    4 ")
    job.ranks[1].send(signal.SIGTERM)
    assert job.wait(1.0) == [None, None], job.logs()
    moment = time.time()
    job.ranks[1].send(signal.SIGTERM)
    assert job.wait(10.0) == [138, 143], job.logs()
    assert job.ranks[1].ended - moment < 1.0
    assert "rank 1 (" in job.last(0) and "vanished" in job.last(0)
    assert list(out.glob("step-*")) == []


@pytest.mark.soak
def test_rank_zero_is_killed_in_rendezvous(job: Job) -> None:
    job.run(3, ARGV, without=(2,))
    time.sleep(1.0)
    moment = time.time()
    job.ranks[0].send(signal.SIGKILL)
    assert job.wait(20.0) == [-9, 138], job.logs()
    assert "lost rank 0" in job.last(1) and job.ranks[1].ended - moment < 5.0, job.logs()


@pytest.mark.soak
def test_rank_zero_is_stopped(job: Job) -> None:
    """The store stops with it and answers nobody; no connection ends. Once it wakes, it blames itself and not those
    that have left meanwhile."""
    job.run(3, ARGV)
    job.until("   10 ")
    moment = time.time()
    job.ranks[0].send(signal.SIGSTOP)
    assert job.wait(30.0, job.ranks[1:]) == [138, 138], job.logs()
    for rank in (1, 2):
        assert "lost rank 0 (" in job.last(rank) and "its store has not answered for 8 s" in job.last(rank), job.logs()
        assert job.ranks[rank].ended - moment < 8 + 5
    job.ranks[0].send(signal.SIGCONT)
    assert job.wait(10.0)[0] == 138, job.logs()
    assert "dead: rank 0 (" in job.last(0) and "this process did not run for" in job.last(0), job.logs()


@pytest.mark.soak
def test_collectives_are_alike_on_all_ranks(job: Job) -> None:
    """torch's own check of the name and shape of every collective finds nothing."""
    argv = [*ARGV, "--iter", "20", "--eval"]
    job.run(3, argv, env={rank: {"TORCH_DISTRIBUTED_DEBUG": "DETAIL"} for rank in range(3)})
    assert job.wait(60.0) == [0, 0, 0], job.logs()


@pytest.mark.soak
def test_late_mount_and_short_grace(job: Job, mnist: Path, tmp_path: Path) -> None:
    """Data that comes two seconds late is waited for; a step and a save that outlast --grace are said once."""
    late, away = tmp_path / "late", tmp_path / "away"
    mnist.rename(away)
    argv = ["train", "-a", "mnist", "-b", "4", "--iter", "6", "--lr", "0.01", "--ckpt-every", "2", "--grace", "0.001"]
    argv += ["--data", str(late), "--data-wait", "20", "--read-timeout", "10", "--out", str(tmp_path / "out")]
    job.run(2, argv)
    assert job.wait(2.0) == [None, None], job.logs()
    away.rename(late)
    assert job.wait(30.0) == [0, 0], job.logs()
    assert job.ranks[0].text.count("--grace is 0.001 s: raise terminationGracePeriodSeconds") == 1, job.logs()


@pytest.mark.soak
def test_a_rank_that_holds_the_gil_ends_too(job: Job) -> None:
    """Its watchdog cannot run: the others name it, and it dies of a timer of the kernel, with its stacks written."""
    job.run(2, ARGV, env={rank: {"NODE_NAME": f"node-{rank}"} for rank in range(2)}, inject={1: ["hold_gil", 5]})
    assert job.wait(40.0) == [138, -signal.SIGKILL], job.logs()
    assert "dead: rank 1 (" in job.last(0) and "node node-1)" in job.last(0), job.logs()
    assert "inject.py" in job.ranks[1].text, job.logs()
