"""A queue of Kueue that is named on the pods of a job and not on the job.

## What it checks
The label `kueue.x-k8s.io/queue-name` of pod templates against that of the job. A job of one pod, and pods that say
their group themselves (`kueue.x-k8s.io/pod-group-name`), are passed over.

## Why it hurts
Kueue looks for the label on the job. On a template it makes every pod a workload of its own: the job is not
suspended, and its pods are admitted one by one. Where quota is short, some of them run and wait for the others.

## Severity
- warning: whether Kueue admits plain pods there is not known.

## Example
Bad:

```yaml
replicas: 4
template:
  metadata: {labels: {kueue.x-k8s.io/queue-name: research}}
  spec:
    containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: research}}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Move the label to the job's own metadata. That is unsafe: the job then waits as a whole.

## When to ignore it
Where Kueue's integration of plain pods is off, or pods are to be admitted one by one.

## References
Kueue 0.19.2, recorded: `quota-label-on-template`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, listed
from specgen.diagnostics.operations import Remove
from specgen.operators.queues import KUEUE_PODS, KUEUE_QUEUE
from specgen.rules import ALL, KUEUE, WORKLOAD
from specgen.rules._gangs import marks
from specgen.rules._remedies import put, removed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG603", "queue-label-on-pods", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE,)

# Operators of whose jobs Kueue knows nothing: their pods can be queued as plain pods alone.
_FOREIGN = ("ms-operator", "volcano")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first role's label."""
    tree = workload.manifest.tree
    labelled = [role for role in workload.roles if KUEUE_QUEUE in marks(role.template, "labels")]
    if not labelled or workload.pods < 2 or KUEUE_QUEUE in marks(tree, "labels"):
        return
    if any([KUEUE_PODS in marks(role.template, "labels") for role in labelled]):
        return
    paths = [_path(role) for role in labelled]
    roles = [f"`{role.name}`" for role in labelled[1:]]
    queues = {marks(role.template, "labels")[KUEUE_QUEUE] for role in labelled if _is_text(role)}
    fix = None
    if len(queues) == 1 and workload.operator not in (*_FOREIGN, "trainer"):
        there = ("metadata", "labels", KUEUE_QUEUE)
        gone = [Remove(removed(tree, path), there) for path in paths]
        fix = Fix("move it to the labels of the job", UNSAFE, [put(tree, there, queues.pop()), *gone])
    foreign = workload.operator in _FOREIGN
    yield CODE.at(
        Place(paths[0], KEY),
        "the queue stands on the pods: each of them is a workload of its own",
        label="Kueue looks for it on the job",
        related=[(Place(path, KEY), f"and of {role}") for path, role in zip(paths[1:], roles, strict=True)],
        notes=["Kueue admits them one by one: where quota is short, some hold theirs and wait for the others"],
        helps=[f"Kueue knows no {workload.kind}: {listed([KUEUE_PODS])} makes a group of its pods"] if foreign else [],
        fix=fix,
    )


def _path(role: Role) -> Path:
    return (*role.template_path, "metadata", "labels", KUEUE_QUEUE)


def _is_text(role: Role) -> bool:
    return isinstance(marks(role.template, "labels")[KUEUE_QUEUE], str)
