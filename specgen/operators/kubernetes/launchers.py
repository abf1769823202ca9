"""Programs that start the processes of a pod: which of them a command line calls, and what it tells it.

Read from torch 2.13, torch/distributed/{run,launch}.py; huggingface/accelerate 1.15.0, commands/launch.py and
utils/launch.py; deepspeedai/DeepSpeed 0.19.8, deepspeed/launcher/runner.py.
"""

from __future__ import annotations

from specgen.operators.kubernetes.shell import names_launcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.operators.kubernetes.accelerate import Configured

TORCHRUN, ACCELERATE, DEEPSPEED = "torchrun", "accelerate", "deepspeed"
# Modules that do what a launcher does, behind `python -m`.
MODULES = {
    "torch.distributed.run": TORCHRUN,
    "torch.distributed.launch": TORCHRUN,
    "accelerate.commands.launch": ACCELERATE,
    "deepspeed.launcher.runner": DEEPSPEED,
}
# Options without a value, by their names with underscores and without dashes.
_FLAGS = {
    TORCHRUN: "h help standalone m module no_python run_path virtual_local_rank use_env",
    ACCELERATE: "h help quiet q cpu multi_gpu tpu enable_cpu_affinity dynamo_use_fullgraph dynamo_use_dynamic "
    "dynamo_use_regional_compilation use_deepspeed use_fsdp use_parallelism_config use_megatron_lm same_network m "
    "module no_python tpu_cluster no_tpu_cluster tpu_use_sudo downcast_bf16 fp8_use_autocast_during_eval debug",
    DEEPSPEED: "h help module no_python no_local_rank no_ssh no_ssh_check force_multi save_pid bind_cores_to_rank q "
    "quiet",
}
# Options by which accelerate hands over to torch's launcher; without one it does so for several GPUs alone.
SPREADING = ("multi_gpu", "use_fsdp", "use_megatron_lm", "use_deepspeed")
# Options whose value is a file that the launcher reads itself.
_FILES = {
    TORCHRUN: (),
    ACCELERATE: ("config_file", "deepspeed_config_file", "deepspeed_hostfile"),
    DEEPSPEED: ("hostfile", "H"),
}
# Words after which a program's name follows: those of a shell, and the end of another program's options.
_BEFORE = ("--", "&&", "||", ";", "|", "exec", "then", "do", "else", "time", "-c", "{", "(")
_MEETS_ITSELF = "static"
# Options that count pods.
_PODS = ("nnodes", "num_machines", "num_nodes")
# What DeepSpeed on several machines says where torch's launcher starts it.
_STANDARD = "standard"
# What starts programs in other pods, or may, by how its name begins or ends.
_GOES_ELSEWHERE = ("mpirun", "mpiexec", "orterun", "prterun", "horovodrun", "ssh", "pdsh", "kubectl", "srun", ".sh")


# In options by which a program is told how many devices or processes to spread over by itself.
_SPREADS = ("gpu", "device", "proc", "spawn", "launch", "parallel", "rank", "world", "strategy")


def starts_one(words: Sequence[str]) -> bool:
    """Whether a command line shows one process: Python with a file, and no option by which it would start others.

    A module, a shell's text and a program of another name may be launchers that nobody here knows.
    """
    if not words or not words[0].rpartition("/")[2].startswith("python"):
        return False
    program = next((word for word in words[1:] if word not in ("-u", "-O", "-B", "-s", "-E", "-I")), "")
    if not program.endswith(".py") or any(name in program for name in _SPREADS):
        return False
    line = " ".join(words).lower()
    return not any(
        name in line for name in (*MODULES, TORCHRUN, ACCELERATE, DEEPSPEED, "mpirun", "mpiexec", "horovod")
    ) and not any(name in word.partition("=")[0].lower() for word in words if word.startswith("-") for name in _SPREADS)


def behind_shell(words: Sequence[str]) -> Sequence[str]:
    """The words that a shell's text ends in running as they stand: `sh -c '…; exec "$@"' sh PROGRAM`."""
    at = next((at for at, word in enumerate(words) if word.rstrip().endswith('exec "$@"')), None)
    return words if at is None or list(words[at - 1 : at]) != ["-c"] else words[at + 2 :]


def stays_here(words: Sequence[str]) -> Line | None:
    """The launcher that a command line calls, where all that it starts runs in the pod itself.

    Not where the line names a program that goes to other pods, or has DeepSpeed's launcher do so.
    """
    words = behind_shell(words)
    line, text = of_text(words), " ".join(words)
    if line is None or any(name in text for name in _GOES_ELSEWHERE):
        return None
    goes = line.name == DEEPSPEED and not {"hostfile", "H"}.isdisjoint(line.options)
    return None if goes or "hostfile" in text else line


class Line:
    """A launcher in a command line.

    ``name``: torchrun, accelerate or deepspeed, however it is called. ``options``: name without dashes and with
    underscores → (value, where its word is); ``program``: where the first word stands that is not the launcher's own,
    the number of words if there is none; ``python``: whether the launcher has Python run that word as a file.
    ``open``: whether words that nobody sees may be options, too; ``call``: which of the line's calls it is (``calls``),
    of whose words the places are; ``doubtful``: whether a condition decides that it runs.
    """

    __slots__ = ("at", "call", "doubtful", "name", "open", "options", "program", "python")

    def __init__(self, name: str, at: int, options: dict[str, tuple[str, int]], program: int) -> None:
        self.name = name
        self.at = at
        self.options = options
        self.program = program
        self.python = not {"m", "module", "no_python", "run_path"} & set(options)
        self.open = self.doubtful = False
        self.call = 0

    def value(self, name: str, otherwise: str = "") -> str:
        """The value of an option; ``otherwise`` where it is not given, and a `$` where nobody can tell."""
        if name in self.options:
            return self.options[name][0]
        return UNSEEN if self.open else otherwise

    @property
    def alone(self) -> bool:
        """Whether it is told to know no other pod."""
        return "standalone" in self.options or any([self.value(name) in ("1", "1:1") for name in _PODS])

    def may(self, *names: str) -> bool:
        """Whether one of the options is given, or may be."""
        return self.open or not self.options.keys().isdisjoint(names)


# What stands for the value of an option that may be given.
UNSEEN = "$"


def of_text(words: Sequence[str]) -> Line | None:
    """The launcher that a command line calls, be it in the text of a shell; of several the last that meets other pods.

    What is told to stay in its pod prepares, tests or evaluates beside that; where all are, the first one counts. One
    that runs under a condition counts where no other one runs without; where several do, what they have in common.
    """
    lines = all_of_text(words)
    certain = [line for line in lines if not line.doubtful]
    if not certain:
        return _in_common(*lines) if lines else None
    return next((line for line in reversed(certain) if not line.alone), certain[0])


def all_of_text(words: Sequence[str]) -> list[Line]:
    """All launchers that a command line calls, in order."""
    if not names_launcher(words):
        return []
    from specgen.operators.kubernetes.calls import calls  # most lines name none

    lines = []
    for number, call in enumerate(calls(words)):
        line = None if call.idle else _first([piece.text for piece in call.pieces])
        if line is None:
            continue
        line.call, line.doubtful = number, call.doubtful
        at = line.program
        line.open = at < len(call.pieces) and call.pieces[at].open
        lines.append(line)
    return lines


def _in_common(first: Line, *others: Line) -> Line:
    """The first of lines of which one runs, with the options that all of them have alike."""
    for other in others:
        alike = {name: said for name, said in first.options.items() if other.value(name, UNSEEN) == said[0]}
        first.open = first.open or other.open or len(alike) < max(len(first.options), len(other.options))
        first.options = alike
    return first


def of_words(words: Sequence[str]) -> Line | None:
    """The launcher that the words begin with; None where they begin with something else, such as a shell.

    The trainer's guard runs what stands behind its `--` (trainer/guard): there the words begin.
    """
    begin = 0
    if "guard" in words[:5] and "--" in words and _module(words, 0)[1] == "trainer":
        begin = list(words).index("--") + 1
    if begin >= len(words):
        return None
    if words[begin].rpartition("/")[2].startswith("python"):
        at, called = _module(words, begin)
        return _line(MODULES[called], at, words) if called in MODULES else None
    found = _called(words, begin)
    return _line(*found, words) if found is not None else None


def _module(words: Sequence[str], begin: int) -> tuple[int, str]:
    """Where the module's name stands that Python is to run, and the name; empty where it runs none."""
    after = range(begin + 1, len(words))
    at = next((at for at in after if not words[at].startswith("-") or words[at] == "-m"), len(words))
    return (at + 1, words[at + 1]) if at + 1 < len(words) and words[at] == "-m" else (0, "")


def _first(words: Sequence[str]) -> Line | None:
    """Of words that a shell has split: a blank in one is none between two."""
    for at, word in enumerate(words):
        found = (MODULES[word], at) if word in MODULES else _called(words, at)
        if found is not None:
            return _line(*found, words, split=True)
    return None


def _called(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """The launcher whose program a word is, and the last word of its name."""
    name = words[at].rpartition("/")[2]
    if name == TORCHRUN:
        return TORCHRUN, at
    if name == ACCELERATE and list(words[at + 1 : at + 2]) == ["launch"]:
        return ACCELERATE, at + 1
    if name == "accelerate-launch":
        return ACCELERATE, at
    # the word is a package's, too
    if name == DEEPSPEED and (at == 0 or words[at - 1] in _BEFORE or words[at - 1].endswith((";", "/env"))):
        return DEEPSPEED, at
    return None


def _line(name: str, last: int, words: Sequence[str], *, split: bool = False) -> Line:
    options: dict[str, tuple[str, int]] = {}
    flags = _FLAGS[name].split()
    at = last + 1
    while at < len(words) and words[at].startswith("-") and (split or " " not in words[at].partition("$(")[0]):
        word, equals, value = words[at].partition("=")
        key, here = word.lstrip("-").replace("-", "_"), at
        if not key:
            at += 1
            break
        if not equals and key not in flags and at + 1 < len(words):
            at += 1
            value = words[at]
        options[key] = value, here
        at += 1
    return Line(name, last, options, at)


def files(line: Line) -> list[tuple[str, int]]:
    """The files that a launcher itself is told to read, each with the word that holds its name."""
    found = []
    for name in _FILES[line.name]:
        if name in line.options and line.options[name][0]:
            value, at = line.options[name]
            found.append((value, at))
    return found


def processes(line: Line, env: dict[str, str], accelerators: int) -> int | None:
    """How many processes start in a pod; None where the image, the node or a file decides."""
    if line.name == DEEPSPEED:
        asked = count(line.value("num_gpus", line.value("num_accelerators", str(accelerators))))
        return None if {"include", "i", "exclude", "e"} & set(line.options) else asked or None
    if line.name == ACCELERATE:
        return _of_accelerate(line, accelerators)
    each = line.value("nproc_per_node", env.get("PET_NPROC_PER_NODE", "1"))
    return (accelerators if each in ("auto", "gpu") else count(each)) or None


def _of_accelerate(line: Line, accelerators: int) -> int | None:
    machines, total = count(line.value("num_machines", "1")), count(line.value("num_processes", str(accelerators)))
    if not machines or not total:
        return None
    if "config_file" in line.options:
        # the file says how processes are spread, and the numbers where the line does not: the line's are stronger
        said = {"num_machines", "num_processes"} <= line.options.keys() and "cpu" not in line.options
        return total // machines or None if said else None
    return (total // machines or None) if _spreads(line, total, accelerators) else 1


def _spreads(line: Line, total: int, accelerators: int) -> bool:
    """Whether accelerate, told of no file, hands its processes to another launcher."""
    if "cpu" in line.options:
        return False
    return any(one in line.options for one in SPREADING) or (total > 1 and accelerators > 1)


def is_torchs(line: Line, accelerators: int, file: Configured | None) -> bool:
    """Whether torch's launcher starts the processes: torchrun, and accelerate where it starts several processes.

    file: that of accelerate, as far as it was read. Several machines with DeepSpeed are left to DeepSpeed's launcher,
    unless that is `standard` (`multi_gpu_launcher` and `deepspeed_launcher` call torch.distributed.run).
    """
    if line.name != ACCELERATE:
        return line.name == TORCHRUN
    told = any(one in line.options for one in SPREADING)
    if "config_file" in line.options and not told:
        if file is None or file.cpu or not file.spreads:
            return False
    elif not _spreads(line, count(line.value("num_processes", str(accelerators))) or 0, accelerators):
        return False
    deepspeed = "use_deepspeed" in line.options or (not told and file is not None and bool(file.by))
    machines = count(line.value("num_machines", str(file.machines) if file is not None else "1"))
    by = line.value("deepspeed_multinode_launcher", file.by if file is not None else "")
    return not deepspeed or machines == 1 or by == _STANDARD


# Options by which programs of PyTorch say how many processes load their data: those of timm, Megatron-LM, and
# transformers (`--dataloader_num_workers`); `data.num_workers=8` with Hydra, `--data.num_workers 8` with Lightning.
_LOADERS = ("workers", "num_workers", "dataloader_num_workers", "num_data_workers")


def loaders(words: Sequence[str]) -> str:
    """The option of a command line that asks for processes that load data, as it is written; empty: none does."""
    pieces = [piece.strip("\"'") for piece in " ".join(words).split()]
    for at, piece in enumerate(pieces):
        name, equals, value = piece.partition("=")
        dashed = name[:2] == "--"
        if (dashed or (equals and "." in name)) and name.lstrip("-+").rpartition(".")[2].replace("-", "_") in _LOADERS:
            value = value if equals else "".join(pieces[at + 1 : at + 2])
            if count(value):
                return f"{name}{'=' if equals else ' '}{value}"
    return ""


def node(line: Line, env: dict[str, str]) -> int | None:
    """Which of the pods this one is, from 0; None where the pods agree on it as they meet, or nobody says it."""
    if line.name == DEEPSPEED:
        return None
    if line.name == ACCELERATE and count(line.value("num_machines", "1")) != 1:
        standard = "use_deepspeed" not in line.options or line.value("deepspeed_multinode_launcher") == _STANDARD
        met = line.value("rdzv_backend", _MEETS_ITSELF) == _MEETS_ITSELF and standard
        return count(line.value("machine_rank")) if met else None
    # accelerate with one machine leaves the others to torch, which takes them from the operator's variables
    if env.get("PET_RDZV_BACKEND", _MEETS_ITSELF) != _MEETS_ITSELF or "PET_STANDALONE" in env:
        return None
    if line.value("rdzv_backend", _MEETS_ITSELF) != _MEETS_ITSELF or "standalone" in line.options:
        return None
    said = "" if line.name == ACCELERATE else line.value("node_rank")
    return count(said or env.get("PET_NODE_RANK", ""))


def meeting(line: Line) -> str:
    """Where the launcher's own options let the pods meet; empty where they do not say."""
    if line.name == ACCELERATE and "main_process_ip" in line.options:
        return f"{line.value('main_process_ip')}:{line.value('main_process_port', '29500')}"
    if line.name != TORCHRUN:
        return ""
    if "rdzv_endpoint" in line.options:
        return line.value("rdzv_endpoint")
    static = line.value("rdzv_backend", _MEETS_ITSELF) == _MEETS_ITSELF and "standalone" not in line.options
    if not static or "master_addr" not in line.options:
        return ""
    return f"{line.value('master_addr')}:{line.value('master_port', '29500')}"


def count(text: str) -> int | None:
    """A number of a command line; None where it is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
