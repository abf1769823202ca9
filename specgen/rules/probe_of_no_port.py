"""A probe that asks a port by a name that the container has not.

## What it checks
`port` of `httpGet` and `tcpSocket` in the probes of a container, where it is a name: one of the container's `ports` is
called so, or the port that the operator adds to it.

## Why it hurts
The kubelet finds no port and throws each answer away. A readiness probe never makes the pod ready, so that what waits
for ready pods waits for ever; a startup probe never lets the container count as started; a liveness probe sees nothing.

## Severity
- warning: a webhook of the cluster may add the port.

## Example
Bad:

```yaml
name: pytorch
image: registry.example.com/train:1.4
ports: [{name: health, containerPort: 8080}]
readinessProbe: {httpGet: {path: /, port: healthz}}
```

Good:

```yaml
name: pytorch
image: registry.example.com/train:1.4
ports: [{name: health, containerPort: 8080}]
readinessProbe: {httpGet: {path: /, port: health}}
```

## Fix
The name that is nearly the same. Unsafe: the probe then counts.

## When to ignore it
Where a webhook adds the port.

## References
Kubernetes 1.36, pkg/probe/util.go (ResolveContainerPort) and pkg/kubelet/prober/worker.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, listed, shown
from specgen.diagnostics.operations import Set
from specgen.diagnostics.suggest import similar
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, CONTAINER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container
    from specgen.rules import Context

CODE = Code("SG333", "probe-of-no-port", WARNING, since="0.1", page=__doc__)
SCOPE = CONTAINER
KINDS = ALL
NEEDS = ("readinessProbe", "livenessProbe", "startupProbe")

_EFFECTS = ("the pod is never ready", "the probe sees nothing", "the container never counts as started")


def check(container: Container, context: Context) -> Iterator[Finding]:
    """One finding for each probe."""
    ports = [mapping(one) for one in sequence(container.tree.get("ports"))]
    names = [name for one in ports if isinstance(name := one.get("name"), str)]
    workload = container.role.workload
    if workload.terms is not None and workload.terms.port is not None and container.name == workload.container:
        names.append(workload.terms.port[0])
    for key, effect in zip(NEEDS, _EFFECTS, strict=True):
        for way in ("httpGet", "tcpSocket"):
            name = mapping(mapping(container.tree.get(key)).get(way)).get("port")
            # what a tool fills in, and what is a number all the same
            if not isinstance(name, str) or name in names or name.isdigit() or "$" in name or "{" in name:
                continue
            path, near = (*container.path, key, way, "port"), similar(name, names)
            yield CODE.at(
                path,
                f"the probe asks a port `{shown(name)}`, and container `{shown(container.name)}` has none of that name",
                notes=[f"the kubelet finds no port, and throws the answer away: {effect}"],
                helps=[] if near else [f"its ports are {listed(names)}" if names else "write the number of the port"],
                fix=Fix(f"write `{near[0]}`", UNSAFE, [Set(path, near[0])]) if near else None,
            )
