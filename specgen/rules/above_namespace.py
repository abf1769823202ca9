"""Pods that the quota or the limits of their namespace refuse.

## What it checks
The pods that the operator makes, against the ResourceQuotas and LimitRanges of their namespace among the files that are
checked together, as the API server counts them: what all pods of the job use, what a quota asks each container to name,
and what a LimitRange allows one. Where the cluster profile says the quota of the namespace, SG601 counts.

## Why it hurts
The job is there, and some of its pods, or all, are not made. Events of the job alone say so; the others hold their
devices and wait for those that never come.

## Severity
- error: the pods of the job alone are more than the quota, or one is larger than the limit.
- warning: another LimitRange may fill in amounts that pods do not name, or they are not all there at once.

## Example
Bad:

```yaml
apiVersion: v1
kind: ResourceQuota
metadata: {name: team}
spec: {hard: {requests.nvidia.com/gpu: 16}}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template: {spec: {containers: [{name: pytorch, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

Good:

```yaml
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: llama-ft}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: pytorch, image: "a/b:1", resources: {limits: {nvidia.com/gpu: 8}}}]}}
```

## Fix
Fewer or smaller pods, or a larger quota. None is applied.

## When to ignore it
A warning where another LimitRange of the namespace gives containers their amounts.

## References
Kubernetes 1.36, plugin/pkg/admission/{resourcequota,limitranger}, pkg/quota/v1/evaluator/core/pods.go.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, KEY, WARNING, Code, Place, listed, shown
from specgen.manifest.beside import of_kind
from specgen.manifest.views import mapping, sequence
from specgen.rules import ALL, LIMITED, WORKLOAD
from specgen.rules._pools import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context

CODE = Code("SG716", "above-namespace", ERROR, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ALL
NEEDS = (LIMITED,)

# What a LimitRange puts where a container says nothing, the strongest first: without a default the most is one.
_FILLS = ("defaultRequest", "default", "max")
_UNMADE = "the API server refuses pods that the operator makes; events of the job alone say so"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each quota that is too small, and one for each role whose pods are refused by themselves."""
    cluster, space = context.cluster, str(workload.manifest.ref.namespace or "")
    if context.reader is None or (cluster is not None and space in cluster.namespaces):
        return
    from specgen.rules._queues import above_quotas  # few jobs stand beside their quota

    expansion = context.resumed(workload)
    roles = {one.pod: role for one in expansion.instances for role in workload.roles if role.name == one.role}
    pods: list[dict[str, Any]] = [pod for pod in expansion.pods if _name(pod) in roles]
    over, kept = above_quotas(pods, context)
    told: set[str] = set()
    for short in over:
        resource = short.name.partition(".")[2] if short.name.startswith(("requests.", "limits.")) else short.name
        asking = [role for role in workload.roles if role.replicas and (resource == "pods" or _asks(role, resource))]
        if short.quota in told or not asking:
            continue
        told.add(short.quota)
        yield _short(workload, context, asking, short, resource)
    refused: dict[str, dict[str, Role]] = {}
    for pod, why, _ in kept:
        refused.setdefault(why, {})[roles[_name(pod)].name] = roles[_name(pod)]
    for said, own in refused.items():
        asked_for = any(unnamed for _, why, unnamed in kept if why == said)
        first, *others = [Place(role.main.path if role.main else role.path, KEY) for role in own.values()]
        yield CODE.at(
            first,
            f"pods of {listed(list(own))} are refused: {said}",
            related=[(place, "the same") for place in others],
            notes=[_UNMADE, *(["unless another LimitRange of the namespace fills them in"] if asked_for else [])],
            severity=WARNING if asked_for else ERROR,
        )


def _short(workload: Workload, context: Context, asking: list[Role], short: Any, resource: str) -> Finding:
    places = [role.main.amounts()[resource][1] for role in asking if role.main and resource in role.main.amounts()]
    whole, most = spelled(resource, short.asked), spelled(resource, short.most)
    together = not any("dependsOn" in role.tree for role in workload.roles) and not _may_be_fewer(workload)
    filled, each = _filled_in(workload, context, asking, resource)
    quota = next((one for one in of_kind(context.companions, "ResourceQuota") if one.ref.name == short.quota), None)
    return CODE.at(
        Place(places[-1]) if places else asking[-1].replicas_place,
        f"{listed([role.name for role in asking])} ask for {whole}{filled}, and the quota "
        f"`{shown(short.quota)}` of the namespace has {most}",
        related=[(Place(("spec", "hard", short.name), where=quota.where), "the most")] if quota is not None else [],
        notes=[*each, *([] if together else ["unless fewer of them are there at once"]), _UNMADE],
        severity=ERROR if together else WARNING,
    )


def _filled_in(workload: Workload, context: Context, asking: list[Role], resource: str) -> tuple[str, list[str]]:
    """(the LimitRange that asks in the place of containers that say nothing, and which ones; how much for each)."""
    mains = [one for role in asking for one in (*role.containers(), *role.containers(init=True))]
    unsaid = list(dict.fromkeys([one.name for one in mains if resource not in one.amounts()]))
    for limits in of_kind(context.companions, "LimitRange") if unsaid else ():
        if limits.ref.namespace != workload.manifest.ref.namespace:
            continue
        for item in map(mapping, sequence(mapping(limits.tree.get("spec")).get("limits"))):
            key = next((key for key in _FILLS if resource in mapping(item.get(key))), None)
            if key is not None and item.get("type") == "Container":
                each = f"`{key}` there is {shown(str(item[key][resource]))} for each container that says nothing"
                return f", with what the LimitRange `{shown(limits.ref.name)}` gives {listed(unsaid)}", [each]
    return "", []


def _may_be_fewer(workload: Workload) -> bool:
    """Whether the job may run with some of its pods."""
    spec = mapping(workload.manifest.tree.get("spec"))
    least = spec.get("minAvailable")
    return "elasticPolicy" in spec or (isinstance(least, int) and least < workload.pods)


def _asks(role: Role, resource: str) -> bool:
    return any(resource in one.amounts() for one in (*role.containers(), *role.containers(init=True)))


def _name(pod: dict[str, Any]) -> str:
    return str(mapping(pod.get("metadata")).get("name"))
