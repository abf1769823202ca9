"""A pod that is killed a second after it was asked to stop.

## What it checks
`terminationGracePeriodSeconds` of a role's pods is not 1.

## Why it hurts
Between SIGTERM and SIGKILL a program saves what it has learned. With a second in between, each preemption and each
drained node costs all steps since the last checkpoint.

## Severity
- warning: the program may have nothing to save.

## Example
Bad:

```yaml
terminationGracePeriodSeconds: 1
containers: [{name: pytorch, image: registry.example.com/train:1.4}]
```

Good:

```yaml
terminationGracePeriodSeconds: 300
containers: [{name: pytorch, image: registry.example.com/train:1.4}]
```

## Fix
Give the pods as long as a checkpoint takes, or leave the field out: Kubernetes waits 30 seconds.

## When to ignore it
Where the job saves nothing.

## References
Kubernetes 1.36, core/v1, PodSpec.terminationGracePeriodSeconds.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG448", "scant-grace", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL

_FIELD = "terminationGracePeriodSeconds"


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    if role.pod.get(_FIELD) == 1:
        message = f"pods of {role.name} are killed without time to save anything"
        yield CODE.at((*role.pod_path, _FIELD), message, label="1 second")
