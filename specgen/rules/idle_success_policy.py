"""A success policy that counts Workers, beside a role that decides alone.

## What it checks
`successPolicy: AllWorkers` of a TFJob that has a Chief or a Master.

## Why it hurts
The Chief decides in any case: the job succeeds when it has ended well, and by `cleanPodPolicy` the Workers that still
run are then deleted in the middle of what was to be waited for.

## Severity
- warning: the job runs, and ends with its Chief.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: tf}
spec:
  successPolicy: AllWorkers
  tfReplicaSpecs:
    Chief: {replicas: 1, template: {spec: {containers: [{name: tensorflow, image: "example/tf:1"}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: tensorflow, image: "example/tf:1"}]}}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: tf}
spec:
  successPolicy: AllWorkers
  tfReplicaSpecs:
    Worker: {replicas: 3, template: {spec: {containers: [{name: tensorflow, image: "example/tf:1"}]}}}
```

## Fix
Leave the policy out, or the Chief, whose work Worker 0 does then. None is applied.

## When to ignore it
Where the job is meant to end with its Chief; better, leave the policy out.

## References
training-operator 1.9.4, pkg/controller.v1/tensorflow/tfjob_controller.go (UpdateJobStatus); recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, listed
from specgen.rules import WORKLOAD
from specgen.rules._operators import spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG404", "idle-success-policy", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("TFJob",)
NEEDS = ("successPolicy",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the policy."""
    life = context.life(workload) if spec(workload).get("successPolicy") == "AllWorkers" else None
    if life is None or not life.success.roles or "Worker" in life.success.roles:
        return
    deciding = [role for role in workload.roles if role.name in life.success.roles]
    yield CODE.at(
        Place(("spec", "successPolicy")),
        f"`successPolicy: AllWorkers` has no effect beside {listed(life.success.roles)}, which decides alone",
        label="nobody asks the Workers",
        related=[(Place(role.path, "key"), "decides") for role in deciding],
        notes=["the job succeeds when it has ended well, whatever the Workers still do"],
        helps=["leave the policy out, or the role, whose work Worker 0 does then"],
    )
