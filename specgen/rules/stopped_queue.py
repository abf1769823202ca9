"""A job in a queue that is stopped.

## What it checks
The queue of a job, as Kueue reads it, against the LocalQueues and ClusterQueues among the files that are checked
together: `stopPolicy: Hold` or `HoldAndDrain` on either of the two. Where there is none of its name, against the queues
of the cluster profile, and their `stop`; so is the queue of Volcano.

## Why it hurts
A stopped queue admits nothing. The job stays suspended, and why is to be read in its Workload and in the status of the
queue alone. A closed queue of Volcano takes no PodGroup, and no Job.

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
Kueue 0.19.2, recorded: `quota-localqueue-hold`, `quota-clusterqueue-hold`; Volcano 1.15.1, recorded:
`queue-closed`, `vc-queue-closed`.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.manifest.beside import named
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_QUEUE, kueue_knows
from specgen.rules import ALL, KUEUE, QUEUES, WORKLOAD
from specgen.rules._gangs import marks, queue_of, queues_named, release

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
NEEDS = (KUEUE, QUEUES)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding of Kueue, at the label; of Volcano one for each name of its queue."""
    yield from _closed(workload, context)
    queued = marks(workload.manifest.tree, "labels").get(KUEUE_QUEUE)
    space = workload.manifest.ref.namespace
    if not isinstance(queued, str) or not kueue_knows(workload.manifest.tree, release(context)):
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
    meant = [] if own else _meant(queued, "kueue", workload, context)
    if meant:
        finding = _stopped(queued)
        finding.cluster = [(("scheduling", "queues", *one.stopped), "it admits nothing") for one in meant]
        yield finding


def _meant(name: str, gang: str, workload: Workload, context: Context) -> list[Any]:
    """The queues of the cluster profile that a job may mean, if all of them are stopped."""
    cluster = context.cluster
    if cluster is None or cluster.scheduling.gang not in (None, gang):
        return []
    meant = queues_named(cluster, name, workload.manifest.ref.namespace)
    return meant if all(one.stop or one.own.stop for one in meant) else []


def _closed(workload: Workload, context: Context) -> Iterator[Finding]:
    """A queue of Volcano that the cluster profile has as stopped: it is closed."""
    for gang, name, path in queue_of(workload):
        meant = _meant(name, gang, workload, context) if gang == "volcano" and isinstance(name, str) else []
        if meant and not named(context.companions, "Queue", name):
            refused = "the job" if workload.operator == "volcano" else "the PodGroup, so that the job has no pods"
            finding = CODE.at(
                Place(path),
                f"the queue `{shown(name)}` is closed",
                notes=[f"Volcano refuses {refused} until the queue is opened"],
            )
            finding.cluster = [(("scheduling", "queues", *one.stopped), "it takes nothing") for one in meant]
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
