"""A `/dev/shm` that does not hold the batches of the trainer's loader processes.

## What it checks
The trainer's formula against what is mounted at `/dev/shm`: its `sizeLimit`, else the pod's memory limit, else 64 MiB.
A batch takes `-b` × `--accum` × 3 × `--image-size`² bytes. Each process of the pod has two for each loader (`-j`, at
most the CPU limit) and one more, and with `--eval` as many again of one micro-batch each. Only images pass through it,
neither IDX files nor `--dummy`.

## Why it hurts
The trainer compares the two at its start and ends with exit code 78. If it did not, a loader would die of a bus error
once the batches are full.

## Severity
- error: the trainer ends with exit code 78 at its start.
- warning: the script's name alone does not say that it is the trainer.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, -u, -m, trainer, train, -b, "256", -j, "16", --format, folder, --data, /data/imagenet]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
command: [python, -u, -m, trainer, train, -b, "256", -j, "16", --format, folder, --data, /data/imagenet]
volumeMounts: [{name: shm, mountPath: /dev/shm}]
```

## Fix
Mount a memory-backed `emptyDir` of that size (`shm: auto` in a profile), or lower `-j` or `-b`.

## When to ignore it
Where the data is IDX, which `--format idx` says better, or the container runtime gives each pod a larger `/dev/shm`.

## References
`python -m trainer contract --json`, "mounts"; trainer/preflight.py (`shm`); containerd's default of 65536k.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code, Place
from specgen.manifest.views import mapping, sequence
from specgen.quantity import nano
from specgen.rules import ALL, CONTAINER
from specgen.rules._trainer import call, cpus
from specgen.rules._words import shown
from specgen.tables.trainer_contract import CONTRACT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.rules._trainer import Call

CODE = Code("SG450", "trainer-small-shm", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL

# The trainer's formula for one process, a sum of products: (a name of _WORDS or `eval`, or a number; its power).
_SUM: list[list[tuple[str, int]]] = [
    [(name, int(power or 1)) for name, _, power in [factor.partition("^") for factor in product.split(" * ")]]
    for product in CONTRACT["mounts"]["/dev/shm"]["bytes_per_process"]
]
_UNMOUNTED = 64 << 20


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding for each container in which processes of the trainer run."""
    found = call(container)
    if found is None or not found.reads_images:
        return
    for home in found.homes:
        need, size = _need(found, home), _size(home)
        if need is None or size is None:
            continue
        held, place, label = size
        each = found.processes or 1
        if need * each <= held:
            continue
        what = f"{each} processes of the trainer" if each > 1 else "the trainer"
        yield CODE.at(
            place,
            f"the loaders of {what} fill {_mib(need * each)} of `/dev/shm`, which has {_mib(held)}",
            label=label,
            related=[(said.place, shown(said.written)) for said in map(found.argument, _WORDS) if said is not None],
            notes=[
                f"for each process: {_sets(found, home)}",
                "the trainer ends with exit code 78 at its start",
                *found.doubts,
            ],
            helps=["give `/dev/shm` that size, or lower `-j` or `-b`; `--format idx` says that no loaders run"],
            severity=found.severity,
        )


_WORDS = ("workers", "batch_size", "accum", "image_size")


def _values(found: Call, home: Container) -> dict[str, int] | None:
    """What the formula's names stand for; None where one is not known."""
    values: dict[str, int] = {}
    for name in _WORDS:
        value = found.arguments.number(name)
        if value is None:
            return None
        values[name] = value
    limit = cpus(home)
    values["workers"] = min(values["workers"], limit) if limit is not None else values["workers"]
    values["eval"] = int("eval" in found.arguments.said)
    return values


def _need(found: Call, home: Container) -> int | None:
    """Bytes of one process."""
    values = _values(found, home)
    if values is None:
        return None
    if not values["workers"]:
        return 0  # the process reads for itself
    need = 0
    for product in _SUM:
        factor = 1
        for name, power in product:
            number: int = (values[name] if name in values else int(name)) ** power
            factor *= number
        need += factor
    return need


def _sets(found: Call, home: Container) -> str:
    """What the sum consists of, for a reader."""
    values = _values(found, home) or {}
    batches, samples, side = 2 * values["workers"] + 1, values["batch_size"], values["image_size"]
    text = f"{batches} batches of {samples * values['accum']} × 3 × {side}² bytes"
    return f"{text}, and for `--eval` {batches} of {samples} × 3 × {side}²" if values["eval"] else text


def _size(home: Container) -> tuple[int, Place, str] | None:
    """(bytes at `/dev/shm`, the place that says so, its label); None where that is not known."""
    if home.role.pod.get("hostIPC") is True or home.mounts_at("/dev"):
        return None
    mount = next((entry for _, entry in home.mounts if entry["mountPath"].rstrip("/") == "/dev/shm"), None)
    if mount is None:
        return _UNMOUNTED, Place((*home.path, "name")), "nothing is mounted at `/dev/shm`, so it has 64 MiB"
    for index, volume in enumerate(sequence(home.role.pod.get("volumes"))):
        source = mapping(volume).get("emptyDir")
        if mapping(volume).get("name") != mount.get("name") or mapping(source).get("medium") != "Memory":
            continue
        path = (*home.role.pod_path, "volumes", index, "emptyDir")
        own, memory = nano(mapping(source).get("sizeLimit")), _memory(home)
        if own is not None and own >= 0 and (memory is None or own <= memory):
            return own // 10**9, Place((*path, "sizeLimit")), "its size"
        if memory is not None and mapping(mapping(home.tree.get("resources")).get("limits")).get("memory") is not None:
            return memory // 10**9, Place((*home.path, "resources", "limits", "memory")), "all memory of the pod"
    return None


def _memory(home: Container) -> int | None:
    """The memory limit of the pod in billionths, which also bounds volumes in memory; None where one has no limit."""
    total = 0
    for container in home.role.containers():
        amount = nano(mapping(mapping(container.tree.get("resources")).get("limits")).get("memory"))
        if amount is None or amount < 0:
            return None
        total += amount
    return total


def _mib(size: int) -> str:
    return f"{-(-size // (1 << 20))} MiB"
