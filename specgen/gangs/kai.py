"""KAI: pods name its scheduler, and its pod grouper makes the group from the job that owns them.

The queue is a label of the job, without one it is ``default-queue``; the priority is that of the pods; how many pods
must start it reads from the job, the least number of an elastic one included (NVIDIA/KAI-Scheduler,
pkg/podgrouper/podgrouper/plugins, defaultgrouper and kubeflow/pytorch).
"""

from __future__ import annotations

from specgen.gangs import _marks
from specgen.operators.queues import KAI_QUEUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Bundle
    from specgen.manifest.views import Workload
    from specgen.plan.model import Plan

SCHEDULER = "kai-scheduler"
QUEUES = True


def prepare(plan: Plan) -> list[Finding]:
    """The queue's label."""
    gang = plan.gang
    assert gang is not None
    return _marks.on_job(plan, KAI_QUEUE, gang.queue) if gang.queue is not None else []


def attach(plan: Plan, bundle: Bundle, workload: Workload) -> None:
    """Nothing: the pod grouper makes the group."""
