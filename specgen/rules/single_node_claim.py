"""A claim for one node that pods of several nodes mount.

## What it checks
A PersistentVolumeClaim that stands beside the job and takes `ReadWriteOnce` or `ReadWriteOncePod` alone is mounted by
one pod, or one that shares its node; `ReadWriteOncePod` by one pod.

## Why it hurts
A volume that is `ReadWriteOnce` is attached to one node. Pods on others wait with "Multi-Attach error" and hold their
GPUs, while those that run wait for them. Under `ReadWriteOncePod` the second pod is not even scheduled.

## Severity
- error: the API server takes the pods, and the scheduler never places the second one.
- warning: all pods may have room on one node.

## Example
Bad:

```yaml
replicas: 4
template:
  spec:
    containers:
    - {name: pytorch, image: "registry.example.com/train:1.4", volumeMounts: [{name: data, mountPath: /data}]}
    volumes: [{name: data, persistentVolumeClaim: {claimName: imagenet}}]
---
kind: PersistentVolumeClaim
apiVersion: v1
metadata: {name: imagenet}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 200Gi}}}
```

Good:

```yaml
replicas: 4
template:
  spec:
    containers:
    - {name: pytorch, image: "registry.example.com/train:1.4", volumeMounts: [{name: data, mountPath: /data}]}
    volumes: [{name: data, persistentVolumeClaim: {claimName: imagenet}}]
---
kind: PersistentVolumeClaim
apiVersion: v1
metadata: {name: imagenet}
spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 200Gi}}}
```

## Fix
`ReadWriteMany`, or `ReadOnlyMany` for data, from a storage class that has it; scratch space of each pod is a generic
ephemeral volume. None is applied: which class has it is not known, and a claim's modes cannot be changed.

## When to ignore it
A warning for `ReadWriteOnce`, as all pods may have room on one node.

## References
Kubernetes 1.36, "Persistent Volumes" (access modes) and pkg/scheduler/framework/plugins/volumerestrictions;
NVIDIA/deepops PR 587, project-codeflare/codeflare-sdk#201, kserve/kserve#3409.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, plural, shown
from specgen.manifest.beside import of_kind
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CLAIMS, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG490", "single-node-claim", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (CLAIMS,)

_CLAIM = "PersistentVolumeClaim"
_HOST = "kubernetes.io/hostname"
_NODE, _POD = "ReadWriteOnce", "ReadWriteOncePod"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each claim, at its first use."""
    space = workload.manifest.ref.namespace
    claims = {
        one.ref.name: one
        for one in of_kind(context.companions, _CLAIM)
        if (one.ref.namespace == space or None in (one.ref.namespace, space))
    }
    if not claims:
        return
    uses: dict[str, list[tuple[Path, int, str]]] = {}
    for role in workload.roles:
        for index, volume in enumerate(sequence(role.pod.get("volumes"))):
            name = mapping(mapping(volume).get("persistentVolumeClaim")).get("claimName")
            if isinstance(name, str) and name in claims and role.replicas > 0:
                path = (*role.pod_path, "volumes", index, "persistentVolumeClaim", "claimName")
                uses.setdefault(name, []).append((path, role.replicas, role.name))
    for name, found in uses.items():
        modes = sequence(mapping(claims[name].tree.get("spec")).get("accessModes"))
        pods = sum(count for _, count, _ in found)
        if pods < 2 or not modes or any(mode not in (_NODE, _POD) for mode in modes):
            continue
        alone = modes == [_POD]
        if not alone and all(_stays(role) for role in workload.roles):
            continue
        reach = "one pod" if alone else "the pods of one node"
        where = Place(("spec", "accessModes"), where=claims[name].where)
        yield CODE.at(
            found[0][0],
            f"{plural(pods, 'pod')} mount `{shown(name)}`, which is for {reach}",
            label=f"in {plural(found[0][1], 'pod')} of `{found[0][2]}`",
            related=[(where, f"`{modes[0]}`"), *[(Place(path), f"and in `{role}`") for path, _, role in found[1:]]],
            notes=[
                "the second pod is never scheduled"
                if alone
                else "pods on another node wait until the volume is free, with their devices"
            ],
            helps=["`ReadWriteMany`, from a storage class that has it; scratch space: an `ephemeral` volume"],
            severity=ERROR if alone else WARNING,
        )


def _stays(role: Role) -> bool:
    """Whether the pods of a role are held to one node."""
    affinity = mapping(mapping(role.pod.get("affinity")).get("podAffinity"))
    terms = sequence(affinity.get("requiredDuringSchedulingIgnoredDuringExecution"))
    near = any(mapping(term).get("topologyKey") == _HOST for term in terms)
    return near or bool(role.pod.get("nodeName")) or _HOST in mapping(role.pod.get("nodeSelector"))
