"""A TFJob with a Chief and a Master.

## What it checks
A TFJob has `Chief` or `Master`, in any case of letters, and not both.

## Why it hurts
Both are words for the pod that leads the job and decides whether it succeeded. The admission webhook of the training
operator refuses a job with two of them.

## Severity
- error: the webhook refuses the job.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist}
spec:
  tfReplicaSpecs:
    Chief: {template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/train:1.4"}]}}}
    Master: {template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/train:1.4"}]}}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: mnist}
spec:
  tfReplicaSpecs:
    Chief: {template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/train:1.4"}]}}}
    Worker: {template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/train:1.4"}]}}}
```

## Fix
Keep `Chief`, the newer word, and make the other one a `Worker`.

## When to ignore it
Never; such a job does not start.

## References
training-operator 1.9.4, pkg/webhooks/tensorflow/tfjob_webhook.go; recorded with 1.7.0, 1.8.1, and 1.9.4.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, Place
from specgen.rules import REFUSED
from specgen.rules._operators import refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG316", "chief-beside-master", ERROR, since="0.1", page=__doc__)
SCOPE = REFUSED
KINDS = ("TFJob",)
CAUSES = ("chief",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    chiefs = {role.name: role for role in workload.roles if role.name in ("Chief", "Master")}
    if len(chiefs) < 2:
        return  # one of them is no mapping, which the schema refuses
    yield CODE.at(
        chiefs["Master"].path,
        "`Master` contradicts `Chief`: both lead the job, and a TFJob has one of them",
        part=KEY,
        label="the older word",
        related=[(Place(chiefs["Chief"].path, KEY), "leads the job too")],
        notes=[refuses(workload)],
        helps=["make the second one a `Worker`"],
    )
