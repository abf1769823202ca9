"""Cluster profiles from objects: what stands in them, that they are profiles, and that jobs build with them."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from specgen.capture import capture
from specgen.capture.like import LIKE, like
from specgen.capture.objects import Objects
from specgen.diagnostics.model import Finding
from specgen.document.printed import Unreadable, read
from specgen.pipeline import compile_source
from specgen.profile.library import Library, check
from specgen.source import Source
from tests.capture.objects import GPU_TAINT, H100, deployment, lab, node, thing
from tests.golden import Golden

HERE = Path(__file__).parent
JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: train}
cluster: cluster.yaml
target: PyTorchJob
image: registry.example.com/train:1
command: [train.py]
start: torchrun
procsPerPod: 2
"""

# Errors of jobs that ask for all that a node offers: what does not fit is the world's own.
OF_THE_WORLD = ("do not fit", "does not fit", "can never hold the job", "no flavor of the queue")


class Files:
    """A cluster profile beside a job."""

    def __init__(self, text: str) -> None:
        self.text = text

    def join(self, name: str, beside: str) -> str:
        return name

    def read(self, name: str) -> tuple[Source | None, list[Finding]]:
        return Source(name, self.text), []

    def content(self, name: str) -> tuple[bytes | None, list[Finding]]:
        return None, []


def found(text: str, job: str) -> list[str]:
    """What is found of a job for a cluster profile, which has to be a profile itself."""
    assert check(Source("cluster.yaml", text))[1] == []
    result = compile_source(Source("job.yaml", job), Library(Files(text)))
    return [f"{one['severity']}: {one['message']}" for one in result.diagnostics]


def tree(*objects: Any) -> Any:
    """The profile of objects as plain data."""
    text, _ = capture(Objects(objects), "lab")
    assert check(Source("cluster.yaml", text))[1] == []
    return yaml.safe_load(text)


def named(scheduling: Any) -> list[str]:
    """The queues of a profile as jobs name them."""
    queues = scheduling.get("queues") or []
    words = queues if isinstance(queues, dict) else {queue: {} for queue in queues}
    return [name for queue, own in words.items() for name in own.get("localQueues") or [queue]]


def jobs(profile: Any) -> Iterator[str]:
    """A job for each pool of a profile that asks for all that a node offers of devices."""
    scheduling = profile.get("scheduling", {})
    queue = f", queue: {named(scheduling)[0]}" if scheduling.get("gang") == "kueue" else ""
    for name, pool in profile["pools"].items():
        devices = [f"{word}: {pool[word]['perNode']}" for word in ("gpu", "npu") if word in pool]
        devices += ["hca: auto"] if "hca" in pool else []
        library = "" if devices else "communication: {library: gloo}\n"
        resources = ", ".join([*devices, "shm: 64Mi"])
        yield f"{JOB}pods: 2\nresources: {{{resources}}}\nscheduling: {{pool: {name}{queue}}}\n{library}"


@pytest.mark.golden("files/*.yaml")
def test_a_cluster_with_about_everything(golden: Golden) -> None:
    objects = lab()
    text, warnings = capture(Objects(objects), "lab")
    assert text == golden(HERE / "files/lab.yaml")
    assert warnings == [
        "the version of ms-operator is not known: the image of ms-operator-system/ms-operator-controller-manager "
        "has no tag that is a version"
    ]
    random.Random(7).shuffle(objects)
    assert capture(Objects(objects), "lab")[0] == text
    for secret in ("tok-secret", "dG9r", "10.0.0.7", "4f1c9d8e", "2026-01-01", "h100-3", "9b2e", "10.1.2"):
        assert secret not in text


def test_jobs_build_with_it() -> None:
    text, _ = capture(Objects(lab()), "lab")
    told = [line for job in jobs(yaml.safe_load(text)) for line in found(text, job)]
    # who captured it is asked how many adapters there are, and until then a pod has one unit
    assert [line for line in told if line.startswith("error")] == []


def worlds(shared: Path) -> list[Path]:
    """Recorded worlds of schedulers with nodes."""
    files = sorted((shared / "conformance/schedulers").glob("*/*.yaml"))
    return [file for file in files if "nodes:\n- group" in file.read_text("utf-8")]


def world(file: Path) -> list[dict[str, Any]]:
    """A world as the objects of its cluster."""
    said = yaml.load(file.read_text("utf-8"), yaml.CSafeLoader)
    objects = list(said.get("objects") or [])
    for group in said["nodes"]:
        for index in range(group["count"]):
            name = f"{group['group']}-{index}"
            own = (group.get("each") or [{}] * group["count"])[index]
            one = node(
                name,
                {**group["allocatable"], **own.get("allocatable", {})},
                labels={**group.get("labels", {}), **own.get("labels", {})},
                taints=own.get("taints", group.get("taints")),
                unschedulable=group.get("unschedulable", False),
            )
            objects.append(one)
    return objects


def held(file: Path) -> None:
    objects = world(file)
    text, _ = capture(Objects(objects), "lab")
    profile = yaml.safe_load(text)
    offered = [one["status"]["allocatable"] for one in objects if one["kind"] == "Node"]
    pools = list(profile["pools"].values())
    assert sum(pool["nodes"]["count"] for pool in pools) == len(offered)
    gpus = sum(pool["nodes"]["count"] * pool.get("gpu", {}).get("perNode", 0) for pool in pools)
    assert gpus == sum(int(one.get("nvidia.com/gpu", 0)) for one in offered)
    local = {one["metadata"]["name"] for one in objects if one["kind"] == "LocalQueue"}
    assert local <= set(named(profile.get("scheduling", {})))
    for job in jobs(profile):
        errors = [line for line in found(text, job) if line.startswith("error")]
        # what does not fit is the world's own: two nodes are not in each of its pools
        assert all(any(one in line for one in OF_THE_WORLD) for line in errors), (file, errors)


def test_recorded_worlds(shared: Path) -> None:
    some = worlds(shared)[::40]
    assert len(some) > 10
    for file in some:
        held(file)


@pytest.mark.fuzz
def test_all_recorded_worlds(shared: Path) -> None:
    for file in worlds(shared):
        held(file)


GPUS = {"cpu": "64", "memory": "512Gi", "nvidia.com/gpu": "8"}
ADAPTERS: dict[str, tuple[dict[str, str], dict[str, Any], dict[str, Any]]] = {
    "EFA": (
        {"vpc.amazonaws.com/efa": "4"},
        {"resource": "vpc.amazonaws.com/efa", "perNode": 4, "link": "efa"},
        {"rdma": "device"},
    ),
    "shared device": (
        {"rdma/hca_shared_devices_a": "63"},
        {"resource": "rdma/hca_shared_devices_a"},
        {"rdma": "shared-device", "memlock": "capability"},
    ),
    "a unit each": (
        {"rdma/ib": "8"},
        {"resource": "rdma/ib", "perNode": 8, "link": "infiniband"},
        {"rdma": "device", "memlock": "capability"},
    ),
    "RoCE": (
        {"nvidia.com/roce_gdr": "2"},
        {"resource": "nvidia.com/roce_gdr", "perNode": 2, "link": "roce"},
        {"rdma": "device", "memlock": "capability"},
    ),
}


@pytest.mark.parametrize("name", ADAPTERS)
def test_adapters(name: str) -> None:
    more, hca, fabric = ADAPTERS[name]
    pool = tree(node("a", {**GPUS, **more}))["pools"]["gpu"]
    assert (pool["hca"], pool["fabric"]) == (hca, fabric)


def network(name: str, space: str = "a") -> dict[str, Any]:
    annotations = {"k8s.v1.cni.cncf.io/resourceName": "nvidia.com/sriov_rdma_vf"}
    return thing("k8s.cni.cncf.io/v1", "NetworkAttachmentDefinition", name, space, annotations=annotations)


def test_a_network_of_one_namespace_is_named_with_it() -> None:
    """Each namespace has a copy of the first; the second is one for all."""
    networks = [network("rail-0", "a"), network("rail-0", "b"), network("rail-1", "network-operator")]
    pool = tree(node("a", {**GPUS, "nvidia.com/sriov_rdma_vf": "2"}), *networks)["pools"]["gpu"]
    assert pool["fabric"]["networks"] == ["network-operator/rail-1", "rail-0"]


@pytest.mark.parametrize(
    ("names", "fabric"),
    [
        (["sriov-net"], {"rdma": "sriov", "networks": "sriov-net"}),
        (["rail-1", "rail-0"], {"rdma": "sriov", "networks": ["rail-0", "rail-1"]}),
        (["a", "b", "c"], {"rdma": "device"}),
        ([], {"rdma": "device"}),
    ],
)
def test_functions_of_secondary_networks(names: list[str], fabric: dict[str, Any]) -> None:
    networks = [network(name, space) for name in names for space in ("a", "b")]
    pool = tree(node("a", {**GPUS, "nvidia.com/sriov_rdma_vf": "2"}), *networks)["pools"]["gpu"]
    assert pool["hca"] == {"resource": "nvidia.com/sriov_rdma_vf", "perNode": 2}
    assert pool["fabric"] == {"memlock": "capability", **fabric}


def test_other_devices() -> None:
    ascend = tree(node("a", {"cpu": "190", "huawei.com/Ascend910": "8"}))["pools"]["npu"]
    assert ascend["npu"] == {"resource": "huawei.com/Ascend910", "perNode": 8, "library": "hccl"}
    mixed = [node("a", {**GPUS, "nvidia.com/gpu": "0", "nvidia.com/mig-1g.10gb": "7"}), node("b", {"amd.com/gpu": "8"})]
    text, _ = capture(Objects(mixed), "lab")
    assert yaml.safe_load(text)["pools"]["gpu"]["gpu"] == {"resource": "amd.com/gpu", "perNode": 8}
    assert yaml.safe_load(text)["pools"]["cpu"]["nodes"]["allocatable"]["nvidia.com/mig-1g.10gb"] == 7
    assert "nvidia.com/mig-1g.10gb is a part of a GPU" in text


def test_devices_that_are_claimed() -> None:
    def slices(node: str) -> dict[str, Any]:
        devices = [{"name": f"gpu-{index}"} for index in range(4)]
        return thing(
            "resource.k8s.io/v1",
            "ResourceSlice",
            f"{node}-x",
            spec={"driver": "gpu.nvidia.com", "nodeName": node, "devices": devices},
        )

    amounts = {"cpu": "64", "memory": "512Gi"}
    nodes = [node(name, amounts) for name in ("a", "b", "c")]
    text, _ = capture(Objects([*nodes, slices("a"), slices("b")]), "lab")
    pools = yaml.safe_load(text)["pools"]
    assert {name: pool["nodes"]["count"] for name, pool in pools.items()} == {"gpu": 2, "cpu": 1}
    assert "# 4 devices of gpu.nvidia.com on a node are given by claims." in text
    template = thing("resource.k8s.io/v1", "ResourceClaimTemplate", "4gpu", "vision")
    assert "# ResourceClaimTemplates: `vision/4gpu`.\npools:\n" in capture(Objects([*nodes, template]), "lab")[0]


def test_gang_schedulers() -> None:
    one = node("a", GPUS)
    volcano = deployment("volcano-scheduler", "v", "volcanosh/vc-scheduler:v1.9.0")
    coscheduling = deployment("s", "s", "registry.k8s.io/scheduler-plugins/kube-scheduler:v0.34.7")
    queue = thing("kueue.x-k8s.io/v1beta1", "LocalQueue", "train", "a", spec={"clusterQueue": "absent"})
    assert "scheduling" not in tree(one)
    assert tree(one, volcano)["scheduling"] == {"gang": "volcano"}
    assert tree(one, coscheduling)["scheduling"] == {"gang": "coscheduling"}
    assert tree(one, queue)["scheduling"] == {"gang": "kueue", "queues": ["train"]}
    text, warnings = capture(Objects([one, volcano, queue]), "lab")
    assert warnings == ["which scheduler jobs use is not known: `kueue` and `volcano` are installed"]
    assert yaml.safe_load(text)["scheduling"] == {"queues": ["train"]}
    question = "# Is the scheduler with the coscheduling plugin called scheduler-plugins-scheduler?"
    assert question in capture(Objects([one, coscheduling]), "lab")[0]
    flag = deployment("mpi-operator", "mpi-operator", "mpioperator/mpi-operator:0.8.2", "--gang-scheduling", "mine")
    assert tree(one, flag)["scheduling"] == {"gang": "coscheduling", "scheduler": "mine"}
    assert question not in capture(Objects([one, flag]), "lab")[0]
    assert tree(one, flag)["operators"] == {"mpi-operator": {"version": "0.8.2", "gang": "scheduler-plugins"}}


# Image → version, and mirror.
IMAGES = {
    "ghcr.io/kubeflow/training-v1/training-operator:v1.9.4": ("1.9.4", None),
    "kubeflow/training-operator:v1-855e096": ("1.7.0", None),
    "docker.io/kubeflow/training-operator:v1-855e096": ("1.7.0", None),
    "registry.example.com:5000/hub/kubeflow/training-operator:v1.8.1@sha256:1": (
        "1.8.1",
        "registry.example.com:5000/hub",
    ),
    "kubeflow/training-operator:latest": (None, None),
    "kubeflow/training-operator@sha256:1": (None, None),
    "example.com/other/training-operator-ui:v1": ("no operator", None),
}


@pytest.mark.parametrize("image", IMAGES)
def test_versions_of_operators(image: str) -> None:
    version, mirror = IMAGES[image]
    profile = tree(node("a", GPUS), deployment("training-operator", "kubeflow", image))
    said = profile.get("operators", {}).get("training-operator", {})
    if version in (None, "no operator"):
        assert said == {}
    else:
        assert said == {"version": version, **({"mirror": mirror} if mirror else {})}
    labelled = deployment("t", "kubeflow", image, labels={"app.kubernetes.io/version": "v1.9.2"})
    if version is None:
        assert tree(node("a", GPUS), labelled)["operators"] == {"training-operator": {"version": "1.9.2"}}


MIRRORED = {
    "reg.corp/mirror/training-operator:v1.9.4": {"version": "1.9.4", "gang": "volcano"},
    "reg.corp/mirror/training-operator:v1-855e096": {"version": "1.7.0", "gang": "volcano"},
    "reg.corp/mirror/training-operator@sha256:1": "# Which version is it? training-operator: {version: 1.9.4, gang: v",
    "reg.corp/mirror/tool:v1": "# pytorchjobs.kubeflow.org is defined, and no Deployment has the image of training-op",
}


@pytest.mark.parametrize("image", MIRRORED)
def test_mirrors_that_keep_the_last_part_of_a_name(image: str) -> None:
    """The container says whose it is then; what its flags say is kept where the version has to be asked for."""
    said = MIRRORED[image]
    flag = "--gang-scheduler-name=volcano"
    crd = thing("apiextensions.k8s.io/v1", "CustomResourceDefinition", "pytorchjobs.kubeflow.org")
    one = deployment("training-operator", "kubeflow", image, flag, container="training-operator")
    text, _ = capture(Objects([node("a", GPUS), crd, one]), "lab")
    assert yaml.safe_load(text).get("operators") == (None if isinstance(said, str) else {"training-operator": said})
    assert not isinstance(said, str) or said in text
    other = deployment("ui", "kubeflow", image, flag, container="ui", beside=[{"name": "b", "image": "b"}])
    assert "operators" not in tree(node("a", GPUS), other)


def test_schedulers_of_a_mirror() -> None:
    images = {
        "volcano": "reg.corp/mirror/vc-scheduler:v1.9.0",
        "kueue": "reg.corp/kueue:v0.19.2",
        "yunikorn": "reg.corp/yunikorn:scheduler-1.6.0",
    }
    for word, image in images.items():
        said = {"gang": word, **({"version": "0.19.2"} if word == "kueue" else {})}
        assert tree(node("a", GPUS), deployment("s", "s", image))["scheduling"] == said


def test_pod_security() -> None:
    level = "pod-security.kubernetes.io/enforce"
    spaces = [thing("v1", "Namespace", name, labels={level: "baseline"}) for name in ("a", "b")]
    profile = tree(node("a", {**GPUS, "rdma/hca": "8"}), *spaces)
    assert profile["podSecurity"] == "baseline"
    # whoever may not have the right is not given it
    assert profile["pools"]["gpu"]["fabric"] == {"rdma": "device"}
    # what operators may do is another matter
    kueue = deployment("kueue-controller-manager", "kueue-system", "registry.k8s.io/kueue/kueue:v0.19.2")
    beside = [*spaces, thing("v1", "Namespace", "kueue-system"), kueue]
    assert tree(node("a", {**GPUS, "rdma/hca": "8"}), *beside)["pools"] == profile["pools"]
    queue = thing("kueue.x-k8s.io/v1beta2", "LocalQueue", "train", "c", spec={})
    assert "podSecurity" not in tree(node("a", GPUS), *spaces, thing("v1", "Namespace", "c"), queue)
    # where they differ, each says its own
    quota = thing("v1", "ResourceQuota", "q", "a", spec={"hard": {"pods": "9"}})
    text, _ = capture(Objects([node("a", GPUS), *spaces, thing("v1", "Namespace", "c"), quota]), "lab")
    profile = yaml.safe_load(text)
    assert "podSecurity" not in profile
    held = {"podSecurity": "baseline"}
    assert profile["namespaces"] == {"a": {"quota": {"pods": 9}, **held}, "b": held}


def test_nodes_that_differ_a_little_are_one_pool() -> None:
    nodes = [node(f"n{index}", {"cpu": f"{640 - index}00m", "memory": f"{512 - index}Gi"}) for index in range(8)]
    assert tree(*nodes)["pools"] == {
        "cpu": {"nodes": {"count": 8, "cpu": "63300m", "memory": "505Gi", "allocatable": {"pods": 110}}}
    }
    nodes += [node("big", {"cpu": "128", "memory": "1024Gi"}, labels={"pool": "big"})]
    assert [pool["nodes"]["count"] for pool in tree(*nodes)["pools"].values()] == [8, 1]


def test_huge_pages_tell_pools_apart_and_the_least_of_them_counts() -> None:
    pages = ["32Gi", "33Gi", "0", "0"]
    nodes = [node(f"n{at}", {"cpu": "64", "hugepages-2Mi": one, "pods": str(99 - at)}) for at, one in enumerate(pages)]
    offered = [pool["nodes"]["allocatable"] for pool in tree(*nodes)["pools"].values()]
    assert offered == [{"hugepages-2Mi": "32Gi", "pods": 98}, {"pods": 96}]


def test_labels_that_tell_pools_apart() -> None:
    nodes = [
        node("a", GPUS, labels={**H100, "team": "x", "zone": "1"}),
        node("b", GPUS, labels={**H100, "team": "y", "zone": "2"}, taints=GPU_TAINT),
        node("c", GPUS, labels={**H100, "zone": "3"}, taints=[{"key": "k", "value": "v", "effect": "NoExecute"}]),
    ]
    text, warnings = capture(Objects(nodes), "lab")
    pools = yaml.safe_load(text)["pools"]
    assert [pool.get("labels") for pool in pools.values()] == [{"team": "x"}, {"team": "y"}, None]
    assert list(pools) == ["h100", "h100-2", "h100-3"]
    assert warnings == ["no label tells the nodes of the pool h100-3 from all others"]


ODD: list[Any] = [
    None,
    7,
    "text",
    [],
    {"kind": "Node"},
    {"kind": 7, "apiVersion": []},
    {"apiVersion": "v1", "kind": "Node", "metadata": "x"},
    {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a", "labels": []}, "spec": [], "status": "x"},
    {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": "b"},
        "spec": {"taints": [7, {"key": 7}]},
        "status": None,
    },
    node(
        "c",
        {"cpu": "x", "memory": "-1", "nvidia.com/gpu": "eight", "amd.com/gpu": "1e400"},
        labels={"a" * 300: "x" * 900},
    ),
    node("d\n# evil", {"cpu": "1e30", "memory": "99999999Ei"}, labels={"pool": "a\nb: c", "\u202e": "\u2028", "p": ""}),
    node(
        "e", GPUS, taints=[{"key": "no key: # x", "effect": "NoSchedule"}], labels={"nvidia.com/gpu.memory": "9" * 400}
    ),
    deployment("training-operator", "kube\nflow", "kubeflow/training-operator:v1.9.4\n  evil: true"),
    thing("kueue.x-k8s.io/v1", "ClusterQueue", "q", spec={"resourceGroups": [7, {"flavors": [{"resources": [{}]}]}]}),
    thing("kueue.x-k8s.io/v1", "LocalQueue", "q\nevil: true", spec={"clusterQueue": "q"}),
    thing(
        "kueue.x-k8s.io/v1", "Topology", "t", spec={"levels": [{"nodeLabel": "not a label"}, 7, {"nodeLabel": "host"}]}
    ),
    thing("scheduling.k8s.io/v1", "PriorityClass", "no: [name"),
    {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"namespace": "x: y"}, "spec": {"hard": {"pods": "4"}}},
    thing("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "x: y"),
    deployment("k", "x", "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.3.0"),
]


def test_odd_objects_become_a_profile_all_the_same() -> None:
    text, _ = capture(Objects(ODD), "lab")
    assert check(Source("cluster.yaml", text))[1] == []
    assert "evil: true\n" not in text
    assert all(sign.isprintable() or sign == "\n" for sign in text)
    assert sum(pool["nodes"]["count"] for pool in yaml.safe_load(text)["pools"].values()) == 4


def test_amounts_beyond_what_a_profile_can_say_are_the_most_it_can() -> None:
    huge = {"cpu": "1e30", "memory": "99999999Ei", "ephemeral-storage": "8Ei", "hugepages-2Mi": "1e30", "pods": "1e30"}
    text, _ = capture(Objects([node("a", huge)]), "lab")
    assert check(Source("cluster.yaml", text))[1] == []
    (pool,) = yaml.safe_load(text)["pools"].values()
    assert pool["nodes"] == {
        "count": 1,
        "cpu": 1_000_000,
        "memory": "536870912Gi",
        "disk": "536870912Gi",
        "allocatable": {"hugepages-2Mi": "524288Ti", "pods": 1_000_000},
    }


def test_a_cluster_without_nodes_is_none() -> None:
    with pytest.raises(ValueError, match="there is no node among the objects"):
        capture(Objects([thing("v1", "Namespace", "a")]), "lab")
    with pytest.raises(ValueError, match="may not"):
        capture(Objects(), "lab", {"nodes": "this user may not list them (403)"})


def test_one_machine_for_all() -> None:
    control = [{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}]
    assert tree(node("a", GPUS, taints=control))["pools"]["gpu"]["nodes"]["count"] == 1


TEXTS: dict[str, tuple[str, str]] = {
    "cut off": ('{"kind": "List", "items": [{"kind": "No', "the JSON ends in the middle of an object, in line 1"),
    "cut off after a line": ('{"kind": "List",\n "items": [\n', "the JSON ends in the middle of an object, in line 3"),
    "YAML": ("apiVersion: v1\nitems: []\n", "line 1 is no JSON"),
    "a table": ("{}\nNAME   STATUS\n", "line 2 is no JSON"),
    "broken": ('{"a": 1,}\n{"b": "c"}\n', "line 1 is no JSON"),
    "deep": ("[" * 100_000, "it is nested too deeply for objects of a cluster"),
}


@pytest.mark.parametrize("name", TEXTS)
def test_texts_that_are_no_objects(name: str) -> None:
    text, sentence = TEXTS[name]
    with pytest.raises(Unreadable, match=sentence):
        read(text)


def test_several_texts_behind_each_other() -> None:
    first = {"apiVersion": "v1", "kind": "List", "items": [node("a", GPUS)]}
    second = {"apiVersion": "v1", "kind": "NodeList", "items": [{"metadata": {"name": "b"}}]}
    texts = f"\ufeff{json.dumps(first)}\n{json.dumps(second)}{json.dumps(node('c', GPUS))}"
    assert [one["metadata"]["name"] for one in Objects(read(texts)).of("", "Node")] == ["a", "b", "c"]


def bent(tree: Any, dice: random.Random) -> Any:
    """A tree of which some parts have another shape, or odd texts."""
    if dice.random() < 0.01:
        return dice.choice(
            [None, 7, -1.5, True, "", "x\ny: z", "# ?", "🦊", [], {}, ["a"], {"a": None}, "1e99", "9" * 70]
        )
    if isinstance(tree, dict):
        return {key: bent(value, dice) for key, value in tree.items()}
    return [bent(item, dice) for item in tree] if isinstance(tree, list) else tree


@pytest.mark.fuzz
def test_bent_objects_become_a_profile_or_are_refused() -> None:
    objects = lab()
    for seed in range(400):
        try:
            text, _ = capture(Objects(bent(objects, random.Random(seed))), "lab")
        except ValueError as error:
            assert str(error) == "there is no node among the objects"
            continue
        assert check(Source("cluster.yaml", text))[1] == [], seed


KINDS = {
    "PyTorchJob": "training-operator",
    "MPIJob": "training-operator",
    "TrainJob": "trainer",
    "MSJob": "ms-operator",
}


@pytest.mark.parametrize("name", LIKE)
def test_profiles_to_begin_with_are_clean(name: str) -> None:
    text = like(name)
    profile = yaml.safe_load(text)
    (pool,) = profile["pools"].values()
    devices = [f"{word}: {pool[word]['perNode']}" for word in ("gpu", "npu") if word in pool]
    devices += ["hca: auto"] if "hca" in pool else []
    amounts = ", ".join([*devices, f"cpu: {pool['nodes']['cpu'] // 2}", "shm: auto"])
    library = "" if devices else "communication: {library: gloo}\n"
    for kind in [kind for kind, operator in KINDS.items() if operator in profile["operators"]]:
        start = {"MPIJob": "mpirun", "MSJob": "self"}.get(kind, "torchrun")
        each = next((pool[word]["perNode"] for word in ("gpu", "npu") if word in pool), 2)
        job = JOB.replace("PyTorchJob", kind).replace("torchrun", start).replace("PerPod: 2", f"PerPod: {each}")
        job += f"pods: 2\nresources: {{{amounts}, memory: 64Gi}}\nlifecycle: {{restart: OnFailure}}\n{library}"
        if kind == "MSJob":
            # a pod is a process, with a device of its own
            job = (
                job.replace(f"procsPerPod: {each}\n", "")
                .replace("npu: 8", "npu: 1")
                .replace("[train.py]", "[python, train.py]")
            )
        if kind in ("TrainJob", "MSJob"):
            job = job.replace("lifecycle: {restart: OnFailure}\n", "")
        assert (kind, found(text, job)) == (kind, [])
    assert text.startswith("# yaml-language-server: $schema=cluster.schema.json\n")


def test_quotas_of_whole_namespaces_are_said() -> None:
    def quota(name: str, hard: dict[str, str], **words: Any) -> dict[str, Any]:
        metadata = {"name": name, "namespace": "research"}
        return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard, **words}}

    quotas = [
        quota("a", {"requests.nvidia.com/gpu": "64", "requests.memory": "4Ti", "cpu": "500m"}),
        quota("b", {"requests.nvidia.com/gpu": "32"}),
        quota("c", {"pods": "1"}, scopes=["BestEffort"]),
    ]
    text, _ = capture(Objects([node("n", {"nvidia.com/gpu": "8"}), *quotas]), "lab")
    assert yaml.safe_load(text)["namespaces"] == {
        "research": {"quota": {"requests.memory": "4Ti", "requests.nvidia.com/gpu": 32}}
    }
    assert "cannot be said here: cpu: 500m" in text
    assert "counts a part of its pods alone: c" in text
    assert check(Source("cluster.yaml", text))[1] == []


def test_runtimes_of_a_trainer_that_nobody_shows_are_in_the_question() -> None:
    runtimes = [thing("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", name) for name in ("lab", "torch")]
    text, _ = capture(Objects([node("a", GPUS), *runtimes]), "lab")
    assert "# There are ClusterTrainingRuntimes, and no Deployment has the image of trainer.\n" in text
    question = re.search(r"# Which version is it\? (.*)\n", text)
    assert question is not None
    said = f"{text}operators: {{{question[1]}}}\n"
    assert check(Source("cluster.yaml", said))[1] == []
    assert yaml.safe_load(said)["operators"]["trainer"]["runtimes"] == {"lab": {}, "torch": {}}


def test_a_limit_of_more_digits_than_64_bits_hold_stands_as_text() -> None:
    """As a number every reader would make something else of it."""
    limits = thing(
        "v1", "LimitRange", "huge", "x", spec={"limits": [{"type": "Container", "default": {"cpu": 10**30}}]}
    )
    text, _ = capture(Objects([node("a", {"cpu": "8", "memory": "32Gi"}), limits]), "lab")
    assert f'cpu: "{10**30}"' in text
    assert not check(Source("cluster.yaml", text))[1]


def test_labels_that_people_select_by_are_said_of_all_pools() -> None:
    kind, paid, own = "node.kubernetes.io/instance-type", "eks.amazonaws.com/capacityType", "example.com/node-pool"
    zone = "topology.kubernetes.io/zone"
    nodes = [
        node(f"a{at}", GPUS, labels={**H100, kind: "p5.48xlarge", paid: "SPOT", own: "a", zone: "z0"})
        for at in range(2)
    ]
    nodes += [node(f"b{at}", {"cpu": "8"}, labels={kind: f"m{at}", own: "b", zone: "z0"}) for at in range(2)]
    pools = tree(*nodes)["pools"]
    marks = {name: {**pool["nodes"].get("labels", {}), **pool.get("labels", {})} for name, pool in pools.items()}
    for name, said in marks.items():
        assert said[own] == ("a" if name == "h100" else "b") and said[zone] == "z0" and kind in said
    assert marks["h100"][paid] == "SPOT" and all(paid not in said for name, said in marks.items() if name != "h100")
    # pods that are placed in a pool select no more than tells it from the others
    assert list(pools["h100"]["labels"]) == ["nvidia.com/gpu.product"]
