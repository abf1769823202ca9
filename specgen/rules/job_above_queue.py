"""A job that asks for more than its queue has in all.

## What it checks
What a job asks for, against all that its queue ever has, as `specgen fit` counts it: the ClusterQueue of Kueue, or the
`capability` of its Queue of Volcano, among the files, else by the cluster profile. Without flavors a role counts
against the largest, all roles against all. Cohorts lend without end, unless the profile says their size.

## Why it hurts
Kueue lets a job begin when all its pods have quota, Volcano when its PodGroup has room. A larger one waits for ever,
also before an empty cluster; its Workload, or its PodGroup, alone says why.

## Severity
- error: no usage of others makes room for it.
- warning: no flavor names the resource, which Kueue's configuration may leave out.

## Example
Bad:

```yaml
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
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
Ask for fewer pods or devices, or raise the queue's quota. None is applied.

## When to ignore it
Where the queue of the cluster is not the one of the file.

## References
Kueue 0.19.2, recorded: `kind-mpijob-launcher-as-worker-short`, `flavor-one-podset-not-split`, `cohort-flavors-differ`;
Volcano 1.15.1, recorded: `queue-capability`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, Place, listed, shown
from specgen.manifest.beside import named, of_kind
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE_QUEUE, kueue_knows
from specgen.rules import ALL, GANG, KUEUE, WORKLOAD
from specgen.rules._gangs import VOLCANOS, marks, of_group, release, says
from specgen.rules._pools import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.schedulers.sums import Above, Short
    from specgen.source import Path

CODE = Code("SG711", "job-above-queue", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (KUEUE, GANG)

_KUEUE_WAITS = "Kueue never lets the job begin: it stays suspended, without a pod"
_VOLCANO_WAITS = "the PodGroup never comes into the queue: the pods stay Pending, or are not made"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding: at the amount of the role that is too large, or with which all are."""
    if context.reader is None:
        return
    label = str(marks(workload.manifest.tree, "labels").get(KUEUE_QUEUE) or "")
    if label and kueue_knows(workload.manifest.tree, release(context)):
        yield from _of_kueue(label, workload, context)
    else:
        yield from _of_volcano(workload, context)


def _of_kueue(label: str, workload: Workload, context: Context) -> Iterator[Finding]:
    if not says(context, label) and not named(context.companions, "LocalQueue", label):
        return
    from specgen.rules._queues import above_kueue  # of most queues nobody says what they have

    above, queue = above_kueue(label, workload, context)
    if above is not None:
        own = f"ClusterQueue `{shown(queue.ref.name or '')}`" if queue is not None else f"queue `{shown(label)}`"
        yield from _found(above, own, queue, workload, _KUEUE_WAITS)


def _of_volcano(workload: Workload, context: Context) -> Iterator[Finding]:
    if not says(context) and not of_group(VOLCANOS, of_kind(context.companions, "Queue")):
        return
    from specgen.rules._queues import above_volcano  # of most queues nobody says what they have

    above, queue = above_volcano(workload, context)
    if above is not None:
        yield from _found(above, f"queue `{shown(above.queue)}`", queue, workload, _VOLCANO_WAITS)


def _found(above: Above, own: str, queue: Manifest | None, workload: Workload, note: str) -> Iterator[Finding]:
    short = _shortest(above)
    asking = [role for role in _roles(above, workload) if _at(role, short.resource) is not None] or workload.roles
    if asking:
        place = _at(asking[-1], short.resource) or Place(asking[-1].path, KEY)
    else:
        place = _of_train_job(workload, short.resource)
    # what no flavor names Kueue's configuration may leave out, which nobody sees here
    soft = ["unless `excludeResourcePrefixes` of Kueue's configuration leaves it out"] if _unnamed(short) else []
    finding = CODE.at(
        place,
        f"the {own} can never hold the job: {_said(above, [role.name for role in asking] or above.pods)}",
        notes=[*soft, note],
        severity=WARNING if soft else None,
    )
    if queue is not None:
        where = ("spec", "resourceGroups") if queue.ref.kind == "ClusterQueue" else ("spec", "capability")
        borrows = queue.ref.kind == "ClusterQueue" and _borrows(queue)
        label = "the quota, with what is borrowed at most" if borrows else "the quota, and nothing is borrowed"
        finding.related = [(Place(where, where=queue.where), label if queue.ref.kind == "ClusterQueue" else "the most")]
    else:
        flavor = next((one.flavor for one in above.shorts if one.flavor), "")
        finding.cluster = [(path, "the most of it") for path in _words(above.queue, flavor, short.resource)]
    yield finding


def _of_train_job(workload: Workload, name: str) -> Place:
    """Where a TrainJob says what its nodes ask for, whose roles are a runtime's that is not here."""
    own = mapping(mapping(workload.manifest.tree.get("spec")).get("trainer"))
    for word in ("limits", "requests"):
        if name in mapping(mapping(own.get("resourcesPerNode")).get(word)):
            return Place(("spec", "trainer", "resourcesPerNode", word, name))
    return Place(("spec", "trainer") if own else ("spec",), KEY)


def _words(name: str, flavor: str, resource: str) -> list[Path]:
    """Where a cluster profile may say what a queue has, the nearest first."""
    own: Path = ("scheduling", "queues", name)
    return [*([(*own, "flavors", flavor, "quota", resource)] if flavor else []), (*own, "quota", resource)]


def _said(above: Above, names: list[str]) -> str:
    """Who asks for how much, and what there is."""
    short = _shortest(above)
    if any(one.resource != short.resource for one in above.shorts):
        each = [f"{spelled(one.resource, one.asked + one.before)} of `{shown(one.flavor)}`" for one in above.shorts]
        had = [spelled(one.resource, one.most) for one in above.shorts]
        lacks = [f"{asked}, which has {most}" for asked, most in zip(each, had, strict=True)]
        return f"no flavor is enough for {listed(names)}: it takes {'; '.join(lacks)}"
    whole, most = spelled(short.resource, short.asked + short.before), spelled(short.resource, short.most)
    several = len(above.shorts) > 1
    if _unnamed(short):
        return f"{listed(names)} {'ask' if names[1:] else 'asks'} for {whole}, of which it has no quota"
    if len(names) > 1:
        largest = f"its flavor `{shown(short.flavor)}`" if several else "it"
        return f"{listed(names)} ask for {whole}, and {largest} has {most}"
    return f"`{names[0]}` asks for {whole}, and {'its largest flavor' if several else 'it'} has {most}"


def _unnamed(short: Short) -> bool:
    """Whether no flavor has the resource."""
    return not short.flavor and not short.most


def _shortest(above: Above) -> Short:
    """What is nearest to being enough, of the resource that most flavors lack."""
    first = above.shorts[0].resource
    return max((one for one in above.shorts if one.resource == first), key=lambda one: one.most - one.before)


def _roles(above: Above, workload: Workload) -> list[Role]:
    roles = [role for role in workload.roles if role.name.lower() in above.pods]
    return roles or [role for role in workload.roles if role.replicas > 0]


def _borrows(queue: Manifest) -> bool:
    spec = mapping(queue.tree.get("spec"))
    return bool(spec.get("cohortName") or spec.get("cohort"))


def _at(role: Role, name: str) -> Place | None:
    found = next((one.amounts()[name][1] for one in role.containers() if name in one.amounts()), None)
    return Place(found) if found is not None else None
