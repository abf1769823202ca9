"""Values and sets of arguments that the trainer refuses at its start.

## What it checks
Values have their argument's type and are among its choices, counts are at least one, and arguments that exclude each
other stand alone: data and `--dummy`, `--backend` and another `--dist-backend`. `train` is told where its data is.
`--expect-world` and `--spawn` fit the processes that the job starts. Variables `TRAINER_<NAME>` count as arguments.

## Why it hurts
The trainer ends with exit code 64 as soon as it is started, in all pods, and holds their GPUs until then.

## Severity
- error: the trainer ends with exit code 64 as soon as it is started.
- warning: the script's name alone does not say that it is the trainer.

## Example
Bad:

```yaml
command: [python, -u, -m, trainer, train, -a, resnet52, --data, /data/imagenet]
```

Good:

```yaml
command: [python, -u, -m, trainer, train, -a, resnet50, --data, /data/imagenet]
```

## Fix
Change what the finding points at. None is applied: which of two sides is meant is not known.

## When to ignore it
Never for the trainer; it does not start.

## References
trainer/cli.py (`check`), trainer/spawn.py; `python -m trainer contract --json`, "arguments".
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code, Place, plural
from specgen.manifest.views import mapping
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.rules._trainer import Call

    Wrong = tuple[Place, str, str, list[tuple[Place, str]]]

CODE = Code("SG231", "trainer-refused-argument", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL

# trainer/cli.py, check
_AT_LEAST_ONE = ("batch_size", "accum", "threads", "epochs", "print_freq", "iters")
_BACKENDS = ("nccl", "gloo", "mpi")
# Roles whose pods all join the trainer's group.
_TRAINING = ("Master", "Worker", "Chief")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each value, and one for each contradiction."""
    found = call(container)
    if found is None:
        return
    wrong: list[Wrong] = [(place, message, label, []) for place, message, label in found.arguments.wrong]
    wrong += _counts(found)
    wrong += _contradictions(found)
    wrong += _world(found)
    for place, message, label, related in wrong:
        notes = ["the trainer ends with exit code 64 at its start", *found.doubts]
        yield CODE.at(place, message, label=label, related=related, notes=notes, severity=found.severity)


def _counts(found: Call) -> Iterator[Wrong]:
    for key in _AT_LEAST_ONE:
        said = found.argument(key)
        if said is not None and said.text is not None and _is_below_one(said.text):
            yield said.place, f"`{shown(said.written)}` is less than 1", "must be 1 or more", []


def _contradictions(found: Call) -> Iterator[Wrong]:
    data, dummy = found.argument("data"), found.argument("dummy")
    if data is not None and dummy is not None:
        message = (
            f"`{dummy.written}`, which makes images up, contradicts the data in `{shown(data.text or data.written)}`"
        )
        yield dummy.place, message, "no data is read", [(data.place, "the data")]
    needed = found.command == "train" and found.entry != "main_allreduce.py"  # which makes images up without a word
    if needed and data is None and dummy is None and found.arguments.complete:
        message = "the trainer is told neither where its data is nor to make it up"
        yield found.word.place, message, "neither `--data` nor `--dummy` follows", []
    backend, old = found.argument("backend"), found.argument("dist_backend")
    if old is None or not old.text:
        return
    if old.text not in _BACKENDS:
        known = ", ".join(f"`{name}`" for name in _BACKENDS)
        yield old.place, f"`{shown(old.written)}` is none of the values that it takes", f"must be one of {known}", []
    elif backend is not None and backend.text not in (None, "auto", old.text):
        message = f"`{shown(old.written)}` contradicts `{shown(backend.written)}`"
        yield old.place, message, "one backend", [(backend.place, "the other backend")]


def _world(found: Call) -> Iterator[Wrong]:
    """Counts of processes, where the number of pods is fixed and the operator, not mpirun, counts them."""
    workload = found.container.role.workload
    if workload.procs_per_pod == 1 and found.argument("expect_world") is None and found.argument("spawn") is None:
        return
    roles = workload.roles
    elastic = mapping(workload.manifest.tree.get("spec")).get("elasticPolicy") is not None
    if elastic or found.mpirun is not None or any(role.name not in _TRAINING for role in roles):
        return
    if any(not _is_count(role.tree.get("replicas", 1)) for role in roles):
        return
    expected = found.argument("expect_world")
    counted = workload.kind == "PyTorchJob" and found.torchrun is None and any(role.name == "Master" for role in roles)
    each = workload.procs_per_pod if counted else found.processes
    alone = any(word.text.startswith(("--standalone", "--nnodes")) for word in found.before)
    if expected is not None and each is not None and not alone:
        world = workload.pods * each
        count = found.arguments.number("expect_world")
        if count is not None and count not in (0, world):
            related = [
                (Place((*role.path, "replicas")), plural(role.replicas, "pod"))
                for role in roles
                if "replicas" in role.tree
            ]
            things = f"the {plural(workload.pods, 'pod')} with {plural(each, 'process')} each that this job starts"
            yield expected.place, f"`{shown(expected.written)}` contradicts {things}", f"says {count}", related
    yield from _spawned(found)


def _spawned(found: Call) -> Iterator[Wrong]:
    """`WORLD_SIZE` of a PyTorchJob counts `nprocPerNode` processes a pod: somebody has to start them."""
    container = found.container
    workload = container.role.workload
    if workload.kind != "PyTorchJob" or not any(role.name == "Master" for role in workload.roles):
        return
    if found.torchrun is not None or any(name in container.env for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK")):
        return
    each, spawn = workload.procs_per_pod, found.argument("spawn")
    place = Place(workload.procs_path) if workload.procs_path is not None else None
    said = [(place, plural(each, "process"))] if place is not None else []
    if spawn is None or spawn.text == "-1":
        if each > 1:
            message = f"the operator counts {each} processes in each pod, and the trainer starts one"
            yield found.word.place, message, "neither torchrun in front nor `--spawn` behind it", said
        return
    count = found.arguments.number("spawn")
    if count is not None and count not in (0, each) and workload.pods * each > 1:
        message = (
            f"`{shown(spawn.written)}` contradicts the {plural(each, 'process')} that the operator counts in each pod"
        )
        yield spawn.place, message, f"says {count}", said


def _is_below_one(text: str) -> bool:
    try:
        return int(text) < 1
    except ValueError:
        return False


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
