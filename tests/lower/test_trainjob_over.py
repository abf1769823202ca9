"""TrainJobs over a runtime of the cluster: what each version can carry to it, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from specgen.operators.trainer.facts import OPERATOR
from specgen.pipeline import compile_source
from specgen.profile.library import Library
from specgen.source import Source
from tests.acceptance.trees import Folder
from tests.lower import lowering
from tests.lower.lowering import tree
from tests.lower.trainjobs import (
    MPI,
    MPI_OVER,
    OVER,
    RUNTIME,
    VERSIONS,
    build,
    built,
    expanded,
    refused,
    runtime,
    trees,
)


@pytest.mark.parametrize("version", VERSIONS)
def test_over_a_runtime_of_the_cluster_pods_are_as_planned(version: str) -> None:
    words = {
        "target": OVER,
        "image": None,
        "pods": 2,
        "resources": {"gpu": 2},
        "env": {"A": "1"},
        "mounts": {"/data": {"pvc": "data"}},
        "pod": {"serviceAccountName": "trainer"},
        "scheduling": {"nodeLabels": {"a": "b"}, "tolerations": {"t": {"effect": "NoSchedule"}}},
    }
    one = built(words, version)
    assert list(trees(one)) == ["TrainJob"]
    fields = ("podSpecOverrides", "podTemplateOverrides", "runtimePatches")
    used = [field for field in fields if field in trees(one)["TrainJob"]["spec"]]
    assert used == [{"2.0.1": fields[0], "2.1.0": fields[1]}.get(version, fields[2])]
    expansion = expanded(one, runtime())
    assert [instance.ranks for instance in expansion.instances] == [(0, 1), (2, 3)]
    pod = expansion.pods[0]["spec"]
    assert pod["serviceAccountName"] == "trainer" and pod["nodeSelector"] == {"a": "b"}
    assert pod["tolerations"][0]["key"] == "t"
    assert pod["containers"][0]["image"] == "registry.example.com/torch:1"
    assert [mount["mountPath"] for mount in pod["containers"][0]["volumeMounts"]] == ["/dev/shm", "/data"]


@pytest.mark.parametrize(
    ("words", "since", "field"),
    [
        ({"labels": {"a": "b"}}, "2.1", "a"),
        ({"scheduling": {"hosts": ["n1"]}}, "2.1", "affinity"),
        ({"pull": {"secrets": ["s"]}}, "2.1", "imagePullSecrets"),
        ({"security": {"user": 1000}}, "2.2", "securityContext"),
        ({"lifecycle": {"deadline": "1h"}}, "2.2", "activeDeadlineSeconds"),
        ({"lifecycle": {"grace": "90s"}}, "2.3", "terminationGracePeriodSeconds"),
    ],
)
@pytest.mark.parametrize("version", VERSIONS)
def test_what_the_version_cannot_patch_is_refused_with_the_one_that_can(
    version: str, words: dict[str, Any], since: str, field: str
) -> None:
    if version >= since:
        expanded(built({"target": OVER, **words}, version), runtime())
        return
    text = refused({"target": OVER, **words}, version)
    assert text.startswith("SG208") and f"`{field}`" in text and since in text and version in text


@pytest.mark.parametrize(
    "words",
    [
        {"prepare": "true", "pod": {"hostNetwork": True}},
        {"workdir": "/work"},
        {"pull": {"policy": "Always"}},
        {"ports": {"metrics": 9000}},
        {"envFrom": [{"secret": "s"}]},
        {"init": {"a": {"image": "registry.example.com/a:1"}}},
        {"sidecars": {"a": {"image": "registry.example.com/a:1"}}},
        {"lifecycle": {"ttl": "1h"}},
        {"lifecycle": {"backoffLimit": 1}},
        {"lifecycle": {"restart": "Never"}},
        {"scheduling": {"scheduler": "mine"}},
        {"scheduling": {"priority": "high"}},
        {"patch": {"runtime": {"spec": {"mlPolicy": {"numNodes": 2}}}}},
    ],
)
def test_what_no_patch_reaches_is_refused_with_the_runtimes_name(words: dict[str, Any]) -> None:
    result = build({"target": OVER, **words})
    errors = [one for one in result.diagnostics if one["severity"] == "error"]
    assert errors and all(one["code"] == "SG208" for one in errors)
    assert all("torch-distributed" in one["message"] for one in errors)
    assert all(not one["path"].startswith("target") for one in errors)


def test_the_gang_of_a_cluster_is_the_runtimes_business() -> None:
    cluster = {"scheduling": {"gang": "volcano", "scheduler": "mine"}}
    words = {"target": OVER, "pods": 2}
    assert "SG208" in refused(words, cluster=cluster)
    assert not build({**words, "scheduling": {"gang": False}}, cluster=cluster).diagnostics


def test_a_runtime_must_be_the_clusters_and_in_its_file() -> None:
    assert refused({"target": {**OVER, "runtime": "torch"}}).startswith("SG203 | target.runtime")
    assert not build({"target": {**OVER, "runtime": "other"}}).diagnostics
    operators = {"trainer": {"version": "2.3.0", "runtimes": {"torch-distributed": "absent.yaml"}}}
    assert refused({"target": OVER}, cluster={"operators": operators}).startswith("SG202")
    operators = {"trainer": {"version": "2.3.0", "runtimes": {"x": "runtime.yaml"}}}
    assert "no runtime `x`" in refused({"target": {**OVER, "runtime": "x"}}, cluster={"operators": operators})


@pytest.mark.parametrize("cluster", [None, {"operators": {"trainer": {"version": "2.1.0"}}}])
def test_a_runtime_that_nobody_lists_is_taken_unread(cluster: dict[str, Any] | None) -> None:
    result = lowering.built({"target": OVER, "pods": 2}, cluster)
    (found,) = result.diagnostics
    assert (found["code"], found["severity"], found["path"]) == ("SG203", "warning", "target.runtime")
    version = "2.1.0" if cluster is not None else OPERATOR.newest
    line = f"operators: {{trainer: {{version: {version}, runtimes: {{torch-distributed: torch-distributed.yaml}}}}}}"
    (said,) = found["helps"]
    assert said.startswith("`kubectl get clustertrainingruntime torch-distributed -o yaml > ") and line in said
    bundle = result.compiled[0].bundle
    assert bundle is not None and bundle.job.tree["spec"]["runtimeRef"]["name"] == "torch-distributed"


def test_over_a_runtime_its_command_and_its_processes_stay() -> None:
    one = built({"target": OVER, "image": None, "command": None, "args": ["a=b"]})
    assert trees(one)["TrainJob"]["spec"]["trainer"] == {"numNodes": 1, "args": ["a=b"]}


NODE = {"by": "mpirun", "launcherTrains": True}


@pytest.mark.parametrize("version", VERSIONS)
def test_over_a_runtime_with_a_launcher_all_nodes_get_what_the_job_changes(version: str) -> None:
    words = {
        "target": MPI_OVER,
        "image": None,
        "start": NODE,
        "pods": 3,
        "resources": {"gpu": 2},
        "env": {"A": "1"},
        "mounts": {"/data": {"pvc": "data"}},
    }
    one = built(words, version)
    assert list(trees(one)) == ["TrainJob"]
    trainer = trees(one)["TrainJob"]["spec"]["trainer"]
    assert (trainer["numNodes"], trainer["numProcPerNode"]) == (3, 2)
    command = trainer["command"]
    assert (
        command[0] == "mpirun" and command[command.index("-np") + 1] == "6" and command[-3:] == ["-x", "A", "train.py"]
    )
    pods = expanded(one, runtime(MPI)).pods
    assert [pod["metadata"]["name"][:-9] for pod in pods] == ["demo-node-0-0", "demo-node-0-1", "demo-launcher-0-0"]
    for pod in pods:
        main = pod["spec"]["containers"][0]
        assert main["resources"]["limits"] == {"nvidia.com/gpu": 2} and main["image"] == "registry.example.com/mpi:1"
        assert "/data" in [mount["mountPath"] for mount in main["volumeMounts"]]
    # the nodes keep what the runtime has them run
    assert [pod["spec"]["containers"][0]["command"] for pod in pods] == [["sshd"], ["sshd"], command]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"start": "mpirun"}, "SG207 | start"),
        ({"start": "self"}, "SG207 | target.runtime"),
        ({"start": "none"}, "SG207 | target.runtime"),
        ({}, "SG207 | target.runtime"),
        ({"start": NODE, "image": "registry.example.com/other:1"}, "SG208 | image"),
        ({"start": NODE, "prepare": "true"}, "SG208 | prepare"),
        ({"start": NODE, "roles": {"worker": {"command": ["a"]}}}, "SG208 | roles.worker.command"),
        ({"start": {**NODE, "ssh": {"keys": "/home/other/.ssh"}}}, "SG207 | start.ssh.keys"),
        ({"start": {**NODE, "ssh": {"server": ["A=b"]}}}, "SG208 | start.ssh.server"),
        ({"start": NODE, "target": OVER}, "SG207 | target.runtime"),
    ],
)
def test_what_a_job_says_against_a_runtime_with_a_launcher_is_refused(words: dict[str, Any], said: str) -> None:
    assert refused({"target": MPI_OVER, "image": None, "pods": 2, **words}).startswith(said)


def test_beside_a_launcher_that_only_launches_nodes_have_the_resources_of_their_runtime() -> None:
    text = MPI.replace("runLauncherAsNode: true", "runLauncherAsNode: false")
    words = {"target": MPI_OVER, "image": None, "start": "mpirun", "pods": 2}
    files = {"mpi.yaml": text.encode()}
    assert refused({**words, "resources": {"gpu": 2}}, files=files).startswith("SG208 | resources.gpu")
    (one,) = build(words, files=files).compiled
    assert len(expanded(one, runtime(text)).pods) == 3


def test_data_that_the_runtime_cannot_fetch_or_hold_is_refused() -> None:
    data = {"dataset": {"uri": "hf://a/b", "path": "/data"}}
    assert refused({"target": OVER, **data}).startswith("SG208 | dataset.uri")
    fetching = "        - {name: dataset-initializer, template: {spec: {template: {spec: {containers: []}}}}}\n"
    with_job = MPI.replace("      replicatedJobs:\n", "      replicatedJobs:\n" + fetching)
    words = {"target": MPI_OVER, "image": None, "start": NODE, "pods": 2}
    assert refused({**words, **data}, files={"mpi.yaml": with_job.encode()}).startswith("SG207 | dataset.path")


def test_layers_that_say_nothing_of_pods_are_a_job_over_its_runtime() -> None:
    cluster = b"apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: c}\n"
    cluster += b"operators: {trainer: {version: 2.3.0, runtimes: {a: {}, b: {}}}}\n"
    job = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: j}\n"
    job += "target: {kind: TrainJob, runtime: a}\ncluster: c.yaml\npods: 2\n"
    library = Library(Folder({"c.yaml": cluster}))
    result = compile_source(Source("job.yaml", job), library, settings=["target.runtime=b"])
    assert tree(result)["spec"]["runtimeRef"]["name"] == "b"


@pytest.mark.parametrize("version", VERSIONS)
def test_one_volume_comes_to_several_paths_by_one_patch_after_the_other(version: str) -> None:
    mounts = {f"/{name}": {"pvc": "data", "subPath": name} for name in ("a", "b", "c")}
    words = {"target": OVER, "mounts": {**mounts, "/other": {"pvc": "other"}}}
    one = built(words, version)
    spec = trees(one)["TrainJob"]["spec"]
    field = {"2.0.1": "podSpecOverrides", "2.1.0": "podTemplateOverrides"}.get(version, "runtimePatches")
    assert len(spec[field]) == 3
    if field == "runtimePatches":
        managers = [patch["manager"] for patch in spec[field]]
        assert managers == ["specgen/profile", "specgen/profile-2", "specgen/profile-3"]
    pod = expanded(one, runtime()).pods[0]["spec"]
    assert [volume["name"] for volume in pod["volumes"]] == ["data", "other"]
    found = {
        mount["mountPath"]: (mount["name"], mount.get("subPath")) for mount in pod["containers"][0]["volumeMounts"]
    }
    assert found == {"/a": ("data", "a"), "/b": ("data", "b"), "/c": ("data", "c"), "/other": ("other", None)}


def test_each_patch_of_a_volume_leads_to_the_line_of_its_mount() -> None:
    words = {"target": OVER, "mounts": {"/a": {"pvc": "data", "subPath": "a"}, "/b": {"pvc": "data", "subPath": "b"}}}
    one = built(words)
    assert one.bundle is not None
    origins: Any = one.bundle.job.where
    job = ("trainingRuntimeSpec", "template", "spec", "replicatedJobs", 0)
    pod = ("template", "spec", "template", "spec", "containers", 0, "volumeMounts", 0, "mountPath")
    places = [origins.of(("spec", "runtimePatches", at, *job, *pod))[1].path for at in (0, 1)]
    assert places == [("mounts", "/a"), ("mounts", "/b")]


CLAIMS = RUNTIME.replace(
    'image: "registry.example.com/torch:1"',
    'image: "registry.example.com/torch:1", resources: {claims: [{name: gpus}]}',
)


@pytest.mark.parametrize("version", VERSIONS)
def test_amounts_of_the_job_contradict_a_runtime_with_claims(version: str) -> None:
    files = {"runtime.yaml": CLAIMS.encode()}
    text = refused({"target": OVER, "resources": {"cpu": 4}}, version, files=files)
    assert text.startswith("SG207 | resources.cpu") and "`gpus`" in text
    assert not build({"target": OVER}, version, files=files).diagnostics


@pytest.mark.parametrize("version", VERSIONS)
def test_claims_of_the_job_are_no_patch_of_a_runtime(version: str) -> None:
    text = refused({"target": OVER, "resources": {"claims": {"gpus": {"template": "gpus"}}}}, version)
    assert text.startswith("SG208 | resources.claims.gpus")
    spec = {"containers": [{"name": "node", "resources": {"claims": [{"name": "gpus"}]}}]}
    assert "`claims`" in refused({"target": OVER, "patch": {"pod": {"spec": spec}}}, version)


def test_what_is_no_part_of_a_pods_template_is_not_left_out_in_silence() -> None:
    assert "`containers`" in refused({"target": OVER, "patch": {"pod": {"containers": [{"name": "node"}]}}})


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("target", [OVER, MPI_OVER], ids=("torch", "mpi"))
def test_the_runtimes_own_command_needs_no_more_than_a_number_of_nodes(version: str, target: dict[str, Any]) -> None:
    words = {"target": target, "image": None, "command": None, "start": "runtime", "pods": 2}
    one = built(words, version)
    spec = trees(one)["TrainJob"]["spec"]
    assert spec["trainer"] == {"numNodes": 2} and set(spec) == {"runtimeRef", "trainer"}
    assert len(expanded(one, runtime(MPI if target is MPI_OVER else RUNTIME)).pods) == 2


@pytest.mark.parametrize("version", VERSIONS)
def test_with_the_runtimes_own_command_launcher_and_nodes_get_what_the_job_says_of_all(version: str) -> None:
    words = {
        "target": MPI_OVER,
        "image": None,
        "command": None,
        "start": "runtime",
        "pods": 3,
        "procsPerPod": 2,
        "resources": {"gpu": 2},
        "mounts": {"/a": {"pvc": "data", "subPath": "a"}, "/b": {"pvc": "data", "subPath": "b"}},
    }
    one = built(words, version)
    assert trees(one)["TrainJob"]["spec"]["trainer"]["numProcPerNode"] == 2
    pods = expanded(one, runtime(MPI)).pods
    assert len(pods) == 3
    for pod in pods:
        main = pod["spec"]["containers"][0]
        assert main["resources"] == {"limits": {"nvidia.com/gpu": 2}}
        assert {"/a", "/b", "/dev/shm"} <= {mount["mountPath"] for mount in main["volumeMounts"]}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"target": "TrainJob"}, "SG207 | start | `start: runtime` contradicts a job that names no runtime"),
        ({"target": "PyTorchJob"}, "SG208 | start"),
        ({"command": ["train.py"]}, "SG207 | start | `start: runtime` contradicts `command`"),
        ({"prepare": "true"}, "SG207 | start | `start: runtime` contradicts `prepare`"),
        ({"target": MPI_OVER}, "SG208 | image"),
    ],
)
def test_the_runtimes_own_command_is_refused_where_there_is_none_or_another(words: dict[str, Any], said: str) -> None:
    assert refused({"target": OVER, "command": None, "start": "runtime", "pods": 2, **words}).startswith(said)


def test_beside_a_launcher_that_only_launches_its_nodes_cannot_be_told_more() -> None:
    text = MPI.replace("runLauncherAsNode: true", "runLauncherAsNode: false")
    words = {"target": MPI_OVER, "image": None, "command": None, "start": "runtime", "pods": 2}
    files = {"mpi.yaml": text.encode()}
    assert refused({**words, "resources": {"gpu": 2}}, files=files).startswith("SG208 | resources.gpu")
    assert refused({**words, "env": {"A": "1"}}, files=files).startswith("SG208 | env.A")
    (one,) = build(words, files=files).compiled
    assert len(expanded(one, runtime(text)).pods) == 3
