"""An amount of memory in which no program can start.

## What it checks
Requests and limits of `memory` of a container are a mebibyte or more. `64m` are 64 thousandths of a byte, `64` are
bytes.

## Why it hurts
With such a limit the container runtime cannot start the container, or the kernel ends its first process. With such a
request the scheduler fills a node with pods that have no memory there, and the kubelet evicts them first.

## Severity
- error: no container starts within such a limit.
- warning: a request is for the scheduler alone: the container starts.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {memory: 64m}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {memory: 64Mi}}
```

## Fix
Write the unit that is meant, `Mi` or `Gi`. None is applied: which one, is not known.

## When to ignore it
It is a warning for a request, which may be a sign to the scheduler alone.

## References
Kubernetes 1.36, "Resource Management for Pods and Containers", "Memory resource units"; runc 1.3, error `container init
was OOM-killed (memory limit too low?)`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, shown
from specgen.manifest.views import mapping
from specgen.quantity import NANO, nano
from specgen.rules import ALL, CONTAINER, TINY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG444", "tiny-memory", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (TINY,)

_LEAST = 2**20 * NANO


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each side; zero is no amount."""
    for side, severity in (("limits", ERROR), ("requests", WARNING)):
        amounts = mapping(mapping(container.tree.get("resources")).get(side))
        amount = amounts.get("memory")
        value = nano(amount) if isinstance(amount, (str, int, float)) and not isinstance(amount, bool) else None
        if value is None or not 0 < value < _LEAST:
            continue
        thousandths = isinstance(amount, str) and amount.endswith("m")
        what = "thousandths of a byte" if thousandths else "bytes" if str(amount).isdigit() else "less than a mebibyte"
        yield CODE.at(
            Place((*container.path, "resources", side, "memory")),
            f"no program starts in `{shown(amount)}` of memory: that is {what}",
            label=what,
            notes=["the container does not start, or is ended at once"] if severity == ERROR else [],
            helps=["write `Mi` or `Gi` behind the number"],
            severity=severity,
        )
