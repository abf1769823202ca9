"""The samples of ``specgen ci``: every command in them is run, in a git repository of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from ruamel.yaml import YAML

from tests.bad.program import specgen

ROOT = Path(__file__).parents[2]
PROFILE = """\
apiVersion: specgen/v1
kind: Job
metadata: {name: mnist}
target: PyTorchJob
image: registry.example.com/train:1
command: [python, /train.py]
"""
BAD = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: byhand}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 1, template: {spec: {containers: [{name: trainer, image: 'a:1'}]}}}
"""
SERVICES = ("github", "gitlab")


def sample(service: str) -> Any:
    ended = specgen("ci", service)
    assert (ended.code, ended.err) == (0, "")
    return YAML(typ="safe").load(ended.out)


def commands(service: str) -> list[list[str]]:
    """The commands of each job, in their order."""
    read = sample(service)
    if service == "github":
        return [[step["run"] for step in job["steps"] if "run" in step] for job in read["jobs"].values()]
    jobs = [job for job in read.values() if "script" in job]
    return [[*read[job["extends"]]["before_script"], *job["script"]] for job in jobs]


class Repository:
    """A repository with a profile and what it comes to, and the programs that the samples call."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "repository"
        self.programs = folder / "bin"
        self.programs.mkdir()
        self.script("specgen", f'exec {sys.executable} -m specgen "$@"')
        self.script("pip", 'printf "%s\\n" "$@" > ../pip.txt')
        (self.folder / "profiles").mkdir(parents=True)
        (self.folder / "profiles" / "mnist.yaml").write_text(PROFILE)
        assert self.run("git init -q -b main && specgen build profiles --out out")[0] == 0

    def script(self, name: str, text: str) -> None:
        (self.programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.programs / name).chmod(0o755)

    def run(self, command: str, **env: str) -> tuple[int, str]:
        """As the services run a command: by bash, ended by the first failure."""
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
            cwd=self.folder,
            env={"PATH": path, "PYTHONPATH": str(ROOT), **env},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stdout + done.stderr


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.mark.parametrize("service", SERVICES)
def test_every_command_passes_where_all_is_well(service: str, repository: Repository) -> None:
    variables = sample(service)["env" if service == "github" else "variables"]
    for command in [command for job in commands(service) for command in job]:
        code, said = repository.run(command, **variables)
        assert code == 0, f"{command}: {said}"
    assert (repository.folder.parent / "pip.txt").read_text() == f"install\n{variables['SPECGEN']}\n"
    assert Requirement(variables["SPECGEN"]).name == "specgen"


@pytest.mark.parametrize("service", SERVICES)
def test_what_is_wrong_fails_its_job_behind_the_report(service: str, repository: Repository) -> None:
    (repository.folder / "byhand.yaml").write_text(BAD)
    (repository.folder / "profiles" / "mnist.yaml").write_text(PROFILE + "pods: 2\n")
    (_, report, check), (_, build) = commands(service)
    assert repository.run(report)[0] == 0
    read = json.loads((repository.folder / report.rpartition("> ")[2]).read_text())
    if service == "github":
        steps = sample(service)["jobs"]["lint"]["steps"]
        assert [step["with"]["sarif_file"] for step in steps if "upload-sarif" in step.get("uses", "")] == [
            report.rpartition("> ")[2]
        ]
        assert [one["ruleId"] for one in read["runs"][0]["results"]] == ["SG301"]
    else:
        reports = sample(service)["specgen-lint"]["artifacts"]
        assert reports == {"when": "always", "reports": {"codequality": report.rpartition("> ")[2]}}
        assert [one["check_name"] for one in read] == ["SG301 wrong-container-name"]
    code, said = repository.run(check)
    assert code == 1
    assert ("::error file=byhand.yaml" if service == "github" else "byhand.yaml:6:") in said
    code, said = repository.run(build)
    assert (code, "stale    mnist/pytorchjob.yaml\n" in said) == (1, True), said


def test_actions_are_pinned_by_major_version() -> None:
    used = [step["uses"] for job in sample("github")["jobs"].values() for step in job["steps"] if "uses" in step]
    assert len(used) == 5
    assert all(re.fullmatch(r"[\w-]+(/[\w-]+)+@v\d+", one) for one in used)
