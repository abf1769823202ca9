"""What a line of Slurm says of a job: `srun` with its options, and a batch script with its `#SBATCH` lines.

Options of srun and sbatch as in the manuals of Slurm 24.05. What has no place in a profile's first lines (accounts,
partitions, times, output) is left out: `specgen explain` leads from each of them to the word that says it.
"""

from __future__ import annotations

import re
import shlex

from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes.launchers import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

STARTERS, BATCH = ("srun",), ("sbatch",)
# Short options by the long ones, of those that are read; all of these have a value.
_SHORT = {"N": "nodes", "n": "ntasks", "c": "cpus-per-task", "G": "gpus"}
# Further short ones with a value; those without one are one word like the long ones with `=`.
_VALUED = "ADJMabdehijopqtwxC"
# Long ones without a value.
# fmt: off
_FLAGS = (
    "exclusive", "hold", "immediate", "kill-on-bad-exit", "label", "no-kill", "no-requeue", "overcommit", "overlap",
    "preserve-env", "pty", "quiet", "requeue", "test-only", "unbuffered", "verbose", "wait-all-nodes",
)
# fmt: on
_LARGEST = 1 << 20


class Asked:
    """What was asked of Slurm: nodes, tasks and devices; the words behind the options."""

    __slots__ = ("cpus", "each", "gpus", "nodes", "program", "tasks", "total")

    def __init__(self, said: dict[str, str], program: list[str]) -> None:
        self.program = program
        self.nodes = count(said.get("nodes", "").partition("-")[0]) or None
        self.tasks = count(said.get("ntasks", "")) or None
        self.each = count(said.get("ntasks-per-node", "")) or None
        self.cpus = count(said.get("cpus-per-task", "")) or None
        # GPUs of a node, and of the whole job
        of_node = next((one for one in said.get("gres", "").split(",") if one.partition(":")[0] == "gpu"), "")
        self.gpus = 1 if of_node == "gpu" else _last(said.get("gpus-per-node") or of_node)
        self.total = _last(said.get("gpus", ""))
        task = _last(said.get("gpus-per-task", ""))
        if self.tasks and self.nodes and not self.each and self.tasks % self.nodes == 0:
            self.each = self.tasks // self.nodes
        if self.tasks and self.each and not self.nodes and self.tasks % self.each == 0:
            self.nodes = self.tasks // self.each
        if self.gpus is None and task is not None:
            self.gpus = task * (self.each or 1)
        if self.gpus is None and self.total is not None and self.total % (self.nodes or 1) == 0:
            self.gpus = self.total // (self.nodes or 1)


def _last(text: str) -> int | None:
    """The number of `8` and `a100:8`."""
    return count(text.rpartition(":")[2]) or None


def options(words: Sequence[str]) -> tuple[dict[str, str], int]:
    """(long name → value, where the first word stands that is no option)."""
    said: dict[str, str] = {}
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        word, at = words[at], at + 1
        if word == "--":
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            if not equals and name not in _FLAGS and at < len(words):
                value, at = words[at], at + 1
        elif word[1] in _SHORT or word[1] in _VALUED:
            name, value = _SHORT.get(word[1], word[1]), word[2:]
            if not value and at < len(words):
                value, at = words[at], at + 1
        else:
            continue
        said[name] = value
    return said, at


def of_line(command: Sequence[str]) -> Asked:
    """A line that begins with srun."""
    said, at = options(command[1:])
    return Asked(said, list(command[1 + at :]))


def of_batch(command: Sequence[str]) -> Asked:
    """A line that begins with sbatch, and the script that it names. Raises BadQuestion."""
    said, at = options(command[1:])
    name = next(iter(command[1 + at :]), "")
    try:
        with open(name, encoding="utf-8") as file:
            text = file.read(_LARGEST)
    except (OSError, ValueError) as error:
        raise BadQuestion(
            f"`{command[0]}` hands a script to Slurm, and `{name or 'none'}` cannot be read here",
            "`specgen init job --pods 4 --gpu 8 -- python train.py`, with the line that the script runs",
        ) from error
    lines = text.replace("\\\n", " ").splitlines()
    above: dict[str, str] = {}
    for line in lines:
        if line.startswith("#SBATCH"):
            above |= options(_split(line[len("#SBATCH") :]))[0]
    inner = next((line for line in reversed(lines) if re.match(r"\s*srun\s", line)), "")
    step, behind = options(_split(inner)[1:])
    program = _split(inner)[1 + behind :]
    if not program:
        raise BadQuestion(
            f"`{name}` has no line that begins with `srun`: nobody knows what it starts",
            "`specgen init job --pods 4 --gpu 8 -- python train.py`, with the line that the script runs",
        )
    return Asked({**above, **said, **step}, program)


def _split(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()
