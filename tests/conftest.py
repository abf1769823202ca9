"""What all tests share: the reference material beside the checkout, golden files, and what runs by default."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import hypothesis
import pytest
import yaml  # loaded before specgen could load libyaml's parser alone
from syrupy.assertion import SnapshotAssertion

from specgen.cli.main import COLLECT
from tests.golden import Golden

ROOT = Path(__file__).resolve().parent.parent
LONG = ("soak", "fuzz", "browser")

# libyaml reads and writes the same in a sixth of the time; a test of PyYAML's own reader names its Loader.
if yaml.__with_libyaml__:
    SHORT: tuple[tuple[str, Callable[..., Any], dict[str, Any]], ...] = (
        ("safe_load", yaml.load, {"Loader": yaml.CSafeLoader}),
        ("safe_load_all", yaml.load_all, {"Loader": yaml.CSafeLoader}),
        ("safe_dump", yaml.dump, {"Dumper": yaml.CSafeDumper}),
        ("safe_dump_all", yaml.dump_all, {"Dumper": yaml.CSafeDumper}),
    )
    for name, general, more in SHORT:
        setattr(yaml, name, partial(general, **more))

# Hundreds of tests start the program, and each start takes ten times as long where nobody keeps what was compiled: some
# images ask Python not to.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A run of the tests says the same about the same code; SPECGEN_FUZZ asks for other examples each time.
hypothesis.settings.register_profile("same", derandomize="SPECGEN_FUZZ" not in os.environ, database=None)
hypothesis.settings.load_profile("same")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves the long runs to those who ask by `-m`: here, not by a default of `-m`, since a run of all other tests is
    then a whole one to syrupy, which looks for unused files after whole runs alone."""
    if config.option.markexpr:
        return
    short: list[pytest.Item] = []
    long: list[pytest.Item] = []
    for item in items:
        (long if any(item.get_closest_marker(name) for name in LONG) else short).append(item)
    config.hook.pytest_deselected(items=long)
    items[:] = short


def pytest_collection_finish() -> None:
    """What was collected stays to the end: nobody looks for garbage in it, and no child that is forked copies it."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT)


def shared_folder() -> Path | None:
    """``../shared`` beside the checkout, or what SPECGEN_SHARED names."""
    named = os.environ.get("SPECGEN_SHARED")
    folder = Path(named) if named else ROOT.parent / "shared"
    return folder if (folder / "README.md").is_file() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of reference material; without it the test is skipped."""
    folder = shared_folder()
    if folder is None:
        pytest.skip("the reference material (../shared, or SPECGEN_SHARED) is absent")
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture
def golden(snapshot: SnapshotAssertion) -> Golden:
    """``golden(path)`` equals the text of a file; see ``tests/golden.py``."""
    return Golden(snapshot)
