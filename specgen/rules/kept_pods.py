"""Pods that go on, with their devices, after their job has ended.

## What it checks
A job that deletes no pod at its end (`cleanPodPolicy: None`, or none where that is the default), and then has pods
that never end by themselves, such as MPI workers and parameter servers, or can fail while others of its pods hold
devices.

## Why it hurts
Those pods keep their GPUs until somebody deletes the job: workers of `mpirun` wait for ever for the next connection,
and ranks of a failed job wait for the one that is gone. Its queue counts them as free.

## Severity
- warning: the job runs; whether somebody looks into its pods and deletes them is not known.

## Example
Bad:

```yaml
runPolicy: {cleanPodPolicy: None}
pytorchReplicaSpecs:
  Worker:
    replicas: 8
    restartPolicy: Never
    template: {spec: {containers: [{name: pytorch, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

Good:

```yaml
runPolicy: {cleanPodPolicy: Running}
pytorchReplicaSpecs:
  Worker:
    replicas: 8
    restartPolicy: Never
    template: {spec: {containers: [{name: pytorch, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

## Fix
`cleanPodPolicy: Running`, in a profile `lifecycle.cleanPods`: pods that have ended stay, with their logs. It is unsafe,
as it deletes the others, and none is applied beside an Evaluator, which may have a checkpoint to evaluate yet.

## When to ignore it
Where pods of failed jobs are looked into by hand, and somebody deletes them afterwards.

## References
training-operator 1.9.4, pkg/controller.v1/common/job.go (DeletePodsAndServices); mpi-operator 0.8,
pkg/controller/mpi_job_controller.go (deleteWorkerPods); the stages of finished jobs are recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, listed
from specgen.manifest.views import mapping
from specgen.operators import lifecycle as facts
from specgen.operators.held import after_failure, held
from specgen.rules import KEPT, ROLED, WORKLOAD
from specgen.rules._remedies import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.operators.expansion import Expansion
    from specgen.operators.lifecycle import Lifecycle
    from specgen.rules import Context

CODE = Code("SG425", "kept-pods", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED
NEEDS = (KEPT,)

_FIELD = "cleanPodPolicy"
# Kind → role whose program waits for others as long as it lives (`tf.train.Server.join`).
_SERVE = {"TFJob": "PS"}


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding."""
    if context.reader is None or workload.pods < 2:
        return
    # a queue suspends a job until it is its turn
    expansion = context.resumed(workload)
    life = expansion.lifecycle
    if life is None or life.end.deletes != facts.NOTHING or not expansion.instances:
        return
    message = _message(workload, life, expansion)
    if not message:
        return
    tree = workload.manifest.tree
    spec = mapping(tree.get("spec"))
    inner: tuple[str, ...] = ("spec",) if spec.get(_FIELD) is not None else ("spec", "runPolicy")
    written = _FIELD in mapping(spec.get("runPolicy")) or len(inner) == 1
    place = Place((*inner, _FIELD)) if written else Place(inner if "runPolicy" in spec else ("spec",), KEY)
    evaluated = any(role.name == "Evaluator" and role.replicas for role in workload.roles)
    change = put(tree, (*inner, _FIELD), "Running")
    yield CODE.at(
        place,
        message,
        label="no pod is deleted" if written else f"no `{_FIELD}` here",
        related=[
            (Place(role.path, KEY), "these go on") for role in workload.roles if role.name in _endless(workload, life)
        ],
        notes=[f"at the end of the job no pod is deleted: {life.end.said}"],
        # it would end the Evaluator before it has seen the last checkpoint (SG487)
        helps=[
            f"`{_FIELD}: Running`, in a profile `lifecycle.cleanPods`, once the chief waits for the Evaluator; "
            "else delete the job when it has ended"
        ]
        if evaluated
        else [],
        fix=Fix(f"set `{_FIELD}: Running`", UNSAFE, [change]) if not evaluated else None,
    )


def _endless(workload: Workload, life: Lifecycle) -> list[str]:
    roles = [role for one in life.failures for role in one.roles]
    return [role for role in dict.fromkeys(roles) if role in life.end.endless or role == _SERVE.get(workload.kind)]


def _message(workload: Workload, life: Lifecycle, expansion: Expansion) -> str:
    """What is kept, and why; empty where the pods may be expected to end."""
    endless = _endless(workload, life)
    devices = held([one for one in expansion.instances if one.role in endless])
    if endless:
        what = f" and hold {devices}" if devices else ""
        return f"pods of {listed(endless)} run on for ever once the job has ended{what}"
    may_fail = any([step.outcome == facts.FAILED for one in life.failures for step in one.steps])
    may_fail = may_fail or any([one.effect == facts.FAILS for one in life.limits])
    kept = held(after_failure(expansion.instances)) if may_fail else ""
    return f"pods keep up to {kept} once the job has failed" if kept else ""
