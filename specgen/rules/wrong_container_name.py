"""No container of a role has the name by which the operator looks for it.

## What it checks
Every role has a container of the name that the job's kind asks for: `pytorch` in a PyTorchJob, `tensorflow`,
`xgboost`, `paddle`, `jax`, and `mindspore` in the others.

## Why it hurts
The operator puts ports, variables, and the exit code's meaning on the container of that name. The admission webhook of
the training operator refuses a job without one; 1.7 takes it, says so in an event, and creates no pods. The ms-operator
takes it too: its Scheduler then gets no Service and nothing starts, and other roles lack all `MS_` variables.

## Severity
- error: a webhook refuses the job, or the operator creates nothing.
- warning: of an MSJob whose other roles lack it, pods come up, and their program may need no variables.

## Example
Bad:

```yaml
containers:
  - name: trainer
    image: registry.example.com/train:1.4
```

Good:

```yaml
containers:
  - name: pytorch
    image: registry.example.com/train:1.4
```

## Fix
Rename the container that trains. Safe where the webhook refuses the job and each pod has one container. Where a pod has
several, which one that is cannot be seen from outside, and none is applied.

## When to ignore it
Never; such a job does not start.

## References
training-operator 1.9.4, pkg/webhooks; ms-operator 1.0.0, pkg/controllers/v1/utils.go; recorded with 1.7.0, 1.8.1,
1.9.4, and ms-operator 1.0.0.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, SAFE, UNSAFE, WARNING, Code, Fix, Place, plural
from specgen.diagnostics.operations import Set
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context

CODE = Code("SG301", "wrong-container-name", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = tuple(kind for kind in ROLED if kind != "MPIJob")
CAUSES = ("container-name",)

_UNTOLD = "the ms-operator creates the pods, without the `MS_` variables by which they find each other"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for all roles."""
    refused = context.refused(*CAUSES)
    # recorded: pods of an MSJob come up without it, but for the Scheduler's
    taken = workload.operator == "ms-operator"
    wanted = workload.container
    places = [
        (role, *_place(role, str(wanted)))
        for role in workload.roles
        if any(one.path[: len(role.path)] == role.path for one in refused) or (taken and _lacks(role, wanted))
    ]
    if not places:
        return
    roles = " or ".join(f"`{role.name}`" for role, _, _ in places)
    note = refuses(workload)
    if taken:
        note = "the operator finds no port for the Scheduler's Service, and creates nothing" if refused else _UNTOLD
    related = [(Place(("kind",)), "the operator of this kind looks the container up by name")]
    fix = _fix([role for role, _, _ in places], str(wanted), SAFE if refused else UNSAFE)
    yield CODE.at(
        places[0][1],
        f"no container of {roles} is named `{wanted}`",
        label=places[0][2],
        related=related + [(place, label) for _, place, label in places[1:]],
        notes=[note],
        helps=[] if fix else [f"name the container that trains `{wanted}`"],
        fix=fix,
        severity=ERROR if refused else WARNING,
    )


def _fix(roles: list[Role], wanted: str, level: str) -> Fix | None:
    """A name for the only container of each role; of several, which one trains cannot be seen from outside."""
    alone = [role.containers()[0] for role in roles if len(role.containers()) == 1]
    if len(alone) < len(roles) or any(one.name == wanted for role in roles for one in role.containers(init=True)):
        return None
    names = dict.fromkeys(one.name for one in alone)
    title = f"rename `{next(iter(names))}` to `{wanted}`" if len(names) == 1 else f"name the containers `{wanted}`"
    return Fix(title, level, [Set((*one.path, "name"), wanted) for one in alone])


def _lacks(role: Role, wanted: str | None) -> bool:
    containers = role.containers()
    return bool(containers) and all(container.name != wanted for container in containers)


def _place(role: Role, wanted: str) -> tuple[Place, str]:
    containers = role.containers()
    if len(containers) == 1:
        return Place((*containers[0].path, "name")), f"expected `{wanted}`"
    return Place((*role.pod_path, "containers"), KEY), f"{plural(len(containers), 'container')}, none is `{wanted}`"
