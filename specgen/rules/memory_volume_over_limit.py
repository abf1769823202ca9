"""A volume in memory that may grow beyond the memory of its container.

## What it checks
Where all containers that mount an `emptyDir` with `medium: Memory` have a memory limit, its `sizeLimit` stays below the
greatest of these limits.

## Why it hurts
What is written there counts as memory of the container that writes it. It is killed long before the volume is full, as
the program needs memory as well: an `OOMKilled` with hours of work in it, where a full `/dev/shm` was meant to be the
bound.

## Severity
- warning: whether the volume ever gets so full is not known.

## Example
Bad:

```yaml
containers:
- name: pytorch
  image: registry.example.com/train:1.4
  resources: {limits: {nvidia.com/gpu: 8, memory: 64Gi}}
  volumeMounts: [{name: shm, mountPath: /dev/shm}]
volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 128Gi}}]
```

Good:

```yaml
containers:
- name: pytorch
  image: registry.example.com/train:1.4
  resources: {limits: {nvidia.com/gpu: 8, memory: 192Gi}}
  volumeMounts: [{name: shm, mountPath: /dev/shm}]
volumes: [{name: shm, emptyDir: {medium: Memory, sizeLimit: 128Gi}}]
```

## Fix
Raise the memory limit to what the program and the volume need together, or lower `sizeLimit`. None is applied: how much
the program needs is not known.

## When to ignore it
Where the size is a bound that is never reached.

## References
Kubernetes 1.36, documentation of volumes (emptyDir): "files you write count against the memory limit of the container
that wrote them"; kubernetes/website#36494.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.quantity import NANO, nano
from specgen.rules import ALL, MEMORY, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context

CODE = Code("SG481", "memory-volume-over-limit", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (MEMORY,)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each volume."""
    for index, volume in enumerate(sequence(role.pod.get("volumes"))):
        source = mapping(mapping(volume).get("emptyDir"))
        size = nano(source.get("sizeLimit"))
        if source.get("medium") != "Memory" or not size:
            continue
        limits = [(_limit(one), one) for one in role.containers() if _mounts(one, volume)]
        greatest = max(((limit, at) for at, (limit, _) in enumerate(limits) if limit is not None), default=None)
        if greatest is None or any(limit is None for limit, _ in limits) or size < greatest[0]:
            continue
        container = limits[greatest[1]][1]
        path = (*container.path, "resources", "limits", "memory")
        written = container.tree["resources"]["limits"]["memory"]
        yield CODE.at(
            (*role.pod_path, "volumes", index, "emptyDir", "sizeLimit"),
            f"`{shown(volume.get('name'))}` may hold {shown(source['sizeLimit'])} in memory, and its "
            f"container {shown(written)} in all",
            label="counts as memory of who writes it",
            related=[(Place(path), "the limit of all its memory")],
            notes=["the container is killed before the volume is full"],
            helps=["a memory limit that holds the program and the volume, or a smaller `sizeLimit`"],
        )


def _mounts(container: Container, volume: Any) -> bool:
    return any(mount.get("name") == mapping(volume).get("name") for _, mount in container.mounts)


def _limit(container: Container) -> int | None:
    limit = nano(mapping(mapping(container.tree.get("resources")).get("limits")).get("memory"))
    # in less than 1 MiB nothing starts: that is another slip
    return limit if limit is None or limit >= NANO << 20 else None
