"""Processes of the trainer by themselves: signals before the first step, parents that are killed, old addresses."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the extra `trainer` is not installed")
ROOT = Path(__file__).parent.parent.parent
LINE = [sys.executable, "-m", "trainer", "train", "-a", "mnist", "--dummy"]


def started(*words: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen([*LINE, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=env)


@pytest.mark.soak
def test_a_stop_while_torch_is_loaded_is_heard() -> None:
    with started("--iter", "1000000") as one:
        until = time.monotonic() + 20
        while "libtorch" not in Path(f"/proc/{one.pid}/maps").read_text() and time.monotonic() < until:
            time.sleep(0.005)
        one.send_signal(signal.SIGTERM)
        said, _ = one.communicate(timeout=60)
    assert one.returncode == 143, said
    assert "stopped by SIGTERM" in said


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="Linux alone tells a child of its parent's end")
def test_processes_of_a_killed_parent_stop() -> None:
    with started("--iter", "1000000", "--spawn", "2") as one:
        assert one.stdout is not None
        for line in one.stdout:
            if "step" in line and "loss" in line:
                break
        children = Path(f"/proc/{one.pid}/task/{one.pid}/children").read_text().split()
        assert len(children) == 2
        one.kill()
        assert "stopped by SIGTERM" in one.stdout.read()  # until the last of them has closed it


def test_an_address_that_nobody_answers_is_of_an_attempt_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trainer.env import Place
    from trainer.group import mpi_address

    monkeypatch.setenv("PMIX_NAMESPACE", "same-as-before")
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with socket.create_server(("127.0.0.1", 0)) as gone:
        old = gone.getsockname()[1]
    file = tmp_path / "rendezvous-same-as-before"
    file.write_text(f"127.0.0.1 {old}")
    with socket.create_server(("127.0.0.1", 0)) as server:
        new = server.getsockname()[1]
        threading.Timer(0.2, lambda: file.write_text(f"127.0.0.1 {new}")).start()
        place = Place(rank=1, world=2, source="MPI")
        mpi_address(place, str(tmp_path))
    assert place.port == new
