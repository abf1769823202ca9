"""TFJob, ``kubeflow.org/v1``: a plan as the training operator takes it (``operators.training.tfjob``).

A TFJob is not elastic: with ``enableDynamicWorker`` the number of Workers may be changed by hand, and a failed one
fails nothing, but nobody keeps a range or brings the others together; each Worker is told of itself and the PS alone,
each PS of itself at the head of a list whatever its index, a Chief of nobody (recorded).
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.lower import job as job_parts
from specgen.operators.training.tfjob import FRAMEWORK, READER
from specgen.plan.kind import Count, Kind
from specgen.plan.world import counted, pods_place
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World
    from specgen.profile.resolve import ResolvedJob

# The roles that lead, one of which may take the first of the pods: two names of one task.
_FIRST = {"chief": "Chief", "master": "Master"}


def _counts(job: ResolvedJob, count: World) -> list[Count]:
    """Workers, of whom the first is the Chief where the job names one; PS and Evaluator apart."""
    place = pods_place(job)
    first = _first(job)
    found = []
    if first is None:
        found.append(Count("worker", count.pods, place, "`pods` are all workers"))
    else:
        name = _FIRST[first]
        reason = f"one of `pods` is the {name}, as the job has the role `{first}`"
        found.append(Count(first, 1, job.place(("roles", first), KEY), reason))
        if count.pods > 1:
            found.append(Count("worker", count.pods - 1, place, f"`pods` minus one {name}"))
    return [*found, *counted(job, "ps"), *counted(job, "evaluator")]


def _first(job: ResolvedJob) -> str | None:
    written = job.layers.data.get("roles") or {}
    return next((word for word in _FIRST if word in written), None)


PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={name.lower(): name for name in FRAMEWORK.roles},
    first=None,
    worker="worker",
    own=("ps", "evaluator"),
    counts=_counts,
    starters=("none", "self"),
    all_devices=True,
    rigid="`enableDynamicWorker` keeps no range, and tells each Worker of itself and the PS alone",
    restart=FRAMEWORK.restart,
    reserved_env=FRAMEWORK.injected,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a TFJob; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    job_parts.run_policy(plan, spec)
    findings = _one_leads(plan) + _success(plan, spec)
    replicas = spec.within(FRAMEWORK.field)
    for role in plan.roles:
        findings += job_parts.replica(plan, role, replicas, "tensorflow")
    return job_parts.finished(plan, build, findings)


def _one_leads(plan: Plan) -> list[Finding]:
    """SG207: the webhook refuses a Chief beside a Master."""
    written = plan.job.layers.data.get("roles") or {}
    if any(word not in written for word in _FIRST):
        return []
    place = plan.job.place(("roles", "master"), KEY)
    related = [(plan.job.place(("roles", "chief"), KEY), "the Chief")]
    message = "the role `master` contradicts `chief`: they are two names of one task, and the webhook refuses both"
    return [codes.CONTRADICTION.at(place, message, related=related)]


def _success(plan: Plan, spec: Build) -> list[Finding]:
    """``successPolicy``; without it Worker 0 decides. A Chief, if there is one, decides in any case (recorded)."""
    success = plan.job.job.lifecycle.success
    if success is None:
        return []
    place = plan.job.place(("lifecycle", "success"))
    first = _first(plan.job)
    if first is not None:
        related = [(plan.job.place(("roles", first), KEY), f"the {_FIRST[first]}")]
        message = f"`success: {success}` contradicts the role `{first}`, whose end is the end of the job"
        return [codes.CONTRADICTION.at(place, message, related=related)]
    spec.put("successPolicy", success, place, "`lifecycle.success`")
    return []
