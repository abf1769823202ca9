"""An amount of a resource without a number.

## What it checks
What stands below `limits` and `requests` of a container, and of `resourcesPerNode` of a TrainJob, has a value.

## Why it hurts
The API server drops such a key in silence, as `null` is no amount, and the object is accepted. The container gets none
of the device, or has no bound: a program finds no GPU, or memory grows until the node is out of it.

## Severity
- warning: the object is taken, and whether the container can do without is not known.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {cpu: 8, nvidia.com/gpu: }}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {cpu: 8, nvidia.com/gpu: 8}}
```

## Fix
Write the number, or remove the line: the cluster sees the same object without it. The second is offered and not
applied, as the number that is missing is more likely what was meant.

## When to ignore it
Where another tool puts the number there; better, give it a variable's sign (`$GPUS`).

## References
apiextensions-apiserver 0.36, pkg/apiserver/schema/defaulting/prunenulls.go: nulls of fields that may not be null, and
have no default, are removed before the object is validated.
"""

from __future__ import annotations

from specgen.diagnostics.model import DISPLAY, KEY, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping
from specgen.rules import ALL, VALUELESS, WORKLOAD
from specgen.rules._gathered import without_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG496", "valueless-amount", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (VALUELESS,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each amount."""
    said: Path = ("spec", "trainer", "resourcesPerNode")
    own = mapping(mapping(workload.manifest.tree.get("spec")).get("trainer")).get("resourcesPerNode")
    places = [(said, own, "`resourcesPerNode`")] if own else []
    for role in workload.roles:
        for container in (*role.containers(init=True), *role.containers()):
            path = (*container.path, "resources")
            places.append((path, container.tree.get("resources"), f"container `{shown(container.name)}`"))
    found = {(*path, *below): who for path, resources, who in places for below in without_value(resources)}
    for path, who in found.items():
        side = "limit" if path[-2] == "limits" else "request"
        yield CODE.at(
            Place(path, KEY),
            f"`{shown(path[-1])}` has no value: {who} has no {side} of it",
            label="dropped",
            notes=["the API server takes the object without the line"],
            fix=Fix("remove the line", DISPLAY, [Remove(path)]),
        )
