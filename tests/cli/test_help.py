"""Each verb's help ends in command lines that run as they stand; unknown words lead to known ones."""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from specgen.cli.main import VERBS, main
from specgen.modules import import_module
from tests.bad.program import environment, specgen
from tests.standin import Asked, Reply, Standin

FILES = Path(__file__).parent / "files"
FIT = ("world.yaml", "queues.yaml")
# Examples whose answer is that something is wrong, or has changed: exit code 1.
FINDING = ("lint manifest.yaml", "fix --diff manifest.yaml", "diff old.yaml new.yaml")
LIST = """\
apiVersion: config.kubernetes.io/v1
kind: ResourceList
items: []
"""
GENERATE = """\
functionConfig:
  apiVersion: krm.specgen/v1
  kind: Build
  metadata: {name: jobs}
  spec: {profiles: [job.yaml]}
"""


def examples(verb: str) -> list[str]:
    module = import_module(f"specgen.cli.{verb}")
    return [command for command, _ in module.EXAMPLES]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that examples name, and a program for `run`."""
    for file in [*FILES.glob("*.yaml"), FILES / "nodes.json", *(FILES / "fit" / name for name in FIT)]:
        shutil.copy(file, tmp_path)
    shutil.copy(FILES / "states" / "few.yaml", tmp_path / "old.yaml")
    shutil.copy(FILES / "states" / "many.yaml", tmp_path / "new.yaml")
    (tmp_path / "list.yaml").write_text(LIST)
    (tmp_path / "generate.yaml").write_text(LIST + GENERATE)
    (tmp_path / "train.py").write_text("import os\nprint(os.environ['RANK'])\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def surroundings(verb: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What an example asks besides files: a revision of git, or a cluster."""
    if verb == "diff":
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        for words in (["init", "-q"], ["add", "job.yaml"], [*who, "commit", "-qm", "job"]):
            subprocess.run(["git", *words], cwd=folder, check=True)
    if verb != "apply":
        yield
        return
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "KUBERNETES_SERVICE_HOST"):
        monkeypatch.delenv(name, raising=False)
    kinds = [{"name": "pytorchjobs", "kind": "PyTorchJob", "namespaced": True}]

    def answer(asked: Asked) -> Reply | None:
        if asked.method == "GET":
            known = asked.path == "/apis/kubeflow.org/v1"
            return Reply({"kind": "APIResourceList", "resources": kinds}) if known else None
        return Reply(asked.body, 201)

    standin = Standin(folder, answer)
    monkeypatch.setenv("KUBECONFIG", standin.kubeconfig())
    yield
    standin.close()


@pytest.mark.parametrize("verb", VERBS)
def test_examples_run(
    verb: str, folder: Path, surroundings: None, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = examples(verb)
    assert len(commands) >= 2
    for command in commands:
        name, *words = shlex.split(command)
        assert (name, words[0]) == ("specgen", verb)
        if "<" in words:
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO((folder / words.pop()).read_bytes())))
            words.remove("<")
        code = main(words)
        said = capfd.readouterr()
        assert code == (1 if " ".join(words) in FINDING else 0), (command, said.err)
        assert said.out or said.err or any(folder.glob("o*/")), command


@pytest.mark.parametrize("verb", VERBS)
def test_help_shows_them(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", verb]) == 0
    shown = capsys.readouterr().out
    assert all(f"\n  {command}  " in shown for command in examples(verb))


def test_help_is_the_tour(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help"]) == 0
    shown = capsys.readouterr().out
    assert "specgen init > job.yaml" in shown and all(f"    {verb} " in shown for verb in VERBS)


@pytest.mark.parametrize(
    ("words", "help"),
    [
        (["bild"], "there is `specgen build`"),
        (["validate", "a.yaml"], "there is `specgen lint`"),
        (["xyzzy"], "`specgen help` lists all commands"),
        (["help", "lnit"], "there is `specgen lint` or"),
        (["build", "--otu", "out"], "there is `--out`"),
        (["build", "--varaint=a", "job.yaml"], "there is `--variant`"),
        (["build", "--pods", "1", "--gpu=2", "job.yaml"], "write `--set pods=1 --set resources.gpu=2`"),
        (["run", "job.yaml", "--gpu", "3"], "write `--set resources.gpu=3`"),
        (["expand", "job.yaml", "--filds"], "there is `--fields`"),
    ],
)
def test_unknown_words_lead_to_known_ones(words: list[str], help: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert f"= help: {help.removesuffix(' or')}" in said


@pytest.mark.parametrize("words", [("explain", "SG401"), ("explain", "--all")], ids=" ".join)
def test_pages_that_python_leaves_out_are_said(words: tuple[str, ...]) -> None:
    ended = specgen(*words, env={"PYTHONOPTIMIZE": "2"})
    assert (ended.code, ended.out) == (2, "")
    assert "which Python leaves out under `-OO`" in ended.err


def test_an_interrupt_while_it_begins_ends_it_without_a_word() -> None:
    code = """
from specgen import modules
def lean():
    raise KeyboardInterrupt
modules.lean = lean
from specgen.cli.main import run
run()
"""
    done = subprocess.run([sys.executable, "-c", code], env=environment(), capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")
