"""An elastic job whose bounds leave no number of pods, or not the one that it has.

## What it checks
`elasticPolicy.minReplicas` is at least 1 and at most `maxReplicas`. `replicas` of the Worker lies between them, where
nothing changes it (no `metrics`) and torchrun is started without `--nnodes`.

## Why it hurts
With `metrics` the operator first creates an autoscaler with these bounds. The API server refuses it, and the operator
creates nothing else. Without `metrics` the pods come up, and torchrun ends at once over `PET_NNODES`. Fewer Workers
than `minReplicas` wait until the rendezvous gives up; those above `maxReplicas` are not let in.

## Severity
- error: the API server refuses the autoscaler, and the operator creates nothing else.
- warning: whether the program is started by torchrun, which ends over the bounds, is not known.

## Example
Bad:

```yaml
elasticPolicy: {minReplicas: 4, maxReplicas: 2}
pytorchReplicaSpecs:
  Worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
elasticPolicy: {minReplicas: 2, maxReplicas: 4}
pytorchReplicaSpecs:
  Worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Swap or change the bounds. None is applied: which of the two is meant is not known.

## When to ignore it
Where the program is not started with torchrun and takes no notice of `PET_NNODES`, or where something else scales the
job, such as an autoscaler of one's own.

## References
training-operator 1.9.4, pkg/controller.v1/pytorch/hpa.go and elastic.go; recorded with the bounds swapped.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, plural
from specgen.manifest.views import mapping
from specgen.operators.kubernetes import launchers
from specgen.rules import WORKLOAD
from specgen.rules._operators import spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG321", "impossible-elastic-range", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("PyTorchJob",)
NEEDS = ("elasticPolicy",)
CAUSES = ("autoscaler",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding; a bound that is absent stands for the other one."""
    policy = mapping(spec(workload).get("elasticPolicy"))
    lower, upper = policy.get("minReplicas"), policy.get("maxReplicas")
    numbers = [one for one in (lower, upper) if isinstance(one, int) and not isinstance(one, bool)]
    if not numbers:
        return
    least, most = numbers[0], numbers[-1]
    if 1 <= least <= most:
        yield from _outside(workload, policy, least, most)
        return
    scaled = bool(context.refused(*CAUSES))
    key = "minReplicas" if least < 1 and isinstance(lower, int) else "maxReplicas"
    other = "maxReplicas" if key == "minReplicas" else "minReplicas"
    path = ("spec", "elasticPolicy")
    message = f"`minReplicas` {least} contradicts `maxReplicas` {most}" if most < least else f"`{key}` is {least}"
    yield CODE.at(
        (*path, key),
        message + ("" if most < least else ", an elastic job has at least one pod"),
        label="the upper bound" if most < least else "expected 1 or more",
        related=[(Place((*path, other)), "the lower bound")] if most < least and other in policy else [],
        notes=[
            "the API server refuses the autoscaler, and the operator creates nothing else"
            if scaled
            else "torchrun ends at once over `PET_NNODES`"
        ],
        severity=ERROR if scaled else WARNING,
    )


def _outside(workload: Workload, policy: dict[str, Any], least: int, most: int) -> Iterator[Finding]:
    """A number of Workers that torchrun does not begin with, or does not let in."""
    roles = [role for role in workload.roles if role.replicas > 0]
    if len(roles) != 1 or roles[0].name != "Worker" or policy.get("metrics") or policy.get("standalone"):
        return
    count, container = roles[0].replicas, roles[0].main
    if least <= count <= most or container is None or "PET_NNODES" in container.env:
        return
    line = launchers.of_text([text for _, _, text in container.words()])
    if line is None or line.name != launchers.TORCHRUN or line.may("nnodes", "standalone"):
        return
    fewer = count < least
    key = "minReplicas" if (fewer and "minReplicas" in policy) or "maxReplicas" not in policy else "maxReplicas"
    waits = f"the rendezvous waits for {plural(least, 'pod')}, and nothing adds one: without `metrics` nobody scales"
    left = f"torchrun lets {most} of them in: the others wait, and hold their devices"
    yield CODE.at(
        (*roles[0].path, "replicas"),
        f"{plural(count, 'Worker')} {'is' if count == 1 else 'are'} {'fewer' if fewer else 'more'} than "
        f"`elasticPolicy` has: {least} to {most}",
        label=f"expected {least} to {most}",
        related=[(Place(("spec", "elasticPolicy", key)), "the lower bound" if fewer else "the upper bound")],
        notes=[waits if fewer else left],
        severity=WARNING,
    )
