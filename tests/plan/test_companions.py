"""Objects beside a job: claims and volumes, the ConfigMap of its files, objects that it names or holds."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from specgen.cli.main import main
from specgen.document.read import read
from specgen.document.write import write_yaml
from specgen.emit.layout import folder
from specgen.source import Source
from tests.plan.carrying import JOB, compiled, trees

KEY = re.compile(r"[-._a-zA-Z0-9]{1,253}")


def _pod(job: dict[str, Any], role: str = "Master") -> dict[str, Any]:
    spec: dict[str, Any] = job["spec"]["pytorchReplicaSpecs"][role]["template"]["spec"]
    return spec


def _mounts(job: dict[str, Any], role: str = "Master") -> dict[str, tuple[str, str | None]]:
    mounts = _pod(job, role)["containers"][0]["volumeMounts"]
    return {mount["mountPath"]: (mount["name"], mount.get("subPath")) for mount in mounts}


def test_a_claim_and_its_volume_are_those_that_an_author_wrote(shared: Path) -> None:
    words = yaml.safe_load((shared / "profiles/jobs/s003-mnist.yaml").read_text("utf-8"))
    made = trees(compiled({"metadata": words["metadata"], "mounts": words["mounts"]}))
    sources = sorted((shared / "sources/manifests").glob("003-[12]-*.yaml"))
    assert made[:2] == [yaml.safe_load(path.read_text("utf-8")) for path in sources]
    assert [tree["kind"] for tree in made] == ["PersistentVolume", "PersistentVolumeClaim", "PyTorchJob"]


@pytest.mark.parametrize(
    ("create", "claim"),
    [
        ({}, {"accessModes": ["ReadWriteMany"]}),
        ({"class": ""}, {"accessModes": ["ReadWriteMany"], "storageClassName": ""}),
        ({"class": "fast", "access": "ReadWriteOnce"}, {"accessModes": ["ReadWriteOnce"], "storageClassName": "fast"}),
        (
            {"volume": {"nfs": {"server": "a", "path": "/"}}},
            {"accessModes": ["ReadWriteMany"], "storageClassName": "", "volumeName": "data"},
        ),
    ],
)
def test_class_and_access_of_a_claim(create: dict[str, Any], claim: dict[str, Any]) -> None:
    *_, made, _ = trees(compiled({"mounts": {"/data": {"pvc": "data", "create": {"size": "1Ti", **create}}}}))
    assert made["spec"] == {**claim, "resources": {"requests": {"storage": "1Ti"}}}


@pytest.mark.parametrize(
    ("words", "pods"),
    [
        ({}, 0),
        ({"pods": 3}, 3),
        ({"pods": 3, "scheduling": {"within": "host"}}, 0),
        ({"pods": 3, "roles": {"worker": {"mounts": {"/data": None}}}}, 0),
        ({"pods": 3, "roles": {"master": {"mounts": {"/data": None}}}}, 2),
    ],
)
def test_a_claim_of_one_node_and_several_pods(words: dict[str, Any], pods: int) -> None:
    mounts = {"/data": {"pvc": "data", "create": {"size": "1Gi", "access": "ReadWriteOnce"}}}
    result = compiled({"mounts": mounts, **words})
    said = [(one["severity"], one["message"]) for one in result.diagnostics]
    message = f"`access: ReadWriteOnce` lets the pods of one node mount the claim, and {pods} pods mount it"
    assert said == [("warning", message)] * (pods > 0)


def test_a_claim_of_several_roles_and_containers_is_made_once() -> None:
    mount = {"pvc": "data", "create": {"size": "1Gi"}}
    words = {"pods": 2, "mounts": {"/data": mount, "/again": mount}, "roles": {"worker": {"mounts": {"/own": mount}}}}
    words["init"] = {"fetch": {"command": ["fetch"], "mounts": {"/to": {"pvc": "other", "create": {"size": "1Gi"}}}}}
    made = trees(compiled(words))
    assert [(tree["kind"], tree["metadata"]["name"]) for tree in made[:-1]] == [
        ("PersistentVolumeClaim", "data"),
        ("PersistentVolumeClaim", "other"),
    ]


def test_the_order_the_labels_and_the_namespace() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"ports": [{"port": 80}]}}
    volume = {"hostPath": {"path": "/a"}}
    words = {
        "metadata": {
            "name": "a",
            "namespace": "ns",
            "labels": {"team": "x"},
            "annotations": {"note": "of the job alone"},
        },
        "mounts": {"/data": {"pvc": "data", "create": {"size": "1Gi", "volume": volume, "labels": {"app": "web"}}}},
        "files": {"/etc/a": {"text": "a"}},
        "objects": [service],
    }
    made = trees(compiled(words))
    kinds = ["PersistentVolume", "PersistentVolumeClaim", "ConfigMap", "Service", "PyTorchJob"]
    assert [tree["kind"] for tree in made] == kinds
    assert [tree["metadata"].get("namespace") for tree in made] == [None, "ns", "ns", "ns", "ns"]
    both = {"team": "x", "app": "web"}
    assert [tree["metadata"].get("labels") for tree in made] == [both, both, {"team": "x"}, None, {"team": "x"}]
    assert [tree["metadata"].get("annotations") for tree in made[:-1]] == [None] * 4
    assert made[3] == {**service, "metadata": {"name": "a", "namespace": "ns"}}


def test_the_name_of_the_files_is_a_sum_over_what_they_hold() -> None:
    one, two = {"/etc/b.txt": {"text": "b"}}, {"/etc/a.toml": {"from": "a.toml"}}
    data = {"jobs/a.toml": b"x = 1\n"}
    digest = hashlib.sha256(b"a.toml\n6\nx = 1\n" + b"b.txt\n1\nb").hexdigest()[:10]
    made = [trees(compiled({"files": files}, data))[0] for files in ({**one, **two}, {**two, **one})]
    assert [tree["metadata"]["name"] for tree in made] == [f"a-files-{digest}"] * 2 == ["a-files-82f49a6f24"] * 2
    other = trees(compiled({"files": {**one, **two}}, {"jobs/a.toml": b"x = 2\n"}))[0]
    assert other["metadata"]["name"] != made[0]["metadata"]["name"]


def test_every_file_is_mounted_alone_and_roles_share_what_is_the_same() -> None:
    words = {
        "pods": 2,
        "files": {"/etc/x/run.conf": {"text": "a"}, "/etc/y/run.conf": {"text": "a"}, "/etc/z/run.conf": {"text": "z"}},
        "roles": {"worker": {"files": {"/etc/x/run.conf": {"text": "w"}, "/etc/tool": {"text": "t"}}}},
    }
    config, job = trees(compiled(words))
    assert config["data"] == {"run.conf": "a", "run-2.conf": "z", "run-3.conf": "w", "tool": "t"}
    shared_by_both = {"/etc/y/run.conf": ("files", "run.conf"), "/etc/z/run.conf": ("files", "run-2.conf")}
    assert _mounts(job) == {"/etc/x/run.conf": ("files", "run.conf"), **shared_by_both}
    own = {"/etc/x/run.conf": ("files", "run-3.conf"), "/etc/tool": ("files", "tool")}
    assert _mounts(job, "Worker") == {**own, **shared_by_both}
    for role in ("Master", "Worker"):
        assert _pod(job, role)["volumes"] == [{"name": "files", "configMap": {"name": config["metadata"]["name"]}}]


def test_permission_bits_stand_beside_the_key_that_has_them() -> None:
    files = {"/opt/run.sh": {"text": "a", "mode": 0o755}, "/opt/b": {"text": "a"}, "/opt/two/run.sh": {"text": "a"}}
    config, job = trees(compiled({"files": files}))
    (volume,) = _pod(job)["volumes"]
    assert volume["configMap"]["items"] == [
        {"key": "run.sh", "path": "run.sh", "mode": 0o755},
        {"key": "b", "path": "b"},
        {"key": "run-2.sh", "path": "run-2.sh"},
    ]
    assert list(config["data"]) == ["run.sh", "b", "run-2.sh"]


def test_bytes_that_are_no_text() -> None:
    files = {"/etc/a.bin": {"from": "a.bin"}, "/etc/b": {"text": "é"}}
    config, _ = trees(compiled({"files": files}, {"jobs/a.bin": b"\xff\x00\x80"}))
    assert base64.b64decode(config["binaryData"]["a.bin"]) == b"\xff\x00\x80"
    assert config["data"] == {"b": "é"}
    only, _ = trees(compiled({"files": {"/etc/a.bin": {"from": "a.bin"}}}, {"jobs/a.bin": b"\xff"}))
    assert list(only) == ["apiVersion", "kind", "metadata", "binaryData"]


_NAME = st.text(st.characters(codec="utf-8", exclude_characters="/$\0\n"), min_size=1, max_size=12)
_FILES = st.dictionaries(
    _NAME.filter(lambda name: name not in (".", "..")), st.binary(max_size=8), min_size=1, max_size=5
)


@settings(derandomize=True, max_examples=60, deadline=None)
@given(_FILES)
def test_any_file_name_has_a_key_and_any_content_comes_back(files: dict[str, bytes]) -> None:
    words = {"files": {f"/etc/{name}": {"from": f"f{at}"} for at, name in enumerate(files)}}
    data = {f"jobs/f{at}": content for at, content in enumerate(files.values())}
    config, job = trees(compiled(words, data))
    (document,), findings = read(Source("written", write_yaml(config)))
    assert findings == [] and document.data == config
    held = {key: text.encode() for key, text in config.get("data", {}).items()}
    held.update({key: base64.b64decode(text) for key, text in config.get("binaryData", {}).items()})
    assert all(KEY.fullmatch(key) and not key.startswith("..") and key != "." for key in held)
    mounts = _mounts(job)
    assert {path: held[str(key)] for path, (_, key) in mounts.items()} == {
        f"/etc/{name}": files[name] for name in files
    }


def test_containers_beside_the_program_see_the_files() -> None:
    words = {"files": {"/etc/a": {"text": "a"}}, "init": {"look": {"command": ["cat", "/etc/a"]}}}
    _, job = trees(compiled(words))
    (look,) = _pod(job)["initContainers"]
    assert look["volumeMounts"] == [{"name": "files", "mountPath": "/etc/a", "subPath": "a"}]


def test_paths_count_from_the_profile_in_which_they_stand() -> None:
    base = {
        "apiVersion": "specgen/v1",
        "kind": "Base",
        "files": {"/etc/a": {"from": "a.txt"}},
        "objects": ["etcd.yaml"],
    }
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "etcd"}}
    files = {
        "base/b.yaml": yaml.safe_dump(base).encode(),
        "base/a.txt": b"of the base",
        "base/etcd.yaml": yaml.safe_dump_all([service, {**service, "metadata": {"name": "two"}}]).encode() + b"---\n",
        "jobs/a.txt": b"of the job",
    }
    config, first, second, _ = trees(compiled({"extends": "../base/b.yaml"}, files))
    assert config["data"] == {"a": "of the base"}
    assert [first, second["metadata"]] == [service, {"name": "two"}]


def test_objects_that_are_unknown_stay_as_they_are_and_get_files_of_their_own() -> None:
    objects: list[dict[str, Any]] = [
        {
            "apiVersion": "example.com/v1",
            "kind": "Odd/../Kind",
            "metadata": {"name": "x:y"},
            "any": [None, {"$<name>": "$<name>"}],
        },
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "etcd", "namespace": "one"}},
        {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "etcd", "namespace": "two"}},
        {"apiVersion": "kustomize.toolkit.fluxcd.io/v1", "kind": "Kustomization", "metadata": {"name": "flux"}},
    ]
    result = compiled({"objects": objects})
    odd, *rest, job = trees(result)
    assert odd == {**objects[0], "any": [None, {"a": "a"}]} and rest == objects[1:]
    bundle = result.compiled[0].bundle
    assert bundle is not None and bundle.job.tree is job
    files = folder(bundle)
    assert list(files) == [
        "odd-..-kind.yaml",
        "service-etcd.yaml",
        "service-etcd-2.yaml",
        "kustomization-flux.yaml",
        "pytorchjob.yaml",
        "kustomization.yaml",
    ]
    listed = yaml.safe_load(files["kustomization.yaml"])["resources"]
    assert listed == list(files)[:-1]


def test_explain_knows_the_objects_beside_a_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "etcd.yaml").write_text("apiVersion: v1\nkind: Service\nmetadata: {name: etcd}\n")
    (tmp_path / "a.toml").write_text("x = 1\n")
    create = {"size": "1Gi", "volume": {"hostPath": {"path": "/a"}}}
    words = {
        "objects": ["etcd.yaml"],
        "files": {"/etc/a": {"from": "a.toml"}},
        "mounts": {"/d": {"pvc": "d", "create": create}},
    }
    (tmp_path / "a.yaml").write_text(yaml.safe_dump({**JOB, **words}))
    for path, where, reason in (
        ("spec.volumeName", "a.yaml:", "the volume that is made for this claim"),
        ("data.a", "from: a.toml", "`files`: `/etc/a`"),
        ("spec.capacity.storage", "size: 1Gi", "`create.size`"),
        ("metadata.name", "etcd.yaml:3:18", "`objects`"),
    ):
        assert main(["explain", "a.yaml", path]) == 0
        out = capsys.readouterr().out
        assert where in out and f"because: {reason}" in out, out
    assert main(["explain", "a.yaml"]) == 0


def test_a_file_outside_the_root_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("s3cr3t")
    (root / "link.txt").symlink_to(tmp_path / "secret.txt")
    monkeypatch.chdir(root)
    for name in ("../secret.txt", "link.txt"):
        for words in ({"files": {"/etc/a": {"from": name}}}, {"objects": [name]}):
            (root / "a.yaml").write_text(yaml.safe_dump({**JOB, **words}))
            assert main(["build", "a.yaml"]) == 1
            said = capsys.readouterr()
            assert (
                f"error[SG202] `{name}`: it lies outside the root" in said.err and "s3cr3t" not in said.out + said.err
            )
