"""What a line that starts processes somewhere else says of a job: who starts them, in how many pods, on what of each.

``torchrun --nnodes=4 --nproc-per-node=8 train.py`` is four pods with eight devices. Options by which the processes meet
are left out, as in a job they follow from its pods; the others are the starter's own, and go with it.
"""

from __future__ import annotations

import re
import shlex
from argparse import Namespace

from specgen.cli import hosts, slurm
from specgen.cli.agreed import (
    ALL,
    EACH,
    MACHINES,
    OF_SLURM,
    OF_SLURMS,
    agree,
    number_of,
    share,
    take_devices,
    take_start,
    uncounted,
)
from specgen.cli.batch import inner, of_batch, of_line
from specgen.cli.beginning import facts, is_python
from specgen.cli.brought import ARRAY as _TASK
from specgen.cli.brought import Brought, safe
from specgen.cli.by_itself import by_itself, its_gpus
from specgen.cli.by_mpi import by_mpi
from specgen.cli.wrapped import COMPOSES, DOCKERS, is_compose, no_compose
from specgen.diagnostics.model import BadQuestion
from specgen.diagnostics.secrets import masked_words
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import ONE_STRING, SHELLS, slips
from specgen.operators.kubernetes.launchers import ACCELERATE, DEEPSPEED, TORCHRUN, count
from specgen.operators.kubernetes.self_started import called, in_shell
from specgen.operators.kubernetes.shell import assigned
from specgen.operators.mpi import mpirun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.kubernetes.launchers import Line

# Options of `init` and of DeepSpeed's launcher that say the same.
_SIZE = (("pods", "num_nodes"), ("gpu", "num_gpus"))
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
# In words that may say sizes of Lightning's trainer, and starters of other programs.
_SIZED = ("num_nodes", "num-nodes", "devices", "gpus")
_ELSEWHERE = ("mpirun", "horovodrun", "self")
# Variables of programs that have GPUs.
_OF_GPUS = ("CUDA_", "NCCL_", "TORCH_NCCL_", "NVTE_")
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
    ``counted_there``, whether torchrun counts the GPUs that it finds, ``alone``, whether a container has one process,
    ``each``, the tasks that Slurm starts on a node, ``tasks``, whether each of them is the program itself, ``given``,
    numbers that are options, and ``brought``, all else that the line says.
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
            "tasks": False,
        }
    )
    found.brought, found.single = Brought(), False
    found.given = [name for name in OF_SLURM if vars(options).get(name) is not None]
    left = _behind(command)
    starter = found.starter = command[0].rpartition("/")[2] if command else ""
    _begins(command, first)
    _starts_here(command)
    if starter in OF_SLURMS:
        _by_slurm(found, of_batch(command, first) if starter in slurm.BATCH else of_line(command))
        command = found.command
    elif command and found.start != "self":
        command = found.command = inner(command, found.brought, shells=False)
        if found.brought.gpus and not found.npu:
            agree(found, "gpu", found.brought.gpus, f"`--gpus` of `{starter}`")
        if found.brought.image and launchers.of_words(command) is None:
            # as there is one container, and one process in it
            found.pods, found.alone = found.pods or 1, True
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
            by_mpi(found)
        elif found.each is None:
            by_itself(found)
    found.cpu = found.cpu or found.brought.cpus
    if found.brought.visible and found.gpu is None and not found.npu:
        alone = None if called(in_shell(found.command)) else "none"
        found.gpu, found.pods, found.start = found.brought.visible, found.pods or 1, found.start or alone
    if any(name in word for word in found.command for name in _SIZED) and found.start not in _ELSEWHERE:
        from specgen.cli.lightning import bring  # few programs are Lightning's

        bring(found, (options.pods, options.gpu))
    if found.start in (None, "none") and found.each is None:
        its_gpus(found)
    if found.tasks:
        from specgen.cli.tasks import tell  # few lines have a shell

        tell(found)
    if found.brought.all_gpus and found.gpu is None and not found.npu:
        note = f"`{found.brought.all_gpus}` does not say how many: one is taken, and `--gpu N` says more."
        found.brought.notes.append(note)
    if starter in OF_SLURMS:
        for word in dict.fromkeys([*found.command, *[one for rest in found.brought.rests for one in rest]]):
            # signs that a shell alone replaces, and of which no finding speaks
            if re.search(r"\$\{\w+[^\w}]|\$\{[@*!#]|\$[0-9@*#?!-]|`", word) and "$(" not in word and " " not in word:
                found.brought.leave(word, "a shell alone replaces it: write the words that are meant")
    if found.brought.decided:
        from specgen.cli.decided import take

        take(found)
    array = (*([_TASK] if found.brought.array else ()), *found.brought.picked)
    for name in (*array, *[one.upper() for one in found.brought.loops]):
        found.command = [re.sub(rf"\${name}\b|\$\{{{name}\}}", f"$({name})", word) for word in found.command]
    return found


def _begins(command: list[str], variables: list[str]) -> None:
    """Raises BadQuestion where no program stands behind variables, or a whole line in quotes is one word."""
    if not command and not variables:
        return
    word = command[0] if command else variables[-1]
    line = safe(" ".join(masked_words(word.split())))
    one = any([slip.sure for slip in slips([word], 1) if slip.cause == ONE_STRING and slip.at == 0])
    if one or (not command and " " in word.strip()):
        raise BadQuestion(
            f"the program is called `{line}`, all of it",
            f"without the quotes around it: `specgen init job -- {line}`",
        )
    if not command:
        said = safe(shlex.join(masked_words(variables)))
        raise BadQuestion(
            f"no program stands behind `{said}`, which sets variables alone",
            f"`specgen init job -- {said} python train.py`, with the program that is to have them",
        )


def _starts_here(command: list[str]) -> None:
    """Raises BadQuestion where a line hands its program to something else, which a pod is not."""
    name = command[0].rpartition("/")[2] if command else ""
    said = " ".join(command[:2]) if name in DOCKERS else name
    if is_compose(name):
        raise no_compose(f"`{name}` is a file of services, for Docker Compose")
    if said.endswith(" compose") or name in COMPOSES:
        raise no_compose(f"`{said}` starts services, which its file says")
    if name in _HANDS or said.endswith((" exec", " start")):
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
        agree(options, "pods", asked.nodes, f"`{options.starter}` on {asked.nodes} nodes")
        if not options.npu:
            agree(options, "gpu", asked.gpus, f"`{options.starter}` with {asked.gpus} GPUs a node")
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
        nodes = options.pods or (share(asked.tasks, asked.gpus or 1, "`srun` of") if several or not asked.gpus else 1)
        each = share(asked.tasks, nodes, "`srun` of")
    agree(options, "pods", nodes or 1, f"`srun` on {nodes or 1} nodes")
    if asked.gpus is not None and not options.npu:
        agree(options, "gpu", asked.gpus, f"`srun` with {asked.gpus} GPUs a node")
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
    options.tasks = True


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
    take_start(options, line.name, options.command[line.program :], own)
    if line.name == TORCHRUN:
        least, most = _among(line)
        if most is not None and options.brought.restarts is not None and least <= (options.pods or most) < most:
            most = options.pods  # so many nodes the batch script asks for
        options.least = least if most is not None and least < most else 0
        agree(options, "pods", most, f"`{line.name}` for up to {most} machines")
    machines, each = (
        number_of(line, MACHINES[line.name]) if not options.least else options.pods,
        number_of(line, EACH.get(line.name, "")),
    )
    machines, each = known.get("pods") or machines, known.get("gpu") or each
    options.counted_there = line.value(EACH.get(line.name, "")) in ("gpu", "auto")
    total = number_of(line, ALL) if line.name == ACCELERATE else None
    if "config_file" in line.options and line.name == ACCELERATE:
        from specgen.cli.configured import bring  # few lines name one

        machines, total = bring(options, line, machines, total)
    if machines is None and (each or total or "standalone" in line.options) and not {"hostfile", "H"} & {*line.options}:
        # a launcher that is told nothing of others runs on one machine
        machines = options.pods or (None if _by_variable(line, MACHINES[line.name]) else 1)
    if machines is not None and total is not None:
        each = share(total, machines, f"`--{ALL}`")
    agree(options, "pods", machines, f"`{line.name}` for {machines} machines")
    if "cpu" in line.options and options.gpu is None and not options.npu:
        options.gpu = 0
    take_devices(options, each, line.name)
    _ask(options, line)
    if "max_restarts" in line.options and (options.pods or 1) > 1 and not options.least:
        _go_on(options, line)


def _ask(options: Namespace, line: Line) -> None:
    """What a variable counts, and nobody else. Raises BadQuestion, or notes it of a script, which has others."""
    counts = ((MACHINES[line.name], "pods"), (EACH.get(line.name, ""), "gpu"), (ALL, "gpu"))
    for name, word in counts:
        known = getattr(options, word) is not None or (word == "gpu" and options.npu)
        if known or not _by_variable(line, name):
            continue
        value = line.value(name)
        option = f"--{name}={value}" if "$" in value else f"--{name}"
        if options.starter not in OF_SLURMS:
            raise uncounted(option, word, lost="$" not in value)
        options.brought.notes.append(f"`{option}`: no number is known here: `{word}` says how many.")


def _by_variable(line: Line, name: str) -> bool:
    """Whether an option has a shell's variable for its value, or nothing, as a shell leaves of one that it lacks."""
    value = line.value(name)
    return "$" in value or (name in line.options and (not value or value[:1] == "-"))


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


def _among(line: Line) -> tuple[int, int | None]:
    """(fewest, most machines) of an elastic job, as torchrun takes them: `--nnodes=2:6`."""
    least, _, most = line.value(MACHINES[TORCHRUN]).partition(":")
    return (count(least) or 0, count(most)) if count(least) and count(most) else (0, None)
