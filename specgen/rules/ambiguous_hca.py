"""A name of an HCA that stands for others as well.

## What it checks
`NCCL_IB_HCA` without `=` takes names for beginnings of names: `mlx5_1` is `mlx5_10` as well. With a cluster profile
that lists the HCAs of a pool, no name of the list picks one that another name of the list does not mean; without one,
no list holds a name and another that begins with it.

## Why it hurts
An HCA of the management or storage network gets into the set: NCCL uses it like the others, and the ring is as slow as
its slowest link, or does not come up at all.

## Severity
- warning: whether the nodes have an HCA of the longer name is not known.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_HCA, value: "mlx5_1,mlx5_2,mlx5_10"}]
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_HCA, value: "=mlx5_1,mlx5_2,mlx5_10"}]
```

## Fix
`=` in front of the list makes all its names exact. Unsafe: HCAs that came in by their beginning are no longer used.

## When to ignore it
Where the beginning is meant, and the longer name says the same.

## References
NCCL 2.30.7, src/misc/utils.cc (matchIfList) and user guide, NCCL_IB_HCA; NVIDIA/nccl PR 236.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, listed, shown
from specgen.diagnostics.operations import Set
from specgen.rules import ALL, CONTAINER, NCCL_IB
from specgen.rules._nccl import settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG545", "ambiguous-hca", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (NCCL_IB,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    for said in settings(container, context):
        name, value = said.name, said.value
        if name != "NCCL_IB_HCA" or value is None or value[:1] in ("=", "^") or "$" in value or "{{" in value:
            continue
        names = [one.partition(":")[0] for one in value.split(",") if one]
        for one in names:
            more = _more(one, names, _known(context))
            if more is None:
                continue
            fix = Fix("write `=` in front", UNSAFE, [Set(said.at_value.path, "=" + value)])
            yield CODE.at(
                said.at_value,
                f"`{shown(one)}` stands for {listed(more) if more else 'longer names'} as well",
                label="names are beginnings of names",
                notes=["only behind `=` does NCCL take names as they are"],
                helps=["write `=` in front"] if said.uses else [],
                fix=None if said.uses else fix,
            )
            break


def _known(context: Context) -> list[str]:
    """The HCAs of the cluster's pools by name."""
    pools = context.cluster.pools.values() if context.cluster is not None else ()
    listed = [pool.hca.devices for pool in pools if pool.hca is not None]
    return [one for devices in listed if devices is not None and not isinstance(devices, str) for one in devices]


def _more(name: str, names: list[str], known: list[str]) -> list[str] | None:
    """HCAs that a name picks besides its own and that the list does not name; None: it picks no other."""
    if known:
        picked = [one for one in known if one != name and one.startswith(name) and one not in names]
        return picked if picked and name in known else None
    # a longer name in the list says that nodes have such, and that names are meant as they are
    longer = [one for one in names if one != name and one.startswith(name) and name[-1:].isdigit()]
    return [] if any(one[len(name) :].isdigit() for one in longer) else None
