"""Files that a user names for writing: a link is followed, a FIFO written through, and no file lost half-way."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import threading
from pathlib import Path

import pytest

from specgen.version import GENERATOR
from tests.bad.program import Ended, command, environment
from tests.bad.program import specgen as limited

FILES = Path(__file__).parent / "files"
# A line for each verb that writes one file, and what the file holds.
WRITERS = {
    "baseline": (["lint", "job.yaml", "-q", "--write-baseline", "FILE"], '"findings"'),
    "job": (["init", "job", "--gpu", "8", "--force", "--out", "FILE"], "kind: Job"),
    "cluster": (["init", "cluster", "--like", "h100-infiniband", "--force", "--out", "FILE"], "kind: Cluster"),
    "svg": (["fit", "fit/job.yaml", "--world", "fit/world.yaml", "--svg", "FILE"], "</svg>"),
    "html": (["fit", "fit/job.yaml", "--world", "fit/world.yaml", "--html", "FILE"], "</html>"),
    "reference": (["explain", "--all", "--html", "FILE"], "</html>"),
}
# Those that write over nothing but their own.
CAREFUL = ("svg", "html", "reference")
OFFER = """\
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: train}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 1
      template: {spec: {containers: [{name: pytorch, image: "a:1", env: [{name: A, value: 1}]}]}}
"""


def specgen(*words: str, cwd: Path) -> Ended:
    """The whole reference takes its time."""
    return limited(*words, cwd=cwd, seconds=30, megabytes=600)


def words(writer: str, file: Path | str) -> list[str]:
    return [str(file) if word == "FILE" else word for word in WRITERS[writer][0]]


# Writing the reference takes seconds, and it is written as the other pages are: two tests are enough for it.
@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.soak] * (name == "reference")) for name in WRITERS])
def each_writer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(params=[name for name in WRITERS if name != "reference"])
def writer(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_a_link_stays_and_its_file_is_written(each_writer: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("file")
    specgen(*words(each_writer, tmp_path / "link"), cwd=FILES)
    assert (tmp_path / "link").is_symlink()
    assert WRITERS[each_writer][1] in (tmp_path / "file").read_text()


def test_a_link_that_leads_nowhere_gets_its_file(writer: str, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("file")
    specgen(*words(writer, tmp_path / "link"), cwd=FILES)
    assert (tmp_path / "link").is_symlink()
    assert WRITERS[writer][1] in (tmp_path / "file").read_text()


def test_a_fifo_is_written_through(writer: str, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append(fifo.read_text()), daemon=True)
    reader.start()
    specgen(*words(writer, fifo), cwd=FILES)
    reader.join(20)
    assert read and WRITERS[writer][1] in read[0]
    assert stat.S_ISFIFO(fifo.lstat().st_mode)


def test_the_pipe_of_a_shell_is_written_through(writer: str) -> None:
    program = [*command(), *words(writer, "/dev/fd/3")]
    done = subprocess.run(
        ["sh", "-c", '{ "$@" 3>&1 >&2 2>/dev/null; } | cat', "sh", *program],
        cwd=FILES,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert WRITERS[writer][1] in done.stdout.decode()


def test_what_stood_there_stands_where_nothing_can_be_written(each_writer: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    specgen(*words(each_writer, file), cwd=FILES)
    # the same verb would write something else
    file.write_text(" " + file.read_text())
    before = file.read_bytes()
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 0 && exec "$@"', "sh", *command(), *words(each_writer, file)],
        cwd=FILES,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, f"specgen: {file}: file too large\n" in done.stderr.decode()) == (2, True)
    assert file.read_bytes() == before
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize(
    ("file", "why"),
    {
        ".": "it is a folder",
        "": "no such file or directory",
        "a" * 300: "file name too long",
        "manifest.yaml/file": "not a directory",
    }.items(),
    ids=["folder", "empty", "long", "below a file"],
)
def test_a_name_that_cannot_be(writer: str, file: str, why: str, tmp_path: Path) -> None:
    there = shutil.copytree(FILES, tmp_path / "files")
    ended = specgen(*words(writer, file), cwd=there)
    assert (ended.code, f"specgen: {file or repr('')}: {why}\n" in ended.err) == (2, True), ended.err


def test_a_file_keeps_who_may_read_it(writer: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    specgen(*words(writer, file), cwd=FILES)
    file.write_text(" " + file.read_text())
    file.chmod(0o600)
    specgen(*words(writer, file), cwd=FILES)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert not file.read_text().startswith(" ")


@pytest.mark.soak
@pytest.mark.parametrize("writer", CAREFUL)
def test_pictures_and_pages_are_written_over_and_nothing_else(writer: str, tmp_path: Path) -> None:
    file = tmp_path / "file"
    for other in CAREFUL:
        assert specgen(*words(other, file), cwd=FILES).code in (0, 1)
        assert GENERATOR in file.read_text()[:200]
    file.write_text("apiVersion: specgen/v1\n")
    ended = specgen(*words(writer, file), cwd=FILES)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(f"specgen: {file}: there is such a file, and specgen did not write it\n  = help: ")
    assert file.read_text() == "apiVersion: specgen/v1\n"


def test_fix_counts_what_it_wrote(tmp_path: Path) -> None:
    """What cannot be written is judged as it stands."""
    (tmp_path / "a.yaml").write_text(OFFER)
    done = subprocess.run(
        ["sh", "-c", 'ulimit -f 0 && exec "$@"', "sh", *command(), "fix", "a.yaml"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout.decode().startswith("a.yaml:8:91: error[SG103]")
    assert done.stderr.decode() == "specgen: a.yaml cannot be written: file too large\n"
    assert (tmp_path / "a.yaml").read_text() == OFFER


def test_fix_takes_a_link_beside_its_file_for_one(tmp_path: Path) -> None:
    (tmp_path / "n.yaml").write_text(OFFER)
    (tmp_path / "b.yaml").symlink_to("n.yaml")
    ended = specgen("fix", "n.yaml", "b.yaml", cwd=tmp_path)
    assert (ended.code, ended.err.splitlines()[-1]) == (0, "1 problem fixed in 1 file")
    assert (tmp_path / "b.yaml").is_symlink()
    assert (tmp_path / "n.yaml").read_text() == OFFER.replace("value: 1", 'value: "1"')
