"""What a shell completes once it has read what `specgen completion` prints."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent

# What a shell does when somebody types a line and the key that completes it.
BASH = """
source <(specgen completion bash)
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
_python_argcomplete specgen
printf '%s\\n' "${COMPREPLY[@]}"
"""
FISH = "specgen completion fish | source; complete -C $argv[1]"


def completed(shell: str, line: str, folder: Path) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    script = [shell, "-c", BASH, shell, line] if shell == "bash" else [shell, "-c", FISH, line]
    environment = {**os.environ, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "HOME": str(folder)}
    ended = subprocess.run(script, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert ended.returncode == 0, ended.stderr
    return [word.partition("\t")[0].strip() for word in ended.stdout.splitlines()]


@pytest.mark.parametrize("shell", ["bash", "fish"])
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("specgen exp", ["expand", "explain"]),
        ("specgen lint --fail", ["--fail-on"]),
        ("specgen lint --format g", ["github", "gitlab"]),
        ("specgen explain SG1", ["SG101", "SG111"]),
        ("specgen schema mpi", ["mpijob_v1", "mpijob_v2beta1"]),
        ("specgen build jo", ["jobs/"]),
        ("specgen build jobs/t", ["jobs/train.yaml"]),
    ],
)
def test_words_are_completed(shell: str, line: str, words: list[str], tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "train.yaml").write_text("")
    found = completed(shell, line, tmp_path)
    assert set(words) <= set(found), found
    begun = line.rpartition(" ")[2]
    assert all(word.startswith(begun) for word in found), found


def test_the_script_for_zsh_is_one_for_its_functions() -> None:
    ended = subprocess.run([BIN / "specgen", "completion", "zsh"], capture_output=True, text=True, timeout=60)
    assert ended.stdout.startswith("#compdef specgen\n")
    if shutil.which("zsh"):
        assert subprocess.run(["zsh", "-n"], input=ended.stdout, text=True, timeout=60).returncode == 0
