"""A Volcano Job: its tasks are roles, its plugins tell its pods, its webhook refuses it, as it was recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen import operators
from specgen.cli.lifecycle import lines
from specgen.document.read import read
from specgen.linting import lint_text
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.operators.volcano.facts import flags
from specgen.source import Source

JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: team}
spec:
  minAvailable: 3
  schedulerName: volcano
  tasks:
  - name: master
    replicas: 1
    template: {spec: {restartPolicy: Never, containers: [{name: a, image: b:1, command: [run, $(RANK)]}]}}
  - replicas: 2
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: a
          image: b:1
          resources: {requests: {nvidia.com/gpu: 1}}
"""


def test_tasks_are_roles_and_pods_bear_their_names() -> None:
    document = read(Source("job.yaml", JOB.replace("requests", "limits")))[0][0]
    manifest = Manifest(document.data, document)
    backend = operators.by_object("batch.volcano.sh/v1alpha1", "Job")
    assert backend is not None and operators.by_object("batch/v1", "Job") is None
    workload = backend.read(manifest)
    assert [(role.name, role.replicas) for role in workload.roles] == [("master", 1), ("default1", 2)]
    expansion, findings = expand_manifest(manifest, backend)
    assert expansion is not None and findings == []
    assert [pod["metadata"]["name"] for pod in expansion.pods] == [
        "train-master-0",
        "train-default1-0",
        "train-default1-1",
    ]
    assert expansion.notes == []


def test_its_pods_are_checked() -> None:
    # the master, of the same image, may see the GPUs that the others ask for
    codes = [("SG482", 10), ("SG463", 10), ("SG412", 18)]
    assert [(one["code"], one["primary"]["start"]["line"]) for one in lint_text(JOB)] == codes
    text = JOB.replace("  tasks:", "  plugins: {pytorch: []}\n  tasks:")
    assert [one["code"] for one in lint_text(text)] == ["SG477", "SG482", "SG412"], "a plugin may define it"


def test_pods_that_the_api_server_refuses_are_not_there() -> None:
    document = read(Source("job.yaml", JOB))[0][0]
    backend = operators.by_object("batch.volcano.sh/v1alpha1", "Job")
    assert backend is not None
    expansion, _ = expand_manifest(Manifest(document.data, document), backend)
    assert expansion is not None
    assert [pod["metadata"]["name"] for pod in expansion.pods] == ["train-master-0"]
    assert [(one.name, one.by) for one in expansion.refusals] == [("train-default1-0", "the API server")]
    assert "`nvidia.com/gpu` has no limit" in expansion.refusals[0].reason


def expanded(job: dict[str, Any]) -> Expansion:
    document = read(Source("job.yaml", json.dumps(job)))[0][0]
    reader = operators.by_object("batch.volcano.sh/v1alpha1", "Job")
    assert reader is not None
    return reader.expand(reader.read(Manifest(document.data, document)))


def job_of(spec: dict[str, Any], tasks: dict[str, int], **pod: Any) -> dict[str, Any]:
    """A Job with these tasks, all of whose pods are alike."""
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "a", "image": "b:1"}], **pod}}
    listed = [{"name": name, "replicas": count, "template": template} for name, count in tasks.items()]
    head = {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "j", "namespace": "n"}}
    return {**head, "spec": {"tasks": listed, **spec}}


def env_of(pod: dict[str, Any]) -> dict[str, Any]:
    return {one["name"]: one.get("value") for one in pod["spec"]["containers"][0].get("env", [])}


def test_what_was_recorded_of_volcano(shared: Path) -> None:
    """Who is refused, and which PodGroup an accepted Job gets."""
    seen = groups = 0
    for file in sorted((shared / "conformance/schedulers/volcano").glob("*.yaml")):
        world = yaml.safe_load(file.read_text("utf-8"))
        jobs = [one for one in world["jobs"] if one["apiVersion"].startswith("batch.volcano.sh")]
        recorded = json.loads(file.with_suffix(".json").read_text("utf-8")) if jobs else {}
        for job in jobs:
            name = job["metadata"]["name"]
            expansion = expanded(job)
            refused = any(one.kind == "Job" for one in expansion.refusals)
            message = recorded["verdicts"][name].get("message", "")
            if "status is" not in message:  # which queues there are, and open, only the cluster knows
                assert refused is not recorded["verdicts"][name]["accepted"], (file.name, message)
                seen += 1
            group = next((one for one in expansion.others if one["kind"] == "PodGroup"), None)
            for stage in recorded["settled"]:
                wanted = stage.get("podgroups", {}).get(f"{name}-<uid>")
                if wanted is not None and group is not None:
                    assert group["spec"] == wanted["spec"], file.name
                    groups += 1
    assert seen > 20 and groups > 15, (seen, groups)


@pytest.mark.parametrize(
    ("arguments", "found"),
    [
        ([], ("master", 23456, False)),
        (["--master=m", "-port=1"], ("m", 1, False)),
        (["--master", "m", "--port", "7"], ("m", 7, False)),
        (["--wait-master-enabled", "--master=m"], ("m", 23456, True)),
        (["--wait-master-enabled=false"], ("master", 23456, False)),
        # what follows something that it cannot read is not looked at
        (["--unknown=1", "--master=m"], ("master", 23456, False)),
        (["--port=x", "--master=m"], ("master", 23456, False)),
        (["m", "--master=m"], ("master", 23456, False)),
        (["--master"], ("master", 23456, False)),
    ],
)
def test_arguments_of_plugins(arguments: list[str], found: tuple[str, int, bool]) -> None:
    said = flags("pytorch", arguments)
    assert (said["master"], said["port"], said["wait-master-enabled"]) == found


def test_what_pytorch_tells() -> None:
    job = job_of({"plugins": {"pytorch": ["--master=m", "--worker=w", "--port=9"]}}, {"m": 1, "w": 2, "other": 1})
    expansion = expanded(job)
    told = {"MASTER_ADDR": "j-m-0.j", "MASTER_PORT": "9", "WORLD_SIZE": "3"}
    seen = [{key: one for key, one in env_of(pod).items() if not key.startswith("VC_")} for pod in expansion.pods]
    assert seen == [{**told, "RANK": "0"}, {**told, "RANK": "1"}, {**told, "RANK": "2"}, told]
    assert [one.ranks for one in expansion.instances] == [(0, 0), (1, 1), (2, 2), None]
    port = {"name": "pytorchjob-port", "containerPort": 9, "protocol": "TCP"}
    assert expansion.pods[0]["spec"]["containers"][0]["ports"] == [port]
    assert [one["kind"] for one in expansion.others] == ["ConfigMap", "NetworkPolicy", "PodGroup"], "svc comes with it"


def test_what_svc_makes() -> None:
    expansion = expanded(job_of({"plugins": {"svc": ["--disable-network-policy"], "env": []}}, {"a-b": 2, "c": 1}))
    table, group = expansion.others
    assert table["data"] == {
        "a_b.host": "j-a-b-0.j\nj-a-b-1.j",
        "VC_A_B_HOSTS": "j-a-b-0.j,j-a-b-1.j",
        "VC_A_B_NUM": "2",
        "c.host": "j-c-0.j",
        "VC_C_HOSTS": "j-c-0.j",
        "VC_C_NUM": "1",
    }
    assert group["kind"] == "PodGroup" and "publishNotReadyAddresses" not in expansion.services[0]["spec"]
    second = expansion.pods[1]
    names = ["VK_TASK_INDEX", "VC_TASK_INDEX", "VC_A_B_HOSTS", "VC_A_B_NUM", "VC_C_HOSTS", "VC_C_NUM"]
    assert list(env_of(second)) == names and env_of(second)["VC_TASK_INDEX"] == "1"
    spec = second["spec"]
    assert (spec["hostname"], spec["subdomain"], spec["schedulerName"]) == ("j-a-b-1", "j", "volcano")
    assert {"name": "j-svc", "mountPath": "/etc/volcano"} in spec["containers"][0]["volumeMounts"]


def test_what_mpi_and_ssh_add() -> None:
    plugins = {"mpi": ["--master=m", "--worker=w"], "ssh": ["--ssh-key-file-path=/home/a/.ssh"]}
    first, second, _ = expanded(job_of({"plugins": plugins}, {"m": 1, "w": 2})).pods
    assert env_of(first)["MPI_HOST"] == "j-w-0.j,j-w-1.j" and "MPI_HOST" not in env_of(second)
    for pod in (first, second):
        (container,) = pod["spec"]["containers"]
        assert container["ports"] == [{"name": "mpijob-port", "containerPort": 22, "protocol": "TCP"}]
        assert {"name": "j-ssh", "mountPath": "/home/a/.ssh", "subPath": ".ssh"} in container["volumeMounts"]


def test_what_tensorflow_tells() -> None:
    job = job_of({"plugins": {"tensorflow": ["--ps=p"]}}, {"p": 1, "worker": 2})
    said = [json.loads(env_of(pod)["TF_CONFIG"]) for pod in expanded(job).pods]
    cluster = {"ps": ["j-p-0.j:2222"], "worker": ["j-worker-0.j:2222", "j-worker-1.j:2222"]}
    assert [one["cluster"] for one in said] == [cluster] * 3
    assert [one["task"] for one in said] == [
        {"type": "ps", "index": 0},
        {"type": "worker", "index": 0},
        {"type": "worker", "index": 1},
    ]
    alone = expanded(job_of({"plugins": {"tensorflow": []}}, {"worker": 1})).pods[0]
    assert "TF_CONFIG" not in env_of(alone)


def test_what_nobody_read_is_said() -> None:
    assert expanded(job_of({"plugins": {"ray": []}}, {"head": 1})).notes == [
        "what the plugin `ray` adds is not known here"
    ]


_ANEW = "a pod that is deleted, as by an eviction, is deleted and created again"
_FAILED = {"event": "PodFailed", "action": "RestartJob"}


@pytest.mark.parametrize(
    ("spec", "path", "said"),
    [
        ({"minAvailable": 4}, ["minAvailable"], "4 pods are to start together, and the tasks have 3"),
        ({"queue": "root"}, ["queue"], "`root`"),
        ({"plugins": {"horovod": []}}, ["plugins", "horovod"], "no plugin `horovod`"),
        ({"plugins": {"mpi": []}}, ["plugins", "mpi"], "no task `master`"),
        ({"policies": [{"action": "RestartJob"}]}, ["policies", 0], "neither an event nor an exit code"),
        ({"policies": [{**_FAILED, "exitCode": 3}]}, ["policies", 0, "exitCode"], "names both"),
        ({"policies": [{"exitCode": 0, "action": "RestartJob"}]}, ["policies", 0, "exitCode"], "0 is no code"),
        ({"policies": [{**_FAILED, "action": "Restart"}]}, ["policies", 0, "action"], "no action `Restart`"),
        ({"policies": [_FAILED, _FAILED]}, ["policies", 1, "event"], "two policies are for the event"),
        ({"policies": [_FAILED, {**_FAILED, "event": "*"}]}, ["policies"], "for all events"),
        ({"policies": [{**_FAILED, "event": "OutOfSync"}]}, ["policies", 0, "event"], "of the controller itself"),
        ({"volumes": [{"mountPath": "/a"}]}, ["volumes", 0], "neither `volumeClaimName`"),
        (
            {"volumes": [{"mountPath": "/a", "volumeClaimName": "c"}] * 2},
            ["volumes", 1, "mountPath"],
            "two volumes are mounted",
        ),
    ],
)
def test_what_the_webhook_refuses(spec: dict[str, Any], path: list[Any], said: str) -> None:
    job = job_of(spec, {"a": 1, "b": 2})
    (refusal,) = expanded(job).refusals
    assert said in refusal.reason and "webhook" in refusal.by
    found = [one for one in lint_text(json.dumps(job)) if one["severity"] == "error"]
    assert [one["code"] for one in found] == ["SG317"], found
    assert said in found[0]["message"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"minAvailable": 3}, "3 pods are to start together, and `replicas` is 2"),
        ({"name": "a"}, "two tasks are called `a`"),
        ({"name": "A_b"}, "takes a DNS label of at most 63 characters"),
        ({"name": "c" * 62}, "at most 63 are allowed"),
        ({"dependsOn": {"name": ["b"]}}, "the order of tasks has no beginning for `b`"),
        ({"dependsOn": {"name": ["absent"]}}, "there is no task `absent`"),
    ],
)
def test_what_the_webhook_refuses_of_a_task(change: dict[str, Any], said: str) -> None:
    job = job_of({}, {"a": 1, "b": 2})
    job["spec"]["tasks"][1] |= change
    assert said in expanded(job).refusals[0].reason
    assert any(said in one["message"] for one in lint_text(json.dumps(job)) if one["severity"] == "error")


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            {},
            f"a failed pod is never replaced, and the job goes on without it; {_ANEW}",
        ),
        (
            {"policies": [{"events": ["PodFailed", "PodEvicted"], "action": "RestartJob"}], "maxRetry": 5},
            "a pod that fails or is deleted, as by an eviction, has all pods of the job deleted and created again, at "
            "most 4 times (`maxRetry` less one); then the job fails",
        ),
        (
            {"policies": [{"event": "*", "action": "AbortJob"}]},
            "a pod that fails or is deleted, as by an eviction, fails the job",
        ),
        (
            {"policies": [{"exitCode": 3, "action": "RestartJob"}, {"event": "PodFailed", "action": "TerminateJob"}]},
            "a pod that exits with 3 has all pods of the job deleted and created again, at most 2 times (`maxRetry` "
            f"less one); then the job fails; any other failed pod fails the job; {_ANEW}",
        ),
    ],
)
def test_what_policies_make_of_a_failure(spec: dict[str, Any], said: str) -> None:
    assert lines(expanded(job_of(spec, {"a": 2})))[1] == f"failure: a (`Never`): {said}"


def test_a_task_may_complete_the_job() -> None:
    job = job_of({"ttlSecondsAfterFinished": 9, "plugins": {"svc": []}}, {"a": 1, "b": 2})
    job["spec"]["tasks"][0]["policies"] = [{"event": "TaskCompleted", "action": "CompleteJob"}]
    found = lines(expanded(job))
    assert found[0] == "success: when j-a-0 ends with exit code 0"
    assert found[-1] == "limit: `ttlSecondsAfterFinished` 9: the Job is deleted 9 s after its end"
    assert "Service, ConfigMap and NetworkPolicy of `svc` go" in found[-2]


def test_volumes_of_a_job_are_mounted_into_every_container() -> None:
    claim = {"mountPath": "/out", "volumeClaimName": "out"}
    own = {"mountPath": "/scratch", "volumeClaim": {"accessModes": ["ReadWriteMany"]}}
    job = job_of({"volumes": [claim, {**claim, "mountPath": "/again"}, own]}, {"a": 2})
    made = expanded(job)
    assert not made.refusals
    for pod in made.pods:
        volumes, (container,) = pod["spec"]["volumes"], pod["spec"]["containers"]
        # what is claimed twice is mounted once (createJobPod)
        assert [one["mountPath"] for one in container["volumeMounts"]] == ["/out", "/scratch"]
        assert [one["name"] for one in container["volumeMounts"]] == [one["name"] for one in volumes]
        claims = [one["persistentVolumeClaim"]["claimName"] for one in volumes]
        assert claims == ["out", "j-pvc-<random>"]


@pytest.mark.parametrize(("length", "refused"), [(50, False), (51, True)])
def test_the_name_of_a_volume_ends_with_letters_by_chance(length: int, *, refused: bool) -> None:
    job = job_of({"volumes": [{"mountPath": "/out", "volumeClaimName": "out"}]}, {"a": 2})
    job["metadata"]["name"] = "j" * length
    assert bool(expanded(job).refusals) == refused
    errors = [one["message"] for one in lint_text(json.dumps(job)) if one["severity"] == "error"]
    assert bool(errors) == refused and all("the name of a volume" in one for one in errors)


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ([], "when all pods of any one of a, b end"),
        (["a"], "when all pods of any one of a, b end"),
        # a task's own policy comes before that of the Job
        (["b"], "when j-a-0 ends"),
    ],
)
def test_any_task_completes_the_job_by_its_own_policy(own: list[str], said: str) -> None:
    job = job_of({"policies": [{"event": "TaskCompleted", "action": "CompleteJob"}]}, {"a": 1, "b": 2})
    for task in job["spec"]["tasks"]:
        if task["name"] in own:
            action = "CompleteJob" if task["name"] == "a" else "RestartTask"
            task["policies"] = [{"event": "TaskCompleted", "action": action}]
    assert lines(expanded(job))[0] == f"success: {said} with exit code 0"
