"""A container with all rights of its node.

## What it checks
No container has `securityContext.privileged: true`. Opt-in: looked for where the group `policy` or the code
is selected.

## Why it hurts
What runs in it is root on its node: it reaches all devices, also those of other jobs, all files, and all secrets there.
Namespaces at the levels `baseline` and `restricted` of Pod Security refuse it.

## Severity
- warning: the job runs; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
securityContext: {privileged: true}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
securityContext: {capabilities: {add: [IPC_LOCK]}}
```

## Fix
A device plugin for the devices, `IPC_LOCK` for RDMA. None is applied: what the program needs is not known.

## When to ignore it
Where the nodes are the team's own.

## References
Kubernetes 1.36, "Pod Security Standards".
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, shown
from specgen.manifest.views import mapping
from specgen.rules import ALL, CONTAINER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG866", "privileged", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = ("securityContext",)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding for each container."""
    if mapping(container.tree.get("securityContext")).get("privileged") is True:
        yield CODE.at(
            (*container.path, "securityContext", "privileged"),
            f"the container `{shown(container.name)}` has all rights of its node",
            label="reaches all devices and files",
            helps=["RDMA needs `capabilities: {add: [IPC_LOCK]}` alone"],
        )
