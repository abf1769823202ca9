"""Small worlds of gangs beside the recorded ones, in their form: nodes of 8 GPUs and 96 CPUs, and jobs of each kind."""

from __future__ import annotations

from typing import Any

QUEUE = "scheduling.volcano.sh/v1beta1"


def nodes(count: int, group: str = "gpu", racks: list[str] | None = None, **changed: Any) -> dict[str, Any]:
    """Equal nodes; ``racks``: the rack of each."""
    whole = {"cpu": "96", "memory": "1000Gi", "pods": "110", "nvidia.com/gpu": "8", **changed.pop("allocatable", {})}
    made = {"group": group, "count": count, "allocatable": whole, **changed}
    return made | ({"each": [{"labels": {"rack": rack}} for rack in racks]} if racks else {})


def resources(gpus: int = 8, cpus: int = 8, **more: Any) -> dict[str, Any]:
    """What a container asks for."""
    asks = {"cpu": str(cpus)} | ({"nvidia.com/gpu": str(gpus)} if gpus else {}) | more
    return {"requests": asks} | ({"limits": {"nvidia.com/gpu": str(gpus)}} if gpus else {})


def template(name: str = "pytorch", *, asks: dict[str, Any] | None = None, **spec: Any) -> dict[str, Any]:
    """A pod of one container."""
    container = {"name": name, "image": "registry.example.com/train:1"}
    metadata = spec.pop("metadata", None)
    made = {"spec": {"containers": [container | ({"resources": asks} if asks else {})], **spec}}
    return made | ({"metadata": metadata} if metadata else {})


def pytorch(name: str = "train", pods: int = 4, *, policy: Any = None, asks: Any = None, **more: Any) -> dict[str, Any]:
    """A PyTorchJob of a Master and Workers."""
    pod = template(asks=asks or resources(), **more.pop("spec", {}))
    roles = {"Master": {"replicas": 1, "restartPolicy": "Never", "template": pod}}
    if pods > 1:
        roles["Worker"] = {"replicas": pods - 1, "restartPolicy": "Never", "template": pod}
    run = {"runPolicy": {"schedulingPolicy": policy}} if policy is not None else {}
    metadata = {"name": name, **more.pop("metadata", {})}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "PyTorchJob",
        "metadata": metadata,
        "spec": {**run, "pytorchReplicaSpecs": roles, **more},
    }


def mpi(name: str = "train", workers: int = 4, *, policy: Any = None, asks: Any = None, **more: Any) -> dict[str, Any]:
    """An MPIJob of a launcher of one CPU and Workers."""
    pod = more.pop("spec", {})
    launcher = template("mpi", asks=more.pop("launcher", {"requests": {"cpu": "1"}}), **pod)
    roles = {
        "Launcher": {"replicas": 1, "template": launcher},
        "Worker": {"replicas": workers, "template": template("mpi", asks=asks or resources(), **pod)},
    }
    run = {"cleanPodPolicy": "Running"} | ({"schedulingPolicy": policy} if policy is not None else {})
    metadata = {"name": name, **more.pop("metadata", {})}
    spec = {"runPolicy": run, "mpiReplicaSpecs": roles, **more}
    return {"apiVersion": "kubeflow.org/v2beta1", "kind": "MPIJob", "metadata": metadata, "spec": spec}


def volcano(name: str = "train", *tasks: dict[str, Any], **more: Any) -> dict[str, Any]:
    """A Volcano Job; without tasks a master and 3 workers."""
    listed = list(tasks) or [task("master", 1), task("worker", 3)]
    spec = {"schedulerName": "volcano", "tasks": listed, **more}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": name}, "spec": spec}


def task(name: str, replicas: int, *, asks: Any = None, spec: Any = None, **more: Any) -> dict[str, Any]:
    """A task of a Volcano Job."""
    pod = template(name, asks=asks or resources(), restartPolicy="Never", **(spec or {}))
    return {"name": name, "replicas": replicas, "template": pod, **more}


def batch(name: str = "demo", pods: int = 4, *, asks: Any = None, spec: Any = None, **more: Any) -> dict[str, Any]:
    """A batch Job."""
    pod = template("main", asks=asks or resources(cpus=1), restartPolicy="Never", **(spec or {}))
    body = {"parallelism": pods, "completions": pods, "backoffLimit": 0, "template": pod, **more}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": name}, "spec": body}


def queue(name: str, **spec: Any) -> dict[str, Any]:
    """A queue of Volcano."""
    return {"apiVersion": QUEUE, "kind": "Queue", "metadata": {"name": name}, "spec": {"weight": 1, **spec}}


def group(api: str, name: str, least: int, **spec: Any) -> dict[str, Any]:
    """A PodGroup by hand."""
    return {"apiVersion": api, "kind": "PodGroup", "metadata": {"name": name}, "spec": {"minMember": least, **spec}}


def priority(name: str, value: int) -> dict[str, Any]:
    """A priority class."""
    metadata = {"name": name}
    return {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": metadata, "value": value}


def hypernode(name: str, tier: int, *members: str, kind: str = "Node") -> dict[str, Any]:
    """A HyperNode of nodes, or of others."""
    listed = [{"type": kind, "selector": {"exactMatch": {"name": one}}} for one in members]
    spec = {"tier": tier, "members": listed}
    return {"apiVersion": "topology.volcano.sh/v1alpha1", "kind": "HyperNode", "metadata": {"name": name}, "spec": spec}


LEAVES = [
    hypernode("leaf-1", 1, "gpu-0", "gpu-1"),
    hypernode("leaf-2", 1, "gpu-2", "gpu-3"),
    hypernode("spine", 2, "leaf-1", "leaf-2", kind="HyperNode"),
]


def runtime(word: str, *, launcher: bool = False, scheduler: str = "", **policy: Any) -> dict[str, Any]:
    """A runtime of TrainJobs whose pods are a gang of ``word``."""
    pod = {"containers": [{"name": "node", "image": "registry.example.com/train:1"}]}
    if scheduler:
        pod["schedulerName"] = scheduler  # type: ignore[assignment]
    labels = {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}
    replicated = {"name": "node", "template": {"metadata": {"labels": labels}, "spec": {"template": {"spec": pod}}}}
    spec = {
        "mlPolicy": {"numNodes": 1, "torch": {}},
        "podGroupPolicy": {word: policy},
        "template": {"spec": {"replicatedJobs": [replicated]}},
    }
    metadata = {"name": "gang"}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "ClusterTrainingRuntime",
        "metadata": metadata,
        "spec": spec,
    }


def trainjob(name: str = "train", pods: int = 4, *, asks: Any = None, **metadata: Any) -> dict[str, Any]:
    """A TrainJob of that runtime."""
    trainer = {"numNodes": pods, "resourcesPerNode": asks or resources()}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainJob",
        "metadata": {"name": name, **metadata},
        "spec": {"runtimeRef": {"name": "gang"}, "trainer": trainer},
    }
