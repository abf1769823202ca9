"""A job without a queue, on a cluster whose jobs Kueue admits.

## What it checks
The cluster profile says `gang: kueue`, and a job of a kind that Kueue knows has no label `kueue.x-k8s.io/queue-name`.
Passed over are jobs of a cluster with a queue that is called `default`, which Kueue puts jobs without one into.

## Why it hurts
Kueue lets such a job pass: its pods start beside those of every quota, take what the queues have given to others, and
wait half placed where it is not enough. Where it is told to manage jobs without a queue, it suspends them for ever.

## Severity
- warning: the job may be meant to stay outside of the queues.

## Example
Bad, on a cluster with `scheduling: {gang: kueue, queues: [vision]}`:

```yaml
kind: PyTorchJob
metadata: {name: train}
```

Good:

```yaml
kind: PyTorchJob
metadata: {name: train, labels: {kueue.x-k8s.io/queue-name: vision}}
```

## Fix
Name the queue. Where the cluster profile lists one alone, it is offered, unsafe: the job then waits its turn.

## When to ignore it
Where the job is meant to run outside of the quota.

## References
Kueue 0.19, pkg/controller/jobframework/defaults.go (`WorkloadShouldBeSuspended`, `ApplyDefaultLocalQueue`) and
apis/config/v1beta2/configuration_types.go (`manageJobsWithoutQueueName`).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, listed
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE, KUEUE_QUEUE, kueue_knows
from specgen.rules import ALL, QUEUES, WORKLOAD
from specgen.rules._gangs import queue_names, release
from specgen.rules._words import written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG626", "unqueued-job", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (QUEUES,)

_DEFAULT = "default"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the job's metadata. Of a profile, the planner names the queue."""
    cluster = context.cluster
    if cluster is None or cluster.scheduling.gang != "kueue" or not written_by_hand(workload):
        return
    queues = queue_names(cluster)
    metadata = mapping(workload.manifest.tree.get("metadata"))
    if (
        not queues
        or _DEFAULT in queues
        or not kueue_knows(workload.manifest.tree, release(context))
        or _speaks_of_kueue(metadata)
    ):
        return
    labels = metadata.get("labels")
    fix = None
    if len(queues) == 1:
        path: tuple[str, ...] = ("metadata", "labels")
        own = Set((*path, KUEUE_QUEUE), queues[0]) if isinstance(labels, dict) else Set(path, {KUEUE_QUEUE: queues[0]})
        fix = Fix(f"write `{KUEUE_QUEUE}: {queues[0]}` among the labels", UNSAFE, [own])
    finding = CODE.at(
        Place(("metadata",), KEY),
        f"the job is in no queue of Kueue: it has no label `{KUEUE_QUEUE}`",
        label="no queue",
        notes=["Kueue lets it pass beside every quota, or suspends it for ever where it manages jobs without a queue"],
        helps=[f"the cluster profile lists {listed(queues)}"] if fix is None else [],
        fix=fix,
    )
    finding.cluster = [(("scheduling", "queues"), "its queues")]
    yield finding


def _speaks_of_kueue(metadata: dict[str, Any]) -> bool:
    """Whether a mark is of Kueue already, be it where Kueue does not look (SG612)."""
    marks = {**mapping(metadata.get("labels")), **mapping(metadata.get("annotations"))}
    return any([isinstance(name, str) and name.startswith(KUEUE) for name in marks])
