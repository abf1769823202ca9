"""Several pods with GPUs on nodes with HCAs, and none of them asks for one.

## What it checks
The pools of the cluster profile that have the GPUs a job asks for, and that its labels do not exclude, all have HCAs
that pods get by a resource. A job of several such pods asks for some, or says that NCCL is to do without.

## Why it hurts
NCCL then talks TCP without a word: often a tenth of the bandwidth.

## Severity
- warning: the job runs, over TCP; it may hardly communicate.

## Example
Bad, on nodes that have HCAs by the name of `rdma/hca`:

```yaml
Worker:
  replicas: 4
  template: {spec: {containers: [{name: pytorch, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

Good:

```yaml
Worker:
  replicas: 4
  template:
    spec:
      containers:
      - name: pytorch
        image: "a/b:1"
        securityContext: {capabilities: {add: [IPC_LOCK]}}
        resources: {limits: {nvidia.com/gpu: 8, rdma/hca: 1}}
```

## Fix
Ask for the HCAs, by the name that the pool has for them. None is applied: how many a pod should have is its author's.

## When to ignore it
Where TCP is meant, as `NCCL_IB_DISABLE: "1"` says it. A profile says it by `communication: {rdma: false}` (SG530).

## References
NCCL 2.30, user guide, "Environment variables": `NCCL_IB_DISABLE`, `NCCL_NET`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, listed, plural
from specgen.nccl import without_ib
from specgen.operators.kubernetes.room import selects
from specgen.rules import ALL, NODES, WORKLOAD
from specgen.rules._pools import accelerators, adapters, labels_of
from specgen.rules._words import gpus, hcas, variables, written_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Container, Role, Workload
    from specgen.profile.cluster import Pool
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG446", "unasked-hca", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (NODES,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the GPUs of the first role that has some."""
    if context.cluster is None or not written_by_hand(workload):
        return
    asking = [(role, path) for role in workload.roles if role.replicas and (path := _gpus(role, context))]
    count = sum(role.replicas for role, _ in asking)
    if count < 2 or any(_settled(role, context) for role, _ in asking):
        return
    role, path = asking[0]
    pools = _pools(role, str(path[-1]), context)
    if not pools or not all(_hands_out(pool) for pool in pools.values()):
        return
    names = list(dict.fromkeys(adapters(pool)[0] for pool in pools.values()))
    finding = CODE.at(
        Place(path, KEY),
        f"{plural(count, 'pod')} with GPUs talk TCP: they ask for none of the HCAs that the nodes have",
        label="no HCA beside them",
        helps=[f'ask for {listed(names)} as well, or say `NCCL_IB_DISABLE: "1"` if TCP is meant'],
    )
    finding.cluster = [(("pools", next(iter(pools)), "hca"), "the nodes have HCAs")]
    yield finding


def _gpus(role: Role, context: Context) -> Path:
    """Where the training container asks for GPUs; empty where it does not."""
    count, path = gpus(role.main, context) if role.main is not None else (0, ())
    return path if count else ()


def _settled(role: Role, context: Context) -> bool:
    """Whether the pods have a way beside TCP that may be seen, or are told to do without."""
    if role.pod.get("hostNetwork") is True or role.pod.get("resourceClaims"):
        return True
    return any(_has_way(container, context) for container in role.containers())


def _has_way(container: Container, context: Context) -> bool:
    assert context.cluster is not None
    known = [name for pool in context.cluster.pools.values() for name in adapters(pool)]
    if hcas(container, context) or not container.amounts().keys().isdisjoint(known):
        return True
    found = variables(container, context)
    return any(
        isinstance(value := entry.get("value"), str) and without_ib(name, value) for name, (_, entry) in found.items()
    )


def _pools(role: Role, name: str, context: Context) -> dict[str, Pool]:
    """The pools with such devices that the labels of the pods do not exclude; taints are another finding's (SG601)."""
    assert context.cluster is not None
    return {
        key: pool
        for key, pool in context.cluster.pools.items()
        if name in accelerators(pool)
        and not selects(
            role.pod, {label: [one] if isinstance(one, str) else list(one) for label, one in labels_of(pool).items()}
        )
    }


def _hands_out(pool: Pool) -> bool:
    """Whether a pod gets its HCAs by a resource."""
    return bool(adapters(pool)) and pool.fabric.rdma in ("shared-device", "device", "sriov")
