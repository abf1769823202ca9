"""Fixtures of the trainer's tests."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent
for folder in (HERE, HERE.parents[1]):  # the harness beside this file, and the package
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

from harness import Job, Zygote, write_mnist  # noqa: E402


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed: the extra `trainer` has it")
    one = Zygote()
    yield one
    assert one.process.stdin and one.process.stdout
    one.process.stdin.close()
    one.process.stdout.close()
    one.process.wait(10)


@pytest.fixture
def job(zygote: Zygote, tmp_path: Path) -> Iterator[Job]:
    one = Job(zygote, tmp_path)
    yield one
    one.close()


@pytest.fixture
def jobs(zygote: Zygote, tmp_path: Path) -> Iterator[Any]:
    """Several jobs one after the other, for restarts."""
    made: list[Job] = []

    def make() -> Job:
        folder = tmp_path / f"job-{len(made)}"
        folder.mkdir()
        made.append(Job(zygote, folder))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.fixture
def mnist(tmp_path: Path) -> Path:
    pytest.importorskip("numpy", reason="numpy is not installed: the extra `trainer` has it")
    return write_mnist(tmp_path / "mnist")
