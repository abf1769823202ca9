"""The hooks under the real pre-commit, in a repository of their own: what they stop, mend, and let pass."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

ROOT = Path(__file__).parents[2]
JOB = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: train}
target: PyTorchJob
image: registry.example.com/train:1.4
"""


def hooks() -> list[dict[str, Any]]:
    """What specgen offers to other repositories."""
    found: list[dict[str, Any]] = YAML(typ="safe").load((ROOT / ".pre-commit-hooks.yaml").read_text())
    return found


class Repository:
    """A git repository with pre-commit in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "a")
        self.git("config", "user.email", "a@example.com")

    def run(self, *words: str) -> tuple[int, str]:
        programs = str(Path(sys.executable).parent)
        cache = str(self.folder.parent / "cache")
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "PRE_COMMIT_HOME": cache}
        environment = {name: value for name, value in environment.items() if not name.startswith("GIT_")}
        done = subprocess.run(words, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def git(self, *words: str) -> str:
        code, text = self.run("git", *words)
        assert code == 0, text
        return text

    def commit(self) -> tuple[int, str]:
        self.git("add", "-A")
        return self.run("git", "commit", "-q", "-m", "a change")


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """The hooks as they are offered, but for where the program comes from: it is installed already."""
    folder = tmp_path / "repository"
    folder.mkdir()
    offered = [{**hook, "language": "system"} for hook in hooks()]
    with (folder / ".pre-commit-config.yaml").open("w") as file:
        YAML().dump({"repos": [{"repo": "local", "hooks": offered}]}, file)
    made = Repository(folder)
    code, text = made.run("pre-commit", "install")
    assert code == 0, text
    return made


def test_a_manifest_is_stopped_at_its_line_mended_and_let_pass(repository: Repository, shared: Path) -> None:
    source = shared / "sources/manifests/000-1-pytorchjob-nccl-rdma-lustre.yaml"
    job = repository.folder / "job.yaml"
    shutil.copy(source, job)
    code, text = repository.commit()
    assert code == 1
    assert "job.yaml:104:25: error[SG111]" in text
    assert "files were modified by this hook" in text
    assert [line.strip() for line in job.read_text().split("\n")].index("- name: NCCL_DEBUG") < 100
    assert repository.commit()[0] == 0, repository.commit()[1]
    assert repository.run("pre-commit", "run", "--all-files")[0] == 0


def test_what_nobody_has_to_mend_is_left_to_its_author(repository: Repository) -> None:
    job = repository.folder / "job.yaml"
    job.write_text(JOB + "pods: many\n")
    code, text = repository.commit()
    assert code == 1 and "job.yaml:6:7: error[SG103]" in text
    assert job.read_text() == JOB + "pods: many\n"


def test_options_of_a_repository_take_the_place_of_the_hooks_own(repository: Repository) -> None:
    config = repository.folder / ".pre-commit-config.yaml"
    text = config.read_text()
    assert text.count("- --quiet\n") == 2
    config.write_text(text.replace("- --quiet\n", "- --format=json\n"))
    (repository.folder / "-job.yaml").write_text(JOB + "pods: many\n")
    _, text = repository.commit()
    assert '"code": "SG103"' in text and '"file": "-job.yaml"' in text


def test_a_tree_that_is_stale_is_stopped(repository: Repository) -> None:
    profile = repository.folder / "profiles/train.yaml"
    profile.parent.mkdir()
    profile.write_text(JOB)
    code, text = repository.commit()
    assert code == 1 and "specgen build" in text
    assert repository.run("specgen", "build", "profiles", "--out", "out")[0] == 0
    assert repository.commit()[0] == 0
    profile.write_text(JOB.replace("1.4", "1.5"))
    assert repository.commit()[0] == 1


@pytest.mark.soak
def test_the_hooks_install_from_a_repository(tmp_path: Path) -> None:
    """As others take them: a clone of this one, and an environment that pre-commit makes."""
    code = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, check=False).returncode
    if code:
        pytest.skip("this checkout is no git repository")
    folder = tmp_path / "repository"
    folder.mkdir()
    made = Repository(folder)
    revision = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=True)
    offered = [{"id": hook["id"]} for hook in hooks()]
    with (folder / ".pre-commit-config.yaml").open("w") as file:
        YAML().dump({"repos": [{"repo": str(ROOT), "rev": revision.stdout.strip(), "hooks": offered}]}, file)
    made.run("pre-commit", "install")
    (folder / "job.yaml").write_text(JOB + "proscPerPod: 4\n")
    status, text = made.commit()
    assert status == 1 and "job.yaml:6:1: error[SG101]" in text
