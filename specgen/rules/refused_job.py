"""An object that somebody refuses for what its own operator knows best.

## What it checks
A JobSet against its webhook and the API server's demands on Jobs. A TrainJob against its CRD's expressions and the
webhook of Trainer, together with its runtime where that stands in the same text, and the JobSet that comes of the two
against everything that a JobSet is held to. Labels and annotations of any job, and claims, volumes, and ConfigMaps
beside it, against the API server. For a runtime that Trainer installs and the text does not hold, Trainer's own is
taken, and the finding is a warning. An MPIJob against the words that an older mpi-operator takes. A Job of Volcano
against Volcano's webhook, but for the queues that only the cluster knows. The pods of a Job of Kubernetes (`batch/v1`)
against the API server; nothing else of it is looked at, as nobody knows what it is for.

## Why it hurts
Where the API server or a webhook refuses, nothing is created. Where a TrainJob is stored and only its JobSet is
refused, Trainer tries again without end: no pod, no condition, and the reason stands in an event.

## Severity
- error: the API server, a webhook or the operator refuses the object, or the one that is made of it.
- warning: it is so with the runtime as Trainer installs it; which one the cluster has is not known.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: torch-distributed}
  runtimePatches: [{manager: me}]
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: llama-ft}
spec:
  runtimeRef: {name: torch-distributed}
  runtimePatches: [{manager: example.com/me}]
```

## Fix
Change what the finding points at; where that is `runtimeRef`, change the runtime or take another one.

## When to ignore it
Where another runtime of that name is installed than the one beside the TrainJob.

## References
kubeflow/trainer 2.3.0, pkg/webhooks; kubernetes-sigs/jobset 0.12.0, pkg/webhooks/jobset_webhook.go; volcano-sh/volcano
1.15.1, pkg/webhooks/admission/jobs/validate; all recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place
from specgen.rules import ALL, REFUSED
from specgen.rules._context import unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.operators.objection import Objection
    from specgen.rules import Context

CODE = Code("SG317", "refused-job", ERROR, since="0.1", page=__doc__)
SCOPE = REFUSED
KINDS = ALL
# What no rule of its own presents.
CAUSES = ("",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each refusal that no rule of its own presents, in the operator's words."""
    for one in context.refused(*CAUSES):
        if one.path[:1] != ("metadata",) or not unfinished(workload.manifest.tree, one.path, workload.manifest):
            yield finding(one)


def finding(one: Objection) -> Finding:
    """A refusal as it is found; also of objects that are no jobs, and that no rule looks at."""
    return CODE.at(
        Place(one.path),
        one.reason,
        label="refused for this",
        notes=[f"{one.by} refuses it", *([one.assumed] if one.assumed else [])],
        severity=WARNING if one.assumed else ERROR,
    )
