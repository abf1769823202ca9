"""Overlays over a tree, as the real kubectl renders them with the tree's component and without it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from specgen.cli.main import main
from specgen.document.read import read
from specgen.document.write import write_json, write_yaml
from specgen.emit.overlays import component
from specgen.source import Source
from tests.kubectl import kubectl

ROOT = Path(__file__).resolve().parents[2]
ADDED = {"name": "ADDED_BY_THE_OVERLAY", "value": "1"}
GANG = """
apiVersion: specgen/v1
kind: Job
metadata: {name: gang}
target: PyTorchJob
cluster: ../cluster.yaml
image: registry.example.com/train:1
command: [train.py]
start: none
pods: 2
resources: {gpu: 1}
"""
CLUSTER = """
apiVersion: specgen/v1
kind: Cluster
metadata: {name: c}
scheduling: {gang: volcano}
pools: {gpu: {gpu: {resource: nvidia.com/gpu, perNode: 8}}}
operators: {training-operator: {version: 1.9.4}}
"""
COMPONENT = {"components": ["../out/_overlays"]}


def render(folder: Path, kustomization: dict[str, Any]) -> list[Any]:
    """What kubectl makes of a kustomization in a folder."""
    binary = kubectl()
    if binary is None:
        pytest.skip("kubectl is not installed")
    folder.mkdir(exist_ok=True)
    (folder / "kustomization.yaml").write_text(write_yaml(kustomization))
    done = subprocess.run([binary, "kustomize", str(folder)], capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return [one.data for one in read(Source("rendered", done.stdout.decode()))[0]]


def at(path: str) -> Any:
    """A tree that holds a name at a path of a field."""
    tree: Any = "target"
    for step in reversed(path.split("/")):
        tree = {step: tree}
    return tree


def patched(tree: Any, *, thin: bool) -> Any:
    """With one more variable in the first container of all pods: the whole tree, or what a patch says of it."""
    if isinstance(tree, list):
        items = [patched(item, thin=thin) for item in tree]
        if not thin:
            return items
        return [{"name": item["name"], **below} for item, below in zip(tree, items, strict=True) if below]
    if not isinstance(tree, dict):
        return None if thin else tree
    found: dict[str, Any] = {}
    for key, value in tree.items():
        if key in ("containers", "trainer"):
            first = value[0] if key == "containers" else value
            named = {"name": first["name"]} if key == "containers" else {}
            changed = {**(named if thin else first), "env": [*([] if thin else first.get("env", ())), ADDED]}
            others = [] if thin or key == "trainer" else value[1:]
            found[key] = changed if key == "trainer" else [changed, *others]
        else:
            below = patched(value, thin=thin)
            if below or not thin:
                found[key] = below
    return found


def unordered(tree: Any) -> Any:
    """With variables in the order of their names: kustomize puts those of a patch first."""
    if isinstance(tree, list):
        return [unordered(item) for item in tree]
    if not isinstance(tree, dict):
        return tree
    return {
        key: sorted(value, key=lambda one: str(one["name"])) if key == "env" else unordered(value)
        for key, value in tree.items()
    }


def kinds(objects: list[Any]) -> set[str]:
    return {f"{one['apiVersion']}/{one['kind']}" for one in objects}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tree of all profiles of this repository."""
    folder = tmp_path_factory.mktemp("overlays")
    shutil.copytree(ROOT / "profiles", folder / "profiles")
    assert main(["build", str(folder / "profiles"), "--out", str(folder / "out"), "--overlays", "--quiet"]) == 0
    return folder


def test_a_patch_on_a_container_merges(base: Path) -> None:
    plain = render(base / "plain", {"resources": ["../out"]})
    jobs = [one for one in plain if patched(one.get("spec", {}), thin=True)]
    assert kinds(jobs) == {
        "batch.volcano.sh/v1alpha1/Job",
        "jobset.x-k8s.io/v1alpha2/JobSet",
        "kubeflow.org/v1/MPIJob",
        "kubeflow.org/v1/PyTorchJob",
        "kubeflow.org/v1/TFJob",
        "kubeflow.org/v2beta1/MPIJob",
        "mindspore.gitee.com/v1/MSJob",
        "trainer.kubeflow.org/v1alpha1/TrainJob",
        "trainer.kubeflow.org/v1alpha1/TrainingRuntime",
    }
    patches = []
    for one in jobs:
        head = {key: one["metadata"][key] for key in ("name", "namespace") if key in one["metadata"]}
        patch = {"apiVersion": one["apiVersion"], "kind": one["kind"], "metadata": head}
        patches.append({"patch": write_json({**patch, "spec": patched(one["spec"], thin=True)})})
    overlay = {"resources": ["../out"], "patches": patches}
    wanted = unordered([{**one, "spec": patched(one["spec"], thin=False)} for one in jobs])
    merged = unordered(render(base / "merged", {**overlay, **COMPONENT}))
    for one in wanted:
        assert one in merged
    assert len(merged) == len(plain)
    replaced = unordered(render(base / "replaced", overlay))
    assert kinds([one for one in wanted if one not in replaced]) == kinds(jobs), "each kind needs to be told"


def test_kinds_of_kubernetes_beside_the_jobs_merge_as_before(base: Path) -> None:
    web = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}}
    pod = {"containers": [{"name": "web", "image": "web:1", "command": ["serve"]}]}
    (base / "mixed").mkdir()
    (base / "mixed/web.yaml").write_text(write_yaml({**web, "spec": {"template": {"spec": pod}}}))
    patch = {"containers": [{"name": "web", "image": "web:2"}]}
    overlay = {
        "resources": ["web.yaml", "../out/mnist-gang"],
        "patches": [{"patch": write_json({**web, "spec": {"template": {"spec": patch}}})}],
        **COMPONENT,
    }
    found = next(one for one in render(base / "mixed", overlay) if one["kind"] == "Deployment")
    assert found["spec"]["template"]["spec"]["containers"] == [{**pod["containers"][0], "image": "web:2"}]


def test_every_reference_is_followed_and_needed(base: Path) -> None:
    """One object for each field that the component says, renamed with what it names."""
    configuration = read(Source("c", component()["_overlays/kustomizeconfig.yaml"]))[0][0].data
    defined = read(Source("o", component()["_overlays/openapi.yaml"]))[0][0].data["definitions"]
    versions = {one.rpartition("/")[2]: one.rpartition("/")[0] for one in defined}
    objects = []
    for entry in configuration["nameReference"]:
        objects.append({"apiVersion": _version(entry["kind"]), "kind": entry["kind"], "metadata": {"name": "target"}})
        for spec in entry["fieldSpecs"]:
            name = f"j{len(objects)}"
            head = {"apiVersion": versions[spec["kind"]], "kind": spec["kind"], "metadata": {"name": name}}
            objects.append({**head, **at(spec["path"])})
    assert len(objects) > 300
    (base / "names").mkdir()
    for number, one in enumerate(objects):
        (base / f"names/{number}.yaml").write_text(write_yaml(one))
    overlay = {"namePrefix": "dev-", "resources": [f"{number}.yaml" for number in range(len(objects))]}
    wanted = sum("spec" in one for one in objects)
    with_it = render(base / "names", {**overlay, **COMPONENT})
    assert [list(_texts(one["spec"])) for one in with_it if "spec" in one] == [["dev-target"]] * wanted
    without = render(base / "names", overlay)
    assert [list(_texts(one["spec"])) for one in without if "spec" in one] == [["target"]] * wanted


def test_an_image_outside_of_containers(base: Path) -> None:
    images = [{"name": "r.example.com/train", "newTag": "2"}]
    spec = {"trainer": {"image": "r.example.com/train:1"}}
    job = {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "a"}, "spec": spec}
    (base / "image").mkdir()
    (base / "image/a.yaml").write_text(write_yaml(job))
    overlay = {"resources": ["a.yaml"], "images": images}
    assert list(_texts(render(base / "image", overlay)[0]["spec"])) == ["r.example.com/train:1"]
    assert list(_texts(render(base / "image", {**overlay, **COMPONENT})[0]["spec"])) == ["r.example.com/train:2"]


def test_the_overlay_of_the_readme(base: Path) -> None:
    _, _, text = (ROOT / "README.md").read_text(encoding="utf-8").partition("# overlays/dev/kustomization.yaml\n")
    overlay = read(Source("overlay", text.partition("```")[0]))[0][0].data
    folder = base / "overlays/dev"
    folder.mkdir(parents=True)
    (folder / "wandb.env").write_text("WANDB_API_KEY=x\n")
    for told in (True, False):
        if not told:
            del overlay["components"]
        objects = {one["kind"]: one for one in render(folder, overlay)}
        assert list(objects) == ["PodGroup", "PyTorchJob", "Secret"]
        container = objects["PyTorchJob"]["spec"]["pytorchReplicaSpecs"]["Worker"]["template"]["spec"]["containers"][0]
        name = objects["Secret"]["metadata"]["name"]
        assert name.startswith("dev-wandb-")
        assert container["envFrom"] == [{"secretRef": {"name": name if told else "wandb"}}]
        assert ("image" in container) == told


@pytest.mark.parametrize(
    ("scheduler", "field", "mark"),
    [
        ("volcano", "annotations", "scheduling.k8s.io/group-name"),
        ("coscheduling", "labels", "scheduling.x-k8s.io/pod-group"),
    ],
)
def test_a_gang_that_is_renamed_keeps_its_pods(tmp_path: Path, scheduler: str, field: str, mark: str) -> None:
    (tmp_path / "cluster.yaml").write_text(CLUSTER.replace("volcano", scheduler))
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs/gang.yaml").write_text(GANG)
    assert main(["build", str(tmp_path / "jobs"), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    objects = render(tmp_path / "dev", {"namePrefix": "dev-", "resources": ["../out"]})
    job = next(one for one in objects if one["kind"] == "PyTorchJob")
    assert [one["metadata"]["name"] for one in objects if one["kind"] == "PodGroup"] == ["dev-gang"]
    for role in job["spec"]["pytorchReplicaSpecs"].values():
        assert role["template"]["metadata"][field][mark] == "dev-gang"


def test_the_tree_itself_prints_what_it_did(base: Path) -> None:
    assert main(["build", str(base / "profiles"), "--out", str(base / "without"), "--quiet"]) == 0
    assert not (base / "without/_overlays").exists()
    before = render(base / "as-before", {"resources": ["../without"]})
    assert render(base / "with-it", {"resources": ["../out"]}) == before and len(before) > 20


def _version(kind: str) -> str:
    return {
        "ResourceClaimTemplate": "resource.k8s.io/v1",
        "TrainingRuntime": "trainer.kubeflow.org/v1alpha1",
    }.get(kind, "v1")


def _texts(tree: Any) -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
    for one in tree.values() if isinstance(tree, dict) else ():
        yield from _texts(one)
