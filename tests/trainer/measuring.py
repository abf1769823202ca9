"""`trainer.measured`, held against what the tests of failures see, and written anew where `MEASURED` is set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.trainer.harness import Job
from trainer import measured as table

PATH = Path(table.__file__)


class Measured:
    """Call it once all ranks of a job have left; ``since``: the moment of the fault, in seconds of ``time.time``."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[int, float | None]] = {}

    def __call__(self, what: str, job: Job, since: float | None = None, without: tuple[int, ...] = ()) -> None:
        left = [rank for number, rank in enumerate(job.ranks) if number not in without]
        (code,) = {rank.code for rank in left}
        assert code is not None
        seconds = None if since is None else round(max(rank.ended for rank in left) - since, 1)
        self.found[what] = code, seconds
        if "MEASURED" not in os.environ:
            said, moment = table.MEASURED[what]
            assert (said, moment is None) == (code, seconds is None)

    def write(self) -> None:
        """The table of what was found, by exit code."""
        head, _, _ = PATH.read_text("utf-8").partition("MEASURED: ")
        rows = sorted(self.found.items(), key=_order)
        lines = [f'    "{what}": ({code}, {seconds}),\n' for what, (code, seconds) in rows]
        text = f"{head}MEASURED: dict[str, tuple[int, float | None]] = {{\n{''.join(lines)}}}\n"
        PATH.write_text(text, "utf-8")


def _order(row: tuple[str, tuple[int, float | None]]) -> tuple[int, str]:
    return row[1][0], row[0]


@pytest.fixture(scope="session")
def measured() -> Iterator[Measured]:
    one = Measured()
    yield one
    if "MEASURED" in os.environ:
        one.write()
