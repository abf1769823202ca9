"""What the PodGroups of Volcano and of scheduler-plugins have in common, made by the operator or by specgen.

A PodGroup of specgen's own bears the job's name and has no owner: whoever applied it deletes it with the job. It stands
before the job, since a pod that comes before its group may be scheduled alone.
"""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.manifest.build import Build
from specgen.manifest.model import Manifest
from specgen.manifest.origins import Origins
from specgen.plan.gang import members, resources, total
from specgen.plan.model import Said

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Gang, Plan

POLICY = "schedulingPolicy"


def least(plan: Plan) -> None:
    """Tells an operator that makes the group how many pods must start, where it would count them all.

    training-operator 1.9.4 takes the sum of replicas, whatever ``elasticPolicy`` says (recorded).
    """
    pods = total(plan)
    said = members(plan, pods)
    if said.value < pods:
        plan.run_policy[POLICY, "minAvailable"] = said


def pod_group(plan: Plan, gang: Gang, bundle: Bundle, workload: Workload, api_version: str) -> Build:
    """A PodGroup with metadata and sums, in the bundle before the job; its ``spec``, to go on with."""
    job = plan.job
    written = job.layers.data["metadata"]
    origins = Origins(job.document)
    build = Build(origins)
    build.put("apiVersion", api_version, gang.said.place, gang.said.reason)
    build.put("kind", "PodGroup", gang.said.place, gang.said.reason)
    metadata = build.within("metadata")
    metadata.put("name", job.name, job.place(("metadata", "name")), "`metadata.name`: the group is called as its job")
    if "namespace" in written:
        place = job.place(("metadata", "namespace"))
        metadata.put("namespace", written["namespace"], place, "`metadata.namespace`")
    for name, value in (written.get("labels") or {}).items():
        origin = job.place(("metadata", "labels", name))
        metadata.within("labels").put(name, value, origin, "`metadata.labels` go on all objects of the job")
    spec = build.within("spec")
    # counted as written: a patch may have changed the replicas
    count = members(plan, workload.pods)
    spec.say("minMember", count)
    sums = resources(workload, int(count.value))
    if sums:
        asked = job.place(("resources",)) if "resources" in job.layers.data else count.place
        reason = f"what the containers of {plural(int(count.value), 'pod')} ask for together"
        for name, amount in sums.items():
            spec.within("minResources").say(name, Said(amount, asked, reason))
    bundle.manifests.insert(bundle.manifests.index(bundle.job), Manifest(build.tree, origins))
    return spec
