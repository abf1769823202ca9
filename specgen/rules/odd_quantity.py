"""An amount of CPU or storage that cannot be meant.

## What it checks
`ephemeral-storage` of containers and `sizeLimit` of `emptyDir` volumes are 4 KiB or more: `100m` are a tenth of a byte.
`cpu` of a container is below 1000: `4000` are four thousand cores, and `4000m` are four.

## Why it hurts
The kubelet evicts a pod whose files outgrow such a limit, which is at its first line of log; a volume in memory of that
size takes no file. For a thousand cores there is no node, and the pod waits for ever with all that wait for it.

## Severity
- warning: the API server takes the amount; that nobody means it is a guess, if a good one.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {requests: {cpu: 4000, ephemeral-storage: 20Gi}, limits: {ephemeral-storage: 100m}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {requests: {cpu: 4000m, ephemeral-storage: 20Gi}, limits: {ephemeral-storage: 100Gi}}
```

## Fix
`m` behind the number of thousandths of a core; that is unsafe, as a request that no node could meet begins to be met.
For storage the unit that is meant, `Mi` or `Gi`: which one, is not known.

## When to ignore it
Where nodes of a thousand cores are there.

## References
Kubernetes 1.36, "Resource units in Kubernetes"; pkg/api/pod/warnings.go ("fractional byte value"); kubelet,
pkg/kubelet/eviction, local storage eviction.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.quantity import NANO, nano
from specgen.rules import ALL, ODD_AMOUNT, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG327", "odd-quantity", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = (ODD_AMOUNT,)

# A page of a file system.
_LEAST = 4096 * NANO
# The largest machines that are let have fewer than two thousand, those with GPUs a few hundred.
_CORES = 1000 * NANO


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each amount; zero is no amount."""
    pools = context.cluster.pools.values() if context.cluster is not None else ()
    # what their nodes have is known, and what does not fit another finding
    judged = any(pool.nodes is not None and pool.nodes.cpu is not None for pool in pools)
    for container in (*role.containers(init=True), *role.containers()):
        yield from _of_container(container, judged)
    for index, volume in enumerate(sequence(role.pod.get("volumes"))):
        amount = mapping(mapping(volume).get("emptyDir")).get("sizeLimit")
        if _is_tiny(amount):
            path: Path = (*role.pod_path, "volumes", index, "emptyDir", "sizeLimit")
            yield _tiny(
                path, amount, "a volume", "the pod is evicted with its first file there, or finds no room for it"
            )


def _of_container(container: Container, judged: bool) -> Iterator[Finding]:
    resources = mapping(container.tree.get("resources"))
    for side in ("limits", "requests"):
        amounts = mapping(resources.get(side))
        path: Path = (*container.path, "resources", side)
        storage = amounts.get("ephemeral-storage")
        if _is_tiny(storage):
            then = (
                "the pod is evicted with its first line of log" if side == "limits" else "the scheduler counts nothing"
            )
            yield _tiny((*path, "ephemeral-storage"), storage, "a container's files", then)
        cores = amounts.get("cpu")
        value = _nano(cores)
        if value is not None and value >= _CORES and not judged:
            fix = None
            if str(cores).isdigit():
                fix = Fix(f"write `{cores}m`", UNSAFE, [Set((*path, "cpu"), f"{cores}m")])
            yield CODE.at(
                Place((*path, "cpu")),
                f"no node has `{shown(cores)}` cores",
                label="whole cores",
                notes=["the pod waits for ever, and the other pods of the job for it"],
                helps=[] if fix else ["thousandths of a core have an `m` behind the number"],
                fix=fix,
            )


def _nano(amount: Any) -> int | None:
    return nano(amount) if isinstance(amount, (str, int, float)) and not isinstance(amount, bool) else None


def _is_tiny(amount: Any) -> bool:
    value = _nano(amount)
    return value is not None and 0 < value < _LEAST


def _tiny(path: Path, amount: Any, what: str, then: str) -> Finding:
    thousandths = isinstance(amount, str) and amount.endswith("m")
    return CODE.at(
        Place(path),
        f"`{shown(amount)}` of storage for {what} cannot be meant",
        label="thousandths of a byte" if thousandths else "bytes",
        notes=[then],
        helps=["write `Mi` or `Gi` behind the number"],
    )
