"""Faults of the disk below --out: errors and kills at system calls (a preloaded library), and mounts that are full."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from errno import EDQUOT, EIO, EROFS
from pathlib import Path

import pytest

from tests.trainer.harness import Job, Zygote, several

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

BASE = ["train", "-a", "mnist", "-b", "2", "--dummy", "--dummy-size", "400", "--lr", "0.01", "--step-timeout", "10"]
BASE += ["--max-attempts", "9", "--ckpt-every", "1"]


@pytest.fixture
def jobs(faulty: Zygote, tmp_path: Path) -> Iterator[Callable[[], Job]]:
    """Jobs whose ranks have the fault library in them."""
    yield from several(faulty, tmp_path)


def faults(out: Path, begin: str, **how: int | str | Path) -> dict[str, str]:
    """Variables of the library for calls below `out`, counted from the first one on a path with `begin` in it."""
    return {"FAULT_UNDER": str(out), "FAULT_FROM": begin} | {f"FAULT_{key.upper()}": str(how[key]) for key in how}


def committed(out: Path) -> list[int]:
    """Steps that a reader takes for complete, oldest first. Each of them must be whole (G-a)."""
    found = []
    for side in sorted(out.glob("step-*.pt.json")):
        path = side.with_suffix("")
        if path.exists():
            said = json.loads(side.read_text())
            raw = path.read_bytes()
            assert (len(raw), hashlib.sha256(raw).hexdigest()) == (said["bytes"], said["sha256"]), sorted(out.iterdir())
            found.append(int(said["step"]))
    return found


def unfinished(out: Path) -> list[str]:
    return [path.name for path in out.glob("*.tmp*")]


@pytest.mark.soak
def test_order_of_a_save(jobs: Callable[[], Job], tmp_path: Path) -> None:
    """Durable before it is visible, visible before what it replaces goes: what a loss of power asks for."""
    out, log = tmp_path / "out", tmp_path / "calls"
    env = faults(out, "step-000000002.pt", log=log)
    job = jobs().run(1, [*BASE, "--iter", "2", "--out", str(out), "--ckpt-keep", "0"], env={0: env})
    assert job.wait(30) == [0], job.logs()
    new, old = f"{out}/step-000000002.pt", f"{out}/step-000000001.pt"
    made = [line.split(" ", 1) for line in log.read_text().splitlines()]
    temp = made[0][1]
    assert made[0][0] == "open" and temp.startswith(new + ".tmp")
    at = {(op, path): place for place, (op, path) in enumerate(made)}  # the last of equal calls
    order = [("write", temp), ("fsync", temp), ("rename", new), ("fsync", str(out)), ("rename", f"{out}/latest")]
    order += [("unlink", old), ("unlink", old + ".json")]
    side = [("write", new + ".json.tmp"), ("fsync", new + ".json.tmp"), ("rename", new + ".json"), ("rename", new)]
    for steps in (order, side):
        places = [at[step] for step in steps]
        assert places == sorted(places), log.read_text()


@pytest.mark.parametrize(
    "ops, error",
    [
        pytest.param(",write,", EDQUOT, id="quota"),
        pytest.param("", EROFS, id="read-only", marks=pytest.mark.soak),
        pytest.param(",fsync,", EIO, id="fsync", marks=pytest.mark.soak),
        pytest.param(",rename,", EIO, id="rename", marks=pytest.mark.soak),
    ],
)
def test_disk_fails_for_good(jobs: Callable[[], Job], tmp_path: Path, ops: str, error: int) -> None:
    """From the third save on: two misses are borne, the third ends the job, and the checkpoints before stand."""
    out = tmp_path / "out"
    env = faults(out, "step-000000003.pt", ops=ops, at=1, do=error)
    job = jobs().run(2, [*BASE, "--iter", "500", "--out", str(out)], env={0: env})
    assert job.wait(30) == [74, 74], job.logs()
    for miss in (1, 2, 3):
        assert f"checkpoint of step {2 + miss} cannot be written: " in job.ranks[0].text
        assert f"(miss {miss} of 3)" in job.ranks[0].text
    for rank in (0, 1):
        assert "checkpoint of step 5 cannot be written: " in job.last(rank), job.logs()
        assert os.strerror(error) in job.last(rank)
    assert "Traceback" not in job.logs()
    assert committed(out) == [1, 2] and unfinished(out) == []


@pytest.mark.soak
def test_unreadable_checkpoint_is_skipped_on_all_ranks(jobs: Callable[[], Job], tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert (first := jobs().run(2, [*BASE, "--iter", "2", "--out", str(out)])).wait(30) == [0, 0], first.logs()
    env = faults(out / "step-000000002.pt", "", ops=",read,", at=1, do=EIO)
    job = jobs().run(2, [*BASE, "--iter", "3", "--out", str(out)], env={1: env})
    assert job.wait(30) == [0, 0], job.logs()
    assert "checkpoint of step 2 skipped: OSError: [Errno 5] " in job.ranks[0].text and "(rank 1)" in job.ranks[0].text
    assert "resumed from step 1 " in job.ranks[0].text


# -- real mounts ------------------------------------------------------------------------------------------------------
@pytest.fixture
def tmpfs(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A mount with the options that are given."""
    mounts: list[Path] = []

    def make(options: str) -> Path:
        folder = tmp_path / "mount"
        folder.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "none", str(folder)], capture_output=True)
        if done.returncode:
            pytest.skip(f"tmpfs cannot be mounted: {done.stderr.decode().strip()}")
        mounts.append(folder)
        return folder

    if os.geteuid():
        pytest.skip("mounting wants root")
    yield make
    for folder in mounts:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def test_read_only_mount(jobs: Callable[[], Job], tmpfs: Callable[[str], Path]) -> None:
    out = tmpfs("ro,size=1m")
    job = jobs().run(2, [*BASE, "--iter", "5", "--out", str(out / "deep")])
    assert job.wait(30) == [74, 74], job.logs()
    assert f"output: `{out}/deep`: Read-only file system" in job.last(0) == job.last(1), job.logs()


def fill(folder: Path, leave: int) -> None:
    """Takes all room but `leave` bytes."""
    with (folder / "filler").open("wb") as file:
        state = os.statvfs(folder)
        os.posix_fallocate(file.fileno(), 0, state.f_bavail * state.f_frsize - leave)


def take_inodes(folder: Path) -> None:
    for number in range(1000):
        try:
            (folder / f"filler-{number}").touch()
        except OSError:
            return
    raise AssertionError("no end of inodes")


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["bytes", "some", "inodes"])
def test_full_mount(jobs: Callable[[], Job], tmpfs: Callable[[str], Path], kind: str) -> None:
    """No room, less than a checkpoint's room, no inode: while the job runs, between two of its saves."""
    out = tmpfs("size=48m,nr_inodes=100") / "out"
    job = jobs().run(2, [*BASE, "--iter", "100000", "--out", str(out), "--ckpt-every", "20", "--print-freq", "10"])
    end = time.monotonic() + 30
    while True:
        assert job.wait(0.0) == [None, None] and time.monotonic() < end, job.logs()
        job.ranks[0].send(signal.SIGSTOP)
        if committed(out) and not unfinished(out):
            break
        job.ranks[0].send(signal.SIGCONT)
        time.sleep(0.05)
    before = committed(out)
    if kind == "inodes":
        take_inodes(out)
    else:
        fill(out, 0 if kind == "bytes" else (out / f"step-{before[-1]:09d}.pt").stat().st_size // 4096 * 4096)
    job.ranks[0].send(signal.SIGCONT)
    assert job.wait(30) == [74, 74], job.logs()
    assert "(miss 3 of 3)" in job.ranks[0].text and "cannot be written: " in job.last(1), job.logs()
    assert "Traceback" not in job.logs()
    assert committed(out) == before and unfinished(out) == []


# -- sweeps: every call of one save that changes the disk
# -----------------------------------------------------------------
SAVE, KILL = [*BASE, "--iter", "2", "--ckpt-keep", "0"], 0


def sweep(jobs: Callable[[], Job], tmp_path: Path, error: int, alike: bool) -> Iterator[tuple[str, Path, Job]]:
    """(call, output, ended job) for every call from the first of the second save to the end of the job; of calls in a
    row that are alike, as the writes of one file are, all or the last."""
    log = tmp_path / "calls"
    out = tmp_path / "whole"
    env = faults(out, "step-000000002.pt", log=log)
    whole = jobs().run(1, [*SAVE, "--out", str(out)], env={0: env})
    assert whole.wait(30) == [0], whole.logs()
    made = log.read_text().replace(f"{out}", "OUT").splitlines()
    assert "rename OUT/step-000000002.pt" in made
    numbers = [at for at, call in enumerate(made) if alike or made[at + 1 : at + 2] != [call]]
    for first in range(0, len(numbers), 3):
        some = []
        for number in numbers[first : first + 3]:
            out = tmp_path / f"out-{number}"
            env = faults(out, "step-000000002.pt", at=number + 1, times=1, do=error)
            job = jobs().run(1, [*SAVE, "--out", str(out)], env={0: env})
            some.append((f"{number + 1}: {made[number]}", out, job))
        for call, out, job in some:
            assert job.wait(60) != [None], f"call {call}\n{job.logs()}"
            yield call, out, job
            shutil.rmtree(out)


@pytest.mark.soak
def test_kill_at_every_call(jobs: Callable[[], Job], tmp_path: Path) -> None:
    """G-f: a reader never sees a part of a checkpoint, there is always one, and the next attempt goes on from it."""
    seen = set()
    for call, out, job in sweep(jobs, tmp_path, KILL, True):
        assert job.wait() == [-9], f"call {call}\n{job.logs()}"
        newest = committed(out)[-1]
        assert int((out / "latest").read_text()[5:14]) in committed(out), call
        names = tuple(sorted(path.name for path in out.iterdir()))
        if names not in seen:
            seen.add(names)
            again = jobs().run(1, [*SAVE, "--iter", "3", "--out", str(out)])
            assert again.wait(30) == [0], f"call {call}\n{again.logs()}"
            assert f"resumed from step {newest} " in again.ranks[0].text, f"call {call}\n{again.logs()}"
            assert committed(out) == [3] and unfinished(out) == [], sorted(out.iterdir())
    assert len(seen) > 8


@pytest.mark.soak
def test_error_at_every_call(jobs: Callable[[], Job], tmp_path: Path) -> None:
    """One EIO in the last save: 74 before the commit, nothing at all after it, and nothing half-written stays."""
    before = True
    for call, out, job in sweep(jobs, tmp_path, EIO, False):
        text = f"call {call}\n{job.logs()}"
        code = 74 if before or "report" in call else 0
        assert job.wait() == [code], text
        assert "Traceback" not in job.logs() and unfinished(out) == [], text
        assert committed(out)[-1] == (1 if before and not call.endswith(" fsync OUT") else 2), text
        before &= not call.endswith(" fsync OUT")
    assert not before
