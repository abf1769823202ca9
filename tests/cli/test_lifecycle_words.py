"""What ``expand`` says in words of a job's life; the facts behind them are held in ``tests/operators``."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.cli.lifecycle import lines
from specgen.manifest.model import Manifest
from specgen.operators import by_object
from specgen.operators.expand import expand_manifest
from tests.operators.trainer_recordings import manifest

GPUS = {"limits": {"nvidia.com/gpu": 8}}


def _role(container: str, count: int, policy: str = "", command: str = "train") -> dict[str, Any]:
    one = {"name": container, "image": "registry.example.com/train:1", "command": [command], "resources": GPUS}
    role: dict[str, Any] = {"replicas": count, "template": {"spec": {"containers": [one]}}}
    return role | ({"restartPolicy": policy} if policy else {})


def _job(kind: str, field: str, roles: dict[str, Any], api: str = "kubeflow.org/v1", **spec: Any) -> Manifest:
    return manifest({"apiVersion": api, "kind": kind, "metadata": {"name": "demo"}, "spec": {field: roles, **spec}})


def _lines(job: Manifest, version: str | None = None) -> list[str]:
    backend = by_object(job.ref.api_version, job.ref.kind)
    assert backend is not None
    expansion, findings = expand_manifest(job, backend, version)
    assert expansion is not None, [finding.message for finding in findings]
    # a lost node's is tests/operators/test_lost_node.py
    return [line for line in lines(expansion) if not line.startswith("lost node: ")]


def _pytorch(policy: str, **run_policy: Any) -> Manifest:
    roles = {"Master": _role("pytorch", 1, policy), "Worker": _role("pytorch", 3, policy)}
    return _job("PyTorchJob", "pytorchReplicaSpecs", roles, runPolicy=run_policy)


def test_exit_codes_of_a_pytorchjob() -> None:
    assert _lines(_pytorch("ExitCode", cleanPodPolicy="None", ttlSecondsAfterFinished=60)) == [
        "success: when demo-master-0 ends with exit code 0",
        "failure: Master, Worker (`ExitCode`): a pod that exits with 1 to 127 fails the job, which gets no "
        "completionTime; a pod that exits with 128 to 255 is deleted and created again",
        "end: no pod is deleted (`cleanPodPolicy` is `None`); those that still run keep up to 24 nvidia.com/gpu; "
        "Services stay",
        "limit: `ttlSecondsAfterFinished` 60: the job is deleted 60 s after its end, with all that belongs to it; "
        "never where a permanent exit code failed it, which sets no completionTime",
    ]


def test_a_permanent_exit_code_of_training_operator_1_7() -> None:
    said = _lines(_pytorch("ExitCode"), "1.7.0")[1]
    assert "exits with 1 to 127 leaves the job in Restarting for ever" in said
    assert "exits with 128 to 255 is deleted and created again" in said


@pytest.mark.parametrize(("version", "more"), [("1.9.4", False), ("1.9.0", True), ("1.8.1", True), ("1.7.0", True)])
def test_a_limit_of_older_versions_deletes_all_pods(version: str, more: bool) -> None:
    found = _lines(_pytorch("OnFailure", backoffLimit=3), version)
    assert found[2].endswith("a limit that ends the job deletes all pods nevertheless") is more
    assert found[3] == (
        "limit: `backoffLimit` 3: 3 restarts of containers, init containers too, summed over running pods of Master, "
        "Worker, fail the job; an incident that ends all 4 pods counts 4, so the first one fails the job"
    )


def test_a_backoff_limit_that_counts_nothing() -> None:
    assert _lines(_pytorch("Never", backoffLimit=3))[-1].endswith(
        "it counts nothing: containers of roles with `Never` are not restarted"
    )
    assert _lines(_pytorch("ExitCode", backoffLimit=3))[-1].endswith("but a pod that is created again counts from 0")


def test_always_never_succeeds() -> None:
    assert "it never comes to that, as `Always`" in _lines(_pytorch("Always"))[0]


def test_a_pod_of_an_xgboostjob_is_deleted_and_fails_it() -> None:
    roles = {"Master": _role("xgboost", 1, "OnFailure"), "Worker": _role("xgboost", 2)}
    found = _lines(_job("XGBoostJob", "xgbReplicaSpecs", roles))
    assert found[1].endswith("a pod that fails as a whole, such as one evicted, fails the job and is deleted")
    assert found[2] == "failure: Worker (`Never`): a failed pod fails the job"


def test_an_mpijob_v1_is_stuck_and_its_workers_never_end() -> None:
    worker = _role("mpi", 2)
    del worker["template"]["spec"]["containers"][0]["command"]
    roles = {"Launcher": _role("mpi", 1, "ExitCode"), "Worker": worker}
    found = _lines(_job("MPIJob", "mpiReplicaSpecs", roles))
    assert found[1] == (
        "failure: Launcher (`ExitCode`): a failed pod leaves the job in Restarting for ever: nothing is created again, "
        "and nothing is deleted"
    )
    assert "those that still run keep up to 16 nvidia.com/gpu; pods of Worker never end by themselves" in found[3]


def test_an_mpijob_v2beta1_replaces_the_launcher_alone() -> None:
    roles = {"Launcher": _role("mpi", 1, "Never"), "Worker": _role("mpi", 2)}
    job = _job("MPIJob", "mpiReplicaSpecs", roles, "kubeflow.org/v2beta1", runPolicy={"cleanPodPolicy": "Running"})
    assert _lines(job)[1:4] == [
        "failure: Launcher (`Never`): a failed pod is replaced by another one, at most 6 times (the batch Job's "
        "default `backoffLimit`); then the job fails",
        "failure: Worker (`Never`): a failed pod is never replaced, and the job goes on without it",
        "end: pods of Worker that have not ended are deleted (`cleanPodPolicy` is `Running`); finished ones stay; the "
        "launcher's Job with its pods, the Service, the ConfigMap, and the Secret stay",
    ]


def test_a_retry_of_an_msjob_fails_it() -> None:
    roles = {"Scheduler": _role("mindspore", 1), "Worker": _role("mindspore", 2, "ExitCode")}
    found = _lines(_job("MSJob", "msReplicaSpecs", roles, "mindspore.gitee.com/v1"))
    assert found[2] == (
        "failure: Worker (`ExitCode`): a pod that exits with 130, 137 to 138 or 143, while another of its role runs, "
        "fails the job and is deleted; the only one that runs is deleted and created again; any other failed pod fails "
        "the job"
    )
    alone = _lines(_job("MSJob", "msReplicaSpecs", {"Scheduler": roles["Scheduler"]}, "mindspore.gitee.com/v1"))
    assert alone[0] == "success: never: without Workers an MSJob gets no condition Succeeded"


def test_the_rules_of_a_jobset() -> None:
    rule = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [42]}}
    pod = {"restartPolicy": "Never", "containers": [{"name": "a", "image": "registry.example.com/train:1"}]}
    body = {"parallelism": 2, "completions": 2, "backoffLimit": 1, "template": {"spec": pod}}
    job = {"name": "node", "template": {"spec": {**body, "podFailurePolicy": {"rules": [rule]}}}}
    policy = {"maxRestarts": 4, "rules": [{"action": "FailJobSet", "onJobFailureReasons": ["PodFailurePolicy"]}]}
    tree = {"replicatedJobs": [job], "failurePolicy": policy, "ttlSecondsAfterFinished": 9}
    metadata = {"name": "demo"}
    found = _lines(
        manifest({"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "metadata": metadata, "spec": tree})
    )
    assert found == [
        "success: when the 2 pods of node all end with exit code 0",
        "failure: node (`Never`): a pod that exits with 42 fails the job; any other failed pod is replaced by another "
        "one, at most 1 time (`backoffLimit` of the Job); then all pods of the JobSet are deleted and created again, "
        "at most 4 times (`failurePolicy.maxRestarts`); then the job fails",
        "end: Jobs that have not ended are deleted with their pods; finished Jobs keep their pods, and the Service "
        "stays",
        "limit: `ttlSecondsAfterFinished` 9: the JobSet is deleted 9 s after its end, with its Jobs, pods and Service",
    ]


def test_nothing_is_said_of_a_job_that_does_not_run() -> None:
    assert _lines(_pytorch("OnFailure", suspend=True)) == []
