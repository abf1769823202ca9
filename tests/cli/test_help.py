"""Each verb's help ends in command lines that run as they stand; unknown words lead to known ones."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from specgen.cli.main import VERBS, main
from specgen.modules import import_module

FILES = Path(__file__).parent / "files"
# Examples whose answer is that something is wrong: exit code 1.
FINDING = ("lint manifest.yaml", "fix --diff manifest.yaml")


# Verbs that need a cluster, a revision of git or a ResourceList, and those whose text is their example.
WITHOUT = ("apply", "ci", "cluster", "cmp", "diff", "krm")
EXEMPLARY = [verb for verb in VERBS if verb not in WITHOUT]


def examples(verb: str) -> list[str]:
    module = import_module(f"specgen.cli.{verb}")
    return [command for command, _ in module.EXAMPLES]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files that examples name, and a program for `run`."""
    for file in FILES.glob("*.yaml"):
        shutil.copy(file, tmp_path)
    shutil.copy(FILES / "fit" / "world.yaml", tmp_path)
    (tmp_path / "train.py").write_text("import os\nprint(os.environ['RANK'])\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("verb", EXEMPLARY)
def test_examples_run(verb: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    commands = examples(verb)
    assert len(commands) >= 2
    for command in commands:
        name, *words = shlex.split(command)
        assert (name, words[0]) == ("specgen", verb)
        code = main(words)
        said = capfd.readouterr()
        assert code == (1 if " ".join(words) in FINDING else 0), (command, said.err)
        assert said.out or said.err or any(folder.glob("o*/")), command


@pytest.mark.parametrize("verb", EXEMPLARY)
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
        (["expand", "job.yaml", "--filds"], "there is `--fields`"),
    ],
)
def test_unknown_words_lead_to_known_ones(words: list[str], help: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    said = capsys.readouterr().err
    assert f"= help: {help.removesuffix(' or')}" in said
