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
# What the services say of a pull request.
GIVEN = {
    "GITHUB_REPOSITORY": "team/jobs",
    "GITHUB_STEP_SUMMARY": "../summary.md",
    "NUMBER": "7",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": "HEAD~1",
    "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "",
}
# gh: it says what it was asked, and of which text; comments that are there come from a file, as --jq prints them.
GH = """\
echo "$@" >> ../gh.txt
case "$*" in *--paginate*) cat ../ids.txt 2> /dev/null || true;; *) cp comment.md ../comment.md;; esac\
"""


def sample(service: str, *words: str) -> Any:
    ended = specgen("ci", service, *words)
    assert (ended.code, ended.err) == (0, "")
    return YAML(typ="safe").load(ended.out)


def commands(service: str, *words: str) -> list[list[str]]:
    """The commands of each job, in their order."""
    read = sample(service, *words)
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
        self.script("gh", GH)
        assert self.run("git init -q -b main && specgen build profiles --out out")[0] == 0
        self.commit()
        (self.folder / "README").touch()
        self.commit()

    def commit(self) -> None:
        """The folder as it is."""
        name = "-c user.name=a -c user.email=a@example.com -c commit.gpgsign=false"
        assert self.run(f"git add -A && git {name} commit -q -m change")[0] == 0

    def commit_nothing(self) -> None:
        """The folder again, so that the commit before is like it."""
        (self.folder / "README").write_text("again")
        self.commit()

    def comments(self) -> list[str]:
        """What was asked of GitHub, a question a line."""
        file = self.folder.parent / "gh.txt"
        return file.read_text("utf-8").splitlines() if file.exists() else []

    def script(self, name: str, text: str) -> None:
        (self.programs / name).write_text(f"#!/bin/sh\n{text}\n")
        (self.programs / name).chmod(0o755)

    def run(self, command: str, **env: str) -> tuple[int, str]:
        """As the services run a command: by bash, ended by the first failure."""
        path = f"{self.programs}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
            cwd=self.folder,
            env={"PATH": path, "PYTHONPATH": str(ROOT), **GIVEN, **env},
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
def test_other_folders(service: str, repository: Repository) -> None:
    """Profiles and a tree lie where the repository has them, DIFF and OUT among them."""
    words = ("./OUT/one/", "jobs.DIFF/two.yaml", "--out", "trees/dev/")
    for path in ("OUT/one/a.yaml", "jobs.DIFF/two.yaml"):
        file = repository.folder / path
        file.parent.mkdir(parents=True)
        file.write_text(PROFILE.replace("mnist", file.stem))
    assert repository.run("specgen build OUT/one jobs.DIFF/two.yaml --out trees/dev")[0] == 0
    repository.commit()
    repository.commit_nothing()
    every = [command for job in commands(service, *words) for command in job if "$SPECGEN" not in command]
    for command in every:
        code, said = repository.run(command)
        assert code == 0, f"{command}: {said}"
    assert sum("--format markdown" in command for command in every) == 2
    (repository.folder / "jobs.DIFF" / "two.yaml").write_text(PROFILE.replace("mnist", "two") + "pods: 2\n")
    (_, (_, build), diff) = commands(service, *words)
    code, said = repository.run(build)
    assert (code, "stale    two/pytorchjob.yaml\n" in said) == (1, True), said
    for command in diff:
        repository.run(command)
    assert "PyTorchJob two" in (repository.folder / "specgen.md").read_text("utf-8")


@pytest.mark.parametrize("path", ["/jobs", "../jobs", "a/../../b", "a b", "-x", "$(touch x)", "", "a: b"])
def test_paths_that_are_none(path: str) -> None:
    for words in (("--", path), (f"--out={path}",)):
        ended = specgen("ci", "github", *words)
        assert (ended.code, ended.out) == (2, "")


@pytest.mark.parametrize("service", SERVICES)
def test_what_is_wrong_fails_its_job_behind_the_report(service: str, repository: Repository) -> None:
    (repository.folder / "byhand.yaml").write_text(BAD)
    (repository.folder / "profiles" / "mnist.yaml").write_text(PROFILE + "pods: 2\n")
    (_, report, check), (_, build), _ = commands(service)
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
    assert len(used) == 7
    assert all(re.fullmatch(r"[\w-]+(/[\w-]+)+@v\d+", one) for one in used)


@pytest.mark.parametrize("service", SERVICES)
def test_a_change_of_a_job_is_said(service: str, repository: Repository) -> None:
    (repository.folder / "profiles" / "mnist.yaml").write_text(PROFILE + "pods: 2\n")
    repository.commit()
    _, *words = commands(service)[2]
    words = words[:2]
    if service == "gitlab":
        artifacts = sample(service)["specgen-diff"]["artifacts"]
        assert artifacts == {"expose_as": "specgen diff", "paths": ["specgen.md"]}
    for word in words:
        code, said = repository.run(word)
        assert code == 0, said
    told = (repository.folder / "specgen.md").read_text("utf-8")
    assert told.startswith("**1 job changed**") and "| pods | `1` | `2` |" in told
    if service == "gitlab":
        assert told in said
        moved = {"CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "HEAD"}
        assert repository.run(words[0], **moved)[0] == 0
        assert (repository.folder / "specgen.md").read_text("utf-8").startswith("No job changes")
    else:
        assert (repository.folder.parent / "summary.md").read_text("utf-8") == told


def test_one_comment_is_written_anew(repository: Repository) -> None:
    comment = commands("github")[2][-1]
    line = "é" * 99
    (repository.folder / "specgen.md").write_text(f"{line}\n" * 999, "utf-8")
    assert repository.run(comment) == (0, "")
    listed, posted = repository.comments()
    assert listed.startswith("api --paginate repos/team/jobs/issues/7/comments --jq .[] | select(")
    assert posted == "api --silent --method POST repos/team/jobs/issues/7/comments -F body=@comment.md"
    head, *lines = (repository.folder.parent / "comment.md").read_text("utf-8").splitlines()
    assert head == "<!-- specgen diff -->" and set(lines) == {line} and 250 < len(lines) < 660
    (repository.folder.parent / "ids.txt").write_text("41\n42\n", "utf-8")
    assert repository.run(comment) == (0, "")
    *_, edited = repository.comments()
    assert edited == "api --silent --method PATCH repos/team/jobs/issues/comments/41 -F body=@comment.md"


def test_only_the_comment_of_the_job_itself_is_found() -> None:
    jq = pytest.importorskip("jq", reason="jq is absent, whose language gh speaks")
    (mine,) = re.findall(r"mine='(.*)'", commands("github")[2][-1])
    said = "<!-- specgen diff -->\n**1 job changed**"
    known = [("User", said), ("Bot", f"> {said}"), ("Bot", said)]
    comments = [{"id": number, "user": {"type": kind}, "body": body} for number, (kind, body) in enumerate(known)]
    assert jq.compile(mine).input_value(comments).all() == [2]


def test_foreign_code_gets_no_token_that_writes() -> None:
    read = sample("github")
    assert read.get("on", read.get(True)) == {"push": {"branches": ["main"]}, "pull_request": None}
    job = read["jobs"]["diff"]
    assert read["permissions"] == {"contents": "read"}
    assert job["permissions"] == {"contents": "read", "pull-requests": "write"}
    assert job["if"] == "github.event_name == 'pull_request'"
    *others, comment = job["steps"]
    assert comment["if"] == "github.event.pull_request.head.repo.full_name == github.repository"
    assert others[0]["with"]["persist-credentials"] is False
    # nothing that a stranger names becomes a part of a command, and no step but the last has a token
    assert not any("${{" in step.get("run", "") for step in job["steps"])
    assert [step for step in others if "token" in str(step).lower()] == []
