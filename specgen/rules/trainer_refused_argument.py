"""Values and sets of arguments that the trainer refuses at its start.

## What it checks
Values have their argument's type and are among its choices, numbers are not too small, and arguments that exclude each
other stand alone: data and `--dummy`, `--backend` and another `--dist-backend`, a network and a kind of data that it
does not take, `--static-graph` and `--accum` of more than one. `train` is told where its data is.
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
from specgen.rules._trainer_arguments import beyond, flags
from specgen.rules._words import shown
from specgen.tables.trainer_contract import CONTRACT

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

_BACKENDS = ("nccl", "gloo", "mpi")
# Roles whose pods all join the trainer's group.
_TRAINING = ("Master", "Worker", "Chief")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each value, and one for each contradiction."""
    found = call(container)
    if found is None:
        return
    wrong: list[Wrong] = [(place, message, label, []) for place, message, label in found.arguments.wrong]
    wrong += _limits(found)
    wrong += _together(found)
    wrong += _contradictions(found)
    wrong += _world(found)
    for place, message, label, related in wrong:
        notes = ["the trainer ends with exit code 64 at its start", *found.doubts]
        yield CODE.at(place, message, label=label, related=related, notes=notes, severity=found.severity)


def _limits(found: Call) -> Iterator[Wrong]:
    """Numbers that are too small, and texts that are not as they must be."""
    for key, flag in flags(found.command).items():
        said = found.argument(key)
        if said is None or said.text is None or flag["legacy"]:
            continue
        limit = beyond(flag, said.text)
        if limit is not None:
            yield said.place, f"`{shown(said.written)}` {limit[0]}", limit[1], []


def _together(found: Call) -> Iterator[Wrong]:
    """Arguments that the trainer refuses together; a default is one of them where all arguments are seen."""
    for row in CONTRACT["arguments"]["refused_together"] if found.command != "bench" else ():
        if "data" in row["when"] and found.argument("dummy") is not None:
            continue  # which already contradicts the data
        said = [(key, found.argument(key)) for key in row["when"] if key != "data"]
        given = [(key, one) for key, one in said if one is not None]
        if given and all(_is(found, key, wanted) for key, wanted in row["when"].items()):
            words = [
                f"`{shown(one.written)}`" if one is not None else f"the default `{_default(found, key)}`"
                for key, one in said
            ]
            related = [(one.place, "the other argument") for _, one in given[:-1]]
            yield given[-1][1].place, f"{words[0]} contradicts {words[1]}: {row['why']}", "refused together", related


def _is(found: Call, key: str, wanted: object) -> bool:
    if wanted is True:
        return found.argument(key) is not None
    text = found.arguments.text(key)
    if isinstance(wanted, list):
        return text in wanted
    number = found.arguments.number(key)
    return isinstance(wanted, int) and number is not None and number >= wanted


def _default(found: Call, key: str) -> str:
    return f"--{key.replace('_', '-')}={found.arguments.text(key)}"


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


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
