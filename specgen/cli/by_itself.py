"""What the line of a program says that starts its processes itself, or reads how many of what there are."""

from __future__ import annotations

import os
import re
import shlex
from argparse import Namespace

from specgen.cli.agreed import ALL, EACH, MACHINES, share, uncounted
from specgen.cli.batch import program_of
from specgen.cli.beginning import MPI, facts, is_python
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.argv import SHELLS, script_at
from specgen.operators.kubernetes.launchers import ACCELERATE, count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


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
# What begins axolotl's line, and options of accelerate, to which it hands them, that follow from the pods.
_OF_AXOLOTL = ("-m", "axolotl.cli.train", "train")
_SIZES = (
    *("num_processes", "num_machines", "machine_rank", "main_process_ip", "main_process_port", "multi_gpu"),
    *("same_network", "rdzv_backend", "gpu_ids"),
)
# Options of torchrun behind axolotl's two dashes, and what they count.
_BEHIND_DASHES = {"nnodes": "$<pods>", "nproc_per_node": "$<gpu>"}
# Starts a process for each GPU that it is shown, where no variable counts them (src/llamafactory/cli.py, `main`).
_FINDS = "llamafactory"
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


def by_itself(options: Namespace) -> None:
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
        counted = next((one for one in (*_NODES_OF, *dict(_TOTALS)) if known and "$" in said.get(one, "")), "")
        if counted:
            raise uncounted(f"--{counted}={said[counted]}", "pods")
        options.pods = (_nodes(said, line) if known else 0) or 1
    _alone_there(name, line, options.pods, options.gpu)
    if (known or said_there) and options.gpu is None and not options.npu:
        names = _EACH_OF[:-1] if options.brought.args else _EACH_OF if known else _PARALLEL
        each = _first(said, names) * (_first(said, ("pipeline_parallel_size", "pp_size", "pp")) or 1)
        if name in _SERVERS and _first(said, ("nnodes",)) == options.pods:
            each = share(each, options.pods, f"`{name}` of")
        each = each or (_first(said, _ALL_OF) // options.pods if name else 0)
        each = each or (options.brought.visible if name.startswith(_FINDS) and "train" in line else 0)
        options.gpu = each or None
        if each > 1 and not known:
            options.start = "self"  # it is told how many, so that it starts them
    if spawns(line) and (options.gpu or 0) > 1:
        options.start = "self"
    elif spawns(line) and options.gpu is None and not options.npu:
        note = "The program starts a process for each GPU that it finds: `--gpu N` says how many a pod has."
        options.brought.notes.append(note)
    if name == "axolotl" and "--" in command:
        options.command = _counted(command, options.gpu or 0)
    for one in ("ADDR", "PORT") if name == "xtuner" else ():
        if one in env:
            options.brought.leave(f"{one}={env.pop(one)}", "each pod is told where they meet")
    if name in COUNTED and options.pods > 1:
        several = {"NNODES": "$<pods>"} | ({"NPROC_PER_NODE": "$<gpu>"} if (options.gpu or 0) > 1 else {})
        options.brought.env = env | several | ({"FORCE_TORCHRUN": "1"} if name.startswith("llamafactory") else {})


def _counted(words: list[str], gpus: int) -> list[str]:
    """A line with what follows from the job in place of torchrun's counts, behind the two dashes."""
    line, begin = list(words), words.index("--")
    for at in range(begin + 1, len(line)):
        option, equals, _ = line[at].partition("=")
        variable = _BEHIND_DASHES.get(option.lstrip("-").replace("-", "_"))
        if variable is None or option[:1] != "-" or (variable == "$<gpu>" and not gpus):
            continue
        if equals:
            line[at] = f"{option}={variable}"
        elif at + 1 < len(line):
            line[at + 1] = variable
    return line


def _without_size(words: Sequence[str]) -> list[str]:
    """Words without options of accelerate that follow from the pods."""
    found: list[str] = []
    at = 0
    while at < len(words):
        option, equals, _ = words[at].partition("=")
        value = not equals and at + 1 < len(words) and words[at + 1][:1] != "-"
        if option[:1] != "-" or option.lstrip("-").replace("-", "_") not in _SIZES:
            found.append(words[at])
            value = False
        at += 1 + value
    return found


def _alone_there(name: str, line: Sequence[str], pods: int, gpu: int | None) -> None:
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
        said = _said(line)
        total = _first(said, (ALL,))
        each = total // pods if total and total % pods == 0 else gpu or "N"
        rest = shlex.join(_without_size([one for one in line[1:] if one not in _OF_AXOLOTL]))
        raise BadQuestion(
            f"`axolotl` starts the processes of its own pod alone, and so trains once in each of the {pods}",
            f"`--pods {pods} --gpu {each} -- accelerate launch -m axolotl.cli.train {rest}`",
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
            return share(_first(said, (total,)), _first(said, each), f"`--{total}` of")
    return _first(said, ("world_size",)) if "--multiprocessing-distributed" in words else 0


def its_gpus(options: Namespace) -> None:
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
    machines = count(line.value(MACHINES[line.name]))
    said, _ = line.options.get(MACHINES[line.name], ("", 0))
    if "$" in said and options.pods is None:
        raise uncounted(f"--{MACHINES[line.name]}={said}", "pods")
    each = count(line.value(EACH.get(line.name, ALL)))
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
