"""The processes of the script: started, watched from outside, asked where they stand, ended. None is left behind."""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import resource
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path

from trainer.guard.calls import SOCKET

_KEPT = 1 << 16  # characters of stderr that are kept to find the cause in
_SUBREAPER = 36  # linux/prctl.h, PR_SET_CHILD_SUBREAPER
_FRAME = re.compile(r'Current thread \S+ .*?:\n\s+File "([^"]+)", line (\d+) in (\S+)')
_TICKS_A_SECOND = os.sysconf("SC_CLK_TCK")


class Script:
    """``name`` marks what it starts, through any number of forks and sessions, by a variable of the environment."""

    def __init__(self, command: Sequence[str], name: str, keeper: int) -> None:
        self.name = name
        self.keeper = keeper  # the process that kills what bears the name, should this one die
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)  # what loses its parent is the guard's child
        package = str(Path(__file__).resolve().parents[2])  # so that the script finds `trainer.guard`
        path = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH", ""), package]))
        own = {SOCKET: name, "PYTHONPATH": path, "PYTHONFAULTHANDLER": "1"}
        self.process = subprocess.Popen(
            command, env={**os.environ, **own}, stderr=subprocess.PIPE, start_new_session=True
        )
        self.said = ""  # the end of what came on stderr
        self.reader = threading.Thread(target=self._pass_on, name="stderr", daemon=True)
        self.reader.start()
        self.frozen_since: dict[int, float] = {}  # by process
        self.cpu_ticks = 0
        self.busy = time.monotonic()  # when the processes last used a CPU

    def _pass_on(self) -> None:
        assert self.process.stderr
        source = self.process.stderr.fileno()
        while block := os.read(source, 1 << 14):
            with contextlib.suppress(OSError):
                sys.stderr.buffer.write(block)
                sys.stderr.buffer.flush()
            self.said = (self.said + block.decode(errors="replace"))[-_KEPT:]

    def status(self) -> int | None:
        """The script's exit status once it has ended; reaps what else has ended, as process 1 of a container must."""
        status = self.process.poll()
        with contextlib.suppress(ChildProcessError):
            while found := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                if found.si_pid == self.process.pid:
                    return self.process.poll()
                os.waitpid(found.si_pid, 0)
        if status is not None:
            self.reader.join(0.5)  # a child of the script may hold the pipe for longer
        return status

    def signal(self, number: int) -> None:
        """To all processes of the script, for those in a session of their own too."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def processes(self) -> list[int]:
        """Below this process, those above first; without the keeper."""
        children: dict[int, list[int]] = {}
        for pid, fields in _stats():
            children.setdefault(int(fields[1]), []).append(pid)
        found, below = list[int](), [os.getpid()]
        while below:
            below = [pid for parent in below for pid in children.get(parent, []) if pid != self.keeper]
            found += below
        return found

    def watch(self) -> tuple[dict[str, float] | None, float]:
        """The process that has been stopped for longest, and the seconds in which no process has used a CPU."""
        now, own = time.monotonic(), set(self.processes())
        frozen, ticks = dict[int, float](), 0
        for pid, fields in _stats():
            if pid in own:
                ticks += int(fields[11]) + int(fields[12])
                if fields[0] == "T":  # not `t`: a debugger has that one
                    frozen[pid] = self.frozen_since.get(pid, now)
        self.frozen_since = frozen
        if abs(ticks - self.cpu_ticks) > 0.02 * _TICKS_A_SECOND:  # of a core, as this is called once a second
            self.busy = now
        self.cpu_ticks = ticks
        oldest = min(frozen, key=lambda pid: frozen[pid], default=None)
        said = None if oldest is None else {"process": oldest, "seconds": now - frozen[oldest]}
        return said, now - self.busy

    def stacks(self, seconds: float = 2.0) -> str:
        """Has every rank's process print its threads' stacks and end; returns the innermost line of the last one.

        By SIGABRT, which faulthandler answers even where the GIL is held. No core file is left.
        """
        ranks = self._ranks()
        for pid in ranks:
            with contextlib.suppress(OSError, ValueError):
                resource.prlimit(pid, resource.RLIMIT_CORE, (0, resource.prlimit(pid, resource.RLIMIT_CORE)[1]))
                os.kill(pid, signal.SIGABRT)
                os.kill(pid, signal.SIGCONT)
        end = time.monotonic() + seconds
        while time.monotonic() < end and any(pid in ranks and fields[0] != "Z" for pid, fields in _stats()):
            time.sleep(0.05)
        time.sleep(0.05)  # the last lines are on their way through the pipe
        frames: list[tuple[str, str, str]] = _FRAME.findall(self.said)
        return "{}:{} in {}".format(*frames[-1]) if frames else ""

    def _ranks(self) -> list[int]:
        """One process a rank: its topmost. A launcher's ranks have LOCAL_RANK, the launcher itself has not."""
        variables = {pid: _environment(pid) for pid in self.processes()}
        local = {pid: own.get(b"LOCAL_RANK", b"") for pid, own in variables.items()}
        known = any(local.values()) and not os.environ.get("LOCAL_RANK")
        topmost: dict[bytes, int] = {}
        for pid in variables:
            if local[pid] or not known:
                topmost.setdefault(local[pid], pid)
        return list(topmost.values())

    def end(self, grace: float) -> None:
        """SIGTERM, and SIGKILL to what is left of it after the grace."""
        self.signal(signal.SIGTERM)
        self.signal(signal.SIGCONT)
        end = time.monotonic() + grace
        while time.monotonic() < end and self.status() is None:
            time.sleep(0.02)
        kill(self.name)
        self.signal(signal.SIGKILL)
        self.status()


def keep(name: str) -> int:
    """Forks a process that kills what bears the mark ``name`` once this one is gone, however it went."""
    lives, tells = os.pipe()
    keeper = os.fork()
    if keeper:
        os.close(lives)
        os.set_inheritable(tells, False)
        return keeper
    try:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nowhere, descriptor)
        os.close(tells)
        os.read(lives, 1)
        kill(name)
    finally:
        os._exit(0)


def kill(name: str, limit: float = 5.0) -> None:
    """SIGKILL to all that bear the mark, until nothing does."""
    mark, end = name.encode(), time.monotonic() + limit
    while time.monotonic() < end:
        found = [pid for pid, fields in _stats() if fields[0] != "Z" and _environment(pid).get(SOCKET.encode()) == mark]
        if not found:
            return
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)


def _stats() -> list[tuple[int, list[str]]]:
    """Process and the fields of /proc/PID/stat from the state on (proc(5))."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                text = Path("/proc", entry, "stat").read_text(errors="replace")
                found.append((int(entry), text.rpartition(")")[2].split()))
    return found


def _environment(pid: int) -> dict[bytes, bytes]:
    try:
        words = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return {name: value for name, _, value in (word.partition(b"=") for word in words)}
