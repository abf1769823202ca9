"""The recordings of Kueue: who begins, in which flavor and domain, who waits with what words, who is evicted.

What is not foretold is named, with its reason; ``fit`` says of such a job that it does not know.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.schedulers.records import compared, nearest

EXCEPTIONS = Path(__file__).with_name("queue_exceptions.yaml")
# Conditions that queues decide; the others follow from pods and operators.
CONDITIONS = ("QuotaReserved", "Admitted", "Evicted", "Preempted", "Requeued")
COUNTS = ("admittedWorkloads", "reservingWorkloads", "pendingWorkloads")
WORDS = ("active", "admission", "conditions", "podSets", "priority", "queue")


def queued(record: dict[str, Any]) -> dict[str, Any]:
    """What of a record is foretold: all of ``compared``, Workloads, and how many each queue has."""
    made = compared(record)
    for state in made["settled"]:
        state.pop("stored_changes", None)
        state["workloads"] = {name: workload(one) for name, one in state.get("workloads", {}).items()}
        queues = state.pop("queues", {}).get("ClusterQueue", {})
        state["queues"] = {name: {word: one.get(word) for word in COUNTS} for name, one in queues.items()}
    return made


def workload(tree: dict[str, Any]) -> dict[str, Any]:
    """A Workload without what follows from its job alone."""
    made = {word: tree[word] for word in WORDS if word in tree}
    listed = [one for one in tree["conditions"] if one["type"] in CONDITIONS]
    made["conditions"] = sorted(listed, key=lambda one: str(one["type"]))
    made["podSets"] = [
        {key: one[key] for key in ("name", "count", "minCount") if key in one} for one in tree["podSets"]
    ]
    return made


@pytest.mark.parametrize("scheduler", ["kueue"])
def test_every_world_is_foretold_or_named(shared: Path, scheduler: str) -> None:
    exceptions = yaml.safe_load(EXCEPTIONS.read_text("utf-8"))[scheduler]
    wrong = {}
    paths = sorted((shared / "conformance/schedulers" / scheduler).glob("*.yaml"))
    for path in paths:
        record = json.loads(path.with_suffix(".json").read_text("utf-8"))
        found = nearest(yaml.load(path.read_text("utf-8"), yaml.CSafeLoader), record, queued)
        if found:
            wrong[path.stem] = found
    assert len(paths) >= 180
    assert {name: found for name, found in wrong.items() if name not in exceptions} == {}
    # an exception that is none any more goes
    assert sorted(exceptions) == sorted(wrong)
