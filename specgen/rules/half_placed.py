"""A job that is placed in part and holds what it has: beside a second one like it, or in a domain that is too small.

## What it checks
A job of several pods with devices, on a cluster whose profile says what its nodes have, without a queue or a gang.
Kube-scheduler is asked what becomes of two such jobs, one after the other, on the empty cluster: the first one fits,
and of the second one some pods find a node, and others none. Of a job whose pods must be near each other (required
affinity by another label than the hostname) it is asked alone: the first pod chooses the domain.

## Why it hurts
The pods that are placed hold their devices and wait for the others, as long as the first job runs. Two jobs that are
submitted together may each get a part, and then neither ever begins. In a domain without room for all pods the others
wait for nodes that are not there, though another domain may have them.

## Severity
- warning: of domains, some of which have no room for all pods: which one is chosen is left to chance.
- note: of a second job: it hangs on what else runs, which no file says.

## Example
Bad:

```yaml
# a pool of four nodes with one GPU each, and 96 cores
Worker:
  replicas: 3
  template:
    spec:
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4", resources: {limits: {nvidia.com/gpu: 1}}}
```

Good:

```yaml
Worker:
  replicas: 3
  template:
    metadata: {labels: {scheduling.x-k8s.io/pod-group: llama-ft}}
    spec:
      schedulerName: scheduler-plugins-scheduler
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4", resources: {limits: {nvidia.com/gpu: 1}}}
```

## Fix
In a profile `scheduling: {gang: …}` writes what the gang scheduler of the cluster needs; in a cluster profile
`scheduling.gang` says it for all jobs.

## When to ignore it
Where the nodes are this job's alone.

## References
Kubernetes 1.36, which places pod by pod; recorded in the world `jobs-02-half-placed`.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, NOTE, WARNING, Code, Place, plural
from specgen.manifest.views import mapping, sequence
from specgen.rules import AMOUNTS, ROLED, WORKLOAD
from specgen.rules._gangs import marks, policy, scheduler
from specgen.rules._gathered import has_amounts
from specgen.rules._pools import amount, offers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.profile.cluster import ClusterProfile
    from specgen.rules import Context

_HOSTNAME = "kubernetes.io/hostname"
CODE = Code("SG700", "half-placed", NOTE, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED
NEEDS = (AMOUNTS,)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the roles."""
    cluster, reader = context.cluster, context.reader
    if cluster is None or reader is None or workload.terms is None or workload.gang or cluster.scheduling.gang:
        return
    wanted: dict[str, int] = {}
    pods, near = 0, False
    for role in workload.roles:
        if role.replicas < 1 or not reader.makes_pods(role):
            continue
        if (
            scheduler(role, context) not in (None, "", "default-scheduler")
            or marks(role.template, "labels").keys() & _GROUPS
        ):
            return
        asks, own = context.asks(role)
        near = near or _is_near(role)
        pods += role.replicas if own else 0
        for name in own:
            wanted[name] = wanted.get(name, 0) + asks[name] * role.replicas
    if pods < 2 or policy(workload):
        return
    if near:
        yield from _chosen(workload, context)
    if not _fills(wanted, cluster):
        return
    from specgen.rules._world import asked as answers  # most jobs leave room for a second one
    from specgen.schedulers.verdict import FITS, HANGS

    verdicts = answers(workload, context, 2)
    if len(verdicts) == 2 and verdicts[0].verdict == FITS and verdicts[1].verdict == HANGS:
        second = verdicts[1]
        yield CODE.at(
            Place(workload.terms.path, KEY),
            f"a second job like this one would hold devices with {second.bound} of its {plural(second.pods, 'pod')},"
            " and wait for room for the others",
            notes=["nothing places its pods together: two that are submitted at once may each get a part, and hang"],
            helps=["`scheduling.gang` names the gang scheduler or the queue that lets a job begin as a whole"],
        )


def _is_near(role: Role) -> bool:
    """Whether pods must be in one domain with others."""
    spec = mapping(mapping(role.template).get("spec"))
    terms = mapping(mapping(spec.get("affinity")).get("podAffinity")).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    )
    return any(mapping(one).get("topologyKey") not in (None, _HOSTNAME) for one in sequence(terms))


def _chosen(workload: Workload, context: Context) -> Iterator[Finding]:
    """A job that hangs on the empty cluster where its first pod chooses a small domain."""
    from specgen.rules._world import asked as answers  # most jobs have no such pods
    from specgen.schedulers.verdict import UNKNOWN

    assert workload.terms is not None
    found = answers(workload, context)
    if len(found) == 1 and found[0].verdict == UNKNOWN and found[0].near:
        pods = plural(found[0].pods, "pod")
        yield CODE.at(
            Place(workload.terms.path, KEY),
            f"its first pod chooses a domain of `{found[0].near}`, and not every domain has room for all {pods}",
            severity=WARNING,
            notes=["nothing looks for a domain that holds them all: in a smaller one some hold devices and wait"],
            helps=["`scheduling.gang: kueue` with `within` has Kueue choose a domain with room for all"],
        )


_GROUPS = frozenset(("scheduling.x-k8s.io/pod-group", "pod-group.scheduling.sigs.k8s.io"))


def _fills(wanted: dict[str, int], cluster: ClusterProfile) -> bool:
    """Whether the pools have the devices once, but not twice; only of those that are counted."""
    filled = False
    for name, amount_of_all in wanted.items():
        having = [pool for pool in cluster.pools.values() if name in offers(pool)]
        if having and all(amount(pool) for pool in having) and any(has_amounts(pool) for pool in having):
            there = sum(amount(pool) * offers(pool)[name] for pool in having)
            if amount_of_all > there:
                return False  # the first one would not fit
            filled = filled or amount_of_all * 2 > there
    return filled
