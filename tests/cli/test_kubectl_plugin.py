"""``kubectl specgen`` with the real kubectl, which finds the programs that the package installs on the path."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.kubectl import kubectl

ROOT = Path(__file__).parents[2]
FILES = Path(__file__).parent / "files"


class Kubectl:
    """kubectl with a path that holds the console scripts of ``pyproject.toml``, as an installer writes them."""

    def __init__(self, folder: Path) -> None:
        binary = kubectl()
        if binary is None:
            pytest.skip("kubectl is not installed")
        self.binary, self.folder = binary, folder
        scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
        for name, function in scripts.items():
            module, _, function = function.partition(":")
            script = folder / name
            script.write_text(
                f"#!{sys.executable}\nimport sys\nfrom {module} import {function}\nsys.exit({function}())\n"
            )
            script.chmod(0o755)

    def __call__(self, *words: str) -> subprocess.CompletedProcess[str]:
        environment = {
            "PATH": f"{self.folder}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "PYTHONPATH": str(ROOT),
            "HOME": str(self.folder),
        }
        return subprocess.run(
            [self.binary, *words], cwd=FILES, env=environment, capture_output=True, text=True, check=False, timeout=60
        )


@pytest.fixture
def run(tmp_path: Path) -> Kubectl:
    return Kubectl(tmp_path)


def test_it_is_a_plugin(run: Kubectl) -> None:
    listed = run("plugin", "list")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert listed.stdout.splitlines()[2:] == [str(run.folder / "kubectl-specgen")]


def test_it_lints_and_calls_itself_by_kubectls_name(run: Kubectl) -> None:
    linted = run("specgen", "lint", "manifest.yaml")
    assert linted.returncode == 1
    assert linted.stdout.startswith("manifest.yaml:12:19: error[SG301]")
    assert run("specgen", "lint", "--help").stdout.startswith("usage: kubectl specgen lint [-h]")
    refused = run("specgen", "lint")
    assert refused.returncode == 2
    assert "kubectl specgen lint: error: the following arguments are required: FILE" in refused.stderr


@pytest.mark.parametrize(
    ("words", "offered", "directive"),
    [
        (["exp"], ["expand", "explain"], ":4"),
        (["lint", "--format", "g"], ["github", "gitlab"], ":4"),
        (["lint", "--fail"], ["--fail-on"], ":4"),
        (["explain", "SG82"], [f"SG82{digit}" for digit in range(8)], ":4"),
        (["lint", "manif"], ["manifest.yaml"], ":4"),
        (["lint", "lega"], ["legacy/"], ":6"),
        (["lint", "a b", "nothing-like-it"], [], ":4"),
    ],
    ids=str,
)
def test_it_completes(run: Kubectl, words: list[str], offered: list[str], directive: str) -> None:
    done = run("__complete", "specgen", *words)
    *found, last = done.stdout.splitlines()
    assert [line.partition("\t")[0] for line in found] == offered
    assert last == directive
