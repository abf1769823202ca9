"""What the files of a program say, by a search and no more: variables of Slurm's and MPI's that it reads, and whether a
script starts processes.
"""

from __future__ import annotations

import os
import re
import shlex

from specgen.cli.beginning import is_python
from specgen.operators.kubernetes.argv import SHELLS, script_at
from specgen.operators.kubernetes.self_started import MODULES, PROGRAMS, called, in_shell
from specgen.schema.wording import OF_TORCHRUN, in_each_process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# No file beyond that is searched; a ConfigMap, by which `files` are carried, holds as much.
_LARGEST = 1 << 20
# Where programs start in PyTorch's images, and NVIDIA's.
_WORKDIR = "/workspace"
# Programs and modules of Python that upstream's images of frameworks lack, and what they are in.
_PACKAGES = {
    **{one.partition(".")[0]: one.partition(".")[0] for one in (*PROGRAMS, *MODULES)},
    "fabric": "lightning",
    "llamafactory-cli": "llamafactory",
    "msrun": "mindspore",
    "nemo": "nemo-toolkit",
    "pytorch_lightning": "lightning",
    "swift": "ms-swift",
    "yolo": "ultralytics",
    **dict.fromkeys(("torchtune", "tune"), "torchtune"),
    **dict.fromkeys(("lm_eval", "lm-eval"), "lm-eval"),
    **dict.fromkeys(("jupyter", "jupyter-lab", "jupyter-notebook"), "jupyterlab"),
    **dict.fromkeys(("nnUNetv2_train", "nnUNetv2_predict", "nnUNetv2_plan_and_preprocess", "nnunetv2"), "nnunetv2"),
}
# A script of OpenMMLab's repositories, which reads NODE_RANK, and of which the second word counts GPUs.
DIST_TRAIN = "dist_train.sh"
_STARTS = re.compile(r"\b(torchrun|torch\.distributed\.(?:run|launch)|accelerate launch|deepspeed|mpirun|srun)\b")
_NAME = re.compile(r"\b(?:SLURM|OMPI_COMM_WORLD|PMI)_[A-Z_]+\b")
# Variables that `init` brings over itself.
_BROUGHT = ("SLURM_ARRAY_TASK_ID",)
_MOST = 6
# What a pod with one process has in place of what torchrun sets for a process.
_OF_POD = {
    "RANK": "$RANK",
    "GROUP_RANK": "$RANK",
    "LOCAL_RANK": "0",
    "WORLD_SIZE": "$WORLD_SIZE",
    "GROUP_WORLD_SIZE": "$WORLD_SIZE",
    "LOCAL_WORLD_SIZE": "1",
}


def unset(command: Sequence[str], beside: str, starter: str) -> list[str]:
    """Lines that say which variables the program reads, and what sets them; none where no such file lies here.

    ``beside``: a script, in whose folder the file may lie; ``starter``: who starts the processes.
    """
    program = _file(command)
    if not program or starter not in ("torchrun", "none"):
        return []
    text = text_of(command, beside)
    found = [name for name in dict.fromkeys(_NAME.findall(text)) if name not in _BROUGHT]
    if not found:
        return []
    from specgen.schema.remedies import flow

    said = ", ".join(f"`{name}`" for name in found[:_MOST])
    head = f"`{program}` reads {said}, which nobody sets in a pod."
    known = [name for name in found if name in OF_TORCHRUN]
    if not known:
        return [f"{head} `env` may, with a value."]
    if starter == "none":
        sets = " ".join(f"{name}={_OF_POD[OF_TORCHRUN[name]]}" for name in known)
        return [f"{head} Where it needs them:", f"prepare: export {sets}"]
    words = shlex.join(command if is_python([command[0]]) and command[0][-3:] != ".py" else ["python", "-u", *command])
    line = flow(["--no-python", "bash", "-c", in_each_process(known, words)])
    return [
        f"{head} Let it read RANK, LOCAL_RANK and WORLD_SIZE, or have a shell in",
        "each process set them (`prepare` runs once in a pod, before the processes are there):",
        f"command: {line}",
    ]


def lying_here(command: Sequence[str], workdir: str, out: str) -> list[str]:
    """A line that says of the files here which a command names that nobody brings them into the pods; none: no file.

    ``out``: the folder of the profile, which names files from there.
    """
    values = [word.partition("=")[2] if word[:1] == "-" else word for word in command]
    paths = [os.path.normpath(one) for one in dict.fromkeys(values) if one and one[:1] != "/"]
    found = [one for one in paths if one[:1] != "." and os.path.isfile(one)]
    if not found and command[0][:2] == "./":
        return [f"The image must hold `{paths[0]}`, in its working directory or in `workdir`."]
    if not found:
        return []
    from specgen.schema.remedies import flow

    named = f"`{found[0]}`" if len(found) == 1 else f"{len(found)} files of this folder"
    path = f"{workdir or _WORKDIR}/{found[0]}"
    small = sum([os.path.getsize(one) for one in found]) <= _LARGEST
    line = f"files: {flow({path: {'from': os.path.relpath(found[0], out or '.')}})}"
    brings = f"`{line}` carries {'it' if len(found) == 1 else 'one'}" if small else "a volume, by `mounts`"
    return [f"The image must hold {named}, or {brings}."]


def lacking(command: Sequence[str], own: Sequence[str]) -> str:
    """What a line needs of its image that upstream's images lack; empty where nothing of it is known.

    ``own``: options of the starter, by which the first word may be a module. Sizes of Lightning's trainer are its own.
    """
    command = in_shell(command) or command
    name = command[0].rpartition("/")[2]
    if "-m" in own:
        name = name.partition(".")[0]
    elif name.startswith("python") and "-m" in command[:-1]:
        name = command[command.index("-m") + 1].partition(".")[0]
    if name in _PACKAGES:
        return _PACKAGES[name]
    from specgen.rules.lightning_sizes import DEVICES, NODES

    return "lightning" if any(word.partition("=")[0] in (*NODES, *DEVICES) for word in command) else ""


def asks_rank(command: Sequence[str]) -> bool:
    """Whether a shell's text, or a script that lies here, reads the number of its pod by a usual name."""
    at = script_at(command)
    is_shell = command[0].rpartition("/")[2] in SHELLS
    script = next((word for word in command[is_shell:] if not word.startswith("-")), "")
    text = command[at] if at is not None else contents(script) if script.endswith((".sh", ".bash")) else ""
    if script.rpartition("/")[2] == DIST_TRAIN and not text:
        return True
    set_there = re.search(r"^\s*(export\s+)?NODE_RANK=(?!.*RANK)", text, re.MULTILINE)
    return set_there is None and re.search(r"\$\{?NODE_RANK\b", text) is not None


def started_by(command: Sequence[str], pods: int) -> tuple[str, str]:
    """(who starts the processes of a line that a shell or a launcher of its own runs, what is to be known of it).

    Empty for other programs.
    """
    name = command[0].rpartition("/")[2]
    is_shell = name in SHELLS
    script = next((word for word in command[is_shell:] if not word.startswith("-")), "")
    times = "once in each pod" if pods > 1 else "once"
    if known := called(in_shell(command)):
        return "self", f"`{known}` runs {times}, and starts processes by itself: its line tells it of other hosts."
    if not (is_shell or name.endswith((".sh", ".bash"))) or not script:
        return "", ""
    at = script_at(command)
    named, text = ("The text", command[at]) if at is not None else (f"`{script}`", contents(script))
    if script.rpartition("/")[2] == DIST_TRAIN and not text:
        return "self", f"{named} runs {times}, and calls torch's launcher, which starts the processes of a pod."
    if not text:
        return "self", f"{named} is not read here. It runs {times}: without a torchrun in it, that is one process."
    found = next(
        (one for line in text.splitlines() if not line.lstrip().startswith("#") for one in _STARTS.findall(line)), ""
    )
    if found == "srun":
        return "self", f"{named} runs {times}, and calls srun, which no pod has: `-- sbatch {script}` reads it."
    if found:
        return "self", f"{named} runs {times}, and calls {found}, which starts the processes of a pod."
    if at is not None:
        return "", ""  # one process, as far as it is seen, and who starts those of a pod is asked
    return "none", f"{named} runs {times}: nothing in it is seen to start several processes."


def text_of(command: Sequence[str], beside: str) -> str:
    """The text of the file of Python that a command runs; empty where none lies here."""
    program = _file(command)
    if not program:
        return ""
    return contents(program) or contents(os.path.join(os.path.dirname(beside), program))


def _file(command: Sequence[str]) -> str:
    """The file of Python that a command runs: a path, or a module of this folder."""
    for at, word in enumerate(command):
        if word == "-m" and at + 1 < len(command):
            return f"{command[at + 1].replace('.', '/')}.py"
        if word.endswith(".py"):
            return word
    return ""


def contents(name: str) -> str:
    """The text of a file that lies here, as far as it is searched; empty where none does, or one that never ends."""
    if not os.path.isfile(name):
        return ""
    try:
        with open(name, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except (OSError, ValueError):
        return ""
