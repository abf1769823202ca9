"""Variables of NCCL of which one switches off what another sets up.

## What it checks
With `NCCL_IB_DISABLE: "1"` or `NCCL_NET: Socket` no `NCCL_IB_` variable sets up InfiniBand or RoCE, and `NCCL_NET` is
not `IB`. Containers that ask for an HCA are passed over: that it is idle is another finding.

## Why it hurts
One of two intentions is lost without a word: the job trains over TCP at a fraction of the speed, and the settings of
the fabric look as if they counted. `NCCL_NET: IB` without InfiniBand ends in "network IB not found".

## Severity
- warning: the job runs; a comparison with TCP may be meant.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_HCA, value: mlx5}, {name: NCCL_IB_DISABLE, value: "1"}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_HCA, value: mlx5}]
```

## Fix
Take out what switches the fabric off, or what sets it up. None is applied: which was meant is not known.

## When to ignore it
While a comparison with TCP is made.

## References
NCCL 2.30.7, user guide (NCCL_IB_DISABLE, NCCL_NET), and src/transport/net_ib/init.cc; NVIDIA/nccl#958.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, listed, shown
from specgen.nccl import number
from specgen.rules import ALL, CONTAINER, NCCL_IB
from specgen.rules._nccl import settings
from specgen.rules._words import hcas

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.rules._nccl import Setting

CODE = Code("SG543", "contradicting-nccl-variables", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NCCL_IB,)

_SWITCH, _NET = "NCCL_IB_DISABLE", "NCCL_NET"


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding at what switches the fabric off."""
    found = {one.name: one for one in settings(container, context) if one.value is not None}
    off = _off(found)
    if off is None or hcas(container, context):
        return
    said = f"`{off.name}: {shown(off.value or '')}`"
    others = [one for one in found if one.startswith("NCCL_IB_") and one != _SWITCH]
    net = found.get(_NET)
    if off.name == _SWITCH and net is not None and (net.value or "").upper() == "IB":
        yield CODE.at(
            net.at_value,
            f"`NCCL_NET: {shown(net.value or '')}` wants the network that {said} switches off",
            label="no other network will do",
            related=[(off.at_value, "switches it off")],
            notes=["NCCL stops, as the network is not found"],
            helps=[f"leave out one of `{_NET}` and `{_SWITCH}`"],
        )
    elif others:
        are = "has" if len(others) == 1 else "have"
        yield CODE.at(
            off.at_value,
            f"{said} switches off what {listed(others)} set{'s' if len(others) == 1 else ''} up",
            label="NCCL talks TCP",
            related=[(found[one].at_name, "without effect") for one in others],
            notes=[f"{listed(others)} {are} no effect"],
            helps=[f"leave `{off.name}` out, or the variables of InfiniBand"],
        )


def _off(found: dict[str, Setting]) -> Setting | None:
    """The variable that switches InfiniBand off."""
    switch, net = found.get(_SWITCH), found.get(_NET)
    value = switch.value if switch is not None else None
    if value and "$" not in value and number(value) not in (None, 0):
        return switch
    return net if net is not None and (net.value or "").lower() == "socket" else None
