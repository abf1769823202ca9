"""A topology where the queue or the scheduler does not look for it.

## What it checks
The annotations `kueue.x-k8s.io/podset-…` of the job's own metadata, of the Jobs of a JobSet, and among labels. Kueue
reads them as annotations of pod templates alone. And `volcano.sh/network-topology-…` on a job, or on pods of which the
operator makes the PodGroup: Volcano reads them of pods that are in no group yet, which are those of batch Jobs.

## Why it hurts
The job is admitted as if nothing were said: its pods go wherever there is room, over racks that were to be avoided.

## Severity
- warning: a webhook of the cluster may copy the annotations.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata:
  name: llama-ft
  labels: {kueue.x-k8s.io/queue-name: research}
  annotations: {kueue.x-k8s.io/podset-required-topology: example.com/rack}
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
metadata:
  name: llama-ft
  labels: {kueue.x-k8s.io/queue-name: research}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: example.com/rack}}
        spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}
```

## Fix
Put it under `template.metadata.annotations` of each role that it is for; of a job with one role this is offered. It
is unsafe: a job that would have run may then wait for room in one domain. A Volcano Job says `networkTopology`, and so
does the runtime of a TrainJob, in its `podGroupPolicy`; other jobs have no word for Volcano's topology.

## When to ignore it
Where a mutating webhook of the cluster copies the annotations of jobs to their pods.

## References
Kueue 0.19.2, recorded: `tas-annotation-on-job`, `tas-annotation-on-job-too-big`, `tas-trainjob-annotation-on-job`;
Volcano 1.15.1, recorded: `topology-hand-annotations`, and pkg/controllers/{podgroup,job}.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, article
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping
from specgen.operators.queues import TOPOLOGY, VOLCANO, VOLCANO_TOPOLOGY
from specgen.rules import ALL, GANG, KUEUE, WORKLOAD
from specgen.rules._gangs import marks
from specgen.rules._remedies import put, removed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG604", "topology-unread", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE, GANG)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each annotation that nobody reads."""
    tree = workload.manifest.tree
    own = [role for role in workload.roles if role.name]
    for kind in ("annotations", "labels"):
        for name, value in marks(tree, kind).items():
            if name in TOPOLOGY:
                only = own[0] if len(own) == 1 and workload.operator != "trainer" else None
                yield _unread(workload, ("metadata", kind, name), value, "the job", only)
    for role in workload.roles:
        for depth in range(len(role.path), len(role.template_path)):
            # what lies between the role and its pods: the Job of a JobSet
            holder = _below(role, role.template_path[len(role.path) : depth])
            for name, value in marks(holder, "annotations").items():
                if name in TOPOLOGY:
                    path = (*role.template_path[:depth], "metadata", "annotations", name)
                    yield _unread(workload, path, value, "the Job around the pods", role)
        for name, value in marks(role.template, "labels").items():
            if name in TOPOLOGY:
                path = (*role.template_path, "metadata", "labels", name)
                yield _unread(workload, path, value, "the pods as a label", role)
    yield from _of_volcano(workload)


def _of_volcano(workload: Workload) -> Iterator[Finding]:
    """What Volcano reads of pods without a group alone."""
    places: list[tuple[Path, Any, str]] = [((), workload.manifest.tree, article(workload.kind))]
    if workload.operator == "volcano" or workload.gang == VOLCANO:
        places += [(role.template_path, role.template, "pods that have a PodGroup") for role in workload.roles]
    for at, holder, where in places:
        for name in marks(holder, "annotations"):
            if name in VOLCANO_TOPOLOGY:
                helps = []
                if workload.operator == "volcano":
                    helps = ["say it as `networkTopology` of the job"]
                elif workload.operator == "trainer":
                    helps = ["say it as `networkTopology` of the runtime's `podGroupPolicy.volcano`"]
                yield CODE.at(
                    Place((*at, "metadata", "annotations", name), KEY),
                    f"nobody reads `{name}` on {where}",
                    label="without effect",
                    notes=["Volcano reads it from pods that are in no PodGroup yet, such as those of a batch Job"],
                    helps=helps,
                )


def _below(role: Role, steps: Path) -> Any:
    tree: Any = role.tree
    for step in steps:
        tree = mapping(tree).get(str(step))
    return tree


def _unread(workload: Workload, path: Path, value: Any, where: str, role: Role | None) -> Finding:
    name, tree = str(path[-1]), workload.manifest.tree
    fix = None
    if role is not None and workload.operator != "trainer" and name not in marks(role.template, "annotations"):
        there = (*role.template_path, "metadata", "annotations", name)
        gone = removed(tree, path)
        # the entry that is taken out must not hold the place of the new one
        if there[: len(gone)] != gone:
            moved = "move it to the annotations of the pod template"
            fix = Fix(moved, UNSAFE, [put(tree, there, value), Remove(gone, there)])
    return CODE.at(
        Place(path, KEY),
        f"nobody reads `{name}` on {where}",
        label="without effect",
        notes=["Kueue reads it from the annotations of pod templates; the pods are placed as if it were not there"],
        helps=[] if fix else ["put it under `template.metadata.annotations` of each role that it is for"],
        fix=fix,
    )
