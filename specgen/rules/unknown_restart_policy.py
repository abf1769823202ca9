"""A restart policy that is not one of the operator's words.

## What it checks
`restartPolicy` of a role is `Always`, `OnFailure`, `Never`, or `ExitCode`; in an MPIJob of the mpi-operator `Never` or
`OnFailure`.

## Why it hurts
Neither the schema of the kind nor an admission webhook checks the word. The mpi-operator says in an event that it does
not take it. The others pass it on to the pods: the API server refuses them, and the operator tries again without end.

## Severity
- error: the operator refuses the word, or the API server the pods that have it.
- warning: the role has no pods yet (`replicas: 0`); those that come later are refused.

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
Write one of the words. The near one is applied where one asks for it: they differ in what happens to a failed pod.

## When to ignore it
Never; such a job gets no pods.

## References
training-operator 1.9.4, pkg/apis/kubeflow.org/v1/common_types.go; mpi-operator 0.8, pkg/apis/kubeflow/validation;
recorded with both and with ms-operator 1.0.0.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code
from specgen.diagnostics.suggest import hint
from specgen.rules import ROLE, ROLED
from specgen.rules._operators import refuses
from specgen.rules._remedies import respelt
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG313", "unknown-restart-policy", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ROLED
NEEDS = ("restartPolicy",)
CAUSES = ("restart-policy",)

_PASSED_ON = "becomes the policy of the pods"


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding. An empty text counts as absent, as the operator takes it."""
    policy, terms = role.tree.get("restartPolicy"), role.workload.terms
    if terms is None or not isinstance(policy, str) or policy in ("", *terms.restarts):
        return
    path = (*role.path, "restartPolicy")
    fix = respelt(path, policy, terms.restarts, UNSAFE)
    help = None if fix else hint(policy, terms.restarts, "word")
    judged = bool(context.refused(*CAUSES))
    later = "the API server refuses the pods, and the operator tries again without end"
    empty = not judged and context.reader is not None and not context.reader.makes_pods(role)
    if empty:
        later = f"`{shown(role.name)}` has no pods; the API server refuses those that come later"
    yield CODE.at(
        path,
        f"the operator knows no restart policy `{shown(policy)}`",
        label="expected " + " or ".join(f"`{word}`" for word in terms.restarts) if judged else _PASSED_ON,
        notes=[refuses(role.workload) if judged else later],
        helps=[help] if help else [],
        fix=fix,
        severity=WARNING if empty else ERROR,
    )
