"""The samples against the manifests they stand for, difference by difference, and the folder built from them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from specgen.cli.main import main
from specgen.diagnostics.model import ERROR
from specgen.document.read import read
from specgen.source import Source
from tests.acceptance.trees import compiled, differences, leaves, load, manifest, normalised, reviewed
from tests.kubectl import kubectl

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
REVIEWED = sorted(path.stem for path in HERE.glob("0*.yaml"))
SAMPLES = sorted((ROOT / "profiles/jobs").glob("*.yaml"))


@pytest.mark.parametrize("name", REVIEWED)
def test_the_built_job_is_the_source_but_for_reviewed_differences(name: str, shared: Path) -> None:
    review = load(HERE / f"{name}.yaml")
    source, codes = manifest(shared / "sources/manifests" / review["manifest"])
    result = compiled(ROOT / "profiles/jobs" / f"{review['profile']}.yaml")
    assert codes == review["reader"]
    assert result.compiled[0].bundle is not None, result.diagnostics
    left = normalised(source, names=True)
    right = normalised(result.compiled[0].bundle.job.tree, names=True)
    found = differences(left, right)
    wrong = reviewed(found, review["differences"])
    assert not wrong, "\n".join(wrong)
    print(f"{name}: {leaves(left)} values in the source, {leaves(right)} built, {len(found)} reviewed differences")


def test_unknown_and_stale_lines_and_lines_without_a_reason_fail() -> None:
    found = differences({"a": 1, "b": [1, 2, 3]}, {"a": 2, "b": [1, 3]})
    assert reviewed(found, []) == ["unknown  a: 1 -> 2", "unknown  b: [2] -> []"]
    entries: list[dict[str, Any]] = [
        {"path": "a", "source": 1, "built": 2, "reason": "short"},
        {"path": "b", "source": [2], "built": [], "reason": "the list of them has lost one"},
        {"path": "c", "built": 3, "reason": "this difference is gone by now"},
    ]
    assert reviewed(found, entries) == ["stale    c: absent -> 3", "no reason for a: 1 -> 2"]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_every_sample_compiles_clean(path: Path) -> None:
    result = compiled(path)
    assert [d for d in result.diagnostics if d["severity"] == ERROR] == []
    assert result.diagnostics == [], "a warning on a sample is a warning on what people copy"
    assert all(one.bundle is not None for one in result.compiled)


@pytest.mark.parametrize("path", sorted(ROOT.glob("profiles/*/*.yaml")), ids=lambda path: path.stem)
def test_every_sample_begins_with_its_schema_and_one_line_on_itself(path: Path) -> None:
    schema, about, third = path.read_text("utf-8").splitlines()[:3]
    kind = "cluster" if path.parent.name == "clusters" else "job"
    assert schema == f"# yaml-language-server: $schema=../../schemas/{kind}.schema.json"
    assert (path.parent / schema.partition("=")[2]).is_file()
    assert about.startswith("# ") and about.endswith(".") and third == "apiVersion: specgen/v1"


def test_the_built_folder_is_fresh(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(ROOT)
    assert main(["build", "profiles/", "--out", "out", "--check"]) == 0, capsys.readouterr().out


def test_kustomize_renders_the_built_folder_as_the_built_objects() -> None:
    binary = kubectl()
    assert binary is not None, "kubectl is not installed"
    done = subprocess.run([binary, "kustomize", str(ROOT / "out")], capture_output=True, check=True, timeout=120)
    documents, findings = read(Source("rendered", done.stdout.decode()))
    assert findings == []
    bundles = [one.bundle for path in SAMPLES for one in compiled(path).compiled if one.bundle is not None]
    # what is kept or not substituted is written into the tree, not into the bundle: the tree is fresh, as tested above
    names = ("kustomization.yaml", "kustomizeconfig.yaml")
    files = [path for path in sorted((ROOT / "out").rglob("*.yaml")) if path.name not in names]
    built = [read(Source(path.name, path.read_text("utf-8")))[0][0].data for path in files]
    assert sum(len(bundle.manifests) for bundle in bundles) == len(documents) == len(files) > len(bundles)

    def key(one: dict[str, Any]) -> tuple[str, str]:
        return one["kind"], one["metadata"]["name"]

    assert sorted((one.data for one in documents), key=key) == sorted(built, key=key)


def test_an_overlay_that_renames_leaves_no_name_behind(tmp_path: Path) -> None:
    binary = kubectl()
    assert binary is not None, "kubectl is not installed"
    shutil.copytree(ROOT / "out", tmp_path / "out")
    (tmp_path / "dev").mkdir()
    (tmp_path / "dev/kustomization.yaml").write_text("namePrefix: dev-\nresources: [../out]\n")
    done = subprocess.run([binary, "kustomize", str(tmp_path / "dev")], capture_output=True, check=True, timeout=120)
    documents, _ = read(Source("rendered", done.stdout.decode()))
    objects = {(one.data["kind"], one.data["metadata"]["name"]) for one in documents}
    beside = {name for kind, name in objects if kind in ("ConfigMap", "PersistentVolumeClaim", "TrainingRuntime")}
    assert len(beside) > 6 and all(name.startswith("dev-") for name in beside)
    named = [text for one in documents for text in _named(one.data) if f"dev-{text}" in beside or text in beside]
    assert len(named) > 6 and sorted(set(named) - beside) == []


def _named(tree: Any) -> list[str]:
    """The texts by which an object's volumes and references name others."""
    if isinstance(tree, list):
        return [text for item in tree for text in _named(item)]
    if not isinstance(tree, dict):
        return []
    holders = [tree.get("configMap"), tree.get("persistentVolumeClaim"), tree.get("runtimeRef")]
    found = [one.get("name") or one.get("claimName") for one in holders if isinstance(one, dict)]
    return [text for text in found if text] + [text for value in tree.values() for text in _named(value)]
