"""TrainJobs of profiles: what stands in the job and what in its runtime, and the words that no TrainJob can say."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lower.trainjobs import VERSIONS, build, built, expanded, refused, trees

PET = ("PET_NNODES", "PET_NPROC_PER_NODE", "PET_NODE_RANK", "PET_MASTER_ADDR", "PET_MASTER_PORT")


@pytest.mark.parametrize("version", VERSIONS)
def test_program_stands_in_the_job_and_the_rest_in_the_runtime(version: str) -> None:
    words = {
        "pods": 2,
        "resources": {"gpu": 8, "memory": "64Gi"},
        "env": {"A": "1"},
        "mounts": {"/data": {"pvc": "data"}},
        "lifecycle": {"ttl": "1h", "backoffLimit": 3, "suspend": True, "restart": "Never"},
    }
    one = built(words, version)
    assert one.bundle is not None
    assert [manifest.ref.kind for manifest in one.bundle.manifests] == ["TrainingRuntime", "TrainJob"]
    job, beside = trees(one)["TrainJob"]["spec"], trees(one)["TrainingRuntime"]["spec"]
    assert job["trainer"] == {
        "numNodes": 2,
        "numProcPerNode": 8,
        "image": "registry.example.com/train:1",
        "command": ["torchrun", "train.py"],
        "env": [{"name": "A", "value": "1"}],
        "resourcesPerNode": {"limits": {"nvidia.com/gpu": 8, "memory": "64Gi"}},
    }
    assert job["suspend"] is True and job["runtimeRef"]["kind"] == "TrainingRuntime"
    assert beside["mlPolicy"] == {"torch": {}}
    jobset = beside["template"]["spec"]
    assert jobset["ttlSecondsAfterFinished"] == 3600
    inner = jobset["replicatedJobs"][0]["template"]["spec"]
    assert inner["backoffLimit"] == 3
    pod = inner["template"]["spec"]
    assert pod["restartPolicy"] == "Never"
    assert set(pod["containers"][0]) == {"name", "volumeMounts"}
    assert [volume["name"] for volume in pod["volumes"]] == ["shm", "data"]


def test_every_variable_that_torchrun_reads_is_as_planned() -> None:
    one = built({"pods": 3, "resources": {"gpu": 4}})
    expansion = expanded(one)
    assert [instance.ranks for instance in expansion.instances] == [(0, 3), (4, 7), (8, 11)]
    for index, pod in enumerate(expansion.pods):
        main = pod["spec"]["containers"][0]
        env = {entry["name"]: entry.get("value") for entry in main["env"]}
        assert [env[name] for name in PET] == ["3", "4", None, "demo-node-0-0.demo", "29500"], index
        assert main["resources"]["limits"] == {"nvidia.com/gpu": 4}


@pytest.mark.parametrize("version", VERSIONS)
def test_deadline_is_of_the_job_object_where_it_has_one(version: str) -> None:
    one = built({"lifecycle": {"deadline": "2h"}}, version)
    own = trees(one)["TrainJob"]["spec"].get("activeDeadlineSeconds")
    jobs = trees(one)["TrainingRuntime"]["spec"]["template"]["spec"]["replicatedJobs"]
    batch = jobs[0]["template"]["spec"].get("activeDeadlineSeconds")
    assert (own, batch) == ((7200, None) if version >= "2.2" else (None, 7200))


def test_patches_reach_both_objects_before_the_split() -> None:
    patch = {
        "job": {"spec": {"managedBy": "kueue.x-k8s.io/multikueue"}},
        "runtime": {"spec": {"template": {"spec": {"failurePolicy": {"maxRestarts": 2}}}}},
        "pod": {"spec": {"hostname": "a"}},
        "container": {"resources": {"limits": {"example.com/x": 1}}, "tty": True},
    }
    one = built({"patch": patch})
    spec = trees(one)["TrainJob"]["spec"]
    assert spec["managedBy"] == "kueue.x-k8s.io/multikueue"
    assert spec["trainer"]["resourcesPerNode"] == {"limits": {"example.com/x": 1}}
    jobset = trees(one)["TrainingRuntime"]["spec"]["template"]["spec"]
    assert jobset["failurePolicy"] == {"maxRestarts": 2}
    pod = jobset["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
    assert pod["hostname"] == "a" and pod["containers"][0] == {"name": "node", "tty": True}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_patch_of_the_runtime_is_held_against_the_installed_version(version: str) -> None:
    policy = {"envInjection": {"targets": [{"jobName": "node", "containerNames": ["beside"]}]}}
    words = {
        "sidecars": {"beside": {"image": "registry.example.com/beside:1", "command": ["sleep", "9"]}},
        "patch": {"runtime": {"spec": {"mlPolicy": {"torch": policy}}}},
    }
    if version >= "2.3":
        assert not build(words, version).failed
    else:
        assert "`envInjection`, which came with 2.3" in refused(words, version)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"lifecycle": {"cleanPods": "All"}}, "SG208 | lifecycle.cleanPods"),
        ({"lifecycle": {"restart": "ExitCode"}}, "SG208 | lifecycle.restart"),
        ({"roles": {"launcher": {"env": {"A": "1"}}}}, "SG208 | roles.launcher"),
        ({"start": {"by": "torchrun", "wait": False}}, "SG207 | start.wait"),
        ({"start": "self", "command": ["tune", "run"]}, "SG208 | command"),
        ({"start": {"by": "mpirun", "launcherTrains": True}}, "SG208 | start.launcherTrains"),
        ({"start": {"by": "mpirun", "implementation": "Intel"}}, "SG208 | start.implementation"),
        ({"start": "mpirun", "lifecycle": {"success": "AllWorkers"}}, "SG208 | lifecycle.success"),
        ({"elastic": {"min": 1}, "pods": 2}, "SG208 | elastic"),
        ({"env": {"PET_NNODES": "2"}}, "SG212 | env.PET_NNODES"),
        ({"dataset": {"uri": "alpaca", "path": "/workspace/dataset"}}, "SG208 | dataset.uri"),
        ({"dataset": {"uri": "hf://a/b", "path": "/d", "offline": True}}, "SG207 | dataset.uri"),
        ({"dataset": {"uri": "hf://a/b", "path": "/d"}, "mounts": {"/d": {"scratch": "d"}}}, "SG207 | dataset.uri"),
        ({"metadata": {"name": "a" * 49}, "pods": 10}, "SG211 | metadata.name"),
        ({"metadata": {"name": "a" * 45}, "start": "mpirun"}, "SG211 | metadata.name"),
        ({"metadata": {"name": "0a"}}, "SG211 | metadata.name"),
        ({"patch": {"container": {"name": "other"}}}, "SG207 | patch"),
    ],
)
def test_what_no_trainjob_can_say_is_refused_at_its_line(words: dict[str, Any], said: str) -> None:
    assert refused(words).startswith(said)


@pytest.mark.parametrize("pods", [1, 10])
def test_the_longest_names_that_fit_are_built(pods: int) -> None:
    expanded(built({"metadata": {"name": "a" * 48}, "pods": pods}))
    expanded(built({"metadata": {"name": "a" * 44}, "start": "mpirun", "pods": pods}))


def test_clean_pods_may_say_what_a_trainjob_does_or_be_left_to_it() -> None:
    assert not build({"lifecycle": {"cleanPods": "Running"}}).diagnostics
    assert not build({"lifecycle": {"success": "AllWorkers"}}).diagnostics


@pytest.mark.parametrize("version", ["2.4.0", "3.0.0"])
def test_a_version_that_nobody_read_is_said_to_be_unknown(version: str) -> None:
    codes = [one["code"] for one in build({}, version).diagnostics]
    assert codes == ["SG214"]


def test_findings_about_the_pods_point_at_the_object_that_holds_the_value_and_into_the_profile() -> None:
    source = {"valueFrom": {"fieldRef": {"fieldPath": "no.such"}}}
    init = {"a": {"image": "registry.example.com/a:1", "env": {"C": {"field": "no.such"}}}}
    result = build({"patch": {"container": {"env": [{"name": "B", **source}]}}, "init": init})
    told = [(one["code"], (one["subject"] or {})["kind"], one["path"]) for one in result.diagnostics]
    pod = "spec.template.spec.replicatedJobs[0].template.spec.template.spec"
    assert sorted(told) == [
        ("SG315", "TrainJob", "spec.trainer.env[0].valueFrom.fieldRef.fieldPath"),
        ("SG315", "TrainingRuntime", f"{pod}.initContainers[0].env[0].valueFrom.fieldRef.fieldPath"),
    ]
    assert all(one["primary"]["file"] == "job.yaml" for one in result.diagnostics)


@pytest.mark.parametrize("gang", (False, True))
@pytest.mark.parametrize("version", VERSIONS)
def test_claims_and_all_amounts_beside_them_reach_the_container(version: str, gang: bool) -> None:
    resources = {"gpu": 1, "cpu": 4, "claims": {"net": {"template": "net"}}}
    words = {"resources": resources, **({"scheduling": {"gang": "coscheduling"}} if gang else {})}
    one = built(words, version)
    assert "resourcesPerNode" not in trees(one)["TrainJob"]["spec"]["trainer"]
    pod = expanded(one).pods[0]["spec"]
    limits = {"cpu": 4, "nvidia.com/gpu": 1}
    # Trainer adds up the requests of a gang
    asked = {"limits": limits, "claims": [{"name": "net"}], **({"requests": limits} if gang else {})}
    assert pod["containers"][0]["resources"] == asked
    assert pod["resourceClaims"] == [{"name": "net", "resourceClaimTemplateName": "net"}]
