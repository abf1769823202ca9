"""Several pods of one host with one of its ports.

## What it checks
Pods that are kept on one host, by `nodeName` or by a selector of `kubernetes.io/hostname`, and take a port of that
host: by `hostPort`, or on the host's network by every port that their containers name. The training operator names one
itself: 23456 of a PyTorchJob, 2222 of a TFJob.

## Why it hurts
A port of a host is for one pod. The second one stays Pending for ever: `node(s) didn't have free ports for the
requested pod ports`; with `nodeName` the kubelet refuses it.

## Severity
- error: a port of a host is for one pod: the second one never runs there.

## Example
Bad:

```yaml
replicas: 2
template:
  spec:
    hostNetwork: true
    nodeSelector: {kubernetes.io/hostname: gpu-0}
    containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
replicas: 2
template:
  spec:
    nodeSelector: {kubernetes.io/hostname: gpu-0}
    containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Do without the host's network, or let the pods go to several hosts. None is applied.

## When to ignore it
Never.

## References
Kubernetes scheduler: NodePorts. Recorded: `ports-03`, `ports-04`, `ports-09`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, Place, plural, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import host_ports
from specgen.rules import ALL, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG618", "shared-host-port", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = ("hostNetwork", "nodeName", "nodeSelector")

_HOSTNAME = "kubernetes.io/hostname"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding for each host."""
    reader = context.reader
    if reader is None or any(["dependsOn" in role.tree for role in workload.roles]):
        return
    hosts: dict[str, list[tuple[Role, Path, list[int]]]] = {}
    for role in workload.roles:
        host, path = _host(role)
        if host and role.replicas > 0 and reader.makes_pods(role):
            ports = host_ports(mapping(reader.sent(role).get("spec")))
            hosts.setdefault(host, []).append((role, path, ports))
    for host, roles in hosts.items():
        for port in dict.fromkeys(port for _, _, ports in roles for port in ports):
            taking = [(role, path) for role, path, ports in roles if port in ports]
            pods = sum(role.replicas for role, _ in taking)
            if pods > 1:
                yield _shared(host, port, pods, taking)
                break


def _host(role: Role) -> tuple[str, Path]:
    """The one host that the pods of a role may be on, with where it is said; empty: there may be several."""
    name = role.pod.get("nodeName")
    if isinstance(name, str) and name:
        return name, (*role.pod_path, "nodeName")
    chosen = mapping(role.pod.get("nodeSelector")).get(_HOSTNAME)
    if isinstance(chosen, str) and chosen:
        return chosen, (*role.pod_path, "nodeSelector", _HOSTNAME)
    return "", ()


def _shared(host: str, port: int, pods: int, taking: list[tuple[Role, Path]]) -> Finding:
    role, path = taking[0]
    related = [(Place(other), f"and `{one.name}`") for one, other in taking[1:]]
    named = [
        Place((*container.path, "ports", index))
        for one, _ in taking
        for container in one.containers()
        for index, entry in enumerate(sequence(container.tree.get("ports")))
        if port in (mapping(entry).get("containerPort"), mapping(entry).get("hostPort"))
    ]
    if named:
        related.append((named[0], "a port of the host"))
    elif "hostNetwork" in role.pod:
        related.append((Place((*role.pod_path, "hostNetwork"), KEY), f"makes {port} a port of the host"))
    notes = [] if named else [f"the {role.workload.operator} names the port {port} of its own"]
    return CODE.at(
        Place(path),
        f"{plural(pods, 'pod')} of the host `{shown(host)}` need its port {port}, which is for one",
        related=related,
        notes=[*notes, "the first pod takes it, and the others never start"],
    )
