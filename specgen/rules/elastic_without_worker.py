"""An elastic job that has no Worker.

## What it checks
A job with an `elasticPolicy` has the role `Worker`.

## Why it hurts
The rendezvous of an elastic job is the first worker. The admission webhook of 1.9 refuses the job. Up to 1.8 nothing
does, and the operator crashes and restarts without end, for all jobs of the cluster.

## Example
Bad:

```yaml
elasticPolicy: {minReplicas: 1, maxReplicas: 4}
pytorchReplicaSpecs:
  Master:
    replicas: 1
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
elasticPolicy: {minReplicas: 1, maxReplicas: 4}
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Name the role `Worker`; an elastic job needs no Master.

## When to ignore it
Never.

## References
training-operator 1.9.4, pkg/webhooks/pytorch/pytorchjob_webhook.go; recorded with 1.7.0, 1.8.1, and 1.9.4.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, Place
from specgen.rules import WORKLOAD
from specgen.rules._operators import asks_for_workers, refuses, roles, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG306", "elastic-without-worker", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    if workload.terms is None or not isinstance(spec(workload).get("elasticPolicy"), dict):
        return
    written = roles(workload)
    if not written or written.get("Worker") is not None:
        return
    crashes = "the training operator panics and restarts without end, for all jobs of the cluster"
    yield CODE.at(
        ("spec", "elasticPolicy"),
        "an elastic job meets at its first Worker, and this job has none",
        part=KEY,
        label="asks for an elastic job",
        related=[(Place(workload.terms.path, KEY), "no `Worker` among these roles")],
        notes=[refuses(workload) if asks_for_workers(workload) else crashes],
        helps=["name the role `Worker`; an elastic job needs no `Master`"],
    )
