"""Words for a gang on a cluster whose operator makes none.

## What it checks
`minAvailable`, `minResources`, `queue`, and `scheduleTimeoutSeconds` of `schedulingPolicy`, and `schedulerName:
volcano` of several pods, against the cluster profile: whether it lists the operator of the job with a gang scheduler.
Of a JobSet the same without one, as its controller makes no group for Volcano. Passed over where the pods name a group
that somebody makes by hand.

## Why it hurts
The operator makes a PodGroup, and reads what the job says of it, only if it was started with the name of a gang
scheduler. Without, the words are dropped, and Volcano gives the pods a group of which one pod is enough: they are bound
one by one, and where there is no room for all, those that are bound hold their devices and wait.

## Severity
- warning: the cluster profile may have left out `gang`; of a JobSet, all its pods may have room.

## Example
Bad:

```yaml
# a cluster with `operators: {training-operator: {version: 1.9.4}}`
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  runPolicy: {schedulingPolicy: {minAvailable: 4}}
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}}
```

Good: a group of one's own, or `gang: volcano` beside the version in the cluster profile.

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        metadata: {annotations: {scheduling.k8s.io/group-name: llama-ft}}
        spec:
          schedulerName: volcano
          containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Say in the cluster profile that the operator was started with a gang scheduler, or make a PodGroup beside the job, as
`specgen build` does for a profile with `scheduling: {gang: volcano}`. None is applied.

## When to ignore it
Where the manifest is for several clusters, and others have such an operator.

## References
Volcano 1.15.1, recorded: `hand-no-group`; pkg/controllers/podgroup. training-operator 1.9.4,
cmd/training-operator.v1/main.go (`--gang-scheduler-name`); mpi-operator 0.8.2, cmd/mpi-operator/app/options.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Code, Place, listed
from specgen.operators.queues import COSCHEDULING_GROUP, VOLCANO, VOLCANO_GROUP
from specgen.rules import WORKLOAD
from specgen.rules._gangs import GROUPING, POLICY, marks, policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG623", "gang-unread", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("JAXJob", "JobSet", "MPIJob", "MSJob", "PaddleJob", "PyTorchJob", "TFJob", "XGBoostJob")
NEEDS = ("schedulingPolicy", "schedulerName")

# What an operator writes into its PodGroup; a `priorityClass` Kueue reads as well.
_WORDS = ("minAvailable", "minResources", "queue", "scheduleTimeoutSeconds")


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """At most one finding: at the policy, else at the first pod template that names Volcano."""
    alone = workload.kind == "JobSet"
    grouping = workload.operator in GROUPING and workload.operator in context.operators
    if not (alone or grouping) or workload.gang is not None:
        return
    roles = [role for role in workload.roles if role.replicas > 0]
    if any([_grouped(role.template) for role in roles]) or sum(role.replicas for role in roles) < 2:
        return
    operator = f"the {workload.operator} of the cluster" if grouping else "JobSet's controller"
    helps = ["if it does: `gang: volcano` beside its version in the cluster profile"]
    if alone:
        helps = [f"a PodGroup beside it, which the annotation `{VOLCANO_GROUP}` of the pods names, is a gang"]
    said = [word for word in _WORDS if word in policy(workload)]
    if said:
        yield CODE.at(
            Place(POLICY, KEY),
            f"{operator} makes no gang: nobody reads {listed(said)}",
            label="without effect",
            notes=["the pods are bound one by one: where there is no room for all, some hold their devices and wait"],
            helps=helps,
        )
        return
    for role in roles:
        if role.pod.get("schedulerName") == VOLCANO:
            yield CODE.at(
                Place((*role.pod_path, "schedulerName")),
                f"{operator} makes no gang for Volcano",
                label="one pod is enough for the group that Volcano makes",
                notes=[
                    "the pods are bound one by one: where there is no room for all, some hold their devices and wait"
                ],
                helps=helps,
            )
            return


def _grouped(template: object) -> bool:
    """Whether a template names a group that somebody makes."""
    return VOLCANO_GROUP in marks(template, "annotations") or COSCHEDULING_GROUP in marks(template, "labels")
