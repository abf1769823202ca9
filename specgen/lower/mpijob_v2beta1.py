"""MPIJob, ``kubeflow.org/v2beta1``: a plan as the mpi-operator takes it (``operators.mpi.mpijob``).

What both versions of the kind say alike is in ``mpi``.
"""

from __future__ import annotations

from specgen.lower import job as job_parts
from specgen.lower import mpi as mpi_parts
from specgen.manifest.origins import key_of
from specgen.operators.mpi.facts import INJECTED, LAUNCHER_WORDS, SSH_PATH, TERMS, implementations, launchers_vary
from specgen.operators.mpi.mpijob import READER as READER
from specgen.operators.release import spelled
from specgen.plan.kind import Kind, Mpi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan
    from specgen.plan.pods import RolePlan

_OF_SSH = ("OMPI_MCA_plm_rsh_args", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "HYDRA_LAUNCH_EXTRA_ARGS")


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
    restart="Never",
    restarts={"launcher": "OnFailure"},
    # the options of ssh have a word of their own, and are refused with it
    reserved_env=INJECTED - frozenset(_OF_SSH),
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/job-role"),
    letter="the mpi-operator wants a letter first",
    rigid="its processes are counted once, by mpirun",
)
counts, names = mpi_parts.counts, mpi_parts.names
groups, tells, untold = job_parts.groups, job_parts.tells, job_parts.untold


def mpi(version: str, launcher: RolePlan, pods: int) -> Mpi:
    """ssh reaches the workers; the launcher of newer operators may train, and is held until they are ready."""
    refusal = ""
    if not launcher.starts and not launchers_vary(version):
        since = f"{READER.operator.name} {spelled(LAUNCHER_WORDS)}"
        refusal = f"the launcher trains since {since}, and this is {version}"
    return Mpi(
        agent=None,
        idle=("/usr/sbin/sshd", "-De"),
        keys=SSH_PATH,
        mounts=(("mpi-job-config", "/etc/mpi"), ("ssh-auth", SSH_PATH)),
        implementations=implementations(version),
        holds=launchers_vary(version),
        refusal=refusal,
    )


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as an MPIJob of the mpi-operator; every part knows where it came from."""
    build = job_parts.envelope(plan, READER.api_version)
    spec = build.within("spec")
    mpi_parts.slots(plan, spec)
    _start(plan, spec)
    findings = job_parts.run_policy(plan, spec)
    findings += mpi_parts.restarts(plan, ("Never", "OnFailure"), "the mpi-operator refuses it with an event")
    findings += mpi_parts.blank(plan) + job_parts.no_success(plan, "an MPIJob succeeds when its launcher does")
    replicas = spec.within(TERMS.field)
    for role in plan.roles:
        findings += job_parts.replica(plan, role, replicas, mpi_parts.CONTAINER)
    return job_parts.finished(plan, build, findings)


def _start(plan: Plan, spec: Build) -> None:
    """What of ``start`` is a field of the job: the rest stands in commands."""
    launch = plan.launch
    if launch.implementation is not None:
        spec.say("mpiImplementation", launch.implementation)
    if launch.keys is not None:
        spec.say("sshAuthMountPath", launch.keys)
    if plan.roles[0].late:
        place = launch.wait.place if launch.wait is not None and launch.wait.value else None
        reason = "the launcher waits for its workers, or mpirun would fail until they answer"
        spec.put("launcherCreationPolicy", "WaitForWorkersReady", place, reason)
    if plan.world.trains is not None:
        spec.put("runLauncherAsWorker", True, key_of(plan.world.trains), "`start.launcherTrains`")
