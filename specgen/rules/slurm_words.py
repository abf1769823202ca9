"""A command line of Slurm, of MPI or of environment modules in a pod, where nothing of them is there.

## What it checks
`srun`, `sbatch` or `salloc` as the program of a container, or called by a shell's text; `mpirun` or `mpiexec` in a
PyTorchJob of several pods without a host of another pod; `module load` in a shell's text; `$SLURM_PROCID` and others of
Slurm's, Open MPI's and PMI's variables in a shell's text, which neither the container nor the text sets; such variables
that a shell sets by `$RANK` or `$LOCAL_RANK` before torchrun starts several processes. A text with `source`, and a
login shell, may set them or bring `module`; a variable with a default is passed over, and a job with a launcher has
them of mpirun.

## Why it hurts
Kubernetes starts the pods, and a program of Slurm finds no controller in them. A shell reads a variable that nobody set
as nothing: `--rank $SLURM_PROCID` takes the next word for its value, or ends the program, in every pod. What is
exported before torchrun is there once for all processes of a pod, which then take each other's rank. `module` is a
function that a login shell of a cluster has: a shell of an image knows no such word, and ends with 127 under `-e`.

## Severity
- warning: the image may hold Slurm's clients or environment modules, or set the variables.

## Example
Bad:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [srun, python, train.py]
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
    command: [torchrun, train.py]
```

## Fix
Leave the program of Slurm out, and let `torchrun` start what it started: it sets `RANK`, `WORLD_SIZE` and `LOCAL_RANK`
for each process. Where the operator sets variables for the pod, these. What a module brought, the image holds: choose
one that has it.

## When to ignore it
Where the image holds Slurm's clients and its configuration, or its entrypoint sets the variables.

## References
Slurm 24.05, srun(1), "OUTPUT ENVIRONMENT VARIABLES"; Open MPI 4.1, mpirun(1), "Environment Variables"; torch 2.13,
torch/distributed/run.py ("Environment Variables").
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, plural
from specgen.operators.kubernetes.argv import SHELLS, script_at, signs
from specgen.operators.kubernetes.launchers import ACCELERATE, TORCHRUN, behind_shell, of_words
from specgen.operators.kubernetes.script import commands
from specgen.rules import ALL, CONTAINER, SLURM
from specgen.rules._slips import OF_TORCHRUN, Names, in_each_process, in_its_place, is_of_slurm
from specgen.rules._started import line_of, processes
from specgen.rules._words import Word, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG552", "slurm-words", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SLURM,)

_SLURM = ("srun", "sbatch", "salloc")
_MPI = ("mpirun", "mpiexec", "orterun")
_HOSTS = ("host", "-H", "machinefile")
# What torchrun tells each process, and a pod is told another number by, or nothing.
_OF_EACH = ("RANK", "LOCAL_RANK")
_NO_PYTHON = {TORCHRUN: "--no-python", ACCELERATE: "--no_python"}
# What people have `module` do.
_OF_MODULES = ("load", "add", "purge", "use", "swap", "switch", "unload", "restore")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """The first `module`; and the program, or else each variable once."""
    line = [text for _, _, text in container.words()]
    yield from _modules(container, line)
    program = _program(container, line)
    if program is not None:
        yield from _of_program(container, program)
        return
    workload = container.role.workload
    if any(role.name in ("Launcher", "launcher") for role in workload.roles) or any(
        name in container.line for name in _MPI
    ):
        return
    yield from _once_in_a_pod(container, context, line)
    names = Names(container, context.made)
    script = script_at(line)
    if script is None or _reads(line[script]):
        return
    key, index, text = container.words()[script]
    seen: set[str] = set()
    for sign, name, start, end in signs(text):
        if sign == "(" or name in seen or not is_of_slurm(name) or f"{name}=" in text:
            continue
        if names.has(name) or names.may_come(name):
            continue
        seen.add(name)
        yield CODE.at(
            Place((*container.path, key, index), inside=(start, end)),
            f"nobody sets `{name}` in a pod",
            label="empty",
            notes=["Slurm and mpirun set it for what they start, and here Kubernetes starts the pods"],
            helps=[in_its_place(names, name)],
        )


def _program(container: Container, line: list[str]) -> Word | None:
    """The word of a program of Slurm or MPI that the container starts, or that its shell's text calls."""
    behind = list(behind_shell(line))
    begin = len(line) - len(behind)
    text = script_at(behind)
    if not behind:
        return None
    if behind[0].rpartition("/")[2] not in SHELLS:
        key, index, _ = container.words()[begin]
        found = [word for word in words(container) if word.path == (*container.path, key, index)]
        return found[0] if found and found[0].text.rpartition("/")[2] in (*_SLURM, *_MPI) else None
    if text is None:
        return None
    key, index, whole = container.words()[begin + text]
    for command in commands(whole):
        called = command.words[command.program] if command.program is not None else None
        if called is not None and called.text.rpartition("/")[2] in (*_SLURM, *_MPI):
            return Word(called.text, (*container.path, key, index), called.start)
    return None


def _once_in_a_pod(container: Container, context: Context, line: list[str]) -> Iterator[Finding]:
    """The first variable of Slurm's or MPI's that a shell sets before a launcher by what is another in each process."""
    script = script_at(line)
    if script is None or line[0].rpartition("/")[2] not in SHELLS or "RANK" not in line[script]:
        return
    launcher = line_of(container)
    if launcher is None or launcher.name not in (TORCHRUN, ACCELERATE) or processes(container, context, launcher) == 1:
        return
    key, index, text = container.words()[script]
    for command in commands(text):
        words = [word.text for word in command.words]
        if of_words(words[command.program or 0 :]) is not None:
            return
        exported = command.words[1:] if words[:1] == ["export"] else []
        for word in (*exported, *(() if command.words else command.sets)):
            name, _, value = word.text.partition("=")
            ours = OF_TORCHRUN.get(name)
            read = next((one for _, one, _, _ in signs(value) if one in _OF_EACH), None)
            if ours is None or read is None or ours not in _OF_EACH:
                continue
            told = [one for one in OF_TORCHRUN if f"{one}=" in text]
            yield CODE.at(
                Place((*container.path, key, index), inside=(word.start, word.end)),
                f"`{name}` is set once in a pod, before {launcher.name} starts its processes",
                label="the same in all processes of a pod" if read == "RANK" else f"`{read}` is not there yet",
                notes=[f"{launcher.name} sets `{ours}` in each process, and all of them inherit one `{name}`"],
                helps=[
                    f"`command: [{_NO_PYTHON[launcher.name]}, bash, -c, "
                    f"'{in_each_process(told, 'python -u train.py')}']` sets it in each process, with the program's "
                    "line at the end"
                ],
            )
            return


def _reads(text: str) -> bool:
    """Whether a shell's text reads another one, which may bring what it lacks."""
    return "source " in text or any([f"{sign}. " in f";{text}" for sign in (";", "; ", "\n", "&& ", "&&")])


def _modules(container: Container, line: list[str]) -> Iterator[Finding]:
    """The first call of environment modules in a shell's text, be it in front of what another word names."""
    script = script_at(line)
    if script is None or "module " not in line[script] or _reads(line[script]) or "module()" in line[script]:
        return
    flags = "".join([one[1:] for one in line[:script] if one[:1] == "-" and one[1:].isalpha()])
    if "l" in flags:
        return  # a login shell reads files of the image
    key, index, text = container.words()[script]
    for command in commands(text):
        at = command.program
        called = [word.text for word in command.words[at : at + 2]] if at is not None else []
        if at is not None and len(called) == 2 and called[0] == "module" and called[1] in _OF_MODULES:
            word = command.words[at]
            ends = "e" in flags or text.lstrip().startswith("set -e")
            yield CODE.at(
                Place((*container.path, key, index), inside=(word.start, word.end)),
                "`module` is a function of a cluster's login shells, and no program of an image",
                label="not found",
                notes=[
                    "the shell ends at it with 127, and the pod fails"
                    if ends
                    else "the shell says `module: not found`, and goes on without what it was to bring"
                ],
                helps=["leave it out: the image brings what the module did; or `.` the file in the image that has it"],
            )
            return


def _of_program(container: Container, program: Word) -> Iterator[Finding]:
    workload = container.role.workload
    name = program.text.rpartition("/")[2]
    place = Place(program.path, inside=(program.start, program.start + len(program.text)))
    if name in _SLURM:
        yield CODE.at(
            place,
            f"`{name}` is a program of Slurm, and a pod is no job of Slurm's",
            label="Slurm's",
            notes=["Kubernetes starts the pods, as many as the job says"],
            helps=["leave it and its options out: `torchrun` starts the processes of each pod, in a profile `start`"],
        )
    elif workload.kind == "PyTorchJob" and workload.pods > 1 and not any(sign in container.line for sign in _HOSTS):
        yield CODE.at(
            place,
            f"`{name}` starts its processes in its own pod, in each of the {plural(workload.pods, 'pod')}",
            label="no hosts",
            notes=["a PyTorchJob has no launcher and no host file"],
            helps=[
                "`torchrun` starts them here; an MPIJob has one launcher, whose `mpirun` starts them in all workers"
            ],
        )
