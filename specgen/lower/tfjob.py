"""TFJob, ``kubeflow.org/v1``: a plan as the training operator takes it (``operators.training.tfjob``).

A TFJob is not elastic: with ``enableDynamicWorker`` the number of Workers may be changed by hand, and a failed one
fails nothing, but nobody keeps a range or brings the others together; each Worker is told of itself and the PS alone,
each PS of itself at the head of a list whatever its index, a Chief of nobody (recorded).
"""

from __future__ import annotations

from specgen.diagnostics.model import WARNING, plural
from specgen.lower import job as job_parts
from specgen.manifest.origins import Sourced
from specgen.operators.training.tfjob import FRAMEWORK
from specgen.operators.training.tfjob import READER as READER
from specgen.plan.kind import Kind
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World

# The roles that lead, one of which may take the first of the pods: two names of one task.
_FIRST = {"chief": "Chief", "master": "Master"}


PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={name.lower(): name for name in FRAMEWORK.roles},
    first=None,
    worker="worker",
    own=("ps", "evaluator"),
    serving=("ps",),
    starters=("none", "self"),
    all_devices=True,
    rigid="`enableDynamicWorker` keeps no range, and tells each Worker of itself and the PS alone",
    restart=FRAMEWORK.restart,
    port=FRAMEWORK.port,
    reserved_env=FRAMEWORK.injected,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    wakes=False,
)
groups, mpi, names = job_parts.groups, job_parts.mpi, job_parts.names
tells, untold = job_parts.tells, job_parts.untold


def counts(world: World) -> dict[str, Sourced]:
    """Workers, of whom the first is the Chief where the job names one; PS and Evaluator apart."""
    first, place = _first(world), world.pods_place
    found: dict[str, Sourced] = {}
    if first is None:
        found["worker"] = Sourced(world.pods, place, "`pods` are all workers")
    else:
        name = _FIRST[first]
        reason = f"one of `pods` is the {name}, as the job has the role `{first}`"
        found[first] = Sourced(1, world.named[first], reason)
        if world.pods > 1:
            found["worker"] = Sourced(world.pods - 1, place, f"`pods` minus one {name}")
    return {**found, **{word: world.own[word] for word in ("ps", "evaluator") if word in world.own}}


def _first(world: World) -> str | None:
    return next((word for word in _FIRST if word in world.named), None)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a TFJob; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    findings = job_parts.run_policy(plan, spec) + _one_leads(plan) + _leads_without(plan) + _success(plan, spec)
    replicas = spec.within(FRAMEWORK.field)
    for role in plan.roles:
        findings += job_parts.replica(plan, role, replicas, "tensorflow")
    return job_parts.finished(plan, build, findings)


def _one_leads(plan: Plan) -> list[Finding]:
    """SG207: the webhook refuses a Chief beside a Master."""
    named = plan.world.named
    if any(word not in named for word in _FIRST):
        return []
    related = [(named["chief"], "the Chief")]
    message = "the role `master` contradicts `chief`: they are two names of one task, and the webhook refuses both"
    return [codes.CONTRADICTION.at(named["master"], message, related=related)]


def _leads_without(plan: Plan) -> list[Finding]:
    """SG207, a warning: beside parameter servers the Chief coordinates; without them it trains as the Workers do."""
    by_word = {role.word: role for role in plan.roles}
    worker = by_word.get("worker")
    first = next((by_word[word] for word in _FIRST if word in by_word), None)
    if first is None or worker is None or "ps" in by_word or first.devices.gpu or not worker.devices.gpu:
        return []
    if any(devices.limits.keys() - {"cpu", "memory"} for devices in (first.devices,)):
        return []
    name, gpus = _FIRST[first.word], plural(worker.devices.gpu, "GPU")
    message = f"the {name} has 0 GPUs, and each Worker {gpus}: without parameter servers it trains like one of them"
    notes = ["`MultiWorkerMirroredStrategy` gives the chief its share of each batch, and all wait for the slowest"]
    helps = [f"leave `gpu` of `roles.{first.word}` out, which gives it {gpus} too"]
    at = plan.world.named[first.word]
    return [codes.CONTRADICTION.at(at, message, notes=notes, helps=helps, severity=WARNING)]


def _success(plan: Plan, spec: Build) -> list[Finding]:
    """``successPolicy``; without it Worker 0 decides. A Chief, if there is one, decides in any case (recorded)."""
    success = plan.lifecycle.success
    if success is None:
        return []
    first = next((role for role in plan.roles if role.word in _FIRST), None)
    if first is not None:
        related = [(first.replicas.key, f"the {_FIRST[first.word]}")]
        message = f"`success: {success.value}` contradicts the role `{first.word}`, whose end is the end of the job"
        return [codes.CONTRADICTION.at(success.at, message, related=related)]
    spec.say("successPolicy", success)
    return []
