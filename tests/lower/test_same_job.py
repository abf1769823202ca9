"""One profile, compiled to every kind, is one job: the same pods, devices, mounts, program, and processes.

Compared is what is read back from the bare manifests, by their backends: nothing of the plan helps.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specgen import operators
from specgen.checking import workload_of
from specgen.manifest.model import Manifest
from specgen.manifest.views import Container, Role, Workload
from tests.lower.lowering import built

# Target → the roles whose pods train.
TRAINING: dict[str, tuple[Any, tuple[str, ...]]] = {
    "PyTorchJob": ("PyTorchJob", ("Master", "Worker")),
    "TFJob": ("TFJob", ("Worker",)),
    "MPIJob v1": ({"kind": "MPIJob", "version": "v1"}, ("Worker",)),
    "MPIJob v2beta1": ({"kind": "MPIJob", "version": "v2beta1"}, ("Worker",)),
    "MSJob": ("MSJob", ("Worker",)),
    "TrainJob": ("TrainJob", ("node",)),
    "JobSet": ("JobSet", ("worker",)),
    "VolcanoJob": ("VolcanoJob", ("master", "worker")),
}
_WORD = st.text("abcdefghijklmnopqrstuvwxyz", min_size=1, max_size=6)
CLUSTER = {
    "pools": {
        "gpu": {
            "nodes": {"count": 64},
            "gpu": {"resource": "nvidia.com/gpu", "perNode": 8},
            "hca": {"resource": "rdma/hca", "perNode": 8, "devices": ["mlx5_0", "mlx5_1"]},
            "fabric": {"rdma": "device", "memlock": "capability", "interface": "ib0"},
        }
    },
    "storage": {"share": {"type": "lustre", "hostPath": "/mnt/share"}},
}


@st.composite
def jobs(draw: st.DrawFn) -> dict[str, Any]:
    """A job that every kind can express: one process a pod, or the program's own; no labels, which an MSJob loses."""
    job: dict[str, Any] = {
        "command": ["/opt/train", *draw(st.lists(_WORD, max_size=3))],
        "pods": draw(st.integers(2, 6)),
        "env": draw(st.dictionaries(_WORD.map(lambda word: "MY_" + word.upper()), _WORD, max_size=3)),
        "mounts": draw(
            st.dictionaries(
                _WORD.map(lambda word: "/data/" + word),
                st.sampled_from([{"storage": "share"}, {"pvc": "claim"}, {"scratch": "tmp", "size": "1Gi"}]),
                max_size=3,
            )
        ),
        "resources": {"gpu": 1, "memory": f"{draw(st.integers(4, 9))}Gi", "cpu": draw(st.integers(1, 8))},
    }
    if draw(st.booleans()):
        job["resources"]["hca"] = 1
    if draw(st.booleans()):
        job["resources"]["shm"] = "2Gi"
    return job


def read(target: Any, words: dict[str, Any]) -> Workload:
    """The job compiled to a target, written down, and read back with what stands beside it."""
    result = built({**words, "target": target}, CLUSTER)
    errors = [one for one in result.diagnostics if one["severity"] == "error"]
    assert errors == [], errors
    bundle = result.compiled[0].bundle
    assert bundle is not None
    manifests = [Manifest(json.loads(json.dumps(one.tree)), one.where) for one in bundle.manifests]
    job = manifests[bundle.manifests.index(bundle.job)]
    backend = operators.by_object(job.ref.api_version, job.ref.kind)
    assert backend is not None
    return workload_of(backend, job, None, [one for one in manifests if one is not job])


def main(role: Role) -> Container:
    """The container that trains."""
    return role.main or role.containers()[0]


def job_of(workload: Workload, roles: tuple[str, ...]) -> dict[str, Any]:
    """What the job is, whatever its kind: pods that train, and what one of them is given."""
    training = [role for role in workload.roles if role.name in roles]
    assert training, [role.name for role in workload.roles]
    looks = [pod_of(role) for role in training]
    assert all(look == looks[0] for look in looks)
    return {"pods": sum(role.replicas for role in training), **looks[0]}


def pod_of(role: Role) -> dict[str, Any]:
    """Devices, amounts, mounts with their sources, rights, and image of the container that trains."""
    tree = main(role).tree
    volumes = {
        one["name"]: {key: value for key, value in one.items() if key != "name"} for one in role.pod.get("volumes", [])
    }
    return {
        "image": tree.get("image"),
        "limits": (tree.get("resources") or {}).get("limits"),
        "mounts": {
            mount["mountPath"]: (volumes[mount["name"]], mount.get("readOnly", False)) for _, mount in main(role).mounts
        },
        "rights": tree.get("securityContext"),
    }


def program_of(workload: Workload, roles: tuple[str, ...]) -> tuple[list[str], dict[str, str]]:
    """The program's words without what starts it, and the author's variables where the program sees them."""
    launcher = next((role for role in workload.roles if role.name.lower() == "launcher"), None)
    tree = main(launcher or next(role for role in workload.roles if role.name in roles)).tree
    words = [*(tree.get("command") or []), *(tree.get("args") or [])]
    env = {entry["name"]: entry.get("value", "") for entry in tree.get("env") or []}
    at = words.index("/opt/train")
    return words[at:], {name: value for name, value in env.items() if name.startswith("MY_")}


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(jobs())
def test_one_profile_is_the_same_job_as_every_kind(words: dict[str, Any]) -> None:
    wanted: dict[str, Any] | None = None
    program: tuple[list[str], dict[str, str]] | None = None
    for name, (target, roles) in TRAINING.items():
        starts = {"start": "none"} if name == "TrainJob" else {}
        workload = read(target, {**words, **starts})
        job, started = job_of(workload, roles), program_of(workload, roles)
        wanted, program = wanted or job, program or started
        assert job == wanted, name
        assert started == program, name
        assert workload.procs_per_pod == 1, name


@pytest.mark.parametrize("target", ["MPIJob v1", "MPIJob v2beta1", "TrainJob"])
def test_processes_come_back_from_where_a_starter_has_them(target: str) -> None:
    words, roles = TRAINING[target]
    workload = read(words, {"command": ["train.py"], "pods": 3, "resources": {"gpu": 4}})
    assert workload.procs_per_pod == 4
    assert job_of(workload, roles)["pods"] == 3
