"""A number of pods that the role cannot have.

## What it checks
`Master` of a PyTorchJob or an XGBoostJob says `replicas: 1`, in so many words; `Launcher` of an MPIJob has one pod.
`Worker` of a PyTorchJob says at least 1 or nothing, that of the mpi-operator at least 1. No number is negative.

## Why it hurts
Webhooks and operators refuse everything else: a Master without `replicas` too, although the operator's own default
would be 1. A role of another kind with 0 replicas still gets its first pod, which is deleted and created again.

## Example
Bad:

```yaml
Master:
  replicas: 2
  template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

Good:

```yaml
Master:
  replicas: 1
  template: {spec: {containers: [{name: pytorch, image: registry.example.com/train:1.4}]}}
```

## Fix
Write `replicas: 1`, put further pods into `Worker`, and leave out a role that shall have no pods.

## When to ignore it
Never; such a job does not start, or does not start as written.

## References
training-operator 1.9.4, pkg/webhooks and pkg/apis/kubeflow.org/v1/mpi_validation.go; mpi-operator 0.8,
pkg/apis/kubeflow/validation/validation.go; recorded with all of them.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, plural
from specgen.rules import ROLE
from specgen.rules._operators import SERVER, article, asks_for_workers, creates_one, is_hooked, refuses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG304", "wrong-replicas", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding; a value of another type than a whole number is the schema's business."""
    workload, terms = role.workload, role.workload.terms
    if terms is None:
        return
    count = role.tree.get("replicas")
    path = (*role.path, "replicas")
    if count is None:
        yield from _unsaid(role)
    elif not isinstance(count, int) or isinstance(count, bool):
        return
    elif role.name in terms.single and count != 1:
        help = "write `replicas: 1`" + (" and put the other pods into `Worker`" if count > 1 else "")
        message = f"`{role.name}` asks for {plural(count, 'pod')}, {article(workload.kind)} has exactly one"
        yield CODE.at(path, message, label="expected 1", notes=[refuses(workload)], helps=[help])
    elif role.name in terms.peopled and count < 1:
        yield from _too_few(role, count)
    elif count < 0 and workload.operator == "training-operator":
        message = f"`{role.name}` asks for {plural(count, 'pod')}"
        yield CODE.at(path, message, label="expected 0 or more", notes=[SERVER])
    # the Workers of an MPIJob may be none
    elif count == 0 and terms.port is not None:
        note = "the operator creates its first pod all the same, and deletes it again"
        message = f"`{role.name}` asks for 0 pods, and gets one"
        yield CODE.at(
            path,
            message,
            label="expected 1 or more",
            notes=[note],
            helps=["leave the role out"],
            severity=WARNING,
        )


def _unsaid(role: Role) -> Iterator[Finding]:
    """Where absent replicas are not those that the operator would take them for."""
    workload, terms = role.workload, role.workload.terms
    if terms is None:
        return
    if role.name == "Master" and role.name in terms.single and is_hooked(workload):
        missing, help = f"`{role.name}` does not say `replicas: 1`", "write `replicas: 1`"
    elif role.name in terms.peopled and role.unsaid < 1:
        missing, help = f"`{role.name}` does not say how many pods it has", "write `replicas`"
    else:
        return
    path = (*role.path, "replicas")
    yield CODE.at(path, missing, part=KEY, label="lacks `replicas`", notes=[refuses(workload)], helps=[help])


def _too_few(role: Role, count: int) -> Iterator[Finding]:
    workload = role.workload
    note, runs, help = refuses(workload), False, "leave the role out"
    if workload.operator == "training-operator":
        runs = count == 0 and not asks_for_workers(workload)
        if count < 0:
            note = SERVER
        elif runs:
            note = creates_one()
    elif workload.operator == "mpi-operator":
        help = "leave the role out: the launcher then runs alone"
    yield CODE.at(
        (*role.path, "replicas"),
        f"`{role.name}` asks for {plural(count, 'pod')}, a role has at least one",
        label="expected 1 or more",
        notes=[note],
        helps=[help],
        severity=WARNING if runs else ERROR,
    )
