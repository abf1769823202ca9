"""What a line of mpirun, or of Horovod's launcher, says of a job: its processes, hosts, and what travels to them."""

from __future__ import annotations

import re
import shlex
from argparse import Namespace

from specgen.cli import hosts
from specgen.cli.agreed import agree, share, take_devices, take_start, uncounted
from specgen.cli.batch import inner
from specgen.cli.beginning import facts, is_python
from specgen.cli.brought import Brought
from specgen.diagnostics.model import BadQuestion
from specgen.operators.kubernetes.launchers import count
from specgen.operators.mpi import mpirun
from specgen.plan.mpi_env import FORWARDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.mpi.mpirun import Call

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
# What tells whose MPI a line of Hydra's is: the image's name, and variables.
_OF_INTEL = ("intel", "oneapi", "impi")
_OF_MPICH = ("mpich", "mvapich")
# More processes in a pod than that are no GPUs of a node.
_GPUS = 16


def by_mpi(options: Namespace) -> None:
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
    take_start(options, by, inner(program, options.brought, shells=shells), own)
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
        machines = share(total, each, f"`{name}` of") if total % each == 0 or machines is None else machines
    elif total and machines:
        each = share(total, machines, f"`{name}` of")
    elif total and (options.gpu or options.npu):
        machines = share(total, options.gpu or options.npu, f"`{name}` of")
    elif total and total > 1:
        raise BadQuestion(
            f"`{name}` starts {total} processes, and nobody says in how many pods",
            hosts.ways(total),
        )
    elif total is None and machines is None and "$" in line.value:
        raise uncounted(f"-np {line.value}", "pods")
    agree(options, "pods", machines, f"`{name}` for {machines} machines")
    _gpus_of_mpi(options, each, by)
    take_devices(options, each, name)


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
