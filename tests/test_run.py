"""`specgen run`: the pods of a job as processes of this machine. The programs here are a line of Python each."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from specgen.local.addresses import Addresses

HERE = Path(__file__).parent.parent
SAY = "import json, os; print(json.dumps({k: os.environ.get(k) for k in %r.split()}))"


def run(folder: Path, profile: dict[str, object], *words: str) -> subprocess.CompletedProcess[str]:
    """The verb on a profile, as a user calls it."""
    return subprocess.run(command(folder, profile, *words), capture_output=True, text=True, timeout=60, env=_env())


def command(folder: Path, profile: dict[str, object], *words: str) -> list[str]:
    job = {"apiVersion": "specgen/v1", "kind": "Job", "image": "registry.example.com/a:1", "target": "PyTorchJob"}
    (folder / "job.yaml").write_text(json.dumps({**job, "metadata": {"name": "one"}, **profile}))
    return [sys.executable, "-m", "specgen", "run", str(folder / "job.yaml"), *words]


def _env() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(HERE), "WORLD_SIZE": "99", "PET_NNODES": "99"}


def lines(result: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """Mark → text of each line of the answer."""
    return dict(line.split(" | ", 1) for line in result.stdout.splitlines())


def test_pods_get_the_operators_environment_with_this_machine_in_it(tmp_path: Path) -> None:
    program = SAY % "MASTER_ADDR WORLD_SIZE RANK PET_NNODES PET_NODE_RANK"
    result = run(tmp_path, {"command": ["python", "-c", program], "pods": 2})
    assert result.returncode == 0, result.stderr
    said = {mark: json.loads(text) for mark, text in lines(result).items()}
    common = {"MASTER_ADDR": "127.0.0.1", "WORLD_SIZE": "2", "PET_NNODES": "2"}
    assert said == {
        "master-0 rank 0": {**common, "RANK": "0", "PET_NODE_RANK": "0"},
        "worker-0 rank 1": {**common, "RANK": "1", "PET_NODE_RANK": "1"},
    }


def test_as_many_pods_as_asked_and_the_code_of_the_first_failure(tmp_path: Path) -> None:
    program = "import os, sys; sys.exit(7 if os.environ['RANK'] == '2' else 0)"
    result = run(tmp_path, {"command": ["python", "-c", program], "pods": 2}, "--pods", "3")
    assert result.returncode == 7
    assert sorted(line.split(" ended with ")[0] for line in result.stderr.splitlines() if " ended with " in line) == [
        "master-0 rank 0",
        "worker-0 rank 1",
        "worker-1 rank 2",
    ]


def test_what_is_not_here_is_said_before_anything_starts(tmp_path: Path) -> None:
    profile = {
        "command": ["/opt/conda/bin/python", "/var/train.py", "--data=/data/mnist"],
        "mounts": {"/data": {"pvc": "data"}},
        "files": {"/var/ran.txt": {"text": "x"}},
    }
    result = run(tmp_path, profile)
    assert result.returncode == 1
    assert result.stdout == ""
    said = [line.partition("error[SG801] ")[2] for line in result.stderr.splitlines() if "SG801" in line]
    assert said == [
        f"`{what}` is not on this machine" for what in ("/opt/conda/bin/python", "/var/train.py", "/data/mnist")
    ]


def test_what_is_mapped_runs(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text("import sys; print(open(sys.argv[1] + '/a.txt').read(), sys.argv[2])")
    (tmp_path / "data").mkdir()
    (tmp_path / "data/a.txt").write_text("there")
    profile = {
        "command": ["/opt/conda/bin/python", "/var/train.py", "/data/mnist", "--backend=nccl"],
        "mounts": {"/data": {"pvc": "data"}},
    }
    maps = [f"--map=/var/train.py={tmp_path}/train.py", f"--map=/data/mnist={tmp_path}/data"]
    result = run(tmp_path, profile, "--python", sys.executable, *maps)
    assert result.returncode == 0, result.stderr
    backend = "--backend=nccl" if Path("/dev/nvidia0").exists() else "--backend=gloo"
    assert lines(result) == {"master-0 rank 0": f"there {backend}"}


def test_carried_files_and_init_containers_come_first(tmp_path: Path) -> None:
    profile = {
        "command": ["python", "-c", "import sys; print(open(sys.argv[1]).read())", "/work/a.txt"],
        "files": {"/job/make.py": {"text": "import sys; open(sys.argv[1], 'a').write('made')"}},
        "mounts": {"/work": {"scratch": "work"}},
        "init": {"make": {"command": ["python", "/job/make.py", "/work/a.txt"]}},
        "pods": 2,
    }
    result = run(tmp_path, profile)
    assert result.returncode == 0, result.stderr
    assert lines(result) == {"master-0 rank 0": "made", "worker-0 rank 1": "made"}


def test_an_init_container_that_fails_stops_the_run(tmp_path: Path) -> None:
    profile = {
        "command": ["python", "-c", "print('started')"],
        "init": {"make": {"command": ["python", "-c", "raise SystemExit(3)"]}},
    }
    result = run(tmp_path, profile)
    assert (result.returncode, result.stdout) == (3, "")
    assert "ended with 3, nothing was started" in result.stderr


def test_one_interrupt_stops_all(tmp_path: Path) -> None:
    program = "import time; print('up', flush=True); time.sleep(100)"
    line = command(tmp_path, {"command": ["python", "-c", program], "pods": 2})
    with subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_env()) as running:
        assert running.stdout is not None
        for _ in range(2):
            assert running.stdout.readline().endswith("up\n")
        before = time.monotonic()
        running.send_signal(signal.SIGINT)
        assert running.wait(timeout=30) == 130
        assert time.monotonic() - before < 20


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--pods", "0"], "--pods 0: at least one"),
        (["--map", "data"], "`data` maps nothing"),
        (["--variant", "small"], "name one of its variants"),
    ],
)
def test_wrong_words_are_answered(tmp_path: Path, words: list[str], said: str) -> None:
    result = run(tmp_path, {"command": ["python"]}, *words)
    assert result.returncode == 2
    assert said in result.stderr


@pytest.mark.parametrize(
    ("text", "variable", "shift", "here"),
    [
        ("one-worker-0", "MASTER_ADDR", 0, "127.0.0.1"),
        ("one-worker-0.ns.svc.cluster.local", "MASTER_ADDR", 0, "127.0.0.1"),
        ("one-worker-1.ns.svc:2222", "", 0, "127.0.0.1:2223"),
        (
            '{"worker":["one-worker-0.ns.svc:2222","one-worker-1.ns.svc:2222"]}',
            "TF_CONFIG",
            100,
            '{"worker":["127.0.0.1:2322","127.0.0.1:2323"]}',
        ),
        ("one-worker-10", "", 0, "one-worker-10"),
        ("my-one-worker-0", "", 0, "my-one-worker-0"),
        ("23456", "MASTER_PORT", 100, "23556"),
        ("23456", "PORTION", 100, "23456"),
        ("<clusterIP of one-scheduler-0>", "MS_SCHED_HOST", 0, "127.0.0.1"),
    ],
)
def test_addresses_of_pods_become_this_machines(text: str, variable: str, shift: int, here: str) -> None:
    assert Addresses(["one-worker-0", "one-worker-1"], shift).here(text, variable) == here


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the extra `trainer` is not installed")
def test_the_sample_trains_to_the_end_on_data_that_it_makes() -> None:
    line = [sys.executable, "-m", "specgen", "run", "profiles/jobs/mnist.yaml", "--set", "vars.epochs='1'"]
    result = subprocess.run(line, cwd=HERE, capture_output=True, text=True, timeout=120, env=_env())
    assert result.returncode == 0, result.stdout + result.stderr
    ended = [text for text in result.stdout.splitlines() if text.endswith("| trainer: done")]
    assert sorted(text.partition(" | ")[0] for text in ended) == ["master-0 rank 0", "worker-0 rank 1"]
