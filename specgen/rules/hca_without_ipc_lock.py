"""A container that uses an HCA and may not lock memory.

## What it checks
A container that asks for an HCA adds the capability `IPC_LOCK` or is privileged, and runs as root: what is added for
another user has no effect, as Kubernetes knows no ambient capabilities. Which resources are HCAs says the cluster
profile, else their names do. EFAs need no such capability and are left out.

## Why it hurts
Verbs register memory by pinning it. Under a default memlock limit that fails, and NCCL stops at its first connection.
An error where the cluster profile says `memlock: capability`, none where it says that the runtime lifts the limit.

## Severity
- error: the cluster profile says that memory is locked by this capability alone.
- warning: whether the container runtime lifts the memlock limit is not known.

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
Add `IPC_LOCK` to `securityContext.capabilities.add`. It is a privilege, so none is applied without being asked for. For
a user that is not root, only the memlock limit of the container runtime helps, or a program that has the capability in
its file.

## When to ignore it
Where the container runtime runs with an unlimited memlock; better, say `memlock: runtime` in the cluster profile.

## References
k8s-rdma-shared-dev-plugin and sriov-network-device-plugin, README; Kubernetes, Pod Security Standards, and KEP 2763
(ambient capabilities, not implemented in 1.36); capabilities(7).
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, UNSAFE, WARNING, Code, Fix, Place
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER
from specgen.rules._remedies import add
from specgen.rules._words import hcas, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG410", "hca-without-ipc-lock", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL


def check(container: Container, context: Context) -> Iterator[Finding]:
    """At most one finding, at the first HCA."""
    security = mapping(container.tree.get("securityContext"))
    capabilities = mapping(security.get("capabilities"))
    added = sequence(capabilities.get("add"))
    may_lock = any(word in added for word in ("IPC_LOCK", "CAP_IPC_LOCK", "ALL"))
    may_lock = may_lock or security.get("privileged") is True
    user = _not_root(container)
    if container.init or (may_lock and user is None):
        return
    for name, path in hcas(container, context):
        lifted = _lifted_by(name, context)
        if "runtime" in lifted or "privileged" in lifted:
            continue
        if may_lock:
            yield _without_effect(container, name, path, user)
            return
        home, label = _home(container)
        notes = [
            "verbs register memory by pinning it; under a default memlock limit that fails, and NCCL stops",
            "a namespace at pod security level `baseline` or `restricted` refuses the capability",
        ]
        if user is not None:
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
            fix=Fix(
                "add `IPC_LOCK` to `securityContext.capabilities.add`",
                UNSAFE,
                [add(container.tree, ("securityContext", "capabilities", "add"), "IPC_LOCK", within=container.path)],
            ),
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


def _without_effect(container: Container, name: str, path: Path, user: Path | None) -> Finding:
    """The right is there, and its user does not get it."""
    security = mapping(container.tree.get("securityContext"))
    right = "privileged" if security.get("privileged") is True else "capabilities"
    related = [(Place((*container.path, "securityContext", right), KEY), "given to the container")]
    if user is not None:
        related.append((Place(user), "not root"))
    what = "`privileged`" if right == "privileged" else "`IPC_LOCK`"
    return CODE.at(
        Place(path, KEY),
        f"{what} lets the container `{shown(container.name)}` lock no memory for its HCA: its user is not root",
        label="HCA requested here",
        related=related,
        notes=[
            "capabilities of a container reach a program of another user only if its file has them: Kubernetes sets no "
            "ambient ones",
            "the memlock limit of the container runtime decides; if it is the usual one, NCCL stops",
        ],
        helps=["run as root, or have the runtime lift the limit and say `memlock: runtime` in the cluster profile"],
    )


def _not_root(container: Container) -> Path | None:
    """Where a user that is not root is named; None: nobody names one."""
    own, pod = mapping(container.tree.get("securityContext")), mapping(container.role.pod.get("securityContext"))
    at, path = (own, container.path) if "runAsUser" in own else (pod, container.role.pod_path)
    user = at.get("runAsUser")
    named = isinstance(user, int) and not isinstance(user, bool) and user > 0
    return (*path, "securityContext", "runAsUser") if named else None
