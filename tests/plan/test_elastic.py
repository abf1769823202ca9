"""What an elastic job becomes: the policy, the roles, who starts the processes, and what the operator makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.backends import pytorchjob
from tests.plan.carrying import compiled, trees

CPU = {"type": "Utilization", "averageUtilization": 80}
METRIC = {"type": "Resource", "resource": {"name": "cpu", "target": CPU}}


@pytest.mark.parametrize(
    ("elastic", "policy"),
    [
        ({}, {"rdzvBackend": "c10d", "minReplicas": 2, "maxReplicas": 2}),
        ({"min": 1}, {"rdzvBackend": "c10d", "minReplicas": 1, "maxReplicas": 2}),
        ({"max": 8, "restarts": 0}, {"rdzvBackend": "c10d", "minReplicas": 2, "maxReplicas": 8, "maxRestarts": 0}),
        ({"scaleOn": {"cpu": 80}}, {"rdzvBackend": "c10d", "minReplicas": 2, "maxReplicas": 2, "metrics": [METRIC]}),
        (
            {"rendezvous": {"host": "a-worker-1", "port": 29400}},
            {"rdzvBackend": "c10d", "rdzvHost": "a-worker-1", "rdzvPort": 29400, "minReplicas": 2, "maxReplicas": 2},
        ),
        (
            {"rendezvous": {"backend": "etcd-v2", "host": "etcd", "port": 2379}},
            {"rdzvBackend": "etcd-v2", "rdzvHost": "etcd", "rdzvPort": 2379, "minReplicas": 2, "maxReplicas": 2},
        ),
    ],
)
def test_the_policy(elastic: dict[str, Any], policy: dict[str, Any]) -> None:
    (job,) = trees(compiled({"pods": 2, "elastic": elastic}))
    assert job["spec"]["elasticPolicy"] == policy
    assert list(job["spec"]["elasticPolicy"]) == list(policy)
    roles = job["spec"]["pytorchReplicaSpecs"]
    assert {name: role["replicas"] for name, role in roles.items()} == {"Worker": 2}


@pytest.mark.parametrize(
    ("words", "command", "processes"),
    [
        ({}, ["torchrun", "train"], "1"),
        ({"resources": {"gpu": 4}}, ["torchrun", "train"], "4"),
        ({"resources": {"gpu": 4}, "procsPerPod": 2}, ["torchrun", "train"], "2"),
        ({"start": "none"}, ["train"], None),
        ({"start": "self", "resources": {"gpu": 4}}, ["train"], None),
        (
            {"start": {"by": "torchrun", "path": "/opt/torchrun", "options": ["--tee=3"]}},
            ["/opt/torchrun", "--tee=3", "train"],
            "1",
        ),
    ],
)
def test_who_starts_the_processes(words: dict[str, Any], command: list[str], processes: str | None) -> None:
    (job,) = trees(compiled({"pods": 2, "elastic": {"max": 4}, **words}))
    worker = job["spec"]["pytorchReplicaSpecs"]["Worker"]
    assert worker["template"]["spec"]["containers"][0]["command"] == command
    assert job["spec"].get("nprocPerNode") == processes


def test_the_operator_tells_torchrun_the_range() -> None:
    elastic = {"min": 1, "max": 8, "restarts": 20}
    result = compiled({"pods": 2, "elastic": elastic, "resources": {"gpu": 2}})
    bundle = result.compiled[0].bundle
    assert bundle is not None
    expansion = pytorchjob.expand(pytorchjob.read(bundle.job))
    pods = [pod["spec"]["containers"][0]["env"] for pod in expansion.pods]
    assert len(pods) == 2
    for env in pods:
        told = {entry["name"]: entry.get("value") for entry in env}
        wanted = {
            "PET_NNODES": "1:8",
            "PET_MAX_RESTARTS": "20",
            "PET_RDZV_BACKEND": "c10d",
            "PET_RDZV_ENDPOINT": "a-worker-0:23456",
            "PET_NPROC_PER_NODE": "2",
        }
        assert {name: told.get(name) for name in wanted} == wanted


def test_what_the_job_says_of_its_own_numbers() -> None:
    words = {"pods": 2, "elastic": {"max": 4}, "resources": {"gpu": 4}, "env": {"A": "$<procsPerPod> $<gpu>"}}
    (job,) = trees(compiled(words))
    container = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    assert container["env"] == [{"name": "A", "value": "4 4"}]
