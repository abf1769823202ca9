"""MPIJob, ``kubeflow.org/v2beta1``: what the mpi-operator (kubeflow/mpi-operator) takes.

Read from release-0.8 (b10758d): pkg/apis/kubeflow/v2beta1/{types,default}.go, pkg/apis/kubeflow/validation/
validation.go, pkg/controller/{mpi_job_controller,podgroup}.go; differences of 0.6.0 and 0.4.0 from their tags; held
against the recorded jobs of the three. What the operator creates is in ``_mpi_pods``, what it refuses in
``_mpi_operator``, what both versions of the kind say alike in ``_mpi_job``.
"""

from __future__ import annotations

from specgen.backends import _job, _mpi_job
from specgen.diagnostics.model import KEY
from specgen.manifest.views import Role, Terms, Workload, mapping
from specgen.plan.kind import Kind
from specgen.plan.launching import Mpi
from specgen.plan.mpi import start_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.manifest.build import Build
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, RolePlan
    from specgen.source import Path

API_VERSION = "kubeflow.org/v2beta1"
KIND = "MPIJob"
SCHEMA = "mpijob_v2beta1"
OPERATOR = "mpi-operator"
NEWEST = "0.8.2"
# Releases whose behaviour was read and recorded; another one is said to be unknown.
RELEASES = ("0.4", "0.6", "0.8")

# Appended by the operator to the first container (facts of all MPI implementations together).
INJECTED = frozenset(
    (
        "K_MPI_JOB_ROLE",
        "OMPI_MCA_orte_keep_fqdn_hostnames",
        "OMPI_MCA_orte_default_hostfile",
        "OMPI_MCA_plm_rsh_args",
        "OMPI_MCA_orte_set_default_slots",
        "I_MPI_HYDRA_HOST_FILE",
        "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS",
        "I_MPI_PERHOST",
        "HYDRA_HOST_FILE",
        "HYDRA_LAUNCH_EXTRA_ARGS",
    )
)

_OF_SSH = ("OMPI_MCA_plm_rsh_args", "I_MPI_HYDRA_BOOTSTRAP_EXEC_EXTRA_ARGS", "HYDRA_LAUNCH_EXTRA_ARGS")
SSH_PATH = "/root/.ssh"

# Other roles are passed over in silence (recorded).
TERMS = Terms(
    "mpiReplicaSpecs",
    ("Launcher", "Worker"),
    strict=None,
    needed=("Launcher",),
    single=("Launcher",),
    peopled=("Worker",),
    restart={"Launcher": "OnFailure"},
    restarts=("Never", "OnFailure"),
    hosts=("Worker",),
)


def _since_0_5(version: str) -> bool:
    """Whether the operator knows ``launcherCreationPolicy``, ``runLauncherAsWorker`` and MPICH."""
    from specgen.backends._mpi_operator import release

    return release(version) >= (0, 5)


def _refuses(version: str, launcher: RolePlan) -> str:
    if launcher.words.starts or _since_0_5(version):
        return ""
    return f"the launcher trains since mpi-operator 0.5, and this is {version}"


PLAN = Kind(
    KIND,
    operator=OPERATOR,
    roles=_mpi_job.ROLES,
    first=None,
    worker="worker",
    launcher="launcher",
    single=("launcher",),
    counts=_mpi_job.counts,
    starters=("mpirun", "horovodrun", "self", "none"),
    starter="mpirun",
    restart="Never",
    restarts={"launcher": "OnFailure"},
    # the options of ssh have a word of their own, and are refused with it
    reserved_env=INJECTED - frozenset(_OF_SSH),
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/job-role"),
    names=_mpi_job.names,
    letter="the mpi-operator wants a letter first",
    rigid="its processes are counted once, by mpirun",
    mpi=Mpi(
        agent=None,
        idle=("/usr/sbin/sshd", "-De"),
        keys=SSH_PATH,
        mounts=(("mpi-job-config", "/etc/mpi"), ("ssh-auth", SSH_PATH)),
        implementations=lambda version: ("OpenMPI", "Intel", "MPICH") if _since_0_5(version) else ("OpenMPI", "Intel"),
        holds=_since_0_5,
        refuses=_refuses,
    ),
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as an MPIJob of the mpi-operator; every part knows where it came from."""
    build = _job.envelope(plan, API_VERSION)
    spec = build.within("spec")
    _mpi_job.slots(plan, spec)
    _start(plan, spec)
    findings = _job.run_policy(plan, spec)
    findings += _mpi_job.restarts(plan, ("Never", "OnFailure"), "the mpi-operator refuses it with an event")
    findings += _mpi_job.blank(plan) + _job.no_success(plan, "an MPIJob succeeds when its launcher does")
    replicas = spec.within("mpiReplicaSpecs")
    for role in plan.roles:
        findings += _job.replica(plan, role, replicas, _mpi_job.CONTAINER)
    return _job.finished(plan, build, findings)


def _start(plan: Plan, spec: Build) -> None:
    """What of ``start`` is a field of the job: the rest stands in commands."""
    job, start = plan.job, start_words(plan.job, plan.world.starter)
    if start.implementation is not None:
        place = job.place(("start", "implementation"))
        spec.put("mpiImplementation", start.implementation, place, "`start.implementation`")
    if start.ssh is not None and start.ssh.keys is not None:
        spec.put("sshAuthMountPath", start.ssh.keys, job.place(("start", "ssh", "keys")), "`start.ssh.keys`")
    if plan.roles[0].late:
        said = job.place(("start", "wait")) if start.wait else None
        reason = "the launcher waits for its workers, or mpirun would fail until they answer"
        spec.put("launcherCreationPolicy", "WaitForWorkersReady", said, reason)
    if start.launcher_trains:
        place = job.place(("start", "launcherTrains"), KEY)
        spec.put("runLauncherAsWorker", True, place, "`start.launcherTrains`")


def absent_fields(version: str) -> frozenset[tuple[str, str]]:
    """Fields that the CRD of an older version lacks."""
    from specgen.backends._mpi_operator import absent_fields as fields

    return fields(version)


def unique_lists(version: str) -> tuple[str, ...] | None:
    """Lists whose keys an older version holds unique."""
    from specgen.backends._mpi_operator import unique_lists as lists

    return lists(version)


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_mpi_pods``)."""
    # loaded here: linting does not ask for it
    from specgen.backends._mpi_pods import expand as pods

    return pods(workload)


def refusals(workload: Workload) -> Iterator[tuple[Path, str, str, str]]:
    """(path, why, who, assumed) of a value that the newest schema takes and that of an older version refuses."""
    from specgen.backends._mpi_operator import server_refusal  # most clusters have the newest

    # the name is a rule's business
    who, reason = server_refusal("name", mapping(workload.manifest.tree.get("spec")), workload.version)
    if reason:
        yield ("spec", "mpiImplementation"), reason, who, ""


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: the first container of each role trains, slots are processes. Never raises."""
    workload = Workload(manifest, container=None, operator=OPERATOR, version=version or NEWEST)
    workload.added_volumes = ("ssh-auth", "mpi-job-config")
    workload.rules_env = INJECTED
    if workload.version != NEWEST:
        workload.refusals = refusals
    workload.terms = TERMS
    spec = mapping(manifest.tree.get("spec"))
    slots = spec.get("slotsPerWorker")
    if isinstance(slots, int) and not isinstance(slots, bool):
        workload.procs_per_pod = slots
        workload.procs_path = ("spec", "slotsPerWorker")
    roles = mapping(spec.get("mpiReplicaSpecs"))
    for name, unsaid in (("Launcher", 1), ("Worker", 0)):
        if isinstance(roles.get(name), dict):
            path = ("spec", "mpiReplicaSpecs", name)
            workload.roles.append(Role(workload, name, path, roles[name], unsaid=unsaid))
    return workload
