"""An interface for Gloo that is a pattern of NCCL.

## What it checks
`GLOO_SOCKET_IFNAME` and `TP_SOCKET_IFNAME` hold names of interfaces, for Gloo joined by commas, and none of the signs
`^` and `=` with which `NCCL_SOCKET_IFNAME` leaves interfaces out or makes names exact.

## Why it hurts
Gloo takes the value for a name: the first process group ends in "Unable to find address for: ^lo". PyTorch makes one
for the CPU beside NCCL's, as soon as no single backend is named, and for barriers and objects.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: GLOO_SOCKET_IFNAME, value: ^lo}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: GLOO_SOCKET_IFNAME, value: eth0}]
```

## Fix
Name the interface; `=eth0` means `eth0`, which is written as a safe fix.

## When to ignore it
Where no process group of Gloo is made.

## References
torch 2.13, torch/csrc/distributed/c10d/init.cpp and ProcessGroupGloo.cpp (createDeviceForInterface); NCCL 2.30.7, user
guide, NCCL_SOCKET_IFNAME; aws-samples/aws-do-eks PR 51.
"""

from __future__ import annotations

from specgen.diagnostics.model import SAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Set
from specgen.rules import ALL, CONTAINER, INTERFACE
from specgen.rules._words import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG544", "gloo-interface-pattern", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (INTERFACE,)

_READERS = {"GLOO_SOCKET_IFNAME": "Gloo", "TP_SOCKET_IFNAME": "TensorPipe"}


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each variable."""
    found = variables(container, context)
    for name, reader in _READERS.items():
        path, entry = found.get(name, (container.path, {}))
        value = entry.get("value")
        if container.init or not isinstance(value, str) or value[:1] not in ("^", "="):
            continue
        meant = value.removeprefix("=")
        single = value[0] == "=" and meant.isalnum()
        yield CODE.at(
            Place((*path, "value")),
            f"{reader} takes `{shown(value)}` for the name of an interface",
            label="a pattern of NCCL",
            notes=[f"no interface is called so, and {reader} stops as soon as it is used"],
            helps=[] if single else ["name the interface by which the pods reach each other, such as `eth0`"],
            fix=Fix(f"write `{meant}`", SAFE, [Set((*path, "value"), meant)]) if single else None,
        )
