"""A NetworkPolicy that keeps the pods of a job from each other, or from the names that they look up.

## What it checks
NetworkPolicies beside a job, in its namespace, that select its pods: all of them together let the pods of the job reach
each other on every port, and let them ask for names (port 53) outside. The policy of Volcano's plugin `svc` counts too.
TFJobs and XGBoostJobs, which meet on ports that they name, and pods on the node's network are passed over.

## Why it hurts
The first rendezvous is on one port, and then NCCL, Gloo and MPI listen on ports that the kernel chooses: the job comes
up, and hangs in its first collective. Without names it does not even find the first rank.

## Severity
- warning: another policy may let the rest through, the network may enforce none, a cache on the node answer for names.

## Example
Bad:

```yaml
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: llama-ft}
spec:
  podSelector: {matchLabels: {training.kubeflow.org/job-name: llama-ft}}
  ingress:
  - from: [{podSelector: {matchLabels: {training.kubeflow.org/job-name: llama-ft}}}]
    ports: [{port: 23456}]
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 4, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1"}]}}}
```

Good:

```yaml
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata: {name: llama-ft}
spec:
  podSelector: {matchLabels: {training.kubeflow.org/job-name: llama-ft}}
  ingress:
  - from: [{podSelector: {matchLabels: {training.kubeflow.org/job-name: llama-ft}}}]
```

## Fix
Leave `ports` out of the rule for the job's own pods; a rule of `egress` with `ports: [{port: 53, protocol: UDP}]`.

## When to ignore it
Where another policy of the namespace lets the rest through.

## References
Kubernetes 1.36, "Network Policies"; NCCL 2.28, "Environment Variables" (sockets); gloo, transport/tcp.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.network_policy import (
    DNS,
    EGRESS,
    EPHEMERAL,
    FIELDS,
    INGRESS,
    has_port,
    is_elsewhere,
    is_met,
    isolates,
    rules,
)
from specgen.rules import ALL, SELECTED, WORKLOAD
from specgen.rules._selected import beside, labels_of, pods_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG513", "closed-by-policy", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (SELECTED,)

# Kinds whose pods meet on ports that they name.
_NAMED_PORTS = ("TFJob", "XGBoostJob")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding for each direction between the job's own pods, and one for names."""
    policies = beside(workload, context, "NetworkPolicy")
    if not policies or workload.pods < 2 or workload.kind in _NAMED_PORTS:
        return
    pods = [labels_of(one) for one in pods_of(workload, context) if not mapping(one.get("spec")).get("hostNetwork")]
    made = [one for one in context.resumed(workload).others if one.get("kind") == "NetworkPolicy"] if pods else []
    for direction in (INGRESS, EGRESS):
        found = next((one for pod in pods for one in _closed(pod, pods, policies, made, direction)), None)
        if found is not None:
            yield _between(workload, *found, direction)
    for pod in pods:
        isolating = [one for one in policies if isolates(one.tree, EGRESS, pod)]
        everything = [rule for one in isolating for rule in rules(one.tree, EGRESS)]
        if isolating and not any([is_elsewhere(one, EGRESS) and has_port(one, DNS, DNS, "UDP") for one in everything]):
            yield _nameless(workload, isolating[-1])
            return


def _closed(
    pod: dict[str, str],
    pods: list[dict[str, str]],
    policies: list[Manifest],
    made: list[dict[str, Any]],
    direction: str,
) -> Iterator[tuple[Manifest, int | None]]:
    """(the policy, its rule for the job's own pods) that does not let all of them through; None: no rule is.

    ``made``: policies that the operator makes for the job; what one of them lets through is let through.
    """
    own = [rule for one in made if isolates(one, direction, pod) for rule in rules(one, direction)]
    isolating = [one for one in policies if isolates(one.tree, direction, pod)]
    for peer in pods if isolating else ():
        about = [
            (one, at, rule)
            for one in isolating
            for at, rule in enumerate(rules(one.tree, direction))
            if is_met(rule, direction, peer)
        ]
        let = [*(rule for rule in own if is_met(rule, direction, peer)), *(rule for _, _, rule in about)]
        if not any([has_port(rule, *EPHEMERAL, "TCP") for rule in let]):
            yield (about[-1][0], about[-1][1]) if about else (isolating[-1], None)


def _between(workload: Workload, policy: Manifest, at: int | None, direction: str) -> Finding:
    path: Any = ("spec", FIELDS[direction][0], at, "ports") if at is not None else ("spec",)
    name = shown(workload.manifest.ref.name)
    return CODE.at(
        Place(path, KEY, where=policy.where),
        f"the pods of `{name}` reach each other on some ports alone"
        if at is not None
        else f"the pods of `{name}` do not reach each other",
        label="these alone" if at is not None else f"no rule of `{FIELDS[direction][0]}` is for the job's own pods",
        notes=["NCCL, Gloo and MPI listen on ports that the kernel chooses: the job hangs in its first collective"],
        helps=[f"a rule of `{FIELDS[direction][0]}` for the pods of the job itself has no `ports`"],
    )


def _nameless(workload: Workload, policy: Manifest) -> Finding:
    name = shown(workload.manifest.ref.name)
    path = ("spec", "egress") if "egress" in mapping(policy.tree.get("spec")) else ("spec",)
    return CODE.at(
        Place(path, KEY, where=policy.where),
        f"the pods of `{name}` cannot ask for names: no rule of `egress` leads to port {DNS} outside",
        notes=["the ranks meet at the name of a Service"],
        helps=["add `{to: [{namespaceSelector: {}}], ports: [{port: 53, protocol: UDP}, {port: 53, protocol: TCP}]}`"],
    )
