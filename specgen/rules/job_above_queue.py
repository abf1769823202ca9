"""A job that asks for more than its queue has in all.

## What it checks
The devices that the pods of a job ask for, against the quota of its ClusterQueue, where LocalQueue and ClusterQueue
stand among the files that are checked together and it is known how much the ClusterQueue borrows at most; else against
the `quota` that the cluster profile says of the queue. Pods of one role get one flavor: they must fit in the largest of
them; all roles must fit in all flavors together.

## Why it hurts
Kueue lets a job begin when all of its pods have quota. A job that is larger than its queue waits for ever, also before
an empty cluster, suspended and without a single pod; the reason stands in its Workload alone.

## Severity
- error: no usage of others makes room for it.

## Example
Bad:

```yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [nvidia.com/gpu]
    flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 16}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: research}
spec: {clusterQueue: team}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: research}}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 4, template: {spec: {containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft, labels: {kueue.x-k8s.io/queue-name: research}}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 2, template: {spec: {containers: [{name: pytorch, resources: {limits: {nvidia.com/gpu: 8}}}]}}}
```

## Fix
Ask for fewer pods or devices, or raise `nominalQuota`, `borrowingLimit` or the profile's `quota`. None is applied.

## When to ignore it
Where the queue of the cluster is not the one of the file.

## References
Kueue 0.19.2, recorded: `kind-mpijob-launcher-as-worker-short`, `flavor-one-podset-not-split`, `cohort-flavors-differ`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, Code, Place, listed, shown
from specgen.manifest.beside import named
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.room import asked
from specgen.operators.queues import KUEUE_QUEUE
from specgen.quantity import nano
from specgen.rules import ALL, KUEUE, WORKLOAD
from specgen.rules._gangs import marks
from specgen.rules._pools import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context

CODE = Code("SG711", "job-above-queue", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE,)

_NOTE = "Kueue never lets the job begin: it stays suspended, without a pod"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding: at the amount of the role that is too large, or with which all are."""
    tree = workload.manifest.tree
    reader = context.reader
    if reader is None or workload.operator == "volcano" or workload.manifest.ref.kind == "MSJob":
        return
    # of those two Kueue knows nothing
    label = str(marks(tree, "labels").get(KUEUE_QUEUE))
    queue = _queue(label, workload, context)
    quota = _of_object(queue) if queue is not None else _of_profile(label, context)
    if not quota:
        return
    own = f"ClusterQueue `{shown(queue.ref.name or '')}`" if queue is not None else f"queue `{shown(label)}`"
    sums: dict[str, int] = {}
    roles: dict[str, list[str]] = {}
    for role in workload.roles:
        if role.replicas < 1 or not reader.makes_pods(role):
            continue
        for name, each in asked(mapping(reader.sent(role).get("spec"))).items():
            quotas = quota.get(name)
            if "/" not in name or quotas is None:
                continue
            wanted = each * role.replicas
            sums[name] = sums.get(name, 0) + wanted
            roles.setdefault(name, []).append(role.name)
            most, whole = max(quotas, default=0), sum(quotas)
            if wanted > most:
                largest = "its largest flavor" if len(quotas) > 1 else "it"
                said = f"`{role.name}` asks for {spelled(name, wanted)}, and {largest} has {spelled(name, most)}"
            elif sums[name] > whole:
                said = f"{listed(roles[name])} ask for {spelled(name, sums[name])}, it has {spelled(name, whole)}"
            else:
                continue
            finding = CODE.at(_place(role, name), f"the {own} can never hold the job: {said}", notes=[_NOTE])
            if queue is not None:
                said = "with what is borrowed at most" if _borrows(queue) else "and nothing is borrowed"
                finding.related = [(Place(("spec", "resourceGroups"), where=queue.where), f"the quota, {said}")]
            else:
                finding.cluster = [(("scheduling", "queues", label, "quota", name), "the most of it")]
            yield finding
            return


def _of_object(queue: Manifest) -> dict[str, list[int]]:
    """Resource → the most that each flavor gives; none of a resource that may be borrowed without a limit."""
    from specgen.schedulers.kueue.quota import Queue  # few jobs stand beside their queue

    own = Queue(queue.tree)
    found: dict[str, list[int]] = {}
    for covered, flavors in own.groups:
        for name in covered:
            of = [(flavor, name) for flavor in flavors]
            if not _borrows(queue) or all(one in own.borrow for one in of):
                found[name] = [own.nominal.get(one, 0) + own.borrow.get(one, 0) for one in of]
    return found


def _of_profile(name: str, context: Context) -> dict[str, list[int]]:
    """The same as the cluster profile says it, of whose flavors it has no word."""
    queues = context.cluster.scheduling.queues if context.cluster is not None else []
    if not isinstance(queues, dict) or name not in queues:
        return {}
    amounts = ((resource, nano(amount)) for resource, amount in queues[name].quota.items())
    return {resource: [amount] for resource, amount in amounts if amount is not None}


def _borrows(queue: Manifest) -> bool:
    spec = mapping(queue.tree.get("spec"))
    return bool(spec.get("cohortName") or spec.get("cohort"))


def _queue(name: str, workload: Workload, context: Context) -> Manifest | None:
    """The ClusterQueue of a job."""
    space = workload.manifest.ref.namespace
    for local in named(context.companions, "LocalQueue", name):
        if not _is_kueues(local) or space not in (None, local.ref.namespace):
            continue
        behind = str(mapping(local.tree.get("spec")).get("clusterQueue"))
        for queue in filter(_is_kueues, named(context.companions, "ClusterQueue", behind)):
            if mapping(queue.tree.get("spec")).get("resourceGroups"):
                return queue
    return None


def _is_kueues(one: Manifest) -> bool:
    return one.ref.api_version.startswith("kueue.x-k8s.io/")


def _place(role: Role, name: str) -> Place:
    for container in role.containers():
        if name in container.amounts():
            return Place(container.amounts()[name][1])
    return Place(role.path, KEY)
