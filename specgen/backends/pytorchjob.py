"""PyTorchJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/pytorch_types.go, pkg/webhooks/pytorch/pytorchjob_webhook.go,
pkg/controller.v1/pytorch/{envvar,master,elastic,initcontainer}.go; differences of 1.7.0 and 1.8.1 from their tags.
What the operator creates is in ``_pytorch_pods``.
"""

from __future__ import annotations

from specgen.backends import _job
from specgen.diagnostics.model import KEY, WARNING, Place
from specgen.manifest.views import Role, Terms, Workload, mapping
from specgen.plan.kind import Kind
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, World

API_VERSION = "kubeflow.org/v1"
KIND = "PyTorchJob"
SCHEMA = "pytorchjob_v1"
CONTAINER = "pytorch"
OPERATOR = "training-operator"
NEWEST = "1.9.4"
# Releases whose behaviour was read and recorded; another one is said to be unknown.
RELEASES = ("1.7", "1.8", "1.9")

# Appended by the operator to every container (facts/operators.md, 2.2).
INJECTED = frozenset(
    (
        "PYTHONUNBUFFERED",
        "MASTER_PORT",
        "PET_MASTER_PORT",
        "MASTER_ADDR",
        "PET_MASTER_ADDR",
        "WORLD_SIZE",
        "RANK",
        "PET_NODE_RANK",
        "PET_NPROC_PER_NODE",
        "PET_NNODES",
        "PET_RDZV_ENDPOINT",
        "PET_RDZV_BACKEND",
    )
)

PORT = ("pytorchjob-port", 23456)
TERMS = Terms(
    "pytorchReplicaSpecs",
    ("Master", "Worker"),
    single=("Master",),
    peopled=("Worker",),
    restart={"": "OnFailure"},
    managers=("kubeflow.org/training-operator", "kueue.x-k8s.io/multikueue"),
    port=PORT,
    hooked=True,
)


def _untold(name: str, count: World, version: str) -> list[str]:
    """What torchrun is not told without a Master: the address of a job that is not elastic, in 1.7 the processes."""
    if count.led:
        return []
    options = []
    if not count.elastic and count.pods > 1:
        options = ["--rdzv-backend=c10d", f"--rdzv-endpoint={name}-worker-0:{PORT[1]}"]
    if version.startswith("1.7."):
        options.append(f"--nproc-per-node={count.word or count.procs_per_pod}")
    return options


PLAN = Kind(
    KIND,
    operator=OPERATOR,
    roles={"master": "Master", "worker": "Worker"},
    first="master",
    worker="worker",
    starters=("none", "self", "torchrun"),
    restart="OnFailure",
    reserved_env=INJECTED,
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    elastic=True,
    unled=True,
    words=True,
    untold=_untold,
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as a PyTorchJob; every part knows where it came from."""
    build = _job.envelope(plan, API_VERSION)
    spec = build.within("spec")
    _job.run_policy(plan, spec)
    _elastic(plan, spec)
    _processes(plan, spec)
    replicas = spec.within("pytorchReplicaSpecs")
    findings = _success(plan) + _unaware(plan)
    for role in plan.roles:
        findings += _job.replica(plan, role, replicas, CONTAINER)
    return _job.finished(plan, build, findings)


def _success(plan: Plan) -> list[Finding]:
    """SG208: ``lifecycle.success`` is the operator's own, by the roles that there are (facts/operators.md, 2.1)."""
    if plan.world.elastic:
        return _job.no_success(plan, "an elastic PyTorchJob succeeds when one of its workers does")
    # without a Master it is what `AllWorkers` says
    return _job.no_success(plan, "a PyTorchJob succeeds when its Master does") if plan.world.led else []


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


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """Fields that the CRD of an older version lacks."""
    from specgen.backends._training_operator import absent_fields as fields

    return fields(version)


def unique_lists(version: str) -> tuple[str, ...] | None:
    """Lists whose keys an older version holds unique."""
    if version == NEWEST:
        return None
    from specgen.backends._training_operator import unique_lists as lists

    return lists(version)


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_pytorch_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.backends._pytorch_pods import expand as pods

    return pods(workload)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: roles in its own order, processes by ``nprocPerNode``. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.rules_env = INJECTED
    workload.terms = TERMS
    spec = mapping(manifest.tree.get("spec"))
    procs = spec.get("nprocPerNode")
    if isinstance(procs, str) and len(procs) < 7 and procs.isascii() and procs.isdigit():
        workload.procs_per_pod = int(procs)
        workload.procs_path = ("spec", "nprocPerNode")
    roles = mapping(spec.get("pytorchReplicaSpecs"))
    for name in ("Master", "Worker"):
        if isinstance(roles.get(name), dict):
            workload.roles.append(Role(workload, name, ("spec", "pytorchReplicaSpecs", name), roles[name]))
    return workload
