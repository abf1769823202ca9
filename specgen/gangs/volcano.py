"""Volcano: a PodGroup by which the scheduler starts all pods or none, and queues with shares.

Where the training operator has its gang flag it makes the PodGroup, marks the pods and names the scheduler itself; the
job only says what differs from its defaults (training-operator 1.9.4, pkg/controller.v1/common/job.go; recorded).
Otherwise the group is specgen's own, and pods say theirs by ``scheduling.k8s.io/group-name``: Volcano's scheduler and
PodGroup controller read no other annotation (pkg/apis, KubeGroupNameAnnotationKey).
"""

from __future__ import annotations

from specgen.gangs import _marks, _podgroup
from specgen.manifest.origins import Sourced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Gang, Plan

SCHEDULER = "volcano"
QUEUES = True

_API_VERSION = "scheduling.volcano.sh/v1beta1"
_GROUP = "scheduling.k8s.io/group-name"


def prepare(plan: Plan) -> list[Finding]:
    """``schedulingPolicy`` for the operator's group, or the annotation of specgen's own."""
    gang = plan.gang
    assert gang is not None
    _topology(plan, gang)
    if plan.kind.gang:
        return []  # its own kind says all of it in fields of its own
    if not gang.by_operator:
        said = Sourced(plan.name, gang.said.place, "the pods' PodGroup, which is called as the job")
        return _marks.on_pods(plan, "annotations", _GROUP, said)
    _podgroup.least(plan)
    if gang.queue is not None:
        plan.run_policy[_podgroup.POLICY, "queue"] = gang.queue
    priority = _priority(plan)
    if priority is not None:
        plan.run_policy[_podgroup.POLICY, "priorityClass"] = priority
    return []


def attach(plan: Plan, bundle: Bundle, workload: Workload) -> None:
    """The PodGroup, unless the operator makes it; then what it would add up by chance."""
    gang = plan.gang
    assert gang is not None
    if gang.by_operator:
        return _podgroup.ask(plan, workload)
    spec = _podgroup.pod_group(plan, gang, bundle, workload, _API_VERSION)
    if gang.queue is not None:
        spec.say("queue", gang.queue)
    for said in gang.topology.values():
        spec.say("networkTopology", said)
    priority = _priority(plan)
    if priority is not None:
        spec.say("priorityClassName", priority)


def _topology(plan: Plan, gang: Gang) -> None:
    """Fills ``gang.topology``: one domain for all that train, where the group can say it and the cluster has its tier.

    The group of the training and MPI operators takes no topology from the job; that of Trainer does. ``near`` is said
    beside no other: a group has one mode.
    """
    if gang.by_operator and not plan.kind.fetches and not plan.kind.gang:
        return
    training = [role for role in plan.roles if not role.starts]
    for key, mode in (("within", "hard"), ("near", "soft")):
        domains = [role.domains.get(key) for role in training]
        first = domains[0]
        if first is None or first.tier is None or any(one is None or one.word != first.word for one in domains):
            continue
        level: dict[str, object] = {"mode": mode}
        if mode == "hard":
            level["highestTierAllowed"] = first.tier
        gang.topology[key] = Sourced(level, first.place, f"`scheduling.{key}`, by the tier of the cluster's topology")
        return


def _priority(plan: Plan) -> Sourced | None:
    gang = plan.gang
    if gang is None or gang.priority is None or gang.of_workloads:
        return None
    return Sourced(gang.priority.value, gang.priority.place, f"{gang.priority.reason}: of the group as of its pods")
