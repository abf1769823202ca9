"""A job without a role, or without the one that its kind cannot do without.

## What it checks
The job has a `spec`, and its replica specs hold at least one role that is not null: an XGBoostJob its `Master`, an
MPIJob its `Launcher`.

## Why it hurts
Without the role that leads it, nobody takes the job: a webhook refuses it, or only an event says so. Without any role
it is stored; the operator then creates nothing and writes no condition, as if nobody had seen the job.

## Severity
- error: a webhook or the operator refuses the job, or nothing is created for it.

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
training-operator 1.9.4, pkg/webhooks; mpi-operator 0.8, pkg/apis/kubeflow/validation/validation.go; recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, article
from specgen.diagnostics.suggest import hint
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import refuses, roles, spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG309", "missing-roles", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED
CAUSES = ("roles",)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding; a spec without replica specs is the schema's business, and so is one that must be there."""
    terms = workload.terms
    if terms is None:
        return
    if workload.manifest.tree.get("spec") is None:
        yield CODE.at(("kind",), "the job has no `spec`", label="no role stands below", notes=[refuses(workload)])
        return
    if not isinstance(spec(workload).get(terms.field), dict):
        return
    given = [name for name, role in roles(workload).items() if role is not None]
    for name in terms.needed if context.refused(*CAUSES) else ():
        # another case of letters is `unknown_role`'s, where the operator looks at unknown words at all
        if name in given or (context.refused("role") and any(str(one).lower() == name.lower() for one in given)):
            continue
        near = hint(name, [one for one in given if isinstance(one, str) and one not in terms.roles], "role")
        yield CODE.at(
            terms.path,
            f"the job has no `{name}`, and {article(workload.kind)} cannot do without it",
            part=KEY,
            label=f"no `{name}` among these" if given else "no role stands below",
            notes=[refuses(workload)],
            helps=[near] if near else [],
        )
        return
    if not given:
        note = "the operator creates no pods and writes no condition"
        label = "no " + ", no ".join(f"`{name}`" for name in terms.roles)
        yield CODE.at(terms.path, "the job has no role", part=KEY, label=label, notes=[note])
