"""A device that no pool of the cluster profile has.

## What it checks
Devices that containers ask for, against `gpu` and `npu` of the pools, or against `hca` where their name sounds like a
network adapter's; what the fabric of a pool adds is known as well. Passed over where no pool names any of that sort.

## Why it hurts
No node offers it, so the pods stay Pending for ever: `Insufficient nvidia.com/gpus`. Nothing is refused.

## Severity
- warning: nodes that the cluster profile does not name may have the device.

## Example
Bad:

```yaml
# a cluster with `gpu: {resource: nvidia.com/gpu, perNode: 8}`
resources: {limits: {nvidia.com/gpus: 8}}
```

Good:

```yaml
resources: {limits: {nvidia.com/gpu: 8}}
```

## Fix
Ask for a device of the cluster, or add its pool to the cluster profile.

## When to ignore it
Where nodes that the cluster profile does not name have the device; better, name them.

## References
Kubernetes scheduler: NodeResourcesFit. Recorded: `gpu-08`, `gpu-18`.
"""

from __future__ import annotations

from specgen.devices import is_adapter
from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, listed, shown
from specgen.diagnostics.operations import Rename
from specgen.diagnostics.suggest import Names
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.resources import is_extended
from specgen.quantity import nano
from specgen.rules import ALL, CONTAINER, NODES
from specgen.rules._pools import accelerators, adapters

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG619", "unknown-device", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NODES,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each device, at its name."""
    pools = context.cluster.pools.values() if context.cluster is not None else ()
    computing = list(dict.fromkeys([name for pool in pools for name in accelerators(pool)]))
    sending = list(dict.fromkeys([name for pool in pools for name in adapters(pool)]))
    others = [*computing, *sending, *[name for pool in pools for name in pool.fabric.adds.resources.other]]
    names = {True: Names(sending), False: Names(computing)}
    for name, (amount, path) in container.amounts().items():
        # of a sort of devices that no pool says anything of, nothing is known
        known = sending if is_adapter(str(name)) else computing
        if not known or not is_extended(name) or name in others or not nano(amount) or "$" in name or "{" in name:
            continue
        near = names[is_adapter(str(name))].similar(name)
        sides = mapping(container.tree.get("resources"))
        there = [side for side in ("limits", "requests") if name in mapping(sides.get(side))]
        fix = None
        if near and not any([near[0] in mapping(sides.get(side)) for side in there]):
            patch = [Rename((*container.path, "resources", side, name), near[0]) for side in there]
            fix = Fix(f"write `{near[0]}`", UNSAFE, patch)
        yield CODE.at(
            Place(path, KEY),
            f"no pool of the cluster profile has `{shown(name)}`",
            notes=[f"they have {listed(known)}", "on nodes without it the pods stay Pending for ever"],
            helps=[] if fix or not near else [f"there is a device with a similar name: `{near[0]}`"],
            fix=fix,
        )
