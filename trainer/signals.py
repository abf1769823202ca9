"""Signals set flags, which the training reads between steps: a handler itself saves nothing and tells nobody."""

from __future__ import annotations

import os
import signal
from types import FrameType

from trainer.faults import INTERRUPTED, STOPPED, Fault

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGUSR2)
STOP_FILE = -1  # in the place of a signal's number


def name_of(number: int) -> str:
    """What asked to stop."""
    return "the stop file" if number == STOP_FILE else signal.Signals(number).name


class Signals:
    """SIGTERM, SIGINT, SIGUSR1 ask to save and stop, SIGUSR2 to save and go on. The handler sets a flag, nothing else;
    a second SIGTERM leaves at once."""

    def __init__(self) -> None:
        self.code = 0  # to exit with, once all ranks have stopped; 0 = nobody asked
        self.number = 0  # of the signal that asked, or that of the stop file
        self.save = False  # SIGUSR2 came

    def install(self) -> None:
        for number in SIGNALS:
            signal.signal(number, self.handle)

    def handle(self, number: int, _: FrameType | None) -> None:
        if number == signal.SIGUSR2:
            self.save = True
        elif self.code and number == signal.SIGTERM:
            os._exit(STOPPED)
        else:
            self.code, self.number = INTERRUPTED if number == signal.SIGINT else STOPPED, number

    def stop_file(self, path: str) -> None:
        """A file named ``stop`` in --out asks for the same as SIGTERM, for people without kubectl."""
        if not self.code and os.path.exists(path):
            self.number, self.code = STOP_FILE, STOPPED

    def stop(self) -> None:
        """For waits before the first step, where there is no state to save."""
        if self.code:
            raise Fault(self.code, f"stopped by {name_of(self.number)} before the first step")
