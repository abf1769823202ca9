"""Which rank's end was the cause, among those that torchrun tells of.

It names the rank whose end it saw first. On a busy machine that may be one which crashed as its peer left.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# torch/distributed/elastic/multiprocessing/errors/__init__.py (2.13) prints a table of the ranks that failed, and this
# of the first one that it saw.
_DEATH = re.compile(r"rank\s*:\s*(\d+) \(local_rank.*?exitcode\s*:\s*(-?\d+) \(pid: (\d+)\)", re.DOTALL)
_ROOT_CAUSE = "Root Cause (first observed failure)"
# the same folder's api.py, of a rank that it ends because another one failed, and once an attempt of --max-restarts
_ENDED = re.compile(r"Sending process (\d+) closing signal")
_FAILED = "failed (exitcode: "


@dataclass(frozen=True)
class Death:
    """``status`` as subprocess has it; ``words``: the exception that nobody took, empty where there was none."""

    rank: str
    status: int
    words: str


def cause(said: str, heard: Callable[[str], list[tuple[str, str]]], is_symptom: Callable[[str], bool]) -> Death | None:
    """None: torchrun told of no rank. ``heard`` finds exceptions in a text, each with its rank (empty: unknown)."""
    before, told, root = said.rpartition(_ROOT_CAUSE)
    first = _DEATH.search(root)
    if not told or not first:
        return None
    attempt = _FAILED.join(before.split(_FAILED)[-2:])  # the last one alone
    words: dict[str, str] = {}
    for rank, text in heard(attempt):
        words.setdefault(rank or first[1], text)
    seen = Death(first[1], int(first[2]), words.get(first[1], ""))
    if not is_symptom(seen.words):
        return seen
    for rank, text in words.items():
        if not is_symptom(text):
            return Death(rank, 1, text)  # the interpreter's own status for an exception that nobody took
    ended = _ENDED.findall(attempt)
    for rank, status, pid in _DEATH.findall(attempt):
        if rank not in words and pid not in ended:
            return Death(rank, int(status), "")
    return seen
