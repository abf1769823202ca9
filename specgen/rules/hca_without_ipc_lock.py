"""A container that uses an HCA and may not lock memory.

## What it checks
A container that asks for an HCA adds the capability `IPC_LOCK` or is privileged. Which resources are HCAs says the
cluster profile, else their names do. EFAs need no such capability and are left out.

## Why it hurts
Verbs register memory by pinning it. Under a default memlock limit that fails, and NCCL stops at its first connection.
An error where the cluster profile says `memlock: capability`, none where it says that the runtime lifts the limit.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8, rdma/hca_shared_devices_a: 1}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 8, rdma/hca_shared_devices_a: 1}}
securityContext: {capabilities: {add: [IPC_LOCK]}}
```

## Fix
Add `IPC_LOCK` to `securityContext.capabilities.add`. It is a privilege, so none is applied without being asked for.

## When to ignore it
Where the container runtime runs with an unlimited memlock; better, say `memlock: runtime` in the cluster profile.

## References
k8s-rdma-shared-dev-plugin and sriov-network-device-plugin, README; Kubernetes, Pod Security Standards.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, Place
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER
from specgen.rules._words import hcas, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG410", "hca-without-ipc-lock", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first HCA."""
    security = mapping(container.tree.get("securityContext"))
    capabilities = mapping(security.get("capabilities"))
    added = sequence(capabilities.get("add"))
    may_lock = any(word in added for word in ("IPC_LOCK", "CAP_IPC_LOCK", "ALL"))
    if container.init or may_lock or security.get("privileged") is True:
        return
    for name, path in hcas(container, context):
        lifted = _lifted_by(name, context)
        if "runtime" in lifted or "privileged" in lifted:
            continue
        home, label = _home(container)
        notes = [
            "verbs register memory by pinning it; under a default memlock limit that fails, and NCCL stops",
            "a namespace at pod security level `baseline` or `restricted` refuses the capability",
        ]
        if _not_root(container):
            notes.append(
                "a capability added to a non-root user does not become effective; there the memlock limit of the "
                "container runtime decides"
            )
        yield CODE.at(
            Place(path, KEY),
            f"container `{shown(container.name)}` uses an HCA but may not lock memory",
            label="HCA requested here",
            related=[(home, label)],
            notes=notes,
            helps=["add `IPC_LOCK` to `securityContext.capabilities.add`"],
            severity=ERROR if lifted == ["capability"] else WARNING,
        )
        return


def _lifted_by(resource: str, context: Context) -> list[str]:
    """What lifts the memlock limit on the pools that have this HCA; nothing where no cluster says it."""
    if context.cluster is None:
        return []
    pools = context.cluster.pools.values()
    found = [pool.fabric.memlock for pool in pools if pool.hca is not None and pool.hca.resource == resource]
    return sorted(dict.fromkeys(found))


def _home(container: Container) -> tuple[Place, str]:
    """Where the capability would go, as deep as that mapping exists."""
    tree, path = container.tree, container.path
    for step in ("securityContext", "capabilities", "add"):
        if step not in tree:
            break
        tree, path = mapping(tree.get(step)), (*path, step)
    if path == container.path:
        return Place((*path, "name")), "no `securityContext` here"
    return Place(path, KEY), "no `IPC_LOCK` capability here"


def _not_root(container: Container) -> bool:
    own = mapping(container.tree.get("securityContext"))
    pod = mapping(container.role.pod.get("securityContext"))
    user = own.get("runAsUser", pod.get("runAsUser"))
    return isinstance(user, int) and not isinstance(user, bool) and user > 0
