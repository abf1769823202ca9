"""A deadline that ends no job whose pods hang.

## What it checks
`activeDeadlineSeconds` of a PyTorchJob, TFJob, MPIJob `kubeflow.org/v1` or another kind of the training operator, or of
an MSJob, stands beside pods without an `activeDeadlineSeconds` of their own. A profile's `lifecycle.deadline` gives it
to both. Passed over are jobs that run the trainer or its guard, which ends a rank that hangs.

## Why it hurts
The operator does not wake up when the time is over: it looks at the deadline when a pod of the job changes. Ranks that
wait for each other in a collective change nothing, so the job that hangs is the one that goes on, and keeps its GPUs.
A job whose pods end or restart is ended at that moment.

## Severity
- note: a job that does not hang is ended by what its pods do; the program may end one that hangs by a time-out.

## Example
Bad:

```yaml
runPolicy: {activeDeadlineSeconds: 172800}
pytorchReplicaSpecs:
  Worker:
    replicas: 2
    template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good:

```yaml
runPolicy: {activeDeadlineSeconds: 172800}
pytorchReplicaSpecs:
  Worker:
    replicas: 2
    template:
      spec:
        activeDeadlineSeconds: 172800
        containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Give the pods the deadline as well: the kubelet ends them, which the operator sees, and the job is past its own
deadline by then. The deadline of a JobSet and of
a TrainJob needs no pod that changes, nor does that of an MPIJob `kubeflow.org/v2beta1`. None is applied.

## When to ignore it
Where the program ends by itself when it hangs, as by a time-out of its collectives.

## References
training-operator 1.9.4, pkg/controller.v1/common/job.go (ReconcileJobs, PastActiveDeadline) and
pkg/common/util/fake_workqueue.go; recorded: a job with 3 s ran on after 5, and failed at the next change of a pod.
Kubernetes 1.36, pkg/kubelet/active_deadline.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import NOTE, Code, Place
from specgen.manifest.views import mapping
from specgen.operators.lifecycle import AT_CHANGE
from specgen.rules import ROLED, WORKLOAD
from specgen.rules._operators import spec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context

CODE = Code("SG509", "unwoken-deadline", NOTE, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ROLED
NEEDS = ("activeDeadlineSeconds",)

_FIELD = "activeDeadlineSeconds"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding, at the deadline of the job."""
    policy = mapping(spec(workload).get("runPolicy"))
    roles = [role for role in workload.roles if role.replicas]
    if _FIELD not in policy or not roles or all(_FIELD in role.pod for role in roles):
        return
    if all(_ends_itself(role) for role in roles):
        return
    life = context.life(workload)
    limit = next((one for one in life.limits if one.field == _FIELD), None) if life is not None else None
    if limit is None or not limit.words.startswith(AT_CHANGE):
        return
    yield CODE.at(
        Place(("spec", "runPolicy", _FIELD)),
        "the deadline ends no job that hangs: the operator looks at it when a pod changes",
        label="nobody wakes up at this moment",
        notes=["pods whose ranks wait for each other change nothing, and keep their devices"],
        helps=[f"give the pods `{_FIELD}: {limit.value}` as well: the kubelet ends them, and the job with them"],
    )


def _ends_itself(role: Role) -> bool:
    """Whether the program is the trainer, or behind its guard: both have time-outs of their own."""
    words = [text for _, _, text in role.main.words()] if role.main is not None else []
    return any(word == "trainer" and words[at - 1] == "-m" for at, word in enumerate(words))
