"""A policy of a Volcano Job for pods that have failed, where containers start again in place.

## What it checks
Policies for `PodFailed`, or for an exit code, of a Volcano Job or of its tasks: the tasks they are for say
`restartPolicy: Never`. Without one a pod has `Always`. Passed over where the same follows `PodEvicted`: it is for pods
that are lost.

## Why it hurts
With `OnFailure` or `Always` the kubelet starts a container again that has crashed, in the same pod, which never becomes
Failed: the policy is not asked. One rank begins anew while the others wait in the collective that it left, and hold
their GPUs until their own timeout.

## Severity
- warning: a pod that is evicted, or ends at its deadline, has failed all the same.

## Example
Bad:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: vj}
spec:
  policies: [{event: PodFailed, action: RestartJob}]
  tasks:
  - name: worker
    replicas: 2
    template: {spec: {restartPolicy: OnFailure, containers: [{name: w, image: "example/train:1"}]}}
```

Good:

```yaml
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: vj}
spec:
  policies: [{event: PodFailed, action: RestartJob}]
  tasks:
  - name: worker
    replicas: 2
    template: {spec: {restartPolicy: Never, containers: [{name: w, image: "example/train:1"}]}}
```

## Fix
`restartPolicy: Never` in the tasks. That is unsafe: what began again in place follows the policy then.

## When to ignore it
Where the policy is for evictions alone; better, write `PodEvicted`.

## References
volcano 1.15, pkg/controllers/job/job_controller_handler.go (updatePod).
"""

from __future__ import annotations

from specgen.diagnostics.model import UNSAFE, WARNING, Code, Fix, Place, listed
from specgen.diagnostics.operations import Set
from specgen.manifest.views import mapping, sequence
from specgen.rules import WORKLOAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.views import Role, Workload
    from specgen.rules import Context
    from specgen.source import Path

CODE = Code("SG403", "unfailing-pod", WARNING, since="0.1", page=__doc__)
SCOPE = WORKLOAD
KINDS = ("Job",)
NEEDS = ("policies",)

_EVENT, _LOST = "PodFailed", "PodEvicted"


def check(workload: Workload, context: Context) -> Iterator[Finding]:
    """One finding for each list of policies, at the first of them."""
    spec = mapping(workload.manifest.tree.get("spec"))
    own = {role.name: sequence(role.tree.get("policies")) for role in workload.roles}
    for role in workload.roles:
        yield from _judge(own[role.name], (*role.path, "policies"), [role])
    # a task's own policy comes before that of the job
    others = [role for role in workload.roles if not any(_is_for(one) for one in own[role.name])]
    yield from _judge(sequence(spec.get("policies")), ("spec", "policies"), others)


def _is_for(policy: Any) -> bool:
    return _EVENT in _events(policy) or "exitCode" in mapping(policy)


def _events(policy: Any) -> list[Any]:
    tree = mapping(policy)
    return [tree.get("event"), *sequence(tree.get("events"))]


def _judge(policies: list[Any], path: Path, roles: list[Role]) -> Iterator[Finding]:
    again = [role for role in roles if role.replicas > 0 and role.pod.get("restartPolicy") != "Never"]
    lost = [mapping(one).get("action") for one in policies if _LOST in _events(one)]
    for index, policy in enumerate(policies):
        # what follows an eviction as well is for pods that are lost
        if not _is_for(policy) or not again or policy.get("action") in lost:
            continue
        how = list(dict.fromkeys(str(role.pod.get("restartPolicy") or "Always") for role in again))
        said = [Place((*one.pod_path, "restartPolicy")) for one in again if "restartPolicy" in one.pod]
        field = next(one for one in ("event", "events", "exitCode") if one in policy)
        yield CODE.at(
            Place((*path, index, field)),
            f"a crash of {listed([role.name for role in again])} never comes to this policy: containers start again in "
            "their pod",
            label="for pods that have failed",
            related=[(place, "in place") for place in said],
            notes=[f"with `restartPolicy` {listed(how)} the pod goes on, and has not failed"],
            fix=Fix(
                "write `restartPolicy: Never`",
                UNSAFE,
                [Set((*role.pod_path, "restartPolicy"), "Never") for role in again],
            ),
        )
        return
