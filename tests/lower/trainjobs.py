"""A job profile for each version of Trainer, built and expanded: what the tests of TrainJobs share."""

from __future__ import annotations

import json
from typing import Any

from specgen.document.read import read
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.operators.expansion import Expansion
from specgen.pipeline import Compiled, Result, compile_source
from specgen.profile.library import Library
from specgen.source import Source
from tests.acceptance.trees import Folder

VERSIONS = ("2.0.1", "2.1.0", "2.2.0", "2.3.0")
RUNTIME = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch-distributed}
spec:
  mlPolicy: {torch: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec:
              template:
                spec: {containers: [{name: node, image: "registry.example.com/torch:1"}]}
"""
MPI = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: mpi}
spec:
  mlPolicy: {mpi: {sshAuthMountPath: /home/user/.ssh, runLauncherAsNode: true}}
  template:
    spec:
      successPolicy: {operator: All, targetReplicatedJobs: [launcher]}
      replicatedJobs:
        - name: node
          template:
            spec:
              template:
                spec: {containers: [{name: node, image: "registry.example.com/mpi:1", command: [sshd]}]}
        - name: launcher
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec:
              template:
                spec: {containers: [{name: node, image: "registry.example.com/mpi:1"}]}
"""
CLUSTER: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Cluster",
    "metadata": {"name": "c"},
    "pools": {"gpu": {"gpu": {"resource": "nvidia.com/gpu", "perNode": 8}}},
}
JOB: dict[str, Any] = {
    "apiVersion": "specgen/v1",
    "kind": "Job",
    "metadata": {"name": "demo"},
    "cluster": "cluster.yaml",
    "target": "TrainJob",
    "image": "registry.example.com/train:1",
    "command": ["train.py"],
}
OVER = {"kind": "TrainJob", "runtime": "torch-distributed"}
MPI_OVER = {"kind": "TrainJob", "runtime": "mpi"}


def build(
    words: dict[str, Any],
    version: str = "2.3.0",
    cluster: dict[str, Any] | None = None,
    files: dict[str, bytes] | None = None,
) -> Result:
    """A job with these words, on a cluster with this Trainer and its runtimes; ``files`` stand in for these here."""
    runtimes: dict[str, Any] = {"torch-distributed": "runtime.yaml", "mpi": "mpi.yaml", "other": {}}
    operators = {"trainer": {"version": version, "runtimes": runtimes}}
    files = {
        "cluster.yaml": json.dumps({**CLUSTER, "operators": operators, **(cluster or {})}).encode(),
        "runtime.yaml": RUNTIME.encode(),
        "mpi.yaml": MPI.encode(),
        **(files or {}),
    }
    job = {key: value for key, value in {**JOB, **words}.items() if value is not None}
    return compile_source(Source("job.yaml", json.dumps(job)), Library(Folder(files)))


def built(words: dict[str, Any], version: str = "2.3.0", cluster: dict[str, Any] | None = None) -> Compiled:
    result = build(words, version, cluster)
    # a TTL is what it is with every release that is known
    assert not [one for one in result.diagnostics if one["code"] != "SG434"], result.diagnostics
    return result.compiled[0]


def trees(one: Compiled) -> dict[str, dict[str, Any]]:
    assert one.bundle is not None
    return {manifest.ref.kind: manifest.tree for manifest in one.bundle.manifests}


def expanded(one: Compiled, *more: Manifest) -> Expansion:
    assert one.bundle is not None and one.reader is not None and one.plan is not None
    beside = [manifest for manifest in one.bundle.manifests if manifest is not one.bundle.job]
    companions = [*beside, *more]
    expansion, findings = expand_manifest(one.bundle.job, one.reader, one.plan.version, companions=companions)
    assert expansion is not None and not findings and not expansion.refusals, (findings, expansion)
    return expansion


def runtime(text: str = RUNTIME) -> Manifest:
    """A runtime that the cluster of these tests has."""
    (document,), _ = read(Source("runtime.yaml", text))
    return Manifest(document.data, document)


def refused(
    words: dict[str, Any],
    version: str = "2.3.0",
    cluster: dict[str, Any] | None = None,
    files: dict[str, bytes] | None = None,
) -> str:
    """Code, path and message of the only error, and its notes."""
    result = build(words, version, cluster, files)
    errors = [one for one in result.diagnostics if one["severity"] == "error"]
    assert len(errors) == 1, result.diagnostics
    return " | ".join([errors[0]["code"], errors[0]["path"], errors[0]["message"], *errors[0].get("notes", [])])
