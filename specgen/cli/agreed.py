"""Numbers of a line beside those of the options and of a script: taken where nobody says them, else the same."""

from __future__ import annotations

from specgen.cli import slurm
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes.launchers import ACCELERATE, DEEPSPEED, TORCHRUN, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from specgen.operators.kubernetes.launchers import Line

# How many machines there are, and how many processes on each of them; accelerate says them of all together.
MACHINES = {TORCHRUN: "nnodes", ACCELERATE: "num_machines", DEEPSPEED: "num_nodes"}
EACH = {TORCHRUN: "nproc_per_node", DEEPSPEED: "num_gpus"}
ALL = "num_processes"
OF_SLURMS = (*slurm.STARTERS, *slurm.ALLOCATES, *slurm.BATCH)
# The same by Slurm's options.
OF_SLURM = {"pods": "nodes", "gpu": "gpus-per-node"}


def take_start(options: Namespace, by: str, program: list[str], own: list[str]) -> None:
    if options.start not in (None, by):
        raise BadQuestion(
            f"--start {options.start} contradicts `{by}`, which starts the processes of the line",
            f"`--start {by}`, or `--start self` to start the processes by this line",
        )
    if not program:
        raise BadQuestion(f"`{by}` starts no program here")
    options.start, options.command, options.own = by, program, own


def take_devices(options: Namespace, each: int | None, name: str) -> None:
    device = "npu" if options.npu else "gpu"
    if getattr(options, device) == 0:
        options.procs = each or 1
    else:
        agree(options, device, each, f"`{name}` for {each} processes a pod")


def share(total: int, parts: int, said: str) -> int:
    if total % parts:
        raise BadQuestion(f"{said} {total} processes is no multiple of {parts}")
    return total // parts


def number_of(line: Line, name: str) -> int | None:
    """The number that an option has; None where it has none that is known here, such as `auto` or a variable."""
    found = count(line.value(name))
    if found == 0:
        raise BadQuestion(f"`{line.name}` with `{name}` of 0 starts nothing")
    return found


def uncounted(written: str, word: str, *, lost: bool = False) -> BadQuestion:
    """What to answer where a shell's variable counts, and nobody else.

    ``word``: the option that may do so; ``lost``: whether a shell has put nothing in the variable's place.
    """
    variable = "no number stands behind it, as a shell leaves a variable that it lacks"
    if not lost:
        variable = "a shell's variable says how many, and its value is not known here"
    return BadQuestion(
        f"`{written}`: {variable}",
        f"`--{word} N` in front of the two dashes, or a number in its place",
    )


def agree(options: Namespace, name: str, number: int | None, said: str) -> None:
    """Takes a number that was not given as an option."""
    given = getattr(options, name)
    if number is not None and given not in (None, number):
        other = "`--start self` to start the processes by this line"
        if name in OF_SLURM and options.starter in OF_SLURMS and name not in options.given:
            by_script = f"`--{OF_SLURM[name]}={number}` behind `{options.starter}`"
            raise BadQuestion(f"{said} contradicts the {given} that the job asks for", f"{by_script}, or {other}")
        if name in OF_SLURM and options.starter in OF_SLURMS:
            # what stands there is above the script's
            other = f"`--{OF_SLURM[name]}={given}` behind `{options.starter}`"
        raise BadQuestion(f"--{name} {given} contradicts {said}", f"`--{name} {number}`, or {other}")
    if number is not None:
        setattr(options, name, number)
