"""A gang that waits for pods which wait for the gang.

## What it checks
Pods of a gang that are made only once others run: the launcher of an MPIJob with `launcherCreationPolicy:
WaitForWorkersReady`, tasks with `dependsOn` of a Volcano Job, jobs with `dependsOn` of a runtime that has a
`podGroupPolicy`. They are counted against the pods that the gang needs before any of them starts.

## Why it hurts
The scheduler starts no pod before as many are there as the PodGroup says, and the rest is made after the first have
started: the job stays Pending for ever, on an empty cluster as on a full one.

## Severity
- error: the operator makes the gang, which waits for pods that wait for it.
- warning: whether the operator was started with a gang scheduler is not known.

## Example
Bad:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  tasks:
    - {name: master, replicas: 1, template: {spec: {containers: [{name: main, image: "example/train:1"}]}}}
    - name: worker
      replicas: 3
      dependsOn: {name: [master]}
      template: {spec: {containers: [{name: main, image: "example/train:1"}]}}
```

Good:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  minAvailable: 1
  tasks:
    - {name: master, replicas: 1, template: {spec: {containers: [{name: main, image: "example/train:1"}]}}}
    - name: worker
      replicas: 3
      dependsOn: {name: [master]}
      template: {spec: {containers: [{name: main, image: "example/train:1"}]}}
```

## Fix
Make the gang no larger than the pods that come first: `minAvailable` of the Volcano Job, or of `schedulingPolicy`.
That is unsafe: the later pods are then outside of the gang. None is offered where a task waits for one that is not
there. A runtime has no such word; it does without the gang, or
without the order.

## When to ignore it
A warning where it is unknown whether the operator makes a gang. An error is never to be ignored.

## References
Volcano 1.15.1, recorded: `vc-depends-on`, `mpi-wait-for-workers`; scheduler-plugins 0.34.7: `mpi-wait-for-workers`;
Trainer 2.3.0, whose PodGroup counts all jobs of the runtime: `gang-initializer`.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, UNSAFE, WARNING, Code, Fix, Place, listed, plural
from specgen.manifest.views import mapping, sequence
from specgen.rules import WORKLOAD
from specgen.rules._gangs import POLICY, number, policy
from specgen.rules._remedies import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG607", "gang-never-whole", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("Job", "MPIJob", "TrainJob")
NEEDS = ("dependsOn", "launcherCreationPolicy", "runtimeRef")

_NOTE = "no pod of a gang starts before as many exist, and the others are made after the first have started"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at what makes the pods wait."""
    if workload.operator == "mpi-operator":
        yield from _launcher(workload, context)
    elif workload.operator == "volcano":
        yield from _tasks(workload)
    elif workload.operator == "trainer":
        yield from _runtime(workload)


def _launcher(workload: Workload, context: Context) -> Iterator[Finding]:
    spec = mapping(workload.manifest.tree.get("spec"))
    own = policy(workload)
    # without a word for a gang and without the operator's flag there is none
    if spec.get("launcherCreationPolicy") != "WaitForWorkersReady" or not (workload.gang or own):
        return
    if workload.gang is None and workload.operator in context.operators:
        return
    workers = sum(role.replicas for role in workload.roles if role.name == "Worker")
    least = number(own.get("minAvailable"))
    needs = workers + 1 if least is None else least
    if needs <= workers or not workers:
        return
    path = (*POLICY, "minAvailable")
    who = "the gang" if workload.gang else "a gang"
    yield CODE.at(
        Place(("spec", "launcherCreationPolicy")),
        f"{who} of {needs} waits for the launcher, which waits for the {plural(workers, 'Worker')}",
        related=[(Place(path), f"needs {plural(needs, 'pod')}")] if least is not None else [],
        notes=[_NOTE] if workload.gang else [_NOTE, "it depends on whether the mpi-operator was started with a gang"],
        fix=Fix(f"say `minAvailable: {workers}`", UNSAFE, [put(workload.manifest.tree, path, workers)]),
        severity=ERROR if workload.gang else WARNING,
    )


def _tasks(workload: Workload) -> Iterator[Finding]:
    later = [role for role in workload.roles if sequence(mapping(role.tree.get("dependsOn")).get("name"))]
    if not later:
        return
    spec = mapping(workload.manifest.tree.get("spec"))
    first = sum(max(0, role.replicas) for role in workload.roles if role not in later)
    parts = [number(role.tree.get("minAvailable")) for role in workload.roles]
    whole = [role.replicas if least is None else least for role, least in zip(workload.roles, parts, strict=True)]
    # absent or 0, Volcano's webhook fills in the sum of the tasks (mutate_job.go, patchDefaultMinAvailable)
    least = number(spec.get("minAvailable")) or sum(whole)
    if least <= first or not first:
        return
    # a task that is not there is refused: who then comes first, nobody knows
    named = [one for role in later for one in sequence(mapping(role.tree.get("dependsOn")).get("name"))]
    known = {role.name for role in workload.roles}.issuperset(map(str, named))
    change = [put(workload.manifest.tree, ("spec", "minAvailable"), first)]
    yield CODE.at(
        Place((*later[0].path, "dependsOn"), KEY),
        f"the gang of {least} waits for {listed([role.name for role in later])}, whose pods are made after others run",
        related=[(Place(("spec", "minAvailable")), f"needs {plural(least, 'pod')}")]
        if spec.get("minAvailable")
        else [],
        notes=[_NOTE],
        helps=[] if known else ["say in `dependsOn` which tasks of the job come first"],
        fix=Fix(f"say `minAvailable: {first}`", UNSAFE, change) if known else None,
    )


def _runtime(workload: Workload) -> Iterator[Finding]:
    from specgen.operators.trainer.gang import waiting
    from specgen.operators.trainer.roles import merged, runtime_of

    runtime = runtime_of(workload)
    if runtime is None or not mapping(mapping(runtime.tree.get("spec")).get("podGroupPolicy")):
        return
    job = merged(workload, runtime)
    later = waiting(job)
    if not later or len(later) == len(job.counts):
        return
    finding = CODE.at(
        Place(("spec", "podGroupPolicy"), KEY),
        f"the gang of {sum(job.counts)} waits for {listed(later)}, whose pods are made after those of other jobs",
        notes=[_NOTE, "Trainer's PodGroup counts the pods of all jobs of the runtime"],
        helps=["do without `podGroupPolicy`, or without the order of the jobs"],
        severity=WARNING,
    )
    finding.where = runtime.where
    yield finding
