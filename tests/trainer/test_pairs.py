"""`preflight --pairs`: who meets whom, what is made of the numbers, and slow links in namespaces (root only)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.trainer import netlab
from tests.trainer.harness import Job

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")

from trainer.suspects import Seat, facts, judge, rounds, seats, table

NODES = 5


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 8, 13, 16, 100])
def test_each_node_meets_others_in_log2_rounds(count: int) -> None:
    found = rounds(count)
    assert len(found) == (count - 1).bit_length() + (count % 2 if count > 1 else 0)
    met = [pair for one in found for pair in one]
    assert len(met) == len(set(met)) and all(0 <= one < other < count for one, other in met)
    for one in found:
        busy = [node for pair in one for node in pair]
        assert len(busy) == len(set(busy)) == count - count % 2
    times = [sum(node in pair for pair in met) for node in range(count)]
    assert min(times) >= len(found) - count % 2


def said(nodes: int, slow: dict[int, float], **odd: Any) -> tuple[list[Seat], dict[int, dict[str, Any]]]:
    """Two ranks a node; ``slow``: the rate of a node's network; ``odd``: what rank 2 says otherwise."""
    sat = [Seat(f"node-{number}", [2 * number, 2 * number + 1]) for number in range(nodes)]
    got = {}
    for rank in range(2 * nodes):
        mine = rank // 2
        others = [
            one if other == mine else other for pairs in rounds(nodes) for one, other in pairs if mine in (one, other)
        ]
        rates = [[mine, other, min(slow.get(mine, 10.0), slow.get(other, 10.0))] for other in others]
        values = {"pairs": rates, "matmul": 300.0, "copy": 50.0, "facts": {"driver": "570.1", "mlx5_0:1": "ACTIVE"}}
        got[rank] = {**values, **(odd if rank == 2 else {})}
    return sat, got


@pytest.mark.parametrize(
    ("nodes", "slow", "odd", "least", "bad", "words"),
    [
        (NODES, {}, {}, 0, [], ""),
        (NODES, {}, {}, 20, [], ""),
        (NODES, {3: 6.0}, {}, 0, [3], "node-3: network 12 GB/s, 20 is usual"),
        (NODES, {3: 8.0}, {}, 0, [], ""),
        (NODES, {3: 8.0}, {}, 18, [3], "node-3: network 16 GB/s, 18 wanted"),
        (NODES, dict.fromkeys(range(NODES), 1.0), {}, 18, list(range(NODES)), "node-4: network 2 GB/s, 18 wanted"),
        (NODES, {}, {"matmul": 200.0}, 0, [1], "matmul of rank 2 200 TFLOP/s, 300 is usual"),
        (NODES, {}, {"copy": 12.0}, 0, [1], "copy of rank 2 12 GB/s, 50 is usual"),
        (NODES, {}, {"facts": {"driver": "535.9", "mlx5_0:1": "ACTIVE"}}, 0, [1], "driver `535.9`, elsewhere `570.1`"),
        (NODES, {}, {"facts": {"driver": "570.1"}}, 0, [1], "mlx5_0:1 `none`, elsewhere `ACTIVE`"),
        (2, {}, {}, 18, [], ""),
        (2, {1: 5.0}, {}, 18, None, "neither is known to be the slow one"),
        (2, {}, {}, 0, None, "could not judge the network: of two nodes none is the usual one"),
        (1, {}, {}, 0, None, "could not judge the network: there is one node"),
    ],
)
def test_who_is_bad(nodes: int, slow: Any, odd: Any, least: float, bad: list[int] | None, words: str) -> None:
    """``bad``: numbers of nodes; None: it does not pass, and no node is to blame."""
    sat, got = said(nodes, slow, **odd)
    wrong, fault = judge(sat, got, least)
    assert [number for number in wrong if wrong[number]] == (bad or [])
    if bad == []:
        assert fault is None
        return
    assert fault and fault.code == 78 and words in fault.reason
    assert fault.culprits == tuple(rank for number in bad or [] for rank in sat[number].ranks)
    assert all(text in table(sat, got, wrong, "nccl") for texts in wrong.values() for text in texts)


def test_a_way_between_two_good_nodes() -> None:
    sat, got = said(8, {})
    one, other = rounds(8)[0][0]
    for rank in (*sat[one].ranks, *sat[other].ranks):
        for pair in got[rank]["pairs"]:
            pair[2] = 1.0 if set(pair[:2]) == {one, other} else pair[2]
    wrong, fault = judge(sat, got, 18)
    assert not any(wrong.values()) and fault and "the way between" in fault.reason and not fault.culprits


def test_what_ranks_run_on(tmp_path: Path) -> None:
    port = tmp_path / "sys/class/infiniband/mlx5_0/ports/1"
    port.mkdir(parents=True)
    (port / "state").write_text("4: ACTIVE\n")
    (port / "rate").write_text("400 Gb/sec (4X NDR)\n")
    (tmp_path / "sys/class/infiniband/mlx5_0/fw_ver").write_text("28.39.1002\n")
    (tmp_path / "proc/driver/nvidia").mkdir(parents=True)
    version = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug 19 01:15:15 UTC 2023\n"
    (tmp_path / "proc/driver/nvidia/version").write_text(version)
    link = {"mlx5_0:1": "ACTIVE, 400 Gb/sec (4X NDR)", "firmware of mlx5_0": "28.39.1002"}
    assert facts(None, str(tmp_path)) == {"driver": "535.104.05", **link}


def test_ranks_of_a_pod_sit_together() -> None:
    who = {0: {"host": "a", "node": "n"}, 1: {"host": "b", "node": ""}, 2: {"host": "a", "node": "n"}}
    assert seats(who) == [Seat("n (a)", [0, 2]), Seat("b", [1])]


@pytest.fixture
def lab() -> Iterator[netlab.Lab]:
    if lack := netlab.lack():
        pytest.skip(lack)
    net = netlab.Lab(4)
    yield net
    net.close()


def measured(job: Job, net: netlab.Lab, *more: str) -> list[int | None]:
    for rank in range(net.count):
        own = {"MASTER_ADDR": net.address(0), "NODE_NAME": f"node-{rank}"}
        job.start(rank, ["preflight", "--pairs", *more], own, world=net.count, netns=net.name(rank))
    return job.wait(60)


@pytest.mark.soak
@pytest.mark.parametrize("slow", [0, 2, None])
def test_the_node_with_the_slow_link_is_named(job: Job, lab: netlab.Lab, slow: int | None) -> None:
    lab.shape(200)
    if slow is not None:
        lab.shape(100, slow)
    codes = measured(job, lab)
    if slow is None:
        assert codes == [0, 0, 0, 0] and "not judged" not in job.ranks[0].text, job.logs()
        return
    assert codes == [78, 78, 78, 78], job.logs()
    for rank in job.ranks:
        assert f"(permanent): node-{slow} (" in rank.text and "network 0.0" in rank.text, job.logs()
    assert job.ranks[0].text.count("is usual") == 2 + (slow == 0) * 0, job.logs()


@pytest.mark.soak
def test_rates_that_are_wanted(job: Job, lab: netlab.Lab) -> None:
    lab.shape(200)
    assert measured(job, lab, "--min-busbw", "1") == [78] * 4, job.logs()
    assert "node-3" in job.ranks[1].text and "1 wanted" in job.ranks[1].text
