"""Resources of a runtime that a TrainJob takes away with its own.

## What it checks
For Trainer until 2.2: `resourcesPerNode` of a TrainJob names every resource that the training container of its runtime
asks for, where that runtime is among the files.

## Why it hurts
Until 2.2 what the TrainJob says stands in place of what the runtime says. A job that only raises the number of GPUs
loses its memory, and is the first to be evicted, or its EFAs and HCAs, and trains over TCP without a word.

## Severity
- warning: less may be meant.

## Example
Bad:

```yaml
kind: TrainJob
apiVersion: trainer.kubeflow.org/v1alpha1
metadata: {name: llama-ft, namespace: training}
spec:
  runtimeRef: {name: own, kind: TrainingRuntime}
  trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}
---
kind: TrainingRuntime
apiVersion: trainer.kubeflow.org/v1alpha1
metadata: {name: own, namespace: training}
spec:
  mlPolicy: {numNodes: 2, torch: {}}
  template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels:
    {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {containers: [{name: node,
    image: "registry.example.com/train:1.4", resources: {limits: {nvidia.com/gpu: 4, memory: 500Gi}}}]}}}}}]}}
```

Good, over the same runtime:

```yaml
kind: TrainJob
apiVersion: trainer.kubeflow.org/v1alpha1
metadata: {name: llama-ft, namespace: training}
spec:
  runtimeRef: {name: own, kind: TrainingRuntime}
  trainer: {resourcesPerNode: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 4, cpu: 96, memory: 1000Gi}}}
```

## Fix
Repeat the runtime's resources in the TrainJob. Unsafe: the pods ask for more than they do now.

## When to ignore it
Where less is meant.

## References
kubeflow/trainer 2.2.0, pkg/runtime/core/trainingruntime.go; kubeflow/trainer#3551, NVIDIA/aicr#2275.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, listed, shown
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD
from specgen.rules._operators import spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG493", "lost-resources", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = ("resourcesPerNode",)

_PATH = ("spec", "trainer", "resourcesPerNode")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the resources of the TrainJob."""
    lost = context.reader.lost_amounts(workload) if context.reader is not None else []
    if not lost:
        return
    own = mapping(mapping(spec(workload).get("trainer")).get("resourcesPerNode"))
    sides: dict[str, dict[str, Any]] = {}
    for name, path, runtime in lost:
        value: Any = runtime.tree if runtime is not None else None
        for step in path:
            value = value[step]
        sides.setdefault(str(path[-2]), {})[name] = value
    patch = [
        Set((*_PATH, side, name), value) if mapping(own.get(side)) else Set((*_PATH, side), values)
        for side, values in sides.items()
        for name, value in (values.items() if mapping(own.get(side)) else [("", None)])
    ]
    yield CODE.at(
        Place(_PATH, KEY),
        f"`resourcesPerNode` takes {listed([shown(name) for name, _, _ in lost])} from the container of the runtime",
        label="stands in place of the runtime's",
        related=[
            (Place(path, KEY, where=runtime.where), "asked for by the runtime")
            for _, path, runtime in lost
            if runtime is not None
        ],
        notes=["later releases of Trainer lay it over the runtime's; with this one these pods get nothing else"],
        fix=Fix("repeat what the runtime asks for", UNSAFE, patch),
    )
