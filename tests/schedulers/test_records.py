"""The recordings of the real kube-scheduler: all that is foretold of a world is what came of it.

A world may take several ways (the order of a Go map, which of equal nodes): one of those that are played out must be
the recorded one, but where two runs of the real programs differ themselves.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.schedulers.records import differences
from tests.schedulers.replay import prediction

FOLDER = Path("conformance/schedulers/kube-scheduler")
EXCEPTIONS = Path(__file__).with_name("exceptions.yaml")
# What both runs of the real programs, and all ways here, must agree on even where they take different ways.
LEAST = 183


@pytest.fixture(scope="module")
def worlds(shared: Path) -> list[Path]:
    """The scenarios."""
    return sorted((shared / FOLDER).glob("*.yaml"))


def test_every_world_is_foretold(worlds: list[Path]) -> None:
    exceptions = yaml.safe_load(EXCEPTIONS.read_text("utf-8"))
    wrong = {}
    for path in worlds:
        record = json.loads(path.with_suffix(".json").read_text("utf-8"))
        found = differences(yaml.load(path.read_text("utf-8"), yaml.CSafeLoader), record)
        if found:
            wrong[path.stem] = found
    assert len(worlds) >= LEAST
    # what an exception names differs, and nothing else: one that is none any more goes
    assert wrong == {name: one["at"] for name, one in exceptions.items()}


def test_a_prediction_names_what_is_not_certain(shared: Path) -> None:
    path = shared / FOLDER / "jobs-02-half-placed.yaml"
    foretold = prediction(yaml.safe_load(path.read_text("utf-8")))
    assert foretold["settled"][0]["jobs"]["job-a"]["bound"] == 2
    assert "/settled/0/jobs/job-a/roles/master/bound" in foretold["unstable"]
    assert "/settled/0/jobs/job-a/bound" not in foretold["unstable"]
