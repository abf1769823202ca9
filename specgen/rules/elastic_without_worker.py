"""An elastic job that has no Worker.

## What it checks
A job with an `elasticPolicy` has the role `Worker`.

## Why it hurts
The rendezvous of an elastic job is the first worker. The admission webhook of 1.9 refuses the job. Up to 1.8 nothing
does, and the operator crashes and restarts without end, for all jobs of the cluster.

## Severity
- error: a webhook refuses the job, or the operator crashes over it.

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
from specgen.rules import REFUSED
from specgen.rules._operators import refuses, roles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG306", "elastic-without-worker", ERROR, since="0.1", page=__doc__)
SCOPE = REFUSED
KINDS = ("PyTorchJob",)
CAUSES = ("elastic", "elastic-panic")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    terms = workload.terms
    if terms is None or not roles(workload):
        return  # a job without any role is `missing_roles`'
    crashes = "the training operator panics and restarts without end, for all jobs of the cluster"
    yield CODE.at(
        ("spec", "elasticPolicy"),
        "an elastic job meets at its first Worker, and this job has none",
        part=KEY,
        label="asks for an elastic job",
        related=[(Place(terms.path, KEY), "no `Worker` among these roles")],
        notes=[crashes if context.refused("elastic-panic") else refuses(workload)],
        helps=["name the role `Worker`; an elastic job needs no `Master`"],
    )
