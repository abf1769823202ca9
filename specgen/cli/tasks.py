"""What each task of Slurm's reads of itself in a shell of its own: a pod, or a process of one, has other variables.

srun(1), OUTPUT ENVIRONMENT VARIABLES; torch 2.13, docs/source/elastic/run.rst (Environment Variables).
"""

from __future__ import annotations

import re

from specgen.cli.brought import OF_SHELL
from specgen.operators.kubernetes.argv import script_at
from specgen.operators.kubernetes.self_started import shards

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

# Of one process in each pod: what the operator tells it, or what follows from there being one.
_OF_POD = {
    **dict.fromkeys(("SLURM_PROCID", "SLURM_NODEID"), "$(RANK)"),
    **dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NNODES", "SLURM_JOB_NUM_NODES"), "$(WORLD_SIZE)"),
    "SLURM_LOCALID": "0",
}
# Of several: what torchrun tells each of them.
_OF_PROCESS = {
    "SLURM_PROCID": "$RANK",
    "SLURM_LOCALID": "$LOCAL_RANK",
    "SLURM_NODEID": "$GROUP_RANK",
    **dict.fromkeys(("SLURM_NTASKS", "SLURM_NPROCS"), "$WORLD_SIZE"),
    **dict.fromkeys(("SLURM_NNODES", "SLURM_JOB_NUM_NODES"), "$GROUP_WORLD_SIZE"),
    "SLURM_NTASKS_PER_NODE": "$LOCAL_WORLD_SIZE",
}
_OWN = re.compile(r"\bSLURM_(?:PROCID|LOCALID|NODEID)\b")
_REFERENCE = re.compile(r"\$(?:(SLURM_\w+)|\{(SLURM_\w+)\})", re.ASCII)


def tell(options: Namespace) -> None:
    """Gives the program in a shell's text what it reads of its own task there; a shell for each process stays one.

    ``options.shares``: whether such shells share data out. None is kept where variants may differ in its text.
    """
    brought = options.brought
    if brought.shelled is None:
        return
    shell, left = brought.shelled
    at = script_at(shell)
    if (options.each or 1) == 1 and options.start in (None, "none"):
        options.command = [_replaced(word, _OF_POD) for word in options.command]
        brought.rests = [[_replaced(word, _OF_POD) for word in words] for words in brought.rests]
    elif at is not None and options.start in (None, "torchrun") and _is_told(options.command, left):
        if brought.array or brought.runs or options.own:
            return
        options.shares = shards([_replaced(word, _OF_PROCESS) for word in options.command]) is not None
        text = _replaced(shell[at], {**brought.numbers, **_OF_PROCESS})
        # a sum has no sign in front of a name
        sets = [f"{name}={value}; " for name, value in _OF_PROCESS.items() if re.search(rf"\b{name}\b", text)]
        text = "".join([*sets, text])
        options.command = brought.literal([*shell[:at], text, *shell[at + 1 :]])
        options.start, options.own = "torchrun", ["--no-python"]
        brought.left = {one: None for one in brought.left if one not in left}
        brought.notes.append("Each process has its own shell, as each task had: torchrun tells it what Slurm did.")


def _is_told(program: list[str], left: list[tuple[int, str, str]]) -> bool:
    """Whether a shell tells the program of its own task, by a word of its line or a variable that nobody else sets."""
    sets = [text for _, text, why in left if why == OF_SHELL]
    return any([_OWN.search(text) for text in (*program, *sets)])


def _replaced(text: str, names: dict[str, str]) -> str:
    return _REFERENCE.sub(lambda found: names.get(found[1] or found[2], found[0]), text)
