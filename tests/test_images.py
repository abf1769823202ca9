"""`specgen images`: what every container pulls, as written and from which mirror; what the operator adds among it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from specgen.document.read import read
from specgen.install import install, mirrors
from specgen.manifest.model import Manifest
from specgen.operators.expand import expand_manifest
from specgen.operators.kubernetes.names import is_image
from specgen.operators.training.facts import OPERATOR
from specgen.operators.training.mpijob import READER as mpijob_v1
from specgen.operators.training.pytorchjob import READER as pytorchjob
from specgen.plan.images import mirrored
from specgen.profile.library import Library, check
from specgen.source import Source
from tests.bad.program import specgen

HEAD = "apiVersion: specgen/v1\nkind: {kind}\nmetadata: {{name: {name}}}\n"
JOB = HEAD.format(kind="Job", name="train") + "target: PyTorchJob\ncluster: cluster.yaml\nimage: a/b:1\ncommand: [x]\n"


def listed(folder: Path, job: str, cluster: str, target: str = "PyTorchJob") -> tuple[list[tuple[Any, ...]], str]:
    """(role, container, kind, as written, as pulled, what rewrote it) of each image, and standard error."""
    (folder / "cluster.yaml").write_text(HEAD.format(kind="Cluster", name="c") + cluster)
    (folder / "job.yaml").write_text((JOB + job).replace("PyTorchJob", target))
    ended = specgen("images", "job.yaml", "-o", "json", cwd=folder)
    assert ended.code == 0, ended.err
    images = json.loads(ended.out)["images"]
    keys = ("role", "container", "kind", "written", "pulled")
    rows = [
        (*(one[key] for key in keys), ".".join(one["rewrittenBy"]["path"]) if one["rewrittenBy"] else "")
        for one in images
    ]
    return rows, ended.err


DIGEST = "sha256:" + "0123456789abcdef" * 4


@pytest.mark.parametrize(
    ("image", "known"),
    [
        ("train", True),
        ("train:1.4", True),
        ("a/b_c/d--e.f:V1_x", True),
        ("localhost/a", True),
        ("localhost:5000/a:1", True),
        ("r.example.com:5000/a/b:1@" + DIGEST, True),
        ("a@" + DIGEST, True),
        ("LAB/train:1", True),  # with an upper-case letter it is a host
        ("r.example.com/a:${TAG}", True),
        ("{{ image }}", True),
        (" ", False),
        ("a b", False),
        ("train:1 ", False),
        ("Train:1", False),
        ("r.example.com/Train", False),
        ("https://r.example.com/train", False),
        ("train:", False),
        ("train:-1", False),
        ("train:" + "1" * 129, False),
        ("train:1:2", False),
        ("a//b", False),
        ("/a", False),
        ("a/", False),
        ("a___b", False),
        ("a..b", False),
        ("r.example.com:port/a", False),
        ("a@sha256:12", False),
        ("a@" + DIGEST.upper(), False),
    ],
)
def test_what_a_container_runtime_reads_as_an_image(image: str, known: bool) -> None:
    assert is_image(image) is known


def test_an_image_that_no_kubelet_can_pull_is_an_error_at_its_line(tmp_path: Path) -> None:
    text = JOB.replace("cluster: cluster.yaml\n", "").replace("a/b:1", "https://a/b:1")
    (tmp_path / "job.yaml").write_text(text + "init: {prepare: {image: 'Prepare:1', command: [x]}}\n")
    ended = specgen("build", "job.yaml", cwd=tmp_path)
    assert ended.err.splitlines() == [
        "job.yaml:5:8: error[SG421] no image is called `https://a/b:1`: it has a scheme (leave `https://` out)",
        "job.yaml:7:25: error[SG421] no image is called `Prepare:1`: it has upper case outside its tag "
        "(names of images are pushed in lower case)",
    ]
    assert ended.code == 1


def test_what_the_operator_injects_without_a_mirror(tmp_path: Path) -> None:
    rows, said = listed(tmp_path, "pods: 2\n", "operators: {training-operator: {version: 1.9.4}}\n")
    assert (rows, said) == (
        [
            ("Master", "pytorch", "main", "a/b:1", "a/b:1", ""),
            ("Worker", "pytorch", "main", "a/b:1", "a/b:1", ""),
            ("Worker", "init-pytorch", "injected", "alpine:3.10", "alpine:3.10", ""),
        ],
        "",
    )


def test_the_operators_mirror_goes_before_the_table(tmp_path: Path) -> None:
    cluster = "operators: {training-operator: {version: 1.9.4, mirror: m/own}}\nimages: {mirrors: {docker.io: m/hub}}\n"
    rows, _ = listed(tmp_path, "pods: 2\n", cluster)
    assert rows[1:] == [
        ("Worker", "pytorch", "main", "a/b:1", "m/hub/a/b:1", "images.mirrors.docker.io"),
        (
            "Worker",
            "init-pytorch",
            "injected",
            "alpine:3.10",
            "m/own/library/alpine:3.10",
            "operators.training-operator.mirror",
        ),
    ]


@pytest.mark.parametrize("kubernetes", ["1.27", "1.31"])
def test_init_containers_and_sidecars(tmp_path: Path, kubernetes: str) -> None:
    beside = "init: {before: {image: 'ghcr.io/a/before:1'}}\nsidecars: {same: {command: [run]}}\n"
    cluster = f"kubernetes: '{kubernetes}'\nimages: {{mirrors: {{ghcr.io/a: m/a}}}}\n"
    rows, _ = listed(tmp_path, "pods: 1\n" + beside, cluster)
    assert sorted(row[1:] for row in rows) == [
        ("before", "init", "ghcr.io/a/before:1", "m/a/before:1", "images.mirrors.ghcr.io/a"),
        ("pytorch", "main", "a/b:1", "a/b:1", ""),
        ("same", "sidecar", "a/b:1", "a/b:1", ""),
    ]


MIRRORS = "images: {mirrors: {docker.io: m/hub}}\n"
BY = "images.mirrors.docker.io"


def test_objects_beside_the_job_have_their_mirrors_too(tmp_path: Path) -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n  containers: [{name: c, image: 'a/c:1'}]\n"
    words = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: w}\ndata: {image: a/c}\n"
    (tmp_path / "pod.yaml").write_text(f"{pod}---\n{words}")
    rows, _ = listed(tmp_path, "pods: 1\nobjects: [pod.yaml]\n", MIRRORS)
    assert rows == [
        ("Master", "pytorch", "main", "a/b:1", "m/hub/a/b:1", BY),
        ("Pod/p", "c", "main", "a/c:1", "m/hub/a/c:1", BY),
    ]
    text = specgen("build", "job.yaml", cwd=tmp_path).out
    assert "image: m/hub/a/c:1" in text and "image: a/c\n" in text


@pytest.mark.parametrize(
    ("target", "role", "main"),
    [("PyTorchJob", "Master", "pytorch"), ("TrainJob", "node", "node"), ("MPIJob", "Worker", "mpi")],
)
def test_images_of_patches_have_their_mirrors_too(tmp_path: Path, target: str, role: str, main: str) -> None:
    patch = (
        "vars: {tag: '9'}\nsidecars: {s: {image: 's:1'}}\npatch:\n  container: {image: 'a/own:1'}\n  pod:\n    spec:\n"
        "      containers: [{name: more, image: 'a/more:$<tag>'}, {name: s, image: 's:2'}]\n"
        "      initContainers: [{name: i, image: quay.io/i}]\n"
    )
    rows, _ = listed(tmp_path, f"start: self\n{patch}", MIRRORS, target)
    wanted = {
        ("i", "quay.io/i", "quay.io/i", ""),
        (main, "a/own:1", "m/hub/a/own:1", BY),
        ("more", "a/more:9", "m/hub/a/more:9", BY),
        ("s", "s:2", "m/hub/library/s:2", BY),
    }
    assert {(name, written, pulled, by) for at, name, _, written, pulled, by in rows if at == role} == wanted


@pytest.mark.parametrize("image", ["", "image: a/b:1\n"])
def test_a_runtime_known_by_its_name_alone_is_named(tmp_path: Path, image: str) -> None:
    cluster = MIRRORS + "operators: {trainer: {version: 2.3.0, runtimes: {mine: {}}}}\n"
    (tmp_path / "cluster.yaml").write_text(HEAD.format(kind="Cluster", name="c") + cluster)
    target = "target: {kind: TrainJob, runtime: mine}\ncluster: cluster.yaml\npods: 2\n"
    (tmp_path / "job.yaml").write_text(HEAD.format(kind="Job", name="train") + target + image)
    ended = specgen("images", "job.yaml", "-o", "json", cwd=tmp_path)
    assert [(one["role"], one["pulled"]) for one in json.loads(ended.out)["images"]] == (
        [("node", "m/hub/a/b:1")] if image else []
    )
    assert ended.err.startswith("specgen: what the runtime `mine` pulls is not known, and is not listed: ")


def test_an_unknown_operator_is_said_to_be_unknown(tmp_path: Path) -> None:
    rows, said = listed(tmp_path, "pods: 2\n", "operators: {training-operator: {version: 1.5.0}}\n")
    assert [row[1] for row in rows] == ["pytorch", "pytorch"]
    assert said == (
        "specgen: what training-operator 1.5.0 puts into pods is not known here, and is not listed\n"
        "cluster.yaml:4:42: warning[SG214] what training-operator 1.5.0 takes is not known here: "
        "the nearest that is known is 1.7.0\n"
    )


JOBS = {
    mpijob_v1: """
apiVersion: kubeflow.org/v1
kind: MPIJob
metadata: {name: a, namespace: b}
spec:
  mpiReplicaSpecs:
    Launcher: {template: {spec: {containers: [{name: mpi, image: "a:1"}]}}}
    Worker: {template: {spec: {containers: [{name: mpi, image: "a:1"}]}}}
""",
    pytorchjob: """
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: a, namespace: b}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a:1"}]}}}
    Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "a:1"}]}}}
""",
}


@pytest.mark.parametrize("version", [release.version for release in OPERATOR.releases])
def test_flags_replace_what_the_operator_injects(version: str) -> None:
    found = {}
    for module, text in JOBS.items():
        [document] = read(Source("job.yaml", text))[0]
        expansion, _ = expand_manifest(Manifest(document.data, document), module, version)
        assert expansion is not None
        for pod in expansion.pods:
            found.update({one["name"]: one["image"] for one in pod["spec"].get("initContainers", [])})
    assert found == {container: OPERATOR.image(container, version) for container in OPERATOR.image_flags}


@pytest.mark.parametrize(
    "image",
    [
        "alpine",
        "alpine:3.10",
        "a/b:1",
        "docker.io/a/b",
        "ghcr.io/x/y/z:1",
        "ghcr.io/xy/z",
        "localhost/a",
        "host:5000/a@sha256:0",
    ],
)
def test_both_readings_of_the_table_agree(image: str) -> None:
    text = (
        "apiVersion: specgen/v1\nkind: Cluster\nmetadata: {name: a}\n"
        "images: {mirrors: {docker.io: m/hub/, docker.io/a: m/a, ghcr.io/x: m/x, 'host:5000': m/host}}\n"
    )
    document, findings = check(Source("cluster.yaml", text))
    assert document is not None and findings == []
    profile = Library(None).cluster(document)  # type: ignore[arg-type]  # it reads no files
    pulled = mirrors.of_job(image, profile)
    assert pulled.image == mirrored(image, profile.images.mirrors)
    assert bool(pulled.by) == (pulled.image != image)
    assert mirrors.of_operator(image, profile, "trainer").image == pulled.image
    assert install.install(profile, {}) == ({}, [])


def test_the_images_of_a_clusters_operators(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(
        HEAD.format(kind="Cluster", name="lab")
        + "operators:\n  trainer: {version: 2.3.0, mirror: registry.example.com/m}\n"
        + "  training-operator: {version: 1.8.1}\n"
        + "images: {mirrors: {docker.io: registry.example.com/hub}}\n"
    )
    ended = specgen("images", "cluster.yaml", "-o", "json", cwd=tmp_path)
    assert (ended.code, ended.err) == (0, "")
    rows = [
        tuple(one[key] for key in ("operator", "kind", "written", "pulled")) for one in json.loads(ended.out)["images"]
    ]
    hub = "registry.example.com/hub"
    assert rows == [
        (
            "training-operator",
            "own",
            "kubeflow/training-operator:v1-5170a36",
            f"{hub}/kubeflow/training-operator:v1-5170a36",
        ),
        ("training-operator", "injected", "alpine:3.10", f"{hub}/library/alpine:3.10"),
        (
            "training-operator",
            "injected",
            "kubeflow/kubectl-delivery:latest",
            f"{hub}/kubeflow/kubectl-delivery:latest",
        ),
        (
            "trainer",
            "own",
            "ghcr.io/kubeflow/trainer/trainer-controller-manager:v2.3.0",
            "registry.example.com/m/kubeflow/trainer/trainer-controller-manager:v2.3.0",
        ),
        ("trainer", "own", "registry.k8s.io/jobset/jobset:v0.12.0", "registry.example.com/m/jobset/jobset:v0.12.0"),
    ]
    ended = specgen("images", "cluster.yaml", cwd=tmp_path)
    assert ended.out.startswith("the operators of lab pull 5 images\n\nOPERATOR ")


def test_what_holds_the_images_of_operators_is_said(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(
        HEAD.format(kind="Cluster", name="lab")
        + "operators: {ms-operator: {version: 1.0.0}, mpi-operator: {version: 0.8.2}, trainer: {version: 2.2.0}}\n"
    )
    ended = specgen("images", "cluster.yaml", "-o", "json", cwd=tmp_path)
    pinned = {one["written"].rpartition("/")[2]: one["pinnedBy"] for one in json.loads(ended.out)["images"]}
    assert pinned == {
        "mpi-operator": "unknown",
        "controller": "unknown",
        "kube-rbac-proxy:v0.8.0": "tag",
        "ms-operator:latest": "moving tag",
        "trainer-controller-manager:v2.2.0": "tag",
        "jobset:v0.11.0": "tag",
    }
    ended = specgen("images", "cluster.yaml", cwd=tmp_path)
    assert ended.out.endswith(
        "\n\nno image has a digest: the manifests of these releases name tags, which a registry can give anew\n"
        "tags that move with every push: `swr.cn-south-1.myhuaweicloud.com/mindspore/ms-operator:latest`\n"
    )


def test_an_image_that_vanishes_has_a_released_one(tmp_path: Path) -> None:
    staged = "us-central1-docker.pkg.dev/k8s-staging-images/jobset"
    cured = f"images: {{mirrors: {{{staged}: registry.k8s.io/jobset}}}}\n"
    for mirrors_said, warned in (("", True), (cured, False)):
        text = HEAD.format(kind="Cluster", name="lab") + "operators: {trainer: {version: 2.2.0}}\n" + mirrors_said
        (tmp_path / "cluster.yaml").write_text(text)
        ended = specgen("operators", "cluster.yaml", "--format", "human", cwd=tmp_path)
        assert ended.code == 0
        assert (f"`{staged}/jobset:v0.11.0` vanishes" in ended.err) is warned
        assert (cured.strip() in ended.err) is warned
        assert ("newName: registry.k8s.io/jobset/jobset" in ended.out) is not warned


def test_a_tag_that_is_not_known_is_said(tmp_path: Path) -> None:
    text = HEAD.format(kind="Cluster", name="lab") + "operators: {trainer: {version: 2.3.77}}\n"
    (tmp_path / "cluster.yaml").write_text(text)
    ended = specgen("images", "cluster.yaml", cwd=tmp_path)
    assert ended.code == 0
    assert "registry.k8s.io/jobset/jobset " in ended.out
    assert ended.err == "specgen: tags that are not given here are those of the manifests of trainer\n"


def test_a_cluster_without_operators_pulls_nothing(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").write_text(HEAD.format(kind="Cluster", name="lab"))
    ended = specgen("images", "cluster.yaml", cwd=tmp_path)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "specgen: cluster.yaml lists no operators, nothing is listed\n"
