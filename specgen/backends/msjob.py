"""MSJob, ``mindspore.gitee.com/v1``: what the ms-operator (mindspore-ai/ms-operator) takes.

Read from v1.0.0 (e361e2b), its only release: pkg/apis/v1/{msjob_types,defaults}.go, pkg/controllers/v1/
{msjob_controller,utils}.go, config/crd; held against its recorded jobs. What the operator creates is in
``_ms_operator``, what it cannot do and what is done about it in ``_ms_limits``.
"""

from __future__ import annotations

from specgen.backends import _job, _ms_limits
from specgen.diagnostics.model import KEY
from specgen.manifest.views import Role, Terms, Workload, mapping
from specgen.plan.kind import Count, Kind
from specgen.plan.world import counted, pods_place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World
    from specgen.profile.resolve import ResolvedJob

API_VERSION = "mindspore.gitee.com/v1"
KIND = "MSJob"
SCHEMA = "msjob_v1"
CONTAINER = "mindspore"
OPERATOR = "ms-operator"
NEWEST = "1.0.0"
RELEASES = ("1.0",)
FIELD = "msReplicaSpecs"
ROLES = ("Scheduler", "PS", "Worker")

# Appended by the operator to the containers of its name, where there is a Scheduler.
INJECTED = frozenset(("MS_SCHED_HOST", "MS_NODE_ID", "MS_SCHED_PORT", "MS_SERVER_NUM", "MS_WORKER_NUM", "MS_ROLE"))

_PORT = ("msjob-port", 2222)
TERMS = Terms(FIELD, ROLES, strict=False, port=_PORT, hosts=("Scheduler",), letter_first=False)


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
    KIND,
    operator=OPERATOR,
    roles={name.lower(): name for name in ROLES},
    first=None,
    worker="worker",
    own=("ps",),
    single=("scheduler",),
    counts=_counts,
    starters=("none", "self"),
    restart="Never",
    reserved_env=INJECTED,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    flags=("volcano",),
    no_gang=_ms_limits.NO_GANG,
    names=_ms_limits.names,
    letter="before Kubernetes 1.36 the Service of its Scheduler wants a letter first",
    pods_of=23,
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as an MSJob; every part knows where it came from."""
    build = _job.envelope(plan, API_VERSION)
    spec = build.within("spec")
    findings = _job.run_policy(plan, spec, _ms_limits.UNABLE) + _ms_limits.restarts(plan)
    success = plan.job.job.lifecycle.success
    if success is not None:
        spec.put("successPolicy", success, plan.job.place(("lifecycle", "success")), "`lifecycle.success`")
    replicas = spec.within(FIELD)
    for role in plan.roles:
        found = _job.replica(plan, role, replicas, CONTAINER, judge=_ms_limits.bare)
        findings += [one for one in found if (one.place.path, one.message) not in _seen(findings)]
    if plan.roles[0].word == "scheduler":
        _ms_limits.sure_of_variables(plan, replicas.within("Scheduler"), CONTAINER, _PORT)
    return _job.finished(plan, build, findings)


def _seen(findings: list[Finding]) -> list[object]:
    return [(one.place.path, one.message) for one in findings]


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """There is one version of the CRD."""
    return frozenset()


def unique_lists(version: str) -> tuple[str, ...] | None:
    """The lists whose keys the CRD, of the age of Kubernetes 1.23, holds unique."""
    return "ports", "topologySpreadConstraints"


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_ms_operator``)."""
    # loaded here: linting does not ask for it
    from specgen.backends._ms_operator import expand as pods

    return pods(workload)


_WORDS = tuple(role.lower() for role in ROLES)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: roles in any case of letters, one process in each pod. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.rules_env = INJECTED
    workload.terms = TERMS
    roles = mapping(mapping(manifest.tree.get("spec")).get(FIELD))
    for name in ROLES:
        for written, part in roles.items():
            if isinstance(written, str) and written.lower() == name.lower() and isinstance(part, dict):
                workload.roles.append(Role(workload, name, ("spec", FIELD, written), part))
    for written, part in roles.items():
        # the operator makes pods of any other word too
        if isinstance(written, str) and isinstance(part, dict) and written.lower() not in _WORDS:
            workload.roles.append(Role(workload, written, ("spec", FIELD, written), part))
    return workload
