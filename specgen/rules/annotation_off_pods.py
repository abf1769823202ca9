"""An annotation for pods that stands on the job alone.

## What it checks
Annotations of a job that say something to whoever handles its pods: the networks of Multus
(`k8s.v1.cni.cncf.io/networks`), and that autoscalers are to leave the pods alone
(`cluster-autoscaler.kubernetes.io/safe-to-evict`, `karpenter.sh/do-not-disrupt`). The pods that the operator makes have
them.

## Why it hurts
Operators copy no annotation of a job to its pods, so that nobody reads it: the pods have no second network, and NCCL
goes over the first one without a word; or an autoscaler evicts them in the middle of a training.

## Severity
- warning: another controller may copy it.

## Example
Bad:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: {name: llama-ft, annotations: {karpenter.sh/do-not-disrupt: "true"}}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}
```

Good:

```yaml
kind: PyTorchJob
apiVersion: kubeflow.org/v1
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Master:
      replicas: 1
      template:
        metadata: {annotations: {karpenter.sh/do-not-disrupt: "true"}}
        spec: {containers: [{name: pytorch, image: "registry.example.com/train:1.4"}]}
```

## Fix
The annotations in `template.metadata` of every role that lacks them. Unsafe: pods get another network, or nobody evicts
them any longer.

## When to ignore it
Where a policy of the cluster copies it to the pods.

## References
Multus, Cluster Autoscaler and Karpenter read annotations of pods; what operators copy is recorded.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, UNSAFE, WARNING, Code, Fix, Place, listed
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping
from specgen.rules import ALL, OFF_PODS, WORKLOAD
from specgen.rules._needs import OF_PODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.diagnostics.operations import Operation
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context

CODE = Code("SG459", "annotation-off-pods", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (OFF_PODS,)

_EVICTED = "the autoscaler evicts the pods like all others"
_NOTES = {"k8s.v1.cni.cncf.io/networks": "the pods have no second network: what is to go over it goes over the first"}
# Operators whose pods have the annotations of the templates in the job itself.
_ELSEWHERE = {
    "trainer": "say it in the pods of the runtime, or by `podTemplateOverrides` or `runtimePatches` of the job",
    "ms-operator": "the operator hands no annotation on: a policy of the cluster may set it on pods",
}


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for all of them, at the first."""
    said = mapping(mapping(workload.manifest.tree.get("metadata")).get("annotations"))
    lacking: dict[str, list[Role]] = {}
    for key in (one for one in said if one in OF_PODS):
        without = [role for role in workload.roles if role.replicas and _lacks(role, key, context)]
        if without:
            lacking[key] = without
    if not lacking:
        return
    first, *others = lacking
    roles = [role for role in workload.roles if any(role in without for without in lacking.values())]
    elsewhere = _ELSEWHERE.get(workload.operator)
    patch: list[Operation] = []
    for role in roles if elsewhere is None else ():
        patch += _patch(role, {key: said[key] for key in lacking if role in lacking[key]})
    yield CODE.at(
        Place(("metadata", "annotations", first), KEY),
        f"{listed(list(lacking))} on the job {'has' if len(lacking) == 1 else 'have'} no effect on its pods",
        label="operators copy no annotation of a job",
        related=[(Place(("metadata", "annotations", key), KEY), "nor this one") for key in others],
        notes=list(dict.fromkeys(_NOTES.get(key, _EVICTED) for key in lacking)),
        helps=[] if elsewhere is None else [elsewhere],
        fix=Fix("say it in the pod templates", UNSAFE, patch) if patch else None,
    )


def _lacks(role: Role, key: str, context: Context) -> bool:
    """Whether the pods that the operator makes have no such annotation; not where it makes none."""
    expansion = context.resumed(role.workload)
    name = next((one.pod for one in expansion.instances if one.role == role.name), None)
    made = [mapping(pod.get("metadata")) for pod in expansion.pods]
    own = next((one for one in made if one.get("name") == name), None)
    return own is not None and key not in mapping(own.get("annotations"))


def _patch(role: Role, entries: dict[str, Any]) -> list[Operation]:
    metadata = role.template.get("metadata")
    path = (*role.template_path, "metadata")
    if not isinstance(metadata, dict):
        return [Set(path, {"annotations": entries})]
    if not isinstance(metadata.get("annotations"), dict):
        return [Set((*path, "annotations"), entries)]
    return [Set((*path, "annotations", key), value) for key, value in entries.items()]
