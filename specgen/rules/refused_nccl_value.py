"""A value at which NCCL stops.

## What it checks
`NCCL_COMM_ID` has a port. With a preloaded NCCL from 2.24 on, which the cluster profile lists, `NCCL_ALGO` and
`NCCL_PROTO` hold words that this release knows, where the job has several pods. For containers that train on GPUs and
are not started by mpirun; for others it is a warning (SG522).

## Why it hurts
Every process ends as it makes its communicator: `Invalid NCCL_COMM_ID`, or `Unrecognized element token`.

## Severity
- error: this release of NCCL, which is preloaded, stops at the value in every process.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 1}}
env: [{name: NCCL_COMM_ID, value: "10.0.0.1"}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 1}}
env: [{name: NCCL_COMM_ID, value: "10.0.0.1:5000"}]
```

## Fix
Correct the value, or leave the variable out.

## When to ignore it
Never.

## References
NVIDIA/nccl 2.30.7, src/bootstrap.cc (bootstrapNetInit) and src/tuning/cost_model.cc (parseList), which came with 2.24.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code
from specgen.rules import ALL, CONTAINER, NCCL_WRONG
from specgen.rules._nccl import judged, release, settings
from specgen.rules._words import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.nccl import Judged
    from specgen.rules import Context

CODE = Code("SG523", "refused-nccl-value", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NCCL_WRONG,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each value."""
    version, where = release(container, context)
    for one in settings(container, context):
        found = judged(container, context, one.name, one.value, version)
        if found is not None and certain(container, context, found):
            yield CODE.at(one.at_value, found.message, related=where, notes=found.notes)


def certain(container: Container, context: Context, judged: Judged) -> bool:
    """Whether a job stops at a value: where the container trains on GPUs, and nobody starts its processes with mpirun.

    Those get the variables of the launcher, and of them the ones that it passes on.
    """
    workload = container.role.workload
    if not judged.stops or container is not container.role.main or workload.kind == "MPIJob":
        return False
    pods = sum(role.replicas for role in workload.roles)
    return pods >= judged.stops and gpus(container, context)[0] > 0
