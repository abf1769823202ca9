"""What users do between a build that was cut off and the next one, and what a folder keeps of theirs: never lost."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from time import sleep

import pytest

from specgen.cli.folder import exchange, one_by_one
from specgen.cli.main import main
from specgen.cli.rewrite import write_text

JOB = "apiVersion: specgen/v1\nkind: Job\nmetadata: {{name: {name}}}\ntarget: PyTorchJob\nimage: r.example.com/x:1\n"


def build(*words: str, of: str = "profiles") -> int:
    return main(["build", of, "--out", "out", "--quiet", *words])


def profiles(pods: int) -> None:
    for name in ("a", "b"):
        Path(f"profiles/{name}.yaml").write_text(JOB.format(name=name) + f"pods: {pods}\n")


@pytest.fixture(params=["exchanged", "one by one"])
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A tree of two jobs with files of a user's, which were then changed in their profiles."""
    monkeypatch.chdir(tmp_path)
    Path(".git").mkdir()
    Path("profiles").mkdir()
    profiles(1)
    if request.param != "exchanged":
        Path("out/.git").mkdir(parents=True)
    assert build() == 0
    Path("out/.notes").write_text("mine")
    profiles(2)
    return str(request.param)


def killed(at: str, monkeypatch: pytest.MonkeyPatch, *, where: object = os, count: int = 1) -> None:
    """A build that is killed before the nth call of a function."""
    child = os.fork()
    if not child:
        real: Callable[..., object] = getattr(where, at)
        left = count

        def act(*words: object, **more: object) -> object:
            nonlocal left
            left -= 1
            if not left:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*words, **more)

        setattr(where, at, act)
        build()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def replaced(path: str, text: str) -> None:
    """As editors save."""
    Path(f"{path}.new").write_text(text)
    os.replace(f"{path}.new", path)


def jobs(folder: str) -> list[str]:
    """What two jobs of a tree say."""
    return [Path(f"{folder}/{name}/pytorchjob.yaml").read_text() for name in ("a", "b")]


def test_what_is_saved_after_a_crash_is_kept(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of the new tree stands beside the old one, with links to the user's files as they were then."""
    if place == "exchanged":
        killed("_swap", monkeypatch, where=exchange)
    else:
        killed("_end", monkeypatch, where=one_by_one)
    replaced("out/.notes", "mine, and newer")
    Path("out/more").mkdir()
    Path("out/more/b.txt").write_text("b")
    assert build() == 0
    assert Path("out/.notes").read_text() == "mine, and newer"
    assert Path("out/more/b.txt").read_text() == "b"
    assert build("--check") == 1, "`more` is foreign"
    assert sorted(os.listdir()) == [".git", "out", "profiles"] and ".specgen-new" not in os.listdir("out")


def test_what_came_into_the_old_tree_is_kept_unless_there_is_a_later_one(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place != "exchanged":
        pytest.skip("there is no old tree")
    real = exchange._swap

    def swap(*words: object) -> None:
        replaced("out/.notes", "saved during the build")
        Path("out/a/came.txt").write_text("came")
        real(*words)  # type: ignore[arg-type]
        os.kill(os.getpid(), signal.SIGKILL)

    child = os.fork()
    if not child:
        monkeypatch.setattr(exchange, "_swap", swap)
        build()
        os._exit(0)
    os.waitpid(child, 0)
    sleep(0.02)
    Path("out/a/came.txt").write_text("later")
    assert build() == 0
    assert Path("out/.notes").read_text() == "saved during the build"
    assert Path("out/a/came.txt").read_text() == "later"


@pytest.mark.parametrize("edited", ["a/pytorchjob.yaml", "b/pytorchjob.yaml", ".specgen-owned"])
def test_a_journal_does_not_go_over_what_was_changed_since(
    place: str, edited: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if place == "exchanged":
        pytest.skip("there is no journal")
    killed("_move", monkeypatch, where=one_by_one, count=2)
    assert Path("out/.specgen-new").is_dir()
    replaced(f"out/{edited}", "mine\n")
    code = build()
    assert Path(f"out/{edited}").read_text() == "mine\n"
    assert code == 1 and "SG823" in capsys.readouterr().err
    assert not Path("out/.specgen-new").exists()


def test_a_build_of_another_job_ends_what_was_begun(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job's own files stay together: whoever builds only `c` next does not leave half of `a` and `b`."""
    Path("c.yaml").write_text(JOB.format(name="c"))
    old = jobs("out")
    assert main(["build", "profiles", "--out", "new", "--quiet"]) == 0
    new = jobs("new")
    shutil.rmtree("new")
    if place == "exchanged":
        killed("_swap", monkeypatch, where=exchange)
    else:
        killed("_move", monkeypatch, where=one_by_one, count=2)
        assert jobs("out") not in (old, new)
    assert build("--check") == 1
    assert build(of="c.yaml") == 0
    assert jobs("out") == (old if place == "exchanged" else new) != (new if place == "exchanged" else old)
    assert build("--check") == (1 if place == "exchanged" else 0)


def test_check_names_the_journal_and_changes_nothing(
    place: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if place == "exchanged":
        pytest.skip("there is no journal")
    killed("_abandon", monkeypatch, where=one_by_one)
    assert build("--check") == 1
    assert capsys.readouterr().out.startswith("stale    .specgen-new: a build was ended here before its end\n")
    assert Path("out/.specgen-new").is_dir()
    assert build() == 0 and not Path("out/.specgen-new").exists()


def test_check_waits_for_a_build(place: str) -> None:
    import fcntl

    lock = os.open(".", os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    codes: list[int] = []
    checker = threading.Thread(target=lambda: codes.append(build("--check")))
    checker.start()
    sleep(0.3)
    assert codes == []
    fcntl.flock(lock, fcntl.LOCK_UN)
    checker.join()
    os.close(lock)
    assert codes == [1]


def test_who_may_use_a_tree_stays(place: str) -> None:
    Path("out").chmod(0o2775)
    Path("out/a").chmod(0o750)
    Path("out/a/pytorchjob.yaml").chmod(0o664)
    if os.geteuid() == 0:
        for path in ("out", "out/a"):
            os.chown(path, 12345, 23456)
    before = {path: Path(path).stat() for path in ("out", "out/a")}
    assert build() == 0
    for path, was in before.items():
        now = Path(path).stat()
        assert (now.st_mode, now.st_uid, now.st_gid) == (was.st_mode, was.st_uid, was.st_gid), path
    assert stat.S_IMODE(Path("out/a/pytorchjob.yaml").stat().st_mode) == 0o664


def test_a_folder_with_an_access_control_list_is_not_exchanged(place: str) -> None:
    if shutil.which("setfacl") is None:
        pytest.skip("there is no setfacl here")
    done = subprocess.run(["setfacl", "-m", "u:12345:rwx", "out"], capture_output=True)
    if done.returncode:
        pytest.skip("this file system has no access control lists")
    number = Path("out").stat().st_ino
    assert build() == 0
    assert Path("out").stat().st_ino == number
    assert "user:12345:rwx" in subprocess.run(["getfacl", "-n", "out"], capture_output=True, text=True).stdout


def test_an_unchanged_tree_is_not_touched(place: str) -> None:
    assert build() == 0
    before = {path: path.stat() for path in (Path("out"), *Path("out").rglob("*"))}
    assert build() == 0
    after = {path: path.stat() for path in (Path("out"), *Path("out").rglob("*"))}
    fields = ("st_ino", "st_mtime_ns", "st_ctime_ns")
    assert [[getattr(one, field) for field in fields] for one in before.values()] == [
        [getattr(one, field) for field in fields] for one in after.values()
    ]


def test_a_small_change_of_a_large_tree_costs_no_more_than_itself(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0

    def counted(name: str) -> None:
        real = getattr(os, name)

        def call(*words: object, **more: object) -> object:
            nonlocal calls
            calls += 1
            return real(*words, **more)

        monkeypatch.setattr(os, name, call)

    monkeypatch.setattr(exchange, "_LARGE", 100)
    for number in range(200):
        Path(f"profiles/x{number}.yaml").write_text(JOB.format(name=f"x{number}"))
    assert build() == 0
    Path("profiles/x7.yaml").write_text(JOB.format(name="x7") + "pods: 3\n")
    before = {path: path.stat().st_ctime_ns for path in Path("out").rglob("*")}
    for name in ("link", "mkdir", "rename", "unlink", "rmdir", "write", "fsync"):
        counted(name)
    assert build() == 0
    after = {path: path.stat().st_ctime_ns for path in Path("out").rglob("*")}
    assert sorted(str(path) for path in after if before.get(path) != after[path]) == [
        "out/.specgen-owned",
        "out/x7",
        "out/x7/pytorchjob.yaml",
    ]
    assert calls < 60 and build("--check") == 0


def test_writers_of_one_number_in_several_containers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getpid", lambda: 7)
    path = tmp_path / "job.yaml"
    children = []
    for writer in range(4):
        child = os.fork()
        if not child:
            code = 1
            try:
                for turn in range(50):
                    write_text(str(path), f"{writer} {turn}\n" * 1000)
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children} == {0}
    lines = path.read_text().splitlines()
    assert len(lines) == 1000 and len(set(lines)) == 1
    assert os.listdir(tmp_path) == ["job.yaml"]
