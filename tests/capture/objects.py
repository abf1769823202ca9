"""Objects of clusters as ``kubectl get -o json`` prints them, made for tests."""

from __future__ import annotations

from typing import Any


def node(
    name: str,
    amounts: dict[str, str],
    *,
    labels: dict[str, str] | None = None,
    taints: list[dict[str, str]] | None = None,
    capacity: dict[str, str] | None = None,
    version: str = "v1.31.4",
    **spec: Any,
) -> dict[str, Any]:
    """A node with what kubectl prints beside it and nobody may find in a profile."""
    own = {"kubernetes.io/hostname": name, "kubernetes.io/os": "linux", **(labels or {})}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {
            "name": name,
            "uid": "4f1c9d8e-0000-4000-8000-000000000000",
            "creationTimestamp": "2026-01-01T00:00:00Z",
            "labels": own,
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"token":"tok-secret-1"}'},
        },
        "spec": {"taints": taints or [], "podCIDR": "10.1.2.0/24", **spec},
        "status": {
            "allocatable": {"pods": "110", **amounts},
            "capacity": {"pods": "110", **amounts, **(capacity or {})},
            "addresses": [{"type": "InternalIP", "address": "10.0.0.7"}],
            "conditions": [{"type": "Ready", "status": "True"}],
            "nodeInfo": {"kubeletVersion": version, "architecture": "amd64", "machineID": "9b2e"},
        },
    }


def thing(api_version: str, kind: str, name: str, namespace: str = "", **rest: Any) -> dict[str, Any]:
    """Any other object."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    labels = rest.pop("labels", None)
    annotations = rest.pop("annotations", None)
    if labels:
        metadata["labels"] = labels
    if annotations:
        metadata["annotations"] = annotations
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **rest}


def deployment(name: str, namespace: str, image: str, *words: str, **more: Any) -> dict[str, Any]:
    """A Deployment of one container, with a variable that nobody may find in a profile."""
    container = {
        "name": more.pop("container", "manager"),
        "image": image,
        "command": list(words),
        "env": [{"name": "TOKEN", "value": "tok-secret-2"}],
    }
    pod = {"template": {"spec": {"containers": [container, *more.pop("beside", [])]}}}
    return thing("apps/v1", "Deployment", name, namespace, spec=pod, **more)


H100 = {"nvidia.com/gpu.product": "NVIDIA-H100-80GB-HBM3", "nvidia.com/gpu.memory": "81559"}
PAGES = {"hugepages-1Gi": "0", "hugepages-2Mi": "64Gi"}
GPU_TAINT = [{"key": "nvidia.com/gpu", "effect": "NoSchedule"}]


def lab() -> list[dict[str, Any]]:
    """A cluster with about everything: two kinds of GPU nodes, one of CPU nodes, control plane, operators, queues."""
    offered = {"cpu": "190", "memory": "1981808640Ki", "ephemeral-storage": "7000000000000", "nvidia.com/gpu": "8"}
    h100 = []
    for index in range(16):
        rack = {"topology.kubernetes.io/zone": f"z{index % 2}", "example.com/rack": f"r{index // 4}"}
        amounts = {**offered, **PAGES, "memory": f"{1981808640 - index * 8}Ki", "rdma/hca_shared_devices_a": "1k"}
        h100.append(node(f"h100-{index}", amounts, labels={**H100, **rack}, taints=GPU_TAINT))
    h100[3]["status"]["allocatable"]["nvidia.com/gpu"] = "7"
    h100[5]["spec"]["unschedulable"] = True
    h100[5]["spec"]["taints"] = [*GPU_TAINT, {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}]
    p5 = [
        node(
            f"p5-{index}",
            {"cpu": "191450m", "memory": "2060000Mi", "nvidia.com/gpu": "8", "vpc.amazonaws.com/efa": "32"},
            labels={"node.kubernetes.io/instance-type": "p5.48xlarge", "topology.kubernetes.io/zone": "z0"},
            taints=[{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
        )
        for index in range(2)
    ]
    cpu = [node(f"cpu-{index}", {"cpu": "31", "memory": "120Gi"}, labels={"pool": "general"}) for index in range(3)]
    masters = [
        node(
            "master-0",
            {"cpu": "8", "memory": "16Gi"},
            taints=[{"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}],
        )
    ]
    proxy = {"name": "kube-rbac-proxy", "image": "gcr.io/kubebuilder/kube-rbac-proxy:v0.8.0"}
    crd = "CustomResourceDefinition"
    quota = {
        "cohortName": "org",
        "resourceGroups": [
            {
                "coveredResources": ["nvidia.com/gpu"],
                "flavors": [
                    {
                        "name": "h100",
                        "resources": [{"name": "nvidia.com/gpu", "nominalQuota": "64", "borrowingLimit": "16"}],
                    }
                ],
            }
        ],
    }
    return [
        *h100,
        *p5,
        *cpu,
        *masters,
        deployment(
            "training-operator",
            "kubeflow",
            "registry.example.com/mirror/kubeflow/training-operator:v1-5170a36",
            "/manager",
            "--gang-scheduler-name=volcano",
            container="training-operator",
        ),
        deployment("mpi-operator", "mpi", "mpioperator/mpi-operator:0.6.0", container="mpi-operator"),
        deployment(
            "kubeflow-trainer-controller-manager",
            "kubeflow-system",
            "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.2.0",
        ),
        deployment("jobset-controller-manager", "kubeflow-system", "registry.k8s.io/jobset/jobset:v0.12.0"),
        deployment(
            "ms-operator-controller-manager",
            "ms-operator-system",
            "swr.cn-south-1.myhuaweicloud.com/mindspore/ms-operator@sha256:" + "0" * 64,
            beside=[proxy],
        ),
        deployment("volcano-scheduler", "volcano-system", "docker.io/volcanosh/vc-scheduler:v1.15.1"),
        deployment("kueue-controller-manager", "kueue-system", "registry.k8s.io/kueue/kueue:v0.19.2"),
        deployment("web", "apps", "registry.example.com/web:1"),
        thing("apiextensions.k8s.io/v1", crd, "msjobs.mindspore.gitee.com"),
        thing("apiextensions.k8s.io/v1", crd, "podgroups.scheduling.volcano.sh"),
        thing("kueue.x-k8s.io/v1beta2", "ClusterQueue", "research", spec=quota),
        thing("kueue.x-k8s.io/v1beta2", "LocalQueue", "train", "vision", spec={"clusterQueue": "research"}),
        thing("scheduling.volcano.sh/v1beta1", "Queue", "root", spec={}),
        thing("scheduling.volcano.sh/v1beta1", "Queue", "default", spec={"weight": 1}),
        thing("scheduling.volcano.sh/v1beta1", "Queue", "team", spec={"capability": {"nvidia.com/gpu": "32"}}),
        thing("scheduling.k8s.io/v1", "PriorityClass", "high", value=1000),
        thing(
            "v1",
            "LimitRange",
            "limits",
            "research",
            spec={
                "limits": [
                    {"type": "Container", "default": {"cpu": "4"}, "max": {"cpu": "96", "memory": "x"}},
                    {"type": "PersistentVolumeClaim", "max": {"storage": "1Ti"}},
                ]
            },
        ),
        thing("scheduling.k8s.io/v1", "PriorityClass", "patient", value=1000, preemptionPolicy="Never"),
        thing("scheduling.k8s.io/v1", "PriorityClass", "usual", value=100, globalDefault=True),
        thing("scheduling.k8s.io/v1", "PriorityClass", "odd", value="100"),
        thing("scheduling.k8s.io/v1", "PriorityClass", "system-node-critical", value=2000001000),
        thing("kueue.x-k8s.io/v1beta2", "WorkloadPriorityClass", "urgent", value=10),
        thing(
            "kueue.x-k8s.io/v1beta2",
            "Topology",
            "racks",
            spec={"levels": [{"nodeLabel": "example.com/rack"}, {"nodeLabel": "kubernetes.io/hostname"}]},
        ),
        thing("trainer.kubeflow.org/v1alpha1", "ClusterTrainingRuntime", "torch-distributed", spec={}),
        thing("trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "own", "vision", spec={}),
        thing("storage.k8s.io/v1", "StorageClass", "lustre", provisioner="fsx.csi.aws.com"),
        thing(
            "storage.k8s.io/v1",
            "StorageClass",
            "disks",
            annotations={"storageclass.kubernetes.io/is-default-class": "true"},
            provisioner="ebs.csi.aws.com",
            volumeBindingMode="WaitForFirstConsumer",
        ),
        thing(
            "v1",
            "PersistentVolumeClaim",
            "datasets",
            "vision",
            spec={
                "accessModes": ["ReadWriteMany"],
                "resources": {"requests": {"storage": "10Ti"}},
                "storageClassName": "lustre",
            },
        ),
        thing("v1", "PersistentVolumeClaim", "one", "vision", spec={"accessModes": ["ReadWriteOnce"]}),
        thing("v1", "Namespace", "vision", labels={"pod-security.kubernetes.io/enforce": "privileged"}),
        thing("v1", "Namespace", "kube-system"),
        thing("v1", "Secret", "hub", "vision", data={"token": "dG9rLXNlY3JldC0z"}),
    ]
