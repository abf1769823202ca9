"""PyTorchJob, ``kubeflow.org/v1``: a plan as the training operator takes it (``operators.training.pytorchjob``)."""

from __future__ import annotations

from specgen.diagnostics.model import WARNING
from specgen.lower import job as job_parts
from specgen.manifest.origins import Sourced, key_of, located
from specgen.operators.training.facts import PROCESSES_TOLD, UNBUFFERED
from specgen.operators.training.pytorchjob import FRAMEWORK, PORT
from specgen.operators.training.pytorchjob import READER as READER
from specgen.plan.kind import Kind
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World


PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles={"master": "Master", "worker": "Worker"},
    first="master",
    worker="worker",
    starters=("none", "self", "torchrun", "accelerate"),
    restart=FRAMEWORK.restart,
    port=FRAMEWORK.port,
    reserved_env=FRAMEWORK.injected,
    constant_env=UNBUFFERED,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    elastic=True,
    unled=True,
    hands_words_on=True,
    meets=("RANK", "MASTER_ADDR", "MASTER_PORT"),
    wakes=False,
)
groups, mpi, names, tells = job_parts.groups, job_parts.mpi, job_parts.names, job_parts.tells


def counts(world: World) -> dict[str, Sourced]:
    """One of ``pods`` is the Master, unless the job is elastic or takes the Master away."""
    if world.led:
        return world.first_and_workers("master", "worker", "Master")
    reason = "`pods` are all workers, as `roles.master` is taken away"
    if world.elastic:
        start = "" if world.fixed else " at the start"
        reason = f"`pods` are all workers{start}, as the job is elastic"
    return {"worker": Sourced(world.pods, world.pods_place, reason)}


def untold(name: str, world: World, version: str) -> list[str]:
    """What torchrun is not told without a Master: where a rigid job meets, by old operators the processes."""
    if world.led:
        return []
    options = []
    if not world.elastic and world.pods > 1:
        options = ["--rdzv-backend=c10d", f"--rdzv-endpoint={name}-worker-0:{PORT[1]}"]
    if READER.operator.at(version) < PROCESSES_TOLD:
        options.append(f"--nproc-per-node={world.word or world.procs_per_pod}")
    return options


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a PyTorchJob; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    findings = job_parts.run_policy(plan, spec)
    _elastic(plan, spec)
    _processes(plan, spec)
    replicas = spec.within(FRAMEWORK.field)
    findings += _success(plan) + _unaware(plan)
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
    if count.led or count.starter != "none" or (count.most if count.elastic else count.pods) == 1:
        return []
    message = f"without a Master nobody tells {count.pods} workers their ranks and where to meet"
    helps = ["`start: torchrun` lets them meet at worker 0; `start: self` says that the command does it"]
    place = located(count.unled)
    if count.elastic:
        program = plan.roles[0].program if plan.roles else None
        words = program.value if program is not None else []
        if not words[:1] or not words[0].rpartition("/")[2].startswith("python") or "torch.distributed.run" in words:
            return []  # a shell, or a launcher of its own, may read what the operator tells torchrun
        message = "one process in each pod of an elastic job learns neither its rank nor how many there are"
        helps = ["`start: torchrun` lets them meet and counts them; `start: self` says that the command does it"]
        place = located(plan.elastic.least.place if plan.elastic is not None else None)
    related = [(located(count.starter_place), "nothing starts them together")]
    return [codes.CONTRADICTION.at(place, message, related=related, helps=helps, severity=WARNING)]


def _elastic(plan: Plan, spec: Build) -> None:
    """The operator hands it on to torchrun: `PET_RDZV_…`, `PET_NNODES` as `min:max`, `PET_MAX_RESTARTS`."""
    elastic = plan.elastic
    if elastic is None:
        return
    policy = spec.within("elasticPolicy")
    for key, said in (
        ("rdzvBackend", elastic.backend),
        ("rdzvHost", elastic.host),
        ("rdzvPort", elastic.port),
        ("minReplicas", elastic.least),
        ("maxReplicas", elastic.most),
        ("maxRestarts", elastic.restarts),
    ):
        if said is not None:
            policy.say(key, said)
    if elastic.cpu is not None:
        target = {"type": "Utilization", "averageUtilization": elastic.cpu.value}
        metric = {"type": "Resource", "resource": {"name": "cpu", "target": target}}
        policy.put("metrics", [metric], elastic.cpu.place, elastic.cpu.reason)


def _processes(plan: Plan, spec: Build) -> None:
    world = plan.world
    if world.starter not in ("torchrun", "accelerate"):
        return
    place, reason = world.procs_place, "`procsPerPod`"
    if place is None:
        place, reason = key_of(world.starter_place), f"as many processes as GPUs, since {world.starter} starts them"
    # A string by schema; an integer in it makes WORLD_SIZE count processes (since 1.7).
    spec.put("nprocPerNode", world.word or str(world.procs_per_pod), place, reason)
