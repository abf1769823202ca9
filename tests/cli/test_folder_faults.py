"""An output folder whose build is ended or fails at each of its file calls, is raced, or may not be written.

Each point is a process of its own, forked with the call wrapped, on a real folder. By default every eleventh point is
tried, with one error each; `pytest -m fuzz` kills the build at all of them, and fails every fourth with two errors.
"""

from __future__ import annotations

import errno
import os
import shutil
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from specgen.cli.folder import exchange
from specgen.cli.folder.update import update
from specgen.cli.main import main

JOB = "apiVersion: specgen/v1\nkind: Job\nmetadata: {{name: {name}}}\ntarget: PyTorchJob\nimage: r.example.com/x:1\n"
CALLS = (
    *("open", "write", "close", "fsync", "fchmod", "fchown", "mkdir", "link", "symlink", "readlink", "rename"),
    *("unlink", "rmdir", "scandir", "stat", "access"),
)
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EMFILE, errno.EDQUOT)

# Points from one to the next, or how much longer a race goes on.
EVERY = pytest.mark.parametrize("every", [23, pytest.param(3, marks=pytest.mark.fuzz)])
SOME = pytest.mark.parametrize("every", [23, pytest.param(9, marks=pytest.mark.fuzz)])
LONGER = pytest.mark.parametrize("longer", [1, pytest.param(8, marks=pytest.mark.fuzz)])

Files = dict[str, str]


def files(folder: Path) -> Files:
    """All files below a folder that are specgen's or somebody's, by their paths."""
    found = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    return {path: text for path, text in found.items() if not path.startswith(".specgen-new/")}


def profiles(pods: int) -> None:
    for name in ("a", "b", *(("gone",) if pods == 1 else ("new",))):
        Path(f"profiles/{name}.yaml").write_text(JOB.format(name=name) + f"pods: {pods}\n")
    Path("profiles/gone.yaml" if pods > 1 else "profiles/new.yaml").unlink(missing_ok=True)


def forked(act: Callable[[], int]) -> int:
    """The exit code of a child that does something quietly; it gets no further than that."""
    child = os.fork()
    if not child:
        code = 99
        try:
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            code = act()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def build(*words: str) -> int:
    return main(["build", "profiles", "--out", "out", "--prune", "--quiet", *words])


def wrapped(act: Callable[[int], None]) -> None:
    """Has ``act`` called with the number of each call, before it is made."""
    count = 0

    def wrap(call: Callable[..., object]) -> Callable[..., object]:
        def counted(*words: object, **more: object) -> object:
            nonlocal count
            count += 1
            act(count)
            return call(*words, **more)

        return counted

    for name in CALLS:
        setattr(os, name, wrap(getattr(os, name)))


def counted() -> int:
    """How many calls a build makes; it writes the number into a file of its own."""

    def act() -> int:
        last = 0

        def count(number: int) -> None:
            nonlocal last
            last = number

        wrapped(count)
        code = build()
        Path("calls").write_text(str(last))
        return code

    assert forked(act) == 0
    return int(Path("calls").read_text())


class World:
    """A tree before and after an update, which can be set up again and again."""

    def __init__(self, root: Path, place: str) -> None:
        self.root = root
        self.place = place
        self.at_once = place == "exchanged"
        self.set_up()
        self.before = files(Path("out"))
        Path("other.yaml").write_text(JOB.format(name="other") + "pods: 1\n")
        profiles(2)
        self.calls = counted()
        self.after = files(Path("out"))
        assert self.before != self.after

    def set_up(self) -> None:
        for name in ("out", ".out.specgen"):
            shutil.rmtree(name, ignore_errors=True)
        old = self.root.with_name(f"{self.root.name}-old")
        if not old.exists():
            profiles(1)
            Path("out").mkdir()
            if self.place != "exchanged":
                Path("out/.git").mkdir()
            Path("out/.mine").write_text("mine")
            assert build() == 0
            shutil.copytree("out", old)
        else:
            shutil.copytree(old, "out")
        profiles(2)

    def settled(self) -> bool:
        """Whether the next build finds the old tree or the new one, whatever it builds."""
        update("out", lambda: (None, None))
        return files(Path("out")) in (self.before, self.after)

    def ended(self, *, settled: bool = True) -> None:
        """What holds after a build that was ended, and after the next one."""
        now = files(Path("out"))
        code, still = build("--check"), files(Path("out"))
        assert still == now and (code == 0) == (still == self.after and not Path("out/.specgen-new").exists()), (
            "it is truthful"
        )
        if self.at_once:
            assert now in (self.before, self.after)
        known = (self.before, self.after)
        for path, text in now.items():
            assert path == ".specgen-owned" or any(one.get(path) == text for one in known), path
        assert now[".mine"] == "mine"
        assert self.settled() or not settled
        assert build() == 0
        assert files(Path("out")) == self.after
        assert sorted(os.listdir(".")) == [".git", "calls", "other.yaml", "out", "profiles"]
        assert ".specgen-new" not in os.listdir("out")


def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk that is never waited for: what a process has written outlives it, and the power is not cut here."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture(params=["exchanged", "one by one"])
def world(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    monkeypatch.chdir(tmp_path)
    unsynced(monkeypatch)
    Path(".git").mkdir()
    Path("profiles").mkdir()
    return World(tmp_path, request.param)


@EVERY
@pytest.mark.soak
def test_a_build_that_is_killed_leaves_the_old_tree_or_the_new_one(world: World, every: int) -> None:
    assert world.calls > 60
    for point in range(1, world.calls + 1, every):
        world.set_up()

        def kill(number: int, point: int = point) -> None:
            if number == point:
                os.kill(os.getpid(), signal.SIGKILL)

        def act(kill: Callable[[int], None] = kill) -> int:
            wrapped(kill)
            return build()

        assert forked(act) == -signal.SIGKILL
        world.ended()


@SOME
def test_a_call_that_fails_is_said_and_leaves_the_old_tree_or_the_new_one(world: World, every: int) -> None:
    for point in range(1, world.calls + 1, every):
        # neighbouring calls fail in other ways: all six at each of them take three times as long
        ways = [ERRORS[(point + more) % len(ERRORS)] for more in ((0, 3) if every < 11 else (0,))]
        for error in ways:
            world.set_up()

            def fail(number: int, point: int = point, error: int = error) -> None:
                if number == point:
                    raise OSError(error, os.strerror(error))

            def act(fail: Callable[[int], None] = fail) -> int:
                wrapped(fail)
                return build()

            assert forked(act) in (0, 1, 2), (point, errno.errorcode[error])
            world.ended()


def test_a_disk_that_stays_full_changes_nothing(world: World) -> None:
    real = os.write

    def act() -> int:
        def full(handle: int, data: bytes) -> int:
            if len(data) > 100:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return real(handle, data)

        setattr(os, "write", full)  # noqa: B010 (its type is another one)
        return build()

    world.set_up()
    assert forked(act) == 2
    assert files(Path("out")) == world.before and not Path(".out.specgen").exists()
    world.ended()


def test_short_writes_are_gone_on_with(world: World) -> None:
    real = os.write

    def act() -> int:
        setattr(os, "write", lambda handle, data: real(handle, data[:7]))  # noqa: B010
        return build()

    world.set_up()
    assert forked(act) == 0
    assert files(Path("out")) == world.after


def test_a_file_system_that_cannot_exchange_is_written_file_by_file(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unable(*words: object) -> None:
        raise exchange.Unable

    world.set_up()
    monkeypatch.setattr(exchange, "_swap", unable)
    assert build() == 0
    assert files(Path("out")) == world.after
    assert sorted(os.listdir(".")) == [".git", "calls", "other.yaml", "out", "profiles"]


@pytest.mark.parametrize("above", [False, True])
def test_a_folder_that_is_read_only(above: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As another user, since root may write everywhere; what is above the folder may be read-only as well."""
    monkeypatch.chdir(tmp_path)
    for path in (tmp_path, *list(tmp_path.parents)[:3]):
        path.chmod(0o755)
    Path(".git").mkdir()
    Path("profiles").mkdir()
    profiles(1)
    assert build() == 0
    before = files(Path("out"))
    profiles(2)
    os.system("chmod -R a+rX . && chmod -R a-w out" + (" && chmod a-w ." if above else " && chmod a+w ."))

    def act() -> int:
        if os.geteuid() == 0:
            os.setgid(65534)
            os.setuid(65534)
        return build()

    assert forked(act) == 2
    assert files(Path("out")) == before and not Path(".out.specgen").exists()
    os.system("chmod -R u+w .")


def _version(folder: int) -> frozenset[str]:
    """The counts of pods in all manifests of one open folder: a whole tree has one."""
    found = set()
    for name in sorted(os.listdir(folder)):
        if name.startswith(".") or "." in name:
            continue
        at = os.open(f"{name}/pytorchjob.yaml", os.O_RDONLY, dir_fd=folder)
        try:
            text = os.read(at, 1 << 16).decode()
        finally:
            os.close(at)
        found.add(text.split("Worker:")[1].split("replicas: ")[1].split("\n")[0])
    return frozenset(found)


@LONGER
def test_builders_side_by_side_leave_one_whole_tree(
    longer: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    unsynced(monkeypatch)
    Path(".git").mkdir()
    Path("profiles").mkdir()
    for name in "abcdef":
        Path(f"profiles/{name}.yaml").write_text(JOB.format(name=name) + "pods: 9\n")
    assert build() == 0
    stop = threading.Event()
    mixed: list[frozenset[str]] = []
    reads = 0

    def look() -> None:
        nonlocal reads
        while not stop.is_set():
            folder = os.open("out", os.O_RDONLY)
            try:
                version = _version(folder)
            except FileNotFoundError:
                continue  # this tree was taken apart behind the new one
            finally:
                os.close(folder)
            if not version:
                continue  # nothing is left of it
            reads += 1
            if len(version) != 1:
                mixed.append(version)

    for turn in range(4 * longer):
        children = []
        for writer in range(6):
            child = os.fork()
            if not child:
                code = 99
                try:
                    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                    code = build("--set", f"pods={2 + writer + turn % 3}")
                finally:
                    os._exit(code)
            children.append(child)
        reader = threading.Thread(target=look)
        reader.start()
        codes = {os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children}
        stop.set()
        reader.join()
        stop.clear()
        assert codes == {0}
    assert mixed == [] and reads > 0
    assert sorted(os.listdir(".")) == [".git", "out", "profiles"]
    folder = os.open("out", os.O_RDONLY)
    try:
        assert len(_version(folder)) == 1
    finally:
        os.close(folder)


@LONGER
@pytest.mark.parametrize("place", ["exchanged", "one by one"])
def test_a_folder_that_flips_to_a_link_leads_nowhere(
    place: str, longer: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in (".git", "profiles", "elsewhere"):
        Path(name).mkdir()
    if place != "exchanged":
        Path("out/.git").mkdir(parents=True)
    stop = threading.Event()

    def flip() -> None:
        while not stop.is_set():
            try:
                os.rename("out/a", "out/aside")
                os.symlink("../elsewhere", "out/a")
                time.sleep(0.0005)
                os.unlink("out/a")
                os.rename("out/aside", "out/a")
            except OSError:
                time.sleep(0.0005)

    profiles(1)
    assert build() == 0
    flipper = threading.Thread(target=flip)
    flipper.start()
    try:
        for turn in range(15 * longer):
            profiles(1 + turn % 2)
            assert build("--force") in (0, 1, 2)
    finally:
        stop.set()
        flipper.join()
    assert list(Path("elsewhere").iterdir()) == []
