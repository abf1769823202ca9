"""MSJob, ``mindspore.gitee.com/v1``: a plan as the ms-operator takes it (``operators.mindspore.msjob``).

What the operator cannot do and what is done about it is in ``ms_limits``.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.lower import job as job_parts
from specgen.lower import ms_limits
from specgen.operators.mindspore.facts import FRAMEWORK, PODS_OF, PORT
from specgen.operators.mindspore.msjob import READER
from specgen.plan.kind import Count, Kind
from specgen.plan.world import counted, pods_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World
    from specgen.profile.resolve import ResolvedJob


def _counts(job: ResolvedJob, count: World) -> list[Count]:
    """Workers and PS, with a Scheduler as soon as two of them are to meet: Workers without one never do."""
    workers = Count("worker", count.pods, pods_place(job), "`pods` are all workers")
    servers = counted(job, "ps")
    if count.pods == 1 and not servers:
        return [workers]
    place = job.place(("roles", "ps"), KEY) if servers else pods_place(job)
    named = (job.layers.data.get("roles") or {}).get("scheduler") is not None
    if named:
        place = job.place(("roles", "scheduler"), KEY)
    reason = "the pods find each other through a Scheduler"
    return [Count("scheduler", 1, place, reason), *servers, workers]


PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={name.lower(): name for name in FRAMEWORK.roles},
    first=None,
    worker="worker",
    own=("ps",),
    single=("scheduler",),
    counts=_counts,
    starters=("none", "self"),
    restart=FRAMEWORK.restart,
    reserved_env=FRAMEWORK.injected,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    flags=("volcano",),
    no_gang=ms_limits.NO_GANG,
    names=ms_limits.names,
    letter="before Kubernetes 1.36 the Service of its Scheduler wants a letter first",
    pods_of=PODS_OF,
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as an MSJob; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    findings = job_parts.run_policy(plan, spec, ms_limits.UNABLE) + ms_limits.restarts(plan)
    success = plan.job.job.lifecycle.success
    if success is not None:
        spec.put("successPolicy", success, plan.job.place(("lifecycle", "success")), "`lifecycle.success`")
    replicas = spec.within(FRAMEWORK.field)
    for role in plan.roles:
        found = job_parts.replica(plan, role, replicas, "mindspore", judge=ms_limits.bare)
        findings += [one for one in found if (one.place.path, one.message) not in _seen(findings)]
    if plan.roles[0].word == "scheduler":
        ms_limits.sure_of_variables(plan, replicas.within("Scheduler"), "mindspore", PORT)
    return job_parts.finished(plan, build, findings)


def _seen(findings: list[Finding]) -> list[object]:
    return [(one.place.path, one.message) for one in findings]
