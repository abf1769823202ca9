"""MPIJob, ``kubeflow.org/v2beta1``: what the mpi-operator (kubeflow/mpi-operator) takes; it is read, not compiled to.

Read from release-0.8 (b10758d); differences of 0.6.0 and 0.4.0 from their tags. What the operator creates is in
``_mpi_pods``, what it refuses in ``_mpi_operator``.
"""

from __future__ import annotations

from specgen.manifest.views import Role, Workload, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.manifest.model import Manifest

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


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it: the first container of each role trains, slots are processes. Never raises."""
    workload = Workload(manifest, container=None, operator=OPERATOR, version=version or NEWEST)
    workload.added_volumes = ("ssh-auth", "mpi-job-config")
    workload.rules_env = INJECTED
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
