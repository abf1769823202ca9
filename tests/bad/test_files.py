"""Files that are no files, names that are no names, streams that are closed: exit code 2, nothing printed raw."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest

from tests.bad.program import command, controls, environment, specgen

JOB = "apiVersion: specgen/v1\nkind: Job\nmetadata: {name: train}\ntarget: PyTorchJob\n"
JOB += "image: registry.example.com/train:1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A root of its own, with one good profile, and a file beside the root."""
    (tmp_path / "outside.yaml").write_text("apiVersion: specgen/v1\nkind: Base\nenv: {A: a}\n")
    root = tmp_path / "root"
    (root / ".git").mkdir(parents=True)
    (root / "job.yaml").write_text(JOB)
    return root


@pytest.mark.parametrize("verb", ["build", "lint"])
def test_a_fifo_never_blocks(folder: Path, verb: str) -> None:
    os.mkfifo(folder / "fifo.yaml")
    ended = specgen(verb, "fifo.yaml", cwd=folder)
    assert (ended.code, ended.err) == (2, "specgen: fifo.yaml: it is no regular file\n")


def test_a_fifo_that_a_profile_names_never_blocks(folder: Path) -> None:
    os.mkfifo(folder / "fifo.yaml")
    (folder / "job.yaml").write_text(JOB + "extends: fifo.yaml\n")
    ended = specgen("build", "job.yaml", cwd=folder)
    assert (ended.code, ended.err) == (1, "job.yaml:6:10: error[SG202] `fifo.yaml`: it is no regular file\n")


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/null", "/dev/tty"])
@pytest.mark.parametrize("verb", ["build", "lint", "explain"])
def test_devices_are_not_read(folder: Path, verb: str, device: str) -> None:
    words = [device, "spec"] if verb == "explain" else [device]
    ended = specgen(verb, *words, cwd=folder)
    reason = "no such device or address" if device == "/dev/tty" else "it is no regular file"
    assert ended.code == 2
    assert ended.err in (f"specgen: {device}: {reason}\n", f"specgen: {device}: it is no regular file\n")


@pytest.mark.parametrize("option", ["--cluster", "--cluster="])
@pytest.mark.parametrize("verb", ["build", "lint"])
def test_a_device_as_cluster(folder: Path, verb: str, option: str) -> None:
    words = [f"{option}/dev/zero"] if option.endswith("=") else [option, "/dev/zero"]
    ended = specgen(verb, "job.yaml", *words, cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("specgen: /dev/zero: ")


def test_a_file_without_permission(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may read every file")
    (folder / "job.yaml").chmod(0)
    ended = specgen("build", "job.yaml", cwd=folder)
    assert (ended.code, ended.err) == (2, "specgen: job.yaml: permission denied\n")


def test_a_folder_without_yaml(folder: Path) -> None:
    (folder / "empty").mkdir()
    (folder / "empty" / "notes.txt").write_text("x")
    ended = specgen("build", "empty", cwd=folder)
    assert (ended.code, ended.err) == (2, "specgen: the folder empty holds no YAML file\n")


def test_a_folder_without_jobs(folder: Path) -> None:
    (folder / "bases").mkdir()
    (folder / "bases" / "base.yaml").write_text("apiVersion: specgen/v1\nkind: Base\n")
    ended = specgen("build", "bases", cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "specgen: no job profile among these files, nothing is built\n"


def test_a_link_in_a_folder_is_left_out(folder: Path) -> None:
    (folder / "below").mkdir()
    (folder / "below" / "link.yaml").symlink_to("../job.yaml")
    ended = specgen("build", "below", cwd=folder)
    assert (ended.code, ended.err) == (2, "specgen: the folder below holds no YAML file\n")


@pytest.mark.parametrize("word", ["extends", "cluster"])
def test_a_link_out_of_the_root_is_not_followed(folder: Path, word: str) -> None:
    (folder / "link.yaml").symlink_to("../outside.yaml")
    (folder / "job.yaml").write_text(JOB + f"{word}: link.yaml\n")
    ended = specgen("build", "job.yaml", cwd=folder)
    message = "`link.yaml`: it lies outside the root, the nearest folder with `.git` or `.specgen-root`"
    assert (ended.code, ended.err) == (1, f"job.yaml:6:{len(word) + 3}: error[SG202] {message}\n")


def test_a_linked_folder_out_of_the_root_is_not_followed(folder: Path) -> None:
    (folder / "up").symlink_to("..")
    (folder / "job.yaml").write_text(JOB + "extends: up/outside.yaml\n")
    ended = specgen("build", "job.yaml", cwd=folder)
    assert ended.code == 1
    assert "it lies outside the root" in ended.err


def test_a_link_to_itself(folder: Path) -> None:
    (folder / "loop.yaml").symlink_to("loop.yaml")
    ended = specgen("build", "loop.yaml", cwd=folder)
    assert (ended.code, ended.err) == (2, "specgen: loop.yaml: it is a link that leads to itself\n")


HOSTILE = {
    "newline": (b"a\nb.yaml", "a\\u{a}b.yaml"),
    "escape codes": (b"\x1b[31mred\x07.yaml", "\\u{1b}[31mred\\u{7}.yaml"),
    "bidi": ("a\u202eb.yaml".encode(), "a\\u{202e}b.yaml"),
    "not UTF-8": (b"a\xffb.yaml", "a\\u{dcff}b.yaml"),
    "C1": ("a\x9bb.yaml".encode(), "a\\u{9b}b.yaml"),
    "leading dash": (b"-job.yaml", "-job.yaml"),
    "spaces": (b" a  b .yaml", " a  b .yaml"),
    "colon": (b"a:1:2: error.yaml", "a:1:2: error.yaml"),
}


@pytest.mark.parametrize("verb", ["build", "lint"])
@pytest.mark.parametrize("format", ["human", "concise", "json"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_file_names(folder: Path, verb: str, format: str, name: str) -> None:
    raw, shown = HOSTILE[name]
    with open(os.path.join(os.fsencode(folder), raw), "wb") as file:
        file.write(b"a\n")
    ended = specgen(verb, f"--format={format}", "--", raw, cwd=folder)
    assert ended.code == 1
    said = ended.err if verb == "build" else ended.out
    assert controls(ended.raw_err) == [] and controls(ended.raw_out) == []
    assert (shown in said) == (format != "json" or shown == raw.decode("utf-8", "replace"))
    assert "SG006" in said


@pytest.mark.parametrize("verb", ["build", "lint", "explain"])
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_of_missing_files(folder: Path, verb: str, name: str) -> None:
    raw, shown = HOSTILE[name]
    ended = specgen(verb, "--", raw, cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"specgen: {shown}: there is no such file\n"


def test_a_name_that_is_too_long(folder: Path) -> None:
    ended = specgen("build", "a" * 300 + ".yaml", cwd=folder)
    assert (ended.code, ended.err) == (2, f"specgen: {'a' * 300}.yaml: file name too long\n")


@pytest.mark.parametrize(
    "option", ["--set=\x1b[31m=4", "--set=pods.\x1b[31m=4", "--set=\x1b[31m", "--\x1b[31m", "--format=\x1b[31m"]
)
def test_options_are_printed_safely(folder: Path, option: str) -> None:
    ended = specgen("build", "job.yaml", option, cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    assert controls(ended.raw_err) == []
    assert "[31m" in ended.err


@pytest.mark.parametrize("verb", ["build", "lint"])
def test_standard_input(folder: Path, verb: str) -> None:
    good = specgen(verb, "-", cwd=folder, stdin=JOB.encode())
    assert good.code == 0
    bad = specgen(verb, "-", "--format=human", cwd=folder, stdin=(JOB + "pods: x\n").encode())
    assert bad.code == 1
    assert "<stdin>:6:7" in bad.err + bad.out
    assert "6 | pods: x" in bad.err + bad.out


@pytest.mark.parametrize("verb", ["build", "lint"])
def test_empty_and_endless_standard_input(folder: Path, verb: str) -> None:
    told = "<stdin>:1:1: error[SG006] the file holds no profile (`specgen init` prints a profile to begin with)\n"
    assert specgen("build", "-", cwd=folder).err == told
    with open("/dev/zero", "rb") as zero:
        done = subprocess.run(
            [*command(), verb, "-"],
            cwd=folder,
            stdin=zero,
            capture_output=True,
            env=environment(),
            check=False,
            timeout=60,
        )
    assert done.returncode == 1
    said = b"<stdin>:1:1: error[SG004] the file is longer than 5,242,880 bytes"
    assert said + b" (`--max-input MIB` of more than 64 reads it)\n" in done.stdout + done.stderr


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    line = f'set -u; specgen() {{ {" ".join(command())} "$@"; }}; {script}'
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, capture_output=True, text=True, env=environment(), check=False, timeout=60
    )


def test_a_closed_pipe_is_no_bug(folder: Path) -> None:
    done = shell("specgen schema pytorchjob | head -c 0; echo ${PIPESTATUS[0]}", folder)
    assert (done.stdout, done.stderr) == ("1\n", "")
    done = shell("specgen build absent.yaml 2>&1 | head -c 0; echo ${PIPESTATUS[0]}", folder)
    assert (done.stdout in ("1\n", "2\n"), done.stderr) == (True, "")


@pytest.mark.parametrize("redirection", ["2>&-", "<&-", "2>&- <&-"])
def test_closed_streams_are_no_bug(folder: Path, redirection: str) -> None:
    done = shell(f"specgen build job.yaml {redirection}; echo $?", folder)
    assert done.stdout.splitlines()[-1] == "0"
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("build job.yaml", 2),
        ("schema pytorchjob", 2),
        ("--version", 2),
        ("--help", 2),
        ("build job.yaml --out out -q", 0),
        ("lint job.yaml -q", 0),
    ],
)
def test_an_answer_that_nobody_takes_is_no_success(folder: Path, words: str, code: int) -> None:
    done = shell(f"specgen {words} >&-; exit $?", folder)
    said = "specgen: standard output: bad file descriptor\n" if code else ""
    assert (done.returncode, done.stderr) == (code, said)
    done = shell(f"specgen {words} >&- 2>&- <&-; exit $?", folder)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize("words", ["build job.yaml", "build ../job.yaml --out out", "fix job.yaml", "lint job.yaml"])
def test_a_folder_that_is_gone(folder: Path, words: str) -> None:
    (folder / "gone").mkdir()
    done = shell(f"cd gone && rmdir ../gone && specgen {words}", folder)
    assert done.returncode == 2 and "standard output" not in done.stderr
    assert done.stderr in (
        "specgen: the folder that it runs in is gone\n",
        f"specgen: {words.split()[1]}: there is no such file\n",
    )


@pytest.mark.parametrize("words", ["./job.yaml job.yaml", "job.yaml .//job.yaml job.yaml", ". job.yaml"])
@pytest.mark.parametrize("verb", ["build", "lint", "expand", "images"])
def test_two_names_of_one_file(folder: Path, verb: str, words: str) -> None:
    once = specgen(verb, "job.yaml", cwd=folder)
    ended = specgen(verb, *words.split(), cwd=folder)
    said = ended.out.replace(".//", "").replace("./", "")
    assert (ended.code, said, ended.err) == (once.code, once.out, once.err) and once.code == 0


def test_a_name_by_way_of_a_link_is_another_one(folder: Path) -> None:
    """Above what is linked lies another folder than above the link."""
    (folder / "far/near").mkdir(parents=True)
    (folder / "link").symlink_to("far/near")
    (folder / "far/job.yaml").write_text(JOB.replace("train}", "far}"))
    ended = specgen("build", "job.yaml", "link/../job.yaml", cwd=folder)
    assert ended.code == 0 and ended.out.count("kind: PyTorchJob") == 2


def test_closed_standard_input(folder: Path) -> None:
    done = shell("specgen build - <&-", folder)
    assert (done.returncode, done.stderr) == (2, "specgen: -: standard input is closed\n")


def test_a_full_disk_behind_standard_output(folder: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("this system has no /dev/full")
    for verb in ("build job.yaml", "schema pytorchjob", "help", "help build", "lint --help"):
        done = shell(f"specgen {verb} > /dev/full", folder)
        assert (done.returncode, done.stderr) == (2, "specgen: standard output: no space left on device\n")


@pytest.mark.parametrize(
    "env",
    [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}, {"HOME": "/nonexistent"}, {}],
)
def test_output_depends_on_no_locale_and_no_home(folder: Path, env: dict[str, str]) -> None:
    (folder / "job.yaml").write_text(JOB + "env: {GREETING: grüße 中 😀}\n", encoding="utf-8")
    ended = specgen("build", "job.yaml", cwd=folder, env=env)
    assert (ended.code, ended.err) == (0, "")
    assert "grüße 中" in ended.out


def test_out_in_a_folder_that_cannot_be_written(folder: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    (folder / "out").mkdir()
    (folder / "out").chmod(stat.S_IRUSR | stat.S_IXUSR)
    ended = specgen("build", "job.yaml", "--out", "out", cwd=folder)
    assert (ended.code, ended.err) == (2, "specgen: out: permission denied\n")


def test_out_that_is_a_file(folder: Path) -> None:
    (folder / "out").write_text("x")
    ended = specgen("build", "job.yaml", "--out", "out", cwd=folder)
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("specgen: out: ")
    assert (folder / "out").read_text() == "x"


def test_out_never_writes_through_a_link(folder: Path) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "out").mkdir()
    (folder / "out" / "train").symlink_to("../elsewhere")
    ended = specgen("build", "job.yaml", "--out", "out", cwd=folder)
    assert (ended.code, ended.err) == (2, "specgen: out/train: it is a link, and nothing is written through links\n")
    assert list((folder / "elsewhere").iterdir()) == []


def test_out_replaces_a_linked_file_only_by_force_and_leaves_its_target(folder: Path) -> None:
    (folder / "precious").write_text("keep")
    assert specgen("build", "job.yaml", "--out", "out", cwd=folder).code == 0
    written = sorted(path for path in (folder / "out").rglob("*") if path.is_file())
    assert written
    for path in written:
        text = path.read_text()
        path.unlink()
        path.symlink_to(folder / "precious")
        assert specgen("build", "job.yaml", "--out", "out", cwd=folder).code == 1
        assert specgen("build", "job.yaml", "--out", "out", "--force", cwd=folder).code == 0
        assert not path.is_symlink()
        assert path.read_text() == text
    assert (folder / "precious").read_text() == "keep"


def test_an_error_writes_nothing(folder: Path) -> None:
    (folder / "bad.yaml").write_text(JOB.replace("train}", "bad}") + "pods: x\n")
    ended = specgen("build", "job.yaml", "bad.yaml", "--out", "out", cwd=folder)
    assert ended.code == 1
    assert not (folder / "out").exists()
