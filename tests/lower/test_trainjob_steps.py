"""TrainJobs with pods of several kinds: initialisers, launchers, and the gangs that they are no part of."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.lower.trainjobs import VERSIONS, built, expanded, refused, trees


def test_an_initialiser_fetches_into_the_volume_of_the_nodes() -> None:
    words = {
        "dataset": {"uri": "hf://a/b", "path": "/data/set/raw", "secret": "hf"},
        "mounts": {"/data": {"pvc": "data", "subPath": "mine"}},
        "pull": {"secrets": ["login"]},
    }
    one = built(words)
    assert trees(one)["TrainJob"]["spec"]["initializer"] == {
        "dataset": {"storageUri": "hf://a/b", "secretRef": {"name": "hf"}}
    }
    jobs = trees(one)["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"]
    assert [job["name"] for job in jobs] == ["dataset-initializer", "node"]
    assert jobs[1]["dependsOn"] == [{"name": "dataset-initializer", "status": "Complete"}]
    pod = jobs[0]["template"]["spec"]["template"]["spec"]
    assert pod["imagePullSecrets"] == [{"name": "login"}]
    assert pod["containers"][0]["image"] == "ghcr.io/kubeflow/trainer/dataset-initializer:v2.3.0"
    mount = {"name": "initializer", "mountPath": "/workspace/dataset", "subPath": "mine/set/raw"}
    assert pod["containers"][0]["volumeMounts"] == [mount]
    assert pod["volumes"] == [{"name": "initializer", "persistentVolumeClaim": {"claimName": "data"}}]
    assert "dataset-initializer" in expanded(one).pods[0]["metadata"]["name"]


@pytest.mark.parametrize("version", VERSIONS)
def test_a_claim_for_what_is_fetched_needs_a_version_that_has_them(version: str) -> None:
    words = {"pods": 2, "model": {"uri": "s3://a/b", "path": "/model"}}
    if version < "2.2":
        assert "from 2.2 on" in refused(words, version)
        return
    one = built(words, version)
    jobset = trees(one)["TrainingRuntime"]["spec"]["template"]["spec"]
    assert jobset["volumeClaimPolicies"][0]["templates"][0]["spec"]["accessModes"] == ["ReadWriteMany"]
    mounts = jobset["replicatedJobs"][1]["template"]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"]
    assert mounts == [{"name": "initializer", "mountPath": "/model", "subPath": "model"}]
    expanded(one)


def test_under_restricted_the_user_of_the_nodes_fetches() -> None:
    cluster = {"podSecurity": "restricted"}
    words: dict[str, Any] = {"dataset": {"uri": "hf://a/b", "path": "/d"}, "mounts": {"/d": {"pvc": "d"}}}
    assert refused(words, cluster=cluster).startswith("SG207 | dataset.uri")
    words["security"] = {"user": 1000}
    assert "fsGroup" not in str(trees(built(words, cluster=cluster)))
    # nobody but root could write to a claim that is made for it
    assert "new claim" in refused({**words, "mounts": None}, cluster=cluster)
    one = built({**words, "mounts": None, "security": {"user": 1000, "fsGroup": 1000}}, cluster=cluster)
    for pod in expanded(one).pods:
        context = pod["spec"]["containers"][0]["securityContext"]
        assert context["runAsUser"] == 1000 and context["capabilities"] == {"drop": ["ALL"]}
        assert context["allowPrivilegeEscalation"] is False
        whole = {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}, "fsGroup": 1000}
        assert pod["spec"]["securityContext"] == whole


def test_a_launcher_that_trains_mounts_what_is_fetched() -> None:
    start = {"by": "mpirun", "launcherTrains": True}
    one = built({"pods": 2, "start": start, "model": {"uri": "s3://a/b", "path": "/m"}})
    mounts = [pod["spec"]["containers"][0]["volumeMounts"] for pod in expanded(one).pods[1:]]
    assert len(mounts) == 2
    assert all({"name": "initializer", "mountPath": "/m", "subPath": "model"} in one for one in mounts)


@pytest.mark.parametrize(("start", "names"), [("torchrun", ["node"]), ("mpirun", ["node", "launcher"])])
def test_yunikorn_reads_the_task_groups_in_the_runtime(start: str, names: list[str]) -> None:
    words = {"pods": 2, "resources": {"gpu": 1}, "start": start}
    one = built(words, cluster={"scheduling": {"gang": "yunikorn"}})
    pods = expanded(one).pods
    assert len(pods) == len(names) + 1
    assert all(pod["metadata"]["labels"]["applicationId"] == "demo" for pod in pods)
    annotations = pods[0]["metadata"]["annotations"]
    assert annotations["yunikorn.apache.org/task-group-name"] == "node"
    (group, *_) = json.loads(annotations["yunikorn.apache.org/task-groups"])
    assert group == {"name": "node", "minMember": 2, "minResource": {"nvidia.com/gpu": "1"}}


@pytest.mark.parametrize("version", VERSIONS)
def test_volcano_groups_by_trainer_where_it_knows_volcano(version: str) -> None:
    scheduling = {"scheduling": {"gang": "volcano", "queues": ["research"]}}
    words = {"pods": 2, "resources": {"gpu": 8, "cpu": 4}, "scheduling": {"queue": "research"}}
    one = built(words, version, scheduling)
    found = trees(one)
    spec = found["TrainingRuntime"]["spec"]
    pod = spec["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]
    assert pod["spec"]["schedulerName"] == "volcano"
    if version < "2.1":
        assert "podGroupPolicy" not in spec
        assert found["PodGroup"]["spec"]["minMember"] == 2 and found["PodGroup"]["spec"]["queue"] == "research"
        assert found["PodGroup"]["spec"]["minResources"]["nvidia.com/gpu"] == 16
        assert pod["metadata"]["annotations"] == {"scheduling.k8s.io/group-name": "demo"}
        return
    assert spec["podGroupPolicy"] == {"volcano": {}} and "PodGroup" not in found
    (group,) = [one for one in expanded(one).objects if one["kind"] == "PodGroup"]
    assert group["spec"]["minMember"] == 2 and group["spec"]["queue"] == "research"
    # Trainer adds up requests alone
    assert group["spec"]["minResources"] == {"cpu": "8", "nvidia.com/gpu": "16"}


def test_a_gang_with_pods_that_come_later_has_a_group_of_the_others() -> None:
    cluster = {"scheduling": {"gang": "volcano"}}
    words = {"pods": 2, "dataset": {"uri": "hf://a/b", "path": "/d"}, "mounts": {"/d": {"pvc": "d"}}}
    found = trees(built(words, cluster=cluster))
    assert found["PodGroup"]["spec"]["minMember"] == 2
    assert "podGroupPolicy" not in found["TrainingRuntime"]["spec"]
    found = trees(built({"pods": 3, "start": {"by": "mpirun", "ssh": {"port": 2222}}}, cluster=cluster))
    assert found["PodGroup"]["spec"]["minMember"] == 3
    for job in found["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"]:
        assert job["template"]["spec"]["template"]["spec"]["schedulerName"] == "volcano"


@pytest.mark.parametrize("said", [None, True, False])
def test_kueue_reads_the_queue_on_the_job_and_suspends_it_by_itself(said: bool | None) -> None:
    words = {"scheduling": {"queue": "q"}} | ({} if said is None else {"lifecycle": {"suspend": said}})
    job = trees(built(words, cluster={"scheduling": {"gang": "kueue"}}))["TrainJob"]
    assert job["metadata"]["labels"] == {"kueue.x-k8s.io/queue-name": "q"}
    assert job["spec"].get("suspend") is said


@pytest.mark.parametrize("trains", [False, True])
@pytest.mark.parametrize("version", VERSIONS)
def test_mpirun_runs_in_a_launcher_and_counts_all_nodes(version: str, trains: bool) -> None:
    start = {"by": "mpirun", "launcherTrains": True} if trains else "mpirun"
    one = built({"pods": 3, "resources": {"gpu": 2}, "start": start}, version)
    trainer = trees(one)["TrainJob"]["spec"]["trainer"]
    assert trainer["numNodes"] == 3 and trainer["numProcPerNode"] == 2 and "env" not in trainer
    assert trainer["command"][trainer["command"].index("-np") + 1] == "6"
    runtime = trees(one)["TrainingRuntime"]["spec"]
    assert runtime["mlPolicy"]["mpi"]["runLauncherAsNode"] is trains
    assert runtime["template"]["spec"]["successPolicy"]["targetReplicatedJobs"] == ["launcher"]
    expansion = expanded(one)
    counts = [
        sum(f"demo-{name}-" in pod["metadata"]["name"] for pod in expansion.pods) for name in ("node", "launcher")
    ]
    assert counts == ([2, 1] if trains else [3, 1])
    (hosts,) = [one["data"]["hostfile"] for one in expansion.objects if "hostfile" in (one.get("data") or {})]
    assert sorted(hosts.split("\n")[:-1]) == sorted(
        [f"demo-node-0-{index}.demo slots=2" for index in range(counts[0])]
        + (["demo-launcher-0-0.demo slots=2"] if trains else [])
    )
    with_gpus = [pod for pod in expansion.pods if "nvidia.com/gpu" in str(pod["spec"]["containers"][0])]
    assert len(with_gpus) == 3


def test_keys_of_ssh_have_the_mode_that_ssh_takes() -> None:
    found = trees(built({"start": "mpirun"}))["TrainingRuntime"]["spec"]
    policy = found["mlPolicy"]["mpi"]
    for job in found["template"]["spec"]["replicatedJobs"]:
        pod = job["template"]["spec"]["template"]["spec"]
        (init,) = pod["initContainers"]
        assert "chmod 600 /root/.ssh/*" in init["command"][-1]
        mounts = {mount["mountPath"]: mount["name"] for mount in init["volumeMounts"]}
        assert mounts == {policy["sshAuthMountPath"]: "mpi-ssh-auth", "/root/.ssh": "ssh-keys"}
        assert {"name": "ssh-keys", "mountPath": "/root/.ssh"} in pod["containers"][0]["volumeMounts"]
    ssh = {"keys": "/home/mpiuser/.ssh", "config": "/home/mpiuser/.sshd_config"}
    user = {"start": {"by": "mpirun", "ssh": ssh}, "security": {"user": 1000}}
    assert refused(user).startswith("SG207 | security.user")
    user["security"] = {"user": 1000, "fsGroup": 1000}
    jobs = trees(built(user))["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"]
    assert all("initContainers" not in job["template"]["spec"]["template"]["spec"] for job in jobs)
