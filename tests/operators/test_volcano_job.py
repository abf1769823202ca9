"""A Volcano Job is read: its tasks are roles, its pods are checked as those of other kinds, and can be listed."""

from __future__ import annotations

from specgen import operators
from specgen.document.read import read
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.pipeline import lint_text
from specgen.source import Source

JOB = """\
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train, namespace: team}
spec:
  minAvailable: 3
  schedulerName: volcano
  tasks:
  - name: master
    replicas: 1
    template: {spec: {restartPolicy: Never, containers: [{name: a, image: b:1, command: [run, $(RANK)]}]}}
  - replicas: 2
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: a
          image: b:1
          resources: {requests: {nvidia.com/gpu: 1}}
"""


def test_tasks_are_roles_and_pods_bear_their_names() -> None:
    document = read(Source("job.yaml", JOB.replace("requests", "limits")))[0][0]
    manifest = Manifest(document.data, document)
    backend = operators.by_object("batch.volcano.sh/v1alpha1", "Job")
    assert backend is not None and operators.by_object("batch/v1", "Job") is None
    workload = backend.read(manifest)
    assert [(role.name, role.replicas) for role in workload.roles] == [("master", 1), ("default1", 2)]
    expansion, findings = expand_manifest(manifest, backend)
    assert expansion is not None and findings == []
    assert [pod["metadata"]["name"] for pod in expansion.pods] == [
        "train-master-0",
        "train-default1-0",
        "train-default1-1",
    ]
    assert "nothing is recorded" in expansion.notes[0]


def test_its_pods_are_checked() -> None:
    assert [(one["code"], one["primary"]["start"]["line"]) for one in lint_text(JOB)] == [("SG463", 10), ("SG412", 18)]
    text = JOB.replace("  tasks:", "  plugins: {pytorch: []}\n  tasks:")
    assert [one["code"] for one in lint_text(text)] == ["SG412"], "a plugin may define the variable"


def test_pods_that_the_api_server_refuses_are_not_there() -> None:
    document = read(Source("job.yaml", JOB))[0][0]
    backend = operators.by_object("batch.volcano.sh/v1alpha1", "Job")
    assert backend is not None
    expansion, _ = expand_manifest(Manifest(document.data, document), backend)
    assert expansion is not None
    assert [pod["metadata"]["name"] for pod in expansion.pods] == ["train-master-0"]
    assert [(one.name, one.by) for one in expansion.refusals] == [("train-default1-0", "the API server")]
    assert "`nvidia.com/gpu` has no limit" in expansion.refusals[0].reason
