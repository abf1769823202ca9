"""A restart policy that is not one of the operator's four words.

## What it checks
`restartPolicy` of a role is `Always`, `OnFailure`, `Never`, or `ExitCode`.

## Why it hurts
Neither the schema of the kind nor the admission webhook checks the word. It becomes the pod's own policy, the API
server refuses the pod, and the operator tries again without end.

## Example
Bad:

```yaml
replicas: 1
restartPolicy: Sometimes
template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
replicas: 1
restartPolicy: OnFailure
template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Write one of the four words. None is applied: they differ in what happens to a failed pod.

## When to ignore it
Never; such a job gets no pods.

## References
training-operator 1.9.4, pkg/apis/kubeflow.org/v1/common_types.go; recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code
from specgen.diagnostics.suggest import hint
from specgen.rules import ROLE
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG313", "unknown-restart-policy", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE

POLICIES = ("Always", "OnFailure", "Never", "ExitCode")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding. An empty text counts as absent, as the operator takes it."""
    policy = role.tree.get("restartPolicy")
    if role.workload.operator != "training-operator" or not isinstance(policy, str) or policy in ("", *POLICIES):
        return
    help = hint(policy, POLICIES, "word")
    yield CODE.at(
        (*role.path, "restartPolicy"),
        f"the operator knows no restart policy `{shown(policy)}`",
        label="becomes the policy of the pods",
        notes=["the API server refuses the pods, and the operator tries again without end"],
        helps=[help] if help else [],
    )
