"""The line that starts the ranks, written for each implementation of MPI and for horovodrun.

Options as in the manuals of Open MPI 4.1 (mpirun), Intel MPI 2021 (mpiexec.hydra), MPICH 4.2 (Hydra) and Horovod 0.28
(horovodrun). The operators name the host file and the way to the workers by variables. Intel MPI and MPICH read them,
and Open MPI up to 4: 5 has other names for them, and without a host file it starts every rank in the launcher's own
pod. So the line says both, in the words that 4.1.8, 5.0.8 and 5.0.11 all take (seen); horovodrun reads no variable of
them either. Long options of Open MPI have two dashes: 4.1 takes either form, and 5.0.11 takes the `none` of
`-bind-to none` for the program (seen).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING
from specgen.operators.kubernetes.argv import SHELLS, script_at
from specgen.operators.mpi import mpirun
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.plan.draft import RoleDraft
    from specgen.plan.kind import Mpi
    from specgen.plan.model import World
    from specgen.profile.resolve import ResolvedJob
    from specgen.profile.start import StartChoice

STARTERS = ("mpirun", "horovodrun")
_AS_ROOT = "--allow-run-as-root"
# Both variables say the same, to whatever calls it.
ROOT = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")
# Open MPI's own programs, by names that others' have too.
_OPEN = ("mpirun", "mpiexec", "orterun", "prterun")
# Programs that start ranks: behind another one they would each start all of them.
_THEMSELVES = (
    "mpirun",
    "mpiexec",
    "orterun",
    "prterun",
    "mpiexec.hydra",
    "horovodrun",
    "torchrun",
    "accelerate",
    "deepspeed",
)
# Of them, those that start the processes of one pod: a process of mpirun's in each pod may call them.
_DIVIDE = ("torchrun", "accelerate", "deepspeed")
# What tells a process which one it is, and what lets a shell do one thing or another.
_RANKS = ("OMPI_", "PMI_", "PMIX_", "RANK", "SLURM_")
_CHOOSES = ("if ", "case ", "||", "[ ", "[[", "test ", "for ", "while ")

# What says the same of each implementation; most of it the planner writes.
_SAID = "leave it out: `env` says a variable, and each of them travels to the ranks"
_EACH = "leave it out: `procsPerPod` says it, or the GPUs do"
_INSTEAD: dict[str, dict[str, str]] = {
    **{word: {} for word in ("x", "genv", "genvlist", "genvall", "env", "envlist", "envall")},
    **{word: dict.fromkeys(("OpenMPI", "Intel", "MPICH"), _EACH) for word in ("ppn", "perhost", "npernode")},
    "mca": {
        "Intel": "`env` says it by variables of Intel MPI, such as `I_MPI_FABRICS` and `FI_PROVIDER`",
        "MPICH": "`env` says it by variables of MPICH, such as `MPIR_CVAR_…` and `FI_PROVIDER`",
    },
    "allow-run-as-root": dict.fromkeys(("Intel", "MPICH"), "leave it out: root needs no option there"),
}


def line(
    launcher: RoleDraft, count: World, start: StartChoice, travelling: list[str], ssh: list[str], mpi: Mpi
) -> list[str]:
    """The words in front of the program.

    ``travelling``: variables, by name; ``ssh``: the client's own options.
    """
    if count.starter == "horovodrun":
        return _horovodrun(count, start, ssh, mpi)
    if (start.implementation or "OpenMPI") == "OpenMPI":
        return _openmpi(launcher, count, start, travelling, ssh, mpi)
    return _hydra(count, start, travelling)


def _openmpi(
    launcher: RoleDraft, count: World, start: StartChoice, travelling: list[str], ssh: list[str], mpi: Mpi
) -> list[str]:
    words = (start.path or "mpirun").split()
    security = launcher.profile.words.security
    if not security.user and not security.non_root and _AS_ROOT not in start.options:
        words.append(_AS_ROOT)
    words += ["-np", str(count.size), "--bind-to", start.bind or "none", "--map-by", start.map_by or "slot"]
    if not (count.trains is not None and count.pods == 1):
        words += ["--hostfile", start.hostfile or mpi.hostfile]
        words += ["--mca", "plm_rsh_agent", mpi.agent] if mpi.agent is not None else []
    if ssh:
        words += ["--mca", "plm_rsh_args", " ".join(ssh)]
    words += start.options
    for name in travelling:
        words += ["-x", name]
    return words


def _hydra(count: World, start: StartChoice, travelling: list[str]) -> list[str]:
    """Intel MPI and MPICH, which share a process manager; only MPICH's binds by an option."""
    words = [*(start.path or "mpirun").split(), "-n", str(count.size), "-ppn", str(count.procs_per_pod)]
    if start.hostfile is not None:
        words += ["-f", start.hostfile]
    for option, value in (("-bind-to", start.bind), ("-map-by", start.map_by)):
        if value is not None:
            words += [option, value]
    words += start.options
    return [*words, "-genvlist", ",".join(travelling)] if travelling else words


def _horovodrun(count: World, start: StartChoice, ssh: list[str], mpi: Mpi) -> list[str]:
    """It hands on the whole environment by itself, and would start all ranks in its own pod without a host file."""
    words = [*(start.path or "horovodrun").split(), "-np", str(count.size)]
    words += ["--hostfile", start.hostfile or mpi.hostfile]
    if "-p" in ssh:
        words += ["-p", ssh[ssh.index("-p") + 1]]
    return [*words, *start.options]


def foreign_options(job: ResolvedJob, start: StartChoice, count: World) -> list[Finding]:
    """SG207: options of mpirun that another implementation of MPI has, and this one's ends at.

    A warning where releases of it may know the word; a path may lead to a program that takes other options.
    """
    words = (start.path or "mpirun").split()
    if not start.options or count.starter != "mpirun" or words[-1].rpartition("/")[2] not in mpirun.STARTERS:
        return []
    name = start.implementation or "OpenMPI"
    findings, at = [], 0
    while at < len(start.options):
        here, word = at, start.options[at]
        option, equals, _ = word.lstrip("-").partition("=")
        at += 1 + (0 if equals or not word.startswith("-") else mpirun.values(option))
        if not word.startswith("-") or not mpirun.is_foreign(option, name):
            continue
        theirs_name = "Open MPI" if name != "OpenMPI" else "Intel MPI and MPICH"
        our_name = {"OpenMPI": "Open MPI", "Intel": "Intel MPI"}.get(name, name)
        message = f"`{word.partition('=')[0]}` is an option of {theirs_name}, and the image's is {our_name}"
        helps = [_INSTEAD[option].get(name, _SAID)] if option in _INSTEAD else []
        if start.implementation is None:
            helps.append("`start: {implementation: Intel}`, or `MPICH`, where the image has one of these")
        findings.append(
            codes.CONTRADICTION.at(
                job.place(("start", "options", here)),
                message,
                helps=helps,
                severity=WARNING if mpirun.MAY_BE_KNOWN.get(option) == name else ERROR,
            )
        )
    return findings


def nested(launcher: RoleDraft, count: World) -> list[Finding]:
    """SG207: a command that begins with the starter itself, or a shell's text that calls it.

    A warning where a shell may call it in some of the processes; nothing where the text asks for the process's rank, or
    where one process runs in each pod, which torchrun and others divide further.
    """
    command = launcher.profile.words.command or []
    first = command[0].rpartition("/")[2] if command else ""
    at, severity = 0, ERROR
    if first in SHELLS:
        text_at = script_at(command)
        text = command[text_at] if text_at is not None else ""
        first = _called(text)
        if text_at is None or any(name in text for name in _RANKS):
            return []
        if count.procs_per_pod == 1 and first in _DIVIDE:
            return []
        at, severity = text_at, WARNING if any(sign in text for sign in _CHOOSES) else ERROR
    if first not in _THEMSELVES:
        return []
    message = f"{count.starter} would start `{first}` in every process, and each would start all of them"
    helps = ["leave the line out, or say `start: self`: the command starts its processes itself"]
    if first in _DIVIDE:
        helps = [
            f"`command: [python, …]` without `{first}`: {count.starter} starts a process for each GPU",
            f"`target: PyTorchJob` has no launcher, and `{first}` in each pod",
        ]
    return [codes.CONTRADICTION.at(launcher.profile.place(("command", at)), message, helps=helps, severity=severity)]


def as_root(launcher: RoleDraft, start: StartChoice) -> list[Finding]:
    """SG207: a command that calls Open MPI by itself, as the user that most images have.

    horovodrun tells it by itself (Horovod 0.28, horovod/runner/mpi_run.py).
    """
    words, security = launcher.profile.words, launcher.profile.words.security
    command = words.command or []
    first, at = command[0].rpartition("/")[2] if command else "", 0
    if first in SHELLS:
        at = script_at(command) or 0
        first = _called(command[at])
    if first not in _OPEN or (start.implementation or "OpenMPI") != "OpenMPI":
        return []
    keys = start.ssh.keys if start.ssh is not None else None
    if security.user or security.non_root or (keys is not None and not keys.startswith("/root/")):
        return []
    line = " ".join([*command, *(words.args or ()), words.prepare or ""])
    if _AS_ROOT in line or ROOT[0] in line or set(ROOT) <= launcher.env.keys():
        return []
    return [
        codes.CONTRADICTION.at(
            launcher.profile.place(("command", at)),
            f"`{first}` of Open MPI refuses to run as root unless it is told",
            notes=["the pods run as root, unless the image names another user"],
            helps=[
                f"write `{first} {_AS_ROOT} …`",
                "`start: mpirun` writes it, with the processes and the host file; `security.user` is another user",
            ],
            severity=WARNING,
        )
    ]


def _called(text: str) -> str:
    """The first program of a shell's text that starts processes; empty where it calls none."""
    from specgen.operators.kubernetes.script import commands  # few commands are a shell's

    names = [one.words[one.program].text.rpartition("/")[2] for one in commands(text) if one.program is not None]
    return next((name for name in names if name in _THEMSELVES), "")
