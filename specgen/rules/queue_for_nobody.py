"""A ClusterQueue of Kueue that takes no namespace.

## What it checks
`namespaceSelector` of a ClusterQueue: without one the queue takes nobody, `{}` takes all.

## Why it hurts
Every job of every LocalQueue before it stays suspended, with `workload namespace doesn't match ClusterQueue selector`
in its Workload alone.

## Severity
- warning: the queue may be meant to take nobody yet.

## Example
Bad:

```yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 32}]}]
```

Good:

```yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 32}]}]
```

## Fix
`namespaceSelector: {}`, or the labels of the namespaces. The first is offered and unsafe: it lets all namespaces in.

## When to ignore it
Where the queue is to take nobody yet.

## References
Kueue 0.19.2, recorded: `quota-namespace-selector-absent`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.rules import BESIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.rules import Context

CODE = Code("SG614", "queue-for-nobody", WARNING, since="0.1", page=__doc__)
SCOPE = BESIDE
KINDS = ("ClusterQueue",)


def check(manifest: Manifest, context: Context) -> Iterator[Finding]:
    """At most one finding, at the spec."""
    spec = manifest.tree.get("spec")
    if not manifest.ref.api_version.startswith("kueue.x-k8s.io/") or not isinstance(spec, dict):
        return
    if spec.get("namespaceSelector") is None:
        yield CODE.at(
            Place(("spec",), KEY),
            "the queue takes no namespace: it has no `namespaceSelector`",
            notes=["its jobs stay suspended; `namespaceSelector: {}` takes those of all namespaces"],
            fix=Fix("write `namespaceSelector: {}`", UNSAFE, [Set(("spec", "namespaceSelector"), {})]),
        )
