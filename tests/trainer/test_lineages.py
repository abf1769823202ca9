"""Resume where something has changed: exact, or refused by name; what is there stays there. Attempts are bounded."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.trainer.harness import Job, write_mnist

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

SET = ["train", "-a", "mnist", "--dummy", "--dummy-size", "60", "--lr", "0.01", "--print-freq", "1"]
SET += ["--step-timeout", "5", "--ckpt-every", "5", "--max-attempts", "9"]
Jobs = Callable[[], Job]


def run(jobs: Jobs, world: int, argv: list[str], code: int = 0, **how: Any) -> Job:
    job = jobs().run(world, argv, **how)
    assert job.wait(60) == [code] * world, job.logs()
    return job


def committed(folder: Path) -> list[int]:
    return sorted(int(path.name[5:14]) for path in folder.glob("step-*.pt"))


def samples(out: Path) -> list[tuple[int, int]]:
    """(epoch, samples of it that are behind) of the steps that the job stands by, in order: of each step the last."""
    last: dict[int, tuple[int, int]] = {}
    for line in (out / "metrics-00000.jsonl").read_text().splitlines():
        said = json.loads(line)
        last[said["step"]] = (said["epoch"], said["cursor"])
    assert sorted(last) == list(range(1, len(last) + 1))
    return [last[step] for step in sorted(last)]


def test_a_new_beginning_leaves_the_old_one_alone(jobs: Jobs, tmp_path: Path) -> None:
    """`--resume none` in a used --out: the old checkpoints stay, the new ones too, and the next attempt goes on."""
    out = tmp_path / "out"
    argv = [*SET, "-b", "2", "--out", str(out), "--ckpt-keep", "0"]
    run(jobs, 1, [*argv, "--iter", "20"])
    run(jobs, 1, [*argv, "--iter", "5", "--resume", "none", "--seed", "7"])
    assert committed(out) == [20] and committed(out / "lineage-2") == [5]
    assert (out / "latest").read_text() == "lineage-2/step-000000005.pt\n"
    again = run(jobs, 1, [*argv, "--iter", "10", "--seed", "7"])
    assert "resumed from step 5 " in again.ranks[0].text
    assert committed(out) == [20] and committed(out / "lineage-2") == [10]


@pytest.mark.parametrize(
    "change, words",
    [
        (["--seed", "3"], "is of `--seed=0`, this job is of `--seed=3`"),
        pytest.param(["--classes", "12"], "is of 10 classes, this job is of 12", marks=pytest.mark.soak),
        pytest.param(["--dummy-size", "61"], "is of 60 samples, this job is of 61", marks=pytest.mark.soak),
    ],
)
def test_what_does_not_fit_is_refused_by_name(jobs: Jobs, tmp_path: Path, change: list[str], words: str) -> None:
    out = tmp_path / "out"
    argv = [*SET, "-b", "4", "--out", str(out), "--iter", "10"]
    run(jobs, 1, argv)
    before = {path.name: path.read_bytes() for path in out.glob("step-*")}
    job = run(jobs, 1, [*argv, *change], 64)
    assert f"step-000000010.pt` {words}" in job.last() and "--resume none" in job.last(), job.logs()
    assert {path.name: path.read_bytes() for path in out.glob("step-*")} == before


def test_evaluation_and_the_learning_rate_may_change(jobs: Jobs, tmp_path: Path) -> None:
    out, data = tmp_path / "out", write_mnist(tmp_path / "mnist", 64)
    argv = ["train", "-a", "mnist", "-b", "8", "--data", str(data), "--ckpt-every", "4", "--print-freq", "1"]
    argv += ["--out", str(out)]
    run(jobs, 1, [*argv, "--epochs", "1", "--lr", "0.02"])
    job = run(jobs, 1, [*argv, "--epochs", "2", "--lr", "0.01", "--eval"])
    assert "resumed from step 8 " in job.ranks[0].text and "evaluation at step 16" in job.ranks[0].text, job.logs()
    assert "`--lr=0.01` from here on, the checkpoint had 0.02" in job.ranks[0].text
    rates = [json.loads(line)["lr"] for line in (out / "metrics-00000.jsonl").read_text().splitlines()]
    assert rates == [0.02] * 8 + [0.01] * 8


def test_epochs_are_counted_in_samples(jobs: Jobs, tmp_path: Path) -> None:
    """Three epochs, the first with two ranks, the rest with four: all of them, and each sample once in each."""
    out = tmp_path / "out"
    argv = [*SET, "-b", "4", "--epochs", "3", "--out", str(out)]
    run(jobs, 2, argv, 143, inject={1: ["die", 10, 15]})
    job = run(jobs, 4, argv)
    assert "resumed from step 10 " in job.ranks[0].text
    ends = samples(out)
    assert ends[9] == (1, 16) and ends[-1] == (2, 60)
    assert [at for _, at in ends[10:]] == [32, 48, 60, 16, 32, 48, 60]


@pytest.mark.soak
def test_a_path_is_only_where_a_job_starts(jobs: Jobs, tmp_path: Path) -> None:
    first, out = tmp_path / "first", tmp_path / "out"
    argv = [*SET, "-b", "2", "--iter", "20"]
    run(jobs, 1, [*argv, "--out", str(first)])
    argv = [*argv, "--iter", "30", "--out", str(out), "--resume", str(first / "step-000000010.pt")]
    job = run(jobs, 1, argv, 143, inject={0: ["die", 8, 15]})
    assert "resumed from step 10 " in job.ranks[0].text and "saved at step 18" in job.ranks[0].text
    job = run(jobs, 1, argv)
    assert "resumed from step 18 " in job.ranks[0].text and committed(out)[-1] == 30, job.logs()


@pytest.mark.soak
def test_attempts_that_never_met_are_bounded(jobs: Jobs, tmp_path: Path) -> None:
    """Rank 1 never comes: rank 0 gives up for good at the third attempt, and says so before it waits."""
    argv = [*SET, "-b", "2", "--iter", "5", "--out", str(tmp_path / "out"), "--rdzv-timeout", "0.3"]
    argv += ["--max-attempts", "2"]
    for number in (1, 2):
        job = jobs().run(2, argv, without=(1,))
        assert job.wait(20) == [138], f"{number}\n{job.logs()}"
    job = jobs().run(2, argv, without=(1,))
    assert job.wait(20) == [81] and "2 attempts have ended without a new checkpoint" in job.last(), job.logs()


@pytest.mark.soak
def test_attempts_without_out_are_counted_in_the_pod(jobs: Jobs, tmp_path: Path) -> None:
    argv = [*SET, "-b", "2", "--iter", "5", "--max-attempts", "2", "--termination-log", str(tmp_path / "none")]
    pod = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "HOSTNAME": f"pod-{time.time_ns()}"}
    codes, before = [], {*Path("/dev/shm").glob("trainer-attempts-*")}
    for _ in range(3):
        job = jobs().run(1, argv, env={0: pod}, inject={0: ["crash", 2, "a fault"]})
        codes += job.wait(30)
    for left in {*Path("/dev/shm").glob("trainer-attempts-*")} - before:
        left.unlink()
    assert codes == [70, 70, 81], job.logs()
    assert "no --out" in job.last(), job.logs()


def story(jobs: Jobs, out: Path, seed: int) -> None:
    """Attempts with stops, kills, other world sizes and batches, until one is through: every sample counts once."""
    chance = random.Random(seed)
    argv = [
        *SET,
        "--epochs",
        "2",
        "--out",
        str(out),
        "--max-attempts",
        "99",
        "--ckpt-every",
        str(chance.choice((1, 4))),
    ]
    for number in range(12):
        world, batch = chance.choice((1, 2, 3)), chance.choice((2, 3, 5, 7))
        more = chance.choice(([], ["--accum", "2"], ["--eval"], ["--ckpt-keep", "0"]))
        fault = [] if number == 11 else chance.choice(([], ["die", 3], ["die", 5, 15], ["crash", 4, "a fault"]))
        inject = {chance.randrange(world): fault} if fault else {}
        job = jobs().run(world, [*argv, "-b", str(batch), *more], inject=inject)
        codes = job.wait(60)
        told = f"seed {seed}, attempt {number}, {world} ranks, -b {batch} {more} {fault}\n{job.logs()}"
        assert None not in codes and set(codes) <= {0, 70, 138, 143, -9}, told
        if set(codes) == {0}:
            break
    ends = samples(out)
    by_epoch = Counter(epoch for epoch, _ in ends)
    assert sorted(by_epoch) == [0, 1], told
    for epoch in by_epoch:
        cursors = [cursor for at, cursor in ends if at == epoch]
        assert cursors == sorted(set(cursors)) and cursors[-1] == 60, told


@pytest.mark.soak
def test_a_story(jobs: Jobs, tmp_path: Path) -> None:
    story(jobs, tmp_path / "out", 1)


@pytest.mark.soak
def test_stories(jobs: Jobs, tmp_path: Path) -> None:
    for seed in range(2, 14):
        story(jobs, tmp_path / f"out-{seed}", seed)
