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
        self.owner = 0  # the process that opened the connection: a forked loader worker opens its own
        self.connection: socket.socket | None = None
        self.unread = b""
        self.asked = 0  # calls of should_stop so far: the same count is the same iteration on all ranks
        self.wanted = False  # somebody asked the job to stop
        self.proposed = False  # this rank has said at which call it stands
        self.stop_at: int | None = None  # the call at which all ranks stop

    def open(self) -> socket.socket | None:
        if self.owner != os.getpid():
            self.__init__()  # type: ignore[misc]
            self.owner = os.getpid()
            name = os.environ.get(SOCKET)
            if name:
                with contextlib.suppress(OSError):
                    self.connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
                    self.connection.connect("\0" + name)
                    self.tell({"process": os.getpid(), "rank": os.environ.get("RANK", "")})
        return self.connection

    def tell(self, message: dict[str, object]) -> None:
        connection = self.connection if self.owner == os.getpid() else self.open()
        if connection is not None:
            try:
                connection.sendall(json.dumps(message).encode() + b"\n")
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


_guard = _Guard()


def phase(name: str, step: int | None = None) -> None:
    """This rank is in the phase ``name`` from now on, of this step. ``sync`` is for waiting for the other ranks."""
    _guard.tell({"phase": name, "step": step})


def should_stop() -> bool:
    """Whether to save and stop here; true on all ranks in the same call, if all call it once an iteration.

    A first call keeps the guard from passing SIGTERM on to the script. When the job is asked to stop, each rank says
    at which call it stands and waits for the others' answer: the furthest one decides, which no rank has yet passed.
    """
    _guard.open()
    _guard.asked += 1
    if _guard.asked == 1:
        _guard.tell({"asks": True})
    _guard.hear(wait=False)
    if _guard.wanted and not _guard.proposed:
        _guard.proposed = True
        _guard.tell({"at": _guard.asked})
        while _guard.connection is not None and _guard.stop_at is None:
            _guard.hear(wait=True)
    return _guard.stop_at is not None and _guard.asked >= _guard.stop_at


def committed(step: int) -> None:
    """A checkpoint of this step is complete and durable."""
    _guard.tell({"committed": step})
