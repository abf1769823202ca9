"""A container port that costs the pod or its Service.

## What it checks
Every port of the container `pytorch` has a name, and every `containerPort` of a pod lies between 1 and 65535.

## Why it hurts
The operator adds its own named port and makes a Service of all ports of that container. A Service with a named and
an unnamed port is invalid: the pod comes, its Service never does, the job gets no condition, and the workers wait for
a Master that they cannot find. A port outside the range keeps the pod itself from being created.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
ports:
  - containerPort: 8080
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
ports:
  - {name: metrics, containerPort: 8080}
```

## Fix
Name the port. A port of the pod needs no entry to be reachable, so removing it is as good.

## When to ignore it
Never; such a job does not come up.

## References
training-operator 1.9.4, pkg/core/service.go (GetPortsFromJob); recorded: a job with one unnamed port.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code
from specgen.manifest.views import mapping, sequence
from specgen.rules import CONTAINER
from specgen.rules._pytorch import is_pytorch
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG312", "unusable-port", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each port."""
    workload = container.role.workload
    serves = is_pytorch(workload) and not container.init and container.name == workload.container
    for index, port in enumerate(sequence(container.tree.get("ports"))):
        number = mapping(port).get("containerPort")
        if not isinstance(number, int) or isinstance(number, bool):
            continue
        path = (*container.path, "ports", index, "containerPort")
        if not 1 <= number <= 65535:
            note = "the API server refuses the pod, and the operator tries again without end"
            message = f"port {number} does not exist, ports are 1 to 65535"
            yield CODE.at(path, message, label="no such port", notes=[note])
        elif serves and not mapping(port).get("name"):
            yield CODE.at(
                path,
                f"port {number} of container `{shown(container.name)}` has no name",
                label="lacks `name`",
                notes=[
                    "the operator adds a named port; the API server rejects a Service with a named and an unnamed one",
                    "the pod comes up without its Service, and the job gets no condition",
                ],
                helps=["give the port a name"],
            )
