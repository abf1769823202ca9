"""An init container with the name of the one that the operator adds.

## What it checks
No init container of `Worker` is named `init-pytorch` in a PyTorchJob that has a Master, and none of `Launcher` is named
`kubectl-delivery` in an MPIJob of the training operator.

## Why it hurts
The training operator appends an init container of that name: to each worker one that waits for the Master's address, to
the launcher one that brings `kubectl`. The API server refuses pods with two containers of one name, and the operator
tries again without end.

## Severity
- error: the API server refuses pods with two containers of one name.

## Example
Bad:

```yaml
Master: {replicas: 1}
Worker:
  replicas: 1
  template:
    spec:
      initContainers: [{name: init-pytorch, image: registry.example.com/prepare:1}]
```

Good:

```yaml
Master: {replicas: 1}
Worker:
  replicas: 1
  template:
    spec:
      initContainers: [{name: prepare, image: registry.example.com/prepare:1}]
```

## Fix
Rename the init container.

## When to ignore it
Never; such workers are not created.

## References
training-operator 1.9.4, pkg/controller.v1/pytorch/initcontainer.go (recorded) and pkg/controller.v1/mpi.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code
from specgen.manifest.views import mapping, sequence
from specgen.rules import REFUSED_POD, ROLE
from specgen.rules._context import is_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG314", "reserved-init-container", ERROR, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ("MPIJob", "PyTorchJob")
NEEDS = (REFUSED_POD,)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each. By role: a container of twin roles is looked at once, and in the first of them alone."""
    for reason in context.refused_pod(role):
        if reason.cause != "container-twice":
            continue
        # an init container is added behind those of the template, and the containers come after all of them
        first, second = reason.other, reason.path
        if first is None or first[1] != "initContainers" or is_own(role, second) is is_own(role, first):
            continue
        own = first if is_own(role, first) else second
        taken = _name_at(role, own)
        yield CODE.at(
            (*role.template_path, *own),
            f"the name `{taken}` is taken by the init container that the operator adds",
            label="needs another name",
            notes=["the API server refuses pods with two containers of one name"],
            helps=["rename this init container"],
        )


def _name_at(role: Role, path: Path) -> str:
    listed = role.pod.get(str(path[1]))
    return str(mapping(sequence(listed)[int(path[2])]).get("name"))
