"""MPIJob, ``kubeflow.org/v1``: what the training operator (kubeflow/trainer, branch release-1.9) takes.

Read from v1.9.4 (4445c12): pkg/apis/kubeflow.org/v1/{mpi_types,mpi_validation}.go,
pkg/controller.v1/mpi/mpijob_controller.go.
What the operator creates is in ``_mpi_v1_pods``.
"""

from __future__ import annotations

from specgen.backends._roles import NEWEST, OPERATOR, RELEASES, absent_fields, add_roles, unique_lists
from specgen.manifest.views import Workload, mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.backends._expansion import Expansion
    from specgen.manifest.model import Manifest

__all__ = (
    "API_VERSION",
    "CONTAINER",
    "FIELD",
    "INJECTED",
    "KIND",
    "NEWEST",
    "OPERATOR",
    "RELEASES",
    "ROLES",
    "SCHEMA",
    "absent_fields",
    "expand",
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


def read(manifest: Manifest, version: str | None = None) -> Workload:
    """The job as the operator sees it, processes by ``slotsPerWorker``. Never raises."""
    workload = Workload(manifest, container=CONTAINER, operator=OPERATOR, version=version or NEWEST)
    workload.added_volumes = ("mpi-job-kubectl", "mpi-job-config")
    workload.rules_env = INJECTED
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
