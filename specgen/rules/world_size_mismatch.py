"""A count in the command line that contradicts the job's own, or only repeats it.

## What it checks
`--world-size` and `--num_processes` against the processes that the job starts, `--nnodes` and `--num_machines` against
its pods. A range of pods for torchrun makes no job elastic that has no `elasticPolicy`. A count that fits, written out
although the operator hands it to every container, is a note. In an elastic job, whose pods may become more or fewer, a
contradiction is a warning. `accelerate launch` reads no such variable: for several machines it is told both counts; for
one it counts the processes of a pod, and torch's variables give the pods.

## Why it hurts
The rendezvous waits for as many members as it was told. Too many, and the job hangs with its GPUs idle; too few, and
some pods train alone or are turned away. A repeated count is right until somebody changes `replicas`.

## Severity
- error: the processes wait for more members than there will be, or turn some away.
- warning: an elastic job may come to that number, pods that count one train alone, a range may be torchrun's alone.
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
Let the program read `WORLD_SIZE`, or tell it `$(WORLD_SIZE)`; leave torchrun's `--nnodes` out, as it reads
`PET_NNODES`. Where the numbers contradict each other
that is shown and not applied: the number of pods may be what is wrong. Where they are equal it is unsafe, as it is
about a job that works.

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
from specgen.rules._remedies import left_out, told_by
from specgen.rules._words import gpus, options, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.rules import Context

CODE = Code("SG210", "world-size-mismatch", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (COUNTS,)

PROCESSES = ("--world-size", "--world_size", "--num_processes", "--num-processes")
PODS = ("--nnodes", "--num_machines", "--num-machines")
PER_POD = ("--nproc_per_node", "--nproc-per-node")


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
        for name, value, written, word, start in options(container, PROCESSES + PODS):
            if value.isascii() and value.isdigit() and len(value) < 10:
                place = Place(word.path, inside=(word.start + start, word.start + start + len(value)))
                machines = _machines(container) if machines is None else machines
                if machines == 1 and "PET_NNODES" in workload.rules_env:
                    continue  # accelerate takes the pods from torch's variables, and counts the processes of one
                if machines and _fits(workload, name, int(value), machines):
                    continue  # it reads no variable for either
                variable = "PET_NNODES" if name in PODS else "WORLD_SIZE"
                given = variable in workload.rules_env if name in PODS else _is_given(workload)
                found = (
                    _pods(workload, place, shown(written), int(value))
                    if name in PODS
                    else _processes(workload, container, context, place, shown(written), int(value))
                )
                for one in found:
                    # of two numbers that contradict each other, the other one may be wrong
                    level = UNSAFE if one.severity == NOTE else DISPLAY
                    one.fix = told_by(container, word, written, value, variable, level) if given else None
                    if one.fix is not None and name == "--nnodes" and not machines:
                        one.fix = left_out(container, word, written, value, level)
                    if one.fix is not None:
                        one.helps = []  # it does what they say
                    yield one


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


def _processes(
    workload: Workload, container: Container, context: Context, place: Place, written: str, count: int
) -> Iterator[Finding]:
    if count == workload.world_size and _is_given(workload) and not _is_elastic(workload):
        yield _repeats(place, written, "WORLD_SIZE", "replicas")
        return
    # What the option may count as well: pods, one process a GPU, or as many as torchrun is told to start.
    each = [1, workload.procs_per_pod, gpus(container, context)[0]]
    each += [
        int(value)
        for _, value, _, _, _ in options(container, PER_POD)
        if value.isascii() and value.isdigit() and len(value) < 6
    ]
    if any(count == workload.pods * number for number in each):
        return
    said = f"`WORLD_SIZE={workload.world_size}`"
    notes = [_sum(workload, True) + (f"; the operator sets {said} in every container" if _is_given(workload) else "")]
    things = plural(workload.world_size, "process") if workload.procs_path is not None else plural(workload.pods, "pod")
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


def _pods(workload: Workload, place: Place, written: str, count: int) -> Iterator[Finding]:
    if count == workload.pods:
        if "PET_NNODES" in workload.rules_env and count > 1 and not _is_elastic(workload):
            yield _repeats(place, written, "PET_NNODES", "replicas")
        return
    alone = count == 1
    yield CODE.at(
        place,
        f"`{written}` contradicts the {plural(workload.pods, 'pod')} this job starts",
        label=f"says {count}",
        related=_factors(workload, False),
        notes=[
            _sum(workload, False),
            "each pod then trains alone" if alone else "the rendezvous waits for as many pods as it was told",
        ],
        helps=[
            f"take the number from `PET_NNODES`, or make the pods {count}"
            if "PET_NNODES" in workload.rules_env
            else f"say {workload.pods}, or make the pods {count}"
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
