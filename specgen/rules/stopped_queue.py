"""A job in a queue that is stopped.

## What it checks
The queue of a job, as Kueue reads it, against the LocalQueues and ClusterQueues among the files that are checked
together: `stopPolicy: Hold` or `HoldAndDrain` on either of the two.

## Why it hurts
A stopped queue admits nothing. The job stays suspended, and why is to be read in its Workload and in the status of the
queue alone.

## Severity
- warning: the queue may be stopped on purpose.

## Example
Bad:

```yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: research}
spec: {clusterQueue: team, stopPolicy: Hold}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: research}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: spare}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
Name another queue, or take the `stopPolicy` away. None is applied.

## When to ignore it
While the queue is stopped on purpose, and the job is to wait.

## References
Kueue 0.19.2, recorded: `quota-localqueue-hold`, `quota-clusterqueue-hold`.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.manifest.beside import named
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_QUEUE
from specgen.rules import ALL, KUEUE, WORKLOAD
from specgen.rules._gangs import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG620", "stopped-queue", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the label."""
    queued = marks(workload.manifest.tree, "labels").get(KUEUE_QUEUE)
    space = workload.manifest.ref.namespace
    for one in named(context.companions, "LocalQueue", queued) if isinstance(queued, str) else ():
        if not _is_kueues(one) or space not in (None, one.ref.namespace):
            continue
        behind = str(mapping(one.tree.get("spec")).get("clusterQueue"))
        for queue in (one, *filter(_is_kueues, named(context.companions, "ClusterQueue", behind))):
            policy = mapping(queue.tree.get("spec")).get("stopPolicy")
            if policy in ("Hold", "HoldAndDrain"):
                said = Place(("spec", "stopPolicy"), where=queue.where)
                yield CODE.at(
                    Place(("metadata", "labels", KUEUE_QUEUE)),
                    f"the queue `{shown(str(queued))}` is stopped",
                    related=[(said, f"the {queue.ref.kind} admits nothing")],
                    notes=["Kueue leaves the job suspended until the queue is opened"],
                )
                return


def _is_kueues(one: Manifest) -> bool:
    return one.ref.api_version.startswith("kueue.x-k8s.io/")
