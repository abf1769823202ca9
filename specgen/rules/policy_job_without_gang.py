"""Several pods with GPUs that no scheduler places together.

## What it checks
A job of several pods with GPUs has a queue or a gang: a mark of Kueue, Volcano, scheduler-plugins, KAI, or YuniKorn, a
`schedulingPolicy`, a scheduler of its own, or an operator that groups its jobs by the cluster profile. Opt-in: looked
for where the group `policy` or the code is selected.

## Why it hurts
Two jobs that each get half of the free GPUs wait for each other for ever: all GPUs are held, and none computes.

## Severity
- warning: the job may run; it is advice, which is looked for where it is asked for.

## Example
Bad:

```yaml
Worker:
  replicas: 4
  template:
    spec:
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4", resources: {limits: {nvidia.com/gpu: 8}}}
```

Good:

```yaml
Worker:
  replicas: 4
  template:
    metadata: {labels: {scheduling.x-k8s.io/pod-group: llama-ft}}
    spec:
      containers:
      - {name: pytorch, image: "registry.example.com/train:1.4", resources: {limits: {nvidia.com/gpu: 8}}}
```

## Fix
In a profile `scheduling: {gang: …}` writes what the scheduler of the cluster needs.

## When to ignore it
Where every job has nodes of its own.

## References
Kubernetes 1.36, which places pod by pod; scheduler-plugins, coscheduling; kubernetes-sigs/kueue#2796.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, plural
from specgen.manifest.views import mapping
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import spec
from specgen.rules._words import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG862", "job-without-gang", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED

# What marks of queues and gangs begin with, on a job or its pods.
_MARKS = (
    "kueue.x-k8s.io/",
    "scheduling.x-k8s.io/",
    "scheduling.k8s.io/",
    "scheduling.volcano.sh/",
    "volcano.sh/",
    "kai.scheduler/",
    "yunikorn.apache.org/",
    "pod-group.scheduling.sigs.k8s.io",
)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the roles."""
    holders = [role for role in workload.roles if role.main is not None and gpus(role.main, context)[0] > 0]
    pods = sum(role.replicas for role in holders)
    policy = mapping(mapping(spec(workload).get("runPolicy")).get("schedulingPolicy"))
    if pods < 2 or policy or workload.gang is not None or workload.terms is None or _is_marked(workload):
        return
    yield CODE.at(
        Place(workload.terms.path, KEY),
        f"nothing places the {plural(pods, 'pod')} with GPUs together",
        label="placed one by one",
        notes=["two jobs that each get a part of their GPUs wait for each other for ever"],
    )


def _is_marked(workload: Workload) -> bool:
    if any(role.pod.get("schedulerName") not in (None, "", "default-scheduler") for role in workload.roles):
        return True
    for tree in (workload.manifest.tree, *(role.template for role in workload.roles)):
        metadata = mapping(tree.get("metadata"))
        for where in ("labels", "annotations"):
            if any(isinstance(key, str) and key.startswith(_MARKS) for key in mapping(metadata.get(where))):
                return True
    return False
