"""Hard topology spread for pods that Volcano starts as a gang.

## What it checks
`topologySpreadConstraints` with `whenUnsatisfiable: DoNotSchedule` over racks, zones and the like, for three or more
pods of a task: of a Volcano Job, or of a job that its operator groups for Volcano, as the cluster profile says.

## Why it hurts
Within one try Volcano does not ask a node again that has refused a pod of the same task. A rack that was too full for
the second pod stays closed to the third, whose turn it would be: the gang waits for ever beside free nodes.

## Severity
- warning: the scheduler may run without that cache.

## Example
Bad:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  tasks:
    - name: worker
      replicas: 4
      template:
        spec:
          topologySpreadConstraints:
            - {maxSkew: 1, topologyKey: example.com/rack, whenUnsatisfiable: DoNotSchedule}
          containers: [{name: main, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  tasks:
    - name: worker
      replicas: 4
      template:
        spec:
          topologySpreadConstraints:
            - {maxSkew: 1, topologyKey: example.com/rack, whenUnsatisfiable: ScheduleAnyway}
          containers: [{name: main, image: "registry.example.com/train:1.4"}]
```

## Fix
`ScheduleAnyway`, which is offered and unsafe: the pods may then be unevenly spread.

## When to ignore it
Where the scheduler's action allocate has `predicateErrorCacheEnable: false`.

## References
Volcano 1.15.1, recorded: `spread-rack-fits`, `spread-rack-no-predicate-cache`, `spread-rack-mpi`.
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, shown
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.operators.queues import VOLCANO
from specgen.rules import ALL, ROLE
from specgen.rules._gangs import scheduler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG616", "spread-in-gang", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("topologySpreadConstraints",)

# Whose pods have a task's name, by which Volcano remembers a refusal: not those of the mpi-operator (recorded).
_TASKED = ("training-operator", "ms-operator")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each constraint."""
    workload = role.workload
    tasked = workload.operator == "volcano" or (workload.operator in _TASKED and workload.gang == VOLCANO)
    if not tasked or role.replicas < 3 or scheduler(role, context) != VOLCANO:
        return
    for index, one in enumerate(sequence(role.pod.get("topologySpreadConstraints"))):
        tree = mapping(one)
        key = tree.get("topologyKey")
        if tree.get("whenUnsatisfiable") != "DoNotSchedule" or key == "kubernetes.io/hostname":
            continue
        path = (*role.pod_path, "topologySpreadConstraints", index, "whenUnsatisfiable")
        yield CODE.at(
            Place(path),
            f"a gang of Volcano's may wait for ever for pods that are spread over `{shown(key)}`",
            notes=[
                "within one try Volcano does not ask a node again that has refused a pod of the task",
                "its action allocate can be told to ask again (`predicateErrorCacheEnable: false`)",
            ],
            fix=Fix("write `ScheduleAnyway`", UNSAFE, [Set(path, "ScheduleAnyway")]),
        )
