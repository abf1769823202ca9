"""Pods that are the first to be evicted.

## What it checks
At least one container of a pod asks for CPU or memory, or has a limit of them. Opt-in: looked for where the group
`policy` or the code is selected.

## Why it hurts
Without either, a pod is BestEffort, however many GPUs it holds: when memory of its node is short it is the first to be
evicted, and the scheduler puts any number of pods on the node.

## Severity
- warning: the job runs; it is advice, which is looked for where it is asked for.

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
resources: {limits: {nvidia.com/gpu: 8, cpu: 96, memory: 1000Gi}}
```

## Fix
Limits of CPU and memory in every container make the pod Guaranteed. None is applied: how much is needed is not known.

## When to ignore it
Where a LimitRange of the namespace says them.

## References
Kubernetes 1.36, "Pod Quality of Service Classes"; awslabs/awsome-distributed-ai PR 1241.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.manifest.views import mapping
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG863", "best-effort", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each role with pods."""
    containers = role.containers()
    own = mapping(role.pod.get("resources"))
    asked = [name for one in (*containers, *role.containers(init=True)) for name in one.amounts()]
    asked += [name for side in ("limits", "requests") for name in mapping(own.get(side))]
    main = role.main or next(iter(containers), None)
    if main is None or role.replicas < 1 or "cpu" in asked or "memory" in asked:
        return
    place = Place((*main.path, "resources"), KEY) if "resources" in main.tree else Place((*main.path, "name"))
    yield CODE.at(
        place,
        "these pods are BestEffort: none of their containers asks for CPU or memory",
        label="no `cpu`, no `memory`",
        notes=["they are the first to be evicted when their node is short of memory"],
    )
