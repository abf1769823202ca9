"""RoCE through a shared device, and pods without an address in its network.

## What it checks
Pods with HCAs of a pool that the cluster profile calls `link: roce` and `rdma: shared-device` have one of three: the
node's network, a secondary network, or a GID index for NCCL (`NCCL_IB_GID_INDEX`).

## Why it hurts
A connection over RoCE begins at a GID, which stands for an IP address of the adapter. Pods on the own network of the
cluster alone have no such address. What NCCL takes then is the first entry of the node's table, or what newer releases
choose from it: most often the link-local one, which no router and no other rack knows. Connections time out.

## Severity
- warning: which GID NCCL takes by itself depends on the node's table and on the image.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8, rdma/roce_shared: 1}}
securityContext: {capabilities: {add: [IPC_LOCK]}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_GID_INDEX, value: "3"}]
resources: {limits: {nvidia.com/gpu: 8, rdma/roce_shared: 1}}
securityContext: {capabilities: {add: [IPC_LOCK]}}
```

## Fix
Say in the cluster profile what all pods of the pool need: `fabric: {adds: {env: {NCCL_IB_GID_INDEX: "3"}}}`, or the
annotation of a secondary network.

## When to ignore it
Where the image or a plugin sets the index, or where NCCL's own choice is known to be right.

## References
k8s-rdma-shared-dev-plugin 1.5, README; NCCL user guide 2.30.7, NCCL_IB_GID_INDEX; NVIDIA/nccl#1573, NVIDIA/nccl#718.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place
from specgen.manifest.views import mapping
from specgen.rules import ALL, CONTAINER, ROCE
from specgen.rules._words import hcas, shown, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG540", "roce-without-gid", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (ROCE,)

_INDEX = "NCCL_IB_GID_INDEX"
_LAUNCHERS = ("Launcher", "launcher")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first such HCA."""
    if container.init or context.cluster is None:
        return
    role = container.role
    annotations = mapping(mapping(role.template.get("metadata")).get("annotations"))
    attached = any(isinstance(key, str) and ("network" in key or "cni" in key) for key in annotations)
    # ranks that a launcher starts have the variables that its line names
    lines = [container, *(one.main for one in role.workload.roles if one.name in _LAUNCHERS and one.main is not None)]
    told = _INDEX in variables(container, context) or any(_INDEX in one.line for one in lines)
    if role.pod.get("hostNetwork") is True or attached or told:
        return
    for name, path in hcas(container, context):
        pools = [pool for pool in context.cluster.pools.values() if pool.hca is not None and pool.hca.resource == name]
        if any(pool.hca is None or pool.hca.link != "roce" or pool.fabric.rdma != "shared-device" for pool in pools):
            continue
        yield CODE.at(
            Place(path, KEY),
            f"the container `{shown(container.name)}` uses RoCE and has no address in its network",
            label="a shared RoCE adapter",
            notes=[
                "a RoCE connection begins at a GID, an address of the adapter: the pod has neither the node's network, "
                "nor a secondary one, nor a GID index",
                "NCCL chooses an entry of the node's table by itself, and the link-local one leads nowhere",
            ],
            helps=[f"`{_INDEX}` names the entry; a pool says it for all its pods in `fabric.adds.env`"],
        )
        return
