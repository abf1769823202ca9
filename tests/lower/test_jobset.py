"""JobSets compiled from profiles: one indexed Job, what its pods are told, and what no JobSet can do."""

from __future__ import annotations

from typing import Any

import pytest

from specgen import operators
from specgen.checking import check_manifest
from specgen.manifest.model import Manifest
from tests.lower.lowering import Came, built, found, tree

TARGET = {"target": "JobSet"}
TORCHRUN = {**TARGET, "command": ["train.py"], "start": "torchrun", "resources": {"gpu": 2}}
NUMBER = {"fieldRef": {"fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}


def job_of(words: dict[str, Any], cluster: dict[str, Any] | None = None) -> dict[str, Any]:
    """The Job's spec of the only replicated job."""
    (replicated,) = tree(built({**TARGET, **words}, cluster))["spec"]["replicatedJobs"]
    assert (replicated["name"], replicated["replicas"]) == ("worker", 1)
    spec: dict[str, Any] = replicated["template"]["spec"]
    return spec


def env_of(words: dict[str, Any]) -> dict[str, Any]:
    """Variable → its value, or where it comes from."""
    container = job_of(words)["template"]["spec"]["containers"][0]
    return {one["name"]: one.get("value", one.get("valueFrom")) for one in container.get("env", [])}


@pytest.mark.parametrize("pods", [1, 4])
def test_all_pods_are_of_one_indexed_job(pods: int) -> None:
    job = job_of({"pods": pods})
    assert (job["parallelism"], job["completions"], job["completionMode"]) == (pods, pods, "Indexed")
    assert job["template"]["spec"]["restartPolicy"] == "OnFailure"


def test_one_process_in_each_pod_learns_its_rank() -> None:
    told = {
        "RANK": NUMBER,
        "WORLD_SIZE": "3",
        "MASTER_ADDR": "demo-worker-0-0.demo",
        "MASTER_PORT": "29500",
    }
    assert env_of({"pods": 3, "env": {"A": "b"}}) == {**told, "A": "b"}


@pytest.mark.parametrize(
    ("words", "processes"),
    [({}, "2"), ({"procsPerPod": 1}, "1"), ({"procsPerPod": "auto"}, "auto")],
)
def test_torchrun_learns_nodes_and_address(words: dict[str, Any], processes: str) -> None:
    assert env_of({**TORCHRUN, "pods": 3, **words}) == {
        "PET_NNODES": "3",
        "PET_NPROC_PER_NODE": processes,
        "PET_NODE_RANK": NUMBER,
        "PET_MASTER_ADDR": "demo-worker-0-0.demo",
        "PET_MASTER_PORT": "29500",
    }


def test_accelerate_takes_them_into_its_line() -> None:
    job = job_of({**TORCHRUN, "start": "accelerate", "pods": 2})
    line = job["template"]["spec"]["containers"][0]["command"]
    assert "--machine_rank=$(PET_NODE_RANK)" in line and "--main_process_ip=$(PET_MASTER_ADDR)" in line


@pytest.mark.parametrize(
    ("words", "ports"),
    [
        ({"pods": 2}, [("rendezvous", 29500)]),
        ({"pods": 1}, []),
        ({"pods": 2, "ports": {"own": 29500}}, [("own", 29500)]),
        ({"pods": 2, "ports": {"rendezvous": 1234}}, [("rendezvous", 1234)]),
        ({"pods": 2, "env": {"MASTER_PORT": "1234"}}, []),
    ],
)
def test_the_port_is_said_where_pods_meet_at_it(words: dict[str, Any], ports: list[tuple[str, int]]) -> None:
    container = job_of(words)["template"]["spec"]["containers"][0]
    assert [(one["name"], one["containerPort"]) for one in container.get("ports", [])] == ports


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        ({"pods": 2, "env": {"RANK": "0"}}, ["env.RANK"]),
        ({"pods": 1, "env": {"RANK": "0"}}, []),
        ({"pods": 2, "env": {"RANK": "$(JOB_COMPLETION_INDEX)"}}, []),
        ({"pods": 2, "env": {"RANK": {"field": "metadata.labels['a']"}}}, []),
        ({"pods": 2, "start": "self", "env": {"RANK": "0"}}, []),
    ],
)
def test_one_number_for_all_pods_is_warned_of(words: dict[str, Any], warned: list[str]) -> None:
    found_here = found(built({**TARGET, **words}))
    assert [(code, severity, path) for code, severity, path in found_here] == [
        ("SG207", "warning", path) for path in warned
    ]


def test_what_the_author_says_of_the_meeting_stays() -> None:
    env = env_of({"pods": 2, "env": {"MASTER_PORT": "1234", "WORLD_SIZE": None}})
    assert (env["MASTER_PORT"], "WORLD_SIZE" in env, env["RANK"]) == ("1234", False, NUMBER)


@pytest.mark.parametrize(
    ("words", "ranks", "meeting"),
    [
        ({"pods": 3}, [(0, 0), (1, 1), (2, 2)], "demo-worker-0-0.demo:29500"),
        ({**TORCHRUN, "pods": 2}, [(0, 1), (2, 3)], "demo-worker-0-0.demo:29500"),
        ({**TORCHRUN, "start": "accelerate", "pods": 2}, [(0, 1), (2, 3)], "demo-worker-0-0.demo:29500"),
        (
            {**TORCHRUN, "start": "self", "command": ["torchrun", "train.py"], "pods": 2},
            [(0, 1), (2, 3)],
            "demo-worker-0-0.demo:29500",
        ),
    ],
)
def test_pods_meet_as_planned(words: dict[str, Any], ranks: list[tuple[int, int]], meeting: str) -> None:
    (one,) = built({**TARGET, **words}).compiled
    expansion = Came(one).expansion
    assert [instance.ranks for instance in expansion.instances] == ranks
    assert [instance.rendezvous for instance in expansion.instances] == [meeting] * len(ranks)
    (service,) = expansion.services
    assert service["metadata"]["name"] == meeting.partition(":")[0].partition(".")[2]
    assert {pod["spec"]["subdomain"] for pod in expansion.pods} == {service["metadata"]["name"]}
    assert expansion.pods[0]["spec"]["hostname"] == meeting.partition(".")[0]


@pytest.mark.parametrize(
    ("lifecycle", "spec", "job", "policy"),
    [
        ({}, {}, {}, "OnFailure"),
        ({"ttl": "1h", "suspend": True}, {"ttlSecondsAfterFinished": 3600, "suspend": True}, {}, "OnFailure"),
        ({"backoffLimit": 5, "restart": "Never"}, {}, {"backoffLimit": 5}, "Never"),
        # two pods restart with each incident, and the job fails once there are as many restarts as the limit says
        ({"restarts": 3}, {}, {"backoffLimit": 7}, "OnFailure"),
        ({"restartAll": 3}, {"failurePolicy": {"maxRestarts": 3}}, {"backoffLimit": 0}, "Never"),
        ({"deadline": "2h"}, {}, {"activeDeadlineSeconds": 7200}, "OnFailure"),
        (
            {"deadline": "2h", "restartAll": 1},
            {
                "failurePolicy": {
                    "maxRestarts": 1,
                    "rules": [
                        {"name": "deadline", "action": "FailJobSet", "onJobFailureReasons": ["DeadlineExceeded"]}
                    ],
                }
            },
            {"backoffLimit": 0, "activeDeadlineSeconds": 7200},
            "Never",
        ),
        ({"success": "AllWorkers"}, {"successPolicy": {"operator": "All"}}, {}, "OnFailure"),
    ],
)
def test_lifecycle(lifecycle: dict[str, Any], spec: dict[str, Any], job: dict[str, Any], policy: str) -> None:
    made = tree(built({**TARGET, "pods": 2, "lifecycle": lifecycle}))["spec"]
    assert {key: value for key, value in made.items() if key != "replicatedJobs"} == spec
    own = made["replicatedJobs"][0]["template"]["spec"]
    counted = ("parallelism", "completions", "completionMode", "template")
    assert {key: value for key, value in own.items() if key not in counted} == job
    assert own["template"]["spec"]["restartPolicy"] == policy


def test_another_controller_may_have_it() -> None:
    made = tree(built({**TARGET, "scheduling": {"managedBy": "kueue.x-k8s.io/multikueue"}}))
    assert made["spec"]["managedBy"] == "kueue.x-k8s.io/multikueue"


@pytest.mark.parametrize(
    ("gang", "objects", "labels", "marks"),
    [
        ("volcano", ["PodGroup", "JobSet"], {}, {"annotations": {"scheduling.k8s.io/group-name": "demo"}}),
        ("coscheduling", ["PodGroup", "JobSet"], {}, {"labels": {"scheduling.x-k8s.io/pod-group": "demo"}}),
        ("kueue", ["JobSet"], {"kueue.x-k8s.io/queue-name": "q"}, None),
    ],
)
def test_gangs(gang: str, objects: list[str], labels: dict[str, str], marks: dict[str, Any] | None) -> None:
    scheduling = {"gang": gang, **({"queue": "q"} if gang == "kueue" else {})}
    result = built({**TARGET, "pods": 4, "scheduling": scheduling})
    assert tree(result)["metadata"].get("labels", {}) == labels
    bundle = result.compiled[0].bundle
    assert bundle is not None
    assert [one.ref.kind for one in bundle.manifests] == objects
    template = tree(result)["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    assert template.get("metadata") == marks
    if len(objects) > 1:
        group: Any = bundle.manifests[0].tree
        assert group["spec"]["minMember"] == 4


@pytest.mark.parametrize(
    ("words", "code", "path", "said"),
    [
        ({"roles": {"master": {}}}, "SG208", "roles.master", "a JobSet has no role `master`"),
        ({"roles": {"worker": {"pods": 2}}}, "SG208", "roles.worker.pods", "no count of its own"),
        ({"start": "mpirun"}, "SG208", "start", "`mpirun` cannot start the processes of a JobSet"),
        ({"lifecycle": {"cleanPods": "All"}}, "SG208", "lifecycle.cleanPods", "`cleanPods` is `Running`"),
        ({"lifecycle": {"cleanPods": "None"}}, "SG208", "lifecycle.cleanPods", "`cleanPods` is `Running`"),
        ({"lifecycle": {"restart": "ExitCode"}}, "SG208", "lifecycle.restart", "not `ExitCode`"),
        ({"lifecycle": {"restart": "Always"}}, "SG207", "lifecycle.restart", "would never succeed"),
        ({"pods": 2, "elastic": {"max": 3}}, "SG208", "elastic", "does not change while it runs"),
        ({"metadata": {"name": "a" * 47}}, "SG211", "metadata.name", "longer than 63 characters"),
        ({"metadata": {"name": "9a"}}, "SG211", "metadata.name", "its webhook wants a letter first"),
        ({"metadata": {"generateName": "a-"}}, "SG208", "target", "called after the job"),
        ({"dataset": {"uri": "hf://a/b", "path": "/data"}}, "SG208", "dataset.uri", "only a TrainJob fetches"),
        ({"patch": {"runtime": {"spec": {}}}}, "SG208", "patch.runtime", "only a TrainJob has a runtime"),
    ],
)
def test_what_no_jobset_can_do(words: dict[str, Any], code: str, path: str, said: str) -> None:
    result = built({**TARGET, **words})
    assert (code, "error", path) in found(result), result.diagnostics
    assert any(said in one["message"] for one in result.diagnostics), result.diagnostics


def test_the_longest_name_is_one_that_the_webhook_takes() -> None:
    result = built({**TARGET, "metadata": {"name": "a" * 46}, "pods": 3})
    longest, bundle = tree(result), result.compiled[0].bundle
    assert bundle is not None
    job = bundle.job
    reader = operators.by_object("jobset.x-k8s.io/v1alpha2", "JobSet")
    assert reader is not None
    for name, refused in (("a" * 46, False), ("a" * 47, True)):
        manifest = Manifest({**longest, "metadata": {"name": name}}, job.where)
        assert bool(list(reader.refusals(reader.read(manifest)))) == refused, name
    assert check_manifest(job, reader, None, reader.newest, ()) == []
