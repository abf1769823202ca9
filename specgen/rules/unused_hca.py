"""HCAs that a container asks for, and a variable that has NCCL talk TCP.

## What it checks
No container with an HCA says `NCCL_IB_DISABLE: 1` or `NCCL_NET: Socket`.

## Why it hurts
The pod waits for a node with a free adapter, holds it, and sends everything over TCP, several times slower. Such lines
are left over from the day on which somebody looked for the cause of a hang.

## Severity
- warning: the job runs, over TCP; the adapter may serve something else.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_DISABLE, value: "1"}]
resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 1}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_DISABLE, value: "0"}]
resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 1}}
```

## Fix
Take the variable out, or the HCA. The first is offered as unsafe, as the job then uses another network.

## When to ignore it
Where the adapter serves something else than NCCL, such as storage.

## References
NCCL 2.30, user guide, "Environment variables": `NCCL_IB_DISABLE`, `NCCL_NET`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Remove
from specgen.nccl import without_ib
from specgen.rules import ALL, CONTAINER, SWITCHED_OFF
from specgen.rules._words import hcas, variables, written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG439", "unused-hca", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (SWITCHED_OFF,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each variable. Of a profile the same is said of its words (SG531)."""
    asked = hcas(container, context)
    if not asked or not written_by_hand(container.role.workload):
        return
    for name, (path, entry) in variables(container, context).items():
        value = entry.get("value")
        if not isinstance(value, str) or not without_ib(name, value):
            continue
        yield CODE.at(
            Place((*path, "value")),
            f"`{name}: {shown(value)}` contradicts the `{shown(asked[0][0])}` that container `{shown(container.name)}` "
            "asks for",
            label="NCCL talks TCP",
            related=[(Place(asked[0][1], KEY), "held, and idle")],
            notes=["NCCL talks TCP, and the HCAs of the pods are held and idle"],
            fix=Fix(f"leave `{name}` out", UNSAFE, [Remove(path)]),
        )
