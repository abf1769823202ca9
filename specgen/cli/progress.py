"""How far a long run is, on a terminal: one line that is written over, and gone at the end."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

# Seconds before the first word, and between two.
_PATIENCE = 1.0
_PAUSE = 0.2


class Progress:
    """Says how many files of how many are done, to people who wait for longer than a second."""

    __slots__ = ("_next", "_since", "_stream", "_width")

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._since = time.monotonic()
        self._next = self._since + _PATIENCE
        self._width = 0

    def __call__(self, done: int, of: int) -> None:
        """Writes the line; of none, takes it away."""
        if not of:
            self._write("")
            return
        now = time.monotonic()
        if now >= self._next and done:
            self._next = now + _PAUSE
            each = (now - self._since) / done
            self._write(f"{done} of {of} files, {1 / each:.0f} a second, {each * (of - done):.0f} s left")

    def _write(self, text: str) -> None:
        if text or self._width:
            self._stream.write("\r" + text.ljust(self._width) + ("" if text else "\r"))
            self._stream.flush()
        self._width = len(text)
