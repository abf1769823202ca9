"""A limit on restarts that the first incident reaches.

## What it checks
`backoffLimit` of a job, or of a Job in a runtime or JobSet, is more than one incident counts. A synchronous training
ends as a whole when one of its processes breaks, and its operator counts the restart of every pod: 16 for 16 pods.

## Why it hurts
"Ten restarts" of a job of 16 pods are none: the first broken rank fails the job, with the limit as the reason. In a
PyTorchJob restarts of `init-pytorch` count besides: it gives up when the Master is not there after 200 s, so a Master
whose image takes longer to pull costs a restart of every Worker before the training has begun.

## Severity
- warning: it comes to that only with the first incident, which may be meant to end the job.

## Example
Bad:

```yaml
runPolicy: {backoffLimit: 3}
pytorchReplicaSpecs:
  Master:
    replicas: 1
    restartPolicy: OnFailure
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
  Worker:
    replicas: 7
    restartPolicy: OnFailure
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
runPolicy: {backoffLimit: 25}
pytorchReplicaSpecs:
  Master:
    replicas: 1
    restartPolicy: OnFailure
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
  Worker:
    replicas: 7
    restartPolicy: OnFailure
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
Count incidents: their number times the pods, and 1. In a profile `lifecycle: {restarts: 3}` does the sum. A limit of
at most ten is taken for a number of incidents. It is unsafe, as the job is then tried more often. A comment beside it
stays as it is: what it says of the old number is yours to read again.

## When to ignore it
Where the pods train apart, so that one that breaks begins again alone; or where the first incident is to end the job:
then `backoffLimit: 0` says so.

## References
training-operator 1.9.4, pkg/core/job.go (PastBackoffLimit); Kubernetes 1.36, pkg/controller/job/job_controller.go
(pastBackoffLimitOnFailure); kubeflow/common 0.4.1; all recorded or read.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, plural
from specgen.diagnostics.operations import Set
from specgen.operators.incidents import said
from specgen.rules import ALL, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.operators.incidents import Said
    from specgen.rules import Context

CODE = Code("SG470", "limit-below-incident", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = ("backoffLimit",)

_MOST_INCIDENTS = 10


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each limit. Zero says that nothing is to be restarted, and is believed."""
    if context.reader is None:
        return
    for one in said(workload, context.reader):
        counted = one.counted
        if one.limit < 1 or one.rounds or counted.outlives(one.limit):
            continue
        # a small number most likely counts incidents
        times = one.limit if one.limit <= _MOST_INCIDENTS else 1
        limit = counted.limit(times)
        yield CODE.at(
            one.path,
            f"`backoffLimit: {one.limit}` is reached by the first incident, which counts {counted.least}",
            label="fails the job",
            related=[(Place(role.path), _pods(role.replicas)) for role in workload.roles if role.name in counted.roles],
            notes=_notes(one),
            fix=Fix(f"write `{limit}`, for {plural(times, 'incident')}", UNSAFE, [Set(one.path, limit)]),
        )


def _pods(count: int) -> str:
    return f"{plural(count, 'pod')} whose restarts are counted"


def _notes(one: Said) -> list[str]:
    counted = one.counted
    reached = "as many" if counted.reached else "more"
    if counted.least > 1:
        notes = [
            "one process that breaks ends a synchronous training: each of its "
            f"{counted.least} pods is restarted, and the job fails once {reached} restarts are counted"
        ]
    else:
        notes = [f"the job fails once {reached} restarts are counted, and one is as many"]
    notes.append(f"{counted.limit(1)} lets the job go on after one incident, {counted.limit(3)} after three")
    if one.waits:
        notes.append(
            "restarts of `init-pytorch` count as well: it gives up when the Master is not there after 200 s, such as "
            f"for the pull of a large image, which costs {plural(one.waits, 'restart')}"
        )
    return notes
