"""Pods against nodes: what is refused, in which words, and that nothing is refused that fits."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from specgen.pipeline import Result
from specgen.rules._world import of_cluster
from specgen.schedulers.fit import fit
from specgen.schedulers.verdict import NEVER
from tests.plan.carrying import compiled
from tests.plan.test_fabrics import merged

FILE: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("placements.yaml").read_text("utf-8"))
Size = tuple[int, int]


def build(pools: dict[str, Any], job: dict[str, Any]) -> Result:
    whole = {name: merged(FILE["pool"], words or {}) for name, words in pools.items()}
    cluster = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "lab"}, "pools": whole}
    return compiled({"cluster": "c.yaml", **job}, {"jobs/c.yaml": yaml.safe_dump(cluster, sort_keys=False).encode()})


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["about"])
def test_what_fits_is_built_and_what_cannot_is_refused(case: dict[str, Any]) -> None:
    result = build(case.get("pools", {"a": {}}), case["job"])
    result.diagnostics = [one for one in result.diagnostics if one["code"] != "SG700"]  # of a second job
    for severity, key in (("error", "finds"), ("warning", "warns")):
        own = [one for one in result.diagnostics if one["severity"] == severity]
        assert [f"{one['code']} {one['path']}: {one['message']}" for one in own] == case.get(key, [])
    if "notes" in case:
        assert result.diagnostics[0]["notes"] == case["notes"]
    # of the manifest that is built nobody knows which words of the cluster decide
    assert all(one["related"] for one in result.diagnostics if one["code"] == "SG601")


def fits(pods: list[Size], nodes: int, room: Size) -> bool:
    """Every way to lay pods on nodes, tried."""
    for laid in product(range(nodes), repeat=len(pods)):
        used = [[0, 0] for _ in range(nodes)]
        for node, pod in zip(laid, pods, strict=True):
            used[node][0] += pod[0]
            used[node][1] += pod[1]
        if all(one[0] <= room[0] and one[1] <= room[1] for one in used):
            return True
    return False


_SIZE = st.tuples(st.integers(1, 8), st.integers(1, 16))


@settings(derandomize=True, max_examples=80, deadline=None)
@given(_SIZE, _SIZE, st.integers(1, 5), st.integers(1, 3))
@pytest.mark.soak
def test_nothing_that_fits_is_refused(master: Size, worker: Size, pods: int, nodes: int) -> None:
    roles = {
        name: {"resources": {"gpu": gpu, "cpu": cpu, "hca": 0}}
        for name, (gpu, cpu) in (("master", master), ("worker", worker))
    }
    job = {"pods": pods, "procsPerPod": 1, "start": "self", "communication": {"rdma": False}, "roles": roles}
    result = build({"a": {"nodes": {"count": nodes, "cpu": 16}}}, job)
    refused = [one for one in result.diagnostics if one["code"] == "SG601"]
    assert [one for one in result.diagnostics if one["severity"] == "error"] == refused
    everyone = [master, *[worker] * (pods - 1)]
    if fits(everyone, nodes, (8, 16)):
        assert refused == []
    if pods == 1:
        assert bool(refused) == (not fits(everyone, nodes, (8, 16)))


@pytest.mark.parametrize("case", FILE["cases"], ids=lambda case: case["about"])
def test_what_is_refused_is_what_fit_says_never_fits(case: dict[str, Any]) -> None:
    result = build(case.get("pools", {"a": {}}), case["job"])
    (compiled,) = result.compiled
    if compiled.bundle is None:
        # hosts, pods without devices and shared memory are judged by the words of the profile
        assert not any("spec." in one for one in case["finds"])
        return
    (answer,) = fit(of_cluster(compiled.job.cluster, namespaces=["default"]), [compiled.bundle.job.tree])
    refused = [one for one in result.diagnostics if one["code"] == "SG601" and one["severity"] == "error"]
    assert (answer.verdict == NEVER) == bool(refused) or "tolerate" in str(case.get("warns"))


def test_what_running_pods_hold_by_claims_is_not_guessed() -> None:
    result = build(
        {"a": {"gpu": {"resource": None, "claim": "all-gpus"}, "hca": None, "fabric": None}},
        {"pods": 4, "start": "self", "resources": {"gpu": 8}},
    )
    (compiled,) = result.compiled
    assert compiled.bundle is not None
    spec = {"nodeName": "a-0", "containers": [], "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}]}
    verdicts = []
    for running in ([], [{"kind": "Pod", "metadata": {"name": "p"}, "spec": spec}]):
        world = of_cluster(compiled.job.cluster, running, ["default"])
        verdicts += [answer.verdict for answer in fit(world, [compiled.bundle.job.tree])]
    assert verdicts == ["fits", "unknown"]
