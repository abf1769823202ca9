"""accelerate's configuration file, which a line names: what `init` reads of it, and how the job carries it."""

from __future__ import annotations

import os

from specgen.cli import hosts
from specgen.cli.read_by import contents
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes.accelerate import configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace

    from specgen.operators.kubernetes.launchers import Line

# Where a file stands in the pods that was named from the folder of whoever called accelerate.
_FOLDER = "/etc/accelerate"
# More GPUs than that few nodes have.
_OF_A_NODE = 8
_MEETS = "machine_rank", "main_process_ip", "main_process_port"


def bring(options: Namespace, line: Line, machines: int | None, total: int | None) -> tuple[int | None, int | None]:
    """(machines, processes of all of them) as the line says them, or else options of `init`, or the file.

    A file that lies here is carried by the job.
    """
    name = line.value("config_file")
    brought = options.brought
    text = contents(name)
    if not text and total and total > _OF_A_NODE and (machines, options.pods, options.gpu) == (None, None, None):
        raise BadQuestion(
            f"`accelerate` starts {total} processes, and `{name}`, which says on how many machines, is not here",
            hosts.ways(total),
        )
    if not text:
        brought.notes.append(
            f"`{name}` cannot be read here: what it says of machines and processes is not known. "
            "The image holds it, or `files` brings it."
        )
        return machines, total
    path = name if name.startswith("/") else f"{_FOLDER}/{os.path.basename(name)}"
    brought.files[path] = os.path.relpath(name, os.path.dirname(options.out or "") or ".")
    options.own = [_renamed(word, name, path) for word in options.own]
    file = configured(text, name)
    if file is None:
        brought.notes.append(f"`{name}` is no configuration of machines of one's own: nothing is taken from it.")
        return machines, total
    taken = []
    if machines is None and options.pods is None:
        machines = file.machines
        taken.append(f"num_machines: {machines}")
    if total is None and options.gpu is None and options.npu is None and file.processes:
        total = file.processes
        taken.append(f"num_processes: {total}")
        # without a number of machines the file counts those of all pods
        machines = machines if machines is not None else options.pods
    if file.cpu and options.gpu is None and not options.npu:
        options.gpu = 0
    if taken:
        said = " and ".join(f"`{one}`" for one in taken)
        brought.notes.append(f"{said}: from `{name}`, which the job carries.")
    if file.devices and "gpu_ids" not in line.options and not file.cpu:
        options.own.append("--gpu_ids=all")
        note = (
            f"`gpu_ids: {file.devices}` of the file is not taken: a pod's GPUs are its own, and `--gpu_ids=all` wins."
        )
        brought.notes.append(note)
    if file.settings:
        brought.notes.append(_held(file.settings, name, brought.workdir, options.out))
    over = [one for one in _MEETS if f"\n{one}:" in f"\n{text}"]
    if over:
        words = ", ".join(f"`{one}`" for one in over)
        brought.notes.append(f"{words} of the file are not taken: the line says each pod's own, and wins.")
    if file.over_ssh and file.machines > 1 and "deepspeed_multinode_launcher" not in line.options:
        brought.notes.append(
            f"`deepspeed_multinode_launcher: {file.by}` would go over ssh: the line says `standard`, and wins."
        )
    return machines, total


def _held(settings: str, name: str, workdir: str, out: str | None) -> str:
    """What brings DeepSpeed's configuration, which a file names, into the pods."""
    from specgen.cli.read_by import lying_here

    brings = lying_here([settings], workdir, os.path.dirname(out or ""))
    return f"`{name}` names `{settings}`. " + (
        brings[0] if brings else "The image must hold it, or `mounts` brings it."
    )


def _renamed(word: str, name: str, path: str) -> str:
    """A word of the starter's options, with the path that a file has in the pods."""
    option, equals, value = word.partition("=")
    if word == name:
        return path
    return f"{option}={path}" if equals and value == name else word
