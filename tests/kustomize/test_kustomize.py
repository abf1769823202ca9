"""Kustomizations judged as the real kubectl renders them, and led back to the files and lines that say it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.bad.program import Ended, specgen
from tests.golden import Golden
from tests.kubectl import kubectl

HERE = Path(__file__).parent
TREES = sorted(path.name for path in (HERE / "trees").iterdir() if path.is_dir())


@pytest.fixture(scope="session")
def path() -> str:
    """A search path with kubectl in it."""
    binary = kubectl()
    assert binary is not None, "kubectl is not installed"
    return f"{Path(binary).parent}{os.pathsep}/usr/bin{os.pathsep}/bin"


def lint(path: str, folder: Path, *words: str, verb: str = "lint") -> Ended:
    """Lints as a child process; Go reserves more room than it uses."""
    return specgen(verb, *words, cwd=folder, env={"PATH": path}, megabytes=8000, seconds=20)


def copied(name: str, folder: Path) -> Path:
    """A copy of a tree, in a repository of its own."""
    shutil.copytree(HERE / "trees" / name, folder / name)
    (folder / name / ".specgen-root").touch()
    return folder / name


def found(ended: Ended) -> list[str]:
    """``file:line code`` of each line of a concise report."""
    lines = [line.split(":", 3) for line in ended.out.splitlines()]
    return [f"{file}:{line} {rest.split('[')[1].split(']')[0]}" for file, line, _, rest in lines]


@pytest.mark.parametrize("name", TREES)
def test_a_tree(name: str, path: str, tmp_path: Path, golden: Golden) -> None:
    ended = lint(path, copied(name, tmp_path), "--kustomize", "--format", "human", ".")
    said = ended.out + "".join(f"2> {line}\n" for line in ended.err.splitlines()) + f"exit {ended.code}\n"
    assert said == golden(HERE / "trees" / f"{name}.txt")


@pytest.mark.parametrize(
    ("name", "form"),
    [("healed", "junit"), ("half-healed", "sarif"), ("json", "json"), ("broken", "gitlab"), ("remote", "github")],
)
def test_several_processes_say_the_same(name: str, form: str, path: str, tmp_path: Path) -> None:
    folder = copied(name, tmp_path)
    one = lint(path, folder, "--kustomize", "--format", form, ".")
    two = lint(path, folder, "--kustomize", "--format", form, "--jobs", "3", ".")
    assert (one.code, one.out, one.err) == (two.code, two.out, two.err)


def test_without_the_option_they_are_left_alone_and_it_is_named(path: str, tmp_path: Path) -> None:
    folder = copied("healed", tmp_path)
    ended = lint(path, folder, ".")
    assert found(ended)[:1] == ["base/job.yaml:12 SG301"]
    assert "not checked: 2 kustomizations, 1 kustomize patch; `--kustomize` has kustomizations judged" in ended.err
    patched = lint(path, copied("remote", tmp_path), "overlays")
    assert found(patched) == ["overlays/prod/patch.yaml:1 SG013"]
    assert "`specgen lint --kustomize overlays/prod`" in patched.out


def test_an_overlay_alone_brings_its_base(path: str, tmp_path: Path) -> None:
    folder = copied("half-healed", tmp_path)
    assert lint(path, folder, "--kustomize", "overlays/prod").err == "3 files clean\n"
    named = lint(path, folder, "--kustomize", "overlays/dev/kustomization.yaml")
    assert found(named) == ["base/job.yaml:12 SG301"]
    # a base that is asked for by itself is judged by itself
    assert found(lint(path, folder, "--kustomize", "base")) == ["base/job.yaml:12 SG301"]


def test_a_bare_name_is_a_kustomization_too(path: str, tmp_path: Path) -> None:
    folder = copied("half-healed", tmp_path)
    for name in ("base", "overlays/prod", "overlays/dev"):
        (folder / name / "kustomization.yaml").rename(folder / name / "Kustomization")
    assert found(lint(path, folder, "--kustomize", ".")) == ["base/job.yaml:12 SG301"]


def test_a_configuration_asks_for_it(path: str, tmp_path: Path) -> None:
    folder = copied("healed", tmp_path)
    config = folder / "specgen.toml"
    config.write_text("kustomize = true\n")
    assert lint(path, folder, ".").err == "4 files clean\n"
    assert lint(path, folder, "--no-kustomize", ".").code == 1
    assert lint(path, folder, "--no-config", ".").code == 1
    config.write_text("kustomize = 'yes'\n")
    assert lint(path, folder, ".").err == "specgen: specgen.toml:1:1: `kustomize` is true or false\n"
    config.write_text("exclude = ['base/']\n")
    assert found(lint(path, copied("half-healed", tmp_path), "--kustomize", "--exclude", "base/", ".")) == []


def test_comments_and_a_baseline_count(path: str, tmp_path: Path) -> None:
    folder = copied("json", tmp_path)
    words = ("--kustomize", "overlays")
    ended = lint(path, folder, *words, "--write-baseline", "known.json")
    assert "known.json holds 5 findings" in ended.err
    ended = lint(path, folder, *words, "--baseline", "known.json")
    assert (ended.code, ended.out) == (0, "")
    (folder / "overlays/prod/worker.yaml").write_text("[]\n")
    assert found(lint(path, folder, *words, "--baseline", "known.json")) == ["known.json:6 SG033"]
    kustomization = folder / "overlays/prod/kustomization.yaml"
    kustomization.write_text(f"# specgen: ignore[SG411, SG520] set by hand\n{kustomization.read_text()}")
    assert found(lint(path, folder, *words)) == [
        "overlays/prod/kustomization.yaml:7 SG304",
        "overlays/prod/kustomization.yaml:16 SG103",
    ]


def test_fix_mends_what_is_wrong_as_it_is_rendered(path: str, tmp_path: Path) -> None:
    folder = copied("healed", tmp_path)
    before = (folder / "base/job.yaml").read_text()
    assert lint(path, folder, "--kustomize", ".", verb="fix").code == 0
    assert (folder / "base/job.yaml").read_text() == before
    folder = copied("half-healed", tmp_path)
    ended = lint(path, folder, "--kustomize", ".", verb="fix")
    assert ended.err.splitlines()[-1] == "1 problem fixed in 1 file"
    assert "trainer" not in (folder / "base/job.yaml").read_text()
    folder = copied("merge", tmp_path)
    ended = lint(path, folder, "--kustomize", "--unsafe", ".", verb="fix")
    assert "replicas: 8" in (folder / "overlays/prod/replicas.yaml").read_text()
    assert found(ended)[0] == "overlays/prod/kustomization.yaml:13 SG313"


def test_without_a_program_the_question_is_a_bad_one(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "sh").symlink_to("/bin/sh")
    bare = str(tmp_path / "bin")
    folder = copied("healed", tmp_path)
    ended = lint(bare, folder, "--kustomize", ".")
    assert (ended.code, ended.out) == (2, "")
    assert "`kubectl` or `kustomize`, and neither is on PATH" in ended.err and "install kubectl" in ended.err
    # what lies in the repository is not started
    (folder / "kubectl").write_text("#!/bin/sh\ntouch started\n")
    (folder / "kubectl").chmod(0o755)
    assert lint(f".{os.pathsep}{bare}", folder, "--kustomize", ".").code == 2
    assert not (folder / "started").exists()
    # nor asked for where there is nothing to render
    assert lint(bare, folder, "--kustomize", "overlays/prod/containers.yaml").code != 2


def test_the_tree_that_build_writes_is_clean(path: str, root: Path) -> None:
    plain = lint(path, root, "out")
    ended = lint(path, root, "--kustomize", "out")
    assert (ended.code, ended.out) == (0, plain.out)
    assert "not checked" in plain.err and ended.err == ""


def test_a_repository(shared: Path, path: str, tmp_path: Path) -> None:
    shutil.copytree(shared / "findings" / "cases" / "lint" / "repo", tmp_path / "repo")
    ended = lint(path, tmp_path / "repo", "--kustomize", "base", "overlays", "--format=json")
    diagnostics = json.loads(ended.out)["diagnostics"]
    assert [(one["code"], one["primary"]["file"]) for one in diagnostics if one["severity"] == "error"] == [
        ("SG305", "overlays/prod/patch.yaml")
    ]


@pytest.mark.soak
def test_what_an_overlay_does_not_touch_is_found_where_it_stands(shared: Path, path: str, tmp_path: Path) -> None:
    """Manifests of the public corpus, below an overlay that gives them a prefix: the same findings stay in place."""
    (tmp_path / ".specgen-root").touch()
    for number, manifest in enumerate(sorted((shared / "corpus" / "PyTorchJob").iterdir())[::8]):
        base, overlay = tmp_path / f"{number}" / "base", tmp_path / f"{number}" / "overlay"
        base.mkdir(parents=True)
        overlay.mkdir()
        shutil.copy(manifest, base / "job.yaml")
        (base / "kustomization.yaml").write_text("resources: [job.yaml]\n")
        (overlay / "kustomization.yaml").write_text("resources: [../base]\nnamePrefix: x-\n")

    def places(*words: str) -> set[tuple[str, str, int]]:
        ended = lint(path, tmp_path, *words, "--format=json", ".")
        diagnostics = json.loads(ended.out)["diagnostics"]
        return {(one["code"], one["primary"]["file"], one["primary"]["start"]["offset"]) for one in diagnostics}

    plain, rendered = places(), places("--kustomize")
    assert len(plain) > 5 and plain <= rendered
    assert {code for code, _, _ in rendered - plain} <= {"SG014", "SG015"}
