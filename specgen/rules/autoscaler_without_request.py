"""An autoscaler that is to go by the use of something of which the pods request nothing.

## What it checks
Where `elasticPolicy.metrics` names the utilization of a resource, every container of the Worker requests it. A limit
counts as a request, and no metric at all stands for the use of CPUs.

## Why it hurts
A utilization is a share of the request. Without one the HorizontalPodAutoscaler reports `FailedGetResourceMetric`,
`missing request for cpu`, and the job stays at the size with which it began.

## Severity
- warning: a LimitRange or a webhook of the cluster may give the containers a request.

## Example
Bad:

```yaml
elasticPolicy:
  minReplicas: 1
  maxReplicas: 4
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
pytorchReplicaSpecs:
  Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: "a/b:1"}]}}}
```

Good:

```yaml
elasticPolicy:
  minReplicas: 1
  maxReplicas: 4
  metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}}]
pytorchReplicaSpecs:
  Worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: "a/b:1", resources: {requests: {cpu: 4}}}]}}
```

## Fix
Request the resource in every container. None is applied: how much, is not known.

## When to ignore it
Where a LimitRange of the namespace gives containers a request, or a webhook does.

## References
Kubernetes 1.36, pkg/controller/podautoscaler/replica_calculator.go (`calculatePodRequests`); training-operator 1.9.4,
pkg/controller.v1/pytorch/hpa.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.rules import ROLE
from specgen.rules._words import written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG431", "autoscaler-without-request", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("PyTorchJob",)
NEEDS = ("metrics",)

# Resources whose use the metrics server knows (kubernetes-sigs/metrics-server 0.8).
_TAKEN = ("cpu", "memory")
_METRICS: Path = ("spec", "elasticPolicy", "metrics")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each container and resource. Of a profile the same is said of its words (SG207)."""
    policy = mapping(mapping(role.workload.manifest.tree.get("spec")).get("elasticPolicy"))
    if role.name != "Worker" or "metrics" not in policy or not written_by_hand(role.workload):
        return
    for name, path in _used(policy["metrics"]):
        if name not in _TAKEN:
            yield CODE.at(
                path,
                f"nobody measures the use of `{shown(name)}`, by which the job is to grow and shrink",
                label="no such metric",
                notes=["the HorizontalPodAutoscaler says `FailedGetResourceMetric`, and the job keeps its size"],
                helps=["a metric of the type `Resource` is of `cpu` or `memory`"],
            )
            continue
        for container in role.containers():
            if name in container.amounts():
                continue
            where = "resources" if "resources" in container.tree else "name"
            yield CODE.at(
                Place((*container.path, where), KEY),
                f"container `{shown(container.name)}` requests no `{name}`, by whose use the job is to grow and shrink",
                label=f"no request of `{name}`",
                related=[(Place(path), "a share of the request")],
                notes=["the HorizontalPodAutoscaler says `FailedGetResourceMetric`, and the job keeps its size"],
                helps=[f"add `{name}` to `resources.requests`"],
            )


def _used(metrics: object) -> list[tuple[str, Path]]:
    """(resource, path of what asks for it) of metrics that are shares of a request."""
    items = sequence(metrics)
    if not items:
        return [("cpu", _METRICS)]
    found: list[tuple[str, Path]] = []
    for index, one in enumerate(items):
        resource = mapping(mapping(one).get("resource"))
        name = resource.get("name")
        share = mapping(resource.get("target")).get("type") == "Utilization"
        if mapping(one).get("type") == "Resource" and share and isinstance(name, str):
            found.append((name, (*_METRICS, index, "resource", "name")))
    return found
