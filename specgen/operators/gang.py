"""Gangs of the training operator: the PodGroup of a job, and how its pods say that they belong to it.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/common/{job,scheduling}.go, pkg/controller.v1/control/
podgroup_control.go, pkg/core/utils.go; held against recordings with ``--gang-scheduler-name`` set to ``volcano`` and to
``scheduler-plugins``. Any other word is taken as the name of a scheduler of the scheduler-plugins kind.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import owned
from specgen.operators.queues import COSCHEDULING_GROUP, VOLCANO_GROUP
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import ObjectRef

VOLCANO = "volcano"


def pod_group(
    gang: str, job: ObjectRef, annotations: Any, policy: Any, members: int, roles: list[Any]
) -> dict[str, Any]:
    """The PodGroup of a job.

    policy: ``runPolicy.schedulingPolicy``; members: pods of the job; roles: (replicas, pod spec) of each role. Where
    fewer than all pods are needed, the operator adds up those of roles in random order, here in the order given.
    """
    policy = mapping(policy)
    least = policy.get("minAvailable", members)
    resources = policy.get("minResources")
    if not isinstance(resources, dict):
        resources = _resources(roles, least if isinstance(least, int) else members)
    spec: dict[str, Any] = {"minMember": least}
    if gang == VOLCANO:
        spec["minResources"] = resources
        spec["queue"] = policy.get("queue") or "default"
        if policy.get("priorityClass"):
            spec["priorityClassName"] = policy["priorityClass"]
    else:
        if resources:
            spec["minResources"] = resources
        if "scheduleTimeoutSeconds" in policy:
            spec["scheduleTimeoutSeconds"] = policy["scheduleTimeoutSeconds"]
    metadata = owned(job, job.name, {})
    if mapping(annotations):
        metadata["annotations"] = mapping(annotations)
    version = "scheduling.volcano.sh/v1beta1" if gang == VOLCANO else "scheduling.x-k8s.io/v1alpha1"
    return {"apiVersion": version, "kind": "PodGroup", "metadata": metadata, "spec": spec}


def joined(gang: str, job: str, role: str, pod: dict[str, Any]) -> dict[str, Any]:
    """A pod as a member of its job's gang: what its template says of a gang is overwritten, its scheduler is not."""
    metadata = dict(pod["metadata"])
    if gang == VOLCANO:
        own = {VOLCANO_GROUP: job, "volcano.sh/task-spec": role.lower()}
        metadata["annotations"] = {**mapping(metadata.get("annotations")), **own}
    else:
        metadata["labels"] = {**mapping(metadata.get("labels")), COSCHEDULING_GROUP: job}
    scheduler = pod["spec"].get("schedulerName") or gang
    return {**pod, "metadata": metadata, "spec": {**pod["spec"], "schedulerName": scheduler}}


def _resources(roles: list[Any], least: int) -> dict[str, str]:
    """What the first pods ask for: of each container the requests, or its limits where it has no requests at all."""
    sums: dict[str, tuple[int, Any]] = {}
    left = least
    for count, spec in roles:
        pods = max(0, min(count, left))
        left -= pods
        if not pods:
            continue
        for container in sequence(mapping(spec).get("containers")):
            resources = mapping(mapping(container).get("resources"))
            amounts = resources.get("requests") if "requests" in resources else resources.get("limits")
            for name, amount in mapping(amounts).items():
                before, spelling = sums.get(name, (0, amount))
                sums[name] = (before + pods * (nano(amount) or 0), spelling)
    return {name: canonical(total, spelling) for name, (total, spelling) in sums.items()}
