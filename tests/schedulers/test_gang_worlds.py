"""Worlds of gangs that are told of beside the recordings, and what becomes of them, as the replay program prints it.

Each outcome is what the README of the recordings says of a world of that name, or what upstream's source says
(volcano-sh/volcano v1.15, scheduler-plugins v0.34).
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.schedulers.gang_worlds import (
    LEAVES,
    QUEUE,
    batch,
    group,
    hypernode,
    mpi,
    nodes,
    priority,
    pytorch,
    queue,
    resources,
    runtime,
    task,
    trainjob,
    volcano,
)
from tests.schedulers.replay import configured, prediction

PODGROUP = "scheduling.x-k8s.io/v1alpha1"
PLUGINS = "scheduler-plugins-scheduler"
SPREAD = {
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "rack",
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": {"training.kubeflow.org/job-name": "train"}},
        }
    ]
}
BY_HAND = {"schedulerName": "volcano", "metadata": {"annotations": {"scheduling.k8s.io/group-name": "g"}}}
LABELLED = {"schedulerName": PLUGINS, "metadata": {"labels": {"scheduling.x-k8s.io/pod-group": "g"}}}
CLASSES = [priority("high", 1000), priority("low", 10)]
WEIGHTS = [queue("one"), queue("three", weight=3)]
TWO_RACKS = nodes(4, racks=["r1", "r1", "r2", "r2"])
CLOSE = {
    "apiVersion": "bus.volcano.sh/v1alpha1",
    "kind": "Command",
    "metadata": {"name": "close"},
    "action": "CloseQueue",
    "target": {"apiVersion": QUEUE, "kind": "Queue", "name": "q"},
}


def _mine(name: str, pods: int, where: str = "", **more: Any) -> dict[str, Any]:
    policy = {**({"queue": where} if where else {}), **more}
    return pytorch(name, pods, policy=policy)


def _hard(pods: int, **more: Any) -> dict[str, Any]:
    topology = {"mode": "hard", "highestTierAllowed": 1, **more}
    return volcano("train", task("master", 1), task("worker", pods - 1), networkTopology=topology)


def _plain(name: str, pods: int) -> dict[str, Any]:
    return batch(name, pods, spec=LABELLED)


# Name → (nodes, objects, jobs, more of the scenario, what each job is after each step: state, pods with a node, pods).
VOLCANO: dict[str, tuple[Any, list[Any], list[Any], dict[str, Any], list[str]]] = {
    "mpi-launcher-as-worker": (
        nodes(4),
        [],
        [mpi(workers=3, launcher=resources(), runLauncherAsWorker=True)],
        {},
        ["train running 4/4"],
    ),
    "mpi-wait-for-workers": (
        nodes(4),
        [],
        [mpi(launcherCreationPolicy="WaitForWorkersReady")],
        {},
        ["train waiting 0/4"],
    ),
    "mpi-priority-launcher": (
        nodes(4),
        CLASSES,
        [
            pytorch("a", 4),
            *(mpi(name, 3, spec={"priorityClassName": name}) for name in ("low", "high")),
        ],
        {"then": [{"finish": "a"}]},
        ["a running 4/4, low waiting 0/4, high waiting 0/4", "a finished 0/0, low waiting 0/4, high running 4/4"],
    ),
    "overcommit-two-queues-exceeded": (
        nodes(5),
        WEIGHTS,
        [_mine("a", 3, "one"), _mine("b", 4, "three")],
        {},
        ["a running 3/3, b waiting 0/0"],
    ),
    "pt-elastic": (
        nodes(2),
        [],
        [pytorch(elasticPolicy={"minReplicas": 2, "maxReplicas": 4})],
        {},
        ["train waiting 0/0"],
    ),
    "pt-overcommit-by-one": (nodes(5), [], [pytorch(pods=7)], {}, ["train waiting 0/0"]),
    "queue-absent": (
        nodes(4),
        [],
        [_mine("train", 4, "q")],
        {"then": [{"create": queue("q")}]},
        ["train waiting 0/0", "train waiting 0/0"],
    ),
    "queue-closed": (nodes(4), [queue("q"), CLOSE], [_mine("train", 4, "q")], {}, ["train waiting 0/0"]),
    "queue-capability-min-resources-cpu": (
        nodes(4),
        [queue("q", capability={"nvidia.com/gpu": "24"})],
        [_mine("train", 4, "q", minResources={"cpu": "4"})],
        {},
        ["train waiting 0/4"],
    ),
    "queue-mpi-annotation": (
        nodes(4),
        [queue("q", capability={"nvidia.com/gpu": "16"})],
        [mpi(metadata={"annotations": {"scheduling.volcano.sh/queue-name": "q"}})],
        {},
        ["train waiting 0/5"],
    ),
    "trainjob-queue": (
        nodes(4),
        [runtime("volcano", scheduler="volcano"), queue("q", capability={"nvidia.com/gpu": "16"})],
        [trainjob(annotations={"scheduling.volcano.sh/queue-name": "q"})],
        {},
        ["train running 4/4"],
    ),
    "queue-weight-first-takes-all": (
        nodes(4),
        WEIGHTS,
        [_mine("x", 4, "one", minAvailable=1), _mine("y", 4, "three", minAvailable=1)],
        {},
        ["x running 4/4, y waiting 0/0"],
    ),
    "queue-weights-of-three": (
        nodes(4),
        [queue("one"), queue("two"), queue("three", weight=2)],
        [pytorch("a", 4), *(_mine(name, 4, name, minAvailable=1) for name in ("one", "two", "three"))],
        {"then": [{"finish": "a"}]},
        [
            "a running 4/4, one waiting 0/0, two waiting 0/0, three waiting 0/0",
            "a finished 0/0, one partly 1/4, two partly 1/4, three partly 2/4",
        ],
    ),
    "ready-gangs-of-one-queue-take-turns": (
        nodes(4),
        [],
        [pytorch("a", 4), *(pytorch(name, 4, policy={"minAvailable": 1}) for name in ("x", "y"))],
        {"then": [{"finish": "a"}]},
        ["a running 4/4, x waiting 0/0, y waiting 0/0", "a finished 0/0, x partly 2/4, y partly 2/4"],
    ),
    "spread-rack-fits": (TWO_RACKS, [], [pytorch(asks=resources(4), spec=SPREAD)], {}, ["train waiting 0/4"]),
    "stuck-gang-blocks-small": (
        nodes(3),
        [],
        [pytorch("stuck", asks=resources(0, 60)), pytorch("small", 1, asks=resources(0, 60))],
        {},
        ["stuck waiting 0/4, small waiting 0/0"],
    ),
    "topology-hard-fits": (TWO_RACKS, LEAVES, [_hard(2)], {"config": "topology"}, ["train running 2/2"]),
    "topology-no-mode": (
        TWO_RACKS,
        LEAVES,
        [volcano("train", task("worker", 3), networkTopology={"highestTierAllowed": 1})],
        {"config": "topology"},
        ["train waiting 0/3"],
    ),
    "topology-of-a-named-tier": (
        TWO_RACKS,
        [
            {**one, "spec": {**one["spec"], "tierName": "rack"}}
            for one in (hypernode("a", 1, "gpu-0", "gpu-1"), hypernode("b", 1, "gpu-2", "gpu-3"))
        ],
        [volcano("train", task("worker", 3), networkTopology={"highestTierName": "rack"})],
        {"config": "topology"},
        ["train waiting 0/3"],
    ),
    "topology-hard-no-hypernodes": (nodes(4), [], [_hard(2)], {"config": "topology"}, ["train running 2/2"]),
    "trainjob-topology-hard": (
        TWO_RACKS,
        [*LEAVES, runtime("volcano", scheduler="volcano", networkTopology={"mode": "hard", "highestTierAllowed": 1})],
        [trainjob(pods=3)],
        {"config": "topology"},
        ["train waiting 0/3"],
    ),
    "hand-no-group": (nodes(2), [], [batch(pods=3, spec={"schedulerName": "volcano"})], {}, ["demo partly 2/3"]),
    "hand-group": (nodes(4), [group(QUEUE, "g", 4)], [batch(spec=BY_HAND)], {}, ["demo running 4/4"]),
    "best-effort-pods-are-no-gang": (
        nodes(1, allocatable={"pods": "3"}),
        [],
        [volcano("train", task("worker", 4, asks={"requests": {}}))],
        {},
        ["train partly 3/4"],
    ),
    "a-node-that-comes": (
        nodes(3),
        [],
        [pytorch()],
        {"then": [{"nodes": [nodes(1, group="more")]}]},
        ["train waiting 0/0", "train running 4/4"],
    ),
    "a-queue-that-grows": (
        nodes(4),
        [queue("q", capability={"nvidia.com/gpu": "16"})],
        [_mine("train", 4, "q")],
        {"then": [{"patch": {"kind": "Queue", "name": "q", "body": {"spec": {"capability": {"nvidia.com/gpu": 32}}}}}]},
        ["train waiting 0/0", "train running 4/4"],
    ),
}
COSCHEDULING: dict[str, tuple[Any, list[Any], list[Any], dict[str, Any], list[str]]] = {
    "hand-group-absent": (
        nodes(4),
        [],
        [_plain("demo", 4)],
        {"then": [{"create": group(PODGROUP, "g", 4)}]},
        ["demo waiting 0/4", "demo running 4/4"],
    ),
    "hand-group-old-label": (
        nodes(3),
        [group(PODGROUP, "g", 4)],
        [
            batch(
                spec={
                    "schedulerName": PLUGINS,
                    "metadata": {"labels": {"pod-group.scheduling.sigs.k8s.io": "g"}},
                }
            )
        ],
        {},
        ["demo partly 3/4"],
    ),
    "hand-group-two-jobs": (
        nodes(4),
        [group(PODGROUP, "g", 4)],
        [_plain("demo", 2), _plain("other", 2)],
        {},
        ["demo running 2/2, other running 2/2"],
    ),
    "two-gangs-one-fits": (
        nodes(4),
        [],
        [pytorch("a"), pytorch("b")],
        {"then": [{"finish": "a"}]},
        ["a running 4/4, b waiting 0/4", "a finished 0/0, b waiting 0/4"],
    ),
    "freed-gang-wakes-late": (
        nodes(4),
        [],
        [pytorch("a"), pytorch("b")],
        {"then": [{"finish": "a"}, {"wait": 30}, {"wait": 315}]},
        [
            "a running 4/4, b waiting 0/4",
            "a finished 0/0, b waiting 0/4",
            "a finished 0/0, b waiting 0/4",
            "a finished 0/0, b running 4/4",
        ],
    ),
    "unschedulable-node": (
        nodes(4, each=[{"unschedulable": True}]),
        [],
        [pytorch()],
        {"then": [{"node": {"name": "gpu-0", "unschedulable": False}}]},
        ["train waiting 0/4", "train waiting 0/4"],
    ),
    "pt-min-available-above-pods": (nodes(6), [], [pytorch(policy={"minAvailable": 6})], {}, ["train waiting 0/4"]),
    "pt-min-resources-unknown": (
        nodes(4),
        [],
        [pytorch(policy={"minResources": {"example.com/x": "1"}})],
        {},
        ["train waiting 0/4"],
    ),
    "stale-members-after-deletion": (
        nodes(9),
        [group(PODGROUP, "g", 10)],
        [_plain("first", 10)],
        {
            "then": [
                {"delete": {"apiVersion": PODGROUP, "kind": "PodGroup", "name": "g"}},
                {"delete": "first"},
                {"create": group(PODGROUP, "g", 12)},
                {"create": _plain("again", 12)},
            ]
        },
        [
            "first waiting 0/10",
            "first waiting 0/10",
            "first gone 0/0",
            "first gone 0/0",
            "first gone 0/0, again partly 9/12",
        ],
    ),
    "trainjob-limits-only": (
        nodes(4),
        [runtime("coscheduling", scheduler=PLUGINS)],
        [trainjob(pods=5, asks={"limits": {"nvidia.com/gpu": "8"}})],
        {},
        ["train waiting 0/5"],
    ),
}
# Worlds of which some jobs are left open: those, and no others.
OPEN: dict[str, tuple[Any, list[Any], list[Any], dict[str, Any], set[str]]] = {
    "priority-gangpreempt": (
        nodes(4),
        CLASSES,
        [_mine(name, 2, priorityClass=name.partition("-")[0]) for name in ("low-a", "low-b", "high")],
        {"config": "gangpreempt"},
        {"low-a", "low-b", "high"},
    ),
    "queue-deserved-capacity-gang": (
        nodes(4),
        [queue(name, deserved={"nvidia.com/gpu": "16"}) for name in ("a", "b")],
        [_mine("x", 4, "a"), _mine("y", 2, "b")],
        {"config": "capacity"},
        {"x", "y"},
    ),
    "queues-that-are-not-reclaimable-lose-nothing": (
        nodes(4),
        [queue("a", deserved={"nvidia.com/gpu": "16"}, reclaimable=False), queue("b")],
        [_mine("x", 4, "a"), _mine("y", 2, "b")],
        {"config": "capacity"},
        set(),
    ),
    "a-gang-that-has-its-least-preempts-nobody": (
        nodes(3),
        CLASSES,
        [_mine("low", 2, priorityClass="low"), _mine("high", 4, priorityClass="high", minAvailable=1)],
        {"config": "preempt-no-enqueue"},
        set(),
    ),
    "parts-of-a-gang": (
        TWO_RACKS,
        LEAVES,
        [volcano("train", task("worker", 4, partitionPolicy={"totalPartitions": 2, "partitionSize": 2}))],
        {"config": "topology"},
        {"train"},
    ),
    "a-command-for-a-job": (
        nodes(4),
        [],
        [volcano("train"), pytorch("b", 1)],
        {
            "then": [
                {
                    "create": {
                        "apiVersion": "bus.volcano.sh/v1alpha1",
                        "kind": "Command",
                        "metadata": {"name": "c"},
                        "action": "AbortJob",
                        "target": {"kind": "Job", "name": "train"},
                    }
                }
            ]
        },
        {"train"},
    ),
}


def _foretold(scheduler: str, world: tuple[Any, ...], more: dict[str, Any], root: Any) -> dict[str, Any]:
    where, objects, jobs, _, _ = world
    scenario = {"scheduler": scheduler, "nodes": [where], "jobs": jobs, "objects": objects, **more}
    scenario["objects"] = [*objects, *configured(scenario, root)]
    return prediction(scenario)


def _states(found: dict[str, Any]) -> list[str]:
    return [
        ", ".join(f"{name} {one['state']} {one['bound']}/{one['pods']}" for name, one in state["jobs"].items())
        for state in found["settled"]
    ]


@pytest.mark.parametrize("name", list(VOLCANO))
def test_volcano(name: str, shared: Any) -> None:
    world = VOLCANO[name]
    found = _foretold("volcano", world, world[3], shared / "conformance/schedulers/volcano")
    assert _states(found) == world[4]


@pytest.mark.parametrize("name", list(COSCHEDULING))
def test_coscheduling(name: str, shared: Any) -> None:
    world = COSCHEDULING[name]
    found = _foretold("coscheduling", world, world[3], shared / "conformance/schedulers/coscheduling")
    assert _states(found) == world[4]
    assert not any(state.get("chance") for state in found["settled"])


@pytest.mark.parametrize("name", list(OPEN))
def test_what_is_left_to_chance_is_named(name: str, shared: Any) -> None:
    world = OPEN[name]
    found = _foretold("volcano", world, world[3], shared / "conformance/schedulers/volcano")
    whole = [pointer.split("/")[3:] for pointer in found["unstable"]]
    assert {one[1] for one in whole if len(one) == 2 and one[0] == "jobs"} == world[4]


@pytest.mark.parametrize(
    ("job", "objects", "said"),
    [
        (volcano(queue="q"), [], "unable to find job queue"),
        (volcano(queue="q"), [queue("q"), CLOSE], "with state `Open`"),
        (volcano(queue="q"), [queue("q"), queue("below", parent="q")], "1 child queues"),
    ],
    ids=["absent", "closed", "parent"],
)
def test_a_volcano_job_is_refused_for_its_queue(job: Any, objects: list[Any], said: str, shared: Any) -> None:
    found = _foretold("volcano", (nodes(4), objects, [job], {}, []), {}, shared)
    assert found["verdicts"]["train"]["accepted"] is False
    assert said in found["verdicts"]["train"]["message"]
