"""A variable that the operator sets after the job, to another value.

## What it checks
No container sets a variable that its operator appends to the same list with another value, such as `RANK`,
`MASTER_ADDR` and `PET_NNODES` of a PyTorchJob, `TF_CONFIG` of a TFJob, or `NVIDIA_VISIBLE_DEVICES` of an MPIJob's
launcher. What pods get is worked out for the version of the operator; a value that is the operator's own passes.

## Why it hurts
Of two equal names the last one counts, and that is the operator's: what the manifest says has no effect. Who reads it
believes otherwise, and where it is put right in the wrong place nothing changes.

## Example
Bad:

```yaml
Master:
  replicas: 1
  template:
    spec:
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4", env: [{name: MASTER_ADDR, value: 0.0.0.0}]}
```

Good:

```yaml
Master:
  replicas: 1
  template:
    spec:
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4"}
```

## Fix
Remove the variable. Safe, as the pods run with the same values; unsafe where another variable refers to it by
`$(NAME)`, which takes the value that stands before it.

## When to ignore it
Where the manifest is for an operator that sets nothing as well.

## References
training-operator 1.9.4, pkg/controller.v1/pytorch/envvar.go and tensorflow/tfjob_controller.go; mpi-operator 0.8.2,
pkg/controller/mpi_job_controller.go (newLauncher); ms-operator 1.0.0; all recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import SAFE, UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, OPERATORS_OWN, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context

CODE = Code("SG480", "overridden-variable", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (OPERATORS_OWN,)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each variable of a container."""
    # the roles of a TrainJob are lists of several objects, and its webhook refuses what it sets itself
    if role.workload.terms is None or context.reader is None:
        return
    pods = context.pods(role)
    for index, container in enumerate(role.containers()):
        for name, (at, entry) in container.env.items():
            values = [_appended(pod, index, name, len(sequence(container.tree.get("env")))) for pod in pods]
            if not values or None in values or all(value == (entry.get("value") or "") for value in values):
                continue
            yield _finding(container, name, at, [value or "" for value in values])


def _appended(pod: dict[str, Any], index: int, name: str, own: int) -> str | None:
    """The value that a pod's container has behind its own variables, of which there are ``own``; None: it has none."""
    containers = sequence(mapping(pod.get("spec")).get("containers"))
    env = sequence(mapping(containers[index]).get("env")) if index < len(containers) else []
    values = [entry.get("value") or "" for entry in map(mapping, env[own:]) if entry.get("name") == name]
    return str(values[-1]) if values else None


def _finding(container: Container, name: str, at: int, values: list[str]) -> Finding:
    path = (*container.path, "env", at)
    workload = container.role.workload
    first, last = shown(values[0]), shown(values[-1])
    counts = f"`{first}`" if first else "an empty value"
    if values[-1] != values[0]:
        counts = f"`{first}` in the first pod, `{last}` in the last" if first != last else "another value in each pod"
    used = any(f"$({name})" in str(mapping(one).get("value")) for one in sequence(container.tree.get("env")))
    return CODE.at(
        Place((*path, "value")) if "value" in mapping(container.env[name][1]) else Place((*path, "name")),
        f"`{name}` has no effect: {workload.operator} sets it to {counts}",
        label="the operator's value counts",
        notes=["the operator appends its variables to those of the container, and of two equal names the last counts"],
        fix=Fix(f"remove `{name}`", UNSAFE if used else SAFE, [Remove(path)]),
    )
