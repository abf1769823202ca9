"""The command line word for word: `scripts/<name>.txt` holds commands, what they print, and their exit codes.

Lines of standard error begin with `2> `. `pytest tests/cli --snapshot-update` writes the texts anew; read the
difference before keeping it.
"""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.bad.program import specgen
from tests.golden import Golden

HERE = Path(__file__).parent
FILES = HERE / "files"


def transcript(command: str) -> str:
    words = shlex.split(command)[2:]
    ended = specgen(*words, cwd=FILES)
    errors = "".join(f"2> {line}\n" for line in ended.err.splitlines())
    return f"{command}\n{ended.out}{errors}exit {ended.code}\n"


@pytest.mark.parametrize("script", sorted((HERE / "scripts").glob("*.txt")), ids=lambda script: script.stem)
def test_script(script: Path, golden: Golden) -> None:
    commands = [line for line in script.read_text(encoding="utf-8").splitlines() if line.startswith("$ specgen")]
    assert commands
    assert "\n".join(transcript(command) for command in commands) == golden(script)
