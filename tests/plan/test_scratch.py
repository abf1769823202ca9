"""Empty volumes by name: the same name is the same volume, in every container of the pod."""

from __future__ import annotations

from typing import Any

import pytest

from tests.plan.carrying import compiled, trees

LARGE = {"sizeLimit": "2Gi"}


@pytest.mark.parametrize(
    ("mounts", "beside", "volumes"),
    [
        ({"/a": {"scratch": "s"}, "/b": {"scratch": "s"}}, {"/c": {"scratch": "s"}}, {"s": ({}, "/a /b /c")}),
        ({"/a": {"scratch": "s", "size": "2Gi"}, "/b": {"scratch": "s"}}, {}, {"s": (LARGE, "/a /b")}),
        ({"/a": {"scratch": "s"}, "/b": {"scratch": "s", "size": "2Gi"}}, {}, {"s": (LARGE, "/a /b")}),
        ({"/a": {"scratch": "s", "size": "2Gi"}}, {"/c": {"scratch": "s"}}, {"s": (LARGE, "/a /c")}),
        # the name of the volume is taken, and still it is one
        ({"/a": {"configMap": "s"}, "/b": {"scratch": "s"}}, {"/c": {"scratch": "s"}}, {"s-2": ({}, "/b /c")}),
        ({"/a": {"scratch": "s"}, "/b": {"scratch": "t"}}, {}, {"s": ({}, "/a"), "t": ({}, "/b")}),
    ],
)
def test_one_name_is_one_volume(
    mounts: dict[str, Any], beside: dict[str, Any], volumes: dict[str, tuple[dict[str, Any], str]]
) -> None:
    init = {"prepare": {"command": ["prepare"], "mounts": beside}} if beside else {}
    (job,) = trees(compiled({"mounts": mounts, "init": init}))
    pod = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
    seen: dict[str, list[str]] = {}
    for container in (*pod["containers"], *pod.get("initContainers", ())):
        for mount in container["volumeMounts"]:
            seen.setdefault(mount["name"], []).append(mount["mountPath"])
    found = {
        volume["name"]: (volume["emptyDir"], " ".join(seen[volume["name"]]))
        for volume in pod["volumes"]
        if "emptyDir" in volume
    }
    assert found == volumes
