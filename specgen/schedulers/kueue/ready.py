"""Whether the pods of an admitted job count as ready, and how many have ended and give their quota back.

Kueue 0.19, PodsReady and ReclaimablePods of each integration (pkg/controller/jobs): of a Kubeflow job what its
condition Running says, of others their pods. Recorded in worlds ``ready-*``.
"""

from __future__ import annotations

from specgen.operators.jobset.facts import pods_each
from specgen.schedulers.jobs import UNORDERED
from specgen.schedulers.kueue.loose import Loose
from specgen.schedulers.kueue.standing import Standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.kueue.workload import Workload
    from specgen.schedulers.simulate import Simulation

_WORKER = "worker"


def is_ready(workload: Workload, simulation: Simulation) -> bool:
    """Whether the pods of an admitted job count as ready; of one that only its Workload is known of they do."""
    job = workload.job
    if isinstance(job, Standing) or workload.given is None:
        return True
    if isinstance(job, Loose):
        return all(pod.done or pod.node is not None for pod in job.pods)
    there = [pod for pod in simulation.of(job.id) if pod.done or pod.node is not None]
    if job.kind in UNORDERED:
        # the condition Running follows the first role that is there, which is the workers' only where none else is
        roles = {unit.role for unit in job.units}
        leading = (roles & {"master", "chief"}) or {_WORKER}
        return any(pod.role in leading for pod in there)
    return len(there) >= sum(share.count for share in workload.given.shares)


def reclaimed(workload: Workload, simulation: Simulation) -> dict[str, int]:
    """Pod set → its pods that have ended and come no more; of a Kubeflow job none is given back before its end."""
    job = workload.job
    if isinstance(job, Loose):
        if not job.total:
            return {}
        found: dict[str, int] = {}
        for pod in job.pods:
            if pod.done:
                role = job.members[pod.job, pod.key]
                found[role] = found.get(role, 0) + 1
        return found
    if isinstance(job, Standing) or job.kind not in ("Job", "JobSet", "TrainJob"):
        return {}
    made: dict[str, int] = {}
    for unit in job.units:
        if unit.child is None or not unit.done:
            continue
        name = "main" if job.kind == "Job" else unit.role
        if job.kind == "Job":
            # as long as there is more to do than pods at a time, each that ends is followed by another
            count = max(pods_each(unit.spec) - (unit.completions - len(unit.done)), 0)
        else:
            count = pods_each(unit.spec) if len(unit.done) >= unit.completions else 0
        if count:
            made[name] = made.get(name, 0) + count
    return made
