"""MPIJob, ``kubeflow.org/v1``: a plan as the training operator takes it (``operators.training.mpijob``).

What both versions of the kind say alike is in ``mpi``.
"""

from __future__ import annotations

from specgen.lower import job as job_parts
from specgen.lower import mpi as mpi_parts
from specgen.operators.training.mpijob import FRAMEWORK
from specgen.operators.training.mpijob import READER as READER
from specgen.plan.kind import Kind, Mpi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan


PLAN = Kind(
    READER.kind,
    operator=READER.operator.name,
    roles=mpi_parts.ROLES,
    first=None,
    worker="worker",
    launcher="launcher",
    single=("launcher",),
    starters=("mpirun", "horovodrun", "self", "none"),
    starter="mpirun",
    restart=FRAMEWORK.restart,
    reserved_env=FRAMEWORK.injected - frozenset(mpi_parts.BLANK),
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    letter="",
    no_gang={"kueue": "Kueue knows MPIJobs of the mpi-operator alone"},
    rigid="its host file is written once",
    wakes=False,
    other="mpi-operator",
)
counts, names = mpi_parts.counts, mpi_parts.names
groups, tells, untold = job_parts.groups, job_parts.tells, job_parts.untold


def mpi(version: str, launcher: RolePlan, pods: int) -> Mpi:
    """kubectl reaches the workers; a launcher with a limit that has `gpu` in its name is taken for one of them."""
    gpus = any("gpu" in name for name in launcher.devices.limits)
    refusal = ""
    if launcher.starts and gpus:
        refusal = "the operator takes a launcher with GPUs for a worker: it would run processes too"
    elif not launcher.starts and not gpus:
        refusal = "the operator takes a launcher for a worker by its GPUs, and this one has none"
    return Mpi(
        agent="/etc/mpi/kubexec.sh",
        idle=("sleep", "365d"),
        mounts=(("mpi-job-config", "/etc/mpi"), ("mpi-job-kubectl", "/opt/kube")),
        refusal=refusal,
    )


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as an MPIJob of the training operator; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    mpi_parts.slots(plan, spec)
    # the older of two places: runPolicy's is read too, and this one by the first operators of the kind as well
    if plan.lifecycle.clean_pods is not None:
        spec.say("cleanPodPolicy", plan.lifecycle.clean_pods)
    findings = job_parts.run_policy(plan, spec, cleans=False)
    findings += mpi_parts.restarts(plan, ("Never", "OnFailure"), "the job stays in Restarting for ever")
    findings += mpi_parts.blank(plan) + job_parts.no_success(plan, "an MPIJob succeeds when its launcher does")
    replicas = spec.within(FRAMEWORK.field)
    for role in plan.roles:
        findings += job_parts.replica(plan, role, replicas, mpi_parts.CONTAINER)
    return job_parts.finished(plan, build, findings)
