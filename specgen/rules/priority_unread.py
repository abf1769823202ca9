"""A priority that orders nothing, as it stands where the scheduler of the gang does not look.

## What it checks
Of jobs that their operator groups for Volcano, `priorityClassName` of the pods without `priorityClass` in
`schedulingPolicy`; grouped for scheduler-plugins, the reverse. Kueue's `kueue.x-k8s.io/priority-class` on pods, or
as an annotation, in place of a label of the job.

## Why it hurts
Nothing is refused. The job waits in the order in which it came, behind others that it was to overtake.

## Severity
- warning: the job runs, in another order; the class may be for the kubelet.

## Example
Bad:

```yaml
# a cluster with `operators: {training-operator: {version: 1.9.4, gang: volcano}}`
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template:
      spec:
        priorityClassName: high
        containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
runPolicy: {schedulingPolicy: {priorityClass: high}}
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template:
      spec:
        priorityClassName: high
        containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Say it where the scheduler looks. That is unsafe: other jobs then wait longer.

## When to ignore it
Where the class of the pods is for the kubelet, which evicts pods of low priority first.

## References
Recorded: Volcano 1.15.1, `priority-pod-only`; scheduler-plugins 0.34.7, `pt-queue-and-priority-ignored`. Kueue 0.19,
pkg/controller/jobframework (WorkloadPriorityClassName).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Remove
from specgen.operators.queues import KUEUE_PRIORITY, KUEUE_QUEUE, VOLCANO
from specgen.rules import ALL, GANG, KUEUE, WORKLOAD
from specgen.rules._gangs import POLICY, marks, policy
from specgen.rules._remedies import put, removed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG609", "priority-unread", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (GANG, KUEUE)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding for each scheduler."""
    if workload.gang == VOLCANO and workload.operator in ("training-operator", "ms-operator"):
        yield from _of_pods(workload)
    elif workload.gang is not None and workload.gang != VOLCANO and policy(workload).get("priorityClass"):
        yield CODE.at(
            Place((*POLICY, "priorityClass"), KEY),
            "`priorityClass` of `schedulingPolicy` is Volcano's word, and the gang is not Volcano's",
            label="dropped without a word",
            notes=["scheduler-plugins orders gangs by `priorityClassName` of their pods"],
        )
    yield from _of_kueue(workload)


def _of_pods(workload: Workload) -> Iterator[Finding]:
    named = [role for role in workload.roles if isinstance(role.pod.get("priorityClassName"), str)]
    # Kueue takes the class of the pods, before Volcano sees the job
    if not named or policy(workload).get("priorityClass") or KUEUE_QUEUE in marks(workload.manifest.tree, "labels"):
        return
    names = list(dict.fromkeys([role.pod["priorityClassName"] for role in named]))
    path = (*POLICY, "priorityClass")
    fix = None
    if len(names) == 1:
        patch = [put(workload.manifest.tree, path, names[0])]
        fix = Fix(f"say `priorityClass: {names[0]}` in `schedulingPolicy` too", UNSAFE, patch)
    yield CODE.at(
        Place((*named[0].pod_path, "priorityClassName"), KEY),
        "the priority of the pods does not order their gang",
        notes=["Volcano orders gangs by their PodGroup, whose class is that of `schedulingPolicy`"],
        fix=fix,
    )


def _of_kueue(workload: Workload) -> Iterator[Finding]:
    tree = workload.manifest.tree
    if KUEUE_PRIORITY in marks(tree, "labels"):
        return
    found: list[tuple[Path, Any, str]] = []
    for role in workload.roles:
        labels = marks(role.template, "labels")
        # pods that are queued by themselves say it themselves
        if KUEUE_PRIORITY in labels and KUEUE_QUEUE not in labels:
            path = (*role.template_path, "metadata", "labels", KUEUE_PRIORITY)
            found.append((path, labels[KUEUE_PRIORITY], "the pods"))
    annotations = marks(tree, "annotations")
    if KUEUE_PRIORITY in annotations:
        path = ("metadata", "annotations", KUEUE_PRIORITY)
        found.insert(0, (path, annotations[KUEUE_PRIORITY], "the job as an annotation"))
    if not found:
        return
    path, value, where = found[0]
    fix = None
    if workload.operator != "trainer" or path[0] == "metadata":
        there = ("metadata", "labels", KUEUE_PRIORITY)
        patch = [put(tree, there, value)]
        own = [one for one, _, _ in found if workload.operator != "trainer" or one[0] == path[0]]
        gone = [Remove(removed(tree, one), there) for one in own]
        fix = Fix("move it to the labels of the job", UNSAFE, [*patch, *gone])
    yield CODE.at(
        Place(path, KEY),
        f"nobody reads `{KUEUE_PRIORITY}` on {where}",
        related=[(Place(one, KEY), "nor here") for one, _, _ in found[1:]],
        notes=["Kueue takes the class of a workload from the labels of the job"],
        fix=fix,
    )
