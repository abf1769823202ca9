"""How HCAs, GPUs and NVLink reach a pod, what a Pod Security level makes of it, where pods fit: built and refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.pipeline import Result
from tests.plan.carrying import compiled

FILE: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("fabrics.yaml").read_text("utf-8"))
BASE: dict[str, Any] = FILE["pool"]
CASES: list[dict[str, Any]] = FILE["cases"]


def merged(base: Any, over: Any) -> Any:
    """Mappings key by key, null takes a key away."""
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    both = {**base, **{key: merged(base.get(key), value) for key, value in over.items()}}
    return {key: value for key, value in both.items() if value is not None}


def build(case: dict[str, Any]) -> Result:
    """The case's job on a cluster whose pools are the base pool with the case's words over it."""
    pools = {name: merged(BASE, words or {}) for name, words in case.get("pools", {"a": {}}).items()}
    cluster = {"apiVersion": "specgen/v1", "kind": "Cluster", "metadata": {"name": "lab"}, "pools": pools}
    text = yaml.safe_dump({**cluster, **case.get("cluster", {})}, sort_keys=False)
    return compiled({"cluster": "c.yaml", **case["job"]}, {"jobs/c.yaml": text.encode()})


def at(tree: Any, path: str) -> Any:
    """What stands at a path such as `spec/containers/0/env`; of a list of named things the one of that name."""
    for step in path.split("/"):
        if isinstance(tree, list):
            named = [one for one in tree if one.get("name") == step]
            tree = named[0] if named else tree[int(step)] if step.isdigit() else None
        else:
            tree = (tree or {}).get(step.replace("|", "/"))
    return tree


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_what_comes_of_it(case: dict[str, Any]) -> None:
    result = build(case)
    found = [f"{one['code']} {one['path']}: {one['message']}" for one in result.diagnostics]
    ignored = tuple(case.get("ignoring", ()))
    assert [line for line in found if not line.startswith(ignored or ("-",))] == case.get("finds", [])
    helps = " ".join(text for one in result.diagnostics for text in one["helps"])
    assert [text for text in case.get("helps", ()) if text not in helps] == []
    if "gives" not in case:
        assert result.failed
        return
    bundle = result.compiled[0].bundle
    assert bundle is not None and not result.failed
    template = bundle.job.tree["spec"]["pytorchReplicaSpecs"][case.get("role", "Master")]["template"]
    assert {path: at(template, path) for path in case["gives"]} == case["gives"]
    beside = [manifest.tree for manifest in bundle.manifests if manifest is not bundle.job]
    assert beside == case.get("beside", [])


def test_every_right_and_every_field_of_a_fabric_knows_where_it_came_from() -> None:
    """The origins of what follows from `hca` stand in the job or in the cluster profile, never nowhere."""
    host = {"rdma": "host", "adds": {"ports": {"extra": 9}, "init": {"one": {"image": "i"}}}}
    job = {"pods": 2, "start": "self", "resources": {"gpu": 8, "hca": 8}}
    result = build({"pools": {"a": {"fabric": host}}, "job": job})
    bundle = result.compiled[0].bundle
    assert bundle is not None
    pod = ("spec", "pytorchReplicaSpecs", "Master", "template", "spec")
    for path in (("hostNetwork",), ("dnsPolicy",), ("containers", 0, "ports", 0), ("initContainers", 0, "name")):
        origins: Any = bundle.job.where
        noted = origins.of((*pod, *path, "name") if path[-1] == 0 else (*pod, *path))
        assert noted is not None and noted[1] is not None and noted[2]
