"""A field that the installed operator does not know is refused where it stands, with the release that brought it."""

from __future__ import annotations

import pytest

from specgen import operators
from specgen.document.read import read
from specgen.linting import lint_source, lint_text
from specgen.operators.too_new import too_new
from specgen.profile.library import Library
from specgen.source import Source
from tests.acceptance.trees import Folder

CASES = [
    ("PyTorchJob", "kubeflow.org/v1", "1.8.1", {"spec": {"runPolicy": {"managedBy": "a"}}}, "managedBy", "1.9"),
    (
        "PyTorchJob",
        "kubeflow.org/v1",
        "1.7.0",
        {"initContainers": [{}, {"restartPolicy": "Always"}]},
        "restartPolicy",
        "1.8",
    ),
    ("PyTorchJob", "kubeflow.org/v1", "1.8.1", {"spec": {"hostnameOverride": "a"}}, "hostnameOverride", "1.9"),
    ("MPIJob", "kubeflow.org/v2beta1", "0.4.0", {"spec": {"runLauncherAsWorker": True}}, "runLauncherAsWorker", "0.5"),
    ("MPIJob", "kubeflow.org/v2beta1", "0.5.0", {"spec": {"runPolicy": {"managedBy": "a"}}}, "managedBy", "0.6"),
]


@pytest.mark.parametrize(("kind", "api", "version", "tree", "field", "brought"), CASES)
def test_a_field_of_a_later_release_is_refused(
    kind: str, api: str, version: str, tree: dict[str, object], field: str, brought: str
) -> None:
    backend = operators.by_object(api, kind)
    assert backend is not None
    (finding,) = too_new(backend.operator, tree, version, backend.group)
    assert finding.place.path[-1] == field
    assert finding.message == f"{backend.operator.name} {version} does not know `{field}`, which came with {brought}"
    assert too_new(backend.operator, tree, brought + ".0", backend.group) == []


JOB = "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\n"
JOB += "spec:\n  runtimeRef: {name: mine}\n"
RUNTIME = (
    "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainingRuntime\nmetadata: {name: mine}\nspec:\n"
    "  template: {spec: {replicatedJobs: []}}\n"
)
OVERRIDES = "  podTemplateOverrides: [{targetJobs: [{name: node}], spec: {serviceAccountName: x}}]\n"
OF_2_0 = "  podSpecOverrides: [{targetJobs: [{name: node}], serviceAccountName: x}]\n"
OF_2_2 = "  runtimePatches: [{manager: a/b, trainingRuntimeSpec: {}}]\n"


# text, (severity, path, version of Trainer that a note names) of what is found
OLDER = [
    (JOB + OVERRIDES, [("warning", "spec.podTemplateOverrides", "2.1.0")]),
    (JOB + OF_2_0, [("warning", "spec.podSpecOverrides", "2.0.1")]),
    (JOB + "  labels: {a: b}\n", [("warning", "spec.labels", "2.1.0")]),
    (JOB + "  trainer: {numProcPerNode: auto}\n", [("warning", "spec.trainer.numProcPerNode", "2.1.0")]),
    (JOB + "  trainer: {numProcPerNode: 4}\n", []),
    (JOB + "  trainer: {numProcPerNode: many}\n", [("error", "spec.trainer.numProcPerNode", "2.3.0")]),
    (JOB + OVERRIDES + OF_2_2, [("error", "spec.podTemplateOverrides", "2.3.0")]),
    (JOB + "  podTemplateOverride: []\n", [("error", "spec.podTemplateOverride", "2.3.0")]),
    (
        JOB + OVERRIDES.replace("serviceAccountName", "serviceAccount"),
        [
            ("warning", "spec.podTemplateOverrides", "2.1.0"),
            ("error", "spec.podTemplateOverrides[0].spec.serviceAccount", ""),
        ],
    ),
    (
        RUNTIME + "  mlPolicy: {torch: {numProcPerNode: auto}}\n",
        [("warning", "spec.mlPolicy.torch.numProcPerNode", "2.1.0")],
    ),
    (RUNTIME + "  mlPolicy: {torch: {}}\n", []),
]


@pytest.mark.parametrize(("text", "wanted"), OLDER)
def test_what_is_right_in_an_older_trainer_is_no_error(text: str, wanted: list[tuple[str, str, str]]) -> None:
    found = lint_text(text)
    assert [(one["severity"], one["path"]) for one in found] == [(severity, path) for severity, path, _ in wanted]
    for one, (_, _, version) in zip(found, wanted, strict=True):
        assert version in " ".join(one["notes"])


@pytest.mark.parametrize("version", ["2.0.1", "2.1.0", "2.2.0", "2.3.0"])
def test_the_version_of_the_cluster_counts(version: str) -> None:
    cluster = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: a}\n"
    cluster += f"operators: {{trainer: {{version: {version}}}}}\n"
    document = read(Source("cluster.yaml", cluster))[0][0]
    profile = Library(Folder({})).cluster(document)
    text = JOB + "  trainer: {numProcPerNode: auto}\n" + (OF_2_0 if version == "2.0.1" else OVERRIDES)
    errors = lint_source(Source("a.yaml", text), profile).diagnostics
    assert bool(errors) == (version in ("2.2.0", "2.3.0"))
    helps = [help for one in errors for help in one["helps"] if one["path"] == "spec.podTemplateOverrides"]
    told = f"trainer 2.1.0 was the last with this field, {version} says it in `runtimePatches`"
    assert helps == ([told] if errors else [])


@pytest.mark.parametrize(("version", "instead"), [("2.1.0", "podTemplateOverrides"), ("2.3.0", "runtimePatches")])
def test_what_came_in_a_fields_place_is_that_of_the_release(version: str, instead: str) -> None:
    cluster = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: a}\n"
    cluster += f"operators: {{trainer: {{version: {version}}}}}\n"
    profile = Library(Folder({})).cluster(read(Source("cluster.yaml", cluster))[0][0])
    (found,) = lint_source(Source("a.yaml", JOB + OF_2_0), profile).diagnostics
    assert found["helps"] == [f"trainer 2.0.1 was the last with this field, {version} says it in `{instead}`"]
