"""NCCL is told to talk InfiniBand over EFAs, which speak another protocol.

## What it checks
A container that asks for `vpc.amazonaws.com/efa` does not set `NCCL_NET: IB`.

## Why it hurts
NCCL's own network `IB` takes ports of InfiniBand and of Ethernet. An EFA is neither: NCCL finds no adapter, and as the
variable forbids every other network, it stops at its first communicator. Over EFAs it talks through the plugin of AWS.

## Severity
- error: NCCL finds no adapter of the only network that it may use, and stops.

## Example
Bad:

```yaml
env: [{name: NCCL_NET, value: IB}]
resources: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32}}
```

Good:

```yaml
env: [{name: NCCL_NET, value: AWS Libfabric}]
resources: {limits: {nvidia.com/gpu: 8, vpc.amazonaws.com/efa: 32}}
```

## Fix
Leave the variable out, or name the plugin's network. The first is unsafe, as another
library then talks.

## When to ignore it
Never.

## References
NVIDIA/nccl 2.30.7, src/transport/net_ib (ports by link layer) and src/plugin/net.cc (the name of the network is a
filter); rdma-core, providers/efa/verbs.c (the link layer of a port is unspecified).
"""

from __future__ import annotations

from specgen.devices import EFA
from specgen.diagnostics.model import ERROR, KEY, UNSAFE, Code, Fix, Place
from specgen.diagnostics.operations import Remove
from specgen.rules import ALL, CONTAINER, NCCL
from specgen.rules._words import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG541", "efa-as-infiniband", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NCCL,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    amount, path = container.amounts().get(EFA, (0, ()))
    found = variables(container, context).get("NCCL_NET")
    if container.init or amount in (0, "0") or found is None:
        return
    value = found[1].get("value")
    if not isinstance(value, str) or value.lower() != "ib":
        return
    # one that was filed under the mounts is moved first
    fix = Fix("leave the variable out", UNSAFE, [Remove(found[0])]) if found[0][-2] == "env" else None
    yield CODE.at(
        Place((*found[0], "value")),
        f"`NCCL_NET: {value}` contradicts `{EFA}`: an EFA is no InfiniBand adapter",
        label="NCCL's own verbs",
        related=[(Place(path, KEY), "EFAs")],
        notes=[
            "NCCL finds no adapter of that network, takes no other, and stops at its first communicator",
            "over EFAs it talks through a plugin, which it finds by itself",
        ],
        fix=fix,
    )
