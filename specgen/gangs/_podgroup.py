"""What the PodGroups of Volcano and of scheduler-plugins have in common, made by the operator or by specgen.

A PodGroup of specgen's own bears the job's name and has no owner: whoever applied it deletes it with the job. It stands
before the job, since a pod that comes before its group may be scheduled alone.
"""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.gangs._members import members, resources, together
from specgen.manifest.build import Build
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins, Sourced
from specgen.plan.gang import total

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Gang, Plan

POLICY = "schedulingPolicy"


def least(plan: Plan) -> None:
    """Tells an operator that makes the group how many pods must start, where it would count them all.

    training-operator 1.9.4 takes the sum of replicas, whatever ``elasticPolicy`` says, and mpi-operator 0.8.2 the
    launcher too, though it waits for its workers (both recorded).
    """
    said = members(plan, total(plan))
    if said.value < sum(int(role.replicas.value) for role in plan.roles):
        plan.run_policy[POLICY, "minAvailable"] = said


def ask(plan: Plan, workload: Workload) -> None:
    """Says in the job what the fewer pods of ``least`` need, as the operator's own sum depends on chance.

    training-operator 1.9.4 adds up the first pods of its roles in the order of a Go map (scheduling.go: the informer
    of priority classes, by which it sorts, is never started).
    """
    if (POLICY, "minAvailable") not in plan.run_policy:
        return
    said = plan.run_policy[POLICY, "minAvailable"]
    sums = resources(together(plan, workload), int(said.value))
    if not sums:
        return
    manifest = workload.manifest
    origins: Any = manifest.where
    policy = manifest.tree["spec"]["runPolicy"][POLICY]
    if "minResources" not in policy:
        policy["minResources"] = sums
        reason = f"what {plural(int(said.value), 'pod')} ask for together"
        origins.note(("spec", "runPolicy", POLICY, "minResources"), said.place, reason)


def pod_group(plan: Plan, gang: Gang, bundle: Bundle, workload: Workload, api_version: str) -> Build:
    """A PodGroup with metadata and sums, in the bundle before the job; its ``spec``, to go on with."""
    origins = Origins(plan.document)
    build = Build(origins)
    build.put("apiVersion", api_version, gang.said.place, gang.said.reason)
    build.put("kind", "PodGroup", gang.said.place, gang.said.reason)
    metadata = build.within("metadata")
    metadata.put("name", plan.name, plan.named.place, "`metadata.name`: the group is called as its job")
    if plan.namespace is not None:
        metadata.say("namespace", plan.namespace)
    for name, said in plan.labels.items():
        metadata.within("labels").put(name, said.value, said.place, "`metadata.labels` go on all objects of the job")
    spec = build.within("spec")
    # counted as written: a patch may have changed the replicas
    roles = together(plan, workload)
    count = members(plan, sum(role.replicas for role in roles))
    spec.say("minMember", count)
    sums = resources(roles, int(count.value))
    if sums:
        asked = plan.resources or count.place
        reason = f"what the containers of {plural(int(count.value), 'pod')} ask for together"
        for name, amount in sums.items():
            spec.within("minResources").say(name, Sourced(amount, asked, reason))
    bundle.manifests.insert(bundle.manifests.index(bundle.job), Manifest(build.tree, origins))
    return spec
