"""What all tests share: the reference material beside the checkout, and snapshots as plain files."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest
import yaml  # loaded before specgen could load libyaml's parser alone

ROOT = Path(__file__).resolve().parent.parent

assert yaml

# A run of the tests says the same about the same code; SPECGEN_FUZZ asks for other examples each time.
hypothesis.settings.register_profile("same", derandomize="SPECGEN_FUZZ" not in os.environ, database=None)
hypothesis.settings.load_profile("same")


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
