"""What ``fit`` says of the worlds of queues and gangs against what became of them.

It may not know, but it is never wrong.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.schedulers.fit import fit
from specgen.schedulers.jobs import is_job
from specgen.schedulers.verdict import FITS, UNKNOWN
from specgen.schedulers.world import World
from tests.schedulers import replay
from tests.schedulers.replay import player

# Scheduler → (worlds, jobs at most that fit does not know), and worlds that say nothing of the first moment.
KNOWN = {"kueue": (180, 0), "volcano": (139, 15), "coscheduling": (50, 2)}
EXCEPTIONS = Path(__file__).with_name("queue_exceptions.yaml")


def configured(scenario: dict[str, Any], folder: Path) -> list[dict[str, Any]]:
    """The configuration of Kueue, Volcano or the kube-scheduler, as their charts keep it."""
    if scenario["scheduler"] == "kueue":
        text = yaml.safe_dump(scenario.get("config") or {})
        metadata = {"name": "kueue-manager-config", "namespace": "kueue-system"}
        return [{"kind": "ConfigMap", "metadata": metadata, "data": {"controller_manager_config.yaml": text}}]
    return replay.configured(scenario, folder)


def wrong(scenario: dict[str, Any], record: dict[str, Any], more: list[dict[str, Any]]) -> tuple[list[str], int]:
    """(jobs of which fit says another thing than became of them, how many it does not know)."""
    play = player(scenario)(scenario, reverse=False, last=False)
    world = World(play.groups, [pod.tree for pod in play.simulation.pods], play.simulation.objects)
    world.operators = play.operators
    for tree in more:
        world.objects.add(tree)
    jobs = [tree for tree in scenario.get("jobs") or [] if is_job(tree)]
    answers = fit(world, jobs)
    evicted = {name.partition("/")[2] or name for answer in answers for name in answer.evicts}
    found = []
    for answer in answers:
        became = record["settled"][0]["jobs"].get(answer.name)
        if answer.verdict == UNKNOWN or answer.name in evicted or became is None:
            continue
        runs = became["state"] == "running" and became["bound"] == became["pods"] > 0
        whole = runs and became["pods"] >= became.get("expected", 0)
        if whole if answer.verdict != FITS else not runs:
            found.append(f"{answer.name}: {answer.verdict}: {answer.reason}, but it was {became['state']}")
    return found, sum(answer.verdict == UNKNOWN for answer in answers)


@pytest.mark.parametrize("scheduler", list(KNOWN))
def test_fit_is_never_wrong(shared: Path, scheduler: str) -> None:
    exceptions = yaml.safe_load(EXCEPTIONS.read_text("utf-8"))["fit"][scheduler] or {}
    paths = sorted((shared / "conformance/schedulers" / scheduler).glob("*.yaml"))
    bad, unknown = {}, 0
    for path in paths:
        scenario = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
        record = json.loads(path.with_suffix(".json").read_text("utf-8"))
        found, unsaid = wrong(scenario, record, configured(scenario, path.parent))
        unknown += unsaid
        if found:
            bad[path.stem] = found
    assert {name: found for name, found in bad.items() if name not in exceptions} == {}
    assert sorted(exceptions) == sorted(bad)
    assert (len(paths), unknown <= KNOWN[scheduler][1]) == (KNOWN[scheduler][0], True)


@pytest.mark.parametrize(
    "world",
    [
        "priority-preempt-no-enqueue-elastic",
        "priority-preempt-two-gangs",
        "queue-deserved-capacity",
        "queue-reclaim-no-enqueue-elastic",
        "queue-reclaim-no-enqueue-gang",
    ],
)
def test_who_is_evicted_is_among_those_who_may_be(shared: Path, world: str) -> None:
    path = shared / f"conformance/schedulers/volcano/{world}.yaml"
    scenario = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    record = json.loads(path.with_suffix(".json").read_text("utf-8"))
    play = player(scenario)(scenario, reverse=False, last=False)
    asked = World(play.groups, [], play.simulation.objects)
    asked.operators = play.operators
    for tree in configured(scenario, path.parent):
        asked.objects.add(tree)
    *_, last = fit(asked, [tree for tree in scenario["jobs"] if is_job(tree)])
    jobs = record["settled"][-1]["jobs"]
    lost = {name for name, job in jobs.items() if name != last.name and job["bound"] < job.get("expected", job["pods"])}
    assert last.verdict == UNKNOWN
    assert lost <= set(last.evicts) <= set(jobs) - {last.name}
    assert lost or any(job["state"] == "failed" for job in jobs.values())
