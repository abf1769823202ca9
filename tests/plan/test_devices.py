"""What a pod asks for by a resource's own name or a claim is counted as by a word: cases in `devices.yaml`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.lower.lowering import built

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("devices.yaml").read_text("utf-8"))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["about"])
def test_devices_are_counted_however_they_are_asked_for(case: dict[str, Any]) -> None:
    job = {"target": "PyTorchJob", "command": ["train.py"], **case["job"]}
    if "template" in case:
        claims = {"spec": {"devices": {"requests": case["template"]}}}
        metadata = {"name": "gpus"}
        version = case.get("version", "resource.k8s.io/v1")
        job["objects"] = [
            {"apiVersion": version, "kind": "ResourceClaimTemplate", "metadata": metadata, "spec": claims}
        ]
    result = built(job, case.get("cluster"))
    found = [f"{one['code']} {one['message']}" for one in result.diagnostics]
    wanted = case.get("finds", [])
    assert len(found) == len(wanted)
    assert all(text.startswith(begin) for text, begin in zip(found, wanted, strict=True)), found
    (compiled,) = result.compiled
    if compiled.bundle is None:
        assert "says" not in case
        return
    spec = compiled.bundle.job.tree["spec"]
    assert spec.get("nprocPerNode") == case.get("says")
    roles = next(below for key, below in spec.items() if key.endswith("ReplicaSpecs"))
    volumes = roles["Worker"]["template"]["spec"].get("volumes", [])
    assert [one["name"] for one in volumes] == (["shm"] if case.get("shm") else [])


@pytest.mark.parametrize(("gpus", "cores", "few"), [(8, 190, 16), (8, 16, 14), (1, 16, 1), (1, 190, 16), (8, 4, 3)])
def test_a_pod_with_huge_pages_is_told_a_share_that_leaves_room_on_its_node(gpus: int, cores: int, few: int) -> None:
    pool = {"nodes": {"count": 2, "cpu": cores}, "gpu": {"resource": "nvidia.com/gpu", "perNode": 8}}
    job = {"pods": 2, "command": ["train.py"], "start": "torchrun", "resources": {"gpu": gpus, "hugepages": "2Gi"}}
    (found,) = built({"target": "PyTorchJob", **job}, {"pools": {"a": pool}}).diagnostics
    assert (found["code"], found["helps"]) == (
        "SG207",
        [f"add `cpu: {few}`, or what the program needs, to `resources`"],
    )
