"""Every row of the failure table: the code all ranks leave with, the culprit's name, and how soon."""

from __future__ import annotations

import os
import signal
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from tests.trainer.harness import Job
from tests.trainer.measuring import Measured

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

BASE = [
    "train",
    "-a",
    "mnist",
    "-b",
    "4",
    "--print-freq",
    "5",
    "--step-timeout",
    "3",
    "--start-timeout",
    "40",
    "--rdzv-timeout",
    "30",
]
DUMMY = [*BASE, "--dummy", "--dummy-size", "4096", "--iter", "2000"]


def same(job: Job, code: int, words: list[str], without: tuple[int, ...] = (), limit: float = 30.0) -> None:
    codes = job.wait(limit, [one for rank, one in enumerate(job.ranks) if rank not in without])
    assert codes == [code] * len(codes), f"{codes}\n{job.logs()}"
    for rank in range(len(job.ranks)):
        if rank not in without:
            for word in words:
                assert word in job.last(rank), f"no `{word}` in the last line of rank {rank}\n{job.logs()}"


def after(job: Job, moment: float, seconds: float, without: tuple[int, ...] = ()) -> None:
    """All ranks have left `seconds` after `moment`, on a machine that does other work too."""
    late = [rank.ended - moment for number, rank in enumerate(job.ranks) if number not in without]
    assert max(late) < seconds, f"left after {late}\n{job.logs()}"


@pytest.mark.soak
def test_rank_never_starts(job: Job, measured: Measured) -> None:
    job.run(4, [*DUMMY, "--rdzv-timeout", "2"], without=(2,))
    same(job, 138, ["ranks missing after 2 s: [2] of 4"])
    measured("a rank does not come", job, job.begin)


@pytest.mark.parametrize("size", ["5", "3"])
def test_one_rank_has_another_world_size(job: Job, size: str, measured: Measured) -> None:
    job.run(4, DUMMY, env={2: {"WORLD_SIZE": size}})
    same(job, 76, ["rank 2 (", f"`WORLD_SIZE={size}`", "rank 0, 1, 3 has `WORLD_SIZE=4`"])
    after(job, job.begin, 8.0)
    measured("ranks do not agree on the number of ranks", job, job.begin)


@pytest.mark.soak
def test_rank_zero_has_another_world_size(job: Job) -> None:
    job.run(4, DUMMY, env={0: {"WORLD_SIZE": "5"}})
    same(job, 76, ["rank 0 (", "`WORLD_SIZE=5`"])


def test_rank_outside_its_world_tells_the_others(job: Job) -> None:
    job.run(4, DUMMY, env={3: {"WORLD_SIZE": "3"}})
    same(job, 64, ["rank 3", "contradicts world size 3"])


@pytest.mark.soak
def test_same_rank_twice(job: Job, measured: Measured) -> None:
    job.run(3, DUMMY, env={2: {"RANK": "1"}})
    same(job, 76, ["rank 1 is claimed twice", f"process {job.ranks[1].pid}", f"process {job.ranks[2].pid}"])
    measured("two processes have one rank", job, job.begin)


def test_other_arguments(job: Job, measured: Measured) -> None:
    job.start(0, DUMMY, world=2)
    job.start(1, [*DUMMY, "--lr", "0.5"], world=2)
    same(job, 76, ["`--lr=0.5`", "`--lr=0.1`"])
    measured("ranks have different arguments", job, job.begin)


def test_other_torch_version(job: Job) -> None:
    job.run(3, DUMMY, inject={1: ["version", "1.0"]})
    same(job, 76, ["rank 1", "`torch=1.0`"])


def test_wrong_argument_on_one_rank_reaches_all(job: Job, measured: Measured) -> None:
    job.start(0, DUMMY, world=2)
    job.start(1, [*DUMMY, "--world-size", "16"], world=2)
    same(job, 64, ["rank 1", "`--world-size=16`, but `WORLD_SIZE=2` (PyTorchJob)"])
    measured("an argument of one rank contradicts its environment", job, job.begin)


def data_of(rank: int, mnist: Path, tmp_path: Path) -> Path:
    """A data path that is the same text on all ranks and another directory on each, as in pods."""
    other = tmp_path / f"pod-{rank}"
    other.mkdir()
    for file in mnist.iterdir():
        (other / file.name).write_bytes(file.read_bytes())
    return other


def test_mnist_story_one_rank_without_data(job: Job, mnist: Path, tmp_path: Path, measured: Measured) -> None:
    """Source 002: one pod has no data. All leave at once with a code that ends the operator's restarts."""
    pods = [data_of(rank, mnist, tmp_path) for rank in range(4)]
    (pods[2] / "train-images-idx3-ubyte").unlink()
    for rank in range(4):
        job.start(
            rank,
            [*BASE, "--format", "idx", "--epochs", "1", "--data", "data"],
            world=4,
            inject=["chdir", str(pods[rank])],
        )
    same(job, 65, ["rank 2", "train-images-idx3-ubyte` is missing"])
    after(job, job.begin, 8.0)
    measured("one rank has no data", job, job.begin)


def test_one_byte_differs(job: Job, mnist: Path, tmp_path: Path, measured: Measured) -> None:
    pods = [data_of(rank, mnist, tmp_path) for rank in range(4)]
    raw = bytearray((pods[2] / "train-images-idx3-ubyte").read_bytes())
    raw[5000] ^= 1
    (pods[2] / "train-images-idx3-ubyte").write_bytes(raw)
    for rank in range(4):
        job.start(rank, [*BASE, "--format", "idx", "--data", "data"], world=4, inject=["chdir", str(pods[rank])])
    same(job, 65, ["rank 2", "`train-images-idx3-ubyte` has SHA-256", "elsewhere it has SHA-256"])
    measured("one byte of one rank's data differs", job, job.begin)


@pytest.mark.soak
def test_read_hangs_at_start(job: Job, mnist: Path, tmp_path: Path, measured: Measured) -> None:
    pods = [data_of(rank, mnist, tmp_path) for rank in range(2)]
    (pods[1] / "train-images-idx3-ubyte").unlink()
    os.mkfifo(pods[1] / "train-images-idx3-ubyte")
    for rank in range(2):
        job.start(
            rank,
            [*BASE, "--format", "idx", "--data", "data", "--read-timeout", "2"],
            world=2,
            inject=["chdir", str(pods[rank])],
        )
    same(job, 65, ["rank 1", "no verdict in time", "did not finish in 2 s (mount?)"])
    measured("reading the data hangs at the start", job, job.begin)


@pytest.mark.soak
def test_data_stall(job: Job, measured: Measured) -> None:
    job.run(4, DUMMY, inject={2: ["stall", 12]})
    same(job, 138, ["stuck: rank 2 (", "in data for", "at step 12", "waiting: 0, 1, 3"])
    assert "inject.py" in job.ranks[2].text  # the stack of the stuck rank
    measured("reading the data hangs in the midst of a run", job)


@pytest.mark.soak
def test_stopped_process(job: Job, measured: Measured) -> None:
    job.run(4, DUMMY)
    job.until("   10 ")
    moment = time.time()
    job.ranks[2].send(signal.SIGSTOP)
    same(job, 138, ["dead: rank 2 (", "no heartbeat"], without=(2,))
    measured("a rank is frozen", job, moment, without=(2,))
    job.ranks[2].send(signal.SIGCONT)
    assert job.wait(10.0)[2] == 138, job.logs()


@pytest.mark.parametrize("victim", [2, 0])
def test_killed_rank(job: Job, victim: int, tmp_path: Path, measured: Measured) -> None:
    job.run(4, [*DUMMY, "--out", str(tmp_path / "out"), "--ckpt-every", "5"])
    job.until("   10 ")
    moment = time.time()
    job.ranks[victim].send(signal.SIGKILL)
    same(job, 138, ["rank 2 (", "vanished"] if victim else ["lost rank 0"], without=(victim,))
    after(job, moment, 4.0, without=(victim, 0))
    after(job, moment, 6.0, without=(victim,))
    measured("a rank is killed" if victim else "rank 0 is killed", job, moment, without=(victim,))
    from trainer.ckpt import Store

    store = Store(str(tmp_path / "out"), 2, 1, lambda text: None)
    assert store.steps() and store.flaw(store.steps()[0]) == ""


def test_exception_on_one_rank(job: Job, measured: Measured) -> None:
    job.run(4, DUMMY, inject={2: ["crash", 7, "the seventh batch is bad"]})
    same(job, 70, ["rank 2 (", "ValueError: the seventh batch is bad"])
    measured("the program raises an exception on one rank", job)


@pytest.mark.soak
@pytest.mark.parametrize(
    "text",
    [
        "CUDA error: uncorrectable ECC error encountered",
        "DataLoader worker (pid 77) is killed by signal: Killed.",
    ],
)
def test_a_fault_of_the_machine_is_worth_a_restart(job: Job, text: str) -> None:
    job.run(2, DUMMY, env={1: {"NODE_NAME": "node-7"}}, inject={1: ["crash", 7, text]})
    same(job, 138, ["rank 1 (", "node node-7)", text, "another node may help"])


def test_loss_not_finite(job: Job, measured: Measured) -> None:
    job.run(2, DUMMY, inject={1: ["not_finite", 6]})
    same(job, 79, ["loss not finite for 3 steps", "on ranks [0, 1]"])
    measured("the loss is not finite for three steps", job)


def test_poisoned_weights_are_not_saved(job: Job, tmp_path: Path) -> None:
    out = tmp_path / "out"
    job.run(2, [*DUMMY, "--out", str(out), "--ckpt-every", "5"], inject={1: ["not_finite", 10]})
    same(job, 79, ["weights not finite after step 10, not saved"])
    assert [path.name for path in out.glob("*.pt")] == ["step-000000005.pt"]


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGUSR1, 143)])
def test_signal_to_one_rank(job: Job, tmp_path: Path, number: int, code: int, measured: Measured) -> None:
    job.run(3, [*DUMMY, "--out", str(tmp_path / "out"), "--ckpt-every", "0"])
    job.until("   10 ")
    moment = time.time()
    job.ranks[1].send(number)
    same(job, code, ["saved at step"])
    said = {job.last(rank).split("): ", 1)[1] for rank in range(3)}
    assert len(said) == 1 and f"stopped by {signal.Signals(number).name}, which came to rank 1 (" in said.pop(), (
        job.logs()
    )
    measured(f"one rank gets {signal.Signals(number).name}, and the job is saved", job, moment)


def test_signal_to_all_ranks(job: Job, tmp_path: Path) -> None:
    job.run(3, [*DUMMY, "--out", str(tmp_path / "out")])
    job.until("   10 ")
    for rank in job.ranks:
        rank.send(signal.SIGTERM)
    same(job, 143, ["saved at step"])


def test_stop_file_and_save_signal(job: Job, tmp_path: Path) -> None:
    out = tmp_path / "out"
    job.run(2, [*DUMMY, "--out", str(out), "--ckpt-every", "0"])
    job.until("   10 ")
    job.ranks[1].send(signal.SIGUSR2)
    end = time.monotonic() + 10
    while not (out / "latest").exists() and time.monotonic() < end:
        time.sleep(0.02)
    assert (out / "latest").exists() and job.wait(0.1) == [None, None]
    (out / "stop").touch()
    same(job, 143, ["saved at step"])
    assert not (out / "stop").exists()
    for rank in range(2):  # rank 0 alone looks for it; the others hear of it with the loss
        assert "stopped by the stop file after step" in job.last(rank)


@pytest.mark.soak
def test_signal_during_rendezvous(job: Job) -> None:
    job.run(3, DUMMY, without=(2,))
    time.sleep(0.5)
    job.ranks[1].send(signal.SIGTERM)
    same(job, 143, ["stopped by SIGTERM before the first step"])


@pytest.mark.parametrize("inject", [["die", 1, int(signal.SIGTERM)], ["term_in_save", 2], ["term_in_eval"]])
def test_signal_at_odd_moments(job: Job, mnist: Path, tmp_path: Path, inject: list[Any]) -> None:
    job.run(
        2,
        [*BASE, "--data", str(mnist), "--epochs", "40", "--out", str(tmp_path / "out"), "--ckpt-every", "4", "--eval"],
        inject={0: inject},
    )
    same(job, 143, ["saved at step"])


def test_disk_full_three_misses(job: Job, tmp_path: Path, measured: Measured) -> None:
    out = tmp_path / "out"
    job.run(2, [*DUMMY, "--out", str(out), "--ckpt-every", "5"], inject={0: ["disk_full", 3]})
    same(job, 74, ["checkpoint of step 25 cannot be written"])
    assert not list(out.glob("*.tmp*"))
    assert (out / "step-000000010.pt").exists()
    assert "(miss 1 of 3)" in job.ranks[0].text
    measured("the disk is full for three checkpoints", job)


def test_one_miss_is_borne(job: Job, tmp_path: Path) -> None:
    job.run(
        2,
        [*BASE, "--dummy", "--iter", "20", "--out", str(tmp_path / "out"), "--ckpt-every", "5"],
        inject={0: ["disk_full", 2, 1]},
    )
    same(job, 0, ["done"])


def test_output_cannot_be_written(job: Job, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    job.run(2, [*DUMMY, "--out", str(tmp_path / "file" / "out")])
    same(job, 74, ["output", "file/out"])


@pytest.mark.soak
def test_output_is_not_shared(job: Job, tmp_path: Path, measured: Measured) -> None:
    for rank in range(2):
        (tmp_path / f"pod-{rank}").mkdir()
        job.start(rank, [*DUMMY, "--out", "out"], world=2, inject=["chdir", str(tmp_path / f"pod-{rank}"), "plain"])
    same(job, 74, ["rank 1 (", "does not see rank 0's file"])
    measured("`--out` is another folder on each rank", job, job.begin)


@pytest.mark.soak
def test_store_port_taken(job: Job, measured: Measured) -> None:
    with socket.socket() as taken:
        taken.bind(("", job.port))
        taken.listen()
        job.run(2, [*DUMMY, "--rdzv-timeout", "2"])
        codes = job.wait(20.0)
    assert codes == [138, 138], job.logs()
    assert f"port {job.port} on {socket.gethostname()} is taken: Address already in use, held by `" in job.last(0)
    assert f"(process {os.getpid()})" in job.last(0)
    assert f":{job.port}` answers, but is no trainer store" in job.last(1)
    measured("the port of rank 0 is taken", job, job.begin)


@pytest.mark.soak
def test_master_name_does_not_resolve(job: Job) -> None:
    job.run(2, [*DUMMY, "--rdzv-timeout", "2"], env={1: {"MASTER_ADDR": "no-such-host.invalid"}}, without=(0,))
    same(job, 138, ["rank 1 (", "the name `no-such-host.invalid` does not resolve"])


def test_wrong_interface(job: Job) -> None:
    job.run(2, DUMMY, env={1: {"GLOO_SOCKET_IFNAME": "eth77"}})
    same(job, 64, ["rank 1 (", "GLOO_SOCKET_IFNAME=eth77"])


@pytest.mark.soak
def test_clock_jump_is_no_fault(job: Job) -> None:
    job.run(2, [*BASE, "--dummy", "--iter", "30"], inject={1: ["clock_jump", 10, 5000.0]})
    same(job, 0, ["done"])


@pytest.mark.soak
def test_slow_rank_is_named_and_borne(job: Job) -> None:
    job.run(2, [*BASE, "--dummy", "--iter", "20"], inject={1: ["slow", 0.2]})
    same(job, 0, ["done"])
    assert "is slow in fwd_bwd: score 0." in job.ranks[0].text and "rank 1 (" in job.ranks[0].text


def test_crash_loop_ends(jobs: Any, tmp_path: Path, measured: Measured) -> None:
    out = str(tmp_path / "out")
    for attempt in range(1, 5):
        job = jobs().run(1, [*DUMMY, "--out", out, "--max-attempts", "3"], inject={0: ["crash", 3, "always"]})
        same(
            job,
            70 if attempt < 4 else 81,
            ["always"] if attempt < 4 else ["3 attempts have ended without a new checkpoint after step 0"],
        )
    measured("three attempts have brought no checkpoint", job, job.begin)


def test_normal_end_leaves_nothing(jobs: Any) -> None:
    """Short form of the 200 ends of the soak: rank 0 last, nothing on stderr but our own lines, no child."""
    for _ in range(3):
        job = jobs().run(3, [*BASE, "--dummy", "--iter", "3"])
        assert job.wait(30.0) == [0, 0, 0], job.logs()
        assert job.ranks[0].ended >= max(rank.ended for rank in job.ranks) - 0.05
        assert max(rank.ended for rank in job.ranks) - min(rank.ended for rank in job.ranks) < 2.0
        assert "Warning" not in job.logs() and "Traceback" not in job.logs()


@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.soak
def test_slow_farewell_is_no_loss(job: Job, victim: int) -> None:
    """The life lines of ranks that ended well close while this one has not left yet: none of them has vanished."""
    job.run(4, [*BASE, "--dummy", "--iter", "3"], inject={victim: ["linger", 1.5]})
    same(job, 0, ["done"])
