"""The ClusterTrainingRuntimes that Trainer installs: what a TrainJob runs on whose runtime no file holds.

Read from kubeflow/trainer v2.3.0 (658725bdae5c), manifests/base/runtimes. The images of its own come without a tag
there; an installation gives them that of the release.
"""

from __future__ import annotations

from specgen.manifest.model import Manifest
from specgen.operators.trainer.runtime import ANCESTOR, API_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Placer

KIND = "ClusterTrainingRuntime"
_OWN = "ghcr.io/kubeflow/trainer"
# Runtime → its policy and its image, where all it has is one job `node`.
_PLAIN = {
    "torch-distributed": ("torch", "pytorch/pytorch:2.13.0-cuda13.0-cudnn9-runtime"),
    "jax-distributed": ("jax", "nvcr.io/nvidia/jax:25.10-py3"),
    "xgboost-distributed": ("xgboost", f"{_OWN}/xgboost-runtime"),
}
# Runtime → its framework, where an `mpirun` in the launcher starts processes over SSH.
_MPI = {"deepspeed-distributed": "deepspeed", "mlx-distributed": "mlx"}
# Runtime → model, recipe, and files of the tokenizer.
_TUNES = {
    "torchtune-llama3.2-1b": (
        "meta-llama/Llama-3.2-1B-Instruct",
        "llama3_2/1B_full",
        ("path=original/tokenizer.model",),
    ),
    "torchtune-llama3.2-3b": (
        "meta-llama/Llama-3.2-3B-Instruct",
        "llama3_2/3B_full",
        ("path=original/tokenizer.model",),
    ),
    "torchtune-qwen2.5-1.5b": (
        "Qwen/Qwen2.5-1.5B-Instruct",
        "qwen2_5/1.5B_full",
        ("path=vocab.json", "merges_file=merges.txt"),
    ),
}
NAMES = (*_PLAIN, *_MPI, *_TUNES)


def shipped(name: str, where: Placer) -> Manifest | None:
    """The runtime of a name that Trainer installs; None: it installs none. where: what findings about it point at."""
    if name in _PLAIN:
        framework, image = _PLAIN[name]
        policy: dict[str, Any] = {framework: {}}
        spec = {"replicatedJobs": [_job("node", {"name": "node", "image": image}, step="trainer")]}
    elif name in _MPI:
        framework = _MPI[name]
        policy, spec = _mpi(f"{_OWN}/{framework}-runtime")
    elif name in _TUNES:
        framework = "torchtune"
        policy, spec = {"torch": {}}, _tune(*_TUNES[name])
    else:
        return None
    metadata = {"name": name, "labels": {"trainer.kubeflow.org/framework": framework}}
    body = {"mlPolicy": {"numNodes": 1, **policy}, "template": {"spec": spec}}
    return Manifest({"apiVersion": API_VERSION, "kind": KIND, "metadata": metadata, "spec": body}, where)


def _job(name: str, container: dict[str, Any], *, step: str = "", **pod: Any) -> dict[str, Any]:
    template: dict[str, Any] = {"spec": {"template": {"spec": {**pod, "containers": [container]}}}}
    if step:
        template["metadata"] = {"labels": {ANCESTOR: step}}
    return {"name": name, "template": template}


def _mpi(image: str) -> tuple[dict[str, Any], dict[str, Any]]:
    policy = {
        "numProcPerNode": 1,
        "mpiImplementation": "OpenMPI",
        "sshAuthMountPath": "/home/mpiuser/.ssh",
        "runLauncherAsNode": True,
    }
    container = {"name": "node", "image": image, "securityContext": {"runAsUser": 1000}}
    serving = {
        **container,
        "command": ["/usr/sbin/sshd"],
        "args": ["-De", "-f", "/home/mpiuser/.sshd_config"],
        "readinessProbe": {"tcpSocket": {"port": 2222}, "initialDelaySeconds": 5},
    }
    launcher = _job("launcher", container, step="trainer", securityContext={"fsGroup": 1000})
    launcher["dependsOn"] = [{"name": "node", "status": "Ready"}]
    spec = {
        "network": {"publishNotReadyAddresses": True},
        "successPolicy": {"operator": "All", "targetReplicatedJobs": ["launcher"]},
        "replicatedJobs": [_job("node", serving, securityContext={"fsGroup": 1000}), launcher],
    }
    return {"mpi": policy}, spec


def _tune(model: str, recipe: str, tokenizer: tuple[str, ...]) -> dict[str, Any]:
    mounts = [{"name": "initializer", "mountPath": "/workspace"}]
    steps = []
    for step, address in (("dataset-initializer", "tatsu-lab/alpaca"), ("model-initializer", model)):
        env = [{"name": "STORAGE_URI", "value": f"hf://{address}"}]
        initializer = {"name": step, "image": f"{_OWN}/{step}", "env": env, "volumeMounts": mounts}
        steps.append(_job(step, initializer, step=step))
    command = [
        *("tune", "run", "--rdzv_endpoint=localhost:29500", "full_finetune_distributed", "--config", recipe),
        "dataset=torchtune.datasets.instruct_dataset",
        "dataset.source=parquet",
        "dataset.data_dir=/workspace/dataset/data",
        "output_dir=/workspace/output",
        *(f"tokenizer.{file.replace('=', '=/workspace/model/')}" for file in tokenizer),
        "checkpointer.checkpoint_dir=/workspace/model",
    ]
    container: dict[str, Any] = {
        "name": "node",
        "image": f"{_OWN}/torchtune-trainer",
        "command": command,
        "resources": {"limits": {"nvidia.com/gpu": 2}},
        "volumeMounts": mounts,
    }
    node = _job("node", container, step="trainer")
    node["dependsOn"] = [{"name": step["name"], "status": "Complete"} for step in steps]
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "20Gi"}}}
    templates = [{"metadata": {"name": "initializer"}, "spec": claim}]
    return {"volumeClaimPolicies": [{"templates": templates}], "replicatedJobs": [*steps, node]}
