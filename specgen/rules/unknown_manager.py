"""A `managedBy` that no controller answers to.

## What it checks
`runPolicy.managedBy` is `kubeflow.org/training-operator` or `kueue.x-k8s.io/multikueue`, where it is given, and is not
given where the operator is older than 1.9.

## Why it hurts
The admission webhook of the training operator refuses any other word. Versions before 1.9 lack the field: kubectl
refuses the object, or the API server drops the field in silence.

## Example
Bad:

```yaml
runPolicy: {managedBy: kueue.x-k8s.io}
```

Good:

```yaml
runPolicy: {managedBy: kueue.x-k8s.io/multikueue}
```

## Fix
Write one of the two words, or leave the field out: the training operator then takes the job.

## When to ignore it
Never; such a job cannot be created.

## References
training-operator 1.9.4, pkg/webhooks/pytorch/pytorchjob_webhook.go; recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, listed
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD
from specgen.rules._pytorch import is_pytorch, refuses, release, spec
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG308", "unknown-manager", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD

MANAGERS = ("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    if not is_pytorch(workload):
        return
    manager = mapping(spec(workload).get("runPolicy")).get("managedBy")
    if not isinstance(manager, str):
        return
    if release(workload) < (1, 9):
        yield CODE.at(
            ("spec", "runPolicy", "managedBy"),
            f"training-operator {workload.version} has no field `managedBy`",
            part=KEY,
            label="has no effect here",
            notes=["kubectl refuses the object; without strict validation the API server drops the field in silence"],
            helps=["remove it"],
        )
        return
    if manager in MANAGERS:
        return
    yield CODE.at(
        ("spec", "runPolicy", "managedBy"),
        f"no controller takes jobs that are managed by `{shown(manager)}`",
        label="expected one of two words",
        notes=[refuses(workload)],
        helps=[f"the words here are {listed(MANAGERS)}"],
    )
