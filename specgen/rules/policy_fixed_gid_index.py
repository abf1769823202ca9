"""An index of GIDs that need not be the same on all ports.

## What it checks
`NCCL_IB_GID_INDEX` is not set to a number. Opt-in: looked for where the group `policy` or the code is selected.

## Why it hurts
The index counts the entries of a port's own table, which differ between nodes, and between pods with interfaces of
their own: where the entry is empty, connections end in "ibv_modify_qp failed". NCCL finds the right one by itself since
2.21.

## Severity
- warning: the job may run; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_GID_INDEX, value: "3"}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_ROCE_VERSION_NUM, value: "2"}]
```

## Fix
Leave it out, and say `NCCL_IB_ROCE_VERSION_NUM` or `NCCL_IB_ADDR_RANGE` where there is a choice. None is applied: an
older NCCL needs it.

## When to ignore it
For NCCL before 2.21, and where all nodes are alike.

## References
NCCL 2.30.7, user guide (NCCL_IB_GID_INDEX, since 2.21 found dynamically); NVIDIA/nccl#718, #1573.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code
from specgen.rules import ALL, CONTAINER, NCCL_IB
from specgen.rules._nccl import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG868", "fixed-gid-index", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NCCL_IB,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding for each container."""
    for said in settings(container, context):
        value = said.value
        if said.name == "NCCL_IB_GID_INDEX" and value is not None and value.isdigit():
            yield CODE.at(
                said.at_value,
                f"entry {value} of the table of GIDs need not be the same on all nodes",
                label="fixed for all pods",
                notes=["NCCL finds the entry by itself since 2.21"],
            )
