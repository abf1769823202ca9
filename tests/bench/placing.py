"""What `specgen fit` costs: CPU against nodes, which are to cost nothing, and against jobs, which are to cost alike."""

from __future__ import annotations

from pathlib import Path
from time import process_time
from typing import Any

from specgen.schedulers.fit import FITS, fit
from specgen.schedulers.objects import amounts
from specgen.schedulers.world import Nodes, Numbered, World

PODS = 64
NODES = (100, 1_000, 10_000, 100_000)
JOBS = (10, 100, 1_000)
# CPU seconds of the largest world.
GOAL = 1.0


def job(name: str) -> dict[str, Any]:
    """A PyTorchJob of so many pods of one GPU."""
    container = {"name": "pytorch", "image": "r/e:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    role = {"replicas": PODS, "template": {"spec": {"containers": [container]}}}
    tree = {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": {"name": name}}
    return {**tree, "spec": {"pytorchReplicaSpecs": {"Worker": role}}}


def cost(nodes: int, jobs: int) -> float:
    """CPU seconds for jobs on equal nodes of 8 GPUs. Raises ValueError where one does not fit."""
    group = Nodes("gpu", Numbered("gpu-", nodes), amounts({"cpu": "96", "pods": "110", "nvidia.com/gpu": "8"}))
    trees = [job(f"job-{at}") for at in range(jobs)]
    start = process_time()
    answers = fit(World([group]), trees)
    spent = process_time() - start
    if any(one.verdict != FITS for one in answers):
        raise ValueError(f"{jobs} jobs of {PODS} pods do not fit {nodes} nodes")
    return spent


def measure(folder: Path, rounds: int) -> list[str]:
    """Lines with the figures; the best of several rounds."""

    def best(nodes: int, jobs: int) -> float:
        return min(cost(nodes, jobs) for _ in range(rounds))

    lines = [f"fit, jobs of {PODS} pods, CPU seconds"]
    lines += [f"  10 jobs on {nodes:>7,} nodes: {best(nodes, 10):.2f}" for nodes in NODES]
    lines += [f"  {jobs:>5,} jobs on 10,000 nodes: {best(10_000, jobs):.2f}" for jobs in JOBS]
    return [*lines, f"  goal for the last: {GOAL:.2f}"]
