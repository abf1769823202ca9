"""A name in a ResourceQuota that counts nothing.

## What it checks
Names under `spec.hard` of a ResourceQuota: `limits.` before a device, a device without `requests.` before it, and names
without a domain that Kubernetes does not count, such as `pod`.

## Why it hurts
The API server takes the quota and counts devices as `requests.` alone: under any other name the namespace may use all
of them. The quota's status shows no use of it either. A quota with a name that has no domain, and that Kubernetes does
not know, it refuses as a whole.

## Severity
- error: the API server refuses the quota.
- warning: another controller may read the quota.

## Example
Bad:

```yaml
apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: research}
spec: {hard: {limits.nvidia.com/gpu: 16}}
```

Good:

```yaml
apiVersion: v1
kind: ResourceQuota
metadata: {name: team, namespace: research}
spec: {hard: {requests.nvidia.com/gpu: 16}}
```

## Fix
Write `requests.` before the name of the device, or the name that Kubernetes counts. That is unsafe: pods above the
quota are then refused.

## When to ignore it
Where another controller reads the quota.

## References
Kubernetes 1.36, pkg/quota/v1/evaluator/core/pods.go (podComputeUsageHelper), pkg/apis/core/validation
(ValidateResourceQuotaResourceName), pkg/apis/core/helper (standardQuotaResources); recorded: `quota-13`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, UNSAFE, WARNING, Code, Fix, Place, listed, shown
from specgen.diagnostics.operations import Rename
from specgen.diagnostics.suggest import similar
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.resources import is_extended
from specgen.rules import BESIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.rules import Context

CODE = Code("SG615", "uncounted-quota", WARNING, since="0.1", page=__doc__)
SCOPE = BESIDE
KINDS = ("ResourceQuota",)

# Counted under these words before the name of something else: objects, and claims of a class.
_OTHER = ("requests.", "count/")
# What a quota may count by a name without a domain.
_STANDARD = (
    *(f"{side}{name}" for side in ("", "requests.", "limits.") for name in ("cpu", "memory", "ephemeral-storage")),
    *("requests.storage", "pods", "services", "replicationcontrollers", "secrets", "configmaps", "resourcequotas"),
    *("persistentvolumeclaims", "services.nodeports", "services.loadbalancers"),
)
_PAGES = ("hugepages-", "requests.hugepages-")


def check(manifest: Manifest, context: Context) -> Iterator[Finding]:
    """One finding for each name that counts nothing."""
    hard = mapping(mapping(manifest.tree.get("spec")).get("hard"))
    for name in hard:
        if isinstance(name, str) and "/" not in name and name not in _STANDARD and not name.startswith(_PAGES):
            yield _refused(name, hard)
        if not is_extended(name) or name.startswith(_OTHER) or ".storageclass." in name or ".deviceclass." in name:
            continue
        right = f"requests.{name.removeprefix('limits.')}"
        path = ("spec", "hard", name)
        fix = None if right in hard else Fix(f"write `{right}`", UNSAFE, [Rename(path, right)])
        yield CODE.at(
            Place(path, KEY),
            f"`{shown(name)}` of a quota counts nothing",
            label="without effect",
            notes=["the API server counts devices as `requests.` alone"],
            helps=[] if fix else [f"`{shown(right)}` is there as well"],
            fix=fix,
        )


def _refused(name: str, hard: dict[str, Any]) -> Finding:
    near = [one for one in similar(name, _STANDARD) if one not in hard]
    path = ("spec", "hard", name)
    return CODE.at(
        Place(path, KEY),
        f"a quota counts no `{shown(name)}`: the API server refuses it",
        label="no resource",
        helps=[] if len(near) == 1 else [f"names without a domain are {listed(_STANDARD)}"],
        fix=Fix(f"write `{near[0]}`", UNSAFE, [Rename(path, near[0])]) if len(near) == 1 else None,
        severity=ERROR,
    )
