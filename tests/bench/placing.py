"""What `specgen fit` costs: CPU against nodes, which are to cost nothing, against jobs, which are to cost alike, and
against pods; and that of each kind.

Also behind 200 queues of Kueue whose flavor has a topology: 5 blocks of 20 racks of 100 nodes, jobs wish for a rack.
"""

from __future__ import annotations

import gc
from pathlib import Path
from time import process_time
from typing import Any

from specgen.cli.main import COLLECT
from specgen.schedulers.fit import fit
from specgen.schedulers.objects import amounts
from specgen.schedulers.verdict import FITS
from specgen.schedulers.world import Nodes, Numbered, Objects, World

PODS = 64
NODES = (100, 1_000, 10_000, 100_000)
JOBS = (10, 100, 1_000)
SIZES = (16, 64, 256, 1_000)
KINDS = ("MPIJob", "JobSet", "TrainJob")
QUEUES, BLOCKS, RACKS, HOSTS = 200, 5, 20, 100
# CPU seconds of the largest world, without queues and with them.
GOAL, GOAL_OF_QUEUES = 1.0, 2.0
_KUEUE, TRAINER = "kueue.x-k8s.io", "trainer.kubeflow.org/v1alpha1"


def job(name: str, kind: str = "PyTorchJob", pods: int = PODS) -> dict[str, Any]:
    """A job of so many pods of one GPU."""
    container = {"name": "pytorch", "image": "r/e:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    template = {"spec": {"containers": [container]}}
    role = {"replicas": pods, "template": template}
    api, spec = {
        "PyTorchJob": ("kubeflow.org/v1", {"pytorchReplicaSpecs": {"Worker": role}}),
        "MPIJob": ("kubeflow.org/v2beta1", {"mpiReplicaSpecs": {"Launcher": {"template": template}, "Worker": role}}),
        "JobSet": (
            "jobset.x-k8s.io/v1alpha2",
            {"replicatedJobs": [{"name": "node", "template": batch(template, pods)}]},
        ),
        "TrainJob": (TRAINER, {"runtimeRef": {"name": "torch"}, "trainer": {"numNodes": pods}}),
    }[kind]
    return {"apiVersion": api, "kind": kind, "metadata": {"name": name, "namespace": "default"}, "spec": spec}


def batch(template: dict[str, Any], pods: int) -> dict[str, Any]:
    """The template of a batch Job of so many pods."""
    spec = {
        "parallelism": pods,
        "completions": pods,
        "template": {"spec": {**template["spec"], "restartPolicy": "Never"}},
    }
    return {"spec": spec}


def runtime() -> dict[str, Any]:
    """The runtime of TrainJobs."""
    container = {"name": "node", "image": "r/e:1", "resources": {"limits": {"nvidia.com/gpu": 1}}}
    job = {
        "metadata": {"labels": {"trainer.kubeflow.org/trainjob-ancestor-step": "trainer"}},
        "spec": {"template": {"spec": {"containers": [container]}}},
    }
    spec = {
        "mlPolicy": {"numNodes": 1, "torch": {"numProcPerNode": "auto"}},
        "template": {"spec": {"replicatedJobs": [{"name": "node", "template": job}]}},
    }
    labels = {"trainer.kubeflow.org/framework": "torch"}
    metadata = {"name": "torch", "labels": labels}
    return {"apiVersion": TRAINER, "kind": "ClusterTrainingRuntime", "metadata": metadata, "spec": spec}


def cost(nodes: int, jobs: int, kind: str = "PyTorchJob", pods: int = PODS) -> float:
    """CPU seconds for jobs of a kind on equal nodes of 8 GPUs. Raises ValueError where one does not fit."""
    group = Nodes("gpu", Numbered("gpu-", nodes), amounts({"cpu": "96", "pods": "110", "nvidia.com/gpu": "8"}))
    trees = [job(f"job-{at}", kind, pods) for at in range(jobs)]
    start = process_time()
    answers = fit(World([group], [], Objects([runtime()])), trees)
    spent = process_time() - start
    if any(one.verdict != FITS for one in answers):
        raise ValueError(f"{jobs} jobs of {pods} pods do not fit {nodes} nodes")
    return spent


def queues() -> list[dict[str, Any]]:
    """Queues in cohorts of ten, all of one flavor with a topology."""

    def made(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
        return {"apiVersion": f"{_KUEUE}/v1beta2", "kind": kind, "metadata": {"name": name}, "spec": spec}

    levels = [{"nodeLabel": label} for label in ("block", "rack", "kubernetes.io/hostname")]
    resource = {"name": "nvidia.com/gpu", "nominalQuota": 32}
    group = {"coveredResources": [resource["name"]], "flavors": [{"name": "gpu", "resources": [resource]}]}
    trees = [made("Topology", "fabric", {"levels": levels}), made("ResourceFlavor", "gpu", {"topologyName": "fabric"})]
    for at in range(QUEUES):
        spec = {"namespaceSelector": {}, "resourceGroups": [group], "cohortName": f"cohort-{at % 20}"}
        trees += [made("ClusterQueue", f"q-{at}", spec), made("LocalQueue", f"q-{at}", {"clusterQueue": f"q-{at}"})]
    return trees


def queued(at: int) -> dict[str, Any]:
    """A PyTorchJob of one to four pods of 8 GPUs, of which every second one must have a rack, the others want one."""
    wish = f"{_KUEUE}/podset-{'required' if at % 2 else 'preferred'}-topology"
    container = {"name": "pytorch", "image": "r/e:1", "resources": {"limits": {"nvidia.com/gpu": 8}}}
    template = {"metadata": {"annotations": {wish: "rack"}}, "spec": {"containers": [container]}}
    metadata = {"name": f"job-{at}", "labels": {f"{_KUEUE}/queue-name": f"q-{at % QUEUES}"}}
    spec = {"pytorchReplicaSpecs": {"Worker": {"replicas": 1 + at % 4, "template": template}}}
    return {"apiVersion": "kubeflow.org/v1", "kind": "PyTorchJob", "metadata": metadata, "spec": spec}


def cost_of_queues(jobs: int) -> float:
    """CPU seconds for jobs of queues in racks. Raises ValueError where none begins."""
    there = amounts({"cpu": "96", "pods": "110", "nvidia.com/gpu": "8"})
    groups = [
        Nodes(f"r{block}-{rack}", Numbered(f"n-{block}-{rack}-", HOSTS), there, labels=labels)
        for block in range(BLOCKS)
        for rack in range(RACKS)
        for labels in [{"block": f"b{block}", "rack": f"r{rack}"}]
    ]
    trees = [queued(at) for at in range(jobs)]
    start = process_time()
    answers = fit(World(groups, [], Objects(queues())), trees)
    spent = process_time() - start
    if not any(one.verdict == FITS for one in answers):
        raise ValueError(f"none of {jobs} jobs begins")
    return spent


def measure(folder: Path, rounds: int) -> list[str]:
    """Lines with the figures; the best of several rounds."""
    gc.set_threshold(*COLLECT)

    def best(nodes: int, jobs: int) -> float:
        return min(cost(nodes, jobs) for _ in range(rounds))

    lines = [f"fit, jobs of {PODS} pods, CPU seconds"]
    lines += [f"  10 jobs on {nodes:>7,} nodes: {best(nodes, 10):.2f}" for nodes in NODES]
    lines += [f"  {jobs:>5,} jobs on 10,000 nodes: {best(10_000, jobs):.2f}" for jobs in JOBS]
    for kind in KINDS:
        spent = min(cost(10_000, JOBS[-1], kind) for _ in range(rounds))
        lines.append(f"  {JOBS[-1]:>5,} of kind {kind} on 10,000 nodes: {spent:.2f}")
    lines += [f"  goal for {JOBS[-1]:,} of any kind: {GOAL:.2f}"]
    for pods in SIZES:
        spent = min(cost(10_000, 10, pods=pods) for _ in range(rounds))
        lines.append(f"  10 jobs of {pods:>5,} pods on 10,000 nodes: {spent:.2f}")
    lines += [f"behind {QUEUES} queues, {BLOCKS} x {RACKS} racks of {HOSTS} nodes"]
    lines += [f"  {jobs:>5,} jobs: {min(cost_of_queues(jobs) for _ in range(rounds)):.2f}" for jobs in JOBS]
    return [*lines, f"  goal for the last: {GOAL_OF_QUEUES:.2f}"]
