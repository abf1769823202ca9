"""What rules say of jobs in recorded worlds of the real schedulers: nothing false of those that ran, and what was seen.

A world becomes manifests (its objects and jobs) and a cluster profile (its nodes, and the flags of its operators).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.diagnostics.model import Diagnostic
from specgen.linting import lint_source
from specgen.profile.cluster import ClusterProfile
from specgen.profile.library import check
from specgen.schema.record import record
from specgen.source import Source
from specgen.tables import cluster as table

FOLDER = "conformance/schedulers"
# Program → the flag with which its operators ran.
FLAGS = {"volcano": "volcano", "coscheduling": "scheduler-plugins"}
GANGS = {"training-operator": "1.9.4", "mpi-operator": "0.8.2", "ms-operator": "1.0.0"}

# Worlds to which a node comes later.
LATER = ("kube-scheduler/node-10-comes-later",)
# World → the codes that are found in it, of those that are about schedulers and queues.
SEEN = {
    "kueue/quota-label-on-template": ["SG603"],
    "kueue/tas-pytorch-both-required-apart": ["SG606"],
    "kueue/tas-pytorch-worker-only": ["SG606"],
    "kueue/tas-group-one-member": ["SG606"],
    "kueue/quota-namespace-selector-absent": ["SG614"],
    "kueue/quota-localqueue-hold": ["SG620"],
    "kueue/quota-clusterqueue-hold": ["SG620"],
    "volcano/vc-depends-on": ["SG607"],
    "volcano/trainjob-limits-only": ["SG608"],
    "volcano/priority-pod-only": ["SG609", "SG609"],
    "volcano/trainjob-no-scheduler-name": ["SG610"],
    "volcano/scheduler-name-default": ["SG610"],
    "volcano/vc-scheduler-name-default": ["SG610"],
    "volcano/scheduler-name-mpi": ["SG611"],
    "volcano/queue-pt-annotation": ["SG612"],
    "volcano/pt-min-available-above-pods": ["SG617"],
    "coscheduling/mpi-wait-for-workers": ["SG607"],
    "coscheduling/pt-queue-and-priority-ignored": ["SG609", "SG612"],
    "kube-scheduler/quota-13-gpu-limits-name": ["SG615"],
}


def _pool(group: dict[str, Any]) -> dict[str, Any]:
    """The nodes of a group as a pool; what differs from node to node is left out, but for labels."""
    amounts = group.get("allocatable", {})
    pool: dict[str, Any] = {"nodes": {"count": group.get("count", 1)}}
    if str(amounts.get("cpu", "")).isdigit() and int(amounts["cpu"]):
        pool["nodes"]["cpu"] = int(amounts["cpu"])
    if str(amounts.get("memory", "")).endswith(("Gi", "Mi")):
        pool["nodes"]["memory"] = amounts["memory"]
    # a profile names its GPUs also where a node has none left
    if str(amounts.get("nvidia.com/gpu", "0")) != "0":
        pool["gpu"] = {"resource": "nvidia.com/gpu", "perNode": int(amounts["nvidia.com/gpu"])}
    if str(amounts.get("rdma/hca", "0")) != "0":
        pool["hca"] = {"resource": "rdma/hca", "perNode": int(amounts["rdma/hca"])}
        pool["fabric"] = {"rdma": "device"}
    each = group.get("each") or [{}]
    labels: dict[str, list[str]] = {}
    for node in each:
        for key, value in {**group.get("labels", {}), **node.get("labels", {})}.items():
            labels.setdefault(key, []).append(str(value))
    pool["labels"] = {key: values for key, values in labels.items() if len(values) == len(each)}
    pool["taints"] = group.get("taints", [])
    return pool


def _cluster(world: dict[str, Any]) -> ClusterProfile:
    flag = FLAGS.get(world.get("scheduler", ""))
    gang = {"gang": flag} if flag else {}
    profile = {
        "apiVersion": "specgen/v1",
        "kind": "Cluster",
        "metadata": {"name": "world"},
        "operators": {name: {"version": version, **gang} for name, version in GANGS.items()},
        "pools": {f"p{index}": _pool(group) for index, group in enumerate(world.get("nodes", []))},
    }
    document, findings = check(Source("cluster.yaml", json.dumps(profile)))
    assert document is not None and not findings, [one.message for one in findings]
    made: ClusterProfile = record(document.data, "ClusterProfile", table.RECORDS)
    return made


def _found(world: dict[str, Any]) -> list[Diagnostic]:
    text = "---\n".join(yaml.safe_dump(one) for one in [*world.get("objects", []), *world.get("jobs", [])])
    found = lint_source(Source("world.yaml", text), _cluster(world)).diagnostics
    return [one for one in found if one["code"] == "SG601" or "SG603" <= one["code"] <= "SG649"]


def _worlds(shared: Path) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    for file in sorted((shared / FOLDER).glob("*/*.yaml")):
        seen = file.with_suffix(".json")
        if seen.is_file():
            yield f"{file.parent.name}/{file.stem}", yaml.safe_load(file.read_text()), json.loads(seen.read_text())


def _ran(name: str, seen: dict[str, Any]) -> bool:
    """Whether all pods of a job had a node at the end of some step."""
    states = [step["jobs"][name] for step in seen["settled"] if name in step.get("jobs", {})]
    return any(one.get("state") in ("running", "finished") and one["bound"] >= one["expected"] for one in states)


@pytest.mark.soak
def test_no_error_is_said_of_a_job_that_ran(shared: Path) -> None:
    wrong, worlds, errors = [], 0, 0
    for name, world, seen in _worlds(shared):
        worlds += 1
        for one in _found(world):
            if one["severity"] == "error" and name not in LATER:
                errors += 1
                job = (one["subject"] or {}).get("name", "")
                if _ran(job, seen):
                    wrong.append(f"{name}: {job}: {one['code']} {one['message']}")
    print(f"{worlds} worlds, {errors} errors")
    assert worlds >= 400 and errors >= 30
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("name", SEEN)
def test_what_surprised_is_found(shared: Path, name: str) -> None:
    file = shared / FOLDER / f"{name}.yaml"
    if not file.is_file():
        pytest.skip(f"{name} is kept apart")
    found = _found(yaml.safe_load(file.read_text()))
    assert sorted(one["code"] for one in found if one["code"] != "SG601") == SEEN[name]
