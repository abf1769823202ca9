"""A role that a PyTorchJob does not have.

## What it checks
The keys of `pytorchReplicaSpecs` are `Master` and `Worker`, written exactly so.

## Why it hurts
The admission webhook of the training operator refuses any other word, `master` and `worker` included, although the
operator's own defaulting would correct the letter case.

## Example
Bad:

```yaml
pytorchReplicaSpecs:
  worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
pytorchReplicaSpecs:
  Worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Rename the role. None is applied where the word is not a near one: `PS` and `Chief` have no counterpart here.

## When to ignore it
Never; such a job does not start.

## References
training-operator 1.9.4, pkg/webhooks/pytorch/pytorchjob_webhook.go; pkg/apis/kubeflow.org/v1/defaulting_utils.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code
from specgen.diagnostics.suggest import hint
from specgen.rules import WORKLOAD
from specgen.rules._pytorch import NAMES, ROLES_PATH, is_pytorch, refuses, release, roles
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG303", "unknown-role", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each role; a role that is null is dropped by the API server and not reported."""
    if not is_pytorch(workload):
        return
    for name, role in roles(workload).items():
        if name in NAMES or role is None:
            continue
        # Recorded: 1.7.0 corrects the letter case in memory, complains in an event, and creates the pods.
        by_luck = release(workload) < (1, 8) and name.capitalize() in NAMES
        help = hint(name, NAMES, "role")
        yield CODE.at(
            (*ROLES_PATH, name),
            f"a PyTorchJob has no role `{shown(name)}`",
            part=KEY,
            label="expected `Master` or `Worker`",
            notes=["training-operator 1.7 corrects the letter case, 1.8 refuses it" if by_luck else refuses(workload)],
            helps=[help] if help else [],
            severity=WARNING if by_luck else ERROR,
        )
