"""An object beside a job whose selector names another job, so that it selects no pod.

## What it checks
The selector of a PodMonitor, a NetworkPolicy or a PodDisruptionBudget, in the namespace of a job: where it asks for a
label that the operator gives to the job's pods, such as `training.kubeflow.org/job-name`, some pod has that value. In
manifests the value must be nearly the job's; in `objects` of a profile any other one is told.

## Why it hurts
Nobody refuses such an object: nothing is scraped, kept apart, or kept from being drained.

## Severity
- warning: a job of another file may have the label.

## Example
Bad:

```yaml
apiVersion: monitoring.coreos.com/v1
kind: PodMonitor
metadata: {name: llama-ft}
spec:
  selector: {matchLabels: {training.kubeflow.org/job-name: llama-tf}}
  podMetricsEndpoints: [{port: metrics}]
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker: {replicas: 4, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/train:1"}]}}}
```

Good:

```yaml
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: llama-ft}
spec: {minAvailable: 4, selector: {matchLabels: {training.kubeflow.org/job-name: llama-ft}}}
```

## Fix
The value that the pods have, which the finding names.

## When to ignore it
Where a job of another file has the label.

## References
Kubernetes 1.36, "Labels and Selectors"; training-operator 1.9.4, pkg/controller.v1/common (labels of pods).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, Code, Place, shown
from specgen.diagnostics.suggest import of_objects
from specgen.manifest.origins import Origins
from specgen.manifest.views import mapping
from specgen.rules import ALL, SELECTED, WORKLOAD
from specgen.rules._selected import SELECTORS, beside, labels_of, pods_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Workload
    from specgen.rules import Context

CODE = Code("SG514", "selects-no-pod", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (SELECTED,)

# Labels by which operators name the job.
_OF_JOBS = (
    "training.kubeflow.org/job-name",
    "jobset.sigs.k8s.io/jobset-name",
    "volcano.sh/job-name",
    "batch.kubernetes.io/job-name",
)


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each label of a selector that no pod has."""
    jobs = {one.ref.name for one in context.companions}
    pods: list[dict[str, str]] | None = None
    for kind, steps in SELECTORS.items():
        for one in beside(workload, context, kind):
            wanted = mapping(mapping(mapping(one.tree.get(steps[0])).get(steps[1])).get("matchLabels"))
            named = [(key, value) for key, value in wanted.items() if key in _OF_JOBS and isinstance(value, str)]
            if named and pods is None:
                pods = [labels_of(pod) for pod in pods_of(workload, context)]
            for key, value in named:
                own = list(dict.fromkeys([pod[key] for pod in pods or () if key in pod]))
                other = any([job != one.ref.name and value.startswith(job) for job in jobs])
                if not own or value in own or other or "$" in value:
                    continue
                near = of_objects(value, own)
                if not near and not isinstance(one.where, Origins):
                    continue
                yield CODE.at(
                    Place((*steps, "matchLabels", key), where=one.where),
                    f"no pod of `{shown(workload.manifest.ref.name)}` has `{key}: {shown(value)}`: "
                    f"the {kind} selects none of them",
                    label=f"its pods have `{shown(own[0])}`",
                    helps=[f"write `{shown((near or own)[0])}`"],
                )
