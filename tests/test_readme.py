"""What the README shows was run: each `$ specgen …` of its console blocks is run again, and the output compared.

`pytest tests/test_readme.py --snapshot-update` writes the outputs anew; read the difference before keeping it.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

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
