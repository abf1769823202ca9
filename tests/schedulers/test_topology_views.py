"""What is kept of a topology between two pod sets changes nothing: domains come out as if all were counted anew."""

from __future__ import annotations

import random
from typing import Any

import pytest

from specgen.operators.queues import PREFERRED, REQUIRED, SLICE, SLICE_SIZE, UNCONSTRAINED
from specgen.quantity import NANO
from specgen.schedulers.kueue.podsets import PodSet
from specgen.schedulers.kueue.topology import Host, Topology
from specgen.schedulers.world import HOSTNAME, Objects, Taint

LEVELS = ["block", "rack", HOSTNAME]


def topology(draw: random.Random, levels: list[str]) -> Topology:
    """Two blocks of two racks of four hosts, some of them with a taint or less of a resource."""
    made = Topology("fabric", levels, [])
    for at in range(16):
        labels = {"block": f"b{at // 8}", "rack": f"r{at // 4}", HOSTNAME: f"h{at}", "half": str(at % 2)}
        offered = {"cpu": draw.choice((8, 96)) * NANO, "gpu": draw.choice((4, 8)) * NANO, "pods": 110 * NANO}
        taints = [Taint("gpu", "", "NoSchedule")] if draw.random() < 0.2 else []
        made.add(Host(f"h{at}", labels, offered, taints, ready=draw.random() < 0.9))
    return made


def pods(draw: random.Random, name: str, count: int) -> PodSet:
    """A pod set with a wish."""
    marks = draw.choice(
        [
            {REQUIRED: "rack"},
            {REQUIRED: "block"},
            {PREFERRED: "rack"},
            {UNCONSTRAINED: "true"},
            {SLICE: "rack", SLICE_SIZE: "2"},
            {REQUIRED: "block", SLICE: "rack", SLICE_SIZE: "2"},
        ]
    )
    resources = {"requests": {"cpu": draw.randint(1, 6), "gpu": draw.choice((1, 2, 4))}}
    spec: dict[str, Any] = {"containers": [{"name": "main", "resources": resources}]}
    if draw.random() < 0.3:
        spec["nodeSelector"] = {"half": "1"}
    if draw.random() < 0.3:
        spec["tolerations"] = [{"operator": "Exists"}]
    return PodSet(name, count, {"metadata": {"annotations": marks}, "spec": spec}, "default", Objects())


@pytest.mark.parametrize("seed", range(30))
def test_what_is_kept_changes_nothing(seed: int) -> None:
    levels = LEVELS if seed % 3 else LEVELS[:2]
    kept, anew = topology(random.Random(seed), levels), topology(random.Random(seed), levels)
    draw = random.Random(-seed)
    shapes = [pods(draw, "worker", draw.randint(1, 4) * 2) for _ in range(4)]
    placed: list[tuple[list[tuple[tuple[str, ...], int]], dict[str, int]]] = []
    found = 0
    for _ in range(40):
        one = draw.choice(shapes)
        leader = pods(draw, "master", 1) if draw.random() < 0.3 and not one.wish.slice else None
        assumed = {}
        if draw.random() < 0.3:
            assumed = {values: {"gpu": 2 * NANO} for values in draw.sample(list(kept.leaves), 2)}
        empty = draw.random() < 0.2
        anew._views.clear()
        told = kept.find(one, one.count, leader, assumed, empty=empty)
        assert told == anew.find(one, one.count, leader, assumed, empty=empty)
        if not told[1] and not empty and draw.random() < 0.7:
            found += 1
            for name, domains in told[0].items():
                asks = one.asks if name == "worker" else leader.asks if leader is not None else {}
                placed.append((domains, asks))
                kept.use(domains, asks)
                anew.use(domains, asks)
        elif placed and draw.random() < 0.5:
            gone = placed.pop(draw.randrange(len(placed)))
            kept.use(*gone, -1)
            anew.use(*gone, -1)
    assert found
