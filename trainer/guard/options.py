"""The command line of the guard."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NoReturn

from trainer.faults import USAGE, Fault

LAUNCHERS = ("torchrun", "accelerate", "deepspeed", "mpirun", "mpiexec", "horovodrun")
READERS = ("auto", "torchrun", "mpi", "pytorchjob", "pet", "tfjob")  # of trainer.env, but for MSJob's
USE = "python -m trainer guard [options] -- train.py …"


@dataclass(frozen=True)
class Options:
    """Seconds, if nothing else is said."""

    command: tuple[str, ...]  # what is run, ready for exec
    launcher: str  # of whose variables say which member this is; `auto`: whoever set some
    address: str  # host or host:port at which the members meet; empty: MASTER_ADDR
    members: int  # guards of the job; 0: as the environment counts
    member: int  # number of this one; -1: as the environment says
    meet_limit: float  # until all members must be there
    silence_limit: float  # without a word from a member, or with a frozen process
    start_limit: float  # in one phase, before a rank has said its first step
    step_limit: float  # in one phase, from then on
    idle_limit: float  # in which no member uses a CPU; 0: not looked for
    grace: float  # between SIGTERM and SIGKILL
    retry_codes: tuple[int, ...]  # exit codes of the script after which a restart may help
    termination_log: str  # file of the pod's last words


class Parser(argparse.ArgumentParser):
    """Refuses with a Fault, where argparse would exit with 2."""

    def error(self, message: str) -> NoReturn:
        raise Fault(USAGE, message.replace("argument ", ""), (), USE)


def read(argv: Sequence[str], env: Mapping[str, str], python: str) -> Options:
    """``python`` runs what ends in `.py`. Raises Fault(64)."""
    own, command = list(argv), list[str]()
    if "--" in own:
        cut = own.index("--")
        own, command = own[:cut], own[cut + 1 :]
    shows_defaults = argparse.ArgumentDefaultsHelpFormatter
    parser = Parser(prog="trainer guard", usage=USE, allow_abbrev=False, formatter_class=shows_defaults)
    add = parser.add_argument
    add("--launcher", default="auto", choices=READERS, help="whose variables say which member this is")
    add("--address", default="", help="HOST[:PORT] at which the members meet; empty: MASTER_ADDR, MASTER_PORT + 100")
    add("--members", type=int, default=0, help="guards of the job; 0: as the environment counts")
    add("--member", type=int, default=-1, help="number of this guard; -1: as the environment says")
    add("--meet-limit", type=float, default=300.0, help="seconds until all members must be there")
    add("--silence-limit", type=float, default=30.0, help="seconds without a word, or frozen, until a member is dead")
    add("--start-limit", type=float, default=1800.0, help="seconds in one phase before a rank's first step")
    add("--step-limit", type=float, default=600.0, help="seconds in one phase from then on")
    add("--idle-limit", type=float, default=0.0, help="seconds in which no member uses a CPU; 0: not looked for")
    add("--grace", type=float, default=25.0, help="seconds from SIGTERM to SIGKILL, five less than the pod's own")
    add("--retry-codes", default="", help="comma list of the script's exit codes after which a restart may help")
    add("--termination-log", default=env.get("TERMINATION_LOG", "/dev/termination-log"), help="file of the last words")
    values = vars(parser.parse_args(own))
    if not command:
        raise Fault(USAGE, "no script after `--`", (), USE)
    for name in ("meet_limit", "silence_limit", "start_limit", "step_limit", "grace"):
        if values[name] <= 0:
            raise Fault(USAGE, f"`--{name.replace('_', '-')}={values[name]:g}` is not above 0")
    if (values["members"] > 0) != (values["member"] >= 0):
        raise Fault(USAGE, "`--members` and `--member` go together")
    try:
        values["retry_codes"] = tuple(int(code) for code in values["retry_codes"].split(",") if code)
    except ValueError:
        raise Fault(USAGE, f"`--retry-codes={values['retry_codes']}` is no list of numbers") from None
    if command[0].endswith(".py") and not os.access(command[0], os.X_OK):
        command = [python, "-u", *command]
    return Options(command=tuple(command), **values)


def starts_ranks(command: Sequence[str]) -> bool:
    """Whether the command makes the pod's ranks itself."""
    programs = [word.rpartition("/")[2] for word in command[:1]]
    modules = [command[at + 1] for at, word in enumerate(command[:-1]) if word == "-m"][:1]
    return any(name in LAUNCHERS for name in programs) or any(
        name in ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch", "deepspeed")
        for name in modules
    )
