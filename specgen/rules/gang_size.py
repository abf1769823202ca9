"""A gang of another size than the job.

## What it checks
`minAvailable` of `schedulingPolicy`, or of a Volcano Job, against the pods of the job: none or less than none, more
than there are, and, in jobs whose processes all wait for each other, fewer. A gang of 1 is none on purpose.

## Why it hurts
With 0 there is no gang. A gang of more pods than the job has waits for ever, on an empty cluster as on a full one, and
says so in no message but `6/4 tasks in gang`. Of a gang of fewer, some pods start and hold their devices while they
wait for the others: what a gang is there to prevent.

## Severity
- error: the operator makes the gang, and it waits for more pods than there will be.
- warning: whether the operator makes gangs is not known, or the job runs with less of one than was meant.

## Example
Bad:

```yaml
runPolicy: {schedulingPolicy: {minAvailable: 8}}
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
pytorchReplicaSpecs:
  Worker:
    replicas: 4
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

## Fix
Remove it: the operators then say the number of pods themselves. That is unsafe, as is every change of the gang.

## When to ignore it
An error only where the cluster profile says that the operator makes gangs. Where the word is for another cluster, and
where the job can begin with fewer pods; `minAvailable: 1` says that no gang is meant, and is not reported.

## References
Recorded: Volcano 1.15.1, `pt-min-available-above-pods`, `pt-min-available-part`; scheduler-plugins 0.34.7,
`pt-min-available-zero`, `pt-min-available-above-pods`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, UNSAFE, WARNING, Code, Fix, Place, plural
from specgen.diagnostics.operations import Remove
from specgen.manifest.views import mapping
from specgen.rules import WORKLOAD
from specgen.rules._gangs import POLICY, number, policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG617", "gang-size", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("JAXJob", "Job", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")
NEEDS = ("minAvailable", "schedulingPolicy")

# Kinds whose processes all meet before any of them works: not those with parameter servers.
_MEETING = ("JAXJob", "MPIJob", "MSJob", "PyTorchJob", "XGBoostJob")
_SERVERS = "PS"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the number."""
    of_volcano = workload.operator == "volcano"
    spec = mapping(workload.manifest.tree.get("spec"))
    least = number((spec if of_volcano else policy(workload)).get("minAvailable"))
    grouped = workload.gang is not None or of_volcano
    # an operator that is listed without the flag makes no gang, and nobody reads the number
    if least is None or (not grouped and workload.operator in context.operators):
        return
    pods = sum(max(0, role.replicas) for role in workload.roles)
    path: Path = ("spec", "minAvailable") if of_volcano else (*POLICY, "minAvailable")
    unseen = [] if grouped else [f"it depends on whether the {workload.operator} was started with a gang scheduler"]
    fix = Fix("remove it", UNSAFE, [Remove(path)])
    if of_volcano and (least <= 0 or least > pods):
        return  # which the webhook of Volcano takes for all of them, or refuses
    if least <= 0:
        yield CODE.at(
            Place(path),
            f"a gang of {least} is none: the pods start one by one",
            notes=[*unseen, "without the word the gang is of all pods"],
            fix=fix,
            severity=WARNING,
        )
    elif least > pods > 0:
        yield CODE.at(
            Place(path),
            f"a gang of {least} waits for ever: the job has {plural(pods, 'pod')}",
            notes=unseen,
            fix=fix,
            severity=ERROR if grouped else WARNING,
        )
    elif 1 < least < _needed(workload):
        yield CODE.at(
            Place(path),
            f"a gang of {least} starts without {plural(pods - least, 'pod')} of the job, and waits for the rest",
            notes=[*unseen, "its pods hold their devices while they wait"],
            fix=fix,
            severity=WARNING,
        )


def _needed(workload: Workload) -> int:
    """Pods without which no process works; 0: the job can begin with fewer."""
    spec = mapping(workload.manifest.tree.get("spec"))
    if workload.operator == "volcano":
        # with these plugins of Volcano the tasks are the ranks of one program; mpirun itself need not be among the gang
        plugins = mapping(spec.get("plugins"))
        pods = sum(max(0, role.replicas) for role in workload.roles)
        return pods if "pytorch" in plugins else pods - 1 if "mpi" in plugins else 0
    if workload.kind not in _MEETING or "elasticPolicy" in spec:
        return 0
    if any(role.name == _SERVERS and role.replicas > 0 for role in workload.roles):
        return 0
    # the launcher of an MPIJob waits for its workers, and need not be among the gang
    return sum(max(0, role.replicas) for role in workload.roles if role.name != "Launcher")
