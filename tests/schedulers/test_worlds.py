"""Worlds that no recording shows, and what kube-scheduler 1.36 makes of them by its source.

A file of ``worlds`` is a list of scenarios in the form of the recordings, of one subject each. ``foretold`` says of
each state what all ways that the world may take have in common: job → "state bound/pods", the messages of pods that
wait with their number, and claims → what they were given where claims are the subject.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.schedulers.replay import WAYS, played

FOLDER = Path(__file__).with_name("worlds")


def scenarios() -> list[tuple[str, dict[str, Any]]]:
    """(name, scenario) of all files."""
    found = []
    for path in sorted(FOLDER.glob("*.yaml")):
        tree = yaml.safe_load(path.read_text("utf-8"))
        found += [(f"{path.stem}: {one['question']}", one) for one in tree["worlds"]]
    return found


def seen(state: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """What of a state is foretold."""
    made: dict[str, Any] = {
        "jobs": {name: f"{one['state']} {one['bound']}/{one['pods']}" for name, one in state["jobs"].items()}
    }
    waiting: dict[str, int] = {}
    for one in state["pending"]:
        told = f"{one['job']}: {one['message']}"
        waiting[told] = waiting.get(told, 0) + one["count"]
    if waiting or "waiting" in wanted:
        made["waiting"] = waiting
    if "claims" in wanted:
        made["claims"] = {
            name: [[one["count"], one["allocated"]] for one in listed] for name, listed in state["claims"].items()
        }
    return made


@pytest.mark.parametrize("scenario", [pytest.param(one, id=name) for name, one in scenarios()])
def test_a_world_goes_its_way(scenario: dict[str, Any]) -> None:
    refused = scenario.get("refused", {})
    for reverse, last in WAYS:
        record = played({"scheduler": "kube-scheduler", **scenario}, reverse=reverse, last=last)
        found = [seen(state, wanted) for state, wanted in zip(record["settled"], scenario["foretold"], strict=True)]
        assert found == scenario["foretold"]
        said = {name: one.get("message") for name, one in record["verdicts"].items() if not one["accepted"]}
        assert said == refused
