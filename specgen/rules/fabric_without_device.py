"""Variables of a fabric, in a container that has none of its devices.

## What it checks
Containers that set variables for InfiniBand or RoCE (`NCCL_IB_HCA`, `NCCL_IB_GID_INDEX`, and the like), or for EFAs
(`FI_PROVIDER: efa`, `FI_EFA_…`), ask for such a device. Passed over are launchers, which pass variables on, containers
that see all devices of the node (`privileged`, a mount of `/dev/infiniband`), those with a resource claim or a further
device of another name, and pods with networks of Multus.

## Why it hurts
A container sees no adapter that it did not ask for. NCCL goes over TCP without a word, several times slower; with
`FI_PROVIDER: efa` libfabric finds no provider, and NCCL falls back or stops.

## Severity
- warning: the cluster may give adapters to containers that do not ask for them.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_HCA, value: mlx5}]
resources: {limits: {nvidia.com/gpu: 1}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
env: [{name: NCCL_IB_HCA, value: mlx5}]
resources: {limits: {nvidia.com/gpu: 1, rdma/hca_shared_devices_a: 1}}
securityContext: {capabilities: {add: [IPC_LOCK]}}
```

## Fix
Ask for the device, under the name that the cluster gives it. None is applied, as that name is the cluster's.

## When to ignore it
Where the cluster gives adapters to containers that do not ask for them.

## References
NCCL 2.30, user guide, "Environment variables"; aws-ofi-nccl 1.14, README; rdma/k8s-rdma-shared-dev-plugin, README.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER, FABRIC
from specgen.rules._words import gpus, hcas, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG438", "fabric-without-device", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (FABRIC,)

_EFA = "vpc.amazonaws.com/efa"
# Those by which adapters are named or used; others only matter once there is one.
_OF_HCA = ("NCCL_IB_HCA", "NCCL_IB_GID_INDEX", "NCCL_IB_ROCE_VERSION_NUM", "NCCL_IB_TC", "NCCL_IB_SL", "NCCL_IB_PKEY")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding: the first variable of each fabric that is not there."""
    role = container.role
    if container.init or role.name.lower() == "launcher" or _sees_devices(container, context):
        return
    env = variables(container, context)
    if "NCCL_IB_DISABLE" in env and env["NCCL_IB_DISABLE"][1].get("value") == "1":
        return
    for name, (path, entry) in env.items():
        value = entry.get("value")
        efa = name.startswith("FI_EFA_") or (name == "FI_PROVIDER" and value == "efa")
        if not efa and (name not in _OF_HCA or not value or str(value) == "-1"):
            continue
        what = "EFA" if efa else "HCA"
        yield CODE.at(
            Place((*path, "name")),
            f"`{name}` is for an {what}, and container `{shown(container.name)}` asks for none",
            label=f"has no {what} to speak of",
            notes=["a container sees no adapter that it did not ask for: NCCL goes over TCP, several times slower"],
            helps=[
                f"ask for `{_EFA}` in `resources.limits`"
                if efa
                else "ask for the HCA in `resources.limits`, under the name that the cluster gives it; in a profile "
                "`resources: {hca: auto}`"
            ],
        )
        return


def _sees_devices(container: Container, context: Context) -> bool:
    """Whether the container may have adapters all the same."""
    resources, pod = mapping(container.tree.get("resources")), container.role.pod
    pools = context.cluster.pools.values() if context.cluster is not None else ()
    if any(pool.hca is not None and pool.fabric.rdma == "network" for pool in pools):
        return True  # they come by what a webhook or a network makes of the pod, and nobody asks for them
    if hcas(container, context) or sequence(resources.get("claims")):
        return True
    named = gpus(container, context)[1][-1:]
    known = (*named, "ephemeral-storage")
    if any(["/" in name and name not in known for name in container.amounts()]):
        return True
    if mapping(container.tree.get("securityContext")).get("privileged") is True:
        return True
    if any([entry["mountPath"].rstrip("/") in ("/dev", "/dev/infiniband") for _, entry in container.mounts]):
        return True
    marks = mapping(mapping(container.role.template.get("metadata")).get("annotations"))
    return any(["networks" in str(key) for key in marks]) or bool(pod.get("resourceClaims"))
