"""What is none of lint's business in a repository, told from what is; and what is said of what was not judged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from specgen.linting import lint_text
from tests.bad.program import specgen
from tests.golden import Golden

HERE = Path(__file__).parent
FILES = sorted(str(path.relative_to(HERE)) for path in (HERE / "repo").rglob("*.y*ml"))


def test_a_repository(golden: Golden) -> None:
    ended = specgen("lint", "repo", "--format", "human", cwd=HERE)
    assert ended.code == 1
    assert ended.out + "".join(f"2> {line}\n" for line in ended.err.splitlines()) == golden(HERE / "repo.txt")


def test_files_that_are_named_one_by_one_are_told_alike() -> None:
    """As pre-commit names them: without the kustomization that says what they are."""
    together = specgen("lint", "repo", cwd=HERE).out.splitlines()
    for file in FILES:
        alone = specgen("lint", file, cwd=HERE).out.splitlines()
        assert alone == [line for line in together if line.startswith(f"{file}:")], file


JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {{name: {name}}}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: {replicas}
      template: {{spec: {{containers: [{{name: {container}, image: a/b:1, command: [{command}]}}]}}}}
"""
PLAIN = {"name": "a", "replicas": "1", "container": "pytorch", "command": "python"}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        # what a program gets is no sign of a template, whatever else is wrong
        (JOB.format(**PLAIN | {"container": "train", "command": '"{{ .Values.x }}"'}), "SG301"),
        (JOB.format(**PLAIN | {"container": "train", "command": "$RANK"}), "SG301"),
        # nor is what Kubernetes would fill in, and does not in this field
        (JOB.format(**PLAIN | {"replicas": "$(NUM)"}), "SG103"),
        (JOB.format(**PLAIN | {"replicas": "'{1}'"}), "SG103"),
        # braces of a mapping in a mapping, and an action on another line than the slip
        ("metadata: {{name: a}: b}\nkind: PyTorchJob\n", "SG005"),
        ('a: "{{ .x }}"\nkind: PyTorchJob\nmetadata: {name: a\n', "SG002"),
        ("data:\n  alert: |\n    {{ $labels.instance }}\n kind: ConfigMap\n", "SG002"),
        # a list of objects, and tags in a manifest
        ("- kind: PyTorchJob\n", "SG006"),
        ("apiVersion: v1\nkind: ConfigMap\ndata: !include x\n", "SG005"),
        ("just text\n", "SG006"),
        # whatever a file is, readers disagree on what it says
        ("services: {a: 1}\nservices: {b: 2}\n", "SG003"),
        # a manifest that has lost its kind
        ("metadata: {name: a, files: \\.ya?ml$}\nspec: {}\n", "SG005"),
    ],
)
def test_a_manifest_with_a_slip_is_no_template(text: str, code: str) -> None:
    assert code in [one["code"] for one in lint_text(text) if one["severity"] == "error"]


@pytest.mark.parametrize(
    "text",
    [
        "repos:\n- {id: a, kind: b, files: \\.ya?ml$}\n",
        "a: {b: x?y}\n---\nc: 1\n",
    ],
)
def test_a_file_without_any_key_of_an_object_is_nobodys_manifest(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text)
    ended = specgen("lint", "a.yaml", cwd=tmp_path)
    assert (ended.code, ended.out, ended.err) == (0, "", "nothing is checked: 1 other document\n")


def test_a_template_is_one_finding() -> None:
    text = JOB.format(**PLAIN | {"name": "$NAME", "replicas": "$NUM", "command": "sh, -c, 'echo $RANK'"})
    (found,) = lint_text(text)
    assert (found["code"], found["severity"], found["primary"]["start"]["line"]) == ("SG012", "warning", 3)
    assert "as it stands, the file is refused" in " ".join(found["notes"])
    # envsubst would empty the variables of the command
    assert found["helps"] == ["check what comes of it: `envsubst '${NAME} ${NUM}' < FILE | specgen lint -`"]


def test_an_item_of_a_list_is_filled_in_as_a_document_is() -> None:
    text = JOB.format(**PLAIN | {"name": "$NAME", "replicas": "$NUM"})
    item = text.rstrip().replace("\n", "\n  ")
    (found,) = lint_text(f"apiVersion: v1\nkind: List\nitems:\n- {item}\n")
    assert (found["code"], found["primary"]["start"]["line"]) == ("SG012", 6)


def test_what_was_not_judged_is_never_called_clean(tmp_path: Path) -> None:
    (tmp_path / "job.yaml").write_text(JOB.format(**PLAIN))
    (tmp_path / "flow.yaml").write_text("apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: a}\n")
    (tmp_path / "empty.yaml").write_text("# nothing\n")
    batch = "spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}\n"
    (tmp_path / "batch.yaml").write_text(f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: a}}\n{batch}")
    said = {
        ("flow.yaml",): "nothing is checked: 1 argoproj.io/v1alpha1 Workflow\n",
        ("flow.yaml", "-q"): "nothing is checked: 1 argoproj.io/v1alpha1 Workflow\n",
        ("flow.yaml", "job.yaml"): "1 file clean; not checked: 1 argoproj.io/v1alpha1 Workflow\n",
        ("flow.yaml", "job.yaml", "-q"): "",
        ("job.yaml", "empty.yaml"): "1 file clean; not checked: 1 empty file\n",
        ("empty.yaml",): "nothing is checked: 1 empty file\n",
        # as it is judged, so it is counted, whether something is found of it or not
        ("batch.yaml",): "1 file clean; not checked: 1 batch/v1 Job (but for what holds of every Job)\n",
    }
    for words, expected in said.items():
        ended = specgen("lint", *words, cwd=tmp_path)
        assert (ended.code, ended.out, ended.err) == (0, "", expected), words
    ended = specgen("lint", "flow.yaml", "--format", "json", cwd=tmp_path)
    assert json.loads(ended.out)["summary"]["unchecked"] == {"argoproj.io/v1alpha1 Workflow": 1}
    assert ended.err == ""
    (tmp_path / "batch.yaml").write_text((tmp_path / "batch.yaml").read_text().replace("Never", "Always"))
    ended = specgen("lint", "batch.yaml", cwd=tmp_path)
    assert (ended.code, ended.err) == (1, "not checked: 1 batch/v1 Job (but for what holds of every Job)\n")


def test_an_empty_folder_keeps_no_file_from_being_checked(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "job.yaml").write_text(JOB.format(**PLAIN | {"container": "train"}))
    ended = specgen("lint", "empty", "job.yaml", cwd=tmp_path)
    assert ended.code == 2 and "SG301" in ended.out
    assert "the folder empty holds no YAML file" in ended.err


CRD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: runs.example.com}
spec:
  group: example.com
  names: {kind: Run, plural: runs}
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema:
        openAPIV3Schema:
          type: object
          properties: {spec: {type: object, properties: {nodes: {type: integer}}}}
"""


def test_kinds_of_a_cluster_are_judged_by_their_definitions(tmp_path: Path) -> None:
    (tmp_path / "crds").mkdir()
    (tmp_path / "crds/run.yaml").write_text(CRD)
    (tmp_path / "crds/note.yaml").write_text("a: 1\n")
    (tmp_path / "run.yaml").write_text("apiVersion: example.com/v1\nkind: Run\nmetadata: {name: a}\nspec: {node: 2}\n")
    assert specgen("lint", "run.yaml", cwd=tmp_path).err == "nothing is checked: 1 example.com/v1 Run\n"
    ended = specgen("lint", "run.yaml", "--crds", "crds", cwd=tmp_path)
    said = "`node` is not a field of `spec` (rename `node` to `nodes`)"
    assert (ended.code, ended.out) == (1, f"run.yaml:4:8: error[SG101] {said}\n")
    ended = specgen("fix", "--unsafe", "run.yaml", "--crds", "crds", cwd=tmp_path)
    assert ended.code == 0 and "{nodes: 2}" in (tmp_path / "run.yaml").read_text()
    for path, reason in (("gone", "there is no such file"), ("run.yaml", "there is no CustomResourceDefinition in it")):
        ended = specgen("lint", "run.yaml", "--crds", path, cwd=tmp_path)
        assert ended.code == 2 and reason in ended.err


@pytest.mark.parametrize(
    ("field", "severity", "advice"),
    [
        ("defaultMode: 0755", "note", "else write `493`"),
        ("defaultMode: 0o755", "note", "else write `493`"),
        ("defaultMode: 1_0", "warning", "write `10`"),
    ],
)
def test_advice_on_a_number_is_one_that_the_field_takes(field: str, severity: str, advice: str) -> None:
    volume = f"volumes: [{{name: c, configMap: {{name: c, {field}}}}}]"
    text = JOB.format(**PLAIN).replace("containers:", f"{volume}, containers:")
    (found,) = (one for one in lint_text(text) if one["code"] == "SG010")
    assert found["severity"] == severity and advice in found["helps"][0]
    assert '"0' not in found["helps"][0]


def test_a_number_in_quotes_is_advised_where_the_field_takes_text() -> None:
    text = JOB.format(**PLAIN).replace("metadata: {name: a}", "metadata: {name: a, labels: {on: 1}}")
    assert [one["helps"] for one in lint_text(text) if one["code"] == "SG010"] == [['write `"on"`']]


@pytest.mark.parametrize(("field", "inner"), [("podTemplateOverrides", "spec: {%s}"), ("podSpecOverrides", "%s")])
def test_a_refusal_names_the_field_that_the_file_has(field: str, inner: str) -> None:
    patch = inner % "containers: [{name: node, env: [{name: A, value: b}]}]"
    text = (
        "apiVersion: trainer.kubeflow.org/v1alpha1\nkind: TrainJob\nmetadata: {name: a}\nspec:\n"
        f"  runtimeRef: {{name: torch-distributed}}\n  {field}: [{{targetJobs: [{{name: node}}], {patch}}}]\n"
    )
    (found,) = (one for one in lint_text(text) if one["code"] == "SG317")
    assert found["message"].startswith(f"`spec.{field}[0]`")
    assert found["primary"]["start"]["line"] == 6


def test_times_that_the_api_server_writes_are_no_doubt() -> None:
    """`kubectl get -o yaml` printed them without quotes once, and only the API server reads them."""
    moment = "2018-12-16T21:40:45Z"
    text = JOB.format(**PLAIN).replace("metadata: {name: a}", f"metadata: {{name: a, creationTimestamp: {moment}}}")
    assert "creationTimestamp" in text and [one for one in lint_text(text) if one["code"] == "SG010"] == []
    text = JOB.format(**PLAIN).replace("metadata: {name: a}", f"metadata: {{name: a, annotations: {{at: {moment}}}}}")
    assert len([one for one in lint_text(text) if one["code"] == "SG010"]) == 1
