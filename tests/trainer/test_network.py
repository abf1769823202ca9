"""Faults of the network that loopback does not have: delays, cut links, interfaces that lead nowhere. Root only."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator

import pytest

from tests.trainer import netlab
from tests.trainer.harness import Job

pytest.importorskip("torch", reason="torch is not installed: the extra `trainer` has it")
pytestmark = pytest.mark.soak

BASE = ["train", "-a", "mnist", "-b", "4", "--dummy", "--dummy-size", "4096", "--print-freq", "5", "--lr", "0.01"]
LIMITS = ["--step-timeout", "3", "--start-timeout", "10", "--rdzv-timeout", "10"]


@pytest.fixture
def lab() -> Iterator[Callable[..., netlab.Lab]]:
    made: list[netlab.Lab] = []

    def make(count: int, delays: dict[int, float] | None = None) -> netlab.Lab:
        lack = netlab.lack(bool(delays))
        if lack:
            pytest.skip(lack)
        made.append(netlab.Lab(count, delays))
        return made[-1]

    yield make
    for one in made:
        one.close()


def start(job: Job, lab: netlab.Lab, argv: list[str], env: dict[int, dict[str, str]] | None = None) -> None:
    for rank in range(lab.count):
        own = {"MASTER_ADDR": lab.address(0), **(env or {}).get(rank, {})}
        job.start(rank, argv, own, world=lab.count, netns=lab.name(rank))


def codes(job: Job, limit: float = 60.0) -> list[int | None]:
    """Exit codes; all must have left."""
    found = job.wait(limit)
    assert None not in found, job.logs()
    return found


def test_slow_link_is_no_fault(job: Job, lab: Callable[..., netlab.Lab]) -> None:
    """0.1 s each way to one rank of three: every step takes a good part of a second, and nobody is stuck or dead."""
    start(job, lab(3, {2: 0.1}), [*BASE, *LIMITS, "--start-timeout", "60", "--iter", "4", "--print-freq", "1"])
    assert codes(job) == [0, 0, 0], job.logs()
    took = re.search(r"4 MiB summed in ([0-9.]+) ms", job.ranks[0].text)
    assert took and float(took[1]) > 200, job.logs()


def test_cut_link(job: Job, lab: Callable[..., netlab.Lab]) -> None:
    net = lab(3)
    start(job, net, [*BASE, *LIMITS, "--iter", "100000"])
    job.until("   10 ")
    net.cut(2)
    moment = time.time()
    assert codes(job, 30.0) == [138, 138, 138], job.logs()
    assert "dead: rank 2 (" in job.last(0) and "no heartbeat" in job.last(0) and job.last(0) == job.last(1)
    assert max(rank.ended - moment for rank in job.ranks[:2]) < 3 + 5, job.logs()
    assert "lost rank 0 (" in job.last(2) and "its store has not answered for 8 s" in job.last(2), job.logs()
    assert job.ranks[2].ended - moment < 8 + 5, job.logs()


def test_master_does_not_answer(job: Job, lab: Callable[..., netlab.Lab]) -> None:
    net = lab(2)
    net.cut(0)
    start(job, net, [*BASE, *LIMITS, "--rdzv-timeout", "3", "--iter", "5"])
    assert codes(job, 30.0) == [138, 138], job.logs()
    assert f"does not reach rank 0 after 3 s: `10.77.0.1:{job.port}` does not answer" in job.last(1)
    assert "ranks missing after 3 s: [1] of 2" in job.last(0)
    assert max(rank.ended - job.begin for rank in job.ranks) < 3 + 5, job.logs()


def test_interface_that_leads_nowhere(job: Job, lab: Callable[..., netlab.Lab]) -> None:
    net = lab(3)
    net.island(1, "eth9", "10.1.0.1")
    start(job, net, [*BASE, *LIMITS, "--iter", "5"], {1: {"GLOO_SOCKET_IFNAME": "eth9"}})
    assert codes(job, 60.0) == [138, 138, 138], job.logs()
    for rank in range(3):
        assert "rank 1 (" in job.last(rank) and "through `eth9`, the others through `eth0`" in job.last(rank), (
            job.logs()
        )
    assert max(rank.ended - job.begin for rank in job.ranks) < 10 + 5, job.logs()
