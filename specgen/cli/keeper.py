"""The parent of the processes of a run: whatever becomes of the run, nothing of it is left.

A program of its own, in a session of its own, that is read from its text and imports nothing of specgen: neither a
signal to the run nor one to all that is called like it meets both. It starts what it is asked for, says what ended, and
when the run is gone, by SIGKILL too, it kills all that descends from it. On Linux it takes in what lost its parent
(prctl(2), PR_SET_CHILD_SUBREAPER), so that no session, no empty environment and no second fork leads out of it;
elsewhere it knows the groups that it started and what is below them.

Requests are lines of JSON on a socket: ``{"argv", "env", "folder"}`` with a file descriptor for the output, or
``{"pid", "signal"}`` for the group of a process. Answers: ``{"started": pid}`` or ``{"refused": why}``, and
``{"ended": pid, "code": code}``, negative for a signal.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# Seconds in which what was killed must have gone; what hangs in the kernel takes longer.
_AT_MOST = 10.0
_TICK = 0.02
_PIECE = 1 << 16
_SUBREAPER = 36  # linux/prctl.h, PR_SET_CHILD_SUBREAPER


def adopt() -> None:
    """From now on what loses its parent below this process is its child, where the system can do that."""
    if sys.platform == "linux":
        try:
            import ctypes

            ctypes.CDLL(None).prctl(_SUBREAPER, 1, 0, 0, 0)
        except (ImportError, OSError, AttributeError):
            pass


def end_all(groups: Iterable[int]) -> None:
    """SIGKILL to these groups and all that is below this process, until nothing is."""
    until = time.monotonic() + _AT_MOST
    # before anything dies: what lost its parent is found no more where nobody takes it in
    left = _below(os.getpid())
    for group in groups:
        _kill(os.killpg, group, signal.SIGKILL)
    while left and time.monotonic() < until:
        for pid in left:
            _kill(os.kill, pid, signal.SIGKILL)
        time.sleep(_TICK)
        reap()
        left = _below(os.getpid())


def reap() -> list[tuple[int, int]]:
    """(pid, code) of the children that have ended."""
    ended: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return ended
        if not pid:
            return ended
        ended.append((pid, os.waitstatus_to_exitcode(status)))


def _kill(how: Any, pid: int, number: int) -> None:
    try:
        how(pid, number)
    except (ProcessLookupError, PermissionError):
        pass


def _below(top: int) -> list[int]:
    """The processes that descend from one."""
    children: dict[int, list[int]] = {}
    for pid, parent in _parents():
        children.setdefault(parent, []).append(pid)
    found = [*children.get(top, ())]
    for pid in found:
        found += children.get(pid, ())
    return found


def _parents() -> list[tuple[int, int]]:
    """(pid, pid of the parent) of all processes."""
    try:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        pids = []
    found = [(pid, parent) for pid in pids if (parent := _parent(pid)) is not None]
    return found or _listed()


def _parent(pid: int) -> int | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # behind the name, which may hold anything: state, parent (proc_pid_stat(5))
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, IndexError, ValueError):
        return None


def _listed() -> list[tuple[int, int]]:
    """The same where there is no /proc."""
    try:
        with subprocess.Popen(["ps", "-A", "-o", "pid=,ppid="], stdout=subprocess.PIPE, text=True) as ps:
            pairs = [line.split() for line in ps.communicate()[0].splitlines()]
    except OSError:
        return []
    return [(int(pid), int(parent)) for pid, parent in pairs if int(pid) != ps.pid]


def _start(request: dict[str, Any], output: int) -> dict[str, Any]:
    try:
        # a group of its own, so that a signal reaches what it starts
        popen = subprocess.Popen(
            request["argv"],
            env=request["env"],
            cwd=request["folder"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return {"refused": (error.strerror if isinstance(error, OSError) else str(error)) or "it is not known why"}
    finally:
        os.close(output)
    popen.returncode = 0  # it is waited for below
    return {"started": popen.pid}


def main() -> None:
    """Serves one run until it is gone."""
    adopt()
    # what ends wakes the loop
    awake, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(awake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    alive: dict[int, None] = {}
    try:
        _serve(socket.socket(fileno=int(sys.argv[1])), awake, alive)
    except OSError:
        pass  # the run is gone
    finally:
        end_all(alive)


def _serve(run: socket.socket, awake: int, alive: dict[int, None]) -> None:
    text, outputs = b"", []
    while True:
        ready, _, _ = select.select([run.fileno(), awake], [], [])
        answers: list[dict[str, Any]] = []
        if run.fileno() in ready:
            piece, descriptors, _, _ = socket.recv_fds(run, _PIECE, 1)
            outputs += descriptors
            text += piece
            if not piece:
                return
        while b"\n" in text:
            line, _, text = text.partition(b"\n")
            request = json.loads(line)
            if "signal" not in request:
                answers.append(_start(request, outputs.pop(0)))
                alive.update({answers[-1]["started"]: None} if "started" in answers[-1] else {})
            elif request["pid"] in alive:
                _kill(os.killpg, request["pid"], request["signal"])
        if awake in ready:
            os.read(awake, _PIECE)
        for pid, code in reap():
            if pid in alive:
                # as a container ends with its first process; the number cannot be another's yet
                _kill(os.killpg, pid, signal.SIGKILL)
                del alive[pid]
                answers.append({"ended": pid, "code": code})
        for answer in answers:
            run.sendall(json.dumps(answer).encode() + b"\n")


if __name__ == "__main__":
    main()
