"""Stand-ins of the manifests by which operators are installed, and cluster profiles that list operators.

A stand-in has the names, images, command and arguments of upstream's Deployment, and nothing else of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "mpijobs.kubeflow.org"},
    "spec": {"group": "kubeflow.org"},
}
PROXY = {"name": "kube-rbac-proxy", "image": "gcr.io/kubebuilder/kube-rbac-proxy:v0.8.0", "args": ["--v=0"]}
MIRRORS = "images: {mirrors: {docker.io: registry.example.com/hub, gcr.io: registry.example.com/gcr}}"


def deployment(name: str, namespace: str, *containers: dict[str, Any]) -> dict[str, Any]:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"containers": list(containers)}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": name, "namespace": namespace},
        "spec": spec,
    }


def base(folder: Path, *objects: dict[str, Any], namespace: str) -> Path:
    """A folder with a kustomization of these objects and their Namespace."""
    folder.mkdir(parents=True)
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    (folder / "all.yaml").write_text(yaml.safe_dump_all([space, *objects]))
    (folder / "kustomization.yaml").write_text("resources: [all.yaml]\n")
    return folder


def training(folder: Path, image: str = "ghcr.io/kubeflow/training-v1/training-operator:v1-5c0e763") -> Path:
    container = {"name": "training-operator", "image": image, "command": ["/manager"]}
    return base(folder, deployment("training-operator", "kubeflow", container), CRD, namespace="kubeflow")


def mpi(folder: Path) -> Path:
    container = {
        "name": "mpi-operator",
        "image": "mpioperator/mpi-operator:0.6.0",
        "args": ["-alsologtostderr", "--lock-namespace=mpi-operator"],
    }
    return base(folder, deployment("mpi-operator", "mpi-operator", container), CRD, namespace="mpi-operator")


def mindspore(folder: Path) -> Path:
    manager = {
        "name": "manager",
        "image": "mindspore/ms-operator:latest",
        "command": ["/manager"],
        "args": ["--leader-elect"],
    }
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "ClusterRole",
        "metadata": {"name": "ms-operator-manager-role"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"]}],
    }
    objects = deployment("ms-operator-controller-manager", "ms-operator-system", PROXY, manager)
    return base(folder, objects, role, namespace="ms-operator-system")


def cluster(folder: Path, operators: str, rest: str = "") -> Path:
    path = folder / "cluster.yaml"
    head = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: a}\n"
    path.write_text(f"{head}operators:\n  {operators}\n{rest}\n")
    return path
