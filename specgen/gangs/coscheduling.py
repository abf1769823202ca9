"""The coscheduling plugin of kubernetes-sigs/scheduler-plugins: a PodGroup, and a label by which pods belong to it.

Where the training operator has the flag ``scheduler-plugins`` it makes the group, marks the pods and names the
scheduler itself (training-operator 1.9.4, pkg/controller.v1/common/job.go; recorded). The plugin knows no queues, and
takes priorities from the pods, which must all have the same.
"""

from __future__ import annotations

from specgen.gangs import _marks, _podgroup
from specgen.manifest.origins import Sourced
from specgen.operators.queues import COSCHEDULING_GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Plan

SCHEDULER = "scheduler-plugins-scheduler"
QUEUES = False

_API_VERSION = "scheduling.x-k8s.io/v1alpha1"


def prepare(plan: Plan) -> list[Finding]:
    """``schedulingPolicy`` for the operator's group, or the label of specgen's own."""
    gang = plan.gang
    assert gang is not None
    if gang.by_operator:
        _podgroup.least(plan)
        return []
    said = Sourced(plan.name, gang.said.place, "the pods' PodGroup, which is called as the job")
    return _marks.on_pods(plan, "labels", COSCHEDULING_GROUP, said)


def attach(plan: Plan, bundle: Bundle, workload: Workload) -> None:
    """The PodGroup, unless the operator makes it; then what it would add up by chance."""
    gang = plan.gang
    assert gang is not None
    if gang.by_operator:
        _podgroup.ask(plan, workload)
    else:
        _podgroup.pod_group(plan, gang, bundle, workload, _API_VERSION)
