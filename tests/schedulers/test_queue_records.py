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
from tests.schedulers.replay import by_chance, played
from tests.schedulers.test_fit_records import configured

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


def ganged(record: dict[str, Any]) -> dict[str, Any]:
    """What of a record of gangs is foretold: how many pods have a node, and how far each PodGroup has come.

    Which nodes they have, and the words, are not.
    """
    settled = []
    for state in record["settled"]:
        jobs = {}
        for name, job in state["jobs"].items():
            words = ("pods", "bound")
            roles = {
                role: {word: one[word] for word in words} for role, one in job.get("roles", {}).items() if one["pods"]
            }
            jobs[name] = {"state": job["state"], "pods": job["pods"], "bound": job["bound"], "roles": roles}
        groups = {}
        for name, one in state.get("podgroups", {}).items():
            spec = one.get("spec", one)
            said = {"phase": one.get("phase"), "least": spec.get("minMember"), "queue": spec.get("queue", "default")}
            groups[name.removesuffix("-<uid>")] = said
        settled.append({"jobs": jobs, "podgroups": groups})
    return {"verdicts": {name: one["accepted"] for name, one in record["verdicts"].items()}, "settled": settled}


SEEN = {"kueue": (180, queued), "volcano": (139, ganged), "coscheduling": (50, ganged)}


@pytest.mark.parametrize("scheduler", list(SEEN))
def test_every_world_is_foretold_or_named(shared: Path, scheduler: str) -> None:
    named = yaml.safe_load(EXCEPTIONS.read_text("utf-8"))
    exceptions, chance = named[scheduler] or {}, named["chance"] if scheduler == "volcano" else {}
    least, seen = SEEN[scheduler]
    wrong, open_ = {}, set()
    paths = sorted((shared / "conformance/schedulers" / scheduler).glob("*.yaml"))
    for path in paths:
        record = json.loads(path.with_suffix(".json").read_text("utf-8"))
        scenario = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
        if scheduler != "kueue":
            scenario["objects"] = [*(scenario.get("objects") or []), *configured(scenario, path.parent)]
        found = nearest(scenario, record, seen)
        if scheduler == "volcano" and by_chance(played(scenario)):
            open_.add(path.stem)
        if found:
            wrong[path.stem] = found
    assert len(paths) >= least
    assert {name: found for name, found in wrong.items() if name not in exceptions} == {}
    # an exception that is none any more goes
    assert sorted(exceptions) == sorted(wrong)
    assert sorted(open_) == sorted(chance)
