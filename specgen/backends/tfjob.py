"""TFJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/tensorflow_types.go, pkg/webhooks/tensorflow/
tfjob_webhook.go, pkg/controller.v1/tensorflow/{tensorflow,tfjob_controller}.go; held against its recorded jobs.
What the operator creates is in ``_tf_pods``.

A TFJob is not elastic: with ``enableDynamicWorker`` the number of Workers may be changed by hand, and a failed one
fails nothing, but nobody keeps a range or brings the others together; each Worker is told of itself and the PS alone,
each PS of itself at the head of a list whatever its index, a Chief of nobody (recorded).
"""

from __future__ import annotations

from specgen.backends import _job
from specgen.backends._roles import MANAGERS, NEWEST, OPERATOR, RELEASES, absent_fields, add_roles, unique_lists
from specgen.diagnostics.model import KEY
from specgen.manifest.views import Terms, Workload
from specgen.plan.kind import Count, Kind
from specgen.plan.world import counted, pods_place
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World
    from specgen.profile.resolve import ResolvedJob

__all__ = (
    "API_VERSION",
    "CONTAINER",
    "FIELD",
    "INJECTED",
    "KIND",
    "NEWEST",
    "OPERATOR",
    "PLAN",
    "RELEASES",
    "ROLES",
    "SCHEMA",
    "TERMS",
    "absent_fields",
    "expand",
    "lower",
    "read",
    "unique_lists",
)

API_VERSION = "kubeflow.org/v1"
KIND = "TFJob"
SCHEMA = "tfjob_v1"
CONTAINER = "tensorflow"
FIELD = "tfReplicaSpecs"
ROLES = ("Chief", "Master", "Worker", "PS", "Evaluator")
# The roles that lead, one of which may take the first of the pods: two names of one task.
_FIRST = {"chief": "Chief", "master": "Master"}

# Appended by the operator to the first container of its name.
INJECTED = frozenset(("TF_CONFIG",))

TERMS = Terms(FIELD, ROLES, strict=False, managers=MANAGERS, port=("tfjob-port", 2222), hooked=True)


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
    KIND,
    operator=OPERATOR,
    roles={name.lower(): name for name in ROLES},
    first=None,
    worker="worker",
    own=("ps", "evaluator"),
    counts=_counts,
    starters=("none", "self"),
    all_devices=True,
    rigid="`enableDynamicWorker` keeps no range, and tells each Worker of itself and the PS alone",
    restart="Never",
    reserved_env=INJECTED,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a TFJob; every part knows where it came from."""
    build = _job.envelope(plan, API_VERSION)
    spec = build.within("spec")
    _job.run_policy(plan, spec)
    findings = _one_leads(plan) + _success(plan, spec)
    replicas = spec.within(FIELD)
    for role in plan.roles:
        findings += _job.replica(plan, role, replicas, CONTAINER)
    return _job.finished(plan, build, findings)


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


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it, with roles that it does not know. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.rules_env = INJECTED
    workload.terms = TERMS
    add_roles(workload, FIELD, ROLES, any_name=True)
    return workload


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_tf_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.backends._tf_pods import expand as pods

    return pods(workload)
