"""MSJob, ``mindspore.gitee.com/v1``: a plan as the ms-operator takes it (``operators.mindspore.msjob``).

What the operator cannot do and what is done about it is in ``ms_limits``.
"""

from __future__ import annotations

from specgen.lower import job as job_parts
from specgen.lower import ms_limits
from specgen.manifest.origins import Sourced
from specgen.operators.mindspore.facts import COUNT, FRAMEWORK, PODS_OF, PORT
from specgen.operators.mindspore.msjob import READER as READER
from specgen.plan.kind import Kind

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World


PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={name.lower(): name for name in FRAMEWORK.roles},
    first=None,
    worker="worker",
    own=("ps",),
    serving=("ps",),
    single=("scheduler",),
    starters=("none", "self"),
    restart=FRAMEWORK.restart,
    port=FRAMEWORK.port,
    reserved_env=FRAMEWORK.injected,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    flags=("volcano",),
    no_gang=ms_limits.NO_GANG,
    letter="before Kubernetes 1.36 the Service of its Scheduler wants a letter first",
    pods_of=PODS_OF,
    counts_pods=COUNT,
    wakes=False,
)
groups, mpi, tells, untold = job_parts.groups, job_parts.mpi, job_parts.tells, job_parts.untold
names = ms_limits.names


def counts(world: World) -> dict[str, Sourced]:
    """Workers and PS, with a Scheduler as soon as two of them are to meet: Workers without one never do."""
    workers = {"worker": Sourced(world.pods, world.pods_place, "`pods` are all workers")}
    servers = world.own.get("ps")
    if world.pods == 1 and servers is None:
        return workers
    place = world.named.get("scheduler") or world.named.get("ps") or world.pods_place
    found = {"scheduler": Sourced(1, place, "the pods find each other through a Scheduler")}
    if servers is not None:
        found["ps"] = servers
    return {**found, **workers}


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as an MSJob; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    findings = job_parts.run_policy(plan, spec, ms_limits.UNABLE) + ms_limits.restarts(plan)
    if plan.lifecycle.success is not None:
        spec.say("successPolicy", plan.lifecycle.success)
    replicas = spec.within(FRAMEWORK.field)
    for role in plan.roles:
        found = job_parts.replica(plan, role, replicas, "mindspore", judge=ms_limits.bare)
        findings += [one for one in found if (one.place.path, one.message) not in _seen(findings)]
    if plan.roles[0].word == "scheduler":
        ms_limits.sure_of_variables(plan, replicas.within("Scheduler"), "mindspore", PORT)
    return job_parts.finished(plan, build, findings)


def _seen(findings: list[Finding]) -> list[object]:
    return [(one.place.path, one.message) for one in findings]
