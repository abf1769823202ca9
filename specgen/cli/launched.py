"""What a line that starts processes somewhere else says of a job: who starts them, in how many pods, on what of each.

``torchrun --nnodes=4 --nproc-per-node=8 train.py`` is four pods with eight devices. Options by which the processes meet
are left out, as in a job they follow from its pods; the others are the starter's own, and go with it.
"""

from __future__ import annotations

import shlex
from argparse import Namespace

from specgen.cli import slurm
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import assigned
from specgen.operators.kubernetes.launchers import ACCELERATE, DEEPSPEED, TORCHRUN, count
from specgen.operators.mpi import mpirun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.kubernetes.launchers import Line
    from specgen.operators.mpi.mpirun import Call

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


# mpirun's: the job's own hosts and slots, its variables, and what the line of a job says anyway.
# fmt: off
_FOLLOWING_MPI = (
    "np", "n", "c", "num-proc", "N", "npernode", "ppn", "perhost", "H", "host", "hosts", "hostfile", "machinefile", "f",
    "x", "genvlist", "allow-run-as-root", "bind-to", "map-by",
)
# fmt: on


def read(options: Namespace) -> Namespace:
    """The options with what the command says beside them. Raises BadQuestion where the two contradict each other.

    New are ``env``, the variables in front of the command, ``own``, the options of who starts it, ``procs``, the
    processes of a pod without devices, ``least``, the fewest pods of an elastic job, ``cpu``, the cores of a pod, and
    ``counted_there``, whether torchrun counts the GPUs that it finds.
    """
    command = list(options.command)
    env: dict[str, str] = {}
    while command and assigned(command[0]):
        name, _, env[name] = command.pop(0).partition("=")
    found = Namespace(**{**vars(options), "command": command, "env": env, "own": [], "procs": 1, "least": 0, "cpu": 0})
    if not command:
        return found
    starter = command[0].rpartition("/")[2]
    if starter in (*slurm.STARTERS, *slurm.BATCH):
        _by_slurm(found, slurm.of_line(command) if starter in slurm.STARTERS else slurm.of_batch(command))
        command = found.command
    if found.start in ("self", "none"):
        return found
    line = launchers.of_words(command)
    if line is not None:
        _launched(found, line)
    elif command[0].rpartition("/")[2] in mpirun.STARTERS:
        _by_mpi(found)
    return found


def _by_slurm(options: Namespace, asked: slurm.Asked) -> None:
    """srun starts a task for each process: here the pods' starter does, one for each GPU, or nobody where it is one."""
    program = list(asked.program)
    if not program:
        raise BadQuestion("`srun` starts no program here")
    nodes, each = asked.nodes, asked.each
    if asked.tasks and not nodes and not each:
        # tasks alone: a pod for each, or all in one, as the devices say
        nodes = options.pods or (_share(asked.tasks, asked.gpus, "`srun` of") if asked.gpus else asked.tasks)
        each = _share(asked.tasks, nodes, "`srun` of")
    _agree(options, "pods", nodes or 1, f"`srun` on {nodes or 1} nodes")
    if asked.gpus is not None and not options.npu:
        _agree(options, "gpu", asked.gpus, f"`srun` with {asked.gpus} GPUs a node")
    elif options.gpu is None and not options.npu:
        options.gpu = 0
    if asked.cpus:
        options.cpu = asked.cpus * (each or 1)
    options.command = program
    inner = launchers.of_words(program) is not None
    if inner or options.start is not None:
        return
    devices = options.gpu or options.npu or 0
    if devices > 1 and (each or 1) == 1:
        options.start = "none"
    elif devices and each and each != devices:
        raise BadQuestion(
            f"`srun` starts {each} processes on a node with {devices} GPUs",
            f"`--ntasks-per-node={devices}` for one on each GPU, `--start self` where the program shares them",
        )
    elif not devices:
        options.procs = each or 1


def _launched(options: Namespace, line: Line) -> None:
    """One of the launchers that run in each pod."""
    own = _own(line, options.command)
    if own and line.name == DEEPSPEED:
        raise BadQuestion(
            f"`{shlex.join(own)}` is for DeepSpeed's own launcher, which goes over ssh and starts nothing in a job",
            f"without it: `--start {DEEPSPEED} -- {shlex.join(options.command[line.program :])}`",
        )
    _start(options, line.name, options.command[line.program :], own)
    if line.name == TORCHRUN:
        options.least, most = _among(line)
        _agree(options, "pods", most, f"`{line.name}` for up to {most} machines")
    machines, each = (
        _number(line, _MACHINES[line.name]) if not options.least else options.pods,
        _number(line, _EACH.get(line.name, "")),
    )
    options.counted_there = line.value(_EACH.get(line.name, "")) in ("gpu", "auto")
    total = _number(line, _ALL) if line.name == ACCELERATE else None
    if machines is None and (each or total or "standalone" in line.options) and not {"hostfile", "H"} & {*line.options}:
        # a launcher that is told nothing of others runs on one machine
        machines = options.pods or 1
    if machines is not None and total is not None:
        each = _share(total, machines, f"`--{_ALL}`")
    _agree(options, "pods", machines, f"`{line.name}` for {machines} machines")
    if "cpu" in line.options and options.gpu is None and not options.npu:
        options.gpu = 0
    _devices(options, each, line.name)


def _by_mpi(options: Namespace) -> None:
    """mpirun and horovodrun, which start the processes of all pods from one."""
    command = options.command
    name = command[0].rpartition("/")[2]
    by = name if name == "horovodrun" else "mpirun"
    line = mpirun.call(command)
    if line is None or not line.sure:
        script = next((at for at, word in enumerate(command) if word.endswith(".py")), None)
        if script and command[script - 1].rpartition("/")[2].startswith("python"):
            script -= 1
        rest = shlex.join(command[script:]) if script is not None else "PROGRAM"
        raise BadQuestion(
            f"`{name}` has options here that are not known",
            f"write `--start {by} -- {rest}`, or `--start self` to start the processes by this line",
        )
    own = [word for option, words in line.options if option not in _FOLLOWING_MPI for word in words]
    for option, words in line.options:
        # of the others the launcher's pod has the value
        if option == "x" and "=" in words[-1]:
            variable, _, options.env[variable] = words[-1].partition("=")
    _start(options, by, command[line.behind :], own)
    total, each = count(line.value) if line.count is not None else None, line.each
    machines = options.pods
    hosts = _hosts(line)
    if hosts is not None and each is None and machines is None and total in (None, hosts[0] * hosts[1]):
        machines, each = hosts
    if total and each:
        machines = _share(total, each, f"`{name}` of")
    elif total and machines:
        each = _share(total, machines, f"`{name}` of")
    elif total and (options.gpu or options.npu):
        machines = _share(total, options.gpu or options.npu, f"`{name}` of")
    elif total and total > 1:
        raise BadQuestion(
            f"`{name}` starts {total} processes, and nobody says in how many pods",
            _ways(total),
        )
    _agree(options, "pods", machines, f"`{name}` for {machines} machines")
    _devices(options, each, name)


def _hosts(line: Call) -> tuple[int, int] | None:
    """(hosts, slots of each) of `-H a:8,b:8`; None where no such list says slots, or its hosts differ in them."""
    said = [words[-1].removeprefix("-H") for option, words in line.options if option in ("H", "host", "hosts")]
    if len(said) != 1 or not said[0]:
        return None
    hosts = [host.partition(":") for host in said[0].rpartition("=")[2].split(",") if host]
    slots = {slots for _, _, slots in hosts}
    each = count(slots.pop()) if len(slots) == 1 else None
    return (len(hosts), each) if each and len({name for name, _, _ in hosts}) == len(hosts) else None


def _ways(total: int) -> str:
    """Some ways to spread processes over pods: one pod, nodes of eight GPUs, and a pod for each."""
    eight = total // 8 if total % 8 == 0 and total > 8 else 0
    nodes = f"`--pods {eight} --gpu 8` for pods of eight, " if eight else ""
    one = f"`--pods 1 --gpu {total}` for one pod, " if total <= 16 or not eight else ""
    return f"{nodes}{one}`--pods {total} --gpu 1` for as many pods as processes"


def _start(options: Namespace, by: str, program: list[str], own: list[str]) -> None:
    if options.start not in (None, by):
        raise BadQuestion(
            f"--start {options.start} contradicts `{by}`, which starts the processes of the line",
            f"`--start {by}`, or `--start self` to start the processes by this line",
        )
    if not program:
        raise BadQuestion(f"`{by}` starts no program here")
    options.start, options.command, options.own = by, program, own


def _devices(options: Namespace, each: int | None, name: str) -> None:
    device = "npu" if options.npu else "gpu"
    if getattr(options, device) == 0:
        options.procs = each or 1
    else:
        _agree(options, device, each, f"`{name}` for {each} processes a pod")


def _share(total: int, parts: int, said: str) -> int:
    if total % parts:
        raise BadQuestion(f"{said} {total} processes is no multiple of {parts}")
    return total // parts


def _own(line: Line, words: list[str]) -> list[str]:
    """The options that do not follow, as they are written."""
    following = _FOLLOWING[line.name].split()
    own: list[str] = []
    for name, (value, at) in sorted(line.options.items(), key=lambda one: one[1][1]):
        if name not in following:
            own += [words[at]] if "=" in words[at] or not value else [words[at], value]
    return own


def _number(line: Line, name: str) -> int | None:
    """The number that an option has; None where it has none that is known here, such as `auto` or a variable."""
    found = count(line.value(name))
    if found == 0:
        raise BadQuestion(f"`{line.name}` with `{name}` of 0 starts nothing")
    return found


def _among(line: Line) -> tuple[int, int | None]:
    """(fewest, most machines) of an elastic job, as torchrun takes them: `--nnodes=2:6`."""
    least, _, most = line.value(_MACHINES[TORCHRUN]).partition(":")
    return (count(least) or 0, count(most)) if count(least) and count(most) else (0, None)


def _agree(options: Namespace, name: str, number: int | None, said: str) -> None:
    """Takes a number that was not given as an option."""
    given = getattr(options, name)
    if number is not None and given not in (None, number):
        raise BadQuestion(
            f"--{name} {given} contradicts {said}",
            f"`--{name} {number}`, or `--start self` to start the processes by this line",
        )
    if number is not None:
        setattr(options, name, number)
