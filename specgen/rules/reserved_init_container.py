"""An init container with the name of the one that the operator adds.

## What it checks
No init container of `Worker` is named `init-pytorch` in a job that has a Master.

## Why it hurts
The training operator appends an init container of that name to each worker, which waits for the Master's address. The
API server refuses pods with two containers of one name, and the operator tries again without end.

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
training-operator 1.9.4, pkg/controller.v1/pytorch/initcontainer.go; recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, Code
from specgen.rules import CONTAINER
from specgen.rules._pytorch import is_pytorch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG314", "reserved-init-container", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    role = container.role
    names = [one.name for one in role.workload.roles]
    if not (is_pytorch(role.workload) and container.init and role.name == "Worker" and "Master" in names):
        return
    if container.name == "init-pytorch":
        yield CODE.at(
            (*container.path, "name"),
            "the name `init-pytorch` is taken by the init container that the operator adds",
            label="needs another name",
            notes=["the API server refuses pods with two containers of one name"],
            helps=["rename this init container"],
        )
