"""A port of the node that every job wants.

## What it checks
No container takes a port of its node: none has `hostPort`, and pods with `hostNetwork: true` have no port, the one that
the operator adds among them. Opt-in: looked for where the group `policy` or the code is selected.

## Why it hurts
A port of a node is one pod's. The scheduler puts no second pod with it there, so two small jobs do not share a node;
and a port that is not declared is taken by whoever comes first, the other ends in "address already in use".

## Severity
- warning: the job runs; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
hostNetwork: true
dnsPolicy: ClusterFirstWithHostNet
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
The pods' own network, with devices for RDMA. None is applied: whether the fabric is reached so is not known.

## When to ignore it
Where each pod has a node to itself.

## References
Kubernetes 1.36, pkg/scheduler/framework/plugins/nodeports; training-operator 1.9.4 (port 23456 of PyTorchJobs);
kubeflow/trainer#1797.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, listed
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG867", "fixed-host-port", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("hostNetwork", "ports")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each role."""
    on_host = role.pod.get("hostNetwork") is True
    pods = context.pods(role) if context.reader is not None else []
    sent = mapping(pods[0].get("spec")) if pods else role.pod
    containers = [mapping(one) for one in sequence(sent.get("containers"))]
    ports = [mapping(port) for one in containers for port in sequence(one.get("ports"))]
    taken = [str(port.get("containerPort") if on_host else port.get("hostPort")) for port in ports]
    taken = [port for port in dict.fromkeys(taken) if port.isdigit() and port != "0"]
    if not taken:
        return
    place = Place((*role.pod_path, "hostNetwork"), KEY) if on_host else _first(role)
    yield CODE.at(
        place,
        f"each pod takes the port {listed(taken)} of its node",
        label="its ports are the node's" if on_host else "a port of the node",
        notes=["no two pods with it share a node, of this job or another"],
    )


def _first(role: Role) -> Place:
    for container in role.containers():
        for index, port in enumerate(sequence(container.tree.get("ports"))):
            if mapping(port).get("hostPort"):
                return Place((*container.path, "ports", index, "hostPort"))
    return Place(role.pod_path)
