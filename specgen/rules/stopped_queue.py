"""A job in a queue that is stopped.

## What it checks
The queue of a job, as Kueue reads it, against the LocalQueues and ClusterQueues among the files that are checked
together: `stopPolicy: Hold` or `HoldAndDrain` on either of the two. Where there is none of its name, against the queues
of the cluster profile, and their `stop`.

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
from specgen.rules._gangs import marks, queues_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

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
    if not isinstance(queued, str):
        return
    own = [
        one
        for one in named(context.companions, "LocalQueue", queued)
        if _is_kueues(one) and space in (None, one.ref.namespace)
    ]
    for one in own:
        behind = str(mapping(one.tree.get("spec")).get("clusterQueue"))
        for queue in (one, *filter(_is_kueues, named(context.companions, "ClusterQueue", behind))):
            policy = mapping(queue.tree.get("spec")).get("stopPolicy")
            if policy in ("Hold", "HoldAndDrain"):
                said = Place(("spec", "stopPolicy"), where=queue.where)
                yield _stopped(queued, related=[(said, f"the {queue.ref.kind} admits nothing")])
                return
    cluster = context.cluster
    if own or cluster is None or cluster.scheduling.gang not in (None, "kueue"):
        return
    meant = queues_named(cluster, queued, space)
    if meant and all(one.stop or one.own.stop for one in meant):
        finding = _stopped(queued)
        finding.cluster = [(("scheduling", "queues", *one.stopped), "it admits nothing") for one in meant]
        yield finding


def _stopped(queued: str, **more: Any) -> Finding:
    return CODE.at(
        Place(("metadata", "labels", KUEUE_QUEUE)),
        f"the queue `{shown(queued)}` is stopped",
        notes=["Kueue leaves the job suspended until the queue is opened"],
        **more,
    )


def _is_kueues(one: Manifest) -> bool:
    return one.ref.api_version.startswith("kueue.x-k8s.io/")
