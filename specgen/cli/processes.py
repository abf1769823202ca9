"""Processes of one job on this machine: started together, their lines marked, stopped together."""

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

    from specgen.local.model import Process

# Seconds that processes have to end by themselves after the first one failed, and after they were asked to.
_AFTER_A_FAILURE = 20.0
_AFTER_THE_SIGNAL = 10.0
_TICK = 0.05
# Of these the operator would have set its own; what the shell of the user has set must not meet them.
_RANKS = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "NODE_RANK", "TF_CONFIG")
_PREFIXES = ("MASTER_", "PET_", "OMPI_", "PMI_", "PMIX_", "MS_", "TORCHELASTIC_")


class Running:
    """A started process and the thread that passes its lines on."""

    __slots__ = ("code", "popen", "prefix", "since", "thread")

    def __init__(self, prefix: str, popen: subprocess.Popen[bytes], write: Callable[[bytes], None]) -> None:
        self.prefix = prefix
        self.popen = popen
        self.code: int | None = None
        self.since = time.monotonic()
        self.thread = threading.Thread(target=self._pass_on, args=(write,), daemon=True)
        self.thread.start()

    def _pass_on(self, write: Callable[[bytes], None]) -> None:
        assert self.popen.stdout is not None
        mark = f"{self.prefix} | ".encode()
        for line in self.popen.stdout:
            write(mark + line.rstrip(b"\r\n") + b"\n")

    def ended(self) -> bool:
        """Whether it has ended; a signal counts as 128 and its number, as shells say it."""
        if self.code is None:
            code = self.popen.poll()
            if code is not None:
                self.code = code if code >= 0 else 128 - code
        return self.code is not None

    def send(self, number: int) -> None:
        """A signal to the process and all that it started."""
        try:
            os.killpg(self.popen.pid, number)
        except (ProcessLookupError, PermissionError):
            pass


def run_together(processes: list[Process], say: Callable[[str], None]) -> int:
    """Starts all, waits for all; the exit code of the first that failed. One Ctrl-C stops them all: 130."""
    lock = threading.Lock()

    def write(line: bytes) -> None:
        with lock:
            sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()

    base = {name: value for name, value in os.environ.items() if name not in _RANKS and not name.startswith(_PREFIXES)}
    running: list[Running] = []
    first: Running | None = None
    try:
        for process in processes:
            code = _prepare(process, {**base, **process.env}, write, say)
            if code:
                return code
        for process in processes:
            running.append(Running(process.prefix, _start(process.argv, process, {**base, **process.env}), write))
        first = _wait(running, say)
    except KeyboardInterrupt:
        say("stopping all")
        _stop(running, say)
        return 130
    finally:
        for one in running:
            one.send(signal.SIGKILL)
            one.popen.wait()
            one.thread.join(timeout=2)
    return first.code or 0 if first is not None else 0


def _start(argv: list[str], process: Process, env: dict[str, str]) -> subprocess.Popen[bytes]:
    # a group of its own, so that a signal reaches what it starts, and the terminal's Ctrl-C reaches this one first
    return subprocess.Popen(
        argv,
        env={"PYTHONUNBUFFERED": "1", **env},
        cwd=process.folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )


def _prepare(process: Process, env: dict[str, str], write: Callable[[bytes], None], say: Callable[[str], None]) -> int:
    """The programs that must have ended well before; the exit code of one that did not."""
    for argv in process.before:
        one = Running(f"{process.prefix} before", _start(argv, process, env), write)
        try:
            while not one.ended():
                time.sleep(_TICK)
        finally:
            one.send(signal.SIGKILL)
        one.thread.join(timeout=2)
        if one.code:
            say(f"{one.prefix}: `{argv[0]}` ended with {one.code}, nothing was started")
            return one.code
    return 0


def _wait(running: list[Running], say: Callable[[str], None]) -> Running | None:
    """Until all have ended; the first that failed. After a failure the others have a while to say what they miss."""
    first: Running | None = None
    until = 0.0
    left = list(running)
    while left:
        for one in [one for one in left if one.ended()]:
            left.remove(one)
            one.thread.join(timeout=2)
            say(f"{one.prefix} ended with {one.code} after {time.monotonic() - one.since:.1f} s")
            if one.code and first is None:
                first, until = one, time.monotonic() + _AFTER_A_FAILURE
        if left and first is not None and time.monotonic() > until:
            say(f"stopping the others, {int(_AFTER_A_FAILURE)} s after {first.prefix} failed")
            _stop(left, say)
        time.sleep(_TICK)
    return first


def _stop(running: list[Running], say: Callable[[str], None]) -> None:
    """SIGTERM to all at once, as Kubernetes does it, and SIGKILL to those that remain."""
    for one in running:
        one.send(signal.SIGTERM)
    until = time.monotonic() + _AFTER_THE_SIGNAL
    while time.monotonic() < until and not all(one.ended() for one in running):
        time.sleep(_TICK)
    for one in running:
        if not one.ended():
            say(f"{one.prefix} did not end in {int(_AFTER_THE_SIGNAL)} s and is killed")
            one.send(signal.SIGKILL)
