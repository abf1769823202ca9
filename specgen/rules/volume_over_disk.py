"""A volume on a node's disk that may hold more than the pod may use, or than the disk of any node.

## What it checks
The `sizeLimit` of every `emptyDir` that is not in memory is no more than the `ephemeral-storage` limits of the pod's
containers together, where one has some, and no more than the disk of a node, as the cluster profile says it
(`nodes.disk`), of one pool at least that has the devices of the pod.

## Why it hurts
A `sizeLimit` reserves nothing: the scheduler places the pod, and nobody looks at it until the program writes. What it
writes there counts in the pod's limit: beyond that, and where the node's disk is full, which is long before the volume
is, the kubelet evicts the pod with all that it had staged.

## Severity
- warning: the program may write less than the volume may hold, and a node may keep such volumes on another disk.

## Example
Bad:

```yaml
containers:
- name: pytorch
  image: registry.example.com/train:1.4
  resources: {limits: {nvidia.com/gpu: 8}}
  volumeMounts: [{name: local, mountPath: /local}]
volumes: [{name: local, emptyDir: {sizeLimit: 2T}}]
```

Good:

```yaml
containers:
- name: pytorch
  image: registry.example.com/train:1.4
  resources: {limits: {nvidia.com/gpu: 8}}
  volumeMounts: [{name: local, mountPath: /local}]
volumes: [{name: local, emptyDir: {sizeLimit: 400Gi}}]
```

## Fix
A size that a node has, which a request of `ephemeral-storage` has the scheduler count, or a volume of another sort: a
directory of the node's local disks, or an `ephemeral` one of a storage class. None is applied.

## When to ignore it
Where the kubelet keeps its volumes on another disk than the one that the profile says.

## References
Kubernetes 1.36, "Local ephemeral storage"; pkg/kubelet/eviction/eviction_manager.go (`emptyDirLimitEviction`, and
the signal `nodefs.available`); pkg/scheduler/framework/plugins/noderesources/fit.go, which counts requests alone.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.quantity import nano
from specgen.rules import ALL, ROLE, SIZED_VOLUME
from specgen.rules._pools import offered_at, offers, spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.profile.cluster import Pool
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG415", "volume-over-disk", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (SIZED_VOLUME,)

_DISK = "ephemeral-storage"


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each volume."""
    limit = _limit(role)
    for index, volume in enumerate(sequence(role.pod.get("volumes")) if limit is not None else ()):
        source = mapping(mapping(volume).get("emptyDir"))
        size = nano(source.get("sizeLimit"))
        if limit is None or source.get("medium") or not size or size <= limit[0]:
            continue
        yield CODE.at(
            (*role.pod_path, "volumes", index, "emptyDir", "sizeLimit"),
            f"`{shown(volume.get('name'))}` may hold {shown(source['sizeLimit'])}, and the pod may use "
            f"{spelled(_DISK, limit[0])}",
            label="more than the pod may use",
            related=[(Place(limit[1]), "its limit")],
            notes=["what is written there counts in the pod's limit: the kubelet evicts the pod that is above it"],
            helps=[f"an `{_DISK}` limit that holds the volume, the logs, and what containers write beside it"],
        )
    found = _largest(role, context)
    if found is None:
        return
    name, pool, room, asked = found
    for index, volume in enumerate(sequence(role.pod.get("volumes"))):
        source = mapping(mapping(volume).get("emptyDir"))
        size = nano(source.get("sizeLimit"))
        # what is reserved beyond a node is refused by the scheduler, which says so
        if source.get("medium") or not size or size <= room or asked > room:
            continue
        finding = CODE.at(
            (*role.pod_path, "volumes", index, "emptyDir", "sizeLimit"),
            f"`{shown(volume.get('name'))}` may hold {shown(source['sizeLimit'])}, and a node of "
            f"`{shown(name)}` has {spelled(_DISK, room)}",
            label="more than a node's disk",
            notes=["no scheduler counts `sizeLimit`: the kubelet evicts the pod when the node's disk is nearly full"],
            helps=["a size that a node has, or another volume: a `hostPath` of local disks, or an `ephemeral` one"],
        )
        finding.cluster = [offered_at(name, pool, _DISK)]
        yield finding


def _limit(role: Role) -> tuple[int, Path] | None:
    """(what the pod's containers may use of a disk together, where the first says so); None: none of them says.

    Kubernetes 1.36, pkg/kubelet/eviction/eviction_manager.go, podEphemeralStorageLimitEviction.
    """
    limits = [mapping(mapping(one.tree.get("resources")).get("limits")) for one in role.containers()]
    known = [(nano(own[_DISK]), one) for own, one in zip(limits, role.containers(), strict=True) if _DISK in own]
    if not known or any(amount is None for amount, _ in known):
        return None
    return sum(amount or 0 for amount, _ in known), (*known[0][1].path, "resources", "limits", _DISK)


def _largest(role: Role, context: Context) -> tuple[str, Pool, int, int] | None:
    """(name, pool, disk of a node, what a pod reserves of it) of the pool with the largest disk; None: not all say it.

    Of the pools that have the pod's devices.
    """
    if context.cluster is None or context.reader is None or not context.reader.makes_pods(role):
        return None
    asks, wanted = context.asks(role)
    pools = {name: pool for name, pool in context.cluster.pools.items() if all(name in of for of in wanted.values())}
    disks = {name: offers(pool).get(_DISK) for name, pool in pools.items()}
    known = {name: disk for name, disk in disks.items() if disk is not None}
    if not known or len(known) < len(disks):
        return None
    name = max(known, key=lambda one: known[one])
    return name, pools[name], known[name], asks.get(_DISK, 0)
