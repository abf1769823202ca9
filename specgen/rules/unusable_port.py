"""A container port that costs the pod or its Service.

## What it checks
Every port of the training container, such as `pytorch`, has a name and a number of its own, also beside the port that
the operator adds. Every `containerPort` of a pod lies between 1 and 65535.

## Why it hurts
The operator adds its own named port and makes a Service of all ports of that container. A Service with a named and
an unnamed port, or with two ports of one number, is invalid: the pod comes, its Service never does, the job gets no
condition, and the workers wait for a Master that they cannot find. With the ms-operator not even a pod comes. A port
outside the range keeps the pod itself from being created.

## Severity
- error: the API server refuses the pod or the Service that the operator makes of the ports.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
ports:
  - containerPort: 8080
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
ports:
  - {name: metrics, containerPort: 8080}
```

## Fix
Name the port, and call one with the operator's number as the operator does: `pytorchjob-port`, 23456. A port of the
pod needs no entry to be reachable, so removing it is as good.

## When to ignore it
Never; such a job does not come up.

## References
training-operator 1.9.4, pkg/core/service.go (GetPortsFromJob); recorded: jobs with one unnamed port, and with a port of
the operator's number under another name.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER
from specgen.rules._words import shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG312", "unusable-port", ERROR, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = ("ports",)


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each port."""
    ports = sequence(container.tree.get("ports"))
    if not ports:
        return
    refused = {one.path[-2] for one in context.refused_container(container) if one.cause == "port-number"}
    serves = _serves(container)
    # number → the ports that have it and a name, in their order
    called: dict[int, list[tuple[int, dict[str, Any]]]] = {}
    for index, port in enumerate(ports):
        number = mapping(port).get("containerPort")
        if not isinstance(number, int) or isinstance(number, bool):
            continue
        path = (*container.path, "ports", index, "containerPort")
        if index in refused:
            note = "the API server refuses the pod, and the operator tries again without end"
            message = f"port {number} does not exist, ports are 1 to 65535"
            yield CODE.at(path, message, label="no such port", notes=[note])
        elif serves and not mapping(port).get("name"):
            yield CODE.at(
                path,
                f"port {number} of container `{shown(container.name)}` has no name",
                label="lacks `name`",
                notes=[
                    "the operator adds a named port; the API server rejects a Service with a named and an unnamed one",
                    _after(container),
                ],
                fix=Fix(
                    "give the port a name", UNSAFE, [Set((*container.path, "ports", index, "name"), f"port-{number}")]
                ),
            )
        elif serves:
            same = called.setdefault(number, [])
            yield from _doubled(container, same, mapping(port), path)
            same.append((index, mapping(port)))


def _serves(container: Container) -> bool:
    """Whether the operator makes a Service of the container's ports."""
    role, terms = container.role, container.role.workload.terms
    if terms is None or terms.port is None or container.init or container.name != role.workload.container:
        return False
    return terms.hosts is None or role.name in terms.hosts


def _after(container: Container) -> str:
    if container.role.workload.operator == "ms-operator":
        return "the operator waits for that Service, and creates no pods"
    return "the pod comes up without its Service, and the job gets no condition"


def _doubled(
    container: Container, before: list[tuple[int, dict[str, Any]]], port: dict[str, Any], path: Path
) -> Iterator[Finding]:
    """Two ports of one number; where they have one protocol as well, that is the schema's business (SG104).

    ``before``: those above it that have its number and a name.
    """
    number, terms = port["containerPort"], container.role.workload.terms
    notes = ["the API server rejects a Service with two ports of one number", _after(container)]
    message = f"two ports of container `{shown(container.name)}` have the number {number}"
    for index, tree in before:
        if tree["name"] != port["name"]:
            if tree.get("protocol", "TCP") != port.get("protocol", "TCP"):
                related = [(Place((*path[:-2], index, "containerPort")), "the other one")]
                yield CODE.at(path, message, label="needs another number", related=related, notes=notes)
            return
    own = terms.port if terms is not None else None
    if own is None or number != own[1]:
        return
    listed = sequence(container.tree.get("ports"))
    if all(mapping(one).get("name") != own[0] for one in listed):
        yield CODE.at(
            path,
            f"port {number} of container `{shown(container.name)}` is there twice: the operator adds it as `{own[0]}`",
            label=f"called `{shown(port['name'])}` here",
            notes=notes,
            fix=Fix(f"call it `{own[0]}`", UNSAFE, [Set((*path[:-1], "name"), own[0])]),
        )
