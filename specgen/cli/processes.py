"""Processes of one job on this machine: started together, their lines marked, stopped together, none left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    from specgen.local.model import Process

# Seconds that processes have to end by themselves after the first one failed, and after they were asked to.
_AFTER_A_FAILURE = 20.0
_AFTER_THE_SIGNAL = 10.0
_TICK = 0.05
# Seconds in which what a process leaves in its pipe is passed on, while somebody else still holds the pipe.
_LAST_LINES = 2.0
# The longest piece of a line that is passed on at once.
_PIECE = 1 << 16
_CANNOT_START = 126
# Of these the operator would have set its own; what the shell of the user has set must not meet them.
_RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK", "TF_CONFIG")
_PREFIXES = ("MASTER_", "PET_", "OMPI_", "PMI_", "PMIX_", "MS_", "TORCHELASTIC_")
# Every process of a run has this variable, by which those are found that left the group of the one that was started.
_MARK = "SPECGEN_RUN"


class Stopped(KeyboardInterrupt):
    """A signal by which the run is to end."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


class Output:
    """Standard output, to which several threads pass lines; ``error``: why it takes no more."""

    __slots__ = ("_lock", "error")

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.error: OSError | None = None

    def write(self, line: bytes) -> None:
        """Writes a line; without a reader it is dropped, so that whoever writes it is not held."""
        with self._lock:
            if self.error is not None:
                return
            try:
                sys.stdout.buffer.write(line)
                sys.stdout.buffer.flush()
            except OSError as error:
                self.error = error


class Running:
    """A started process and the thread that passes its lines on."""

    __slots__ = ("code", "passing", "popen", "prefix", "since", "thread", "took")

    def __init__(self, prefix: str, popen: subprocess.Popen[bytes], output: Output) -> None:
        self.prefix = prefix
        self.popen = popen
        self.code: int | None = None
        self.since = time.monotonic()
        self.took = 0.0
        self.passing = False
        self.thread = threading.Thread(target=self._pass_on, args=(output,), daemon=True)
        self.thread.start()

    def _pass_on(self, output: Output) -> None:
        assert self.popen.stdout is not None
        mark = f"{self.prefix} | ".encode()
        while line := self.popen.stdout.readline(_PIECE):
            self.passing = True
            output.write(mark + line.rstrip(b"\r\n") + b"\n")
            self.passing = False

    def ended(self) -> bool:
        """Whether it has ended; a signal counts as 128 and its number, as shells say it."""
        if self.code is None:
            code = self.popen.poll()
            if code is not None:
                self.code = code if code >= 0 else 128 - code
                self.took = time.monotonic() - self.since
        return self.code is not None

    def send(self, number: int) -> None:
        """A signal to the process and all that stayed in its group."""
        try:
            os.killpg(self.popen.pid, number)
        except (ProcessLookupError, PermissionError):
            pass

    def last_lines(self) -> None:
        """Waits for its lines: as long as their reader takes, and not for others who hold the pipe."""
        until = time.monotonic() + _LAST_LINES
        while self.thread.is_alive() and (self.passing or time.monotonic() < until):
            self.thread.join(timeout=_TICK)


def run_together(processes: list[Process], say: Callable[[str], None]) -> int:
    """Starts all, waits for all; the exit code of the first that failed. A signal stops them all: 128 and its number.

    Raises OSError where standard output takes no more; then all are stopped too.
    """
    output = Output()
    mark = f"{os.getpid()}-{time.time_ns()}"
    base = {name: value for name, value in os.environ.items() if name not in _RANKS and not name.startswith(_PREFIXES)}
    base[_MARK] = mark
    running: list[Running] = []
    before = {number: signal.signal(number, _stopped) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        return _run(processes, base, running, output, say)
    except Stopped as stopped:
        say("stopping all")
        _stop(running, say)
        return 128 + stopped.number
    finally:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        for one in running:
            one.send(signal.SIGKILL)
        _kill_marked(f"{_MARK}={mark}".encode())
        for one in running:
            one.popen.wait()
            one.last_lines()
        for number, handler in before.items():
            signal.signal(number, handler)


def _stopped(number: int, frame: FrameType | None) -> None:
    raise Stopped(number)


def _run(
    processes: list[Process], base: dict[str, str], running: list[Running], output: Output, say: Callable[[str], None]
) -> int:
    """Everything but the cleaning up: what is started is put into ``running`` at once."""
    for process in processes:
        for argv in process.before:
            one = _start(f"{process.prefix} before", argv, process, base, running, output, say)
            first = one if one is None else _wait([one], output, say, quiet=True)
            if one is None or first is not None:
                code = one.code if one is not None else _CANNOT_START
                say(f"{process.prefix} before: `{argv[0]}` ended with {code}, nothing was started")
                return code or 0
    together = []
    for process in processes:
        one = _start(process.prefix, process.argv, process, base, running, output, say)
        if one is None:
            return _CANNOT_START
        together.append(one)
    first = _wait(together, output, say)
    return first.code or 0 if first is not None else 0


def _start(
    prefix: str,
    argv: list[str],
    process: Process,
    base: dict[str, str],
    running: list[Running],
    output: Output,
    say: Callable[[str], None],
) -> Running | None:
    """A process, or None where this machine does not start it: a script without its first line, say."""
    try:
        # a group of its own, so that a signal reaches what it starts, and the terminal's Ctrl-C reaches this one first
        popen = subprocess.Popen(
            argv,
            env={"PYTHONUNBUFFERED": "1", **base, **process.env},
            cwd=process.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else str(error)
        say(f"{prefix}: `{argv[0]}` cannot be started: {(why or 'it is not known why').lower()}")
        return None
    one = Running(prefix, popen, output)
    running.append(one)
    return one


def _wait(running: list[Running], output: Output, say: Callable[[str], None], *, quiet: bool = False) -> Running | None:
    """Until all have ended; the first that failed. After a failure the others have a while to say what they miss."""
    first: Running | None = None
    until = 0.0
    left = list(running)
    while left:
        for one in [one for one in left if one.ended()]:
            left.remove(one)
            one.last_lines()
            if not quiet:
                say(f"{one.prefix} ended with {one.code} after {one.took:.1f} s")
            if one.code and first is None:
                first, until = one, time.monotonic() + _AFTER_A_FAILURE
        if output.error is not None:
            _stop(left, say)
            raise output.error
        if left and first is not None and time.monotonic() > until:
            say(f"stopping the others, {int(_AFTER_A_FAILURE)} s after {first.prefix} failed")
            _stop(left, say)
        if left:
            time.sleep(_TICK)
    return first


def _stop(running: list[Running], say: Callable[[str], None]) -> None:
    """SIGTERM to all at once, as Kubernetes does it, and SIGKILL to those that remain."""
    left = [one for one in running if not one.ended()]
    for one in left:
        one.send(signal.SIGTERM)
    until = time.monotonic() + _AFTER_THE_SIGNAL
    while time.monotonic() < until and not all(one.ended() for one in left):
        time.sleep(_TICK)
    for one in left:
        if not one.ended():
            say(f"{one.prefix} did not end in {int(_AFTER_THE_SIGNAL)} s and is killed")
            one.send(signal.SIGKILL)


def _kill_marked(mark: bytes) -> None:
    """Kills what was left behind in groups of its own, on Linux, where /proc has the environment of each process.

    So torchrun starts its ranks (torch 2.13, distributed/elastic/multiprocessing/subprocess_handler).
    """
    for _ in range(10):  # one may start another while they are looked for
        found = [pid for pid in _pids() if _has(pid, mark)]
        if not found:
            return
        for pid in found:
            try:
                os.kill(pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                pass
        time.sleep(_TICK)


def _pids() -> list[int]:
    try:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    except OSError:
        return []


def _has(pid: int, mark: bytes) -> bool:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return mark in file.read().split(b"\0")
    except OSError:
        return False
