"""A queue, flavor or topology that Kueue, or the API server by Kueue's rules, refuses.

## What it checks
ClusterQueues, ResourceFlavors and Topologies of Kueue, v1beta1 and v1beta2: words that a field does not take; resources
of a flavor that are not those of `coveredResources`, in their order; a resource or a flavor that stands in a queue
twice; a limit of a cohort in a queue that has none; a `lendingLimit` above the quota. `specgen fit` asks the same.

## Why it hurts
The object is not made, or the one that is there stays as it was. Jobs of its queues wait for it, suspended.

## Severity
- error: the API server or the webhook refuses the object.

## Example
Bad:

```yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu, nvidia.com/gpu]
    flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 16}, {name: cpu, nominalQuota: 64}]}]
```

Good:

```yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [nvidia.com/gpu, cpu]
    flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 16}, {name: cpu, nominalQuota: 64}]}]
```

## Fix
Where all flavors of a group have their resources in one order, `coveredResources` takes it. Unsafe, as comments in the
list go.

## When to ignore it
Where another release of Kueue takes it.

## References
Kueue 0.19, config/crd and pkg/webhooks/clusterqueue_webhook.go; recorded: `refuse-topologies-and-flavors`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.rules import BESIDE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG717", "refused-queue", ERROR, since="0.1", page=__doc__)
SCOPE = BESIDE
KINDS = ("ClusterQueue", "ResourceFlavor", "Topology")


def check(manifest: Manifest, context: Context) -> Iterator[Finding]:
    """One finding for each place."""
    from specgen.rules._queues import refused_queue  # most files have no queues

    for who, path, why in refused_queue(manifest.tree):
        said = why.removeprefix("spec: ").removeprefix(f"spec.{path[0] if path else ''}: ")
        yield CODE.at(Place(("spec", *path)), f"{who} refuses it: {said}", fix=_ordered(manifest, path))


def _ordered(manifest: Manifest, path: Path) -> Fix | None:
    """The covered resources in the order of all flavors of their group, where this is all that is wrong with them."""
    if path[:1] != ("resourceGroups",) or path[-1] != "resources":
        return None
    groups = sequence(mapping(manifest.tree.get("spec")).get("resourceGroups"))
    group, at = mapping(groups[int(path[1])]), ("spec", *path[:2], "coveredResources")
    covered = sequence(group.get("coveredResources"))
    orders = [
        [mapping(one).get("name") for one in sequence(mapping(flavor).get("resources"))]
        for flavor in sequence(group.get("flavors"))
    ]
    if any(one != orders[0] for one in orders) or sorted(map(str, orders[0])) != sorted(map(str, covered)):
        return None
    return Fix("put `coveredResources` in the order of the flavors", UNSAFE, [Set(at, orders[0])])
