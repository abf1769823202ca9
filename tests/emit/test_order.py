"""What must be there first comes first, as the real kubectl prints a tree, for Argo CD and for Flux."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from specgen.cli.main import main
from specgen.document.read import read
from specgen.source import Source
from tests.kubectl import kubectl

HEAD = "apiVersion: specgen/v1\nkind: Job\nimage: registry.example.com/train:1\ncommand: [train.py]\npods: 2\n"
LLM = HEAD + "metadata: {name: llm}\ntarget: TrainJob\nfiles: {/etc/train/a.conf: {text: x}}\n"
GANG = HEAD + "metadata: {name: gang}\ntarget: PyTorchJob\nstart: none\ncluster: ../cluster.yaml\nresources: {gpu: 1}\n"
CLUSTER = "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: c}\nscheduling: {gang: volcano}\n"
CLUSTER += "pools: {gpu: {gpu: {resource: nvidia.com/gpu, perNode: 8}}}\n"
CLUSTER += "operators: {training-operator: {version: 1.9.4}}\n"
WAVE = "argocd.argoproj.io/sync-wave"


def rendered(folder: Path) -> list[Any]:
    binary = kubectl()
    if binary is None:
        pytest.skip("kubectl is not installed")
    done = subprocess.run([binary, "kustomize", str(folder)], capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    return [one.data for one in read(Source("rendered", done.stdout.decode()))[0]]


def kinds(objects: list[Any]) -> list[str]:
    return [one["kind"] for one in objects]


@pytest.fixture
def out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "jobs").mkdir()
    (tmp_path / "cluster.yaml").write_text(CLUSTER)
    (tmp_path / "jobs/llm.yaml").write_text(LLM)
    (tmp_path / "jobs/gang.yaml").write_text(GANG)
    assert main(["build", "jobs", "--out", "out", "--quiet"]) == 0
    return tmp_path / "out"


def test_kubectl_applies_what_comes_first_before_its_job(out: Path) -> None:
    llm = ["TrainingRuntime", "ConfigMap", "TrainJob"]
    assert kinds(rendered(out)) == ["PodGroup", "PyTorchJob", *llm]
    assert kinds(rendered(out / "llm")) == llm
    assert kinds(rendered(out / "gang")) == ["PodGroup", "PyTorchJob"]


def test_argo_cd_has_a_wave_where_it_knows_no_order_of_kinds(out: Path) -> None:
    waves = {one["kind"]: one["metadata"].get("annotations", {}).get(WAVE) for one in rendered(out)}
    assert waves == {
        "PodGroup": "-1",
        "TrainingRuntime": "-1",
        # these it creates first by itself; a claim with a wave would be waited for until a pod uses it
        "ConfigMap": None,
        "PyTorchJob": None,
        "TrainJob": None,
    }


def test_the_wave_of_a_job_is_the_one_before_which_its_runtime_comes(out: Path, tmp_path: Path) -> None:
    patched = LLM + f'patch: {{job: {{metadata: {{annotations: {{{WAVE}: "3"}}}}}}}}\n'
    (tmp_path / "jobs/llm.yaml").write_text(patched)
    assert main(["build", "jobs", "--out", "out", "--quiet"]) == 0
    waves = {one["kind"]: one["metadata"].get("annotations", {}).get(WAVE) for one in rendered(out / "llm")}
    assert (waves["TrainJob"], waves["TrainingRuntime"]) == ("3", "2")


def test_flux_has_two_layers_that_make_up_the_tree(out: Path) -> None:
    first, second = rendered(out / "_flux/1-runtimes"), rendered(out / "_flux/2-jobs")
    assert kinds(first) == ["TrainingRuntime"]
    assert kinds(second) == ["PodGroup", "PyTorchJob", "ConfigMap", "TrainJob"]
    whole = rendered(out)
    assert len(first + second) == len(whole) and all(one in whole for one in first + second)


def test_a_tree_without_runtimes_has_no_layers(out: Path, tmp_path: Path) -> None:
    (tmp_path / "jobs/llm.yaml").unlink()
    assert main(["build", "jobs", "--out", "out", "--quiet", "--prune"]) == 0
    assert sorted(path.name for path in out.iterdir()) == [".specgen-owned", "gang", "kustomization.yaml"]


def test_standard_output_has_the_same_objects_with_the_job_last(
    out: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["build", str(tmp_path / "jobs/llm.yaml")]) == 0
    text = capsys.readouterr().out
    printed = [one.data for one in read(Source("printed", text))[0]]
    assert kinds(printed) == ["ConfigMap", "TrainingRuntime", "TrainJob"]
    assert all(one in rendered(out / "llm") for one in printed)


HOOK = "argocd.argoproj.io/hook"
QUEUE = "apiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: z}\nspec: {weight: 1}\n"
CLAIM = "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: data}\nspec: {accessModes: [ReadWriteMany], "
CLAIM += "resources: {requests: {storage: 1Gi}}}\n"
NEEDING = GANG + "scheduling: {queue: z}\nobjects: [../queue.yaml, ../claim.yaml]\nfiles: {/etc/a.conf: {text: x}}\n"
# Annotations of the job → kind → (wave, hook), and what SG830 names
BESIDE: list[tuple[dict[str, str], dict[str, tuple[str | None, str | None]], str]] = [
    ({}, {"Queue": ("-2", None), "PodGroup": ("-1", None)}, ""),
    ({WAVE: "3"}, {"Queue": ("1", None), "PodGroup": ("2", None)}, ""),
    ({WAVE: "1"}, {"Queue": ("-1", None)}, ""),
    ({WAVE: "later"}, {"Queue": ("-2", None), "PodGroup": ("-1", None)}, ""),
    (
        {WAVE: "-1"},
        {
            "Queue": ("-3", None),
            "PodGroup": ("-2", None),
            "ConfigMap": ("-1", None),
            "PersistentVolumeClaim": ("-1", None),
        },
        "",
    ),
    (
        {HOOK: "Skip, PreSync"},
        {"Queue": ("-2", None), "PodGroup": ("-1", "PreSync"), "ConfigMap": (None, "PreSync")},
        "Queue `z`, PersistentVolumeClaim `data`",
    ),
    ({HOOK: "Sync"}, {"Queue": ("-2", None), "PodGroup": ("-1", None)}, ""),
]


@pytest.mark.parametrize(("annotations", "expected", "named"), BESIDE)
def test_what_a_job_needs_is_there_before_it_whatever_its_wave(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    annotations: dict[str, str],
    expected: dict[str, tuple[str | None, str | None]],
    named: str,
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "jobs").mkdir()
    for name, text in {"cluster": CLUSTER, "queue": QUEUE, "claim": CLAIM}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    said = ", ".join(f'{key}: "{value}"' for key, value in annotations.items())
    job = NEEDING.replace("{name: gang}", f"{{name: gang, annotations: {{{said}}}}}")
    (tmp_path / "jobs/gang.yaml").write_text(job)
    assert main(["build", str(tmp_path / "jobs"), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    err = capsys.readouterr().err
    assert (f"waits for {named}, which the sync creates" in err, "SG830" in err) == (bool(named), bool(named))
    objects = [
        read(Source(path.name, path.read_text()))[0][0].data
        for path in sorted((tmp_path / "out" / "gang").glob("*.yaml"))
        if not path.name.startswith("kustomiz")
    ]
    found = {one["kind"]: one["metadata"].get("annotations", {}) for one in objects}
    assert found.pop("PyTorchJob") == annotations
    before = {kind: (marks.get(WAVE), marks.get(HOOK)) for kind, marks in found.items()}
    assert before == dict.fromkeys(found, (None, None)) | expected


@pytest.mark.parametrize("target", ["PyTorchJob", "JobSet", "VolcanoJob"])
def test_a_job_that_deletes_itself_is_run_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], target: str
) -> None:
    text = HEAD + f"metadata: {{name: brief}}\ntarget: {target}\nstart: none\nlifecycle: {{ttl: 1h}}\n"
    (tmp_path / "job.yaml").write_text(text)
    assert main(["build", str(tmp_path / "job.yaml"), "--out", str(tmp_path / "out"), "-q"]) == 0
    assert capsys.readouterr().err.count("warning[SG720]") == 1


def test_data_stays_when_its_job_is_taken_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a tree and in what Argo CD's plugin prints; what is applied by hand says nothing of controllers."""
    monkeypatch.chdir(tmp_path)
    own = CLAIM.replace("{name: data}", "{name: own, annotations: {argocd.argoproj.io/sync-options: Prune=true}}")
    (tmp_path / "claims.yaml").write_text(f"{CLAIM}---\n{own}")
    (tmp_path / "job.yaml").write_text(
        HEAD + "metadata: {name: one}\ntarget: PyTorchJob\nstart: none\nobjects: [claims.yaml]\n"
    )
    assert main(["build", "job.yaml", "--out", "out", "-q"]) == 0
    (tmp_path / "out" / "one" / "pytorchjob.yaml").unlink()
    texts = {
        "tree": "---\n".join(path.read_text() for path in sorted((tmp_path / "out" / "one").glob("persist*.yaml")))
    }
    for name, words in {"printed": ["build", "job.yaml"], "plugin": ["cmp", "generate"]}.items():
        monkeypatch.setenv("ARGOCD_APP_PARAMETERS", '[{"name": "profiles", "array": ["job.yaml"]}]')
        capsys.readouterr()
        assert main(words) == 0
        texts[name] = capsys.readouterr().out
    found: dict[str, dict[str, Any]] = {}
    for where, text in texts.items():
        objects = [one.data for one in read(Source(where, text))[0]]
        claims = [one["metadata"] for one in objects if one["kind"] == "PersistentVolumeClaim"]
        found[where] = {one["name"]: one.get("annotations") for one in claims}
    options, prune = "argocd.argoproj.io/sync-options", "kustomize.toolkit.fluxcd.io/prune"
    kept = {
        "data": {options: "Delete=false,Prune=false", prune: "disabled"},
        "own": {options: "Prune=true", prune: "disabled"},
    }
    assert found == {"tree": kept, "plugin": kept, "printed": {"data": None, "own": {options: "Prune=true"}}}
