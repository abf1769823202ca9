"""The learning rate against torch's own schedulers, value by value: alone, and in jobs that are stopped and resumed."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.trainer.harness import Job

torch = pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

from torch.optim import lr_scheduler  # noqa: E402

from trainer.files import digest  # noqa: E402
from trainer.schedule import Schedule, samples_of  # noqa: E402

Jobs = Callable[[], Job]
# 5 epochs of 4 steps on two ranks.
SET = ["train", "-a", "mnist", "--dummy", "--dummy-size", "32", "-b", "4", "--print-freq", "1", "--step-timeout", "5"]
SET += ["--ckpt-every", "3", "--max-attempts", "9", "--lr", "0.02"]
COSINE = ["--lr-scheduler", "cosine", "--lr-warmup-epochs", "1.5"]


def of_torch(make: Callable[[Any], Any], base: float, steps: int) -> list[float]:
    """The rates that so many steps are taken with."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], base)
    scheduler, rates = make(optimizer), []
    for _ in range(steps):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return rates


def cosine(warmup: int, steps: int) -> Callable[[Any], Any]:
    def make(optimizer: Any) -> Any:
        parts = [
            lr_scheduler.LinearLR(optimizer, start_factor=0.01, total_iters=warmup),
            lr_scheduler.CosineAnnealingLR(optimizer, T_max=steps - warmup),
        ]
        return lr_scheduler.SequentialLR(optimizer, parts, milestones=[warmup])

    return make


@pytest.mark.parametrize("base", [0.1, 1.6, 0.3, 0.0007])
def test_the_default_is_steplr_to_the_last_bit(base: float) -> None:
    schedule = Schedule("step", base, 0.0, 7, 7 * 120)
    rates = of_torch(lambda optimizer: lr_scheduler.StepLR(optimizer, 30), base, 120)
    assert [schedule.rate(7 * epoch) for epoch in range(120)] == rates
    assert [schedule.rate(7 * epoch + 6) for epoch in range(120)] == rates


@pytest.mark.parametrize("warmup, steps", [(0, 1), (0, 50), (1, 20), (10, 100), (99, 100)])
def test_warmup_and_cosine_are_those_of_torch(warmup: int, steps: int) -> None:
    batch = 12
    schedule = Schedule("cosine", 0.4, float(warmup * batch), 5 * batch, steps * batch)
    plain = [schedule.rate(step * batch) for step in range(steps)]
    if warmup:
        assert plain == pytest.approx(of_torch(cosine(warmup, steps), 0.4, steps), rel=1e-9)
    else:
        assert plain == pytest.approx(
            of_torch(lambda optimizer: lr_scheduler.CosineAnnealingLR(optimizer, steps), 0.4, steps), rel=1e-9
        )
    assert schedule.rate(steps * batch) == pytest.approx(0.0, abs=1e-15)


def test_warmup_before_steps_and_before_a_constant_rate() -> None:
    def chained(optimizer: Any) -> Any:
        parts = [lr_scheduler.LinearLR(optimizer, 0.01, total_iters=40), lr_scheduler.StepLR(optimizer, 60)]
        return lr_scheduler.ChainedScheduler(parts)

    schedule = Schedule("step", 0.2, 40.0, 2, 200)
    assert [schedule.rate(seen) for seen in range(200)] == pytest.approx(of_torch(chained, 0.2, 200), rel=1e-9)
    schedule = Schedule("constant", 0.2, 40.0, 2, 200)
    flat = of_torch(lambda optimizer: lr_scheduler.LinearLR(optimizer, 0.01, total_iters=40), 0.2, 200)
    assert [schedule.rate(seen) for seen in range(200)] == pytest.approx(flat, rel=1e-9)


@pytest.mark.parametrize("count, batch", [(32, 8), (30, 8), (7, 7), (100, 3)])
def test_samples_of_steps_are_those_that_the_plan_takes(count: int, batch: int) -> None:
    from trainer.data import plan

    taken = plan(count, batch, 0, 0, 1, 0, 0)
    for steps in range(1, 40):
        epoch, cursor, _ = next(taken)
        assert samples_of(steps, batch, count) == epoch * count + cursor


def rates(out: Path) -> dict[int, tuple[float, float]]:
    """{samples behind: (rate, loss)} of the steps that the job stands by."""
    lines = [json.loads(line) for line in (out / "metrics-00000.jsonl").read_text().splitlines()]
    return {said["epoch"] * 32 + said["cursor"]: (said["lr"], said["loss"]) for said in lines}


def run(jobs: Jobs, world: int, argv: list[str], code: int = 0, **how: Any) -> Job:
    job = jobs().run(world, argv, **how)
    assert job.wait(60) == [code] * world, job.logs()
    return job


@pytest.mark.soak
def test_a_job_that_is_stopped_in_warmup_and_cosine_goes_on_exactly(jobs: Jobs, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    run(jobs, 2, [*SET, *COSINE, "--epochs", "5", "--out", str(whole)])
    seen = rates(whole)
    assert [rate for rate, _ in seen.values()] == pytest.approx(of_torch(cosine(6, 20), 0.02, 20), rel=1e-8)
    argv = [*SET, *COSINE, "--epochs", "5", "--out", str(out)]
    for step in (4, 13):
        run(jobs, 2, argv, 143, inject={1: ["die", step, int(signal.SIGTERM)]})
    run(jobs, 2, argv)
    assert rates(out) == seen
    assert digest(str(out / "step-000000020.pt")) == digest(str(whole / "step-000000020.pt"))


def test_the_rate_follows_samples_where_the_world_size_changes(jobs: Jobs, tmp_path: Path) -> None:
    out = tmp_path / "out"
    argv = [*SET, *COSINE, "--epochs", "5", "--out", str(out)]
    run(jobs, 2, argv, 143, inject={0: ["die", 9, int(signal.SIGTERM)]})
    said = run(jobs, 1, argv)
    assert "4 samples a step from here on, it was 8" in said.ranks[0].text
    schedule = Schedule("cosine", 0.02, 48.0, 32, 160)
    found, before = rates(out), 0
    assert len(found) == 9 + 22
    for seen, (rate, _) in found.items():
        assert rate == pytest.approx(schedule.rate(before), rel=1e-8)
        before = seen


@pytest.mark.parametrize(
    "length, change, words",
    [
        (
            ["--epochs", "1"],
            ["--lr-scheduler", "constant", "--epochs", "1"],
            "is of `--lr-scheduler=cosine`, this job is of `--lr-scheduler=constant`",
        ),
        (
            ["--epochs", "1"],
            ["--lr-warmup-epochs", "0", "--epochs", "2"],
            "is of `--lr-warmup-epochs=1.5`, this job is of `--lr-warmup-epochs=0.0`",
        ),
        (
            ["--epochs", "1"],
            ["--epochs", "2"],
            "is of a rate that falls until `--epochs=1`, this job is of a rate that falls until `--epochs=2`",
        ),
        (
            ["--iter", "6"],
            ["--iter", "6", "-b", "2"],
            "is of a rate that falls until `--iter=6` with 4 samples a step, this job is of a rate that falls until "
            "`--iter=6` with 2 samples a step",
        ),
    ],
    ids=["scheduler", "warmup", "epochs", "batch"],
)
def test_another_course_is_refused_by_name(
    jobs: Jobs, tmp_path: Path, length: list[str], change: list[str], words: str
) -> None:
    argv = [*SET, *COSINE, "--out", str(tmp_path / "out")]
    run(jobs, 1, [*argv, *length], 143, inject={0: ["die", 4, int(signal.SIGTERM)]})
    job = run(jobs, 1, [*argv, *change], 64)
    assert f"step-000000004.pt` {words}" in job.last() and "--resume none" in job.last(), job.logs()


def older(out: Path, step: int, without: tuple[str, ...]) -> None:
    """Makes the checkpoint one of before: with the state of StepLR, and without these words of what it is of."""
    path = out / f"step-{step:09d}.pt"
    state = torch.load(path, weights_only=True)
    job = json.loads(state["job"])
    state["job"] = json.dumps({key: value for key, value in job.items() if key not in without})
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], job["lr"])
    state["scheduler"] = lr_scheduler.StepLR(optimizer, 30).state_dict()
    torch.save(state, path)
    side = json.loads(Path(f"{path}.json").read_text())
    side |= {"sha256": digest(str(path)), "bytes": path.stat().st_size}
    Path(f"{path}.json").write_text(json.dumps(side))


def test_checkpoints_of_before_go_on_with_the_course_that_they_had(jobs: Jobs, tmp_path: Path) -> None:
    whole, out = tmp_path / "whole", tmp_path / "out"
    run(jobs, 1, [*SET, "--iter", "12", "--out", str(whole)])
    argv = [*SET, "--iter", "12", "--out", str(out)]
    run(jobs, 1, argv, 143, inject={0: ["die", 7, int(signal.SIGTERM)]})
    older(out, 7, ("lr_scheduler", "lr_warmup_epochs", "lr_end"))
    refused = run(jobs, 1, [*argv, "--lr-scheduler", "cosine"], 64)
    assert "is of `--lr-scheduler=step`, this job is of `--lr-scheduler=cosine`" in refused.last(), refused.logs()
    assert "resumed from step 7 " in run(jobs, 1, argv).ranks[0].text
    assert rates(out) == rates(whole)
