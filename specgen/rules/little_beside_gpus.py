"""A container with accelerators and so little memory or CPU that the unit is a slip.

## What it checks
Limits of a container that asks for GPUs or NPUs: `memory` under a gibibyte, and `cpu` under a tenth of a core. Amounts
in which nothing starts at all are SG444's.

## Why it hurts
`64M` for `64G` has the kernel end the process as its framework loads, and `16m` for 16 cores lets it compute for less
than two milliseconds of each hundred: the devices are held, and wait. Frameworks alone need more than a gibibyte before
the first batch, and each process that feeds a GPU keeps about a core busy.

## Severity
- warning: a program that only looks at the devices, such as `nvidia-smi`, lives within them.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8, memory: 64M}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8, memory: 64G}}
```

## Fix
Write the unit that is meant: `G` or `Gi` of memory, and cores without `m`. None is applied: which one, is not known.

## When to ignore it
Where the program does no more than look at the devices.

## References
Kubernetes 1.36, "Resource Management for Pods and Containers" (`m` is a thousandth); the kernel's documentation of
CFS bandwidth control (a quota for each period of 100 ms).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.manifest.views import mapping
from specgen.quantity import NANO, nano
from specgen.rules import ALL, CONTAINER, LITTLE
from specgen.rules._words import asks_for_device

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG449", "little-beside-gpus", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (LITTLE,)

# From, below (in billionths), what that is, and what is meant.
_BOUNDS = {
    "memory": (2**20 * NANO, 2**30 * NANO, "less than a gibibyte", "`G` or `Gi` behind the number"),
    "cpu": (1, NANO // 10, "less than a tenth of a core", "the number of cores, without `m`"),
}


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each of memory and CPU."""
    limits = mapping(mapping(container.tree.get("resources")).get("limits"))
    if container.init or not asks_for_device(container, context):
        return
    for name, (least, most, what, meant) in _BOUNDS.items():
        amount = limits.get(name)
        value = nano(amount) if isinstance(amount, (str, int, float)) and not isinstance(amount, bool) else None
        if value is not None and least <= value < most:
            yield CODE.at(
                Place((*container.path, "resources", "limits", name)),
                f"`{shown(amount)}` of {name} beside accelerators is {what}",
                label=what,
                notes=["they are held, and the program that feeds them is ended, or hardly runs"],
                helps=[f"write {meant}"],
            )
