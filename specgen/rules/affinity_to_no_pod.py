"""A required pod affinity for a label that no pod of the job has.

## What it checks
`podAffinity` with `requiredDuringSchedulingIgnoredDuringExecution` in the job's own namespace, against the labels that
its pods get, those of its operator among them. Terms with other namespaces or `matchLabelKeys` are passed over.

## Why it hurts
The scheduler lets a first pod go ahead only where it has the label itself. Else each waits for one that is there.

## Severity
- warning: a pod of somebody else may have the label.

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
          affinity:
            podAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
              - {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: llama-ft}}}
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
        metadata: {labels: {app: llama-ft}}
        spec:
          affinity:
            podAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
              - {topologyKey: topology.kubernetes.io/zone, labelSelector: {matchLabels: {app: llama-ft}}}
          containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]
```

## Fix
The label for the pods, where the selector names one value of each key. It is unsafe: a Service may select by it.

## When to ignore it
Where the pods are to be near those of another job, which runs before.

## References
Kubernetes 1.36, pkg/scheduler/framework/plugins/interpodaffinity/filtering.go (`satisfyPodAffinity`).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import meets, requirements
from specgen.rules import ALL, ROLE
from specgen.rules._remedies import put

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role
    from specgen.rules import Context

CODE = Code("SG336", "affinity-to-no-pod", WARNING, since="0.1", page=__doc__)
SCOPE = ROLE
KINDS = ALL
NEEDS = ("affinity",)

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
# What may let pods of another namespace in, or takes part in the comparison.
_WIDER = ("namespaces", "namespaceSelector", "matchLabelKeys", "mismatchLabelKeys")


def check(role: Role, context: Context) -> Iterator[Finding]:
    """One finding for each term; twins have theirs once."""
    workload = role.workload
    before = workload.roles[: workload.roles.index(role)]
    terms = sequence(mapping(mapping(role.pod.get("affinity")).get("podAffinity")).get(_REQUIRED))
    if not terms or not role.replicas or context.reader is None or any([other.pod is role.pod for other in before]):
        return
    expansion = context.resumed(workload)
    if not expansion.pods or expansion.refusals:
        return
    labels = [mapping(pod["metadata"].get("labels")) for pod in expansion.pods]
    for at, one in enumerate(terms):
        term = mapping(one)
        selector = term.get("labelSelector")
        asked = requirements(selector)
        if asked is None or any([term.get(key) for key in _WIDER]) or any([meets(own, asked) for own in labels]):
            continue
        said = ", ".join([f"{key} {operator} {' '.join(values)}".strip() for key, operator, values in asked])
        fix = _labelled(role, selector)
        yield CODE.at(
            (*role.pod_path, "affinity", "podAffinity", _REQUIRED, at, "labelSelector"),
            f"no pod of this job has the labels that its pods are to be near: `{shown(said)}`",
            label="nobody of the job",
            notes=["a pod that has not the label itself waits until another one that has it runs"],
            helps=[] if fix else ["give the pods the label in `metadata.labels` of their template"],
            fix=fix,
        )


def _labelled(role: Role, selector: Any) -> Fix | None:
    """The labels for the pods of the role, where the selector is plain and none has another value."""
    wanted = mapping(mapping(selector).get("matchLabels"))
    own = mapping(mapping(role.template.get("metadata")).get("labels"))
    if role.workload.kind == "TrainJob":
        return None  # the template is its runtime's
    if mapping(selector).get("matchExpressions") or not wanted or any([key in own for key in wanted]):
        return None
    if not all([isinstance(value, str) for value in wanted.values()]):
        return None
    title = ", ".join([f"`{shown(key)}: {shown(value)}`" for key, value in wanted.items()])
    changes = [put(role.workload.manifest.tree, (*role.template_path, "metadata", "labels"), {**own, **wanted})]
    return Fix(f"label the pods {title}", UNSAFE, changes)
