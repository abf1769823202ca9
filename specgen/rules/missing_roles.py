"""A job without a role.

## What it checks
The job has a `spec`, and `pytorchReplicaSpecs` holds at least one role that is not null.

## Why it hurts
Without a `spec` the admission webhook refuses the job. An empty `pytorchReplicaSpecs` passes it; the operator then
creates nothing and writes no condition, so the job looks as if nobody had seen it.

## Example
Bad:

```yaml
pytorchReplicaSpecs: {}
```

Good:

```yaml
pytorchReplicaSpecs:
  Worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Write the roles.

## When to ignore it
In a base of kustomize whose overlays bring the roles.

## References
training-operator 1.9.4, pkg/webhooks/pytorch/pytorchjob_webhook.go; recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code
from specgen.rules import WORKLOAD
from specgen.rules._pytorch import ROLES_PATH, is_pytorch, refuses, roles, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG309", "missing-roles", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding; a spec without `pytorchReplicaSpecs` is the schema's business."""
    if not is_pytorch(workload):
        return
    if workload.manifest.tree.get("spec") is None:
        yield CODE.at(("kind",), "the job has no `spec`", label="no role stands below", notes=[refuses(workload)])
        return
    if not isinstance(spec(workload).get("pytorchReplicaSpecs"), dict):
        return
    if all(role is None for role in roles(workload).values()):
        note = "the operator creates no pods and writes no condition"
        yield CODE.at(ROLES_PATH, "the job has no role", part=KEY, label="no `Master`, no `Worker`", notes=[note])
