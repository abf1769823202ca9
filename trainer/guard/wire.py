"""Messages between guards: one JSON object a line."""

from __future__ import annotations

import contextlib
import json
import socket
from typing import Any

Message = dict[str, Any]
LONGEST = 1 << 16  # bytes of one message: whoever sends more is no guard


class Channel:
    """One side of a connection. ``closed`` once the other side is gone, or has sent what no guard sends."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        with contextlib.suppress(OSError):  # a Unix socket has no such option
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.connection = connection
        self.unread = b""
        self.unsent = b""
        self.closed = False

    def fileno(self) -> int:
        return self.connection.fileno()

    def send(self, message: Message) -> None:
        self.unsent += json.dumps(message).encode() + b"\n"
        self.flush()

    def flush(self) -> None:
        """Sends what the other side takes now; the rest waits for the next call."""
        try:
            while self.unsent and not self.closed:
                self.unsent = self.unsent[self.connection.send(self.unsent) :]
        except BlockingIOError:
            self.closed = len(self.unsent) > 16 * LONGEST
        except OSError:
            self.closed = True

    def receive(self) -> list[Message]:
        """What has come, which is nothing or more. To be called when there is something to read."""
        try:
            while block := self.connection.recv(LONGEST):
                self.unread += block
                if len(block) < LONGEST:
                    break
            else:
                self.closed = True
        except BlockingIOError:
            pass
        except OSError:
            self.closed = True
        *lines, self.unread = self.unread.split(b"\n")
        try:
            messages = [json.loads(line) for line in lines]
        except ValueError:
            messages = [None]
        if len(self.unread) > LONGEST or not all(isinstance(message, dict) for message in messages):
            self.closed = True
            return []
        return messages

    def close(self) -> None:
        self.closed = True
        self.connection.close()
