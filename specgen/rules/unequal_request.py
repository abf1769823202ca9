"""A device whose request is not its limit.

## What it checks
GPUs, HCAs, and other extended resources, and huge pages, stand in `limits`; where they stand in `requests` as well, the
two amounts are equal.

## Why it hurts
Such resources cannot be shared out twice, so the API server refuses pods that request some without a limit, or another
number. The job itself is accepted: the operator tries to create its pods without end.

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
Write the amount in `limits`; Kubernetes copies it to `requests`. None is applied where the amounts differ.

## When to ignore it
Never; such pods are not created.

## References
Kubernetes, "Extended resources"; recorded with API server 1.36 and training-operator 1.9.4.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, Place
from specgen.manifest.views import mapping
from specgen.rules import ALL, CONTAINER
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG412", "unequal-request", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each resource."""
    resources = mapping(container.tree.get("resources"))
    requests, limits = mapping(resources.get("requests")), mapping(resources.get("limits"))
    base = (*container.path, "resources")
    note = "the API server refuses the pods, and the operator tries again without end"
    for name, amount in requests.items():
        if not _is_extended(name) or not isinstance(amount, (int, str)):
            continue
        if name not in limits:
            yield CODE.at(
                (*base, "requests", name),
                f"container `{shown(container.name)}` requests `{shown(name)}` without a limit",
                part=KEY,
                label="needs a limit of the same amount",
                related=[(Place((*base, "limits"), KEY), "not among these")] if "limits" in resources else [],
                notes=[note],
                helps=["write it under `limits`; the request follows from there"],
            )
        elif isinstance(limits[name], (int, str)) and _differ(amount, limits[name]):
            subject = f"container `{shown(container.name)}`"
            yield CODE.at(
                (*base, "requests", name),
                f"{subject} requests {amount} of `{shown(name)}` and limits itself to {limits[name]}",
                label="requested",
                related=[(Place((*base, "limits", name)), "the limit")],
                notes=[note],
                helps=["write the same amount in both, or only the limit"],
            )


def _is_extended(name: str) -> bool:
    if name.startswith("hugepages-"):
        return True
    return "/" in name and not name.partition("/")[0].endswith("kubernetes.io")


def _differ(one: int | str, other: int | str) -> bool:
    """Whether two amounts differ for certain: plain numbers that are not the same."""
    texts = [str(one), str(other)]
    return all(text.isascii() and text.isdigit() for text in texts) and int(texts[0][:18]) != int(texts[1][:18])
