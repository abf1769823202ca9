"""Pods that no flavor of their queue takes.

## What it checks
`nodeSelector`, required node affinity and tolerations of pods against `nodeLabels` and `nodeTaints` of the flavors of
their ClusterQueue, as `specgen fit` looks at them, where the queue and all of its flavors are among the files. A key
that a flavor does not name says nothing against it.

## Why it hurts
Kueue gives the pods of a job a flavor, and passes over those whose nodes they could not go to. Where none is left the
job is never admitted, however much quota is free; its Workload alone says why.

## Severity
- error: no usage of others makes room for it.

## Example
Bad:

```yaml
{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: h100}, spec: {nodeLabels: {gpu: h100}}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 16}]}]
---
{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: research}, spec: {clusterQueue: team}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: research}}
spec: {pytorchReplicaSpecs: {Worker: {replicas: 2, template: {spec: {nodeSelector: {gpu: a100},
  containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}}}}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: research}}
spec: {pytorchReplicaSpecs: {Worker: {replicas: 2, template: {spec: {nodeSelector: {gpu: h100},
  containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}}}}}
```

## Fix
Take the selector away, or name a queue whose flavors are of such nodes. None is applied.

## When to ignore it
Never.

## References
kubernetes-sigs/kueue 0.19.2, pkg/scheduler/flavorassigner (`checkFlavorForPodSets`).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, Place, shown
from specgen.manifest.beside import named
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_QUEUE, kueue_knows
from specgen.rules import ALL, KUEUE, WORKLOAD
from specgen.rules._gangs import marks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context

CODE = Code("SG714", "unsuitable-flavor", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE,)

_FIELDS = ("nodeSelector", "affinity", "tolerations")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each role, at what it asks of nodes, else at its queue."""
    label = marks(workload.manifest.tree, "labels").get(KUEUE_QUEUE)
    if not isinstance(label, str) or not kueue_knows(workload.manifest.tree) or context.reader is None:
        return
    if not named(context.companions, "LocalQueue", label):
        return
    from specgen.rules._queues import unsuited_kueue  # few jobs stand beside their queue

    found, queue = unsuited_kueue(label, workload, context)
    roles = {role.name.lower(): role for role in workload.roles}
    for one in found:
        role = roles.get(one.pods)
        if queue is None:
            return
        yield CODE.at(
            _place(role, workload),
            f"no flavor of the ClusterQueue `{shown(queue.ref.name or '')}` takes the pods of "
            f"`{role.name if role is not None else one.pods}`: "
            + "; ".join(f"`{shown(name)}` {why}" for name, why in one.flavors[:4]),
            related=[(Place(("spec", "resourceGroups"), where=queue.where), "its flavors")],
            notes=["Kueue never lets the job begin: it stays suspended, without a pod"],
        )


def _place(role: Role | None, workload: Workload) -> Place:
    said = [field for field in _FIELDS if role is not None and mapping(role.template.get("spec")).get(field)]
    if role is None or not said or workload.operator == "trainer":  # what stands in a runtime is another object's
        return Place(("metadata", "labels", KUEUE_QUEUE))
    return Place((*role.template_path, "spec", said[0]), KEY)
