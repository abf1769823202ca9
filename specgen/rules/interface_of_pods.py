"""Pods on the node's network that are told the interface that pods have on their own.

## What it checks
With `hostNetwork: true`, `NCCL_SOCKET_IFNAME` and `GLOO_SOCKET_IFNAME` do not name the interface that pods have by the
cluster profile (`fabric.interface`), unless the pool's HCAs come with the node's network anyway (`rdma: host`).

## Why it hurts
On the node's network a pod has the interfaces of the node. They are seldom called as those of pods: NCCL and Gloo stop
when none is called so. Where one is, it may be the slow one that nodes are managed by.

## Severity
- warning: the nodes' interface may have the same name.

## Example
Bad:

```yaml
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
containers:
- {name: pytorch, image: "registry.example.com/train:1.4", env: [{name: NCCL_SOCKET_IFNAME, value: eth0}]}
```

Good:

```yaml
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
containers:
- {name: pytorch, image: "registry.example.com/train:1.4", env: [{name: NCCL_SOCKET_IFNAME, value: ens5}]}
```

## Fix
Name the node's interface in the job's `env`.

## When to ignore it
Where the nodes' interface has the same name.

## References
NCCL user guide 2.30.7, NCCL_SOCKET_IFNAME; the profile's own language, `fabric.interface`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.rules import ALL, CONTAINER
from specgen.rules._words import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG542", "interface-of-pods", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = ("hostNetwork",)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding, at the first of the variables."""
    if container.init or context.cluster is None or container.role.pod.get("hostNetwork") is not True:
        return
    pools = [pool for pool in context.cluster.pools.values() if pool.fabric.interface is not None]
    of_pods = [pool.fabric.interface for pool in pools if pool.fabric.rdma != "host"]
    of_nodes = [pool.fabric.interface for pool in pools if pool.fabric.rdma == "host"]
    found = variables(container, context)
    for name in ("NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME"):
        value = found[name][1].get("value") if name in found else None
        if value not in of_pods or value in of_nodes or not isinstance(value, str) or value.startswith("^"):
            continue
        same = [other for other in found if other.endswith("_SOCKET_IFNAME") and found[other][1].get("value") == value]
        also = [(Place((*found[other][0], "value")), "and here") for other in same if other != name]
        finding = CODE.at(
            Place((*found[name][0], "value")),
            f"`{name}: {value}` is the interface of pods, and this one is on the node's network",
            label="of the pods' own network",
            related=[(Place((*container.role.pod_path, "hostNetwork"), KEY), "the node's interfaces"), *also],
            notes=["a process that finds no interface of that name stops at its first connection"],
            helps=["name the node's interface in `env`"],
        )
        pool = next(key for key, one in context.cluster.pools.items() if one.fabric.interface == value)
        finding.cluster = [(("pools", pool, "fabric", "interface"), "the interface of its pods")]
        yield finding
        return
