"""A resource that is called nearly like the GPUs of a vendor.

## What it checks
Names of resources that differ from `nvidia.com/gpu` or `amd.com/gpu` by an `s`, by letter case, or by the sign between
their parts. Other names are the cluster's: parts of GPUs, NPUs, and devices of its own plugins.

## Why it hurts
No node has such a resource: the pods wait for ever, with the message `Insufficient nvidia.com/gpus`.

## Severity
- warning: a plugin of the cluster may offer GPUs under just that name.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpus: 8}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8}}
```

## Fix
Write the vendor's name. It is unsafe, as the pods then hold GPUs.

## When to ignore it
Where a plugin of the cluster offers GPUs under just that name.

## References
NVIDIA/k8s-device-plugin 0.17, README; ROCm/k8s-device-plugin 1.31, README.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Rename
from specgen.manifest.views import mapping
from specgen.rules import ALL, CONTAINER, MISNAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG443", "misnamed-gpu", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (MISNAMED,)

_GPUS = ("nvidia.com/gpu", "amd.com/gpu")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each name."""
    resources = mapping(container.tree.get("resources"))
    offered = []
    if context.cluster is not None:
        offered = [pool.gpu.resource for pool in context.cluster.pools.values() if pool.gpu is not None]
    for name, (_, path) in container.amounts().items():
        right = _meant(name)
        if right is None or name in offered:
            continue
        places = [(*container.path, "resources", side, name) for side in ("limits", "requests")]
        there = [one for one in places if name in mapping(resources.get(str(one[-2])))]
        taken = any([right in mapping(resources.get(side)) for side in ("limits", "requests")])
        yield CODE.at(
            Place(path, KEY),
            f"no plugin is known to offer `{shown(name)}`; there is a resource with a similar name: `{right}`",
            label="the pods wait for nodes that have it",
            notes=[f"nodes without it leave the pods pending: `Insufficient {shown(name)}`"],
            fix=None if taken else Fix(f"rename it to `{right}`", UNSAFE, [Rename(one, right) for one in there]),
        )


def _meant(name: str) -> str | None:
    """The resource that a name stands for which nearly is it."""
    plain = name.lower().rstrip("s").replace("-", ".")
    for right in _GPUS:
        vendor = right.partition(".")[0]
        near = (right, right.replace("/", "."), f"{vendor}/gpu", f"{vendor}.gpu", f"{vendor}.com/gpu")
        if name != right and plain in near:
            return right
    return None
