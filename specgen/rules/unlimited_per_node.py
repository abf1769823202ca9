"""A device that a TrainJob requests for each node without a limit.

## What it checks
`resourcesPerNode.requests` of a TrainJob whose runtime is not among the files: a device there has the same amount in
`limits`. Where the runtime is known, its container is judged with what the TrainJob adds (SG412).

## Why it hurts
The API server refuses a pod whose request of a device is not its limit, and Trainer tries again without end. Until 2.2
what the TrainJob says stands in place of the runtime's resources; later releases lay it over them.

## Severity
- warning: the runtime may have a limit of the same amount, which releases after 2.2 keep.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: own}
  trainer: {numNodes: 2, resourcesPerNode: {requests: {nvidia.com/gpu: 4}}}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: own}
  trainer: {numNodes: 2, resourcesPerNode: {limits: {nvidia.com/gpu: 4}}}
```

## Fix
The same amount as a limit: of devices nothing else is taken.

## When to ignore it
Where the runtime has the limit, and Trainer is newer than 2.2.

## References
Kubernetes 1.36, pkg/apis/core/validation (`validateContainerResourceName`, extended resources); kubeflow/trainer 2.3.0,
pkg/runtime/core/trainingruntime.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, SAFE, WARNING, Code, Fix, Place, shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.resources import is_extended
from specgen.rules import WORKLOAD
from specgen.rules._operators import spec
from specgen.rules._remedies import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG628", "unlimited-per-node", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = ("resourcesPerNode",)

_PATH = ("spec", "trainer", "resourcesPerNode")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each device, at its request."""
    if workload.roles:
        return
    own = mapping(mapping(spec(workload).get("trainer")).get("resourcesPerNode"))
    limits = mapping(own.get("limits"))
    for name, amount in mapping(own.get("requests")).items():
        if is_extended(name) and name not in limits:
            yield CODE.at(
                Place((*_PATH, "requests", name), KEY),
                f"`{shown(name)}` has a request and no limit: the API server refuses pods of which that is all",
                label="needs a limit of the same amount",
                notes=["only the runtime, which is not here, could have one"],
                fix=Fix(
                    "limit it to the same amount", SAFE, [put(workload.manifest.tree, (*_PATH, "limits", name), amount)]
                ),
            )
