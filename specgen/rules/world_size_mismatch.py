"""A count in the command line that contradicts the job's own, or only repeats it.

## What it checks
`--world-size` and `--num_processes` against the processes that the job starts: those of its pods' launchers, where
their lines count them, else as the operator believes. `--nnodes` and `--num_machines` against its pods. A range of pods
for torchrun makes no job elastic that has no `elasticPolicy`. A count that fits, written out although the operator
hands it to every container, is a note. In an elastic job, whose pods may become more or fewer, a contradiction is a
warning. `accelerate launch` reads no such variable: for several machines it is told both counts; for one it counts the
processes of a pod, and torch's variables give the pods.

## Why it hurts
The rendezvous waits for as many members as it was told. Too many, and the job hangs with its GPUs idle; too few, and
some pods train alone or are turned away. A repeated count is right until somebody changes `replicas`.

## Severity
- error: the processes wait for more members than there will be, or turn some away.
- warning: an elastic job may come to it, a pod may train alone, a range be torchrun's alone, a program count pods.
- note: the number is right today.

## Example
Bad:

```yaml
Worker:
  replicas: 3
  template:
    spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4", args: [--world-size=16]}]}
```

Good:

```yaml
Worker:
  replicas: 3
  template:
    spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4", args: [--epochs=3]}]}
```

## Fix
Let the program read `WORLD_SIZE`, or tell it `$(WORLD_SIZE)`, where the operator counts all processes in it, and else
their number; leave torchrun's `--nnodes` out, as it reads `PET_NNODES`. Where the numbers contradict each other that is
shown and not applied: the number of pods may be what is wrong. Where they are equal it is unsafe, as it is about a job
that works.

## When to ignore it
Where the program gives the option another meaning, or the pods train independently.

## References
training-operator 1.9.4, pkg/controller.v1/pytorch/envvar.go (`WORLD_SIZE` counts processes since 1.7);
huggingface/accelerate 1.15.0, utils/launch.py (`prepare_multi_gpu_env`).
"""

from __future__ import annotations

from specgen.diagnostics.model import DISPLAY, ERROR, NOTE, UNSAFE, WARNING, Code, Place, plural
from specgen.manifest.views import mapping
from specgen.rules import ALL, COUNTS, WORKLOAD
from specgen.rules._remedies import left_out, told, told_by
from specgen.rules._words import gpus, options, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG210", "world-size-mismatch", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (COUNTS,)

PROCESSES = ("--world-size", "--world_size", "--num_processes", "--num-processes")
PODS = ("--nnodes", "--num_machines", "--num-machines")
OF_PROGRAM = ("--world-size", "--world_size")
PER_POD = ("--nproc_per_node", "--nproc-per-node")
_MEETS = ("--master_addr", "--master-addr", "--rdzv_endpoint", "--rdzv-endpoint", "--main_process_ip")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each option. Silent where a replica count is no number, and for launchers, which mpirun tells."""
    if any(role.name in ("Launcher", "launcher") for role in workload.roles):
        return
    for role in workload.roles:
        count = role.tree.get("replicas")
        if count is not None and (not isinstance(count, int) or isinstance(count, bool) or count < 1):
            return
    for role in workload.roles:
        container = role.main
        if container is None or "--standalone" in container.line:
            continue
        machines = None
        yield from _range(workload, container)
        apart = _beside(container)
        for name, value, written, word, start in options(container, PROCESSES + PODS):
            if (word.path, word.start) in apart:
                continue
            if value.isascii() and value.isdigit() and len(value) < 10:
                place = Place(word.path, inside=(word.start + start, word.start + start + len(value)))
                machines = _machines(container) if machines is None else machines
                own = machines and name not in OF_PROGRAM
                if own and machines == 1 and "PET_NNODES" in workload.rules_env:
                    continue  # accelerate takes the pods from torch's variables, and counts the processes of one
                if own and _fits(workload, name, int(value), machines):
                    continue  # it reads no variable for either
                if name in PODS:
                    least = _least(workload)
                    if 1 < least <= int(value) < workload.pods:
                        continue  # some may be of another program: nobody counts them but who calls the launcher
                    if int(value) == 1 and _is_apart(role):
                        continue
                    if _is_of_one_job(role, container, int(value)):
                        continue
                    # torchrun reads it; a program of one's own may read anything
                    reads = "PET_NNODES" in workload.rules_env and (machines or _is_launched(container))
                    found = _pods(workload, least, place, shown(written), int(value), reads=bool(reads))
                    right = "$PET_NNODES" if reads else ""
                else:
                    count = _count(workload, context, container, own=bool(own))
                    found = _processes(workload, count, place, shown(written), int(value))
                    right = count.right
                for one in found:
                    # of two numbers that contradict each other, the other one may be wrong
                    level = UNSAFE if one.severity == NOTE else DISPLAY
                    say = told_by if right.startswith("$") else told
                    one.fix = say(container, word, written, value, right.removeprefix("$"), level) if right else None
                    if one.fix is not None and name == "--nnodes" and not machines:
                        one.fix = left_out(container, word, written, value, level)
                    if one.fix is not None:
                        one.helps = []  # it does what they say
                    yield one


def _beside(container: Container) -> set[tuple[Path, int]]:
    """Where launchers count that are told to know no other pod, beside one that meets them: of a test, or a warm-up."""
    from specgen.operators.kubernetes.launchers import all_of_text, of_text

    words = [text for _, _, text in container.words()]
    counted = of_text(words)
    alone = [line for line in all_of_text(words) if line.alone] if counted is not None and not counted.alone else []
    found = [word for line in alone for _, _, _, word, _ in options(container, PROCESSES + PODS, line)]
    return {(word.path, word.start) for word in found}


def _is_apart(role: Role) -> bool:
    from specgen.rules._started import is_apart  # few jobs say one pod

    return is_apart(role)


def _is_of_one_job(role: Role, container: Container, count: int) -> bool:
    """Whether each Job of a JobSet may be a group of its own: as many pods, and a place to meet that is worked out."""
    jobs = role.tree.get("replicas")
    if role.workload.kind != "JobSet" or not isinstance(jobs, int) or jobs < 2 or count * jobs != role.replicas:
        return False
    return any("$" in value for _, value, *_ in options(container, _MEETS))


def _range(workload: Workload, container: Container) -> Iterator[Finding]:
    """A range of pods for torchrun, in a job whose operator keeps their number."""
    if workload.kind != "PyTorchJob" or _is_elastic(workload):
        return
    for _, value, written, word, start in options(container, ("--nnodes",)):
        least, colon, most = value.partition(":")
        if not (colon and least.isdigit() and most.isdigit() and len(value) < 20) or int(least) >= int(most):
            continue
        yield CODE.at(
            Place(word.path, inside=(word.start + start, word.start + start + len(value))),
            f"`{shown(written)}` makes no job elastic whose operator keeps {plural(workload.pods, 'pod')}",
            label=f"{least} to {most}",
            related=_factors(workload, False),
            notes=["only `elasticPolicy` lets the number of pods change, and the pods meet by a rendezvous of it"],
            helps=[f"leave it out, and write `elastic: {{min: {int(least)}, max: {int(most)}}}` in the profile"],
            severity=WARNING,
        )


def _least(workload: Workload) -> int:
    """The pods that a launcher's rendezvous has at least: all where the operator numbers them, else those that call it.

    Beside them a JobSet or a Volcano Job may prepare data, or show progress.
    """
    if workload.rules_env:
        return workload.pods
    return sum(role.replicas for role in workload.roles if role.main is not None and _is_launched(role.main))


def _fits(workload: Workload, name: str, value: int, machines: int) -> bool:
    """Whether what accelerate is told makes the pods one group: it shares the processes out among its machines."""
    return value == workload.pods if name in PODS else machines == workload.pods and value % machines == 0


def _machines(container: Container) -> int:
    """Machines that accelerate is told of, one if it is not; 0 where something else starts the processes."""
    from specgen.operators.kubernetes import launchers  # most command lines count nothing

    line = launchers.of_text([text for _, _, text in container.words()])
    if line is None or line.name != launchers.ACCELERATE:
        return 0
    return launchers.count(line.value("num_machines", "1")) or 0


class _Count:
    """The processes of a job, and what an option may call their number.

    ``known``: how many, None where nobody here knows; ``launcher``: who starts them, empty where nobody is seen to;
    ``each``: in each pod, 0 where pods differ; ``others``: processes of a pod that may be meant as well, of which there
    are none where a launcher starts as many as nobody knows; ``right``: what to tell the option: a number, ``$NAME``
    for the operator's variable, nothing where nobody knows.
    """

    __slots__ = ("each", "known", "launcher", "others", "right")

    def __init__(self, known: int | None, each: int, launcher: str, others: list[int], right: str) -> None:
        self.known = known
        self.each = each
        self.launcher = launcher
        self.others = others
        self.right = right


def _count(workload: Workload, context: Context, container: Container, *, own: bool) -> _Count:
    """``own``: whether the option is accelerate's, which starts as many as it is told."""
    from specgen.rules._started import line_of, processes

    amount = gpus(container, context)[0]
    given = "$WORLD_SIZE" if _is_given(workload) else ""
    others = [1, workload.procs_per_pod, amount]
    # composer's own launcher says its processes so, beside `--world_size`
    of_composer = ("-n", "--nproc") if "composer" in container.line else ()
    others += [
        int(value)
        for _, value, _, _, _ in options(container, (*PER_POD, *of_composer))
        if value.isascii() and value.isdigit() and len(value) < 6
    ]
    if own:
        each = workload.procs_per_pod if workload.procs_path is not None else amount or 1
        right = given if each == workload.procs_per_pod and given else str(workload.pods * each)
        if _is_elastic(workload):
            right = ""
        return _Count(None, each, "", others, right)
    found = [(role.replicas, role.main) for role in workload.roles]
    lines = [(pods, main, line_of(main)) for pods, main in found if main is not None]
    named = any(_is_launched(main) for _, main, _ in lines)
    counts = [(pods, processes(main, context, line)) for pods, main, line in lines if line is not None]
    if named and (len(counts) < len(found) or any(each is None for _, each in counts)):
        return _Count(None, 0, "", [], "")
    if named:
        known = sum(pods * (each or 0) for pods, each in counts)
        alike = {each for _, each in counts}
        right = given if known == workload.world_size and given else str(known)
        starter = next(line.name for _, _, line in lines if line is not None)
        return _Count(known, (alike.pop() or 0) if len(alike) == 1 else 0, starter, [], right)
    # what no launcher is seen to start may be one process for each GPU, or one that uses all
    sure = workload.procs_path is not None or amount < 2
    return _Count(workload.world_size if sure else None, 0, "", others, given if sure else "")


def _is_launched(container: Container) -> bool:
    """Whether a command line names a launcher, be it more than one."""
    from specgen.operators.kubernetes.launchers import of_text

    return of_text([text for _, _, text in container.words()]) is not None


def _processes(workload: Workload, counted: _Count, place: Place, written: str, count: int) -> Iterator[Finding]:
    known, by = counted.known, counted.launcher
    told = _is_given(workload) and not _is_elastic(workload)
    if count == workload.world_size and told and (not by or known == count):
        yield _repeats(place, written, "WORLD_SIZE", "replicas")
        return
    if count == known:
        return
    pods = workload.pods
    if by and known is not None:
        yield _launched(workload, counted, known, place, written, count)
        return
    if (not counted.others and count % pods == 0) or any(count == pods * number for number in counted.others):
        return
    said = f"`WORLD_SIZE={workload.world_size}`"
    notes = [_sum(workload, True) + (f"; the operator sets {said} in every container" if _is_given(workload) else "")]
    things = plural(workload.world_size, "process") if workload.procs_path is not None else plural(pods, "pod")
    yield CODE.at(
        place,
        f"`{written}` contradicts the {things} this job starts",
        label=f"says {count}",
        related=_factors(workload, True),
        notes=notes,
        helps=[
            f"let the program read `WORLD_SIZE`, or make the counts multiply to {count}"
            if _is_given(workload)
            else f"say {workload.world_size}, or make the counts multiply to {count}"
        ],
        severity=WARNING if _is_elastic(workload) else ERROR,
    )


def _launched(workload: Workload, counted: _Count, known: int, place: Place, written: str, count: int) -> Finding:
    """A program told another number than that of the processes that its launcher starts."""
    by, things = counted.launcher, plural(known, "process")
    message, severity = f"`{written}` contradicts the {things} this job starts", ERROR
    if count == workload.pods:
        # as some programs that start processes themselves want it
        message, severity = f"`{written}` counts the pods, in which {by} starts {things}", WARNING
    each = f" × {plural(counted.each, 'process')} of {by} = {known}" if counted.each else f": {things} of {by}"
    parts = " + ".join(str(role.replicas) for role in workload.roles)
    pods = f"({parts}) pods" if len(workload.roles) > 1 else plural(workload.pods, "pod")
    return CODE.at(
        place,
        message,
        label=f"says {count}",
        related=_factors(workload, False),
        notes=[f"{pods}{each}; {by} sets `WORLD_SIZE={known}` for each of them"],
        helps=[f"let the program read `WORLD_SIZE`, or make the counts multiply to {count}"],
        severity=WARNING if _is_elastic(workload) else severity,
    )


def _pods(workload: Workload, least: int, place: Place, written: str, count: int, *, reads: bool) -> Iterator[Finding]:
    """``reads``: whether who is told would take the number from the operator's variable."""
    if count == workload.pods:
        if reads and count > 1 and not _is_elastic(workload):
            yield _repeats(place, written, "PET_NNODES", "replicas")
        return
    alone = count == 1
    pods = least if 1 < least < workload.pods else workload.pods
    those = "this job starts" if pods == workload.pods else "that call the launcher"
    yield CODE.at(
        place,
        f"`{written}` contradicts the {plural(pods, 'pod')} {those}",
        label=f"says {count}",
        related=_factors(workload, False),
        notes=[
            _sum(workload, False),
            "each pod then trains alone" if alone else "the rendezvous waits for as many pods as it was told",
        ],
        helps=[
            f"take the number from `PET_NNODES`, or make the pods {count}"
            if reads
            else f"say {pods}, or make the pods {count}"
        ],
        severity=WARNING if alone or _is_elastic(workload) else ERROR,
    )


def _is_elastic(workload: Workload) -> bool:
    """Whether the number of pods may change while the job runs: then ``replicas`` is only where it begins."""
    return mapping(workload.manifest.tree.get("spec")).get("elasticPolicy") is not None


def _repeats(place: Place, written: str, variable: str, field: str) -> Finding:
    return CODE.at(
        place,
        f"`{written}` repeats what the operator says in `{variable}`",
        label="right today",
        notes=[f"the next change of `{field}` makes it wrong, and the job hangs"],
        helps=[f"let the program read `{variable}`"],
        severity=NOTE,
    )


def _is_given(workload: Workload) -> bool:
    """Whether the operator sets ``WORLD_SIZE``: a PyTorchJob has it only together with a Master."""
    return "WORLD_SIZE" in workload.rules_env and any(role.name == "Master" for role in workload.roles)


def _factors(workload: Workload, processes: bool) -> list[tuple[Place, str]]:
    factors = []
    if processes and workload.procs_path is not None:
        label = f"{plural(workload.procs_per_pod, 'process')} in each pod"
        factors.append((Place(workload.procs_path), label))
    for role in workload.roles:
        if "replicas" in role.tree:
            factors.append((Place((*role.path, "replicas")), plural(role.replicas, "pod")))
    return factors


def _sum(workload: Workload, processes: bool) -> str:
    """``(1 + 3) pods × 8 processes = 32``."""
    parts = " + ".join(str(role.replicas) for role in workload.roles)
    several = len(workload.roles) > 1
    if not processes or workload.procs_path is None:
        if not several and workload.operator == "jobset":
            return "a Job has as many pods as `parallelism` and `completions` allow at once"
        return f"{parts} = {plural(workload.pods, 'pod')}" if several else f"`replicas` is {parts}"
    pods = f"({parts}) pods" if several else plural(workload.pods, "pod")
    return f"{pods} × {plural(workload.procs_per_pod, 'process')} = {workload.world_size}"
