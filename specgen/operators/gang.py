"""Gangs of the training operator: the PodGroup of a job, and how its pods say that they belong to it.

Read from kubeflow/trainer v1.9.4 (4445c12): pkg/controller.v1/common/{job,scheduling}.go, pkg/controller.v1/control/
podgroup_control.go, pkg/core/utils.go; held against recordings with ``--gang-scheduler-name`` set to ``volcano`` and to
``scheduler-plugins``. Any other word is taken as the name of a scheduler of the scheduler-plugins kind.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import owned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import ObjectRef

VOLCANO = "volcano"
# Unit of a quantity → billionths.
_DECIMAL = {unit: 10 ** (3 * power) for power, unit in enumerate(("n", "u", "m", "", "k", "M", "G", "T", "P", "E"))}
_BINARY = {unit: 10**9 * 2 ** (10 * power) for power, unit in enumerate(("Ki", "Mi", "Gi", "Ti", "Pi", "Ei"), 1)}
_UNITS = _DECIMAL | _BINARY


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
        own = {"scheduling.k8s.io/group-name": job, "volcano.sh/task-spec": role.lower()}
        metadata["annotations"] = {**mapping(metadata.get("annotations")), **own}
    else:
        metadata["labels"] = {**mapping(metadata.get("labels")), "scheduling.x-k8s.io/pod-group": job}
    scheduler = pod["spec"].get("schedulerName") or gang
    return {**pod, "metadata": metadata, "spec": {**pod["spec"], "schedulerName": scheduler}}


def _resources(roles: list[Any], least: int) -> dict[str, str]:
    """What the first pods ask for: of each container the requests, or its limits where it has no requests at all."""
    sums: dict[str, tuple[int, bool]] = {}
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
                before, binary = sums.get(name, (0, str(amount).endswith("i")))
                sums[name] = (before + pods * _billionths(amount), binary)
    return {name: _written(total, binary) for name, (total, binary) in sums.items()}


def _billionths(amount: Any) -> int:
    """A quantity in billionths, rounded up, as the API server keeps it; what is none counts as 0."""
    text = str(amount)
    if isinstance(amount, bool) or len(text) > 40:
        return 0
    number = text.rstrip("numkKMGTPEi")
    scale = _UNITS.get(text[len(number) :], 0)
    mantissa, _, power = number.replace("E", "e").partition("e")
    whole, _, fraction = mantissa.removeprefix("+").partition(".")
    digits, shift = whole.removeprefix("-") + fraction, power.removeprefix("+")
    if not (digits + shift.removeprefix("-")).isascii() or not digits.isdigit() or len(shift) > 3:
        return 0
    if shift and not shift.removeprefix("-").isdigit():
        return 0
    places = len(fraction) - int(shift or 0)
    value: int = int(digits) * scale * 10 ** max(0, -places)
    value = -(-value // int(10 ** max(0, places)))
    return -value if whole[:1] == "-" else value


def _written(total: int, binary: bool) -> str:
    """A quantity in its canonical form: the largest unit in which it is whole."""
    units = {"": _UNITS[""], **_BINARY} if binary and total % _UNITS[""] == 0 else _DECIMAL
    unit = max((unit for unit in units if total % units[unit] == 0), key=lambda unit: units[unit]) if total else ""
    return f"{total // units[unit]}{unit}"
