"""PyTorchJob, ``kubeflow.org/v1``: a plan as the training operator takes it (``operators.training.pytorchjob``)."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Place
from specgen.lower import job as job_parts
from specgen.operators.training.facts import PROCESSES_TOLD
from specgen.operators.training.pytorchjob import FRAMEWORK, PORT, READER
from specgen.plan.kind import Kind
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World


def _untold(name: str, count: World, version: str) -> list[str]:
    """What torchrun is not told without a Master: where a rigid job meets, by old operators the processes."""
    if count.led:
        return []
    options = []
    if not count.elastic and count.pods > 1:
        options = ["--rdzv-backend=c10d", f"--rdzv-endpoint={name}-worker-0:{PORT[1]}"]
    if READER.operator.at(version) < PROCESSES_TOLD:
        options.append(f"--nproc-per-node={count.word or count.procs_per_pod}")
    return options


PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={"master": "Master", "worker": "Worker"},
    first="master",
    worker="worker",
    starters=("none", "self", "torchrun"),
    restart=FRAMEWORK.restart,
    reserved_env=FRAMEWORK.injected,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    elastic=True,
    unled=True,
    words=True,
    untold=_untold,
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a PyTorchJob; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    job_parts.run_policy(plan, spec)
    _elastic(plan, spec)
    _processes(plan, spec)
    replicas = spec.within(FRAMEWORK.field)
    findings = _success(plan) + _unaware(plan)
    for role in plan.roles:
        findings += job_parts.replica(plan, role, replicas, "pytorch")
    return job_parts.finished(plan, build, findings)


def _success(plan: Plan) -> list[Finding]:
    """SG208: ``lifecycle.success`` is the operator's own, by the roles that there are (facts/operators.md, 2.1)."""
    if plan.world.elastic:
        return job_parts.no_success(plan, "an elastic PyTorchJob succeeds when one of its workers does")
    # without a Master it is what `AllWorkers` says
    return job_parts.no_success(plan, "a PyTorchJob succeeds when its Master does") if plan.world.led else []


def _unaware(plan: Plan) -> list[Finding]:
    """SG207, a warning: without a Master the operator tells neither rank nor address, and nobody else does."""
    count = plan.world
    if count.led or count.elastic or count.starter != "none" or count.pods == 1:
        return []
    at = plan.job.layers.removals[("roles", "master")][0]
    message = f"without a Master nobody tells {count.pods} workers their ranks and where to meet"
    related = [(plan.job.place(("start",)), "nothing starts them together")]
    helps = ["`start: torchrun` lets them meet at worker 0; `start: self` says that the command does it"]
    place = Place(at.path, KEY, where=at.document)
    return [codes.CONTRADICTION.at(place, message, related=related, helps=helps, severity=WARNING)]


def _elastic(plan: Plan, spec: Build) -> None:
    """The operator hands it on to torchrun: `PET_RDZV_…`, `PET_NNODES` as `min:max`, `PET_MAX_RESTARTS`."""
    job, elastic = plan.job, plan.job.job.elastic
    if elastic is None:
        return
    policy = spec.within("elasticPolicy")
    rendezvous = elastic.rendezvous
    backend = rendezvous.backend if rendezvous is not None else None
    place = job.place(("elastic", "rendezvous", "backend")) if backend is not None else job.place(("elastic",), KEY)
    reason = "worker 0 holds the rendezvous, no other service is needed"
    if backend is not None:
        reason = "`elastic.rendezvous.backend`"
    policy.put("rdzvBackend", backend or "c10d", place, reason)
    for key, word in (("rdzvHost", "host"), ("rdzvPort", "port")):
        value = getattr(rendezvous, word) if rendezvous is not None else None
        if value is not None:
            policy.put(key, value, job.place(("elastic", "rendezvous", word)), f"`elastic.rendezvous.{word}`")
    for key, word, count in (("minReplicas", "min", plan.world.least), ("maxReplicas", "max", plan.world.most)):
        written = getattr(elastic, word) is not None
        place = job.place(("elastic", word)) if written else job.place(("pods",))
        policy.put(key, count, place, f"`elastic.{word}`" if written else f"`pods`, as `elastic.{word}` is not said")
    if elastic.restarts is not None:
        policy.put("maxRestarts", elastic.restarts, job.place(("elastic", "restarts")), "`elastic.restarts`")
    if elastic.scale_on is not None:
        target = {"type": "Utilization", "averageUtilization": elastic.scale_on.cpu}
        metric = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
        policy.put("metrics", [metric], job.place(("elastic", "scaleOn", "cpu")), "`elastic.scaleOn`")


def _processes(plan: Plan, spec: Build) -> None:
    if plan.world.starter != "torchrun":
        return
    job = plan.job
    written = "procsPerPod" in job.layers.data
    place = job.place(("procsPerPod",)) if written else job.place(("start",), KEY)
    reason = "`procsPerPod`" if written else "as many processes as GPUs, since torchrun starts them"
    # A string by schema; an integer in it makes WORLD_SIZE count processes (since 1.7).
    spec.put("nprocPerNode", plan.world.word or str(plan.world.procs_per_pod), place, reason)
