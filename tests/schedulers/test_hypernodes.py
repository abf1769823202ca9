"""Domains of a network before Volcano: read by name and label, asked for where the plugin is configured."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.quantity import NANO
from specgen.schedulers.fit import fit
from specgen.schedulers.verdict import FITS, NEVER, UNKNOWN
from specgen.schedulers.volcano.configuration import KEY, Configuration
from specgen.schedulers.world import Named, Nodes, Objects, World

CHART = """\
actions: "enqueue, allocate, backfill"
tiers:
- plugins:
  - name: priority
  - name: gang
    enablePreemptable: false
  - name: conformance
- plugins:
  - name: overcommit
  - name: drf
  - name: predicates
  - name: proportion
  - name: nodeorder
  - name: binpack
"""
AWARE = CHART + "  - name: network-topology-aware\n"


def config(text: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "volcano"}, "data": {KEY: text}}


def hypernode(name: str, tier: int, *members: dict[str, Any], kind: str = "Node") -> dict[str, Any]:
    spec = {"tier": tier, "members": [{"type": kind, "selector": one} for one in members]}
    return {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": name}, "spec": spec}


def exact(name: str) -> dict[str, Any]:
    return {"exactMatch": {"name": name}}


def gang(pods: int, tier: int, **more: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "a:1", "resources": {"limits": {"cpu": 1, "nvidia.com/gpu": 8}}}
    task = {"name": "worker", "replicas": pods, "template": {"spec": {"containers": [container]}}}
    task["template"]["spec"]["restartPolicy"] = "Never"  # type: ignore[index]
    topology = {"networkTopology": {"mode": "hard", "highestTierAllowed": tier, **more}}
    spec = {"schedulerName": "volcano", "tasks": [task], **topology}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "train"}, "spec": spec}


def world(*objects: dict[str, Any], text: str = AWARE) -> World:
    """Two racks of two nodes."""
    offered = {"cpu": 96 * NANO, "memory": 10**21, "pods": 110 * NANO, "nvidia.com/gpu": 8 * NANO}
    racks = [Nodes(rack, Named([f"{rack}-0", f"{rack}-1"]), offered, labels={"rack": rack}) for rack in ("a", "b")]
    return World(racks, [], Objects([config(text), *objects]))


LEAVES = (
    hypernode("leaf-a", 1, exact("a-0"), exact("a-1")),
    hypernode("leaf-b", 1, {"labelMatch": {"matchLabels": {"rack": "b"}}}),
    hypernode("spine", 2, exact("leaf-a"), exact("leaf-b"), kind="HyperNode"),
)


@pytest.mark.parametrize(("pods", "tier", "verdict"), [(2, 1, FITS), (3, 1, NEVER), (3, 2, FITS), (5, 2, NEVER)])
def test_a_hard_topology_keeps_a_gang_in_a_domain(pods: int, tier: int, verdict: str) -> None:
    assert fit(world(*LEAVES), [gang(pods, tier)])[0].verdict == verdict
    # a soft one goes anywhere, and so does any without the plugin
    easy = FITS if pods < 5 else NEVER
    assert fit(world(*LEAVES), [gang(pods, tier, mode="soft")])[0].verdict == easy
    assert fit(world(*LEAVES, text=CHART), [gang(pods, tier)])[0].verdict == easy


def test_more_domains_never_let_in_less() -> None:
    small = fit(world(*LEAVES), [gang(2, 1), {**gang(2, 1), "metadata": {"name": "other"}}])
    assert small[0].verdict == FITS
    wider = hypernode("all", 1, *(exact(name) for name in ("a-0", "a-1", "b-0", "b-1")))
    assert fit(world(*LEAVES, wider), [gang(3, 1)])[0].verdict == FITS


@pytest.mark.parametrize(
    "member", [{"regexMatch": {"pattern": "a.*"}}, {}, {"exactMatch": None}, {"labelMatch": None}, None]
)
def test_members_that_are_not_read_leave_it_open(member: Any) -> None:
    assert fit(world(*LEAVES, hypernode("odd", 1, member)), [gang(2, 1)])[0].verdict == UNKNOWN


def test_domains_that_hold_each_other_come_to_an_end() -> None:
    circle = [hypernode(one, 1, exact(other), kind="HyperNode") for one, other in (("x", "y"), ("y", "x"))]
    assert fit(world(*circle), [gang(2, 1)])[0].verdict in (NEVER, UNKNOWN)


@pytest.mark.parametrize(
    ("text", "other"),
    [
        (CHART, ""),
        (AWARE, ""),
        (CHART.replace("name: overcommit", "name: overcommit\n    arguments:\n      overcommit-factor: 1.0"), ""),
        (CHART.replace("backfill", "backfill, preempt"), ""),
        (CHART.replace("enqueue, ", ""), ""),
        (CHART.replace("enqueue, allocate", "allocate, enqueue"), "actions: allocate, enqueue, backfill"),
        (CHART.replace("backfill", "gangpreempt"), "actions: enqueue, allocate, gangpreempt"),
        (CHART.replace("proportion", "capacity\n    enableHierarchy: true"), ""),
        (CHART.replace("name: proportion", "name: proportion\n  - name: capacity"), "proportion and capacity"),
        (CHART.replace("  - name: proportion\n", ""), "neither proportion nor capacity"),
        (CHART + "configurations:\n- name: allocate\n  arguments:\n    predicateErrorCacheEnable: false\n", ""),
        (CHART + "configurations:\n- name: enqueue\n  arguments:\n    other: 1\n", "other"),
        (CHART.replace("  - name: gang\n", ""), "no gang"),
        (CHART.replace("name: binpack", "name: binpack\n    arguments:\n      binpack.weight: 10"), ""),
        ("", "no priority"),
    ],
)
def test_what_of_a_configuration_is_followed(text: str, other: str) -> None:
    found = Configuration(Objects([config(text)]))
    assert found.said
    assert found.other == other or (text == "" and found.other)
    assert found.topology == (text == AWARE)
