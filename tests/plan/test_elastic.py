"""What a job of Workers alone becomes, elastic or not: the policy, the roles, who starts the processes, and how many.

What the operator makes of it is held against what the plan says.
"""

from __future__ import annotations

from typing import Any

import pytest

from specgen.operators.training.pytorchjob import READER as pytorchjob
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


def test_a_job_with_a_range_of_one_number_knows_its_pods() -> None:
    words = {"pods": 3, "elastic": {}, "resources": {"gpu": 4}, "env": {"A": "$<pods> $<processes>"}}
    (job,) = trees(compiled(words))
    container = job["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
    assert container["env"] == [{"name": "A", "value": "3 12"}]


MEETING = ["--rdzv-backend=c10d", "--rdzv-endpoint=a-worker-0:23456"]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ({}, ["torchrun", *MEETING, "train"]),
        ({"procsPerPod": 4}, ["torchrun", *MEETING, "train"]),
        ({"pods": 1}, ["torchrun", "train"]),
        ({"elastic": {}}, ["torchrun", "train"]),
        ({"start": "self"}, ["train"]),
        (
            {"start": {"by": "torchrun", "path": "/opt/torchrun", "options": ["--tee=3"]}},
            ["/opt/torchrun", *MEETING, "--tee=3", "train"],
        ),
        (
            {"start": {"by": "torchrun", "options": ["--rdzv_backend=etcd-v2", "--rdzv_endpoint=etcd:2379"]}},
            ["torchrun", "--rdzv_backend=etcd-v2", "--rdzv_endpoint=etcd:2379", "train"],
        ),
        ({"start": {"by": "torchrun", "options": ["--standalone"]}}, ["torchrun", "--standalone", "train"]),
    ],
)
def test_without_a_master_all_pods_are_workers_that_meet_at_the_first(words: dict[str, Any], line: list[str]) -> None:
    (job,) = trees(compiled({"pods": 3, "roles": {"master": None}, **words}))
    roles = job["spec"]["pytorchReplicaSpecs"]
    assert {name: role["replicas"] for name, role in roles.items()} == {"Worker": words.get("pods", 3)}
    assert roles["Worker"]["template"]["spec"]["containers"][0]["command"] == line


def test_a_master_that_a_base_describes_is_taken_away_with_its_words() -> None:
    base = b"apiVersion: specgen/v1\nkind: Base\nroles: {master: {env: {A: b}}}\n"
    job = {"extends": "base.yaml", "pods": 2, "roles": {"master": None}, "start": "torchrun"}
    (tree,) = trees(compiled(job, {"jobs/base.yaml": base}))
    assert list(tree["spec"]["pytorchReplicaSpecs"]) == ["Worker"]


def test_nobody_tells_workers_without_a_master_and_a_starter_where_to_meet() -> None:
    result = compiled({"pods": 2, "roles": {"master": None}, "start": "none"})
    (found,) = result.diagnostics
    assert (found["code"], found["severity"], found["path"]) == ("SG207", "warning", "roles.master")
    assert not result.failed


@pytest.mark.parametrize(
    ("words", "field", "size"),
    [
        ({"procsPerPod": "auto"}, "auto", None),
        ({"procsPerPod": "auto", "resources": {"gpu": 4}}, "auto", 8),
        ({"procsPerPod": "gpu", "resources": {"gpu": 4}}, "gpu", 8),
        ({"procsPerPod": "gpu", "resources": {"other": {"example.com/card": 4}}}, "gpu", None),
        ({"procsPerPod": "cpu", "resources": {"cpu": 4}}, "cpu", None),
        ({"procsPerPod": "cpu", "resources": {"cpu": 4}, "elastic": {"max": 4}}, "cpu", None),
        ({"procsPerPod": "cpu", "start": "self"}, None, None),
        ({"procsPerPod": 4}, "4", 8),
        ({"procsPerPod": 1, "start": "torchrun"}, "1", 2),
    ],
)
def test_processes_by_number_and_by_word(words: dict[str, Any], field: str | None, size: int | None) -> None:
    result = compiled({"pods": 2, **words})
    (job,) = trees(result)
    assert job["spec"].get("nprocPerNode") == field
    plan = result.compiled[0].plan
    assert plan is not None
    assert (plan.world.size if plan.world.counted else None) == size
    bundle = result.compiled[0].bundle
    assert bundle is not None
    expansion = pytorchjob.expand(pytorchjob.read(bundle.job))
    assert expansion.refusals == []
    ranks = [one.ranks for one in expansion.instances]
    if size is not None and "elastic" not in words:
        assert ranks == [(0, size // 2 - 1), (size // 2, size - 1)]
    elif field is not None:
        assert ranks == [None, None]


@pytest.mark.parametrize("version", ["1.7.0", "1.8.1", "1.9.4"])
@pytest.mark.parametrize("words", [{"elastic": {"max": 4}}, {"roles": {"master": None}}])
def test_torchrun_learns_its_processes_from_every_version(words: dict[str, Any], version: str) -> None:
    """1.7 tells them beside a Master alone (recorded), so there they stand in its line."""
    cluster = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: c}\n"
    cluster += f"operators: {{training-operator: {{version: {version}}}}}\n"
    result = compiled({"pods": 2, "procsPerPod": 4, "cluster": "c.yaml", **words}, {"jobs/c.yaml": cluster.encode()})
    bundle = result.compiled[0].bundle
    assert bundle is not None
    expansion = pytorchjob.expand(pytorchjob.read(bundle.job, version))
    container = expansion.pods[0]["spec"]["containers"][0]
    told = {entry["name"]: entry.get("value") for entry in container["env"]}.get("PET_NPROC_PER_NODE")
    line = next((word.partition("=")[2] for word in container["command"] if "nproc" in word), None)
    assert (told, line) == ((None, "4") if version == "1.7.0" else ("4", None))


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        ({}, True),
        ({"resources": {"gpu": 1}}, True),
        ({"resources": {"cpu": 4}}, False),
        ({"resources": {"cpu": {"limit": 4}}}, False),
        ({"roles": {"worker": {"resources": {"cpu": {"request": 4}}}}}, False),
    ],
)
def test_a_percentage_of_no_request_scales_nothing(words: dict[str, Any], warned: bool) -> None:
    result = compiled({"pods": 2, "elastic": {"max": 4, "scaleOn": {"cpu": 80}}, **words})
    assert not result.failed
    said = [one["message"] for one in result.diagnostics if one["code"] == "SG207"]
    assert said == ["`scaleOn` is a percentage of the CPU that the pods request, and they request none"] * warned


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"start": {"by": "torchrun", "options": ["--rdzv_backend", "static"]}}, "`--rdzv_backend static` contradicts"),
        ({"start": {"by": "torchrun", "options": ["--max-restarts=5"]}}, "`--max-restarts=5` wins over `restarts: 3`"),
        ({"start": "self", "command": ["torchrun", "--max-restarts", "5", "train.py"]}, "`--max-restarts 5` wins over"),
        ({"start": {"by": "torchrun", "options": ["--rdzv-backend=c10d", "--max-restarts", "3"]}}, ""),
        ({"start": "self", "command": ["torchrun", "train.py", "--max-restarts", "5"]}, ""),
    ],
    ids=str,
)
def test_an_option_of_torchrun_that_wins_over_the_policy_is_said(words: dict[str, Any], said: str) -> None:
    result = compiled({"pods": 2, "elastic": {"max": 4, "restarts": 3}, **words})
    warnings = [one for one in result.diagnostics if (one["code"], one["severity"]) == ("SG207", "warning")]
    assert [one["message"].startswith(said) for one in warnings] == [True] * bool(said)
