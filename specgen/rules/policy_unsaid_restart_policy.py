"""A restart policy that is left to a default.

## What it checks
Every role says its `restartPolicy`. Opt-in: looked for where the group `policy` or the code is selected.

## Why it hurts
What the default is depends on the kind, the role, and the release, and the text of the CRD of PyTorchJobs says another
one than the code has: jobs restart that were to stop, or stop that were to go on.

## Severity
- warning: the job runs; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
replicas: 1
template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
replicas: 1
restartPolicy: OnFailure
template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
Write the policy. Safe with the one that the operator takes anyway.

## When to ignore it
Where the default is what everybody knows.

## References
training-operator 1.9.4, pkg/apis/kubeflow.org/v1/*_defaults.go; recorded; kubeflow/trainer#2127.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, SAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.rules import ROLE, ROLED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG871", "unsaid-restart-policy", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ROLED


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each role with a template; a policy in the template is another finding's (SG475)."""
    terms = role.workload.terms
    if terms is None or role.tree.get("restartPolicy") or not role.pod or "restartPolicy" in role.pod:
        return
    taken = terms.restart.get(role.name, terms.restart[""])
    path = (*role.path, "restartPolicy")
    yield CODE.at(
        Place(role.path, KEY),
        f"`{role.name}` leaves its restart policy to the operator, which takes `{taken}`",
        label="no `restartPolicy`",
        fix=Fix(f"write `restartPolicy: {taken}`", SAFE, [Set(path, taken)]),
    )
