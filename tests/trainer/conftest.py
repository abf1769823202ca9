"""Fixtures of the trainer's tests."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.trainer.harness import Job, Zygote, several, write_mnist
from tests.trainer.measuring import measured as measured


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed: the extra `trainer` has it")
    one = Zygote()
    yield one
    one.close()


@pytest.fixture(scope="session")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Zygote]:
    """As `zygote`, with the library of disk and clock faults in front of the C library."""
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed: the extra `trainer` has it")
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed: the fault library is compiled")
    library = tmp_path_factory.mktemp("faultlib") / "faultlib.so"
    source = str(Path(__file__).with_name("faultlib.c"))
    subprocess.run(["gcc", "-Wall", "-Werror", "-shared", "-fPIC", "-o", str(library), source, "-ldl"], check=True)
    one = Zygote(LD_PRELOAD=str(library))
    yield one
    one.close()


@pytest.fixture
def job(zygote: Zygote, tmp_path: Path) -> Iterator[Job]:
    one = Job(zygote, tmp_path)
    yield one
    one.close()


@pytest.fixture
def jobs(zygote: Zygote, tmp_path: Path) -> Iterator[Callable[[], Job]]:
    """Several jobs one after the other, for restarts."""
    yield from several(zygote, tmp_path)


@pytest.fixture
def mnist(tmp_path: Path) -> Path:
    pytest.importorskip("numpy", reason="numpy is not installed: the extra `trainer` has it")
    return write_mnist(tmp_path / "mnist")
