"""How kubectl is started: from copies of the files of a tree alone, without our environment, within time and room."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from specgen.cli import kustomize
from specgen.session.kustomize import Order
from tests.kustomize.test_kustomize import copied, found, lint, path

__all__ = ["path"]

ORDER = Order("a", {"a/kustomization.yaml": b"resources: [../b/c.yaml]\n", "b/c.yaml": b"kind: C\n"})


def program(folder: Path, text: str, name: str = "kubectl") -> Path:
    """A program of that name; its search path is empty, so that it is written with whole ones."""
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}")
    (folder / name).chmod(0o755)
    return folder


def test_it_sees_its_files_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log"
    own = program(tmp_path / "bin", f'exec > {log}; echo "$@"; /usr/bin/env; cd /; /usr/bin/find "$3" -type f\n')
    program(own, f'cd "$2/.."; {{ echo "$1"; /usr/bin/env; /usr/bin/find . -type f; }} > {log}\n', "kustomize")
    (own / "kubectl").unlink()
    monkeypatch.setenv("PATH", str(own))
    monkeypatch.setenv("TOKEN_OF_MINE", "secret")
    monkeypatch.chdir(tmp_path)
    assert [one.text for one in kustomize.render([ORDER], 1)] == [""]
    said = log.read_text().splitlines()
    assert said[0] == "build"
    assert [line for line in said if line.startswith("./")] == ["./a/kustomization.yaml", "./b/c.yaml"] or [
        line for line in said if line.startswith("./")
    ] == ["./b/c.yaml", "./a/kustomization.yaml"]
    names = {line.partition("=")[0] for line in said if "=" in line}
    assert "TOKEN_OF_MINE" not in names and {"HOME", "HTTPS_PROXY"} <= names
    assert not [line for line in said if line.startswith("HOME=") and os.environ.get("HOME", "-") == line[5:]]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("while :; do :; done\n", "it takes more time than there is for it"),
        ("exec 1>&-; exec 2>&-; /bin/sleep 30\n", "it takes more time than there is for it"),
        ("/usr/bin/head -c 8000000 /dev/zero\n", "longer than 5,242,880 bytes"),
        ("echo 'fatal error: out of memory' >&2; exit 2\n", "`kubectl` ended with 2"),
        ("kill -9 $$\n", "`kubectl` ended with signal 9"),
    ],
)
def test_time_and_room_are_bounded(text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kustomize, "_SECONDS", 1.0)
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin", text)))
    (ended,) = kustomize.render([ORDER], 1)
    assert ended.text is None and not ended.error and reason in ended.reason


@pytest.mark.parametrize(
    "text",
    [
        'echo "error: $2/\\"x\\" is wrong" >&2; exit 1\n',
        'echo "# Warning: it is old" >&2; echo "Error: $2/\\"x\\" is wrong" >&2; exit 1\n',
        '/bin/cat >&2 <<END\nE1122 run.go:72] "command failed" err="$2/\\\\"x\\\\" is wrong"\nEND\nexit 1\n',
    ],
)
def test_what_it_says_names_files_as_the_run_does(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(program(tmp_path / "bin", text)))
    assert [one.error for one in kustomize.render([ORDER] * 5, 3)] == ['a/"x" is wrong'] * 5


def test_links_and_what_lies_outside_are_not_followed(path: str, tmp_path: Path) -> None:
    folder = copied("half-healed", tmp_path)
    (folder / "base").rename(tmp_path / "elsewhere")
    (folder / "base").symlink_to("../elsewhere")
    ended = lint(path, folder, "--kustomize", "overlays/prod")
    assert found(ended) == ["overlays/prod/kustomization.yaml:1 SG015"] and "outside the root" in ended.out
    (folder / "base").unlink()
    (tmp_path / "elsewhere").rename(folder / "there")
    (folder / "base").symlink_to("there")
    ended = lint(path, folder, "--kustomize", "overlays/prod")
    assert found(ended) == ["overlays/prod/kustomization.yaml:1 SG015"] and "is a link" in ended.out
    (folder / "overlays/prod/kustomization.yaml").write_text(f"resources: [{tmp_path}]\n")
    ended = lint(path, folder, "--kustomize", "overlays/prod")
    assert found(ended) == ["overlays/prod/kustomization.yaml:1 SG015"] and "absolute path" in ended.out


@pytest.mark.parametrize(
    ("field", "address"),
    [
        ("resources: [X]", "https://example.com/a.yaml"),
        ("components: [X]", "git@example.com:a/b"),
        ("patches: [{path: X}]", "https://example.com/a.yaml"),
        ('crds: ["X"]', "github.com/a/b?ref=v1"),
        ("configMapGenerator: [{name: a, files: [b=X]}]", "https://example.com/a"),
    ],
)
def test_nothing_is_fetched(field: str, address: str, tmp_path: Path) -> None:
    (tmp_path / "kustomization.yaml").write_text(field.replace("X", address) + "\n")
    own = program(tmp_path / "bin", f"echo > {tmp_path}/started\n")
    (own / "sh").symlink_to("/bin/sh")
    ended = lint(str(own), tmp_path, "--kustomize", "kustomization.yaml")
    assert found(ended) == ["kustomization.yaml:1 SG015"] and f"it fetches `{address}`" in ended.out
    assert not (tmp_path / "started").exists()
