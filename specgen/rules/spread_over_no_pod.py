"""A topology spread whose selector meets none of the pods that it is to spread.

## What it checks
`labelSelector` of `topologySpreadConstraints` against the labels that the pods of the role get, those of their operator
among them. Pods that the scheduler counts are those that meet it.

## Why it hurts
The scheduler counts no pod in any domain, and every node is as good as the next: all pods may come to one zone.

## Severity
- warning: pods of somebody else may have the labels, and be counted.

## Example
Bad:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          topologySpreadConstraints:
          - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule,
             labelSelector: {matchLabels: {training.kubeflow.org/job-name: llama-tf}}}
          containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          topologySpreadConstraints:
          - {maxSkew: 1, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule,
             labelSelector: {matchLabels: {training.kubeflow.org/job-name: llama-ft}}}
          containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
Labels that the pods have: the operator gives them some with the job's name.

## When to ignore it
Where the pods are to keep away from those of another job.

## References
Kubernetes 1.36, pkg/scheduler/framework/plugins/podtopologyspread/filtering.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import meets, requirements
from specgen.rules import ALL, ROLE
from specgen.rules._selected import labels_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG340", "spread-over-no-pod", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("topologySpreadConstraints",)


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each constraint; twins have theirs once."""
    workload = role.workload
    before = workload.roles[: workload.roles.index(role)]
    terms = sequence(role.pod.get("topologySpreadConstraints"))
    if not terms or not role.replicas or context.reader is None or any([other.pod is role.pod for other in before]):
        return
    expansion = context.resumed(workload)
    if not expansion.pods or expansion.refusals:
        return
    pods = [labels_of(pod) for pod in expansion.pods]
    for at, one in enumerate(terms):
        term = mapping(one)
        asked = requirements(term.get("labelSelector"))
        if asked is None or any([meets(labels, asked) for labels in pods]) or "topologyKey" not in term:
            continue
        path = (*role.pod_path, "topologySpreadConstraints", at)
        said = ", ".join([f"{key} {operator} {' '.join(values)}".strip() for key, operator, values in asked])
        yield CODE.at(
            Place((*path, "labelSelector")),
            f"the spread over `{shown(term['topologyKey'])}` counts no pod of this job: none has `{shown(said)}`",
            label="met by none of them",
            notes=["every node is as good as the next one, as if the constraint were not there"],
            helps=["select a label that the pods have: `specgen expand -o yaml` shows those of the operator"],
        )
