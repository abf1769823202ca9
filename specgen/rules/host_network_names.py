"""Pods on the node's network that cannot look up the names of Services.

## What it checks
Where pods have `hostNetwork: true` and meet by a Service of their job, their `dnsPolicy` is `ClusterFirstWithHostNet`,
or `None` with servers of their own. The operator of MPIJobs v2beta1 writes that itself.

## Why it hurts
On the node's network `ClusterFirst`, the default, means the node's own name servers. They seldom know the cluster's
names: `init-pytorch` asks for the Master for 200 s and fails, ranks wait for an address that does not resolve.

## Severity
- warning: the nodes may ask the cluster's name servers, or the program be told addresses.

## Example
Bad:

```yaml
Worker:
  replicas: 2
  template:
    spec:
      hostNetwork: true
      containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
Worker:
  replicas: 2
  template:
    spec:
      hostNetwork: true
      dnsPolicy: ClusterFirstWithHostNet
      containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Write `dnsPolicy: ClusterFirstWithHostNet`. Unsafe: names are looked up elsewhere from then on.

## When to ignore it
Where the nodes ask the cluster's name servers, or the program is told addresses.

## References
Kubernetes 1.36, "DNS for Services and Pods" (Pod's DNS policy); mpi-operator 0.8.2,
pkg/controller/mpi_job_controller.go (newWorker).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping
from specgen.rules import ALL, ROLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG484", "host-network-names", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("hostNetwork",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """At most one finding for each role of a job of several pods."""
    if role.pod.get("hostNetwork") is not True or context.reader is None or role.workload.pods < 2:
        return
    if role.pod.get("dnsPolicy") not in (None, "", "ClusterFirst", "Default"):
        return
    pods = context.pods(role)
    written = mapping(pods[0].get("spec")).get("dnsPolicy") if pods else role.pod.get("dnsPolicy")
    if written == "ClusterFirstWithHostNet" or not context.expanded(role.workload).services:
        return
    path = (*role.pod_path, "dnsPolicy")
    said = role.pod.get("dnsPolicy")
    yield CODE.at(
        Place(path) if said else Place((*role.pod_path, "hostNetwork"), KEY),
        "these pods meet by names that they do not look up in the cluster",
        label="means the node's name servers here" if said else "`dnsPolicy` is then the node's",
        related=[(Place((*role.pod_path, "hostNetwork"), KEY), "on the node's network")] if said else [],
        notes=["on the node's network `ClusterFirst`, the default, asks the node's name servers"],
        fix=Fix("write `dnsPolicy: ClusterFirstWithHostNet`", UNSAFE, [Set(path, "ClusterFirstWithHostNet")]),
    )
