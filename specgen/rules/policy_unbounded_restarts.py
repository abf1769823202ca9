"""Restarts without end.

## What it checks
Where containers are restarted in place or pods are created again without end, `backoffLimit` counts it, or a deadline
ends the job. Opt-in: looked for where the group `policy` or the code is selected.

## Why it hurts
A program that fails at its first line fails as long as nobody looks, and holds the GPUs of all its pods between tries.

## Severity
- warning: the job runs; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
pytorchReplicaSpecs:
  Master:
    replicas: 1
    restartPolicy: OnFailure
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
runPolicy: {backoffLimit: 10}
pytorchReplicaSpecs:
  Master:
    replicas: 1
    restartPolicy: OnFailure
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
`backoffLimit`, which counts the restarts of all pods: incidents times pods. In a profile `lifecycle: {restarts: 3}`
does the sum.

## When to ignore it
Where somebody is called when a job restarts.

## References
training-operator 1.9.4, pkg/core/job.go (PastBackoffLimit); kubeflow/trainer#1589, #2045.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place
from specgen.operators.lifecycle import FAILS, RECREATED
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import home_of_limit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.operators.lifecycle import Lifecycle
    from specgen.rules import Context

CODE = Code("SG865", "unbounded-restarts", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, where the limit would stand."""
    facts = context.life(workload)
    roles = _endless(facts) if facts is not None else []
    if facts is None or not roles:
        return
    bounds = [one for one in facts.limits if one.effect == FAILS]
    if any(one.field != "backoffLimit" or set(roles) <= set(one.counts) for one in bounds):
        return
    written = [role for role in workload.roles if role.name in roles and "restartPolicy" in role.tree]
    yield CODE.at(
        home_of_limit(workload),
        "a program that fails is started again without end",
        label="no limit counts it",
        related=[(Place((*role.path, "restartPolicy")), f"of `{role.name}`") for role in written],
        helps=["`backoffLimit` ends the job after so many restarts of all its pods"],
    )


def _endless(facts: Lifecycle) -> list[str]:
    """Roles whose containers or pods come again whenever one is needed."""
    again = [one for one in facts.failures if one.restarts or (one.steps and one.steps[0].outcome == RECREATED)]
    return [role for one in again if not one.steps or one.steps[0].times is None for role in one.roles]
