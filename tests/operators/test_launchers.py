"""What a launcher is told in a command line, and which ranks its pods get: a table, and the real programs.

The real ones run the pods of a job as processes here, with the environment that the operator would give them and this
machine's address in it; what each process is told is held against what ``expand`` says.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shlex
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.command import environment, ranks
from specgen.operators.training.pytorchjob import READER
from specgen.pipeline import Text
from specgen.source import Source

STATIC = {"PET_NODE_RANK": "1", "PET_NNODES": "2", "PET_NPROC_PER_NODE": "auto", "RANK": "1", "WORLD_SIZE": "2"}
C10D = {"PET_RDZV_BACKEND": "c10d", "PET_RDZV_ENDPOINT": "a-worker-0:23456", "PET_NPROC_PER_NODE": "4"}


@pytest.mark.parametrize(
    ("text", "env", "gpus", "given"),
    [
        ("python train.py", STATIC, 8, (1, 1)),
        ("torchrun train.py", STATIC, 8, (8, 15)),
        ("torchrun train.py", STATIC, 0, None),
        ("torchrun --nproc_per_node 4 train.py", STATIC, 8, (4, 7)),
        ("torchrun --nproc-per-node=4 train.py --nproc-per-node=2", STATIC, 8, (4, 7)),
        ("torchrun train.py --standalone", STATIC, 8, (8, 15)),
        ("torchrun --standalone train.py", STATIC, 8, None),
        ("torchrun --node-rank=3 train.py", STATIC, 8, (24, 31)),
        ("torchrun train.py", C10D, 8, None),
        ("torchrun --rdzv-backend c10d train.py", STATIC, 8, None),
        ("bash -c 'cd /w && torchrun --nproc_per_node=2 \\\n train.py'", STATIC, 8, (2, 3)),
        ("python -m torch.distributed.launch --use_env --nproc_per_node=2 train.py", STATIC, 8, (2, 3)),
        ("accelerate launch train.py", STATIC, 8, (8, 15)),
        ("accelerate launch train.py", STATIC, 1, None),
        ("accelerate launch --num_processes 4 --multi_gpu train.py", STATIC, 1, (4, 7)),
        ("accelerate launch --num-machines=2 --num-processes=8 --multi_gpu --machine_rank 1 t.py", {}, 8, (4, 7)),
        ("accelerate launch --num_machines=2 --num_processes=8 --multi_gpu t.py", STATIC, 8, None),
        ("accelerate launch --config_file=/a.yaml t.py", STATIC, 8, None),
        ("accelerate launch --num_machines=2 --num_processes=16 --machine_rank=1 --config_file f t.py", {}, 8, (8, 15)),
        ("accelerate launch --num_processes=16 --machine_rank=1 --config_file f t.py", STATIC, 8, None),
        ("accelerate launch --cpu --num_processes=8 t.py", STATIC, 8, None),
        ("accelerate config", STATIC, 8, (1, 1)),
        ("deepspeed train.py", STATIC, 8, None),
        ("python -m trainer guard -- torchrun train.py", STATIC, 8, (8, 15)),
        ("python -m trainer guard -- deepspeed train.py", STATIC, 8, None),
        ("pip install deepspeed", STATIC, 8, (1, 1)),
        ("python train.py --deepspeed ds.json", STATIC, 8, (1, 1)),
    ],
)
def test_ranks_of_a_command_line(text: str, env: dict[str, str], gpus: int, given: tuple[int, int] | None) -> None:
    assert ranks([text], env, gpus) == given
    assert ranks(shlex.split(text), env, gpus) == given


@pytest.mark.parametrize(
    ("words", "name", "program"),
    [
        (["torchrun", "--nproc-per-node", "8", "train.py"], "torchrun", "train.py"),
        (["/opt/bin/torchrun", "-m", "trainer"], "torchrun", "trainer"),
        (["torchrun", "--", "train.py"], "torchrun", "train.py"),
        (["python3", "-u", "-m", "torch.distributed.run", "--standalone", "train.py"], "torchrun", "train.py"),
        (["accelerate", "launch", "--multi_gpu", "--num_processes", "8", "train.py"], "accelerate", "train.py"),
        (["accelerate-launch", "train.py"], "accelerate", "train.py"),
        (["deepspeed", "--num_gpus", "8", "--no_local_rank", "train.py"], "deepspeed", "train.py"),
        (["python", "train.py", "-m", "torch.distributed.run"], None, None),
        (["bash", "-c", "torchrun train.py"], None, None),
        (["accelerate", "test"], None, None),
        (["python", "-m", "trainer", "guard", "--grace=9", "--", "torchrun", "train.py"], "torchrun", "train.py"),
        (
            ["python", "-m", "trainer", "guard", "--", "python", "-m", "torch.distributed.run", "a.py"],
            "torchrun",
            "a.py",
        ),
        (["python", "-m", "trainer", "guard", "--", "deepspeed", "train.py"], "deepspeed", "train.py"),
        (["python", "-m", "trainer", "guard", "--", "train.py"], None, None),
        (["python", "-m", "trainer", "guard", "--"], None, None),
        ([], None, None),
    ],
)
def test_the_launcher_that_a_command_line_begins_with(words: list[str], name: str | None, program: str | None) -> None:
    line = launchers.of_words(words)
    assert (line.name if line is not None else None) == name
    if line is not None:
        assert words[line.program] == program


_SHOW = """\
import json, os
told = {name: os.environ.get(name) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")}
open(os.path.join(os.environ["TOLD"], told["RANK"]), "w").write(json.dumps(told))
"""

_JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a}
spec:
  %s
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a:1", command: %s}]}}}
    Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a:1", command: %s}]}}}
"""
TOLD = ["--machine_rank=$(RANK)", "--main_process_ip=$(MASTER_ADDR)", "--main_process_port=$(MASTER_PORT)"]


def pods(spec: str, command: list[str]) -> list[tuple[list[str], dict[str, str], tuple[int, int] | None]]:
    """(words, environment, ranks) of each pod, as ``expand`` says them."""
    text = _JOB % (spec, json.dumps(command), json.dumps(command))
    ((manifest,),) = Text(Source("job.yaml", text)).objects
    expansion = READER.expand(READER.read(manifest))
    assert not expansion.refusals, expansion.refusals[0].reason
    return [
        (instance.command, environment(pod["spec"]["containers"][0], pod), instance.ranks)
        for instance, pod in zip(expansion.instances, expansion.pods, strict=True)
    ]


def free_port() -> str:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return str(one.getsockname()[1])


def told(tmp_path: Path, spec: str, command: list[str]) -> list[dict[str, Any]]:
    """What the processes of all pods are told, by their ranks; each pod told no other ranks than ``expand`` says."""
    script, port = tmp_path / "show.py", free_port()
    script.write_text(_SHOW)
    found, started = [], []
    for number, (words, env, given) in enumerate(pods(spec, [*command, str(script)])):
        folder = tmp_path / str(number)
        folder.mkdir()
        here = {"a-master-0": "127.0.0.1", "23456": port}
        own = {name: here.get(value, value) for name, value in env.items()}
        line = [sys.executable, *words[1:]] if words[0] == "python" else words
        for old, new in here.items():
            line = [word.replace(old, new) for word in line]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PET_", "MASTER_"))}
        with (tmp_path / f"{number}.log").open("w") as log:
            process = subprocess.Popen(line, env={**kept, **own, "TOLD": str(folder)}, stdout=log, stderr=log)
        started.append((process, folder, given))
    try:
        for process, _, _ in started:
            process.wait(120)
    finally:
        for process, _, _ in started:
            process.kill()
    for number, (process, folder, given) in enumerate(started):
        assert process.returncode == 0, (tmp_path / f"{number}.log").read_text()
        mine = sorted((json.loads(file.read_text()) for file in folder.iterdir()), key=lambda one: int(one["RANK"]))
        assert given is not None
        assert [int(one["RANK"]) for one in mine] == list(range(given[0], given[1] + 1))
        found += mine
    return found


NEEDS_TORCH = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="the extra `trainer` is missing")
NEEDS_ACCELERATE = pytest.mark.skipif(
    importlib.util.find_spec("accelerate") is None, reason="accelerate is not installed beside this Python"
)


@NEEDS_TORCH
@pytest.mark.parametrize(
    ("spec", "options"),
    [
        pytest.param('nprocPerNode: "2"', [], marks=pytest.mark.soak),
        ("runPolicy: {cleanPodPolicy: None}", ["--nproc-per-node=2", "--nnodes=$(PET_NNODES)"]),
    ],
)
def test_torchrun_gives_the_ranks_that_are_expected_of_it(tmp_path: Path, spec: str, options: list[str]) -> None:
    found = told(tmp_path, spec, ["python", "-m", "torch.distributed.run", *options])
    assert [one["WORLD_SIZE"] for one in found] == ["4"] * 4
    assert [one["LOCAL_RANK"] for one in found] == ["0", "1", "0", "1"]


@NEEDS_ACCELERATE
def test_accelerate_gives_the_ranks_that_are_expected_of_it(tmp_path: Path) -> None:
    line = ["--multi_gpu", "--num_machines=2", "--num_processes=4", *TOLD]
    found = told(tmp_path, 'nprocPerNode: "2"', ["python", "-m", "accelerate.commands.launch", *line])
    assert [one["WORLD_SIZE"] for one in found] == ["4"] * 4
    assert [one["LOCAL_RANK"] for one in found] == ["0", "1", "0", "1"]
