"""Jobs and clusters of any words of the language with values that mean something, for every target kind."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.lower.lowering import ENVELOPE

Table = dict[str, list[Any]]

TARGETS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "PyTorchJob": ("PyTorchJob", ("master", "worker")),
    "TFJob": ("TFJob", ("chief", "ps", "evaluator", "worker")),
    "MPIJob v1": ({"kind": "MPIJob", "version": "v1"}, ("launcher", "worker")),
    "MPIJob v2beta1": ({"kind": "MPIJob", "version": "v2beta1"}, ("launcher", "worker")),
    "MSJob": ("MSJob", ("scheduler", "ps", "worker")),
    "TrainJob": ("TrainJob", ("worker", "launcher")),
    "JobSet": ("JobSet", ("worker",)),
    "VolcanoJob": ("VolcanoJob", ("master", "launcher", "worker")),
}
_STORED = [
    *({"storage": "share"}, {"storage": "home", "subPath": "u"}, {"pvc": "c"}, {"hostPath": "/f", "type": "File"}),
    *({"pvc": "new", "create": {"size": "1Gi"}}, {"scratch": "t"}, {"scratch": "u", "size": "2Gi", "memory": True}),
    *({"configMap": "cm", "items": {"a": "b"}}, {"secret": "s", "mode": 256}, {"nfs": {"server": "s", "path": "/p"}}),
]
_MOUNTS = [{at: one} for one in _STORED for at in ("/data", "/root/.ssh")] + [{"/dev/shm": {"scratch": "u"}}]
_VALUES = ["$<name>-$(A)", {"secret": "s", "key": "k"}, {"field": "status.hostIP"}, {"prepend": "/opt/x"}]
_NAMES = ["A", "OMPI_MCA_btl", "NVIDIA_VISIBLE_DEVICES", "NCCL_IB_HCA", "NCCL_SOCKET_IFNAME", "LD_PRELOAD"]
_RESOURCES: Table = {
    "gpu": [0, 1, 2, 8],
    "npu": [1],
    "hca": ["auto", 1, 8],
    "cpu": [1, "500m", {"request": 2}, {"limit": 4}],
    "memory": ["10Gi", {"request": "1Gi"}],
    "shm": ["auto", "1Gi", "host", "none"],
    "disk": ["1Gi"],
    "hugepages": ["2Gi", {"1Gi": "4Gi"}],
    "claims": [{"c": {"template": "t"}}, {"c": {"claim": "x"}}],
    "other": [{"example.com/x": 1}],
}
_PLACES: Table = {
    "pool": ["gpu", "cpu"],
    "hosts": [["n1"]],
    "nodeLabels": [{"a": ["b", "c"]}, {"a": "*"}],
    "tolerations": [{"*": {}}, {"k": {"value": "v", "effect": "NoSchedule"}}],
    "scheduler": ["mine"],
    "preferLabels": [{"a": "b"}, {"a": {"b": 100, "c": 1}}, {"a": "*"}],
    "spread": ["host", {"job": "host"}, {"prefer": "rack"}, {"over": "rack", "domains": 2}],
    "slices": [{"rack": 2}],
    "within": ["rack", "host"],
    "near": ["rack"],
}
_GANGS: Table = {
    "gang": [True, False, "volcano", "coscheduling", "kueue", "kai", "yunikorn"],
    "queue": ["default"],
    "priority": ["high"],
}
_ENDS: Table = {"restart": ["Always", "OnFailure", "Never", "ExitCode"], "grace": ["30s"], "preStop": [["sleep", "5"]]}
_JOB_ENDS: Table = {
    **_ENDS,
    "backoffLimit": [0, 3],
    "cleanPods": ["None", "All", None],
    "ttl": ["1d"],
    "deadline": ["2h"],
    "suspend": [True],
    "success": ["AllWorkers"],
}
_SECURITY: Table = {
    "user": [0, 1000],
    "fsGroup": [1000],
    "nonRoot": [True],
    "privileged": [True, False],
    "capabilities": [["SYS_NICE"], {"add": ["IPC_LOCK"], "drop": ["ALL"]}],
    "seccomp": ["RuntimeDefault", "p.json"],
}
_START: Table = {
    "path": ["/opt/x"],
    "options": [["--x"]],
    "bind": ["core"],
    "implementation": ["Intel", "MPICH"],
    "wait": [True, False],
    "launcherTrains": [True],
    "forward": [["PATH"]],
    "ssh": [{"port": 2222}, {"keys": "/k"}, {"server": ["a=b"]}, {"client": ["a=b"]}],
}
_BESIDE: Table = {
    "image": ["side:1"],
    "command": [["x"]],
    "env": [{"Q": "1"}],
    "mounts": _MOUNTS,
    "resources": [{"cpu": 1}, {"gpu": 1}],
    "security": [{"user": 0}],
}
_PATCHES = [
    *(
        {"pod": {"spec": {"containers": [{"name": "extra", "image": "e:1"}]}}},
        {"pod": {"spec": {"schedulerName": "p"}}},
    ),
    *({"container": {"env": [{"name": "A", "value": "p"}]}}, {"container": {"resources": {"limits": {"cpu": 9}}}}),
]
_POOL: Table = {
    "gpu": [{"resource": "nvidia.com/gpu", "perNode": 8}, {"perNode": 8, "claim": "gpus"}],
    "hca": [{"resource": "rdma/hca", "perNode": 8, "devices": ["mlx5_0"]}, {"claim": "gpus", "perNode": 8}],
    "taints": [[{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]],
    "labels": [{"pool": "gpu"}],
    "runtimeClass": ["nvidia"],
}
_FABRIC: Table = {
    "rdma": ["shared-device", "device", "sriov", "claim", "host", "network"],
    "interface": ["ib0"],
    "memlock": ["capability", "privileged"],
    "networks": ["net", ["n1", "n2"]],
    "net": ["IB"],
    "nvlink": ["compute-domain"],
    "adds": [
        {"env": {"NCCL_IB_TIMEOUT": "22"}, "mounts": {"/opt/n": {"hostPath": "/opt/n"}}},
        {"sidecars": {"d": {"image": "d:1"}}, "annotations": {"x": "y"}, "resources": {"hugepages": "1Gi"}},
    ],
}
_CLUSTER: Table = {
    "kubernetes": ["1.27", "1.34"],
    "podSecurity": ["baseline", "restricted"],
    "mesh": ["istio", {"kind": "istio", "by": "annotation"}],
    "scheduling": [{"gang": word} for word in _GANGS["gang"] if isinstance(word, str)] + [{"scheduler": "s"}],
    "images": [{"mirrors": {"docker.io": "registry.example.com/hub"}}],
    "defaults": [{"metadata": {"namespace": "ns"}, "pull": {"secrets": ["d"]}, "env": {"D": "1"}}],
}
_OPERATORS: Table = {
    "training-operator": ["1.9.4", "1.8.1", "1.7.0"],
    "mpi-operator": ["0.8.2", "0.4.0"],
    "ms-operator": ["1.0.0"],
    "trainer": ["2.3.0"],
}


@st.composite
def some(draw: st.DrawFn, table: Table, most: int = 3) -> dict[str, Any]:
    """Some words of a table, each with one of its values."""
    words = draw(st.lists(st.sampled_from(list(table)), min_size=1, max_size=most, unique=True))
    return {word: draw(st.sampled_from(table[word])) for word in words}


def _pod_words(places: Table, ends: Table) -> dict[str, st.SearchStrategy[Any]]:
    return {
        "image": st.just("img:1"),
        "command": st.sampled_from(
            [["python", "train.py"], ["train.py", "-n=$<pods>"], ["-m", "mod"], ["mpirun", "x"]]
        ),
        "args": st.just(["--x", "$<gpu>"]),
        "prepare": st.sampled_from(["pip install x", "#!/bin/bash\necho hi\n"]),
        "resources": some(_RESOURCES, 4),
        "env": st.dictionaries(st.sampled_from(_NAMES), st.sampled_from(_VALUES), min_size=1, max_size=2),
        "envFrom": st.just([{"secret": "es"}]),
        "mounts": st.sampled_from(_MOUNTS),
        "files": st.just({"/cfg/a.txt": {"text": "hi $<name>"}}),
        "labels": st.just({"l": "v"}),
        "annotations": st.just({"an": "v"}),
        "ports": st.just({"metrics": 9000}),
        "security": some(_SECURITY),
        "pod": st.sampled_from([{"hostNetwork": True}, {"hostNetwork": False}, {"shareProcessNamespace": True}]),
        "init": some(_BESIDE).map(lambda one: {"get": one}),
        "sidecars": some(_BESIDE).map(lambda one: {"side": one}),
        "scheduling": some(places),
        "lifecycle": some(ends),
        "patch": st.sampled_from(_PATCHES),
    }


_OF_ROLES = _pod_words(_PLACES, _ENDS)
_OF_JOBS = {
    **_pod_words({**_PLACES, **_GANGS}, _JOB_ENDS),
    "procsPerPod": st.sampled_from([1, 2, 8, "auto", "gpu", "cpu"]),
    "communication": st.sampled_from([{"library": "gloo"}, {"rdma": False}, {"nvlink": True}, {"path": "/lib/x.so"}]),
    "elastic": st.sampled_from([{}, {"min": 1, "max": 4}, {"max": 20, "scaleOn": {"cpu": 80}}]),
    "objects": st.just([{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "cm"}, "data": {"a": "b"}}]),
}


@st.composite
def _words(draw: st.DrawFn, known: dict[str, st.SearchStrategy[Any]], most: int) -> dict[str, Any]:
    words = draw(st.lists(st.sampled_from(list(known)), max_size=most, unique=True))
    return {word: draw(known[word]) for word in words}


@st.composite
def jobs(draw: st.DrawFn, kind: str) -> dict[str, Any]:
    """A job of this target."""
    target, roles = TARGETS[kind]
    name = draw(st.sampled_from(["demo", "demo", "demo", "9a", "j" * 53, "j" * 56]))
    job = {**ENVELOPE, "metadata": {"name": name}, "target": target, **draw(_words(_OF_JOBS, 4))}
    job["pods"] = draw(st.sampled_from([1, 2, 3, 16]))
    if draw(st.booleans()):
        starters = (
            ["none", "self", "torchrun"]
            if kind in ("PyTorchJob", "JobSet")
            else ["none", "self", "mpirun", "horovodrun"]
        )
        by = draw(st.sampled_from(starters))
        job["start"] = draw(st.just(by) | some(_START).map(lambda words: {"by": by, **words}))
    named = draw(st.lists(st.sampled_from(roles), max_size=2, unique=True))
    if named:
        job["roles"] = {role: draw(_words(_OF_ROLES, 2)) for role in named}
    if kind == "PyTorchJob" and draw(st.booleans()):
        job["roles"] = {**job.get("roles", {}), "master": None}
    return job


@st.composite
def clusters(draw: st.DrawFn) -> dict[str, Any]:
    """A cluster with two pools and two file systems."""
    operators = {name: {"version": version} for name, version in draw(some(_OPERATORS, 4)).items()}
    pool = {"nodes": {"count": 16, "cpu": 64, "memory": "500Gi"}, **draw(some(_POOL, 5)), "fabric": draw(some(_FABRIC))}
    return {
        **(draw(some(_CLUSTER)) if draw(st.booleans()) else {}),
        **({"operators": operators} if draw(st.booleans()) else {}),
        "pools": {"gpu": pool, "cpu": {"nodes": {"count": 30}, "labels": {"pool": "cpu"}}},
        "storage": {"share": {"type": "lustre", "hostPath": "/mnt/share"}, "home": {"pvc": "home"}},
        "topology": {"rack": "example.com/rack"},
    }
