"""What a line that starts processes somewhere else says of a job: who starts them, in how many pods, on what of each.

``torchrun --nnodes=4 --nproc-per-node=8 train.py`` is four pods with eight devices. Options by which the processes meet
are left out, as in a job they follow from its pods; the others are the starter's own, and go with it.
"""

from __future__ import annotations

import os
import re
import shlex
from argparse import Namespace

from specgen.cli import hosts, slurm
from specgen.cli.batch import inner, of_batch, of_line, program_of
from specgen.cli.beginning import MPI, facts, is_python
from specgen.cli.brought import ARRAY as _TASK
from specgen.cli.brought import Brought
from specgen.cli.wrapped import DOCKERS
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import SHELLS, script_at
from specgen.operators.kubernetes.launchers import ACCELERATE, DEEPSPEED, TORCHRUN, count
from specgen.operators.kubernetes.shell import assigned
from specgen.operators.mpi import mpirun
from specgen.plan.mpi_env import FORWARDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.operators.kubernetes.launchers import Line
    from specgen.operators.mpi.mpirun import Call

# How many machines there are, and how many processes on each of them; accelerate says them of all together.
_MACHINES = {TORCHRUN: "nnodes", ACCELERATE: "num_machines", DEEPSPEED: "num_nodes"}
_EACH = {TORCHRUN: "nproc_per_node", DEEPSPEED: "num_gpus"}
_ALL = "num_processes"
# Options of `init` and of DeepSpeed's launcher that say the same.
_SIZE = (("pods", "num_nodes"), ("gpu", "num_gpus"))
_OF_SLURMS = (*slurm.STARTERS, *slurm.ALLOCATES, *slurm.BATCH)
# The same by Slurm's options.
_OF_SLURM = {"pods": "nodes", "gpu": "gpus-per-node"}
# What gives a line to something else, and to what.
_HANDS = {
    **dict.fromkeys(("qsub", "qrsh", "bsub", "jsrun", "condor_submit", "flux", "oarsub"), "another scheduler"),
    **dict.fromkeys(("ssh", "pdsh", "clush", "dsh"), "other machines"),
    **dict.fromkeys(("screen", "tmux"), "a terminal"),
    **dict.fromkeys(("kubectl", "helm", "sky", "torchx"), "a cluster"),
    **dict.fromkeys(("parallel", "xargs"), "processes of its own, one for each input"),
}
# Options that say what follows from the pods and their devices.
_FOLLOWING = {
    TORCHRUN: "nnodes nproc_per_node node_rank standalone master_addr master_port rdzv_backend rdzv_endpoint rdzv_id "
    "local_addr",
    ACCELERATE: "num_machines num_processes machine_rank main_process_ip main_process_port multi_gpu same_network "
    "rdzv_backend rdzv_conf gpu_ids",
    DEEPSPEED: "num_nodes num_gpus num_accelerators hostfile H master_addr master_port node_rank no_ssh no_ssh_check "
    "ssh_port launcher force_multi no_local_rank",
}
# Those of them by which the pods meet, or of which one is a pod.
_MEETS = (
    "node_rank standalone master_addr master_port rdzv_backend rdzv_endpoint rdzv_id rdzv_conf local_addr machine_rank "
    "main_process_ip main_process_port same_network hostfile H no_ssh no_ssh_check ssh_port launcher force_multi "
    "gpu_ids"
)
# mpirun's: processes and hosts, which are those of the job, and what the line of a job says anyway.
# fmt: off
_FOLLOWING_MPI = (
    "np", "n", "c", "num-proc", "N", "npernode", "ppn", "perhost", "H", "host", "hosts", "hostlist", "hostfile",
    "default-hostfile", "machinefile", "machine", "f", "allow-run-as-root", "genvall", "envall",
)
# fmt: on
# Variables that MPI sets for each rank, or Horovod; and what a shell's text holds that has GPUs.
_OF_RANKS = re.compile(r"\$\{?(OMPI_COMM_WORLD|PMIX?|MPI|MV2_COMM_WORLD|HOROVOD)_\w*(RANK|ID|SIZE)")
_OF_SHELL = re.compile(r"\bpython[0-9.]*\s|CUDA_VISIBLE_DEVICES")
# The operator's script that names the hosts of an elastic Horovod.
_DISCOVERS = "/etc/mpi/discover_hosts.sh"
_FILES_OF_MPI = ("hostfile", "machinefile", "default-hostfile", "f")
# In words that may say sizes of Lightning's trainer, and starters of other programs.
_SIZED = ("num_nodes", "num-nodes", "devices", "gpus")
_ELSEWHERE = ("mpirun", "horovodrun", "self")
# Options of programs that start processes by themselves, which say how many pods and GPUs there are to be.
_NODES_OF = ("nnodes", "num_nodes", "num_machines", "trainer.nnodes")
_EACH_OF = (
    *("nproc_per_node", "nproc", "local_worker_num", "tensor_parallel_size", "tp_size", "tp", "devices", "num_gpus"),
    *("num_shard", "trainer.n_gpus_per_node", "gpus", "device", "n"),
)
# Options of a program of one's own that say how many GPUs, or which of them.
_OWN_GPUS = (
    *("gpus", "num_gpus", "n_gpus", "ngpus", "ngpu", "n_gpu", "gpus_per_node", "num_gpus_per_node", "n_gpus_per_node"),
    *("devices", "num_devices", "device", "gpu_ids", "nproc_per_node", "nproc"),
)
# Those of them that name each GPU, so that a number alone is the one of that name.
_LISTS = ("device", "gpu_ids")
# Options of them that name machines, to which some go by ssh, and what there is in their place.
_SSH = {
    "colossalai": ("--host", "-H", "--hostfile", "--include"),
    "paddle.distributed.launch": ("--ips", "--trainers", "--servers"),
}
_INSTEAD = {
    "colossalai": "`--pods 2 --gpu 8 --start torchrun -- train.py`, as `launch_from_torch` takes torchrun's ranks",
    "paddle.distributed.launch": "`--nnodes 2 --master HOST:8080` in its place: each pod is told the first one's name",
}
# Options of programs that name each machine, of TensorFlow before 2.
_NAMED_HOSTS = ("ps_hosts", "worker_hosts")
# Servers that spread one model over all their nodes.
_SERVERS = ("sglang", "vllm")
_ALL_OF = ("num_processes", "world_size", "worker_num")
# More is no number of a node's GPUs.
_OF_A_NODE = 64
# Options that count processes of all pods, and those of one.
_TOTALS = (("world_size", ("nproc", "n")), ("worker_num", ("local_worker_num",)))
# Those of them that say nothing else, whatever program has them.
_PARALLEL = ("nproc_per_node", "tensor_parallel_size", "tp_size", "tp", "num_shard")
_LISTED = re.compile(r"\d+")
# What tells whose MPI a line of Hydra's is: the image's name, and variables.
_OF_INTEL = ("intel", "oneapi", "impi")
_OF_MPICH = ("mpich", "mvapich")
# Variables of programs that have GPUs.
_OF_GPUS = ("CUDA_", "NCCL_", "TORCH_NCCL_", "NVTE_")
# More processes in a pod than that are no GPUs of a node.
_GPUS = 16
# Where a shell has the output of a line go.
_TO_FILES, _TO_OTHERS = (">", ">>", "1>", "1>>", "2>", "2>>", "&>", "&>>"), ("2>&1", "1>&2", ">&2")
_GLUED = re.compile(r"[12&]?>>?[\w./~$][^\s>|]*")
# Programs that wait for somebody to type, and options with which they do.
_TYPED = ("python", "python3", "ipython", *SHELLS)
_TYPING = re.compile("-[il]+|--login|--norc|-u")
_SLEEPS = ["sleep", "infinity"]


def read(options: Namespace) -> Namespace:
    """The options with what the command says beside them. Raises BadQuestion where the two contradict each other.

    New are ``own``, the options of who starts it, ``procs``, the processes of a pod without devices, ``single``,
    whether one with devices has one process, ``starter``, the program that the line begins with, ``least``, the
    fewest pods of an elastic job, ``restarts``, how often its processes start again, ``cpu``, the cores of a pod,
    ``counted_there``, whether torchrun counts the GPUs that it finds, ``each``, the tasks that Slurm starts on a
    node, ``given``, numbers that are options, and ``brought``, all else that the line says.
    """
    command = list(options.command)
    first: list[str] = []
    while command and assigned(command[0]):
        first.append(command.pop(0))
    found = Namespace(
        **{
            **vars(options),
            "command": command,
            "own": [],
            "procs": 1,
            "least": 0,
            "cpu": 0,
            "each": None,
            "restarts": 0,
        }
    )
    found.brought, found.single = Brought(), False
    found.given = [name for name in _OF_SLURM if vars(options).get(name) is not None]
    left = _behind(command)
    starter = found.starter = command[0].rpartition("/")[2] if command else ""
    _starts_here(command)
    if starter in _OF_SLURMS:
        _by_slurm(found, of_batch(command, first) if starter in slurm.BATCH else of_line(command))
        command = found.command
    elif command and found.start != "self":
        command = found.command = inner(command, found.brought, shells=False)
        if found.brought.gpus and not found.npu:
            _agree(found, "gpu", found.brought.gpus, f"`--gpus` of `{starter}`")
        if starter in DOCKERS and launchers.of_words(command) is None:
            found.pods = found.pods or 1  # as there is one container
        if _is_typed(command):
            _sleeping(found)
            command = found.command
    for written, why in left:
        found.brought.leave(written, why)
    for word in first:
        name, _, value = word.partition("=")
        found.brought.variable(name, value, word)
    if not command:
        return found
    if found.image is None and found.brought.image:
        found.image = found.brought.image
    if found.start not in ("self", "none"):
        line = launchers.of_words(command)
        if line is not None:
            _launched(found, line)
        elif command[0].rpartition("/")[2] in mpirun.STARTERS:
            _by_mpi(found)
        elif found.each is None:
            _by_itself(found)
    found.cpu = found.cpu or found.brought.cpus
    if found.brought.visible and found.gpu is None and not found.npu:
        found.gpu, found.pods, found.start = found.brought.visible, found.pods or 1, found.start or "none"
    if any(name in word for word in found.command for name in _SIZED) and found.start not in _ELSEWHERE:
        from specgen.cli.lightning import bring  # few programs are Lightning's

        bring(found, (options.pods, options.gpu))
    if found.start in (None, "none") and found.each is None:
        _its_gpus(found)
    if found.brought.all_gpus and found.gpu is None and not found.npu:
        found.brought.notes.append("`--gpus all` does not say how many: one is taken, and `--gpu N` says more.")
    if starter in _OF_SLURMS:
        for word in dict.fromkeys([*found.command, *[one for rest in found.brought.rests for one in rest]]):
            # signs that a shell alone replaces, and of which no finding speaks
            if re.search(r"\$\{\w+[^\w}]|\$\{[@*!#]|\$[0-9@*#?!-]|`", word) and "$(" not in word and " " not in word:
                found.brought.leave(word, "a shell alone replaces it: write the words that are meant")
    array = (*([_TASK] if found.brought.array else ()), *found.brought.picked)
    for name in (*array, *[one.upper() for one in found.brought.loops]):
        found.command = [re.sub(rf"\${name}\b|\$\{{{name}\}}", f"$({name})", word) for word in found.command]
    return found


def _starts_here(command: list[str]) -> None:
    """Raises BadQuestion where a line hands its program to something else, which a pod is not."""
    name = command[0].rpartition("/")[2] if command else ""
    said = " ".join(command[:2]) if name in DOCKERS else name
    if name in _HANDS or said.endswith((" compose", " exec", " start")):
        raise BadQuestion(
            f"`{said}` hands its work to {_HANDS.get(name, 'containers')}, and a pod runs a program itself",
            "`specgen init job --pods 4 --gpu 8 -- python train.py`, with the program that runs in the end",
        )


def _behind(command: list[str]) -> list[tuple[str, str]]:
    """What a shell would do with the whole line: taken from it, and returned with why it is not brought over.

    Only what leaves the program as it is: where its output goes, and that nobody waits for it.
    """
    left: list[tuple[str, str]] = []
    if command[1:] and command[0] == "nohup":
        left.append((command.pop(0), "a container has no terminal that could be closed"))
    printed: list[str] = []
    while len(command) > 1:
        last, before = command[-1], command[-2]
        pipe = next((at for at in range(len(command) - 2, 0, -1) if command[at] == "|"), 0)
        end = len(command) - 1
        if last == "&":
            left.append((command.pop(), "a container ends with its first process, which stays in the foreground"))
            continue
        if pipe and command[pipe + 1] == "tee":
            end = pipe
        elif before in _TO_FILES and len(command) > 2:
            end -= 1
        elif last not in _TO_OTHERS and (before[:2] == "--" or not _GLUED.fullmatch(last)):
            break
        printed[:0] = command[end:]
        del command[end:]
    if printed:
        left.append((" ".join(printed), "`kubectl logs` prints what a pod wrote"))
    return left


def _is_typed(command: list[str]) -> bool:
    """Whether a program only does what somebody types."""
    name = command[0].rpartition("/")[2] if command else ""
    return name in _TYPED and all([_TYPING.fullmatch(word) for word in command[1:]])


def _sleeping(options: Namespace) -> None:
    """Pods that wait for somebody who opens a shell in them."""
    shell = options.command[0] if options.command else "bash"
    options.command, options.pods, options.start = list(_SLEEPS), options.pods or 1, options.start or "none"
    options.brought.typed = [
        f"A pod has no terminal, so that `{shell}` would end at once. `kubectl exec -it POD -- {shell}` starts it.",
    ]
    if not options.brought.deadline:
        options.brought.typed.append("`lifecycle: {deadline: 8h}` gives back what it holds where somebody forgets it.")


def _by_slurm(options: Namespace, asked: slurm.Asked) -> None:
    """srun starts a task for each process: here the pods' starter does, one for each GPU, or nobody where it is one."""
    program = list(asked.program)
    if not program and options.starter not in slurm.ALLOCATES:
        raise BadQuestion(f"`{options.starter}` starts no program here")
    options.brought = asked.brought
    if not program or _is_typed(program):
        _agree(options, "pods", asked.nodes, f"`{options.starter}` on {asked.nodes} nodes")
        if not options.npu:
            _agree(options, "gpu", asked.gpus, f"`{options.starter}` with {asked.gpus} GPUs a node")
            options.gpu = options.gpu or 0
        cpus = asked.cpus_of_gpu * (asked.gpus or 0) if asked.cpus_of_gpu else (asked.cpus or 0) * (asked.each or 1)
        options.command, options.cpu = program, cpus
        _sleeping(options)
        return
    _is_one_program(program, asked)
    nodes, each = asked.nodes, asked.each
    if asked.tasks and not nodes and not each:
        # tasks alone: a pod for each, or all in one, as the devices say
        several = asked.gpus is not None and asked.tasks > asked.gpus
        nodes = options.pods or (_share(asked.tasks, asked.gpus or 1, "`srun` of") if several or not asked.gpus else 1)
        each = _share(asked.tasks, nodes, "`srun` of")
    _agree(options, "pods", nodes or 1, f"`srun` on {nodes or 1} nodes")
    if asked.gpus is not None and not options.npu:
        _agree(options, "gpu", asked.gpus, f"`srun` with {asked.gpus} GPUs a node")
    elif options.gpu is None and not options.npu and launchers.of_words(program) is None:
        # whole nodes are often asked for without a word of their GPUs
        speaks = any([name.startswith(_OF_GPUS) for name in asked.brought.env])
        options.gpu = asked.brought.visible or ((each or 1) if speaks and is_python(program) else 0)
        if options.gpu and not asked.brought.visible:
            options.brought.notes.append(
                "A GPU for each process, as the script's variables speak of GPUs: `--gpu 0` where it needs none."
            )
    if asked.tasks and nodes and nodes < asked.tasks and asked.tasks % nodes:
        fits = next(one for one in range(nodes, asked.tasks + 1) if asked.tasks % one == 0)
        raise BadQuestion(
            f"`srun` starts {asked.tasks} tasks on {nodes} nodes, and pods are alike",
            f"`--nodes={fits} --ntasks={asked.tasks}` behind `{options.starter}`, or other numbers that fit",
        )
    if asked.cpus:
        options.cpu = asked.cpus * (each or 1)
    elif asked.cpus_of_gpu and options.gpu:
        options.cpu = asked.cpus_of_gpu * options.gpu
    options.command, options.each = program, each
    starts = launchers.of_words(program) is not None or program[0].rpartition("/")[2] in mpirun.STARTERS
    if starts or options.start is not None:
        if program[0].rpartition("/")[2] not in mpirun.STARTERS and options.start not in ("mpirun", "horovodrun"):
            _leave_mpi(options, asked)
        options.procs = each or 1
        return
    if program[0][:1] in ("$", "`"):
        raise BadQuestion(
            f"what `srun` starts is said by a variable, `{program[0]}`, and its value is not known here",
            "`specgen init job --pods 4 --gpu 8 -- python train.py`, with the line that it holds",
        )
    several = (each or 1) > 1
    name = program[0].rpartition("/")[2]
    if (several or (nodes or 1) > 1) and (name in SHELLS or name.endswith((".sh", ".bash"))):
        raise BadQuestion(
            f"`srun` has `{name}` run in each of its tasks, and what that starts is not seen here",
            "`specgen init job --pods 4 --gpu 8 -- python train.py`, with the line that starts the program, or "
            "`--start self` where the shell starts the processes of a pod by itself",
        )
    devices = options.gpu or options.npu or 0
    if (several or (nodes or 1) > 1) and not is_python(program):
        # no operator tells such a program its rank but by MPI
        if devices and (each or 1) > devices:
            raise _sharing(options, each or 1, devices)
        options.start = "mpirun"
        options.procs, options.single = each or 1, devices > 1 and (each or 1) == 1
        said = " by `--mpi`" if asked.mpi else ", as it is none of Python's"
        options.brought.notes.append(
            f"`{name}` is taken for a program of MPI{said}: mpirun starts it, in place of srun."
        )
        return
    _leave_mpi(options, asked)
    if devices > 1 and not several:
        options.start = "none"
    elif devices and each and each != devices:
        raise _sharing(options, each, devices)
    elif not devices:
        options.procs = each or 1
        if several:
            options.start = "torchrun"


def _is_one_program(program: list[str], asked: slurm.Asked) -> None:
    """Raises BadQuestion where the tasks of a step run several programs, or a cluster of another kind."""
    name = program[0].rpartition("/")[2]
    one = "`specgen init job --pods 4 --gpu 8 -- python train.py` begins a job with the line of one of them; "
    if "multi-prog" in asked.apart:
        raise BadQuestion(
            f"`--multi-prog` has the tasks run what `{program[0]}` says, each another program",
            f"{one}`roles` says what differs from pod to pod",
        )
    if ":" in program or "het-group" in asked.apart:
        raise BadQuestion(
            "the parts of a heterogeneous job run programs of their own, on nodes that differ",
            f"{one}`roles` says what differs from pod to pod",
        )
    if name == "ray" and program[1:2] in (["start"], ["symmetric-run"]):
        raise BadQuestion(
            "the script starts a Ray cluster on its nodes, and no kind here does: RayJob of KubeRay does",
            "`specgen init job --pods 4 --gpu 8 -- python train.py` begins a job that needs no Ray",
        )


def _sharing(options: Namespace, each: int, devices: int) -> BadQuestion:
    several = f"`--ntasks-per-node={devices}` for one on each GPU"
    if devices % each == 0 and not options.given:
        nodes = (options.pods or 1) * each
        said = f"`--nodes={nodes} --ntasks-per-node=1 --gpus-per-node={devices // each}` behind `{options.starter}`"
        several = f"{said} has a pod for each process, with its GPUs; {several}"
    return BadQuestion(
        f"`srun` starts {each} processes on a node with {devices} GPUs",
        f"{several}, `--start self` where the program shares them",
    )


def _leave_mpi(options: Namespace, asked: slurm.Asked) -> None:
    if asked.mpi:
        why = "`start: mpirun`, with `target: MPIJob`, where the program calls MPI"
        options.brought.leave(f"--mpi={asked.mpi}", why)


def _launched(options: Namespace, line: Line) -> None:
    """One of the launchers that run in each pod."""
    own = _own(line, options.command, options.brought)
    known = _of_hosts(options, line) if line.name == DEEPSPEED else {}
    if own and line.name == DEEPSPEED:
        unknown = {"include", "i", "exclude", "e"} & {*line.options}
        size = [f"--{word} {known.get(word) or 'N'} " for word, _ in _SIZE if known.get(word) or unknown]
        raise BadQuestion(
            f"`{shlex.join(own)}` is for DeepSpeed's own launcher, which goes over ssh and starts nothing in a job",
            f"without it: `{''.join(size)}--start {DEEPSPEED} -- {shlex.join(options.command[line.program :])}`",
        )
    old = any(word.endswith("distributed.launch") for word in options.command[: line.program])
    if old and "use_env" not in line.options:
        options.brought.notes.append(
            "`torch.distributed.launch` gave the program `--local-rank`; torchrun does not: it reads LOCAL_RANK."
        )
    if line.name == DEEPSPEED and "no_local_rank" not in line.options:
        options.brought.notes.append(
            "DeepSpeed's launcher gave the program `--local_rank`; torchrun does not: it reads LOCAL_RANK."
        )
    _start(options, line.name, options.command[line.program :], own)
    if line.name == TORCHRUN:
        least, most = _among(line)
        if most is not None and options.brought.restarts is not None and least <= (options.pods or most) < most:
            most = options.pods  # so many nodes the batch script asks for
        options.least = least if most is not None and least < most else 0
        _agree(options, "pods", most, f"`{line.name}` for up to {most} machines")
    machines, each = (
        _number(line, _MACHINES[line.name]) if not options.least else options.pods,
        _number(line, _EACH.get(line.name, "")),
    )
    machines, each = known.get("pods") or machines, known.get("gpu") or each
    options.counted_there = line.value(_EACH.get(line.name, "")) in ("gpu", "auto")
    total = _number(line, _ALL) if line.name == ACCELERATE else None
    if "config_file" in line.options and line.name == ACCELERATE:
        from specgen.cli.configured import bring  # few lines name one

        machines, total = bring(options, line, machines, total)
    if machines is None and (each or total or "standalone" in line.options) and not {"hostfile", "H"} & {*line.options}:
        # a launcher that is told nothing of others runs on one machine
        machines = options.pods or 1
    if machines is not None and total is not None:
        each = _share(total, machines, f"`--{_ALL}`")
    _agree(options, "pods", machines, f"`{line.name}` for {machines} machines")
    if "cpu" in line.options and options.gpu is None and not options.npu:
        options.gpu = 0
    _devices(options, each, line.name)
    _ask(options, line)
    if "max_restarts" in line.options and (options.pods or 1) > 1 and not options.least:
        _go_on(options, line)


def _ask(options: Namespace, line: Line) -> None:
    """What a variable counts, and nobody else. Raises BadQuestion, or notes it of a script, which has others."""
    counts = ((_MACHINES[line.name], "pods"), (_EACH.get(line.name, ""), "gpu"), (_ALL, "gpu"))
    for name, word in counts:
        value = line.value(name)
        if "$" not in value or getattr(options, word) is not None or (word == "gpu" and options.npu):
            continue
        option = f"--{name}={value}"
        if options.starter not in _OF_SLURMS:
            raise BadQuestion(
                f"`{option}`: a shell's variable says how many, and its value is not known here",
                f"`--{word} N` in front of the two dashes, or a number in its place",
            )
        options.brought.notes.append(f"`{option}`: no number is known here: `{word}` says how many.")


def _go_on(options: Namespace, line: Line) -> None:
    """Restarts of torchrun's in several pods: by a static rendezvous the others do not hear of one.

    torch 2.13, distributed/elastic/rendezvous/static_tcp_rendezvous.py (`num_nodes_waiting` is 0).
    """
    value, _ = line.options["max_restarts"]
    number = count(value)
    if number is None or (options.target is not None and not facts(options.target).elastic):
        note = f"`--max_restarts={value}` restarts the processes of one pod, and those of the others do not hear of it."
        options.brought.notes += (
            [note, "`lifecycle: {restarts: N}` starts the job's pods again."] if value != "0" else []
        )
        return
    own = iter(options.own)
    options.own = []
    for word in own:
        if word.lstrip("-").replace("-", "_").partition("=")[0] != "max_restarts":
            options.own.append(word)
        elif "=" not in word:
            next(own, None)
    if number:
        options.least, options.restarts = options.pods, number


def _of_hosts(options: Namespace, line: Line) -> dict[str, int]:
    """The pods, and the GPUs of each, that DeepSpeed's launcher is told, as far as the line or its file of hosts says.

    Raises BadQuestion where nobody says in how many pods.
    """
    found = {word: number for word, name in _SIZE if (number := count(line.value(name)))}
    file = line.value("hostfile", line.value("H"))
    named = hosts.of_filter(line.value("include", line.value("i")))
    listed = hosts.of_file(file) if file else {}
    several = {name: slots or listed.get(name, 0) for name, slots in named.items()} or listed
    if {"exclude", "e"} & {*line.options}:
        return found
    each = hosts.each_of(several)
    if file and not several and options.pods is None and "pods" not in found:
        raise BadQuestion(
            f"`{line.name}` goes to the hosts of `{file}`, which does not lie here, and nobody says in how many pods",
            "`--pods 2 --gpu 8` for two hosts with eight slots each",
        )
    if several and not each and any(several.values()) and "gpu" not in found and options.gpu is None:
        slots = ", ".join(f"{number}" for number in several.values())
        raise BadQuestion(
            f"the hosts of `{line.value('include', line.value('i', file))}` have {slots} slots, and pods are alike",
            f"`--pods {len(several)} --gpu {min(several.values()) or 'N'}`",
        )
    if listed and not named and options.pods is None and "pods" not in found:
        slots = f" with {each} slots each" if each else ""
        options.brought.notes.append(f"`{file}` names {len(listed)} host{'s' * (len(listed) > 1)}{slots}.")
    if several and options.pods is None:
        found.setdefault("pods", len(several))
    if each and options.gpu is None and not options.npu:
        found.setdefault("gpu", each)
    return found


def _by_itself(options: Namespace) -> None:
    """A program that starts processes of its own, or that nobody knows: it runs once, unless its line says more."""
    from specgen.operators.kubernetes.self_started import COUNTED, called, in_shell, shards, spawns

    command = options.command
    named = next((word for word in _NAMED_HOSTS if word in _said(command)), "")
    if named:
        raise BadQuestion(
            f"`--{named}` names machines, and `--task_index` is one of them, and all pods have one line",
            "`--target TFJob -- python train.py`, of a program that reads `TF_CONFIG`, which each pod is told",
        )
    text = command[at] if (at := script_at(command)) is not None and called(in_shell(command)) else ""
    if number := re.search(r"\bNODE_RANK=[\"']?(\d+)", text):
        alone = re.split(r"[;&|]+", text)[-1].strip()
        raise BadQuestion(
            f"the shell's text says that it is machine {number[1]}, and all pods run it so",
            f"`specgen init job -- {alone}`, without the shell: each pod is told its own",
        )
    options.pods = options.pods or shards(command) or None
    _take_from_script(options)
    line = in_shell(command)
    name = called(line)
    known = bool(name) or options.brought.args or spawns(line)
    said_there = options.brought.all_gpus and options.start is None
    if not known and not said_there and (is_python(command) or command[0].rpartition("/")[2] in SHELLS):
        return
    env = options.brought.env
    said = _said(line) | {one.lower(): value for one, value in env.items() if one in ("NNODES", "NPROC_PER_NODE")}
    if options.pods is None:
        options.pods = (_nodes(said, line) if known else 0) or 1
    _alone_there(name, line, options.pods)
    if (known or said_there) and options.gpu is None and not options.npu:
        names = _EACH_OF[:-1] if options.brought.args else _EACH_OF if known else _PARALLEL
        each = _first(said, names) * (_first(said, ("pipeline_parallel_size", "pp_size", "pp")) or 1)
        if name in _SERVERS and _first(said, ("nnodes",)) == options.pods:
            each = _share(each, options.pods, f"`{name}` of")
        each = each or (_first(said, _ALL_OF) // options.pods if name else 0)
        options.gpu = each or None
        if each > 1 and not known:
            options.start = "self"  # it is told how many, so that it starts them
    if spawns(line) and (options.gpu or 0) > 1:
        options.start = "self"
    elif spawns(line) and options.gpu is None and not options.npu:
        note = "The program starts a process for each GPU that it finds: `--gpu N` says how many a pod has."
        options.brought.notes.append(note)
    for one in ("ADDR", "PORT") if name == "xtuner" else ():
        if one in env:
            options.brought.leave(f"{one}={env.pop(one)}", "each pod is told where they meet")
    if name in COUNTED and options.pods > 1:
        several = {"NNODES": "$<pods>"} | ({"NPROC_PER_NODE": "$<gpu>"} if (options.gpu or 0) > 1 else {})
        options.brought.env = env | several | ({"FORCE_TORCHRUN": "1"} if name.startswith("llamafactory") else {})


def _alone_there(name: str, line: Sequence[str], pods: int) -> None:
    """Raises BadQuestion where a program of several pods would work in each of them alone, or wait for a cluster."""
    if name == "ray" and "submit" in line[:3]:
        raise BadQuestion(
            "`ray job submit` hands its work to a Ray cluster, and no kind here makes one: RayJob of KubeRay does",
            "`specgen init job --pods 4 --gpu 8 -- python train.py` begins a job that needs no Ray",
        )
    if name == "verl" and pods > 1:
        raise BadQuestion(
            f"`verl` on {pods} nodes wants a Ray cluster of them, and no kind here makes one: RayJob of KubeRay does",
            "`trainer.nnodes=1` is one pod, in which it starts Ray by itself",
        )
    hosts_said = next((word for word in line if word.partition("=")[0] in _SSH.get(name, ())), "")
    if hosts_said:
        option = hosts_said.partition("=")[0]
        raise BadQuestion(
            f"`{option}` of `{name}` names machines, which are no pods of a job",
            _INSTEAD[name],
        )
    if name == "axolotl" and pods > 1 and "--launcher" not in " ".join(line):
        rest = shlex.join([word for word in line[1:] if word not in ("-m", "axolotl.cli.train", "train")])
        raise BadQuestion(
            f"`axolotl` starts the processes of its own pod alone, and so trains once in each of the {pods}",
            f"`--pods {pods} --gpu N -- accelerate launch -m axolotl.cli.train {rest}`",
        )


def _said(words: Sequence[str]) -> dict[str, str]:
    """Option or override of a line, with underscores and without dashes → its value."""
    said = dict(word.lstrip("-").replace("-", "_").partition("=")[::2] for word in words if "=" in word)
    for at, word in enumerate(words[:-1]):
        if word[:1] == "-" and "=" not in word and words[at + 1][:1] != "-":
            # a list of numbers may be words of their own
            end = next((one for one in range(at + 1, len(words)) if not words[one].isdigit()), len(words))
            said[word.lstrip("-").replace("-", "_")] = ",".join(words[at + 1 : max(end, at + 2)])
    return said


def _first(said: dict[str, str], names: Sequence[str]) -> int:
    """The number of the first of some options; of a list, how many it names."""
    for name in names:
        if name in said:
            number = None if name in _LISTS else count(said[name])
            return len(_LISTED.findall(said[name])) if number is None else number
    return 0


def _nodes(said: dict[str, str], words: Sequence[str]) -> int:
    """The pods that a line of a program that starts processes itself counts, as such or by all processes."""
    if nodes := _first(said, _NODES_OF):
        return nodes
    for total, each in _TOTALS:
        if _first(said, (total,)) and _first(said, each):
            return _share(_first(said, (total,)), _first(said, each), f"`--{total}` of")
    return _first(said, ("world_size",)) if "--multiprocessing-distributed" in words else 0


def _its_gpus(options: Namespace) -> None:
    """GPUs that a program of one's own is told of: as nobody starts others, it starts processes for them itself."""
    said = _said([word for word in options.command if word[:1] != "-" or word[:2] == "--"])
    name = next((one for one in _OWN_GPUS if one in said and 1 < _first(said, (one,)) <= _OF_A_NODE), "")
    if not name or not is_python(options.command) or options.npu or options.gpu is not None:
        return
    options.gpu = _first(said, (name,))
    note = f"`--{name}` of the program: `--gpu N` says another number."
    by_mpi = options.target is not None and facts(options.target).starter in MPI
    if options.framework in (None, "pytorch") and options.start is None and not by_mpi:
        options.pods = options.pods or _first(said, _NODES_OF) or 1
        options.start = "self"
        note = (
            f"`--{name}` of the program: it starts processes by itself, or write `start: torchrun` where it does not."
        )
    options.brought.notes.append(note)


def _take_from_script(options: Namespace) -> None:
    """The pods and GPUs of the launcher that a script here or a shell's text calls, which goes on doing so in the pods.

    Raises BadQuestion where it says of each pod that it is the same one.
    """
    from specgen.cli.read_by import DIST_TRAIN, asks_rank

    command = options.command
    at = 1 if command[0].rpartition("/")[2] in SHELLS else 0
    script = command[at] if at < len(command) else ""
    if text := script_at(command):
        line = launchers.of_text([command[text]])
    elif script.endswith((".sh", ".bash")) and os.path.isfile(script):
        line = launchers.of_words(program_of(script, command[at + 1 :], options.brought.env))
    elif script.rpartition("/")[2] == DIST_TRAIN and len(command) > at + 2 and count(command[at + 2]):
        options.pods = options.pods or count(options.brought.env.get("NNODES", "")) or 1
        if options.gpu is None and not options.npu:
            options.gpu = count(command[at + 2])
        return
    else:
        return
    if line is None:
        return
    machines = count(line.value(_MACHINES[line.name]))
    each = count(line.value(_EACH.get(line.name, _ALL)))
    if options.pods is None:
        options.pods = machines or 1
    if options.gpu is None and not options.npu and each:
        options.gpu = each // (options.pods if line.name == ACCELERATE else 1) or 1
    if text:
        return
    nodes = [f"--nodes={options.pods}"] if options.pods > 1 else []
    words = shlex.join(["sbatch", *nodes, script, *command[at + 1 :]])
    # by a variable it is told in each pod
    if options.pods > 1 and not asks_rank(command) and (rank := launchers.node(line, {})) is not None:
        raise BadQuestion(
            f"`{script}` says here that it is machine {rank}, and each of the {options.pods} pods runs it so",
            f"`specgen init job -- {words}` begins a profile with its line, which numbers the pods",
        )
    options.brought.notes.append(f"`specgen init job -- {words}` begins a profile with the line in it instead.")


def _by_mpi(options: Namespace) -> None:
    """mpirun and horovodrun, which start the processes of all pods from one."""
    command = options.command
    name = command[0].rpartition("/")[2]
    by = name if name == "horovodrun" else "mpirun"
    line = mpirun.call(command)
    if line is None or line.unknown:
        script = next((at for at, word in enumerate(command) if word.endswith(".py")), None)
        if script and command[script - 1].rpartition("/")[2].startswith("python"):
            script -= 1
        rest = shlex.join(command[script:]) if script is not None else "PROGRAM"
        unknown = ", ".join(f"`{one}`" for one in line.unknown) if line is not None else ""
        raise BadQuestion(
            f"`{name}` has options here that are not known: {unknown}"
            if line is not None
            else f"`{name}` starts several programs here, and a job has one",
            f"write `--start {by} -- {rest}`, or `--start self` to start the processes by this line",
        )
    program = command[line.behind :]
    if not program:
        raise BadQuestion(f"`{name}` starts no program here")
    hydra = _hydra(line, options) if by == "mpirun" else ""
    options.brought.implementation = hydra
    own, ppr = _of_mpi(line, options.brought, hydra)
    # what a shell in each rank puts in place of a variable of MPI's is that rank's own
    shells = not any([_OF_RANKS.search(word) for word in program if " " in word])
    _start(options, by, inner(program, options.brought, shells=shells), own)
    if options.image is None and options.brought.image:
        options.image = options.brought.image
    total, each = count(line.value) if line.count is not None else None, line.each or ppr
    most = _of_elastic(options, line)
    total = total or most
    machines = options.pods
    listed, slots = _hosts(line)
    if listed and machines is None:
        if each or total is None or not slots or total == listed * slots:
            machines = listed
            each = each or slots or (total // listed if total and total % listed == 0 else None)
        elif total:
            raise BadQuestion(
                f"`{name}` starts {total} processes, and its hosts have room for {listed * slots}",
                f"`--pods {-(-total // slots)}` for as many hosts as they fill, `--pods {listed}` for all of them",
            )
    if total is None and each is None:
        each = options.each
    if total and each:
        machines = _share(total, each, f"`{name}` of") if total % each == 0 or machines is None else machines
    elif total and machines:
        each = _share(total, machines, f"`{name}` of")
    elif total and (options.gpu or options.npu):
        machines = _share(total, options.gpu or options.npu, f"`{name}` of")
    elif total and total > 1:
        raise BadQuestion(
            f"`{name}` starts {total} processes, and nobody says in how many pods",
            hosts.ways(total),
        )
    _agree(options, "pods", machines, f"`{name}` for {machines} machines")
    _gpus_of_mpi(options, each, by)
    _devices(options, each, name)


def _of_elastic(options: Namespace, line: Call) -> int | None:
    """The processes of an elastic Horovod at most, whose hosts a script names: the operator's own stands in each pod.

    mpi-operator 0.8, pkg/controller/mpi_job_controller.go (`discover_hosts.sh`); horovod 0.28, runner/launch.py.
    """
    said = {option: words for option, words in line.options}
    if "host-discovery-script" not in said:
        return None
    if options.target not in (None, "MPIJob", "MPIJob/v1"):
        raise BadQuestion(
            f"`--host-discovery-script` asks who is there, and {facts(options.target).one} brings no script for it",
            "`--target MPIJob`, in whose pods the operator's own stands",
        )
    script = said["host-discovery-script"][-1].rpartition("=")[2]
    options.own = [word.replace(script, _DISCOVERS) if word.endswith(script) else word for word in options.own]
    if script != _DISCOVERS:
        note = f"`{_DISCOVERS}` in place of `{script}`: the operator writes it, with the workers that run."
        options.brought.notes.append(note)
    most = said.get("max-np") or said.get("max-num-proc") or said.get("min-np") or said.get("min-num-proc")
    return count(most[-1].rpartition("=")[2]) if most else None


def _gpus_of_mpi(options: Namespace, each: int | None, by: str) -> None:
    """Whether the processes of a line that says nothing of GPUs have one each: where Python trains, and few do."""
    if options.gpu is not None or options.npu:
        return
    python = is_python(options.command) or any([" " in word and _OF_SHELL.search(word) for word in options.command])
    if by != "horovodrun" and (not python or (each or 1) > _GPUS):
        options.gpu = 0
        note = "The line asks for no GPUs: `--gpu N` says how many a pod has."
    elif each:
        note = "A GPU for each process, as nothing says how many a pod has: `--gpu 0` where they need none."
    else:
        return
    options.brought.notes.append(note)


def _hydra(line: Call, options: Namespace) -> str:
    """Which MPI a line of Hydra's is for; empty for one of Open MPI's. Where it may be both, the profile asks."""
    names = [option for option, _ in line.options if option in mpirun.OF_HYDRA]
    if not names and line.program != "mpiexec.hydra":
        return ""
    image = (options.image or options.brought.image or "").lower()
    words = [word for _, said in line.options for word in said]
    if any(one in image for one in _OF_INTEL) or any(word.startswith("I_MPI_") for word in words):
        return "Intel"
    if any(one in image for one in _OF_MPICH) or any(word.startswith(("MPIR_", "MPICH_", "MV2_")) for word in words):
        return "MPICH"
    if any(option in mpirun.OF_INTEL for option in names):
        return "Intel"
    sign = f"`-{names[0]}` is an option" if names else f"`{line.program}` is a program"
    options.brought.notes.append(
        f"{sign} of Intel MPI and of MPICH: which one is in the image? `implementation: MPICH` is a guess, "
        "`Intel` the other."
    )
    return "MPICH"


def _of_mpi(line: Call, brought: Brought, hydra: str) -> tuple[list[str], int | None]:
    """(the options that go along, processes of a pod as `--map-by` has them); all else is brought over, or named."""
    own: list[str] = []
    each = None
    for option, words in line.options:
        written = " ".join(words)
        value = words[-1].partition("=")[2] if len(words) == 1 else words[-1]
        ppr = re.fullmatch(r"ppr:([0-9]{1,4}):node(?::pe=([0-9]{1,4}))?", value, re.IGNORECASE)
        if option == "x":
            _travels(brought, words[-1], written)
        elif option in ("genv", "env") and len(words) == 3:
            brought.variable(words[1], words[2], written)
        elif option in ("genvlist", "envlist"):
            for name in value.split(","):
                _travels(brought, name, written)
        elif option == "map-by" and ppr:
            each = int(ppr[1])
            if ppr[2]:
                # so many cores for each process, which are the pod's
                brought.map_by, brought.cpus = value, brought.cpus or f"{each * int(ppr[2])}"
        elif option in ("bind-to", "map-by") and hydra != "Intel":
            if option == "bind-to":
                brought.bind = value
            else:
                brought.map_by = value
        elif option in ("bind-to", "map-by"):
            brought.leave(written, "Intel MPI reads variables: `env`, with `I_MPI_PIN_DOMAIN` and others")
        elif option in ("wdir", "wd") and value.startswith("/"):
            brought.workdir = value
        elif option in ("genvnone", "envnone"):
            brought.leave(written, "`start.keep` names the variables that do not travel")
        elif line.program == "horovodrun" and option in ("p", "ssh-port"):
            brought.leave(written, "`start: {ssh: {port: …}}`")
        elif line.program == "horovodrun" and option in ("i", "ssh-identity-file"):
            brought.leave(written, "the operator makes the keys, and mounts them")
        elif option in _FOLLOWING_MPI:
            brought.follows.append(written)
        elif not hydra and line.program != "horovodrun" and len(option) > 1:
            # 5 takes one dash for letters
            own += [f"--{words[0].lstrip('-')}", *words[1:]]
        else:
            own += words
    return own, each


def _travels(brought: Brought, word: str, written: str) -> None:
    """A variable that mpirun hands to the ranks, with a value or without."""
    name, equals, value = word.partition("=")
    if equals:
        brought.variable(name, value, written)
    elif not (name.isascii() and name.isidentifier()):
        brought.leave(written, "no name of a variable")
    elif name not in (*FORWARDED, *brought.env, *brought.forward):
        brought.forward.append(name)
        brought.leave(written, f"the image's own travels; `env: {{{name}: …}}` says a value that your shell has")


def _hosts(line: Call) -> tuple[int, int]:
    """(hosts, slots of each) of `-H a:8,b:8` or a file here; no hosts where no such list is, no slots: they differ."""
    lists = [words for option, words in line.options if option in ("H", "host", "hosts", "hostlist")]
    files = [words[-1].partition("=")[2] or words[-1] for option, words in line.options if option in _FILES_OF_MPI]
    if not lists and len(files) == 1 and (listed := hosts.of_file(files[0])):
        return len(listed), hosts.each_of(listed)
    if len(lists) != 1:
        return 0, 0
    said = lists[0][-1] if len(lists[0]) > 1 else lists[0][0].partition("=")[2]
    named = [host.partition(":") for host in said.split(",") if host]
    slots = {slots for _, _, slots in named}
    each = count(slots.pop()) if len(slots) == 1 else None
    names = {name for name, _, _ in named}
    if len(names) != len(named):
        # Open MPI counts a host for each time that it is named
        return (len(names), len(named) // len(names)) if not len(named) % len(names) else (0, 0)
    return len(named), each or 0


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


def _own(line: Line, words: list[str], brought: Brought) -> list[str]:
    """The options that do not follow, as they are written."""
    following = _FOLLOWING[line.name].split()
    own: list[str] = []
    etcd: list[str] = []
    for name, (value, at) in sorted(line.options.items(), key=lambda one: one[1][1]):
        written = [words[at]] if "=" in words[at] or not value else [words[at], value]
        if name == "use_env":
            # of torch/distributed/launch.py alone: it has programs read LOCAL_RANK, as torchrun always does
            brought.follows.append(words[at])
        elif name == "rdzv_conf" and value.startswith("is_host="):
            # which pod waits for the others follows from where they meet
            brought.follows.append(" ".join(written))
        elif name in ("rdzv_backend", "rdzv_endpoint") and line.value("rdzv_backend").startswith("etcd"):
            etcd.append(" ".join(written))
        elif name not in following:
            own += written
        elif name in _MEETS.split():
            brought.follows.append(" ".join(written))
    if etcd:
        why = "it wants a server that nobody makes: the pods meet at the first of them (`--rdzv_backend=c10d` does so)"
        brought.leave(" ".join(etcd), why)
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
        other = "`--start self` to start the processes by this line"
        if name in _OF_SLURM and options.starter in _OF_SLURMS and name not in options.given:
            by_script = f"`--{_OF_SLURM[name]}={number}` behind `{options.starter}`"
            raise BadQuestion(f"{said} contradicts the {given} that the job asks for", f"{by_script}, or {other}")
        if name in _OF_SLURM and options.starter in _OF_SLURMS:
            # what stands there is above the script's
            other = f"`--{_OF_SLURM[name]}={given}` behind `{options.starter}`"
        raise BadQuestion(f"--{name} {given} contradicts {said}", f"`--{name} {number}`, or {other}")
    if number is not None:
        setattr(options, name, number)
