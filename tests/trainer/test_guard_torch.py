"""The guard around PyTorch's MNIST example, alone and behind torchrun, with a fault on one rank."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trainer.test_guard import Guards
from tests.trainer.test_guard import guards as guards
from trainer.guard.script import _environment

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")
pytestmark = pytest.mark.soak

SCRIPT = str(Path(__file__).with_name("guarded_mnist.py"))
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]


def ranks_of(guards: Guards, folder: Path, fault: str, *own: str) -> Guards:
    for rank in range(2):
        guards.start(rank, 2, [SCRIPT, fault], *own)
    return guards


def test_an_exception_on_one_rank(guards: Guards, tmp_path: Path) -> None:
    ranks_of(guards, tmp_path, "raise").same(1, "rank 1 (", "ValueError: bad label 17")


def test_a_good_end(guards: Guards, tmp_path: Path) -> None:
    ranks_of(guards, tmp_path, "none").same(0, "done")


def test_a_killed_rank(guards: Guards, tmp_path: Path) -> None:
    ranks_of(guards, tmp_path, "run").until("running", limit=60)
    os.kill(guards.scripts()[1], signal.SIGKILL)
    guards.same(138, "rank 1 (", "killed by SIGKILL")


def test_a_frozen_rank(guards: Guards, tmp_path: Path) -> None:
    ranks_of(guards, tmp_path, "run").until("running", limit=60)
    os.kill(guards.scripts()[1], signal.SIGSTOP)
    guards.same(138, "rank 1 (", "has been stopped (SIGSTOP)")


def test_a_stop(guards: Guards, tmp_path: Path) -> None:
    ranks_of(guards, tmp_path, "run").until("running", limit=60)
    guards.processes[1].terminate()
    guards.same(143, "stopped by SIGTERM, which came to rank 1 (")


@pytest.mark.parametrize(("fault", "where"), [("hang", "in main"), ("download", "in download")])
def test_ranks_that_wait_for_one_that_sleeps(guards: Guards, tmp_path: Path, fault: str, where: str) -> None:
    """In a collective, or before the first one: a download that stalls in one pod blocks them all."""
    ranks_of(guards, tmp_path, fault, "--idle-limit", "3")
    guards.same(138, "no process of 2 members has used a CPU")
    assert "guarded_mnist.py:" in guards.last(1) and where in guards.last(1), guards.logs()


@pytest.fixture
def pod(guards: Guards) -> Iterator[Guards]:
    """One pod, whose ranks torchrun makes."""
    yield guards


@pytest.mark.parametrize(("fault", "code", "words"), [("raise", 1, "rank 1: script exited with 1: ValueError: bad label 17"), ("none", 0, "done")])  # fmt: skip  # noqa: E501
def test_behind_torchrun(pod: Guards, fault: str, code: int, words: str) -> None:
    pod.start(0, 1, [*TORCHRUN, "--master-port", str(pod.port), SCRIPT, fault])
    pod.same(code, words)


@pytest.mark.parametrize(("number", "words"), [(signal.SIGKILL, "rank 1: script killed by SIGKILL"), (signal.SIGSTOP, "has been stopped")])  # fmt: skip  # noqa: E501
def test_torchrun_hides_no_signal(pod: Guards, number: int, words: str) -> None:
    pod.start(0, 1, [*TORCHRUN, "--master-port", str(pod.port), SCRIPT, "run"])
    pod.until("running", 0, limit=60)
    rank = next(pid for pid in pod.scripts() if _environment(pid).get(b"LOCAL_RANK") == b"1")
    os.kill(rank, number)
    pod.same(138, "pod 0 (", words)
