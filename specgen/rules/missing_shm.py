"""A pod with several GPUs, or with processes that load its data, and no memory-backed `/dev/shm`.

## What it checks
A container that asks for two or more GPUs, or for one while its command says how many processes load data
(`--num-workers=8`), has something mounted at `/dev/shm`, or shares the node's IPC namespace; and an `emptyDir` that is
mounted there has no `sizeLimit` of 64 MiB or less. Jobs that run programs which share no memory, such as `nvbandwidth`
or `ib_write_bw`, are passed over.

## Why it hurts
Without a mount, `/dev/shm` holds 64 MiB. NCCL exchanges data between the processes of a pod there, and so do the
data-loader workers of PyTorch. When it is full, the job ends in a bus error, often hours after it began.

## Severity
- warning: how large `/dev/shm` is says the container runtime, and how much is shared the program.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8}}
volumeMounts: [{name: shm, mountPath: /dev/shm}]
```

## Fix
Mount an `emptyDir` with `medium: Memory` at `/dev/shm`: the one that the pod has and nobody mounts, else a new one. It
counts against the container's memory limit, as the small one did, and holds all that fitted there: safe. To take out a
`sizeLimit`, which somebody wrote, is unsafe.

## When to ignore it
Where the container runtime gives every pod a larger `/dev/shm`, or no process shares memory.

## References
NCCL 2.30, user guide, "Shared memory"; containerd's default `/dev/shm` has a size of 65536k.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, SAFE, UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping, sequence
from specgen.quantity import NANO, nano
from specgen.rules import ALL, CONTAINER
from specgen.rules._remedies import add
from specgen.rules._words import gpus, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG401", "missing-shm", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL

# Programs that measure GPUs or networks, and use neither NCCL nor PyTorch.
_NEITHER = ("nvbandwidth", "gpu-burn", "gpu_burn", "ib_write_bw", "ib_read_bw", "ib_send_bw", "dcgmi", "dcgmproftester")
# What the container runtime mounts where nothing else is, in billionths of bytes.
_DEFAULT = (64 << 20) * NANO
_NOTE = "NCCL and the data-loader workers of PyTorch exchange data there; a full `/dev/shm` ends in a bus error"


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    count, path = gpus(container, context)
    if container.init or count < 1 or container.role.pod.get("hostIPC") is True:
        return
    asked = ""
    if count == 1:
        if "workers" not in container.line:
            return
        from specgen.operators.kubernetes.launchers import loaders  # most command lines do not say

        asked = loaders([text for _, _, text in container.words()])
        if not asked:
            return
    small = _small(container) if container.mounts_at("/dev/shm") else None
    mounted = container.mounts_at("/dev/shm") or container.mounts_at("/dev")
    if (mounted and small is None) or _shares_nothing(container):
        return
    from specgen.rules import trainer_small_shm  # a job that comes here is warned in any case

    if any(trainer_small_shm.check(container, context)):
        return  # it says the same with the sizes
    among = f"the processes of `{asked}`" if asked else f"{count} GPUs"
    related = [] if asked else [(Place(path), f"{count} GPUs in one pod")]
    if small is not None:
        where, size = small
        yield CODE.at(
            Place(where),
            f"container `{shown(container.name)}` shares memory between {among} through a `/dev/shm` of {shown(size)}",
            label="no more than without a mount",
            related=related,
            notes=[_NOTE],
            fix=Fix("leave `sizeLimit` out: the container's memory limit bounds it", UNSAFE, [Remove(where)]),
        )
        return
    missing = "volumeMounts" if "volumeMounts" in container.tree else "name"
    part = KEY if missing == "volumeMounts" else "value"
    yield CODE.at(
        Place((*container.path, missing), part),
        f"container `{shown(container.name)}` shares memory between {among} through a 64 MiB `/dev/shm`",
        label="nothing is mounted at `/dev/shm`",
        related=related,
        notes=[_NOTE],
        fix=_fix(container),
    )


def _small(container: Container) -> tuple[Path, str] | None:
    """Where the size of what is mounted at `/dev/shm` is said, and the size; None: it is none, or above the default."""
    name = next((mount.get("name") for _, mount in container.mounts if mount.get("mountPath") == "/dev/shm"), None)
    for at, volume in enumerate(sequence(container.role.pod.get("volumes"))):
        written = mapping(mapping(volume).get("emptyDir")).get("sizeLimit")
        size = nano(written)
        if mapping(volume).get("name") == name and size is not None and 0 < size <= _DEFAULT:
            return (*container.role.pod_path, "volumes", at, "emptyDir", "sizeLimit"), str(written)
    return None


def _fix(container: Container) -> Fix | None:
    role = container.role
    mounts = [mapping(mount) for mount in sequence(container.tree.get("volumeMounts"))]
    if any("/dev/shm" in mount.values() and "mountPath" not in mount for mount in mounts):
        return None  # what is mounted there is meant for it, below another key
    volumes = [mapping(volume) for volume in sequence(role.pod.get("volumes"))]
    meant = _unmounted(role, volumes)
    if meant:
        return Fix(
            f"mount `{shown(meant)}` at `/dev/shm`: it is in memory, and mounted nowhere",
            SAFE,
            [add(container.tree, ("volumeMounts",), {"name": meant, "mountPath": "/dev/shm"}, within=container.path)],
        )
    taken = [volume.get("name") for volume in volumes]
    name = next(name for name in ("dshm", "shm", *(f"shm-{number}" for number in range(99))) if name not in taken)
    volume = {"name": name, "emptyDir": {"medium": "Memory"}}
    return Fix(
        "mount an `emptyDir` with `medium: Memory` at `/dev/shm`",
        SAFE,
        [
            add(container.tree, ("volumeMounts",), {"name": name, "mountPath": "/dev/shm"}, within=container.path),
            add(role.pod, ("volumes",), volume, within=role.pod_path),
        ],
    )


def _unmounted(role: Role, volumes: Sequence[dict[str, Any]]) -> str:
    """The only volume in memory that no container of a pod mounts and that holds what the usual `/dev/shm` does.

    Empty where there is none, or several.
    """
    containers = [*role.containers(init=True), *role.containers()]
    mounted = [entry.get("name") for one in containers for _, entry in one.mounts]
    found = [
        name
        for volume in volumes
        if mapping(volume.get("emptyDir")).get("medium") == "Memory"
        and (nano(mapping(volume["emptyDir"]).get("sizeLimit")) or _DEFAULT) >= _DEFAULT
        and isinstance(name := volume.get("name"), str)
        and name not in mounted
    ]
    return found[0] if len(found) == 1 else ""


def _shares_nothing(container: Container) -> bool:
    """Whether the job runs a program of which that is known, be it from a launcher."""
    mains = [role.main for role in container.role.workload.roles]
    texts = [text for one in (container, *mains) if one is not None for _, _, text in one.words()]
    names = [word.rpartition("/")[2] for word in " ".join(texts).split()]
    return any([name in _NEITHER for name in names])
