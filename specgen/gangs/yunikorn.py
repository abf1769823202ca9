"""YuniKorn: pods name their application, their queue, and the task groups of which the application consists.

The labels ``applicationId`` and ``queue`` are those that every version reads (its documentation, "Labels and
Annotations in YuniKorn"; 1.6 brought longer names). A gang is a list of task groups in an annotation of every pod: for
each role the number of its pods, what one of them asks for and where it may run, since YuniKorn holds their places with
pods of its own (its documentation, "Gang Scheduling").
"""

from __future__ import annotations

from specgen.gangs import _marks
from specgen.gangs._members import members, pod_amounts, spelled, together
from specgen.manifest.origins import Sourced
from specgen.manifest.views import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle, Manifest
    from specgen.manifest.views import Role, Workload
    from specgen.plan.model import Plan

SCHEDULER = "yunikorn"
QUEUES = True

_APPLICATION = ("applicationId", "yunikorn.apache.org/app-id")
_QUEUE = "queue"
_GROUP = "yunikorn.apache.org/task-group-name"
_GROUPS = "yunikorn.apache.org/task-groups"
# Where a pod may run: YuniKorn's own pods must be able to go where the job's can.
_PLACING = ("nodeSelector", "tolerations", "affinity", "topologySpreadConstraints")


def prepare(plan: Plan) -> list[Finding]:
    """The labels of application and queue."""
    gang = plan.gang
    assert gang is not None
    findings: list[Finding] = []
    said = Sourced(plan.name, gang.said.place, "all pods of the job are one application")
    for role in plan.roles:
        if all(name not in role.labels for name in _APPLICATION):
            findings += _marks.on_role(role, "labels", _APPLICATION[0], said)
    if gang.queue is not None:
        findings += _marks.on_pods(plan, "labels", _QUEUE, gang.queue)
    return findings


def attach(plan: Plan, bundle: Bundle, workload: Workload) -> None:
    """The task groups, as the pods are in the end."""
    import json  # a build without this gang does not load it

    gang = plan.gang
    assert gang is not None
    # the pods of a TrainJob stand in its runtime
    holder = plan.prerequisites[0] if plan.prerequisites else workload.manifest
    gathered = together(plan, workload)
    pods = sum(role.replicas for role in gathered)
    spare = pods - int(members(plan, pods).value)
    groups = [_group(role, spare if role.name == plan.kind.roles[plan.kind.worker] else 0) for role in gathered]
    text = "[\n" + ",\n".join("  " + json.dumps(group) for group in groups) + "\n]\n"
    for role in gathered:
        _put(role, holder, _GROUP, Sourced(role.name.lower(), gang.said.place, "the role is a task group"))
        _put(role, holder, _GROUPS, Sourced(text, gang.said.place, f"the roles as task groups: {gang.said.reason}"))


def _group(role: Role, spare: int) -> dict[str, Any]:
    """A role as a task group; ``spare`` of its pods need not start with the others."""
    amounts = {name: str(spelled(name, amount)) for name, amount in pod_amounts(role).items()}
    group: dict[str, Any] = {"name": role.name.lower(), "minMember": role.replicas - spare, "minResource": amounts}
    group.update({key: role.pod[key] for key in _PLACING if key in role.pod})
    return group


def _put(role: Role, holder: Manifest, name: str, said: Sourced) -> None:
    """An annotation of the finished template, unless a patch or the author wrote one."""
    template: Any = holder.tree
    for step in role.template_path:
        template = template[step]
    metadata = mapping(template.get("metadata"))
    annotations = mapping(metadata.get("annotations"))
    if name not in annotations:
        # copies, since both roles hold the mappings that a patch brings
        template["metadata"] = {**metadata, "annotations": {**annotations, name: said.value}}
        origins: Any = holder.where
        origins.note((*role.template_path, "metadata", "annotations", name), said.place, said.reason)
