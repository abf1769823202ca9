"""What a line of Slurm says of a job: `srun` with its options, and a batch script with its `#SBATCH` lines.

Options of srun and sbatch as in the manuals of Slurm 24.05, those of containers as NVIDIA's Pyxis 0.20 has them
(README, "Usage"). What has a word of profiles is brought over; all else is named, with what to write.
"""

from __future__ import annotations

import re

from specgen.cli.beginning import OWN
from specgen.cli.brought import Brought, numbered
from specgen.operators.kubernetes.launchers import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

STARTERS, BATCH = ("srun",), ("sbatch",)
# What starts one line on the nodes that it was given.
ALLOCATES = ("salloc",)
# Short options by the long ones; all of these have a value.
# fmt: off
_SHORT = {
    "A": "account", "B": "extra-node-info", "C": "constraint", "D": "chdir", "F": "nodefile", "G": "gpus",
    "J": "job-name", "L": "licenses", "M": "clusters", "N": "nodes", "S": "core-spec", "a": "array", "b": "begin",
    "c": "cpus-per-task", "d": "dependency", "e": "error", "i": "input", "m": "distribution", "n": "ntasks",
    "o": "output", "p": "partition", "q": "qos", "t": "time", "w": "nodelist", "x": "exclude",
}
# Those without one.
_SHORT_FLAGS = {
    "E": "preserve-env", "H": "hold", "I": "immediate", "K": "kill-on-bad-exit", "O": "overcommit", "Q": "quiet",
    "W": "wait", "X": "disable-status", "Z": "no-allocate", "k": "no-kill", "l": "label", "s": "oversubscribe",
    "u": "unbuffered", "v": "verbose",
}
# Long ones without a value.
_FLAGS = (
    "contiguous", "disable-status", "exact", "exclusive", "get-user-env", "hold", "ignore-pbs", "immediate",
    "kill-on-bad-exit", "label", "multi-prog", "nice", "no-allocate", "no-kill", "no-requeue", "overcommit", "overlap",
    "oversubscribe", "parsable", "preserve-env", "propagate", "pty", "quiet", "reboot", "requeue", "spread-job",
    "test-only", "unbuffered", "use-min-nodes", "verbose", "wait", "container-mount-home", "container-readonly",
    "container-remap-root", "container-writable", "container-entrypoint", "no-container-mount-home",
    "no-container-remap-root", "no-container-entrypoint", "container-entrypoint-log",
)
# fmt: on
_COUNTS = (
    *("nodes", "ntasks", "ntasks-per-node", "ntasks-per-gpu", "cpus-per-task", "cpus-per-gpu"),
    *("gpus", "gpus-per-node", "gpus-per-task"),
)
# Variables that follow from the pods, whose number may be another one here.
OF_PODS = (
    *("SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_NPROCS", "SLURM_NTASKS_PER_NODE"),
    *("SLURM_GPUS_ON_NODE", "SLURM_GPUS_PER_NODE"),
)
# Options that say how many GPUs there are.
OF_GPUS = frozenset(("gpus", "gpus-per-node", "gpus-per-task", "gres"))
# Other names of options, as Slurm has them.
_SAME = {"tasks-per-node": "ntasks-per-node"}
# A part of a GPU, as NVIDIA's MIG names it.
_MIG = re.compile(r"[0-9]{1,2}g\.[0-9]{1,3}gb", re.ASCII)
_CORES = "whole cores of one's own come of a whole number of `resources.cpu`, where the kubelet's CPU manager is static"
_BEGINS = "a pod's container begins with its image each time"
_PART = "`scheduling.nodeLabels`, with a label of the nodes"
_QUEUE = "`scheduling.queue`: a queue has the quota"
_LOGS = "`kubectl logs` prints what a pod wrote; files that are to stay go to a path of `mounts`"
_TALKS = "it is Slurm's own"
# What is not brought over, and the word that says it.
_WHY = {
    "partition": "`scheduling.pool` names a pool of the cluster profile, `scheduling.queue` a queue",
    **dict.fromkeys(("account", "reservation", "wckey"), _QUEUE),
    **dict.fromkeys(("qos", "nice", "priority"), "`scheduling.priority`, with a PriorityClass"),
    **dict.fromkeys(("output", "error", "input", "open-mode"), _LOGS),
    **dict.fromkeys(("label", "unbuffered"), "`kubectl logs --prefix` says which pod a line is of"),
    **dict.fromkeys(("constraint", "prefer"), _PART),
    "gres": "`resources.other`, by the name of the resource",
    "nodelist": "`scheduling.hosts`, with names of the cluster's nodes",
    "exclude": "`scheduling.avoidHosts`, with names of the cluster's nodes",
    "nodefile": "`scheduling.hosts`, with names of the cluster's nodes",
    "exclusive": "pods with all GPUs of a node have it alone; without, `scheduling: {spread: host}` parts them",
    "spread-job": "`scheduling: {spread: host}`",
    "switches": "`scheduling.within`, a word of the cluster's topology",
    "contiguous": "`scheduling.near`, a word of the cluster's topology",
    "kill-on-bad-exit": "a starter ends the others of its pod; `lifecycle.restart` says what becomes of the pod",
    "no-kill": "`elastic: {min: …}` goes on with fewer pods",
    "wait": "`kubectl wait` waits for a job's end",
    "signal": "`lifecycle.grace`: SIGTERM comes first, and SIGKILL so long after it",
    "hold": "`lifecycle: {suspend: true}`",
    "comment": "`annotations`",
    "tmp": "`resources.disk`",
    "wait-all-nodes": "`scheduling.gang`: all pods start together or none",
    "time-min": "`lifecycle.deadline` is the only time of a job",
    "licenses": "nothing here counts licences",
    "clusters": "a cluster profile is of one cluster",
    "uid": "`security.user`",
    "gid": "`security.group`",
    "export-file": "`envFrom`, with a ConfigMap",
    "propagate": "limits of a shell do not travel: `explain ulimit`",
    "multi-prog": "`roles` says what differs from pod to pod",
    "hint": _CORES,
    **dict.fromkeys(("cpu-bind", "mem-bind", "gpu-bind", "distribution", "threads-per-core", "core-spec"), _CORES),
    **dict.fromkeys(("sockets-per-node", "cores-per-socket", "ntasks-per-core", "ntasks-per-socket"), _CORES),
    **dict.fromkeys(("extra-node-info", "mincpus", "thread-spec"), _CORES),
    **dict.fromkeys(("container-name", "container-save", "container-writable", "container-readonly"), _BEGINS),
    "container-mount-home": "`mounts`, with the home's path",
    "container-env": "`env` says each",
    "container-remap-root": "`security: {user: 0}`, where it is allowed",
    "container-entrypoint": "`start: {entrypoint: true}`",
    **dict.fromkeys(("parsable", "test-only", "quiet", "verbose", "immediate", "disable-status", "pty"), _TALKS),
    **dict.fromkeys(("overcommit", "overlap", "oversubscribe", "exact", "preserve-env", "use-min-nodes"), _TALKS),
}
# What is written where Slurm would begin a job again as often as nodes fail.
_REQUEUED = 3
Said: TypeAlias = "dict[str, tuple[str, str, int]]"


_MEMORIES = {"mem", "mem-per-cpu", "mem-per-gpu"}


class Asked:
    """What was asked of Slurm: nodes, tasks and devices; the words behind the options.

    ``mpi``: how the tasks meet as MPI's do, empty where they do not; ``brought``: what else is said;
    ``apart``: options by which the tasks run several programs.
    """

    __slots__ = ("apart", "brought", "cpus", "cpus_of_gpu", "each", "gpus", "mpi", "nodes", "program", "tasks", "total")

    def __init__(self, options: Said, program: list[str], brought: Brought) -> None:
        said = {name: value for name, (value, _, _) in options.items()}
        self.program = program
        self.brought = brought
        # options by which its tasks run programs that differ
        self.apart = [name for name in ("multi-prog", "het-group") if name in said]
        self.mpi = "" if said.get("mpi", "none") in ("none", "list") else said["mpi"]
        self.nodes = count(said.get("nodes", "").partition("-")[0]) or None
        self.tasks = count(said.get("ntasks", "")) or None
        self.each = count(said.get("ntasks-per-node", "")) or None
        self.cpus = count(said.get("cpus-per-task", "")) or None
        self.cpus_of_gpu = count(said.get("cpus-per-gpu", "")) or None
        # GPUs of a node, and of the whole job
        of_node = next((one for one in said.get("gres", "").split(",") if one.partition(":")[0] == "gpu"), "")
        self.gpus = 1 if of_node == "gpu" else _last(said.get("gpus-per-node") or of_node)
        self.total = _last(said.get("gpus", ""))
        task = _last(said.get("gpus-per-task", ""))
        several = count(said.get("ntasks-per-gpu", ""))
        if several and not self.tasks and not self.each:
            # so many for each GPU of the job, or of a node
            self.tasks = self.total * several if self.total else None
            self.each = self.gpus * several if self.gpus else None
        elif several and self.tasks and not self.total and self.tasks % several == 0:
            self.total = self.tasks // several
        if self.tasks and self.nodes and self.tasks < self.nodes:
            self.nodes = self.tasks  # srun leaves the others out
        most = (self.nodes or 1) * (self.each or self.tasks or 1)
        if self.tasks and self.nodes and (not self.each or self.tasks < most) and self.tasks % self.nodes == 0:
            # beside a number of tasks, that of a node is the most that it may have
            self.each = self.tasks // self.nodes
        if self.tasks and self.each and not self.nodes and self.tasks % self.each == 0:
            self.nodes = self.tasks // self.each
        if self.gpus is None and task is not None:
            self.gpus = task * (self.each or 1)
        if self.gpus is None and self.total is not None and self.total % (self.nodes or 1) == 0:
            self.gpus = self.total // (self.nodes or 1)
        for name, number in (("ntasks", None if self.each else self.tasks), ("gpus", self.total)):
            if number and self.nodes and number % self.nodes and (name != "gpus" or self.gpus is None):
                _, written, line = options[name]
                brought.leave(written, f"{number} is no multiple of {self.nodes} nodes: pods are alike", line)
        _bring(options, self)

    def numbers(self) -> dict[str, str]:
        """Slurm's variables whose values are known here."""
        each = self.each or 1
        nodes = self.nodes or 1
        found = {
            "SLURM_CPUS_PER_TASK": self.cpus,
            "SLURM_NTASKS_PER_NODE": self.each,
            "SLURM_NNODES": nodes,
            "SLURM_JOB_NUM_NODES": nodes,
            "SLURM_NTASKS": self.tasks or nodes * each,
            "SLURM_NPROCS": self.tasks or nodes * each,
            "SLURM_GPUS_ON_NODE": self.gpus,
            "SLURM_GPUS_PER_NODE": self.gpus,
        }
        return {name: str(value) for name, value in found.items() if value}


def _last(text: str) -> int | None:
    """The number of `8` and `a100:8`."""
    return count(text.rpartition(":")[2]) or None


def options(words: Sequence[str], line: int = 0) -> tuple[Said, int]:
    """(long name → value, as it is written, line of the script; where the first word stands that is no option)."""
    said: Said = {}
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        here, word, at = at, words[at], at + 1
        if word == "--":
            break
        if word.startswith("--"):
            name, equals, value = word[2:].partition("=")
            name = _SAME.get(name, name)
            if not equals and name not in _FLAGS and at < len(words):
                value, at = words[at], at + 1
        elif word[1] in _SHORT:
            name, value = _SHORT[word[1]], word[2:].removeprefix("=")
            if not value and at < len(words):
                value, at = words[at], at + 1
        else:
            for letter in word[1:] if word[1] in _SHORT_FLAGS else word[1]:
                if not letter.isdigit():
                    said[_SHORT_FLAGS.get(letter, letter)] = "", f"-{letter}", line
            continue
        said[name] = value, " ".join(words[here:at]), line
    return said, at


def unknown(said: Said) -> list[str]:
    """The options that have a number which nobody knows here."""
    return [name for name in said if name in _COUNTS and not count(said[name][0].rpartition(":")[2].partition("-")[0])]


def stronger(above: Said, step: Said) -> Said:
    """The options of a step over those of its job: a number of tasks takes the place of one by nodes."""
    step = {name: one for name, one in step.items() if name not in above or name not in unknown({name: one})}
    if "ntasks" in unknown(step):
        step = {name: one for name, one in step.items() if name != "ntasks"}
    if "ntasks" in step and "ntasks-per-node" not in step:
        above = {name: one for name, one in above.items() if name != "ntasks-per-node"}
    if any([_asks_for_gpus(name, said[0]) for name, said in step.items()]):
        # of its GPUs a step says all
        above = {name: said for name, said in above.items() if not _asks_for_gpus(name, said[0])}
    if "mem" in step and step["mem"][0] == "0" and _MEMORIES & above.keys():
        # in a step it is all that the job has (srun(1), `--mem`)
        step = {name: one for name, one in step.items() if name != "mem"}
    return {**above, **step}


def _asks_for_gpus(name: str, value: str) -> bool:
    """Whether an option says how many GPUs there are, and nothing else."""
    return name in OF_GPUS and (name != "gres" or ("," not in value and value.partition(":")[0] == "gpu"))


def _bring(said: Said, asked: Asked) -> None:
    """Everything that is no count: what has a word, and what is named."""
    brought = asked.brought
    brought.restarts = _REQUEUED if "requeue" in said else 0
    for name, (value, written, line) in said.items():
        if name in ("mpi", "requeue", "no-requeue"):
            continue  # who starts the program decides; `lifecycle` says it
        if name in _COUNTS:
            if name == "nodes" and "-" in value:
                brought.leave(written, "the fewest are taken: `elastic` says a span", line)
            elif count(value.rpartition(":")[2]) is None:
                brought.leave(written, "no number is known here", line)
            elif ":" in value:
                _kind(brought, value.partition(":")[0], written, line)
        elif name in _BRINGS:
            _BRINGS[name](asked, value, written, line)
        elif name == "gres":
            for one in value.split(","):
                if one.partition(":")[0] != "gpu":
                    brought.leave(f"--gres={one}", _WHY[name], line)
                elif one.count(":") > 1:
                    _kind(brought, one.split(":")[1], f"--gres={one}", line)
        else:
            from specgen.schema.habits import said_otherwise

            why = _WHY.get(name) or said_otherwise(name, None)
            brought.leave(
                written, why or f"nothing is known of it here; `specgen explain {name}` looks for a word", line
            )


def _kind(brought: Brought, kind: str, written: str, line: int) -> None:
    """Which GPUs they are to be."""
    why = f"which GPUs: `scheduling.pool`, or `scheduling: {{nodeLabels: …}}` with a label of `{kind}` nodes"
    if _MIG.fullmatch(kind):
        why = (
            f"a part of a GPU is a resource of its own: `resources: {{other: {{nvidia.com/mig-{kind}: 1}}}}`, no `gpu`"
        )
    brought.leave(written, why, line)


def _memory(asked: Asked, value: str, written: str, line: int, times: int | None = 1) -> None:
    found = re.fullmatch(r"([0-9]{1,9})([KMGT]?)B?", value.upper())
    if found is None or not times or not int(found[1]):
        why = "all memory of a node: `resources.memory` with the amount" if value == "0" else "`resources.memory`"
        asked.brought.leave(written, why, line)
        return
    asked.brought.memory = f"{int(found[1]) * times}{found[2] or 'M'}i"


def _memory_of_cpu(asked: Asked, value: str, written: str, line: int) -> None:
    _memory(asked, value, written, line, asked.cpus * (asked.each or 1) if asked.cpus else asked.each)


def _memory_of_gpu(asked: Asked, value: str, written: str, line: int) -> None:
    _memory(asked, value, written, line, asked.gpus)


def _time(asked: Asked, value: str, written: str, line: int) -> None:
    seconds = _seconds(value)
    if not seconds:
        asked.brought.leave(written, "without `lifecycle.deadline` a job runs as long as it likes", line)
        return
    unit, letter = next(one for one in ((86400, "d"), (3600, "h"), (60, "m"), (1, "s")) if not seconds % one[0])
    asked.brought.deadline = f"{seconds // unit}{letter}"


def _seconds(value: str) -> int:
    """Of `90`, `90:30`, `12:00:00`, `2-12`, `2-12:30` and `2-12:30:00`; 0 where it is no time."""
    days, dash, rest = value.rpartition("-")
    parts = rest.split(":")
    if not all(part.isascii() and part.isdigit() and len(part) < 7 for part in (*parts, days or "0")):
        return 0
    numbers = [int(part) for part in parts]
    if dash and len(numbers) <= 3:
        hours, minutes, seconds = [*numbers, 0, 0][:3]
    elif len(numbers) <= 3:
        hours, minutes, seconds = {1: [0, *numbers, 0], 2: [0, *numbers], 3: numbers}[len(numbers)]
    else:
        return 0
    return int(days or "0") * 86400 + hours * 3600 + minutes * 60 + seconds


def _name(asked: Asked, value: str, written: str, line: int) -> None:
    name = re.sub(r"[^a-z0-9]+", "-", value.lower()).strip("-")[:40].strip("-")
    if not name or not name[0].isalpha():
        asked.brought.leave(written, "`metadata.name` takes lower-case letters, digits and dashes", line)
        return
    asked.brought.name = name
    if name != value:
        asked.brought.leave(written, f"`{name}` is a name here: lower-case letters, digits and dashes", line)


def _export(asked: Asked, value: str, written: str, line: int) -> None:
    for one in value.split(","):
        name, equals, text = one.partition("=")
        if equals:
            asked.brought.variable(name, text, f"--export={one}", line)
        elif one:
            asked.brought.leave(f"--export={one}", "no variable of a shell travels, `env` says each", line)


def _chdir(asked: Asked, value: str, written: str, line: int) -> None:
    if value.startswith("/") and not {"$", "%"} & {*value}:
        asked.brought.workdir = value
    else:
        asked.brought.leave(written, "`workdir`, with the whole path in the image or in `mounts`", line)


def _array(asked: Asked, value: str, written: str, line: int) -> None:
    found, throttle = numbered(value)
    asked.brought.array = found
    if not found:
        asked.brought.leave(written, 'write `matrix: {task: {t1: {env: {SLURM_ARRAY_TASK_ID: "1"}}, …}}`', line)
    if throttle:
        asked.brought.leave(f"%{throttle}", "no word says how many run at once: the quota of a queue does", line)


def _image(asked: Asked, value: str, written: str, line: int) -> None:
    image(asked.brought, value, written, line)


def image(brought: Brought, value: str, written: str, line: int = 0) -> None:
    """The image that Pyxis, enroot or Apptainer starts; a file is none that a node could pull."""
    name = value.removeprefix("docker://").removeprefix("dockerd://")
    user, _, rest = name.partition("@")
    if rest and "sha256" not in rest and "/" not in user:
        name = rest
    name = name.replace("#", "/", 1)
    if not name or name.startswith(("/", ".", "~", "$")) or "://" in name or name.endswith((".sif", ".sqsh", ".img")):
        brought.leave(written, "a node pulls images from a registry: build one that holds the same", line)
        brought.image = OWN
    else:
        brought.image = name


def _container_mounts(asked: Asked, value: str, written: str, line: int) -> None:
    mounts(asked.brought, value, "--container-mounts", line)


def mounts(brought: Brought, value: str, option: str, line: int = 0) -> None:
    """`SOURCE:PATH:FLAGS` of Pyxis and Apptainer: directories of the node."""
    for one in value.split(","):
        source, _, rest = one.partition(":")
        path, _, flags = rest.partition(":")
        path = path or source
        plain = source.startswith("/") and path.startswith("/") and not {"$", "~"} & {*source, *path}
        if plain and flags in ("", "ro", "rw", "rbind", "bind") and path != "/":
            brought.mounts[path] = {"hostPath": source} | ({"readOnly": True} if flags == "ro" else {})
        else:
            brought.leave(f"{option}={one}", "`mounts`, with a path, and what is to appear there", line)


# Options that have a word, and what becomes of them.
_BRINGS = {
    "mem": _memory,
    "mem-per-cpu": _memory_of_cpu,
    "mem-per-gpu": _memory_of_gpu,
    "time": _time,
    "job-name": _name,
    "export": _export,
    "chdir": _chdir,
    "array": _array,
    "container-image": _image,
    "container-mounts": _container_mounts,
    "container-workdir": _chdir,
}
