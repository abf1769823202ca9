"""A container with devices whose memory the namespace's LimitRange says.

## What it checks
A container that asks for devices and has no limit of `memory`, in a namespace whose LimitRange has a `default` of it:
one of the cluster profile (`namespaces`), or among the files of the run.

## Why it hurts
The API server writes the default into each pod, and no manifest shows it. It is made for small services: training ends
with `OOMKilled`, also by `/dev/shm` in memory, what is cached of a data set, and the loaders, which count in it.

## Severity
- warning: the program may need no more.

## Example
Bad:

```yaml
apiVersion: v1
kind: LimitRange
metadata: {name: defaults}
spec: {limits: [{type: Container, default: {memory: 8Gi}}]}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker: {template: {spec: {containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8, memory: 900Gi}}}]}}}
```

## Fix
Say how much memory the container may use. None is applied: how much it needs is not known.

## When to ignore it
Where the default of the namespace is meant for such jobs.

## References
Kubernetes 1.36, plugin/pkg/admission/limitranger/admission.go (mergeContainerResources); documentation of volumes,
emptyDir.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, plural, shown
from specgen.manifest.beside import of_kind
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.resources import is_extended
from specgen.rules import ALL, LIMIT_RANGE, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG629", "defaulted-memory", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (LIMIT_RANGE,)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding, where the container that trains would say it."""
    container = role.main
    if container is None or not role.replicas:
        return
    own = mapping(container.tree.get("resources"))
    limits = mapping(own.get("limits"))
    devices = {name: count for name, count in limits.items() if is_extended(name)}
    found = next(_defaults(role.workload.manifest.ref.namespace, context), None)
    if not devices or "memory" in limits or found is None:
        return
    amount, at, said = found
    name, count = next(iter(devices.items()))
    path: Path = (*container.path, "resources", "limits")
    finding = CODE.at(
        Place(path, KEY),
        f"`{shown(container.name)}` may use {shown(amount)} of memory, as a LimitRange gives it: it says none itself",
        label=f"{shown(count)} `{shown(name)}`, and no memory",
        notes=[
            f"`/dev/shm` in memory counts in it; above it the container is killed, in {plural(role.replicas, 'pod')}"
        ],
        helps=["`memory` among its limits, `resources.memory` of a job profile, is the amount that it may use"],
    )
    if at is not None:
        finding.related = [(Place(said, where=at.where), "the default of the namespace")]
    else:
        finding.cluster = [(said, "the default of the namespace")]
    yield finding


def _defaults(namespace: str | None, context: Context) -> Iterator[tuple[Any, Manifest | None, Path]]:
    """(amount, the LimitRange among the files, where that or the cluster profile says it), the first that counts."""
    space = namespace or "default"
    cluster = context.cluster
    for name, own in cluster.namespaces.items() if cluster is not None else ():
        for at, item in enumerate(own.limit_range if name == space else ()):
            if amount := _amount(item):
                yield amount, None, ("namespaces", name, "limitRange", at, "default", "memory")
    for one in of_kind(context.companions, "LimitRange"):
        for at, item in enumerate(sequence(mapping(one.tree.get("spec")).get("limits"))):
            if (one.ref.namespace or "default") == space and (amount := _amount(item)):
                yield amount, one, ("spec", "limits", at, "default", "memory")


def _amount(item: Any) -> Any:
    return mapping(mapping(item).get("default")).get("memory") if mapping(item).get("type") == "Container" else None
