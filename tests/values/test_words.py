"""Single values that were answered wrongly: namespaces of objects, dots in names, HCAs that are one unit, places."""

from __future__ import annotations

import json
from typing import Any

import pytest

from specgen.linting import lint_text
from specgen.operators.kubernetes.companions import refusals
from tests.lower.lowering import built, found, tree

_RIGHTS = {"apiVersion": "rbac.authorization.k8s.io/v1", "metadata": {"name": "a"}}
_OBJECTS = [
    {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "a"},
        "spec": {"maxUnavailable": 0},
    },
    {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "a", "namespace": "other"}},
    {**_RIGHTS, "kind": "ClusterRole", "rules": []},
    {**_RIGHTS, "kind": "Role", "rules": []},
    {"apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "Queue", "metadata": {"name": "a"}},
    {"apiVersion": "example.com/v1", "kind": "Own", "metadata": {"labels": {"a": "b"}, "name": "a"}},
]


def test_objects_lie_in_the_namespace_of_their_job() -> None:
    words = {"target": "PyTorchJob", "metadata": {"name": "demo", "namespace": "team"}, "objects": _OBJECTS}
    (one,) = built(words).compiled
    assert one.bundle is not None
    namespaces = [manifest.tree["metadata"].get("namespace") for manifest in one.bundle.manifests]
    assert namespaces == ["team", "other", None, "team", None, "team", "team"]
    own = one.bundle.manifests[5]
    assert list(own.tree["metadata"]) == ["name", "namespace", "labels"]
    (alone,) = built({"target": "PyTorchJob", "objects": _OBJECTS}).compiled
    assert alone.bundle is not None
    assert [manifest.tree["metadata"].get("namespace") for manifest in alone.bundle.manifests[:2]] == [None, "other"]


def test_claims_and_templates_may_have_dots() -> None:
    claims = {"a": {"template": "gpus.example.com"}, "b": {"claim": "nets.v1"}}
    job = tree(built({"target": "PyTorchJob", "resources": {"claims": claims}}))
    pod = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
    assert pod["resourceClaims"] == [
        {"name": "a", "resourceClaimTemplateName": "gpus.example.com"},
        {"name": "b", "resourceClaimName": "nets.v1"},
    ]
    pool = {"gpu": {"claim": "gpus.v1", "perNode": 8}}
    job = tree(
        built(
            {
                "target": "PyTorchJob",
                "command": ["train.py"],
                "start": "torchrun",
                "resources": {"gpu": 8, "shm": "1Gi"},
            },
            {"pools": {"gpu": pool}},
        )
    )
    pod = job["spec"]["pytorchReplicaSpecs"]["Master"]["template"]["spec"]
    assert pod["resourceClaims"] == [{"name": "gpus-v1", "resourceClaimTemplateName": "gpus.v1"}]
    assert lint_text(json.dumps(job)) == []


@pytest.mark.parametrize(
    ("rdma", "hca", "codes"),
    [
        ("shared-device", 8, [("SG241", "note")]),
        ("shared-device", 1, []),
        ("shared-device", "auto", []),
        ("shared-device", 16, [("SG207", "error")]),
        ("host", 8, []),
        ("host", 16, [("SG207", "error")]),
    ],
)
def test_a_number_of_hcas_that_is_one_unit_is_noted(rdma: str, hca: Any, codes: list[tuple[str, str]]) -> None:
    pool = {"hca": {"resource": "rdma/hca", "perNode": 8}, "fabric": {"rdma": rdma}}
    result = built({"target": "PyTorchJob", "pods": 2, "resources": {"hca": hca}}, {"pools": {"gpu": pool}})
    seen = [(code, severity) for code, severity, _ in found(result) if code in ("SG207", "SG241")]
    assert seen == codes


def test_what_nobody_wrote_is_no_related_place() -> None:
    patch = {"pod": {"topologySpreadConstraints": [{"maxSkew": 1}]}}
    (one,) = built({"target": "PyTorchJob", "pods": 1, "patch": patch}).diagnostics
    assert one["code"] == "SG112"
    assert one["related"] == []


@pytest.mark.parametrize(
    "target", ["PyTorchJob", "TFJob", "MSJob", "TrainJob", "JobSet", {"kind": "MPIJob", "version": "v1"}]
)
def test_a_deadline_that_no_clock_holds_is_refused(target: Any) -> None:
    words = {"target": target, "pods": 2, "command": ["train.py"], "lifecycle": {"deadline": "200000d"}}
    assert next(one for one in found(built(words)) if one[1] == "error")[0] == "SG240"
    words["lifecycle"] = {"deadline": "100000d"}
    assert [one for one in found(built(words)) if one[1] == "error"] == []


@pytest.mark.parametrize(
    ("kind", "tree", "path"),
    [
        ("PersistentVolumeClaim", {"spec": {"accessModes": ["ReadWriteMany"]}}, ("spec", "resources", "requests")),
        (
            "PersistentVolumeClaim",
            {
                "spec": {
                    "accessModes": ["ReadWriteMany"],
                    "resources": {"requests": {"storage": "0Gi"}},
                }
            },
            ("spec", "resources", "requests", "storage"),
        ),
        (
            "PersistentVolume",
            {
                "spec": {
                    "accessModes": ["ReadWriteMany"],
                    "capacity": {"storage": "1Gi"},
                    "hostPath": {"path": "/a/../b"},
                }
            },
            ("spec", "hostPath", "path"),
        ),
        ("ConfigMap", {"data": {"a b": ""}}, ("data", "a b")),
        ("ConfigMap", {"data": {"a": ""}, "binaryData": {"a": ""}}, ("binaryData", "a")),
        ("ConfigMap", {"data": {"a": "x" * 1_048_577}}, ("data",)),
        ("Own", {"metadata": {"name": "A_B"}}, ("metadata", "name")),
        ("Own", {"metadata": {"labels": {"a": "b c"}}}, ("metadata", "labels", "a")),
        ("Own", {"metadata": {"annotations": {"a b": ""}}}, ("metadata", "annotations", "a b")),
    ],
)
def test_what_is_refused_of_objects_beside_jobs(kind: str, tree: dict[str, Any], path: tuple[str, ...]) -> None:
    assert [one.path for one in refusals(kind, tree)] == [path]
