"""Whether a sidecar ends with the program depends on Kubernetes and the operator; where it does not, that is said."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lower.lowering import built, found

SAID = [("SG207", "warning", "sidecars.log")]


@pytest.mark.parametrize(
    ("target", "cluster", "why"),
    [
        ("PyTorchJob", {"kubernetes": "1.29"}, ""),
        ("PyTorchJob", {"kubernetes": "1.28"}, "Kubernetes 1.28 knows no sidecars"),
        ("PyTorchJob", {}, "the cluster profile says no `kubernetes` version"),
        (
            "PyTorchJob",
            {"kubernetes": "1.30", "operators": {"training-operator": {"version": "1.7.0"}}},
            "training-operator 1.7.0 knows no sidecars",
        ),
        (
            "TFJob",
            {"kubernetes": "1.34", "operators": {"training-operator": {"version": "1.7.0"}}},
            "training-operator 1.7.0 knows no sidecars",
        ),
        ("TFJob", {"kubernetes": "1.34"}, ""),
        ("MSJob", {"kubernetes": "1.30"}, "ms-operator's pods are of Kubernetes 1.23"),
    ],
)
def test_a_sidecar_that_outlives_the_program_is_a_warning(target: str, cluster: dict[str, Any], why: str) -> None:
    sidecar = {"log": {"command": ["tail", "-f", "/dev/null"]}}
    result = built({"target": target, "pods": 2, "sidecars": sidecar}, cluster)
    assert found(result) == (SAID if why else [])
    assert why in " ".join(result.diagnostics[0]["notes"]) if why else True
    bundle = result.compiled[0].bundle
    assert bundle is not None
    roles = next(value for name, value in bundle.job.tree["spec"].items() if name.endswith("ReplicaSpecs"))
    pod = roles["Worker"]["template"]["spec"]
    native = [one["name"] for one in pod.get("initContainers", ()) if one.get("restartPolicy") == "Always"]
    assert native == ([] if why else ["log"])
    assert [one["name"] for one in pod["containers"]][1:] == (["log"] if why else [])
