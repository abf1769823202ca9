"""The processes of a pod said in both of their fields.

## What it checks
A job does not have `nprocPerNode` and `elasticPolicy.nProcPerNode` together.

## Why it hurts
The training operator refuses the job. The second field is deprecated and never enters `WORLD_SIZE`.

## Severity
- error: the operator refuses the job.

## Example
Bad:

```yaml
nprocPerNode: "8"
elasticPolicy: {minReplicas: 1, maxReplicas: 4, nProcPerNode: 8}
```

Good:

```yaml
nprocPerNode: "8"
elasticPolicy: {minReplicas: 1, maxReplicas: 4}
```

## Fix
Remove `nProcPerNode` from `elasticPolicy`. None is applied where the two numbers differ.

## When to ignore it
Never; such a job does not start.

## References
training-operator 1.9.4, pkg/webhooks/pytorch/pytorchjob_webhook.go; recorded with 1.7.0, 1.8.1, and 1.9.4.
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

CODE = Code("SG307", "doubled-process-count", ERROR, since="0.1", page=__doc__)
SCOPE = REFUSED
KINDS = ("PyTorchJob",)
CAUSES = ("processes",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    yield CODE.at(
        ("spec", "elasticPolicy", "nProcPerNode"),
        "`elasticPolicy.nProcPerNode` stands beside `nprocPerNode`, a job has one of them",
        part=KEY,
        label="the deprecated field",
        related=[(Place(("spec", "nprocPerNode"), KEY), "the field that counts")],
        notes=[refuses(workload)],
        helps=["remove `elasticPolicy.nProcPerNode`"],
    )
