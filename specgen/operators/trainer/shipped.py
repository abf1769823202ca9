"""The ClusterTrainingRuntimes that Trainer installs, as far as a TrainJob is judged by them.

Read from kubeflow/trainer v2.3.0 (658725bdae5c), manifests/base/runtimes: names, policies, jobs, containers, devices.
"""

from __future__ import annotations

from specgen.manifest.model import Manifest
from specgen.operators.trainer.runtime import ANCESTOR, API_VERSION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Placer

KIND = "ClusterTrainingRuntime"
# Runtime → its policy.
_POLICIES = {
    "deepspeed-distributed": "mpi",
    "jax-distributed": "jax",
    "mlx-distributed": "mpi",
    "torch-distributed": "torch",
    "torchtune-llama3.2-1b": "torch",
    "torchtune-llama3.2-3b": "torch",
    "torchtune-qwen2.5-1.5b": "torch",
    "xgboost-distributed": "xgboost",
}
_MPI = {"numProcPerNode": 1, "mpiImplementation": "OpenMPI", "runLauncherAsNode": True}
_IMAGE = "<the runtime's>"


def shipped(name: str, where: Placer) -> Manifest | None:
    """The runtime of a name that Trainer installs; None: it installs none. where: what findings about it point at."""
    policy = _POLICIES.get(name)
    if policy is None:
        return None
    jobs: list[dict[str, Any]] = [_job("node", "node", "trainer")]
    spec: dict[str, Any] = {"replicatedJobs": jobs}
    if policy == "mpi":
        spec["replicatedJobs"] = [_job("node", "node", ""), _job("launcher", "node", "trainer")]
    elif name.startswith("torchtune-"):
        jobs[0]["template"]["spec"]["template"]["spec"]["containers"][0] |= {
            "command": ["tune", "run"],
            "resources": {"limits": {"nvidia.com/gpu": 2}},
        }
        steps = [_job(step, step, step) for step in ("dataset-initializer", "model-initializer")]
        spec["replicatedJobs"] = [*steps, *jobs]
        for job in spec["replicatedJobs"]:
            mount = {"name": "initializer", "mountPath": "/workspace"}
            job["template"]["spec"]["template"]["spec"]["containers"][0]["volumeMounts"] = [mount]
        spec["volumeClaimPolicies"] = [{"templates": [{"metadata": {"name": "initializer"}}]}]
    body = {"mlPolicy": {"numNodes": 1, policy: dict(_MPI) if policy == "mpi" else {}}, "template": {"spec": spec}}
    tree = {"apiVersion": API_VERSION, "kind": KIND, "metadata": {"name": name}, "spec": body}
    return Manifest(tree, where)


def _job(name: str, container: str, step: str) -> dict[str, Any]:
    pod = {"spec": {"containers": [{"name": container, "image": _IMAGE}]}}
    template: dict[str, Any] = {"spec": {"template": pod}}
    if step:
        template["metadata"] = {"labels": {ANCESTOR: step}}
    return {"name": name, "template": template}
