"""A probe that kills every pod but the one of rank 0, as it asks the port at which the ranks meet.

## What it checks
`livenessProbe` and `startupProbe` of the training container that ask the port of the rendezvous (`MASTER_PORT`, the
port of torchrun's `--master-port` or `--rdzv-endpoint`), in pods that hold other ranks than the first.

## Why it hurts
The store of the rendezvous listens in the pod of rank 0 alone; the others are its clients. The kubelet finds nobody at
that port in their pods and kills them again and again, and the whole job with them.

## Severity
- error: the command line calls torchrun, which opens the port itself, in the pod of rank 0.
- warning: what else the program does with the port is not seen here.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: &pod {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1",
      command: [torchrun, a.py], livenessProbe: {tcpSocket: {port: 23456}}}]}}}
    Worker: {replicas: 3, template: *pod}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: &pod {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1",
      command: [torchrun, a.py], livenessProbe: {tcpSocket: {port: 8080}}}]}}}
    Worker: {replicas: 3, template: *pod}
```

## Fix
Leave the probe out, or ask a port that the program opens in each pod. The operator sees a pod that ends by itself, and
NCCL and the rendezvous have time-outs of their own.

## When to ignore it
A warning where the program opens the port in each of its pods. Else never.

## References
torch 2.13, distributed/elastic/rendezvous/static_tcp_rendezvous.py and c10d_rendezvous_backend.py; Kubernetes 1.36,
pkg/kubelet/prober/worker.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, WARNING, Code, Place, plural, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes import launchers
from specgen.operators.kubernetes.command import meeting
from specgen.rules import ALL, WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Workload
    from specgen.operators.expansion import Instance
    from specgen.rules import Context

CODE = Code("SG512", "probe-of-rank-zero", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = ("livenessProbe", "startupProbe")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each probe of a role."""
    asked = [(role, role.main, found) for role in workload.roles if role.main and (found := _probes(role.main))]
    if not asked or context.reader is None or workload.pods < 2:
        return
    instances = context.resumed(workload).instances
    for role, main, probes in asked:
        line = launchers.of_text([text for _, _, text in main.words()])
        own = [one for one in instances if one.role == role.name]
        first = [one for one in own if _is_first(one, instances)]
        # a webhook may let later pods in when the first one has its node
        others = max(role.replicas, len(own)) - len(first)
        for key, way, port in probes:
            if others < 1 or not own or not all([_met(one).endswith(f":{port}") for one in own]):
                continue
            pods = plural(others + len(first), "pod")
            where = f"{others} of {pods}" if first else f"all {pods}" if others > 1 else "the pod"
            yield CODE.at(
                Place((*main.path, key, way, "port")),
                f"the probe kills {where} of `{role.name}`: nothing listens on port {port} there",
                label="the port of the rendezvous",
                notes=[f"the ranks meet at `{shown(_met(own[0]))}`: the pod of that name alone listens there"],
                helps=["leave the probe out, or ask a port that the program opens in each pod"],
                severity=ERROR if line is not None and line.name == launchers.TORCHRUN else WARNING,
            )


def _probes(container: Container) -> list[tuple[str, str, int]]:
    """(probe, how it asks, number of the port) of the probes that kill."""
    ports = [mapping(one) for one in sequence(container.tree.get("ports"))]
    names = {name: one.get("containerPort") for one in ports if isinstance(name := one.get("name"), str)}
    found = []
    for key in NEEDS:
        for way in ("tcpSocket", "httpGet"):
            port = mapping(mapping(container.tree.get(key)).get(way)).get("port")
            number = names.get(port) if isinstance(port, str) else port
            if isinstance(number, int) and not isinstance(number, bool):
                found.append((key, way, number))
    return found


def _met(one: Instance) -> str:
    """Where the processes of a pod meet: the options of a launcher win."""
    return meeting(one.command) or one.rendezvous


def _is_first(one: Instance, instances: list[Instance]) -> bool:
    """Whether a pod holds rank 0, or hosts the rendezvous; True as well where neither is known."""
    if one.ranks is not None:
        return one.ranks[0] == 0
    host = _met(one).partition(":")[0].partition(".")[0]
    return one.pod.startswith(host) or not any([other.pod.startswith(host) for other in instances])
