"""What a job over a runtime of the cluster needs, and the runtime's pods have already, is not asked for again."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lower.trainjobs import OVER, RUNTIME, VERSIONS, build, expanded, runtime

POOL = {
    "gpu": {"resource": "nvidia.com/gpu", "perNode": 8},
    "hca": {"resource": "rdma/hca", "perNode": 8, "devices": ["mlx5_0"]},
    "fabric": {"rdma": "shared-device", "memlock": "capability"},
}
BARE = 'containers: [{name: node, image: "registry.example.com/torch:1"}]'
SHM = "volumes: [{name: dshm, emptyDir: {medium: Memory}}]"
FULL = (
    'containers: [{name: node, image: "registry.example.com/torch:1", securityContext: {CONTEXT}, '
    f"volumeMounts: [{{name: dshm, mountPath: /dev/shm}}]}}], {SHM}"
)


def job(version: str, text: str, **words: Any) -> Any:
    resources = {"gpu": 8, "hca": 1, **words.pop("resources", {})}
    cluster = {"pools": {"gpu": POOL}}
    words = {"target": OVER, "pods": 2, "resources": resources, **words}
    return build(words, version, cluster, {"runtime.yaml": text.encode()})


def patched(result: Any) -> bool:
    assert not result.failed, result.diagnostics
    spec = result.compiled[0].bundle.job.tree["spec"]
    return any(field in spec for field in ("podSpecOverrides", "podTemplateOverrides", "runtimePatches"))


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "context", ["capabilities: {add: [IPC_LOCK]}", "capabilities: {add: [ALL]}", "privileged: true"]
)
def test_rights_and_shared_memory_of_the_runtime_are_enough(version: str, context: str) -> None:
    text = RUNTIME.replace(BARE, FULL.replace("CONTEXT", context))
    result = job(version, text)
    assert not patched(result)
    pod = expanded(result.compiled[0], runtime(text)).pods[0]["spec"]
    assert pod["volumes"] == [{"name": "dshm", "emptyDir": {"medium": "Memory"}}]
    assert pod["containers"][0]["resources"]["limits"]["rdma/hca"] == 1


@pytest.mark.parametrize("context", ["", "capabilities: {add: [SYS_PTRACE]}", "capabilities: {drop: [IPC_LOCK]}"])
def test_a_right_that_the_runtime_lacks_is_asked_for(context: str) -> None:
    text = RUNTIME.replace(BARE, FULL.replace("CONTEXT", context))
    errors = [one["message"] for one in job("2.1.0", text).diagnostics if one["severity"] == "error"]
    assert errors == ["trainer 2.1.0 cannot change `securityContext` of the runtime `torch-distributed`"]
    assert patched(job("2.3.0", text))


def test_what_is_said_of_shared_memory_is_what_there_is() -> None:
    text = RUNTIME.replace(BARE, FULL.replace("CONTEXT", "capabilities: {add: [IPC_LOCK]}"))
    assert not patched(job("2.1.0", text, resources={"shm": "auto"}))
    for size in ("64Gi", "host"):
        result = job("2.1.0", text, resources={"shm": size})
        assert patched(result)
        pod = expanded(result.compiled[0], runtime(text)).pods[0]["spec"]
        (mount,) = pod["containers"][0]["volumeMounts"]
        assert mount == {"name": "shm", "mountPath": "/dev/shm"}


def test_a_list_of_rights_is_patched_whole() -> None:
    """A patch replaces the runtime's list: one that holds the new right alone would take the other away."""
    text = RUNTIME.replace(BARE, FULL.replace("CONTEXT", "capabilities: {add: [IPC_LOCK]}"))
    result = job("2.3.0", text, security={"capabilities": ["SYS_PTRACE"]})
    (pod, *_) = expanded(result.compiled[0], runtime(text)).pods
    added = pod["spec"]["containers"][0]["securityContext"]["capabilities"]["add"]
    assert sorted(added) == ["IPC_LOCK", "SYS_PTRACE"]


def test_of_a_runtime_that_nobody_has_read_nothing_is_believed() -> None:
    words = {"target": {"kind": "TrainJob", "runtime": "other"}}
    assert patched(job("2.3.0", RUNTIME, **words))
