"""``specgen krm`` against the rules of the functions specification, and under the real kustomize.

kubectl runs functions in containers alone: a program called ``docker`` on the path stands in for the container.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from specgen.cli.main import main
from tests.bad.every_node import changes, places, put
from tests.kubectl import kubectl

ROOT = Path(__file__).parents[2]
PROFILE = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: mnist}
target: PyTorchJob
image: registry.example.com/train:1
command: [python, /train.py]
pods: 2
"""
CLUSTER = """\
apiVersion: specgen/v1
kind: Cluster
metadata: {name: lab}
pools: {gpu: {nodes: {count: 1}, gpu: {resource: example.com/gpu, perNode: 1}}}
"""
JOB = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:  # of the job
  name: byhand
  annotations: {config.kubernetes.io/path: jobs/a.yaml, config.kubernetes.io/index: '3'}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 1, template: {spec: {containers: [{name: NAME, image: 'a:1'}]}}}
"""
MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: mnist, annotations: {internal.config.kubernetes.io/index: '0'}}
"""
# functions-spec.md, "results"; what it does not name is not there
RESULTS = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "required": ["message"],
        "additionalProperties": False,
        "dependentRequired": {"field": ["resourceRef"]},
        "properties": {
            "message": {"type": "string"},
            "severity": {"enum": ["error", "warning", "info"]},
            "resourceRef": {"type": "object", "required": ["apiVersion", "kind", "name"]},
            "field": {"type": "object", "required": ["path"]},
            "file": {
                "type": "object",
                "required": ["path"],
                "properties": {"index": {"type": "integer"}, "path": {"type": "string"}},
            },
            "tags": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    },
}


def config(kind: str, **spec: Any) -> dict[str, Any]:
    return {"apiVersion": "krm.specgen/v1", "kind": kind, "metadata": {"name": "jobs"}, "spec": spec}


def resources(*items: str, of: Any = None) -> str:
    """A ResourceList with the texts of items as they are."""
    text = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:" + ("\n" if items else " []\n")
    for item in items:
        text += "- " + item.replace("\n", "\n  ").rstrip(" ")
    return text + ("" if of is None else yaml.safe_dump({"functionConfig": of}))


class Function:
    """The function in a folder of its own, that holds a profile and a cluster."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.patch, self.capsys = folder, patch, capsys

    def __call__(self, text: str) -> tuple[int, str, str]:
        self.patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        code = main(["krm"])
        out, err = self.capsys.readouterr()
        return code, out, err


@pytest.fixture
def function(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Function:
    folder = tmp_path / "jobs"
    folder.mkdir()
    (folder / ".specgen-root").touch()
    (folder / "mnist.yaml").write_text(PROFILE)
    (folder / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / "outside.yaml").write_text(PROFILE)
    monkeypatch.chdir(folder)
    monkeypatch.delenv("HOME", raising=False)
    return Function(folder, monkeypatch, capsys)


WHOLE = yaml.safe_load(PROFILE)
RUNNER = {"config.kubernetes.io/function": "exec: {path: ./krm.sh}", "config.kubernetes.io/local-config": "true"}
# functionConfig → pods of the worker, and the resource that they ask for
GENERATORS: dict[str, tuple[dict[str, Any], int]] = {
    "a profile itself": ({**WHOLE, "metadata": {"name": "mnist", "annotations": RUNNER}}, 1),
    "a file": (config("Build", profiles=["mnist.yaml"]), 1),
    "a folder": (config("Build", profiles=["."]), 1),
    "a whole profile": (config("Build", profiles=[WHOLE]), 1),
    "a setting": (config("Build", profiles=["mnist.yaml"], set=["pods=8"]), 7),
    "a variant": (config("Build", profiles=[{**WHOLE, "variants": {"big": {"pods": 5}}}], variant="big"), 4),
    "the job without its variants": (
        config("Build", profiles=[{**WHOLE, "variants": {"big": {"pods": 5}}}], variant=""),
        1,
    ),
    "a cluster beside it": (config("Build", profiles=["mnist.yaml"], cluster="cluster.yaml"), 1),
    "a cluster in it": (config("Build", profiles=["mnist.yaml"], cluster=yaml.safe_load(CLUSTER)), 1),
    "a ConfigMap": (
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "jobs"}, "data": {"profiles": "mnist.yaml"}},
        1,
    ),
}


@pytest.mark.parametrize("name", GENERATORS)
def test_it_generates_and_does_so_once(name: str, function: Function) -> None:
    of, workers = GENERATORS[name]
    text = resources(MAP, of=of)
    code, out, err = function(text)
    assert (code, err) == (0, "")
    foreign, job = yaml.safe_load(out)["items"]
    assert foreign == yaml.safe_load(MAP)
    assert job["kind"] == "PyTorchJob"
    assert job["metadata"]["annotations"] == {"specgen/generated-by": of["metadata"]["name"]}
    assert job["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == workers
    assert function(out) == (0, out, "")


def test_what_it_generated_gives_way_and_keeps_its_place(function: Function) -> None:
    _, first, _ = function(resources(of=config("Build", profiles=["mnist.yaml"])))
    lies = "        config.kubernetes.io/path: kept.yaml\n        internal.config.kubernetes.io/index: '1'\n"
    mark = "        specgen/generated-by: jobs\n"
    assert mark[2:] in first
    first = first.replace(mark[2:], mark[2:] + lies.replace("        ", "      "))
    first = first.replace("functionConfig:", "- " + MAP.replace("\n", "\n  ").rstrip(" ") + "functionConfig:")
    (function.folder / "mnist.yaml").write_text(PROFILE.replace("pods: 2", "pods: 4"))
    code, out, _ = function(first)
    job, foreign = yaml.safe_load(out)["items"]
    assert (code, foreign) == (0, yaml.safe_load(MAP))
    assert job["spec"]["pytorchReplicaSpecs"]["Worker"]["replicas"] == 3
    assert job["metadata"]["annotations"]["config.kubernetes.io/path"] == "kept.yaml"
    assert job["metadata"]["annotations"]["internal.config.kubernetes.io/index"] == "1"
    (function.folder / "mnist.yaml").write_text(PROFILE.replace("name: mnist", "name: other"))
    code, out, _ = function(out)
    assert [item["metadata"]["name"] for item in yaml.safe_load(out)["items"]] == ["mnist", "other"]


def test_what_passes_stays_as_it_was_written(function: Function) -> None:
    text = resources(MAP, JOB.replace("NAME", "pytorch"), of=config("Lint"))
    assert function(text) == (0, text, "")
    listed = "apiVersion: v1\nkind: List\nitems: []\n"
    text = resources(MAP, JOB.replace("NAME", "pytorch"), listed)
    assert function(text) == (0, text, "")


BAD = JOB.replace("NAME", "trainer")
# ResourceList → code, field, file
REFUSED: dict[str, tuple[str, str, Any, Any]] = {
    "an item": (
        resources(MAP, BAD, of=config("Lint")),
        "SG301",
        "spec.pytorchReplicaSpecs.Worker.template.spec.containers[0].name",
        {"path": "jobs/a.yaml", "index": 3},
    ),
    "a profile in a file": (
        resources(of=config("Build", profiles=["mnist.yaml"], set=["pods=x"])),
        "SG103",
        None,
        None,
    ),
    "a cluster that is too small": (
        resources(of=config("Build", profiles=[{**WHOLE, "pods": 9, "resources": {"gpu": 1}}], cluster="cluster.yaml")),
        "SG601",
        "spec.profiles[0].pods",
        None,
    ),
    "a profile itself": (resources(of={**WHOLE, "pods": "x"}), "SG103", "pods", None),
    "an object that somebody else wrote": (
        resources(JOB.replace("byhand", "mnist"), of=config("Build", profiles=["mnist.yaml"])),
        "SG840",
        "metadata.name",
        {"path": "jobs/a.yaml", "index": 3},
    ),
    "a file outside": (resources(of=config("Build", profiles=["../outside.yaml"])), "SG841", "spec.profiles[0]", None),
    "a folder outside": (
        resources(of=config("Build", profiles=["mnist.yaml", ".."])),
        "SG841",
        "spec.profiles[1]",
        None,
    ),
    "a cluster outside": (
        resources(of=config("Build", profiles=["mnist.yaml"], cluster="/etc/hostname")),
        "SG841",
        "spec.cluster",
        None,
    ),
    "no such file": (resources(of=config("Build", profiles=["absent.yaml"])), "SG841", "spec.profiles[0]", None),
    "another field": (
        resources(of=config("Build", profiles=["mnist.yaml"], set=["pods=2", "podz=3"])),
        "SG841",
        "spec.set[1]",
        None,
    ),
    "another variant": (
        resources(of=config("Build", profiles=["mnist.yaml"], variant="a")),
        "SG841",
        "spec.variant",
        None,
    ),
    "no object": (resources(of=5), "SG841", None, None),
    "texts with commas": (
        resources(of={**yaml.safe_load(MAP), "data": {"profiles": "mnist.yaml,absent.yaml"}}),
        "SG841",
        "data.profiles",
        None,
    ),
    "no profiles": (resources(of=config("Build")), "SG841", "spec", None),
    "another word": (resources(of=config("Build", profile="a")), "SG841", "spec.profile", None),
    "another value": (resources(of=config("Lint", select="SG4")), "SG841", "spec.select", None),
    "another code": (resources(of=config("Lint", select=["SG999x"])), "SG841", "spec.select[0]", None),
    "another kind": (resources(of=config("Fix")), "SG841", "kind", None),
    "a kind that is no text": (resources(of={**config("Build"), "kind": ["Build"]}), "SG841", "kind", None),
    "no name of a file": (resources(of=config("Build", profiles=["a\0"])), "SG841", "spec.profiles[0]", None),
    "another object": (resources(of={"apiVersion": "v1", "kind": "Secret"}), "SG841", "apiVersion", None),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_failure_is_a_result_and_changes_no_item(name: str, function: Function) -> None:
    text, number, field, file = REFUSED[name]
    code, out, err = function(text)
    assert code == 1
    before, after = yaml.safe_load(text), yaml.safe_load(out)
    results = after.pop("results")
    assert after == before
    assert list(Draft202012Validator(RESULTS).iter_errors(results)) == []
    first = next(one for one in results if one["severity"] == "error")
    assert first["tags"]["code"] == number
    assert first.get("field", {}).get("path") == field
    assert first.get("file") == file
    assert f"error[{number}]" in err
    # results are those of one run
    assert function(out)[1] == out


def test_each_item_is_judged_as_a_file_of_its_own(function: Function) -> None:
    chart = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "{{ .Values.a }}"}\n'
    unfilled = JOB.replace("NAME", "pytorch").replace("replicas: 1", "replicas: $PODS")
    code, out, _ = function(resources(chart, unfilled, BAD))
    errors = [one for one in yaml.safe_load(out)["results"] if one["severity"] == "error"]
    assert (code, [one["tags"]["code"] for one in errors]) == (1, ["SG301"])


def test_a_warning_does_not_fail_it_and_a_comment_ignores_it(function: Function) -> None:
    job = JOB.replace("NAME", "pytorch").replace("replicas: 1,", "replicas: 1, restartPolicy: ExitCode,")
    text = resources(job, of=config("Lint", select=["policy"]))
    code, out, _ = function(text)
    results = yaml.safe_load(out)["results"]
    assert code == 0 and {one["severity"] for one in results} <= {"warning", "info"}
    numbers = sorted({one["tags"]["code"] for one in results})
    assert numbers
    comment = f"# specgen: ignore[{', '.join(numbers)}] for this object\n"
    again = resources(MAP, comment + job, of=config("Lint", select=["policy"]))
    assert function(again) == (0, again, "")
    again = text.replace("- apiVersion", f"{comment}- apiVersion", 1)
    assert function(again) == (0, again, "")


NO_LIST = {
    "nothing": "",
    "a job": JOB,
    "another version": "apiVersion: v1\nkind: ResourceList\nitems: []\n",
    "no items": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n",
    "items that are none": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: {}\n",
    "an item that is none": "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems: [a]\n",
    "no YAML": "a: [",
    "two": resources() + "---\n" + resources(),
}


@pytest.mark.parametrize("name", NO_LIST)
def test_what_is_no_resource_list(name: str, function: Function) -> None:
    code, out, err = function(NO_LIST[name])
    assert (code, out) == (2, "")
    assert err.startswith("specgen: ")


@pytest.fixture
def kustomize(tmp_path: Path) -> Any:
    """Renders a folder with the real kubectl, for which specgen is what runs in containers, with nothing around it."""
    binary = kubectl()
    if binary is None:
        pytest.skip("kubectl is not installed")
    (tmp_path / "bin").mkdir()
    docker = tmp_path / "bin" / "docker"
    docker.write_text(f"#!/bin/sh\nexec env -i PYTHONPATH={ROOT} {sys.executable} -m specgen krm\n")
    docker.chmod(0o755)
    folder = tmp_path / "tree"
    folder.mkdir()

    def render(container: bool = True, **files: Any) -> subprocess.CompletedProcess[str]:
        how = "container: {image: 'specgen:1'}" if container else "exec: {path: ./krm.sh}"
        for name, data in files.items():
            if isinstance(data, dict) and str(data.get("apiVersion", "")).startswith("krm.specgen/"):
                data["metadata"]["annotations"] = {"config.kubernetes.io/function": how}
            text = data if isinstance(data, str) else yaml.safe_dump(data)
            (folder / f"{name}.yaml").write_text(text)
        command = [binary, "kustomize", "--enable-alpha-plugins", "."]
        environment = {"PATH": f"{tmp_path / 'bin'}{os.pathsep}/usr/bin:/bin", "HOME": str(tmp_path)}
        return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)

    return render


def test_the_real_kustomize_takes_what_it_generates_and_what_it_refuses(kustomize: Any) -> None:
    tree = {"resources": ["map.yaml"], "generators": ["jobs.yaml"], "transformers": ["check.yaml"]}
    done = kustomize(
        map=MAP.replace("mnist", "kept"),
        jobs=config("Build", profiles=[WHOLE]),
        check={**config("Lint"), "metadata": {"name": "check"}},
        kustomization=tree,
    )
    assert done.returncode == 0, done.stderr
    kept, job = yaml.safe_load_all(done.stdout)
    assert kept["metadata"]["name"] == "kept"
    assert (job["kind"], job["metadata"]["annotations"]) == ("PyTorchJob", {"specgen/generated-by": "jobs"})
    failed = kustomize(map=BAD)
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "error[SG301] jobs/a.yaml, PyTorchJob byhand, spec.pytorchReplicaSpecs" in failed.stderr
    # as the help says: kustomize marks what a function returns, and then refuses the marks under `validators`
    marked = kustomize(map=MAP, kustomization={"resources": ["map.yaml"], "validators": ["check.yaml"]})
    assert "validator shouldn't modify the resource map" in marked.stderr
    # the README's sample, which lints its base
    block = (ROOT / "README.md").read_text("utf-8").split("```yaml\n# kustomization.yaml, for")[1].split("```")[0]
    sample = (
        block.partition("\n")[2]
        .replace("exec: {path: ./krm.sh}", "container: {image: a}")
        .replace("../base", "map.yaml")
    )
    taken = kustomize(map=MAP.replace("mnist", "kept"), mnist=PROFILE, kustomization=sample)
    assert (taken.returncode, taken.stderr, taken.stdout) == (0, "", done.stdout)
    assert kustomize(map=BAD).returncode == 1
    # as the help says: kubectl knows no functions that are programs, and says nothing
    ignored = kustomize(container=False, map=BAD, jobs=config("Build"), check=config("Lint"), kustomization=tree)
    assert ignored.returncode == 0


@pytest.mark.fuzz
def test_it_says_of_real_manifests_what_lint_says(function: Function, shared: Path) -> None:
    compared = 0
    for file in sorted((shared / "corpus").rglob("*.y*ml"))[::5]:
        try:
            documents = [one for one in yaml.safe_load_all(file.read_text("utf-8")) if one is not None]
        except (yaml.YAMLError, ValueError):
            continue
        if not all(isinstance(one, dict) and "kind" in one and "apiVersion" in one for one in documents):
            continue
        function.patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(yaml.safe_dump_all(documents).encode())))
        main(["lint", "--no-config", "--format", "json", "-"])
        found = sorted(one["code"] for one in json.loads(function.capsys.readouterr().out)["diagnostics"])
        _, out, _ = function(resources(*(yaml.safe_dump(one) for one in documents)))
        answered = yaml.safe_load(out)
        assert sorted(one["tags"]["code"] for one in answered.pop("results", [])) == found, file
        assert answered["items"] == documents
        compared += 1
    assert compared > 50


@pytest.mark.fuzz
@pytest.mark.parametrize("name", GENERATORS)
def test_no_value_anywhere_is_a_bug(name: str, function: Function) -> None:
    whole = yaml.safe_load(resources(MAP, BAD, of=GENERATORS[name][0]))
    # what is odd deep in an item is the matter of whoever lints it
    paths = [path for path in places(whole) if path[0] == "functionConfig" or len(path) < 4]
    for number, path in enumerate(paths):
        for said, change in [*changes(path)][number % 4 :: 4]:
            code, _, err = function(yaml.safe_dump(put(whole, path, change)))
            assert code in (0, 1, 2), (path, said, err)
