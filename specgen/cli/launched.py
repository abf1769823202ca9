"""What a line that starts processes somewhere else says of a job: who starts them, in how many pods, on what of each.

``torchrun --nnodes=4 --nproc-per-node=8 train.py`` is four pods with eight devices. Options by which the processes meet
are left out, as in a job they follow from its pods; the others are the starter's own, and go with it.
"""

from __future__ import annotations

import shlex
from argparse import Namespace

from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import assigned
from specgen.operators.kubernetes.launchers import ACCELERATE, DEEPSPEED, TORCHRUN, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.kubernetes.launchers import Line

# How many machines there are, and how many processes on each of them; accelerate says them of all together.
_MACHINES = {TORCHRUN: "nnodes", ACCELERATE: "num_machines", DEEPSPEED: "num_nodes"}
_EACH = {TORCHRUN: "nproc_per_node", DEEPSPEED: "num_gpus"}
_ALL = "num_processes"
# Options that say what follows from the pods and their devices.
_FOLLOWING = {
    TORCHRUN: "nnodes nproc_per_node node_rank standalone master_addr master_port rdzv_backend rdzv_endpoint rdzv_id "
    "rdzv_conf local_addr",
    ACCELERATE: "num_machines num_processes machine_rank main_process_ip main_process_port multi_gpu same_network "
    "rdzv_backend rdzv_conf",
    DEEPSPEED: "num_nodes num_gpus num_accelerators hostfile H master_addr master_port node_rank no_ssh no_ssh_check "
    "ssh_port launcher force_multi",
}


def read(options: Namespace) -> Namespace:
    """The options with what the command says beside them. Raises BadQuestion where the two contradict each other.

    New are ``env``, the variables in front of the command, and ``own``, the options of who starts it.
    """
    command = list(options.command)
    env: dict[str, str] = {}
    while command and assigned(command[0]):
        name, _, env[name] = command.pop(0).partition("=")
    read = Namespace(**{**vars(options), "command": command, "env": env, "own": []})
    line = launchers.of_words(command)
    if line is None or options.start in ("self", "none"):
        return read
    if options.start not in (None, line.name):
        raise BadQuestion(f"--start {options.start} contradicts `{line.name}`, which starts the processes of the line")
    read.start = line.name
    read.command = command[line.program :]
    if not read.command:
        raise BadQuestion(f"`{line.name}` starts no program here")
    read.own = _own(line, command)
    if read.own and line.name == DEEPSPEED:
        others = shlex.join(read.own)
        raise BadQuestion(
            f"`{others}` is for DeepSpeed's own launcher, which goes over ssh and starts nothing in a job",
            f"without it: `--start {DEEPSPEED} -- {shlex.join(read.command)}`",
        )
    machines = _number(line, _MACHINES[line.name])
    if machines is None and "standalone" in line.options:
        machines = 1
    _agree(read, "pods", machines, f"`{line.name}` for {machines} machines")
    each = _number(line, _EACH.get(line.name, ""))
    total = _number(line, _ALL) if line.name == ACCELERATE else None
    if total is not None:
        if machines is None:
            machines = read.pods
        if machines is not None and total % machines:
            raise BadQuestion(f"`--{_ALL}` {total} is no multiple of {machines} machines")
        each = total // machines if machines is not None else None
    device = "npu" if options.npu else "gpu"
    # on CPUs a process has no device
    if "cpu" not in line.options and getattr(options, device) != 0:
        _agree(read, device, each, f"`{line.name}` for {each} processes a pod")
    return read


def _own(line: Line, words: list[str]) -> list[str]:
    """The options that do not follow, as they are written."""
    following = _FOLLOWING[line.name].split()
    own: list[str] = []
    for name, (value, at) in sorted(line.options.items(), key=lambda one: one[1][1]):
        if name not in following:
            own += [words[at]] if "=" in words[at] or not value else [words[at], value]
    return own


def _number(line: Line, name: str) -> int | None:
    """The number that an option has; None where it has none that is known here, such as `auto` or a variable.

    Raises BadQuestion of a range: torchrun takes one of an elastic job.
    """
    text = line.value(name)
    least, colon, most = text.partition(":")
    if colon and count(least) is not None and count(most):
        raise BadQuestion(
            f"`--{name}` {text} is of an elastic job, which the profile says",
            f"`--pods {most}`, and in the profile `elastic: {{min: {least}, max: {most}}}`",
        )
    return count(text) or None


def _agree(options: Namespace, name: str, number: int | None, said: str) -> None:
    """Takes a number that was not given as an option."""
    given = getattr(options, name)
    if number is not None and given not in (None, number):
        raise BadQuestion(f"--{name} {given} contradicts {said}", "say it once")
    if number is not None:
        setattr(options, name, number)
