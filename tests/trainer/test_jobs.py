"""Whole jobs: sixteen ranks, MNIST, images, launchers, bench, report."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from tests.trainer.harness import ROOT, Job, free_port, write_folder

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

import torch

from trainer import models
from trainer.bench import build, factor, size_of
from trainer.data import Dummy
from trainer.faults import Fault
from trainer.metrics import Meter, finite, in_a_row, prometheus, stragglers
from trainer.report import collect, run

SMALL = ["-b", "4", "--print-freq", "5", "--step-timeout", "20"]
MNIST = ["train", "-a", "mnist", *SMALL, "--lr", "0.05", "--wd", "0"]


def done(job: Job, limit: float = 90.0) -> None:
    codes = job.wait(limit)
    assert codes == [0] * len(codes), job.logs()


@pytest.mark.soak
def test_sixteen_ranks(job: Job) -> None:
    job.run(16, ["train", "-a", "mnist", "-b", "1", "--dummy", "--iter", "20", "--step-timeout", "60"])
    done(job)
    assert "gloo over 16 ranks (PyTorchJob)" in job.ranks[0].text


@pytest.mark.soak
def test_mnist_learns_and_ranks_agree(jobs: Any, mnist: Path, tmp_path: Path) -> None:
    """The same global batch on one and on four ranks; both learn the set."""
    final = []
    for world, batch in ((1, "16"), (4, "4")):
        out = tmp_path / f"out-{world}"
        job = jobs().run(
            world,
            [
                *MNIST,
                "-b",
                batch,
                "--data",
                str(mnist),
                "--format",
                "idx",
                "--epochs",
                "2",
                "--eval",
                "--out",
                str(out),
            ],
        )
        done(job)
        final.append(
            [
                json.loads(line)
                for line in (out / "events-00000.jsonl").read_text().splitlines()
                if '"event": "eval"' in line
            ][-1]
        )
    assert final[0]["samples"] == final[1]["samples"] == 128
    assert final[0]["accuracy"] > 0.9
    assert final[1]["loss"] == pytest.approx(final[0]["loss"], rel=0.01)


@pytest.mark.parametrize(
    "options, told", [([], "float32 NCHW"), (["--amp", "bf16", "--channels-last"], "bfloat16 NHWC")]
)
def test_evaluation_is_as_the_training(jobs: Any, options: list[str], told: str) -> None:
    """Precision and memory order of the training are those of its evaluation; the loss is finite and of all samples."""
    argv = "train -a resnet18 --dummy --dummy-size 8 --classes 10 --image-size 32 -b 4 --iter 2 --lr 0.01 --eval"
    job = jobs().run(1, [*argv.split(), *options], inject={0: ["tell_eval"]})
    done(job)
    text = job.ranks[0].text
    assert text.count("evaluates in") == text.count(f"evaluates in torch.{told}\n") == 2, text
    assert re.search(r"evaluation at step 2: loss \d+\.\d{4}, accuracy [01]\.\d{4}, 8 samples", text), text


def test_evaluation_in_bf16_is_that_of_its_checkpoint(jobs: Any, tmp_path: Path) -> None:
    """The loss that is told is that of the saved weights under autocast, summed in float32."""
    argv = "train -a mnist --dummy --dummy-size 8 -b 8 --iter 2 --lr 0.01 --eval --amp bf16"
    done(jobs().run(1, [*argv.split(), "--out", str(tmp_path)]))
    events = [json.loads(line) for line in (tmp_path / "events-00000.jsonl").read_text().splitlines()]
    told = [event["loss"] for event in events if event["event"] == "eval"][-1]
    model = models.build("mnist", 10).eval()
    model.load_state_dict(torch.load(tmp_path / "step-000000002.pt", weights_only=True)["model"])
    x, y = Dummy(8, 10, (1, 28, 28), 0, torch.device("cpu")).of(torch.arange(8))
    with torch.no_grad():
        plain = torch.nn.functional.cross_entropy(model(x), y).item()
        with torch.autocast("cpu", torch.bfloat16):
            logits = model(x)
    expected = torch.nn.functional.cross_entropy(logits.float(), y).item()
    assert told == pytest.approx(expected, rel=1e-6)
    # how far the two are apart is for the processor's kernels to say
    assert abs(told - expected) < abs(told - plain)


@pytest.mark.soak
def test_image_folder_with_workers_and_signal_to_the_group(job: Job, tmp_path: Path) -> None:
    """A SIGTERM to the process group reaches the loader workers too: they go on until the last batch."""
    import signal

    folder = write_folder(tmp_path / "f", each=16)
    for rank in range(2):
        job.start(
            rank,
            [
                "train",
                "-a",
                "resnet18",
                "-b",
                "2",
                "-j",
                "2",
                "--image-size",
                "32",
                "--data",
                str(folder),
                "--iter",
                "500",
                "--print-freq",
                "1",
                "--classes",
                "2",
                "--out",
                str(tmp_path / "out"),
                "--step-timeout",
                "30",
            ],
            world=2,
        )
    job.until("        3 ")
    for one in job.ranks:
        os.killpg(one.pid, signal.SIGTERM)
    codes = job.wait(40)
    assert codes == [143, 143], job.logs()
    assert "saved at step" in job.last(1)
    assert "no index in" in job.ranks[0].text
    assert "scans it" not in job.ranks[1].text


def test_spawn_on_one_machine(job: Job) -> None:
    job.start(None, [*MNIST, "--spawn", "2", "--dummy", "--iter", "5"])
    done(job)
    assert "gloo over 2 ranks (--spawn)" in job.ranks[0].text


def test_spawn_in_a_trainjob(job: Job) -> None:
    for node in range(2):
        job.start(
            None,
            [*MNIST, "--spawn", "0", "--dummy", "--iter", "5"],
            {
                "PET_NNODES": "2",
                "PET_NPROC_PER_NODE": "2",
                "PET_NODE_RANK": str(node),
                "PET_MASTER_ADDR": "127.0.0.1",
                "PET_MASTER_PORT": str(job.port),
            },
        )
    done(job)
    assert "gloo over 4 ranks (PET_*)" in job.ranks[0].text


def test_spawn_keeps_the_exit_code_and_passes_signals_on(job: Job, tmp_path: Path) -> None:
    import signal

    job.start(None, [*MNIST, "--spawn", "2", "--dummy", "--iter", "5000", "--out", str(tmp_path / "out")])
    job.until("   10 ")
    job.ranks[0].send(signal.SIGTERM)
    assert job.wait(20) == [143], job.logs()


def test_msjob_scheduler_hosts_the_store(job: Job) -> None:
    env = {"MS_SCHED_HOST": "127.0.0.1", "MS_SCHED_PORT": str(job.port), "MS_WORKER_NUM": "2"}
    argv = [*MNIST, "--dummy", "--iter", "5"]
    job.start(None, argv, {**env, "MS_ROLE": "MS_SCHED", "MS_NODE_ID": "job-scheduler-0"})
    for index in range(2):
        job.start(None, argv, {**env, "MS_ROLE": "MS_WORKER", "MS_NODE_ID": f"job-worker-{index}"})
    done(job)
    assert "gloo over 2 ranks (MSJob)" in job.ranks[1].text


def separate(argv: list[str], **env: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, not forked."""
    clean = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HOME": "/tmp", **env}
    return subprocess.run(argv, env=clean, capture_output=True, text=True, timeout=120)


@pytest.mark.soak
def test_started_as_a_script(tmp_path: Path) -> None:
    """The command of source 000 with a small batch, from the package's folder, without any data path."""
    done = separate(
        [
            sys.executable,
            "-u",
            str(ROOT / "trainer" / "main_allreduce.py"),
            "-a",
            "resnet18",
            "-j",
            "32",
            "-b",
            "2",
            "--epochs=1",
            "--iter=3",
            "--bucket=200",
            "--image-size",
            "32",
            "-p",
            "1",
        ]
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^ +3 +0 ", done.stdout, re.M)


@pytest.mark.soak
def test_torchrun(tmp_path: Path) -> None:
    port = free_port()
    done = separate(
        [
            sys.executable,
            "-m",
            "torch.distributed.run",
            "--nproc-per-node",
            "2",
            "--master-port",
            str(port),
            "--module",
            "trainer",
            *MNIST,
            "--dummy",
            "--iter",
            "3",
        ]
    )
    assert done.returncode == 0, done.stderr
    assert "gloo over 2 ranks (torchrun)" in done.stderr


@pytest.mark.soak
def test_torchrun_starts_all_anew_around_one_store(tmp_path: Path) -> None:
    """The agent keeps its store, with the verdict of the attempt before in it."""
    agent = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--max-restarts", "1"]
    job = ["--module", "trainer", *MNIST, "--dummy", "--iter", "12", "--ckpt-every", "2", "--out", str(tmp_path)]
    killer = f"""
import glob, os, signal, subprocess, sys, time
agent = subprocess.Popen({[*agent, "--master-port", str(free_port()), *job]!r})
while agent.poll() is None and not glob.glob({str(tmp_path)!r} + "/step-*2.pt.json"):
    time.sleep(0.01)
os.kill(int(open(f"/proc/{{agent.pid}}/task/{{agent.pid}}/children").read().split()[-1]), signal.SIGKILL)
sys.exit(agent.wait())
"""
    done = separate([sys.executable, "-c", killer])
    assert done.returncode == 0, done.stderr
    assert re.search(r"resumed from step \d+", done.stderr), done.stderr
    attempts = [json.loads(line) for line in (tmp_path / "attempts.jsonl").read_text().splitlines()]
    assert [line["event"] for line in attempts if line["event"] == "start"] == ["start", "start"]


@pytest.mark.parametrize("address", [True, False])
def test_mpirun(tmp_path: Path, address: bool) -> None:
    """mpirun as launcher, gloo as transport; without an address through a file keyed by PMIX_NAMESPACE."""
    if not shutil.which("mpirun"):
        pytest.skip("mpirun is not installed here")
    given = ["-x", "MASTER_ADDR=127.0.0.1", "-x", f"MASTER_PORT={free_port()}"] if address else []
    out = [] if address else ["--out", str(tmp_path / "out")]
    done = separate(
        [
            "mpirun",
            "--allow-run-as-root",
            "--oversubscribe",
            "-n",
            "2",
            "-x",
            "PYTHONPATH",
            *given,
            sys.executable,
            "-m",
            "trainer",
            *MNIST,
            "--dummy",
            "--iter",
            "3",
            *out,
        ]
    )
    assert done.returncode == 0, done.stderr
    assert "gloo over 2 ranks (MPI)" in done.stderr


def test_backend_mpi_is_refused_with_a_sentence(job: Job) -> None:
    job.run(1, [*MNIST, "--dummy", "--backend", "mpi"])
    assert job.wait(20) == [64]
    assert "needs a torch built with MPI: start under mpirun" in job.last()


def test_preflight_command_and_termination_message(job: Job, mnist: Path, tmp_path: Path) -> None:
    log = tmp_path / "termination"
    log.touch()
    job.run(
        2,
        ["preflight", "--data", str(mnist), "--out", str(tmp_path / "out"), "--expect-nccl", "2.27.3"],
        env={0: {"TRAINER_TERMINATION_LOG": str(log)}},
    )
    assert job.wait(20) == [78, 78], job.logs()
    assert "FAIL on rank 0" in job.ranks[0].text
    said = json.loads(log.read_text())
    assert (said["code"], said["cause"]) == (78, said["cause"])
    assert "NCCL" in said["cause"]
    assert len(log.read_bytes()) <= 4096


def test_bench(job: Job, tmp_path: Path) -> None:
    table = tmp_path / "bench.json"
    job.run(
        2,
        [
            "bench",
            "-b",
            "64",
            "-e",
            "64K",
            "-f",
            "32",
            "-n",
            "3",
            "-w",
            "1",
            "--op",
            "all_reduce,all_gather,reduce_scatter,broadcast,alltoall",
            "--json",
            str(table),
        ],
    )
    done(job)
    rows = json.loads(table.read_text())["rows"]
    assert [row["size"] for row in rows if row["op"] == "all_reduce"] == [64, 2048, 65536]
    for row in rows:
        for half in (row["out_of_place"], row["in_place"]):
            assert half["wrong"] == 0
            assert half["p99_us"] is None  # of single calls, and none is waited for
            assert half["busbw"] == pytest.approx(half["algbw"] * factor(row["op"], 2))
            assert half["algbw"] == pytest.approx(row["size"] / half["time_us"] / 1e3)
    assert "# out of bounds values: 0 OK" in job.ranks[0].text
    assert "algbw" in job.ranks[0].text and " N/A\n" in job.ranks[0].text


def test_bench_factors_and_sizes() -> None:
    assert (factor("all_reduce", 4), factor("all_gather", 4), factor("broadcast", 4), factor("all_reduce", 1)) == (
        1.5,
        0.75,
        1,
        0,
    )
    assert (size_of("8"), size_of("2K"), size_of("128M")) == (8, 2048, 1 << 27)
    with pytest.raises(Fault):
        size_of("8X")


@pytest.mark.parametrize("kind", ["float16", "bfloat16", "int32", "float32"])
def test_bench_expects_exact_sums(kind: str) -> None:
    import torch

    _, _, _, expected = build("all_reduce", 70, 16, 3, getattr(torch, kind), torch.device("cpu"), True)
    assert [float(value) for value in expected[:2]] == [
        sum(r % 5 for r in range(16)),
        sum(1 + r % 5 for r in range(16)),
    ]


@pytest.mark.soak
def test_report(jobs: Any, tmp_path: Path) -> None:
    """Two attempts, the first one killed: shares sum to the time, causes are there, pictures are XML."""
    out = tmp_path / "out"
    argv = [*MNIST, "--dummy", "--iter", "40", "--ckpt-every", "10", "--out", str(out)]
    job = jobs().run(2, argv, inject={1: ["die", 18]})
    assert job.wait(40) == [138, -9], job.logs()
    done(jobs().run(2, argv))
    run(str(out))
    said = json.loads((out / "report.json").read_text())
    assert [row["code"] for row in said["attempts"]] == [138, 0]
    assert "vanished" in said["attempts"][0]["cause"]
    assert [row["steps"] for row in said["attempts"]] == [
        [1, 15],
        [11, 40],
    ]  # a line every 5 steps, a checkpoint every 10
    for row in said["attempts"]:
        spent = sum(row["shares_s"].values()) - row["shares_s"]["between"]
        assert spent == pytest.approx(row["elapsed_s"], rel=0.01, abs=0.05)
    times = [datetime.fromisoformat(row["start"]) for row in said["attempts"]]
    gap = (times[1] - times[0]).total_seconds() - said["attempts"][0]["elapsed_s"]
    assert said["shares_s"]["between"] == pytest.approx(gap) and gap > 0
    assert said["shares_s"]["repeated"] > 0
    text = (out / "report.md").read_text()
    for picture in ("throughput", "steps", "time", "ranks"):
        assert f"(report-{picture}.svg)" in text
        assert ET.parse(out / f"report-{picture}.svg").getroot().tag.endswith("svg")
    base = tmp_path / "one"
    done(jobs().run(1, [*MNIST, "--dummy", "--iter", "20", "--out", str(base)]))
    assert 0 < collect(str(out), str(base))["efficiency"] < 4
    with pytest.raises(Fault, match="holds no job of this program"):
        collect(str(tmp_path))


def test_tensorboard_where_it_is_installed(job: Job, tmp_path: Path) -> None:
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    job.run(2, [*MNIST, "--dummy", "--iter", "10", "--out", str(tmp_path)])
    done(job)
    events = reader.EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    assert [point.step for point in events.Scalars("loss")] == [5, 10]


def test_run_json_and_prometheus(job: Job, tmp_path: Path) -> None:
    out = tmp_path / "out"
    job.run(
        2, [*MNIST, "--dummy", "--iter", "10", "--out", str(out)], env={r: {"TRAINER_LR": "0.01"} for r in range(2)}
    )
    done(job)
    said = json.loads((out / "run.json").read_text())
    assert said["arguments"]["lr"] == {"value": 0.05, "origin": "command line"}
    assert said["environment"]["WORLD_SIZE"] == "2"
    text = (out / "metrics.prom").read_text()
    assert re.search(r'^# TYPE trainer_img_s gauge\ntrainer_img_s\{arch="mnist"\} [0-9.]+$', text, re.M)
    lines = [json.loads(line) for line in (out / "metrics-00001.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines] == [5, 10]
    assert list(lines[0])[:4] == ["time", "attempt", "step", "epoch"]


def test_small_parts_of_the_metrics(tmp_path: Path) -> None:
    assert finite({"a": float("nan"), "b": 1.5, "c": float("inf")}) == {"a": None, "b": 1.5, "c": None}
    meter = Meter()
    for value in range(1, 101):
        meter.values["step"].append(float(value))
    assert (meter.line()["step_ms"], meter.line()["step_p95_ms"], meter.line()["save_ms"]) == (50.5, 96.0, 0.0)
    rows = [{"data": 1.0, "fwd_bwd": 100.0}, {"data": 1.5, "fwd_bwd": 200.0}]
    found = stragglers(rows, 200.0)
    assert found == [(0.5, 1, "fwd_bwd")]
    counts: dict[tuple[int, str], int] = {}
    told = []
    for slow in (found, found, [], found, found, found):
        counts = in_a_row(counts, slow)
        told.append(max(counts.values(), default=0))
    assert told == [1, 2, 0, 1, 2, 3]
    prometheus(str(tmp_path / "m"), {"loss": float("nan"), "step": 3}, {"arch": 'a"b'}, [(0.5, "host-1", "data")])
    assert (tmp_path / "m").read_text().splitlines()[1] == 'trainer_step{arch="a\\"b"} 3'


@pytest.mark.parametrize("extra", [["--accum", "2"], ["--amp", "bf16"], ["--channels-last"], ["--static-graph"]])
@pytest.mark.soak
def test_options_of_the_step(job: Job, extra: list[str]) -> None:
    job.run(
        2,
        [
            "train",
            "-a",
            "resnet18",
            "-b",
            "2",
            "--image-size",
            "32",
            "--dummy",
            "--iter",
            "3",
            "--print-freq",
            "1",
            *extra,
        ],
    )
    done(job)
    assert re.search(r"^ +3 +0 +\d", job.ranks[0].text, re.M)


def test_fp16_needs_a_gpu(job: Job) -> None:
    job.run(1, [*MNIST, "--dummy", "--amp", "fp16", "--iter", "2"])
    assert job.wait(20) == [64]
    assert "`--amp=fp16` needs a GPU" in job.last()
