"""A ResourceQuota of devices that counts nothing.

## What it checks
Names under `spec.hard` of a ResourceQuota: `limits.` before a device, or a device without `requests.` before it.

## Why it hurts
The API server takes the quota and counts devices as `requests.` alone: under any other name the namespace may use all
of them. The quota's status shows no use of it either.

## Severity
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
Write `requests.` before the name of the device. That is unsafe: pods above the quota are then refused.

## When to ignore it
Where another controller reads the quota.

## References
Kubernetes 1.36, pkg/quota/v1/evaluator/core/pods.go (podComputeUsageHelper); recorded: `quota-13`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Rename
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.resources import is_extended
from specgen.rules import BESIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.rules import Context

CODE = Code("SG615", "uncounted-quota", WARNING, since="0.1", page=__doc__)
SCOPE = BESIDE
KINDS = ("ResourceQuota",)

# Counted under these words before the name of something else: objects, and claims of a class.
_OTHER = ("requests.", "count/")


def check(manifest: Manifest, context: Context) -> Iterator[Finding]:
    """One finding for each name that counts nothing."""
    hard = mapping(mapping(manifest.tree.get("spec")).get("hard"))
    for name in hard:
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
