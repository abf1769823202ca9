"""The largest value of a word that fits: what the values in between say, and where nobody knows."""

from __future__ import annotations

import pytest

from specgen.cli.largest import largest_of
from specgen.schedulers.jobs import Job
from specgen.schedulers.verdict import FITS, NEVER, UNKNOWN, Answer


def answer(verdict: str) -> Answer:
    made = Answer(Job({"kind": "PyTorchJob", "metadata": {"name": "a"}}, []))
    made.verdict = verdict
    return made


@pytest.mark.parametrize(
    ("last", "above", "line"),
    [
        (1, NEVER, "pods: 1 is the largest that fits, 2 does not fit"),
        (100, NEVER, "pods: 100 is the largest that fits, 101 does not fit"),
        (0, NEVER, "pods: no value fits"),
        (0, UNKNOWN, "pods: it is not known whether a value fits"),
        (100, UNKNOWN, "pods: 64 fits, of larger values it is not known"),
        (10**9, NEVER, "pods: 16384 fits, of larger values it is not known"),
    ],
)
def test_the_largest(last: int, above: str, line: str) -> None:
    def ask(settings: list[str]) -> tuple[int, list[Answer]]:
        value = int(settings[0].removeprefix("pods="))
        return 0, [answer(FITS if value <= last else above)]

    assert largest_of("pods", ask).line == line
