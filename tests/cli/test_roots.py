"""What profiles may read: the same from every working directory, and by every name of the same file."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from specgen.cli.root import root
from tests.bad.program import specgen

HEAD = "apiVersion: specgen/v1\nkind: {kind}\nmetadata: {{name: {name}}}\n"
JOB = HEAD.format(kind="Job", name="train") + "target: PyTorchJob\nimage: registry.example.com/train:1\n"
JOB += "command: [python, -V]\nextends: ../base.yaml\ncluster: ../clusters/lab.yaml\n"
JOB += "files: {/etc/train.toml: {from: train.toml}}\n"
FILES = {
    "top.yaml": HEAD.format(kind="Base", name="top"),
    "team/base.yaml": HEAD.format(kind="Base", name="base"),
    "team/all.toml": "a = 1\n",
    "team/clusters/lab.yaml": HEAD.format(kind="Cluster", name="lab"),
    "team/jobs/train.yaml": JOB,
    "team/jobs/train.toml": "b = 2\n",
    "team/jobs/taking.yaml": JOB.replace("from: train.toml", "from: ../all.toml").replace(
        "name: train", "name: taking"
    ),
    "team/jobs/far.yaml": JOB.replace("../base.yaml", "../../top.yaml").replace("name: train", "name: far"),
}
NEAR, FAR, TAKING = "train.yaml", "far.yaml", "taking.yaml"
OUTSIDE = "far.yaml:7:10: error[SG202] `../../top.yaml`: it lies outside the root, "


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "work" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "work"


# Working directory, below the folder of the files, and a name of the job's folder as seen from there.
PLACES = {
    "the job's own folder": ("team/jobs", "."),
    "the job's own folder, as stdin": ("team/jobs", "-"),
    "the folder above": ("team", "jobs"),
    "the top": (".", "team/jobs"),
    "above the top": ("..", "work/team/jobs"),
    "a folder beside": ("team/clusters", "../jobs"),
    "anywhere, by its full name": ("/", ""),
    "the job's own folder, by its full name": ("team/jobs", ""),
}


def linted(home: Path, place: str, file: str) -> tuple[int, str]:
    """The exit code and the report, in which the name of the file stands without its folder."""
    where, folder = PLACES[place]
    if folder == "-":
        ended = specgen("lint", "-", cwd=home / where, stdin=(home / "team" / "jobs" / file).read_bytes())
        return ended.code, ended.out.replace("<stdin>", file)
    name = os.path.join(folder or str(home / "team" / "jobs"), file)
    ended = specgen("lint", name, cwd=home / where)
    return ended.code, ended.out.replace(name, file)


@pytest.mark.parametrize("place", PLACES)
def test_neighbours_are_read_without_any_mark(home: Path, place: str) -> None:
    assert linted(home, place, NEAR) == (0, "")


@pytest.mark.parametrize("place", PLACES)
def test_what_lies_further_up_is_refused_without_a_mark(home: Path, place: str) -> None:
    code, report = linted(home, place, FAR)
    help = "an empty file `.specgen-root` in a folder that holds both makes it the root"
    assert (code, report) == (1, f"{OUTSIDE}the folder above the one that holds the profile ({help})\n")


@pytest.mark.parametrize("place", PLACES)
def test_a_neighbour_is_read_as_a_profile_and_not_as_a_content(home: Path, place: str) -> None:
    code, report = linted(home, place, TAKING)
    assert code == 1
    assert report.startswith("taking.yaml:9:33: error[SG202] `../all.toml`: it lies outside the root, the folder that ")
    (home / "team" / ".specgen-root").touch()
    assert linted(home, place, TAKING) == (0, "")


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("mark", [".git", ".specgen-root"])
def test_a_mark_opens_all_below_it(home: Path, mark: str, place: str) -> None:
    (home / mark).touch()
    assert linted(home, place, FAR) == (0, "")


@pytest.mark.parametrize("place", PLACES)
def test_the_nearest_mark_counts(home: Path, place: str) -> None:
    (home / ".git").mkdir()
    (home / "team" / ".specgen-root").touch()
    code, report = linted(home, place, FAR)
    assert (code, report) == (1, OUTSIDE + "the nearest folder with `.git` or `.specgen-root`\n")
    (home / "team" / "jobs" / ".specgen-root").touch()
    code, report = linted(home, place, NEAR)
    outside = "it lies outside the root, the nearest folder with `.git` or `.specgen-root`\n"
    lines = [
        f"train.yaml:{line}: error[SG202] `{file}`: {outside}"
        for line, file in (("7:10", "../base.yaml"), ("8:10", "../clusters/lab.yaml"))
    ]
    assert (code, report) == (1, "".join(lines))


@pytest.mark.parametrize("words", [["team"], ["team/jobs"], ["team/jobs/train.yaml", "team/base.yaml"]])
def test_folders_and_files_of_a_hook(home: Path, words: list[str]) -> None:
    (home / "team" / "jobs" / FAR).unlink()
    (home / "team" / "jobs" / TAKING).unlink()
    ended = specgen("lint", *words, cwd=home)
    assert (ended.code, ended.out) == (0, ""), ended.err


def test_the_help_says_how_to_widen_the_root(home: Path) -> None:
    ended = specgen("lint", "--format=human", FAR, cwd=home / "team" / "jobs")
    assert "  = help: an empty file `.specgen-root` in a folder that holds both makes it the root\n" in ended.out


@pytest.mark.parametrize("shared", ["home", "writable"])
def test_a_folder_that_holds_more_than_the_project_is_no_root(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared: str
) -> None:
    jobs = tmp_path / "above" / "jobs"
    jobs.mkdir(parents=True)
    assert root(str(jobs)).path == str(jobs.parent.resolve())
    if shared == "home":
        monkeypatch.setenv("HOME", str(jobs.parent))
    else:
        jobs.parent.chmod(0o777)
    assert root(str(jobs)).path == str(jobs.resolve())


def test_the_top_of_the_file_system_is_no_root() -> None:
    above = [folder for folder in ("/proc", "/usr", "/dev") if os.path.isdir(folder)]
    assert [root(folder).path for folder in above] == [os.path.realpath(folder) for folder in above]
    assert not root("/").marked


def test_a_file_that_is_linked_reads_beside_the_link(home: Path) -> None:
    link = home / "team" / "clusters" / "train.yaml"
    (home / "elsewhere").mkdir()
    (home / "team" / "jobs" / NEAR).rename(home / "elsewhere" / "real.yaml")
    link.symlink_to(home / "elsewhere" / "real.yaml")
    (home / "team" / "jobs" / "train.toml").rename(home / "team" / "clusters" / "train.toml")
    ended = specgen("lint", "train.yaml", cwd=link.parent)
    assert (ended.code, ended.out) == (0, "")
