"""The same bytes out for the same bytes in, whatever the surroundings, and nothing half-written or touched in vain."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from specgen.cli import rewrite
from specgen.cli.main import main

PROFILES = ("profiles/jobs/allreduce-resnet50.yaml",)
BROKEN = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: brokén}
cluster: ../clusters/infiniband-16.yaml
target: PyTorchJob
image: a
procPerPod: 2
pods: "4"
env: {ZÜRICH: ä, NCCL_DEBG: INFO}
"""

# Pairwise over (hash seed, locale, time zone, folder, umask, order of files): each two values of two columns meet.
SURROUNDINGS = [
    ("0", "C", "UTC", ".", 0o022, False),
    ("0", "C.UTF-8", "GMT+12", "profiles", 0o077, True),
    ("0", "et_EE.UTF-8", "UTC", "profiles/jobs", 0o000, True),
    ("1", "C", "GMT+12", "profiles/jobs", 0o022, True),
    ("1", "C.UTF-8", "UTC", ".", 0o000, False),
    ("1", "et_EE.UTF-8", "GMT+12", "profiles", 0o077, False),
    ("random", "C", "UTC", "profiles", 0o000, False),
    ("random", "C.UTF-8", "GMT+12", "profiles/jobs", 0o022, True),
    ("random", "et_EE.UTF-8", "UTC", ".", 0o077, True),
    ("random", "C", "GMT+12", "profiles/jobs", 0o077, False),
]


@pytest.fixture
def checkout(root: Path, tmp_path: Path) -> Path:
    """A small copy of the samples: three jobs of one cluster, in a repository."""
    (tmp_path / ".git").mkdir()
    clusters, jobs = tmp_path / "profiles" / "clusters", tmp_path / "profiles" / "jobs"
    clusters.mkdir(parents=True)
    jobs.mkdir()
    name = "profiles/clusters/infiniband-16.yaml"
    (tmp_path / name).write_bytes((root / name).read_bytes())
    sample = (root / PROFILES[0]).read_text("utf-8")
    for letter in "cab":
        (jobs / f"{letter}.yaml").write_text(sample.replace("{name: pytorch", f"{{name: {letter}-pytorch"), "utf-8")
    return tmp_path


def child(
    root: Path, folder: Path, surroundings: tuple[str, str, str, str, int, bool], *words: str
) -> subprocess.CompletedProcess[bytes]:
    seed, language, zone, _, mask, _ = surroundings
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(root), "HOME": str(folder), "PYTHONHASHSEED": seed}
    environment |= {"LANG": language, "LC_ALL": language, "TZ": zone}
    command = [sys.executable, "-m", "specgen", *words]
    return subprocess.run(command, cwd=folder, env=environment, umask=mask, capture_output=True, check=False)


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_the_surroundings_change_no_byte(root: Path, checkout: Path) -> None:
    (checkout / "profiles" / "broken.yaml").write_text(BROKEN.replace("../clusters", "clusters"), "utf-8")
    manifests, trees, diagnostics = set(), [], set()
    for number, surroundings in enumerate(SURROUNDINGS):
        *_, where, _, backwards = surroundings
        folder = checkout / where
        names = [os.path.relpath(checkout / "profiles" / "jobs" / f"{letter}.yaml", folder) for letter in "abc"]
        built = child(root, folder, surroundings, "build", *names)
        assert built.returncode == 0, built.stderr.decode()
        assert built.stderr == b""
        manifests.add(built.stdout)
        if backwards:
            names.reverse()
        out = checkout / f"out-{number}"
        written = child(root, folder, surroundings, "build", *names, "--out", os.path.relpath(out, folder), "--quiet")
        assert written.returncode == 0, written.stderr.decode()
        trees.append(tree(out))
        broken = os.path.relpath(checkout / "profiles" / "broken.yaml", folder)
        refused = child(root, folder, surroundings, "build", broken, "--format", "concise")
        assert refused.returncode == 1
        folder_of_it = os.path.dirname(broken).encode()
        diagnostics.add(refused.stderr.replace(folder_of_it + b"/", b"") if folder_of_it else refused.stderr)
    assert len(manifests) == 1
    assert all(one == trees[0] for one in trees), "the order of files on the command line is no order of the output"
    assert len(diagnostics) == 1


def test_the_order_in_which_a_folder_lists_its_files_does_not_show(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout)
    walk = os.walk
    shuffler = random.Random(7)

    def shuffled(top: str):  # type: ignore[no-untyped-def]
        for folder, folders, names in walk(top):
            shuffler.shuffle(folders)
            shuffler.shuffle(names)
            yield folder, folders, names

    printed = set()
    for _ in range(6):
        monkeypatch.setattr(os, "walk", shuffled)
        assert main(["build", "profiles"]) == 0
        printed.add(capsys.readouterr().out)
    assert len(printed) == 1
    text = printed.pop()
    assert text.index("a-pytorch") < text.index("b-pytorch") < text.index("c-pytorch")


def _build(*more: str) -> int:
    return main(["build", "profiles", "--out", "out", "--quiet", *more])


def test_a_second_build_touches_nothing(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    assert _build() == 0
    before = {path: path.stat() for path in Path("out").rglob("*")}
    assert len(before) > 6
    assert _build() == 0
    assert _build("--check") == 0
    for path, stat in before.items():
        now = path.stat()
        assert (now.st_mtime_ns, now.st_ino) == (stat.st_mtime_ns, stat.st_ino), path
    assert {path for path in Path("out").rglob("*")} == before.keys()


def test_only_what_changed_is_written_and_foreign_files_stay(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(checkout)
    assert _build() == 0
    foreign = Path("out", "a-pytorch-dist-mnist-nccl", "notes.txt")
    foreign.write_text("mine", "utf-8")
    before = {path: path.stat().st_ino for path in Path("out").rglob("*") if path.is_file()}
    job = Path("profiles/jobs/b.yaml")
    job.write_text(job.read_text("utf-8").replace("pods: 16", "pods: 8"), "utf-8")
    assert _build() == 0
    after = {path: path.stat().st_ino for path in Path("out").rglob("*") if path.is_file()}
    assert before.keys() == after.keys()
    changed = [str(path) for path in before if before[path] != after[path]]
    assert sorted(changed) == ["out/.specgen-owned", "out/b-pytorch-dist-mnist-nccl/pytorchjob.yaml"]
    assert foreign.read_text("utf-8") == "mine"


def test_check_names_what_is_stale_missing_and_foreign(
    checkout: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(checkout)
    assert _build() == 0
    missing, foreign = (Path("out", f"{letter}-pytorch-dist-mnist-nccl") for letter in "bc")
    job = Path("profiles/jobs/a.yaml")
    job.write_text(job.read_text("utf-8").replace("pods: 16", "pods: 8"), "utf-8")
    (missing / "kustomization.yaml").unlink()
    (missing / "pytorchjob.yaml").write_text("kind: Other\n", "utf-8")
    (foreign / "old.yaml").write_text("kind: Old\n", "utf-8")
    before = tree(Path("out"))
    capsys.readouterr()
    assert _build("--check") == 1
    assert capsys.readouterr().out.splitlines() == [
        "stale    .specgen-owned",
        "stale    a-pytorch-dist-mnist-nccl/pytorchjob.yaml",
        "missing  b-pytorch-dist-mnist-nccl/kustomization.yaml",
        "foreign  b-pytorch-dist-mnist-nccl/pytorchjob.yaml: edited since specgen wrote it",
        "foreign  c-pytorch-dist-mnist-nccl/old.yaml",
    ]
    assert tree(Path("out")) == before


class Killed(BaseException):
    """The end of the process, at a place of the test's choosing."""


@pytest.mark.parametrize("fault", [Killed, OSError])
def test_an_end_before_the_rename_leaves_no_half_file(
    fault: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "job.yaml"
    path.write_text("old\n", "utf-8")

    def ends(source: str, target: str) -> None:
        assert Path(source).read_text("utf-8") == "new\n", "the temporary file is whole before it is renamed"
        raise fault("the end")

    monkeypatch.setattr(os, "replace", ends)
    with pytest.raises(fault):
        rewrite.write_text(str(path), "new\n")
    assert path.read_text("utf-8") == "old\n"
    assert [one.name for one in tmp_path.iterdir()] == ["job.yaml"]


def test_jobs_of_one_name_in_two_namespaces_have_a_folder_each_in_any_order(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(checkout / "profiles" / "jobs")
    text = Path("a.yaml").read_text("utf-8")
    for namespace in ("red", "blue"):
        named = text.replace("metadata: {", f"metadata: {{namespace: {namespace}, ")
        Path(f"{namespace}.yaml").write_text(named, "utf-8")
    assert main(["build", "red.yaml", "blue.yaml", "--out", "one", "--quiet"]) == 0
    assert main(["build", "blue.yaml", "red.yaml", "--out", "two", "--quiet"]) == 0
    assert tree(Path("one")) == tree(Path("two"))
    name = "a-pytorch-dist-mnist-nccl"
    folders = [f"blue.{name}", f"red.{name}"]
    assert sorted(path.name for path in Path("one").iterdir()) == [
        ".specgen-owned",
        folders[0],
        "kustomization.yaml",
        folders[1],
    ]
