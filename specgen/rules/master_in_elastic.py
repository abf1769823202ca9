"""An elastic job with a Master that its rendezvous does not count.

## What it checks
A PyTorchJob with `elasticPolicy` and a Master never has more pods than `maxReplicas`, also when an autoscaler has added
all Workers that it may.

## Why it hurts
The operator tells torchrun `minReplicas:maxReplicas`, which counts Workers alone; the agent of the Master joins the
same rendezvous. The pod that is one too many waits as a spare, for as long as the job lasts, with its GPUs.

## Severity
- warning: whether the Master runs torchrun is not known.

## Example
Bad:

```yaml
elasticPolicy: {minReplicas: 1, maxReplicas: 2}
pytorchReplicaSpecs:
  Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
  Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

Good:

```yaml
elasticPolicy: {minReplicas: 1, maxReplicas: 2}
pytorchReplicaSpecs:
  Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}}
```

## Fix
Leave the Master out: Workers of an elastic job meet at Worker 0. None is applied: how many Workers are wanted then is
not known.

## When to ignore it
Where the Master does not run torchrun.

## References
training-operator 1.9.4, pkg/controller.v1/pytorch/elastic.go and hpa.go; torch 2.13,
distributed/elastic/rendezvous/dynamic_rendezvous.py (`_BackendRendezvousStateHolder`, the wait list).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, plural
from specgen.manifest.views import mapping, sequence
from specgen.rules import WORKLOAD
from specgen.rules._operators import spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG491", "master-in-elastic", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("PyTorchJob",)
NEEDS = ("elasticPolicy",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the Master."""
    roles = {role.name: role for role in workload.roles}
    if "Master" not in roles or "Worker" not in roles or context.reader is None:
        return
    policy = mapping(spec(workload).get("elasticPolicy"))
    most = _most(context.pods(roles["Worker"]))
    if most is None:
        return
    grows = "metrics" in policy
    workers = max(roles["Worker"].replicas, most) if grows else roles["Worker"].replicas
    pods = workers + roles["Master"].replicas
    if pods <= most:
        return
    bound = ("spec", "elasticPolicy", "maxReplicas") if "maxReplicas" in policy else ("spec", "elasticPolicy")
    yield CODE.at(
        Place(roles["Master"].path, KEY),
        f"with the Master {'up to ' if grows else ''}{plural(pods, 'pod')} join a rendezvous for {most}",
        label="joins it as well",
        related=[(Place(bound, "value" if len(bound) == 3 else KEY), f"at most {most}, counted in Workers")],
        notes=["the pod that comes last waits as a spare, with its devices"],
        helps=["leave the Master out: the Workers of an elastic job meet at Worker 0"],
    )


def _most(pods: list[dict[str, object]]) -> int | None:
    """The greatest number of pods that the operator tells torchrun."""
    containers = sequence(mapping(mapping(pods[0]).get("spec")).get("containers")) if pods else []
    for entry in reversed(sequence(mapping(containers[0]).get("env")) if containers else []):
        if mapping(entry).get("name") == "PET_NNODES":
            text = str(entry.get("value")).rpartition(":")[2]
            return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None
    return None
