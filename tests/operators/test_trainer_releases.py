"""A TrainJob is told about in the words of the Trainer that there is: its fields, its counts, its webhook."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from specgen.document.read import read
from specgen.linting import lint_source
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.operators.trainer.trainjob import READER
from specgen.profile.library import Library
from specgen.source import Source
from tests.acceptance.trees import Folder

JOB = """\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: a}
spec:
  runtimeRef: {name: mine}
"""
PODS = "[{name: node, image: i, resources: {limits: {nvidia.com/gpu: 8, cpu: 16}}}]"
RUNTIME = f"""\
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {{name: mine}}
spec:
  mlPolicy: {{torch: TORCH}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {{labels: {{trainer.kubeflow.org/trainjob-ancestor-step: trainer}}}}
            spec: {{template: {{spec: {{containers: {PODS}}}}}}}
"""
SAYS = {
    "2.0.1": "  podSpecOverrides: [{targetJobs: [{name: NAME}], nodeSelector: {a: b}}]\n",
    "2.1.0": "  podTemplateOverrides: [{targetJobs: [{name: NAME}], spec: {nodeSelector: {a: b}}}]\n",
    "2.3.0": (
        "  runtimePatches: [{manager: a/b, trainingRuntimeSpec: {template: {spec: {replicatedJobs: "
        "[{name: NAME, template: {spec: {template: {spec: {nodeSelector: {a: b}}}}}}]}}}}]\n"
    ),
}


def expanded(job: str, runtime: str, version: str) -> Any:
    first, second = (read(Source("a.yaml", text))[0][0] for text in (job, runtime))
    companions = [Manifest(second.data, second)]
    expansion, findings = expand_manifest(Manifest(first.data, first), READER, version, companions=companions)
    return expansion, findings


def linted(job: str, version: str, runtime: str = "") -> list[dict[str, Any]]:
    cluster = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: a}\n"
    cluster += f"operators: {{trainer: {{version: {version}}}}}\n"
    profile = Library(Folder({})).cluster(read(Source("cluster.yaml", cluster))[0][0])
    text = job + ("---\n" + runtime if runtime else "")
    found = [dict(one) for one in lint_source(Source("a.yaml", text), profile).diagnostics]
    return [one for one in found if one["severity"] == "error"]


# of a runtime, of a TrainJob → what torchrun is told of 8 GPUs and 16 CPUs, and the ranks of a pod
COUNTS = [
    ("4", "", "4", 3),
    ("gpu", "", "gpu", 7),
    ("cpu", "", "16", 15),
    ("auto", "", "auto", 7),
    ("", "cpu", "16", 15),
    ("2", "gpu", "gpu", 7),
    ("cpu", "3", "3", 2),
    ("", "", "auto", 7),
]


@pytest.mark.parametrize(("of_runtime", "of_job", "told", "last"), COUNTS)
@pytest.mark.parametrize("version", ["2.0.1", "2.1.0"])
def test_counts_of_processes_are_words_until_2_1(
    of_runtime: str, of_job: str, told: str, last: int, version: str
) -> None:
    runtime = RUNTIME.replace("TORCH", f"{{numProcPerNode: {of_runtime}}}" if of_runtime else "{}")
    count = f", numProcPerNode: {of_job}" if of_job else ""
    expansion, findings = expanded(
        f"{JOB}  trainer: {{numNodes: 1, command: [torchrun, a.py]{count}}}\n", runtime, version
    )
    assert not findings and not expansion.refusals
    (pod,) = expansion.pods
    env = {one["name"]: one.get("value") for one in pod["spec"]["containers"][0]["env"]}
    assert env["PET_NPROC_PER_NODE"] == told
    assert expansion.instances[0].ranks == (0, last)
    # nobody drops what that release knows
    assert not [note for note in expansion.notes if "numProcPerNode" in note]


@pytest.mark.parametrize("version", SAYS)
def test_a_patch_of_a_job_that_the_runtime_lacks_is_told_as_such(version: str) -> None:
    runtime = RUNTIME.replace("TORCH", "{}")
    job = JOB + "  trainer: {numNodes: 1}\n" + SAYS[version].replace("NAME", "nodes")
    (found,) = linted(job, version, runtime)
    assert found["code"] == "SG317" and "`nodes`" in found["message"]
    assert found["message"].endswith("the runtime has `node`")
    line = job.splitlines()[found["primary"]["start"]["line"] - 1]
    assert line[found["primary"]["start"]["column"] - 1 :].startswith("nodes")
    expansion, _ = expanded(job, runtime, version)
    (refusal,) = expansion.refusals
    # 2.3 lets the patch add the job; before, the webhook saw to it
    assert refusal.kind == ("JobSet" if version == "2.3.0" else "TrainJob")
    assert refusal.reason in found["message"]
    right = job.replace("nodes", "node")
    assert linted(right, version, runtime) == []
    (pod,) = expanded(right, runtime, version)[0].pods
    assert pod["spec"]["nodeSelector"] == {"a": "b"}


@pytest.mark.parametrize(
    ("said", "version", "since", "instead"),
    [
        ("2.1.0", "2.0.1", "2.1", "podSpecOverrides"),
        ("2.3.0", "2.0.1", "2.2", "podSpecOverrides"),
        ("2.3.0", "2.1.0", "2.2", "podTemplateOverrides"),
    ],
)
def test_a_field_that_came_later_is_told_with_the_one_that_there_is(
    said: str, version: str, since: str, instead: str
) -> None:
    job = JOB + SAYS[said].replace("NAME", "nodes")
    field = job.split("runtimeRef: {name: mine}\n  ")[1].partition(":")[0]
    (found,) = linted(job, version, RUNTIME.replace("TORCH", "{}"))
    assert (found["code"], found["path"]) == ("SG101", f"spec.{field}")
    assert found["message"] == f"trainer {version} does not know `{field}`, which came with {since}"
    assert found["helps"] == [f"trainer {version} says it in `{instead}`"]
    # the same of who expands it
    expansion, findings = expanded(job, RUNTIME.replace("TORCH", "{}"), version)
    assert expansion is None
    assert [(one.message, list(one.helps)) for one in findings] == [(found["message"], found["helps"])]


@pytest.mark.parametrize(("version", "own"), [("2.0.1", "podSpecOverrides"), ("2.1.0", "podTemplateOverrides")])
def test_the_fields_that_are_listed_are_those_of_the_release(version: str, own: str) -> None:
    (found,) = linted(JOB + "  foo: 1\n", version)
    (help,) = found["helps"]
    assert f"`{own}`" in help
    assert "runtimePatches" not in help and "activeDeadlineSeconds" not in help
    (slip,) = linted(JOB + f"  {own[:-1]}: []\n", version)
    assert slip["helps"] == [f"there is a field with a similar name: `{own}`"]


def test_what_a_release_drops_patches_nothing() -> None:
    job = JOB + "  trainer: {numNodes: 1}\n" + SAYS["2.3.0"].replace("NAME", "node")
    first, second = (read(Source("a.yaml", text))[0][0] for text in (job, RUNTIME.replace("TORCH", "{}")))
    companions = [Manifest(second.data, second)]
    job_manifest = Manifest(first.data, first)
    expansion, _ = expand_manifest(job_manifest, READER, "2.1.0", lenient=True, companions=companions)
    assert expansion is not None
    assert "nodeSelector" not in yaml.safe_dump(expansion.pods)
