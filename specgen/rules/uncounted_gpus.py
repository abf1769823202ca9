"""GPUs of a runtime that Trainer does not count, as the TrainJob says resources without them.

## What it checks
A TrainJob on a runtime with `torch`, whose container has several GPUs, either says GPUs in its own `resourcesPerNode`
too, or none at all, or how many processes a pod starts.

## Why it hurts
Trainer counts processes from `resourcesPerNode` alone where it is given, though the pod gets the runtime's resources as
well: `PET_NPROC_PER_NODE` is the number of CPUs there, or 1. The pod holds all its GPUs, and one of them works.

## Severity
- warning: one process may use all GPUs of its pod.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {kind: TrainingRuntime, name: torch}
  trainer: {resourcesPerNode: {limits: {memory: 512Gi}}}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {kind: TrainingRuntime, name: torch}
  trainer: {resourcesPerNode: {limits: {memory: 512Gi, nvidia.com/gpu: 8}}}
```

## Fix
Say the GPUs in `resourcesPerNode` as well. Unsafe, as the job then starts more processes.

## When to ignore it
Where one process uses all GPUs of its pod.

## References
Trainer 2.3.0, pkg/runtime/framework/plugins/torch/torch.go (`GetNumGPUPerNode` of the TrainJob's list); recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, plural
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.rules import ROLE
from specgen.rules._words import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG433", "uncounted-gpus", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("TrainJob",)
NEEDS = ("resourcesPerNode",)

_GIVEN: Path = ("spec", "trainer", "resourcesPerNode")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    workload, container = role.workload, role.main
    trainer = mapping(mapping(workload.manifest.tree.get("spec")).get("trainer"))
    given = mapping(trainer.get("resourcesPerNode"))
    if container is None or context.reader is None or not given or trainer.get("numProcPerNode") is not None:
        return
    count, path = gpus(container, context)
    amounts = [str(name) for side in ("limits", "requests") for name in mapping(given.get(side))]
    if count < 2 or any(["gpu" in name for name in amounts]):
        return
    started = _processes(container, context)
    if started is None or started >= count:
        return
    resource = str(path[-1])
    side = "limits" if isinstance(given.get("limits"), dict) else "requests"
    yield CODE.at(
        Place(_GIVEN, KEY),
        f"`PET_NPROC_PER_NODE` becomes {started} in pods with {plural(count, 'GPU')}",
        label="no GPU among these",
        related=[(Place(path), f"{plural(count, 'GPU')} in each pod")],
        notes=[
            "Trainer counts from `resourcesPerNode` where it is given, and the pod has the runtime's resources as well"
        ],
        fix=Fix(f"say `{resource}: {count}` here as well", UNSAFE, [Set((*_GIVEN, side, resource), count)]),
    )


def _processes(container: Container, context: Context) -> int | None:
    """What Trainer tells torchrun in the pods of a container; None where that is no number."""
    assert context.reader is not None
    for pod in context.reader.expand(container.role.workload).pods:
        for one in sequence(mapping(pod.get("spec")).get("containers")):
            for entry in sequence(mapping(one).get("env")):
                if mapping(entry).get("name") == "PET_NPROC_PER_NODE" and one.get("name") == container.name:
                    value = str(entry.get("value"))
                    return int(value) if value.isascii() and value.isdigit() and len(value) < 6 else None
    return None
