"""What the file of a program reads that nobody sets in a pod: variables of Slurm's and of MPI's. A search, no more."""

from __future__ import annotations

import os
import re
import shlex

from specgen.cli.beginning import is_python
from specgen.schema.wording import OF_TORCHRUN, in_each_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LARGEST = 1 << 20
_NAME = re.compile(r"\b(?:SLURM|OMPI_COMM_WORLD|PMI)_[A-Z_]+\b")
# Variables that `init` brings over itself.
_BROUGHT = ("SLURM_ARRAY_TASK_ID",)
_MOST = 6
# What a pod with one process has in place of what torchrun sets for a process.
_OF_POD = {
    "RANK": "$RANK",
    "GROUP_RANK": "$RANK",
    "LOCAL_RANK": "0",
    "WORLD_SIZE": "$WORLD_SIZE",
    "GROUP_WORLD_SIZE": "$WORLD_SIZE",
    "LOCAL_WORLD_SIZE": "1",
}


def unset(command: Sequence[str], beside: str, starter: str) -> list[str]:
    """Lines that say which variables the program reads, and what sets them; none where no such file lies here.

    ``beside``: a script, in whose folder the file may lie; ``starter``: who starts the processes.
    """
    program = _file(command)
    if not program or starter not in ("torchrun", "none"):
        return []
    text = _text(program) or _text(os.path.join(os.path.dirname(beside), program))
    found = [name for name in dict.fromkeys(_NAME.findall(text)) if name not in _BROUGHT]
    if not found:
        return []
    from specgen.schema.remedies import flow

    said = ", ".join(f"`{name}`" for name in found[:_MOST])
    head = f"`{program}` reads {said}, which nobody sets in a pod."
    known = [name for name in found if name in OF_TORCHRUN]
    if not known:
        return [f"{head} `env` may, with a value."]
    if starter == "none":
        sets = " ".join(f"{name}={_OF_POD[OF_TORCHRUN[name]]}" for name in known)
        return [f"{head} Where it needs them:", f"prepare: export {sets}"]
    words = shlex.join(command if is_python([command[0]]) and command[0][-3:] != ".py" else ["python", "-u", *command])
    line = flow(["--no-python", "bash", "-c", in_each_process(known, words)])
    return [
        f"{head} Let it read RANK, LOCAL_RANK and WORLD_SIZE, or have a shell in",
        "each process set them (`prepare` runs once in a pod, before the processes are there):",
        f"command: {line}",
    ]


def _file(command: Sequence[str]) -> str:
    """The file of Python that a command runs: a path, or a module of this folder."""
    for at, word in enumerate(command):
        if word == "-m" and at + 1 < len(command):
            return f"{command[at + 1].replace('.', '/')}.py"
        if word.endswith(".py"):
            return word
    return ""


def _text(name: str) -> str:
    try:
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError):
        return ""
