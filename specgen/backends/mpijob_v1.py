"""MPIJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/{mpi_types,mpi_validation}.go,
pkg/controller.v1/mpi/mpijob_controller.go; held against the recorded jobs of 1.9.4, 1.8.1 and 1.7.0.
What the operator creates is in ``_mpi_v1_pods``, what both versions of the kind say alike in ``_mpi_job``.
"""

from __future__ import annotations

from specgen.backends import _job, _mpi_job
from specgen.backends._roles import NEWEST, OPERATOR, RELEASES, absent_fields, add_roles, unique_lists
from specgen.manifest.views import Terms, Workload, mapping
from specgen.plan.kind import Kind
from specgen.plan.launching import Mpi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.diagnostics.model import Finding
    from specgen.manifest.model import Manifest
    from specgen.plan.model import Plan, RolePlan

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
KIND = "MPIJob"
SCHEMA = "mpijob_v1"
# It takes the first container, whatever its name is.
CONTAINER = None
FIELD = "mpiReplicaSpecs"
ROLES = ("Launcher", "Worker")

# Appended by the operator to the Launcher's first container.
INJECTED = frozenset(
    (
        "OMPI_MCA_plm_rsh_agent",
        "OMPI_MCA_orte_default_hostfile",
        "NVIDIA_VISIBLE_DEVICES",
        "NVIDIA_DRIVER_CAPABILITIES",
    )
)

# There is no webhook and no Service: nobody asks more of a name than that pods and labels can bear it (recorded).
TERMS = Terms(FIELD, ROLES, needed=("Launcher",), single=("Launcher",), hosts=(), letter_first=False, dots=True)


def _refuses(version: str, launcher: RolePlan) -> str:
    """The operator takes a launcher for a host where a limit of it has `gpu` in its name, whatever the job says."""
    counts = any("gpu" in name for name in launcher.devices.limits)
    if launcher.words.starts:
        return "the operator takes a launcher with GPUs for a worker: it would run processes too" if counts else ""
    return "" if counts else "the operator takes a launcher for a worker by its GPUs, and this one has none"


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
    reserved_env=INJECTED - frozenset(_mpi_job.BLANK),
    labels=("training.kubeflow.org/job-name", "training.kubeflow.org/replica-type"),
    names=_mpi_job.names,
    letter="",
    no_gang={"kueue": "Kueue knows MPIJobs of the mpi-operator alone"},
    rigid="its host file is written once",
    mpi=Mpi(
        agent="/etc/mpi/kubexec.sh",
        idle=("sleep", "365d"),
        mounts=(("mpi-job-config", "/etc/mpi"), ("mpi-job-kubectl", "/opt/kube")),
        implementations=lambda version: ("OpenMPI",),
        holds=lambda version: False,
        refuses=_refuses,
    ),
)


def lower(plan: Plan) -> tuple[Manifest, list[Finding]]:
    """The plan as an MPIJob of the training operator; every part knows where it came from."""
    build = _job.envelope(plan, API_VERSION)
    spec = build.within("spec")
    _mpi_job.slots(plan, spec)
    # the older of two places: runPolicy's is read too, and this one by the first operators of the kind as well
    _job.clean_pods(plan, spec)
    findings = _job.run_policy(plan, spec, cleans=False)
    findings += _mpi_job.restarts(plan, ("Never", "OnFailure"), "the job stays in Restarting for ever")
    findings += _mpi_job.blank(plan) + _job.no_success(plan, "an MPIJob succeeds when its launcher does")
    replicas = spec.within(FIELD)
    for role in plan.roles:
        findings += _job.replica(plan, role, replicas, _mpi_job.CONTAINER)
    return _job.finished(plan, build, findings)


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it, processes by ``slotsPerWorker``. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.added_volumes = ("mpi-job-kubectl", "mpi-job-config")
    workload.rules_env = INJECTED
    workload.terms = TERMS
    slots = mapping(manifest.tree.get("spec")).get("slotsPerWorker")
    if isinstance(slots, int) and not isinstance(slots, bool) and 0 < slots < 10**6:
        workload.procs_per_pod = slots
        workload.procs_path = ("spec", "slotsPerWorker")
    add_roles(workload, FIELD, ROLES)
    return workload


def expand(workload: Workload) -> Expansion:
    """What the operator creates (``_mpi_v1_pods``)."""
    # loaded here: neither building nor linting asks for it
    from specgen.backends._mpi_v1_pods import expand as pods

    return pods(workload)
