"""What asks ``specgen.cli.keeper``, the parent of the processes of a run."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys

from specgen.cli import keeper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, BinaryIO

# Signals by which a run is asked to end; of any other one it dies, and its processes with it.
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_PIECE = 1 << 16


def _whole(step: Callable[[], None]) -> None:
    """A signal that stops the run comes after the step, so that no part of a message is lost."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)
    try:
        step()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Keeper:
    """The parent of all processes of a run, ``specgen.cli.keeper`` in a process of its own.

    Where it is killed itself, this process ends what it has left.
    """

    __slots__ = ("_answers", "_codes", "_popen", "_socket", "_text")

    def __init__(self) -> None:
        from pkgutil import get_data

        keeper.adopt()
        self._text = b""
        self._answers: list[dict[str, Any]] = []
        self._codes: dict[int, int] = {}
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._popen = subprocess.Popen(
                [sys.executable, "-I", "-S", "-", str(theirs.fileno())],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        assert self._popen.stdin is not None
        with self._popen.stdin as program:
            program.write(get_data("specgen.cli", "keeper.py") or b"")

    def start(self, argv: list[str], env: dict[str, str], folder: str | None) -> tuple[int, BinaryIO]:
        """The process and its lines. Raises OSError where this machine does not start it."""
        ours, theirs = os.pipe()
        lines = open(ours, "rb")  # noqa: SIM115 (closed by who reads it)
        try:
            self.ask({"argv": argv, "env": env, "folder": folder}, [theirs])
        finally:
            os.close(theirs)
        while not self._answers and self._socket.fileno() >= 0:
            self._hear(wait=True)
        answer = self._answers.pop() if self._answers else {"refused": "its parent was killed"}
        if "refused" in answer:
            lines.close()
            raise OSError(answer["refused"])
        return int(answer["started"]), lines

    def ask(self, request: dict[str, Any], descriptors: Sequence[int] = ()) -> None:
        """Sends a request; nothing where there is nobody any more."""
        line = json.dumps(request).encode() + b"\n"

        def send() -> None:
            try:
                sent = socket.send_fds(self._socket, [line], descriptors)
                self._socket.sendall(line[sent:])
            except OSError:
                self._lost()

        _whole(send)

    def code(self, pid: int) -> int | None:
        """The code of a process, negative for a signal; None: it runs."""
        self._hear(wait=False)
        alone = self._socket.fileno() < 0
        return self._codes.get(pid, -signal.SIGKILL if alone else None)

    def close(self) -> None:
        """Ends all that is left."""
        self._socket.close()
        self._popen.wait()

    def _hear(self, *, wait: bool) -> None:
        if self._socket.fileno() < 0 or not select.select([self._socket], [], [], None if wait else 0)[0]:
            return
        _whole(self._take)

    def _take(self) -> None:
        try:
            piece = self._socket.recv(_PIECE)
        except OSError:
            piece = b""
        if not piece:
            self._lost()
        *lines, self._text = (self._text + piece).split(b"\n")
        for answer in map(json.loads, lines):
            if "ended" in answer:
                self._codes[answer["ended"]] = answer["code"]
            else:
                self._answers.append(answer)

    def _lost(self) -> None:
        self._socket.close()
        self._popen.wait()
        keeper.end_all(())
