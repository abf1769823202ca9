"""Pods of `specgen run`: folders of their own, the ranks of a launcher, and what a cluster would do differently."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.test_run import _env, command, lines, run

# A rank leaves a file in its pod's folder, and says whose files there are.
LEAVES = """\
import os, sys, time
rank, pod = os.environ.get("OMPI_COMM_WORLD_RANK") or os.environ["RANK"], sys.argv[1]
open(f"{pod}/{rank}", "w")
while len(os.listdir(pod)) < int(sys.argv[2]):
    time.sleep(0.01)
print(*sorted(os.listdir(pod)), os.path.basename(os.environ.get("FOO", "")))
"""


def test_each_pod_has_its_own_scratch_and_init_containers(tmp_path: Path) -> None:
    profile = {
        "command": ["python", "-c", LEAVES, "/work", "2"],
        "env": {"FOO": "/work/made"},
        "mounts": {"/work": {"scratch": "work"}},
        "init": {"make": {"command": ["python", "-c", "import sys; open(sys.argv[1], 'x')", "/work/made"]}},
        "pods": 2,
    }
    result = run(tmp_path, profile)
    assert result.returncode == 0, result.stderr
    assert lines(result) == {"master-0 rank 0": "0 made made", "worker-0 rank 1": "1 made made"}


MPI = {
    "command": ["/opt/conda/bin/python", "-c", LEAVES, "/work", "3"],
    "start": "mpirun",
    "env": {"FOO": "/work/made"},
    "mounts": {"/work": {"scratch": "work"}},
    "init": {"make": {"command": ["python", "-c", "import sys; open(sys.argv[1], 'x')", "/work/made"]}},
    "pods": 2,
    "procsPerPod": 2,
}


@pytest.mark.parametrize(
    ("target", "start", "pods"),
    [
        ("MPIJob", {}, ("worker-0", "worker-1")),
        ({"kind": "MPIJob", "version": "v1"}, {}, ("worker-0", "worker-1")),
        ("MPIJob", {"launcherTrains": True}, ("launcher", "worker-0")),
        ("TrainJob", {}, ("node-0-0", "node-0-1")),
    ],
)
def test_ranks_of_a_launcher_run_in_their_pods_without_mpirun(
    tmp_path: Path, target: object, start: dict[str, object], pods: tuple[str, str]
) -> None:
    profile = {**MPI, "target": target, "start": {"by": "mpirun", "path": "/opt/mpi/bin/mpirun", **start}}
    result = run(tmp_path, profile, "--python", sys.executable)
    assert result.returncode == 0, result.stderr
    expected = {f"{pods[0]} rank {rank}": "0 1 made made" for rank in (0, 1)}
    assert lines(result) == expected | {f"{pods[1]} rank {rank}": "2 3 made made" for rank in (2, 3)}
    assert "`/opt/mpi/bin/mpirun` is not here: the ranks start by themselves" in result.stderr


# What mpirun does of it here: each program so often, and a number for each.
MPIRUN = """\
#!{python}
import os, subprocess, sys
programs, rank = [[]], 0
for word in sys.argv[1:]:
    if word == ":":
        programs.append([])
    else:
        programs[-1].append(word)
for (option, count, *line) in programs:
    for _ in range(int(count)):
        env = dict(os.environ, OMPI_COMM_WORLD_RANK=str(rank))
        line[-1] = "1"  # one after the other
        sys.stdout.flush()
        subprocess.run(line, check=True, env=env)
        rank += 1
"""


def test_an_mpirun_that_is_here_starts_each_pods_ranks_in_its_folders(tmp_path: Path) -> None:
    (tmp_path / "mpirun").write_text(MPIRUN.format(python=sys.executable))
    (tmp_path / "mpirun").chmod(0o755)
    profile = {**MPI, "target": "MPIJob", "start": {"by": "mpirun", "path": f"{tmp_path}/mpirun"}}
    result = run(tmp_path, profile, "--python", sys.executable)
    assert result.returncode == 0, result.stderr
    assert [line.partition(" | ")[2] for line in result.stdout.splitlines()] == [
        "0 made made",
        "0 1 made made",
        "2 made made",
        "2 3 made made",
    ]


DIFFERENCES = [
    ({"command": ["true"]}, ()),
    ({"command": ["true"], "mounts": {"/tmp": {"hostPath": "/tmp"}}}, ("`/tmp`: this machine's",)),
    ({"command": ["true"], "mounts": {"/no/out": {"pvc": "o"}}}, ("`/no/out`: mounted there and not here (`--map ",)),
    ({"command": ["true"], "mounts": {"/w": {"scratch": "w"}}}, ("`/w`: a folder of its own for each pod",)),
    ({"command": ["true"], "resources": {"memory": "1Gi"}}, ("no limits here",)),
    ({"command": ["true"], "lifecycle": {"restart": "OnFailure"}}, ()),
]


@pytest.mark.parametrize(("profile", "said"), DIFFERENCES)
def test_what_a_cluster_does_differently_is_said_of_jobs_that_it_concerns(
    tmp_path: Path, profile: dict[str, object], said: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    from specgen.cli.main import main

    line = command(tmp_path, profile, "--dry-run")
    assert main(line[3:]) == 0
    *found, last = [text.strip() for text in capsys.readouterr().err.splitlines()[1:]]
    assert last == "nothing begins again here: there the kubelet restarts a container that fails, in place"
    assert len(found) == len(said)
    assert all(text.startswith(start) for text, start in zip(found, said, strict=True))


def test_two_runs_at_once_from_another_folder_keep_off_each_other(tmp_path: Path) -> None:
    line = command(tmp_path, {**MPI, "target": "MPIJob"}, "--python", sys.executable)
    (tmp_path / "elsewhere").mkdir()
    both = [
        subprocess.Popen(line, stdout=subprocess.PIPE, text=True, env=_env(), cwd=tmp_path / "elsewhere")
        for _ in range(2)
    ]
    said = [sorted(one.communicate(timeout=60)[0].splitlines()) for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert said[0] == said[1] and len(said[0]) == 4
    assert not list((tmp_path / "elsewhere").iterdir())
