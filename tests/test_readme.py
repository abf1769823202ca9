"""What the README shows was run: each `$ specgen …` of its console blocks is run again, and the output compared.

`pytest tests/test_readme.py --snapshot-update` writes the outputs anew; read the difference before keeping it.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from specgen.cli.main import main
from tests.golden import Golden

BEGIN, END = "```console\n", "```\n"


def rerun(text: str, root: Path) -> str:
    """The README with the output of every command of its console blocks as it is today."""
    head, *blocks = text.split(BEGIN)
    out = head
    for block in blocks:
        shown, rest = block.split(END, 1)
        out += BEGIN
        for line in shown.splitlines():
            if not line.startswith("$ "):
                continue
            words = shlex.split(line[2:])
            assert words[0] == "specgen"
            ended = subprocess.run(
                [sys.executable, "-m", *words], cwd=root, capture_output=True, text=True, check=False, timeout=60
            )
            out += f"{line}\n{ended.stdout}{ended.stderr}"
        out += END + rest
    return out


def test_the_console_blocks_show_what_is_printed(root: Path, golden: Golden) -> None:
    readme = root / "README.md"
    text = readme.read_text(encoding="utf-8")
    assert text.count(BEGIN) >= 3
    assert rerun(text, root) == golden(readme)


def test_the_set_up_commands_are_single_lines(root: Path) -> None:
    lines = [
        line for line in (root / "README.md").read_text(encoding="utf-8").splitlines() if "python3 -m venv" in line
    ]
    assert len(lines) == 2
    assert lines[0].endswith("specgen build profiles/jobs/allreduce-resnet50.yaml")
    assert lines[1].endswith("-m pytest")


DOORS = ("I have a training script", "I have YAML", "I have a repository", "I run the cluster")


def test_the_commands_of_each_beginning_run_as_they_stand(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (root / "README.md").read_text(encoding="utf-8")
    (tmp_path / ".specgen-root").touch()
    for folder, file in (("manifests", "out/mnist/pytorchjob.yaml"), ("profiles", "tests/cli/files/job.yaml")):
        (tmp_path / folder).mkdir()
        shutil.copy(root / file, tmp_path / folder)
    monkeypatch.chdir(tmp_path)
    for door in DOORS:
        section = text.partition(f"## {door}\n")[2].partition("\n## ")[0]
        commands = section.partition("```sh\n")[2].partition("```")[0].splitlines()
        assert len(commands) >= 3, door
        for command in commands:
            words = shlex.split(command, comments=True)
            to = words[words.index(">") + 1] if ">" in words else None
            assert words[0] == "specgen"
            assert main(words[1 : words.index(">") if to else None]) == 0, command
            said = capsys.readouterr().out
            if to:
                assert said
                Path(to).write_text(said, encoding="utf-8")
        for linked in re.findall(r"\]\(#([a-z-]+)\)", section):
            heads = [
                re.sub(r"[^a-z -]", "", head.lower()).replace(" ", "-") for head in re.findall(r"^#+ (.+)$", text, re.M)
            ]
            assert linked in heads, linked


def test_the_picture_has_its_text_and_stands_in_the_readme(root: Path) -> None:
    """Whoever cannot see it is told the same; its colours follow the reader's choice of light and dark."""
    readme = (root / "README.md").read_text(encoding="utf-8")
    alternative, path = re.findall(r"!\[([^\]]+)\]\((\S+\.svg)\)", readme)[0]
    assert "PyTorchJob" in alternative and len(alternative) > 100
    tree = ElementTree.fromstring((root / path).read_text(encoding="utf-8"))
    title, about = (tree.findtext(f"{{http://www.w3.org/2000/svg}}{name}") for name in ("title", "desc"))
    assert title == "19 lines of a profile become a PyTorchJob of 16 pods"
    assert about is not None and "pytorch-dist-mnist-nccl-master-0:23456" in about
    texts = ["".join(one.itertext()) for one in tree.iter("{http://www.w3.org/2000/svg}text")]
    assert texts.count("Worker") == 15 and "rank 15" in texts
    assert "prefers-color-scheme: dark" in (root / path).read_text(encoding="utf-8")
