"""A resource claim that Trainer drops on its way to the pods.

## What it checks
A TrainJob with `resourcesPerNode` has no claims there, and its runtime, where that stands in the same text, has none in
the container `node`.

## Why it hurts
Where a TrainJob has `resourcesPerNode`, Trainer 2.3 makes the resources of the container anew, of limits and requests
alone. The pod keeps its claims and holds their devices, but no container uses them: the program finds no GPU.

## Severity
- warning: a newer Trainer may keep the claims.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {kind: TrainingRuntime, name: llama-ft}
  trainer:
    numNodes: 2
    resourcesPerNode:
      limits: {memory: 512Gi}
      claims: [{name: gpus}]
```

Good, where the runtime's container has the claim and the amounts:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {kind: TrainingRuntime, name: llama-ft}
  trainer: {numNodes: 2}
```

## Fix
Write all amounts and the claims into the container of the runtime, and leave `resourcesPerNode` out. In a profile,
`target: TrainJob` does so.

## When to ignore it
Where a newer Trainer is installed that keeps the claims of the runtime.

## References
kubeflow/trainer 2.3.0, pkg/runtime/core/trainingruntime.go; recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.rules import WORKLOAD
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG330", "lost-claims", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = ("resourcesPerNode",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """A finding for each claim."""
    if context.reader is None:
        return
    notes = [
        f"{workload.operator} takes limits and requests alone: the pod keeps its claims, and no container uses them"
    ]
    helps = ["all amounts and the claims go into the container of the runtime, and the TrainJob says none"]
    for name, path, runtime in context.reader.lost_claims(workload):
        if runtime is None:
            yield CODE.at(Place(path), f"the claim `{shown(name)}` comes to no container", notes=notes, helps=helps)
            continue
        yield CODE.at(
            Place(("spec", "trainer", "resourcesPerNode"), KEY),
            f"`resourcesPerNode` takes the claim `{shown(name)}` from the container of the runtime",
            related=[(Place(path, where=runtime.where), "the claim")],
            notes=notes,
            helps=helps,
        )
