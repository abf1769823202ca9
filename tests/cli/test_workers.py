"""Processes that work at once: an interruption ends all of them, and one alone answers it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from specgen.cli.workers import together

_WORK = """
import os, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # which shells take from what they start in the background
from specgen.cli.workers import together
def part():
    os.write(1, b"works\\n")
    for _ in range(600):  # an interruption just before one sleep is answered behind it
        time.sleep(0.1)
try:
    together([part, part, part])
except KeyboardInterrupt:
    # as the program ends: nothing is tidied up behind it
    os.write(1, b"interrupted\\n")
    os._exit(0)
"""


@pytest.mark.parametrize("send", [os.killpg, os.kill], ids=["of a terminal", "of a process"])
def test_an_interruption_ends_all_and_is_told_once(send: Callable[[int, int], None], root: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _WORK],
        cwd=root,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert [process.stdout.readline() for _ in range(3)] == ["works\n"] * 3
    send(process.pid, signal.SIGINT)
    # the streams end when the last of the processes does
    assert process.communicate(timeout=30) == ("interrupted\n", "")
    assert process.returncode == 0


def test_what_a_part_raises_is_raised_and_ends_the_others() -> None:
    def fails() -> int:
        raise ValueError("no")

    assert together([lambda: 1, lambda: 2]) == [1, 2]
    for parts in ([fails, lambda: 1], [lambda: 1, fails]):
        with pytest.raises(ValueError, match="no"):
            together(parts)
