"""A device whose request is not its limit.

## What it checks
GPUs, HCAs, and other extended resources, and huge pages, stand in `limits`; where they stand in `requests` as well, the
two amounts are equal.

## Why it hurts
Such resources cannot be shared out twice, so the API server refuses pods that request some without a limit, or another
number. The job itself is accepted: the operator tries to create its pods without end.

## Severity
- error: the API server refuses every pod of the template.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {requests: {nvidia.com/gpu: 1}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
resources: {limits: {nvidia.com/gpu: 1}}
```

## Fix
Write the amount in `limits`; Kubernetes copies it to `requests`. Safe where there is no limit: no pod was made without
it, and no other amount is taken. None is applied where the amounts differ.

## When to ignore it
Never; such pods are not created.

## References
Kubernetes, "Extended resources"; recorded with API server 1.36 and training-operator 1.9.4.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, SAFE, Code, Fix, Place
from specgen.manifest.views import mapping
from specgen.rules import ALL, CONTAINER, REFUSED_POD
from specgen.rules._remedies import put
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG412", "unequal-request", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = (REFUSED_POD,)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each resource."""
    if "resources" not in container.tree:
        return
    note = "the API server refuses the pods, and the operator tries again without end"
    subject = f"container `{shown(container.name)}`"
    for reason in context.refused_container(container):
        if reason.cause not in ("no-limit", "unequal"):
            continue
        name, resources = str(reason.path[-1]), mapping(container.tree["resources"])
        limits: Path = (*container.path, "resources", "limits")
        if reason.cause == "no-limit":
            yield CODE.at(
                (*container.path, "resources", "requests", name),
                f"{subject} requests `{shown(name)}` without a limit",
                part=KEY,
                label="needs a limit of the same amount",
                related=[(Place(limits, KEY), "not among these")] if "limits" in resources else [],
                notes=[note],
                fix=Fix(
                    "limit it to the same amount",
                    SAFE,
                    [
                        put(
                            container.tree,
                            ("resources", "limits", name),
                            resources["requests"][name],
                            within=container.path,
                        )
                    ],
                ),
            )
            continue
        asked, allowed = (shown(mapping(resources.get(side)).get(name)) for side in ("requests", "limits"))
        yield CODE.at(
            (*container.path, "resources", "requests", name),
            f"{subject} requests {asked} of `{shown(name)}` and limits itself to {allowed}",
            label="requested",
            related=[(Place((*limits, name)), "the limit")],
            notes=[note],
            helps=["write the same amount in both, or only the limit"],
        )
