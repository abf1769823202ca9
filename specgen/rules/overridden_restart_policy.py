"""A restart policy in a pod template, where the operator puts another one in its place.

## What it checks
`restartPolicy` in the template of a role is what its pods get: the role's own `restartPolicy`, or the one that the kind
has by itself where the role gives none. Equal ones are left alone.

## Why it hurts
The operators give their pods the policy of the role and nothing else, with an event that few read. A template with
`Never` in a role without a policy becomes `OnFailure` in a PyTorchJob: what was to fail once begins again without end,
and holds its GPUs. The other way round nothing begins again that was to.

## Severity
- warning: the job runs, with the policy of the role.

## Example
Bad:

```yaml
Worker:
  replicas: 4
  template:
    spec:
      restartPolicy: Never
      containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
Worker:
  replicas: 4
  restartPolicy: Never
  template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
Where the role says a policy, take the other one out of the template, where nobody reads it: safe, as the pods stay what
they are. Where it says none, the one of the template is most likely meant: it is moved beside `template` if one asks
for it, as the job behaves otherwise then.

## When to ignore it
Where the policy that the pods get is the one that is meant; better, remove the other.

## References
training-operator 1.9.4, pkg/controller.v1/common/pod.go (setRestartPolicy, and its event, recorded); mpi-operator 0.8,
pkg/controller/mpi_job_controller.go (setRestartPolicy).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, SAFE, UNSAFE, WARNING, Code, Fix, Place, article, shown
from specgen.diagnostics.operations import Move, Remove
from specgen.operators.template import restart
from specgen.rules import ROLE, ROLED, TEMPLATE_POLICY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG475", "overridden-restart-policy", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ROLED
NEEDS = (TEMPLATE_POLICY,)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    written, own = role.pod.get("restartPolicy"), role.tree.get("restartPolicy")
    if not isinstance(written, str) or not written or role.workload.terms is None:
        return
    policy = restart(role)
    if not policy or written == policy:
        return
    if own:
        message = f"`restartPolicy: {shown(written)}` of the template has no effect: the role says `{own}`"
        related = [(Place((*role.path, "restartPolicy"), KEY), "the role's own")]
    else:
        what = f"{article(role.workload.kind)}'s {role.name} without a policy has `{policy}`"
        message = f"`restartPolicy: {shown(written)}` of the template has no effect: {what}"
        related = [(Place(role.path, KEY), "no `restartPolicy` here")]
    yield CODE.at(
        Place((*role.pod_path, "restartPolicy")),
        message,
        related=related,
        notes=[f"the {role.workload.operator} gives its pods `{policy}`, whatever the template says"],
        fix=_fix(role, written, bool(own)),
    )


def _fix(role: Role, written: str, said: bool) -> Fix:
    path = (*role.pod_path, "restartPolicy")
    terms = role.workload.terms
    if said or (terms is not None and written not in terms.restarts):
        return Fix("remove it from the template", SAFE, [Remove(path)])
    return Fix("say it beside `template`", UNSAFE, [Move(path, (*role.path, "restartPolicy"))])
