"""A queue that the cluster profile does not list.

## What it checks
The queue of a job, as Kueue, Volcano and KAI read it, against `scheduling.queues` of the cluster profile, where that
lists any, and the queues among the files that are checked together. Of Kueue's queues also whether they are in the
namespace of the job: a LocalQueue serves its own namespace alone.

## Why it hurts
Hardly anybody reports it. Of a queue that is not there, Volcano refuses the PodGroup that an operator makes, and the
job stays without pods, event or condition; Kueue leaves the job suspended, and says why in its Workload alone.

## Severity
- error: the cluster profile says in which namespaces the queue is, and that of the job is none of them.
- warning: the queue may be there, or be made before the job is, or where a job without a namespace is applied decides.

## Example
Bad:

```yaml
# a cluster with `scheduling: {gang: volcano, queues: [research, default]}`
runPolicy: {schedulingPolicy: {queue: reserach}}
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
runPolicy: {schedulingPolicy: {queue: research}}
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
Use a queue of the cluster, in its namespace, or add it to the cluster profile.

## When to ignore it
Where the queue is made before the job is; better, list it.

## References
Recorded: Volcano 1.15.1, `queue-absent`, `vc-queue-absent`, `queue-closed`; Kueue 0.19.2, `quota-localqueue-absent`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code, Fix, Place, listed, shown
from specgen.diagnostics.operations import Set
from specgen.diagnostics.suggest import of_objects
from specgen.manifest.beside import named
from specgen.operators.queues import KUEUE_QUEUE
from specgen.rules import ALL, KUEUE, QUEUES, WORKLOAD
from specgen.rules._gangs import marks, queue_names, queue_of, queues_before, queues_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.profile.cluster import ClusterProfile
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG613", "unknown-queue", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (QUEUES, KUEUE)

# Of a gang: the group of its queues, their kind, and what becomes of a job whose queue is not there.
_GANGS = {
    "kueue": ("kueue.x-k8s.io", "LocalQueue", "Kueue leaves the job suspended, and its Workload alone says why"),
    "volcano": ("scheduling.volcano.sh", "Queue", "Volcano refuses the PodGroup: no pods, no event, no condition"),
    "kai": ("scheduling.run.ai", "Queue", "the pods stay Pending"),
}
_REFUSED = "Volcano's webhook refuses the job: `unable to find job queue`"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each queue, at its name."""
    cluster = context.cluster
    known = queue_names(cluster) if cluster is not None else []
    yield from _of_files(workload, context, known)
    if cluster is None or not known:
        return
    for gang, name, path in queue_of(workload):
        if cluster.scheduling.gang not in (None, gang) or not isinstance(name, str) or not name:
            continue
        group, kind, note = _GANGS[gang]
        # Volcano makes these two itself
        made = ("default", "root") if gang == "volcano" else ()
        if "$" in name or "{{" in name or _comes(context, group, kind, name):
            continue
        if name in (*known, *made):
            if gang == "kueue":
                yield from _elsewhere(name, path, workload, cluster)
            continue
        before = queues_before(cluster, name, workload.manifest.ref.namespace) if gang == "kueue" else []
        near = before if len(before) == 1 else of_objects(name, known)
        # what stands in a runtime is another object's
        own = near and workload.operator != "trainer"
        fix = Fix(f"write `{near[0]}`", UNSAFE, [Set(path, near[0])]) if own else None
        finding = CODE.at(
            Place(path),
            f"`{shown(name)}` is a ClusterQueue: jobs name a LocalQueue before it"
            if before
            else f"the cluster profile lists no queue `{shown(name)}`",
            notes=[f"it lists {listed(known)}", _REFUSED if workload.operator == "volcano" else note],
            helps=_helps(before, near) if fix is None else [],
            fix=fix,
        )
        finding.cluster = [(("scheduling", "queues"), "its queues")]
        yield finding


def _of_files(workload: Workload, context: Context, known: list[str]) -> Iterator[Finding]:
    """A queue of Kueue whose LocalQueues among the files are all in other namespaces, and that no profile lists."""
    name, namespace = marks(workload.manifest.tree, "labels").get(KUEUE_QUEUE), workload.manifest.ref.namespace
    if not isinstance(name, str) or not namespace or name in known:
        return
    group, kind, note = _GANGS["kueue"]
    there = [one for one in named(context.companions, kind, name) if one.ref.api_version.startswith(f"{group}/")]
    spaces = [one.ref.namespace for one in there]
    if there and not any(one in (None, namespace) for one in spaces):
        yield CODE.at(
            Place(("metadata", "namespace")),
            f"the queue `{shown(name)}` of these files is in {listed([*dict.fromkeys(map(str, spaces))])} alone",
            label="the job is here",
            related=[(Place(("metadata", "namespace"), where=one.where), "the queue is here") for one in there[:1]],
            notes=[f"unless the namespace has one as well, {note}"],
        )


def _helps(before: list[str], near: list[str]) -> list[str]:
    if before:
        return [f"those of this namespace are {listed(before)}" if len(before) > 1 else f"write `{before[0]}`"]
    return [f"there is a queue with a similar name: `{near[0]}`"] if near else []


def _elsewhere(name: str, path: Path, workload: Workload, cluster: ClusterProfile) -> Iterator[Finding]:
    """A queue of the profile that is not in the namespace of the job, or not in all to which the job may go."""
    namespace = workload.manifest.ref.namespace
    serving = queues_named(cluster, name)
    if (
        not serving
        or any(one.namespaces is None for one in serving)
        or (namespace and queues_named(cluster, name, namespace))
    ):
        return
    spaces = list(dict.fromkeys(space for one in serving for space in one.namespaces or ()))
    where = f"in {listed(spaces)}" if spaces else "in no namespace"
    if namespace:
        finding = CODE.at(
            Place(("metadata", "namespace")),
            f"the namespace `{shown(namespace)}` has no queue `{shown(name)}`: it is {where}",
            severity=ERROR,
            related=[(Place(path), "the queue")],
            notes=[_GANGS["kueue"][2]],
        )
    else:
        finding = CODE.at(
            Place(path),
            f"the queue `{shown(name)}` is {where}, and the job names no namespace",
            notes=["it goes where it is applied, and without its queue there Kueue leaves it suspended"],
            helps=[f"`namespace: {spaces[0]}` in `metadata` says it"] if spaces else [],
        )
    finding.cluster = [(("scheduling", "queues", *one.spaces), "its namespaces") for one in serving]
    yield finding


def _comes(context: Context, group: str, kind: str, name: str) -> bool:
    """Whether the queue is among the objects beside the job."""
    return any([one.ref.api_version.partition("/")[0] == group for one in named(context.companions, kind, name)])
