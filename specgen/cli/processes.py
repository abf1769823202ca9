"""Processes of one job on this machine: started together, their lines marked, stopped together, none left behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from specgen.cli.kept import STOPS, Keeper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import BinaryIO

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
_PREFIXES = ("MASTER_", "PET_", "OMPI_", "PMI_", "PMIX_", "MS_", "TORCHELASTIC_", "SLURM_")


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

    __slots__ = ("_keeper", "code", "passing", "pid", "prefix", "since", "thread", "took")

    def __init__(self, prefix: str, pid: int, lines: BinaryIO, keeper: Keeper, output: Output) -> None:
        self.prefix = prefix
        self.pid = pid
        self.code: int | None = None
        self.since = time.monotonic()
        self.took = 0.0
        self.passing = False
        self._keeper = keeper
        self.thread = threading.Thread(target=self._pass_on, args=(lines, output), daemon=True)
        self.thread.start()

    def _pass_on(self, lines: BinaryIO, output: Output) -> None:
        mark = f"{self.prefix} | ".encode()
        with lines:
            while line := lines.readline(_PIECE):
                self.passing = True
                output.write(mark + line.rstrip(b"\r\n") + b"\n")
                self.passing = False

    def ended(self) -> bool:
        """Whether it has ended; a signal counts as 128 and its number, as shells say it."""
        if self.code is None:
            code = self._keeper.code(self.pid)
            if code is not None:
                self.code = code if code >= 0 else 128 - code
                self.took = time.monotonic() - self.since
        return self.code is not None

    def send(self, number: int) -> None:
        """A signal to the process and all that stayed in its group."""
        self._keeper.ask({"pid": self.pid, "signal": number})

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
    base = {name: value for name, value in os.environ.items() if name not in _RANKS and not name.startswith(_PREFIXES)}
    running: list[Running] = []
    before = {number: signal.signal(number, _stopped) for number in STOPS}
    holder = None
    try:
        holder = Keeper()
        return _run(processes, base, running, holder, output, say)
    except Stopped as stopped:
        say("stopping all")
        _stop(running, say)
        return 128 + stopped.number
    finally:
        for number in before:
            signal.signal(number, signal.SIG_IGN)
        if holder is not None:
            holder.close()
        for one in running:
            one.last_lines()
        for number, handler in before.items():
            signal.signal(number, handler)


def _stopped(number: int, frame: FrameType | None) -> None:
    raise Stopped(number)


def _run(
    processes: list[Process],
    base: dict[str, str],
    running: list[Running],
    holder: Keeper,
    output: Output,
    say: Callable[[str], None],
) -> int:
    """Everything but the cleaning up: what is started is put into ``running`` at once."""
    for process in processes:
        for argv in process.before:
            one = _start(f"{process.prefix} before", argv, process, base, running, holder, output, say)
            first = one if one is None else _wait([one], output, say, quiet=True)
            if one is None or first is not None:
                code = one.code if one is not None else _CANNOT_START
                say(f"{process.prefix} before: `{argv[0]}` ended with {code}, nothing was started")
                return code or 0
    together = []
    for process in processes:
        one = _start(process.prefix, process.argv, process, base, running, holder, output, say)
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
    holder: Keeper,
    output: Output,
    say: Callable[[str], None],
) -> Running | None:
    """A process, or None where this machine does not start it: a script without its first line, say."""
    try:
        env = {"PYTHONUNBUFFERED": "1", **base, **process.env}
        pid, lines = holder.start(argv, env, process.folder)
    except OSError as error:
        say(f"{prefix}: `{argv[0]}` cannot be started: {str(error).lower()}")
        return None
    one = Running(prefix, pid, lines, holder, output)
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
