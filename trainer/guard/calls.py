"""What a script tells its guard, and asks of it. Imports nothing heavy, starts no thread, does nothing without a guard.

A call costs a few microseconds: one line to a socket of this pod. A guard that is gone is no reason to fail here: it
takes the script with it.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket

SOCKET = "TRAINER_GUARD_SOCKET"  # the guard's name in Linux' abstract name space; also marks all that it started


class _Guard:
    """The connection of this process to the guard of its pod."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.unread = b""
        self.asked = 0  # calls of should_stop so far: the same count is the same iteration on all ranks
        self.wanted = False  # somebody asked the job to stop
        self.proposed = False  # this rank has said at which call it stands
        self.stop_at: int | None = None  # the call at which all ranks stop
        self.connection: socket.socket | None = None  # none without a guard, or once it is gone
        name = os.environ.get(SOCKET)
        if name:
            with contextlib.suppress(OSError):
                connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                connection.connect("\0" + name)
                self.connection = connection
                self.tell({"process": self.process, "rank": os.environ.get("RANK", "")})

    def tell(self, message: dict[str, object]) -> None:
        if self.connection is not None:
            try:
                self.connection.sendall(json.dumps(message).encode() + b"\n")
            except OSError:
                self.connection = None

    def hear(self, wait: bool) -> None:
        """Takes in what the guard has said; waits for a word of it if asked to."""
        connection = self.connection
        if connection is None:
            return
        try:
            block = connection.recv(4096, 0 if wait else socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            block = b""
        if not block:
            self.connection = None
            return
        *lines, self.unread = (self.unread + block).split(b"\n")
        for line in lines:
            message = json.loads(line)
            self.wanted = self.wanted or "stop" in message
            self.stop_at = message.get("stop_at", self.stop_at)


_known: _Guard | None = None


def _guard() -> _Guard:
    """Of this process: one that was forked, as a loader worker, opens a connection of its own."""
    global _known
    if _known is None or _known.process != os.getpid():
        _known = _Guard()
    return _known


def phase(name: str, step: int | None = None) -> None:
    """This rank is in the phase ``name`` from now on, of this step. ``sync`` is for waiting for the other ranks."""
    _guard().tell({"phase": name, "step": step})


def should_stop() -> bool:
    """Whether to save and stop here; true on all ranks in the same call, if all call it once an iteration.

    A first call keeps the guard from passing SIGTERM on to the script. When the job is asked to stop, each rank says
    at which call it stands and waits for the answer: the call after the furthest one, which no rank can have passed.
    """
    guard = _guard()
    guard.asked += 1
    if guard.asked == 1:
        guard.tell({"asks": True})
    guard.hear(wait=False)
    if guard.wanted and not guard.proposed:
        guard.proposed = True
        guard.tell({"at": guard.asked})
        while guard.connection is not None and guard.stop_at is None:
            guard.hear(wait=True)
    return guard.stop_at is not None and guard.asked >= guard.stop_at


def committed(step: int) -> None:
    """A checkpoint of this step is complete and durable."""
    _guard().tell({"committed": step})
