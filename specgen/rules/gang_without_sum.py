"""A PodGroup of Trainer that counts no resources, as the pods say limits alone.

## What it checks
A TrainJob whose runtime has a `podGroupPolicy`, and whose pods have limits and no requests.

## Why it hurts
Trainer adds up requests, and nothing fills them in before there are pods: the PodGroup's `minResources` is empty.
Volcano then lets the group in whatever the cluster and its queue have left, the coscheduling plugin makes no test
beforehand: the pods of a job that cannot fit hold nodes for a while, again and again.

## Severity
- warning: it comes to that only where others use the cluster.

## Example
Bad:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: gang}
spec:
  mlPolicy: {numNodes: 1, torch: {}}
  podGroupPolicy: {volcano: {}}
  template:
    spec:
      replicatedJobs:
        - name: node
          template:
            metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}
            spec: {template: {spec: {schedulerName: volcano, containers: [{name: node, image: "example/train:1"}]}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec:
  runtimeRef: {name: gang}
  trainer: {numNodes: 4, resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}
```

Good:

```yaml
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec:
  runtimeRef: {name: gang}
  trainer: {numNodes: 4, resourcesPerNode: {requests: {nvidia.com/gpu: 8}, limits: {nvidia.com/gpu: 8}}}
```

## Fix
Write the limits as requests too. That is safe: of a pod without requests, Kubernetes takes the limits for them.

## When to ignore it
Where nobody else uses the cluster.

## References
kubeflow/trainer v2.3.0, pkg/runtime/framework/plugins/{coscheduling,volcano}; recorded: `trainjob-limits-only`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, SAFE, WARNING, Code, Fix, Place
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD
from specgen.rules._remedies import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG608", "gang-without-sum", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TrainJob",)
NEEDS = ("runtimeRef",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the limits."""
    from specgen.operators.trainer.roles import locate, merged, runtime_of

    runtime = runtime_of(workload)
    if runtime is None or not mapping(mapping(runtime.tree.get("spec")).get("podGroupPolicy")):
        return
    limited = [
        container
        for role in workload.roles
        for container in role.containers()
        if mapping(mapping(container.tree.get("resources")).get("limits"))
    ]
    if not limited:
        return
    from specgen.operators.trainer.gang import resources

    if resources(merged(workload, runtime)):
        return
    first = limited[0]
    path: Path = (*first.path, "resources", "limits")
    fix = None
    holder, there = locate(workload, path)
    if holder is workload.manifest:
        limits = dict(mapping(mapping(first.tree.get("resources")).get("limits")))
        fix = Fix("write them as requests too", SAFE, [put(holder.tree, (*there[:-1], "requests"), limits)])
    yield CODE.at(
        Place(path, KEY),
        "the PodGroup counts no resources: its pods say limits and no requests",
        related=[(Place(("spec", "podGroupPolicy"), KEY, where=runtime.where), "the group")],
        notes=["Trainer adds up requests alone, so that the group is let in whatever is free"],
        helps=[] if fix else ["write the limits as `requests` too"],
        fix=fix,
    )
