"""Random faults at random times: no hang, a code of the table, the checkpoint guarantees. A short form runs always."""

from __future__ import annotations

import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

from trainer.ckpt import Store
from trainer.faults import MEANING

FAULTS: list[list[Any]] = [
    ["stall"],
    ["crash"],
    ["die"],
    ["die", 15],
    ["die", 2],
    ["disk_full"],
    ["not_finite"],
    ["slow"],
    [],
]


def one(jobs: Any, out: Path, seed: int) -> None:
    """One job of 2 to 4 ranks with one fault, then an attempt without any that must finish."""
    chance = random.Random(seed)
    world, step = chance.choice((2, 3, 4)), chance.randint(1, 20)
    fault = chance.choice(FAULTS)
    argv = [
        "train",
        "-a",
        "mnist",
        "-b",
        "2",
        "--dummy",
        "--dummy-size",
        "200",
        "--iter",
        "25",
        "--print-freq",
        "1",
        "--ckpt-every",
        "4",
        "--step-timeout",
        "3",
        "--start-timeout",
        "30",
        "--out",
        str(out),
        "--lr",
        "0.01",
    ]
    inject: list[Any] = []
    if fault:
        name, *more = fault
        extra = {"crash": ["a fault"], "disk_full": []}.get(name, more)
        inject = [name, 2] if name == "disk_full" else [name, 0.05] if name == "slow" else [name, step, *extra]
    victim = 0 if fault[:1] == ["disk_full"] else chance.randrange(world)
    job = jobs().run(world, argv, inject={victim: inject} if inject else {})
    if chance.random() < 0.3:
        time.sleep(chance.uniform(0.0, 2.0))
        job.ranks[chance.randrange(world)].send(chance.choice((signal.SIGTERM, signal.SIGKILL, signal.SIGUSR2)))
    codes = job.wait(60)
    text = f"seed {seed}, {fault}, {world} ranks, step {step}: {codes}\n{job.logs()}"
    assert None not in codes, text
    assert all(code in MEANING or code in {-9, -12} for code in codes), text
    survivors = {code for code in codes if code not in {-9, -12}}
    assert len(survivors) <= 1 or survivors <= {0, 138, 143, 130}, text
    store = Store(str(out), 2, 1, lambda text: None)
    for committed in store.steps() if out.exists() else []:
        assert store.flaw(committed) == "", text
    again = jobs().run(world, argv)
    assert again.wait(60) == [0] * world, text + again.logs()


@pytest.mark.soak
def test_short(jobs: Any, tmp_path: Path) -> None:
    one(jobs, tmp_path / "out", 0)


# The soak's short form; SPECGEN_SOAK=200 is the long one.
ROUNDS = int(os.environ.get("SPECGEN_SOAK", "16"))


@pytest.mark.soak
def test_long(jobs: Any, tmp_path: Path) -> None:
    for seed in range(100, 100 + ROUNDS):
        one(jobs, tmp_path / f"out-{seed}", seed)


@pytest.mark.soak
def test_normal_ends(jobs: Any) -> None:
    for _ in range(ROUNDS):
        job = jobs().run(4, ["train", "-a", "mnist", "-b", "1", "--dummy", "--iter", "2"])
        assert job.wait(30) == [0, 0, 0, 0], job.logs()
        ends = [rank.ended for rank in job.ranks]
        assert max(ends) - min(ends) < 2.0, job.logs()
