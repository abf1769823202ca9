"""Guarantees of the checkpoints: G-a to G-f, on CPU with gloo."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

from tests.trainer.harness import Zygote, several  # noqa: E402
from trainer.ckpt import Store, load  # noqa: E402
from trainer.faults import Fault  # noqa: E402
from trainer.history import Attempts  # noqa: E402

DUMMY = [
    "train",
    "-a",
    "mnist",
    "-b",
    "4",
    "--dummy",
    "--dummy-size",
    "400",
    "--print-freq",
    "1",
    "--step-timeout",
    "5",
    "--ckpt-every",
    "10",
    "--lr",
    "0.01",
    "--max-attempts",
    "9",
]


def losses(out: Path, rank: int = 0) -> dict[int, list[float]]:
    """{step: the losses it had, once per time it was taken}."""
    found: dict[int, list[float]] = {}
    for line in (out / f"metrics-{rank:05d}.jsonl").read_text().splitlines():
        said = json.loads(line)
        found.setdefault(said["step"], []).append(said["loss"])
    return found


def digest(out: Path, step: int) -> str:
    return str(json.loads((out / f"step-{step:09d}.pt.json").read_text())["sha256"])


def finish(job: Any, code: int = 0) -> None:
    codes = job.wait(60)
    assert codes == [code] * len(codes), job.logs()


@pytest.fixture(scope="module")
def whole(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The uninterrupted run of 30 steps on two ranks, which nobody changes."""
    folder = tmp_path_factory.mktemp("whole")
    for jobs in several(zygote, folder):
        finish(jobs().run(2, [*DUMMY, "--iter", "30", "--out", str(folder / "out")]))
        yield folder / "out"


def test_stop_and_resume_repeat_nothing(jobs: Any, tmp_path: Path, whole: Path) -> None:
    """G-b and G-d: after SIGTERM no step is taken twice, losses and the final file are those of the whole run."""
    out = tmp_path / "stopped"
    argv = [*DUMMY, "--iter", "30", "--out", str(out)]
    job = jobs().run(2, argv, inject={1: ["die", 14, int(signal.SIGTERM)]})
    finish(job, 143)
    finish(jobs().run(2, argv))
    again = losses(out)
    assert sorted(again) == list(range(1, 31))
    assert all(len(values) == 1 for values in again.values())
    assert again == losses(whole)
    assert digest(out, 30) == digest(whole, 30)


def test_kill_and_resume_repeat_exactly_what_is_said(jobs: Any, tmp_path: Path, whole: Path) -> None:
    """G-c and G-d: killed in step 18, the last checkpoint is of step 10: steps 11 to 17 are repeated, bit-equal."""
    out = tmp_path / "killed"
    argv = [*DUMMY, "--iter", "30", "--out", str(out)]
    job = jobs().run(2, argv, inject={1: ["die", 18]})
    codes = job.wait(60)
    assert codes == [138, -9], job.logs()
    second = jobs().run(2, argv)
    finish(second)
    assert "repeating steps 11..17" in second.ranks[0].text
    again = losses(out)
    assert [step for step, values in again.items() if len(values) == 2] == list(range(11, 18))
    assert all(values[0] == values[-1] == losses(whole)[step][0] for step, values in again.items())
    assert digest(out, 30) == digest(whole, 30)


def test_another_world_size(jobs: Any, tmp_path: Path) -> None:
    """G-e: the same global batch on one and four ranks: the same samples per step, the loss to 1e-5."""
    one, four = tmp_path / "one", tmp_path / "four"
    finish(jobs().run(1, [*DUMMY, "-b", "8", "--iter", "12", "--out", str(one)]))
    finish(jobs().run(4, [*DUMMY, "-b", "2", "--iter", "12", "--out", str(four)]))
    for step, values in losses(one).items():
        assert losses(four)[step][0] == pytest.approx(values[0], rel=1e-5)


def test_resume_with_another_world_size(jobs: Any, tmp_path: Path, whole: Path) -> None:
    out = tmp_path / "grown"
    finish(jobs().run(2, [*DUMMY, "--iter", "10", "--out", str(out)]))
    finish(jobs().run(4, [*DUMMY, "-b", "2", "--iter", "30", "--out", str(out)]))
    for step, values in losses(whole).items():
        assert losses(out)[step][0] == pytest.approx(values[0], rel=1e-4)


@pytest.mark.parametrize(
    "harm, words",
    [
        ("flip", "its SHA-256 is not that of its side file"),
        ("cut", "bytes, not"),
        ("side", "FileNotFoundError"),
    ],
)
def test_damaged_checkpoint_is_skipped_on_all_ranks(jobs: Any, tmp_path: Path, harm: str, words: str) -> None:
    out = tmp_path / "out"
    finish(jobs().run(2, [*DUMMY, "--iter", "20", "--out", str(out)]))
    newest = out / "step-000000020.pt"
    side = out / "step-000000020.pt.json"
    raw = bytearray(newest.read_bytes())
    if harm == "flip":
        raw[len(raw) // 2] ^= 1
        newest.write_bytes(raw)
    elif harm == "cut":
        newest.write_bytes(raw[:-100])
    else:
        side.unlink()
    second = jobs().run(2, [*DUMMY, "--iter", "25", "--out", str(out)])
    finish(second)
    assert "resumed from step 10" in second.ranks[0].text
    if harm != "side":
        assert "checkpoint of step 20 skipped: " in second.ranks[0].text
        assert words in second.ranks[0].text


def test_resume_from_a_path(jobs: Any, tmp_path: Path, whole: Path) -> None:
    """`--resume PATH` takes that file, whatever lies in --out; one that is no checkpoint is refused on all ranks."""
    argv = [*DUMMY, "--iter", "15", "--out", str(tmp_path / "out")]
    job = jobs().run(2, [*argv, "--resume", str(whole / "step-000000010.pt")])
    finish(job)
    assert "resumed from step 10 (`step-000000010.pt`)" in job.ranks[0].text
    assert losses(tmp_path / "out") == {step: losses(whole)[step] for step in range(11, 16)}
    bad = jobs().run(2, [*argv, "--resume", str(whole / "run.json")])
    finish(bad, 65)
    assert "run.json` cannot be used" in bad.last(1)


CALLS = (1, 2, 3, 5, 8)  # of about a hundred; the soak tries them all


def kill_in_save(jobs: Any, out: Path, call: int) -> bool:
    """G-f at one point: True while the save has such a point. Whatever is left is whole, and the job goes on."""
    argv = [*DUMMY, "--iter", "12", "--ckpt-every", "4", "--out", str(out), "--print-freq", "4"]
    job = jobs().run(1, argv, inject={0: ["die_in_save", 2, call]})
    code = job.wait(60)[0]
    store = Store(str(out), 2, 1, lambda text: None)
    for step in store.steps():
        assert store.flaw(step) == ""
    assert 4 in store.steps()
    if code == 0:
        return False
    assert code == -9, job.logs()
    again = jobs().run(1, argv)
    finish(again)
    assert not list(out.glob("*.tmp*"))
    return True


@pytest.mark.parametrize("call", CALLS)
def test_kill_in_the_save(jobs: Any, tmp_path: Path, call: int) -> None:
    assert kill_in_save(jobs, tmp_path / "out", call)


def state() -> dict[str, Any]:
    return {"model": {"w": torch.arange(1000.0)}, "progress": {"step": 3}}


def test_store_keeps_and_cleans(tmp_path: Path) -> None:
    said: list[str] = []
    store = Store(str(tmp_path), 2, 7, said.append)
    for step in range(1, 6):
        store.save(step, state(), {"world": 2})
    assert store.steps() == [5, 4, 3]
    assert (tmp_path / "latest").read_text() == "step-000000005.pt\n"
    assert store.flaw(5) == ""
    assert torch.equal(load(store.path(5))["model"]["w"], torch.arange(1000.0))
    (tmp_path / "step-000000006.pt.tmp-6").touch()
    (tmp_path / "step-000000006.pt.json").touch()
    store.clean()
    assert sorted(path.name for path in tmp_path.glob("step-000000006*")) == []
    assert len(said) == 2


def test_equal_state_gives_equal_bytes(tmp_path: Path) -> None:
    hashes = []
    for attempt in (1, 2):
        store = Store(str(tmp_path / str(attempt)), 2, attempt, print)
        Path(store.folder).mkdir()
        store.save(3, state(), {})
        hashes.append(digest(Path(store.folder), 3))
    assert hashes[0] == hashes[1]


def test_no_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import shutil

    store = Store(str(tmp_path), 2, 1, print)
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=100))
    with pytest.raises(Fault, match="bytes needed, 100 free") as fault:
        store.try_save(1, state(), {})
    assert fault.value.code == 74
    assert list(tmp_path.iterdir()) == []


def test_attempts_without_progress(tmp_path: Path) -> None:
    def attempt(committed: int, code: int | None) -> None:
        one = Attempts(str(tmp_path))
        one.add(event="start", committed=committed)
        if code is not None:
            one.add(event="end", code=code)

    attempt(0, 138)
    attempt(10, None)
    attempt(10, 143)
    attempt(10, 70)
    assert Attempts(str(tmp_path)).fruitless(10) == 2
    assert Attempts(str(tmp_path)).fruitless(20) == 0
    assert Attempts(str(tmp_path)).number == 5
    with (tmp_path / "attempts.jsonl").open("a") as file:
        file.write('{"attempt": 5, "eve')
    assert Attempts(str(tmp_path)).number == 5
