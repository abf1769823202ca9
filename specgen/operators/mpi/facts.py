"""The mpi-operator (kubeflow/mpi-operator): its releases, and what it calls things.

Read from release-0.8 (b10758d), v0.6.0 and v0.4.0: pkg/apis/kubeflow/v2beta1/default.go, pkg/controller/
mpi_job_controller.go; held against recordings of the three by ``tests/operators``. Manifests: manifests/base/
deployment.yaml and manifests/overlays/standalone of v0.4.0 to v0.8.0 and release-0.8; flags: cmd/mpi-operator/app/
options/options.go. The container has ``args`` in all of them. It puts no container into pods.
"""

from __future__ import annotations

from specgen.manifest.views import Terms, mapping
from specgen.operators import MULTIKUEUE
from specgen.operators.release import ALL_LISTS, Manifests, Operator, Release

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ITSELF = "kubeflow.org/mpi-operator"
SSH_PATH = "/root/.ssh"

_HUB = "mpioperator/mpi-operator"
# Of pod fields the recordings tell no release from another.
OPERATOR = Operator(
    "mpi-operator",
    (
        # its CRD is of the age of Kubernetes 1.25
        Release(
            "0.4.0",
            unique=("ports", "topologySpreadConstraints"),
            # the manifests of the first ones name Docker Hub
            own_images=(_HUB, "ghcr.io/kubeflow/mpi-operator/controller"),
        ),
        # brought the launcher that trains, launchers that wait, and MPICH
        Release(
            "0.5.0",
            read=False,
            unique=ALL_LISTS,
            fields={"": (("spec", "launcherCreationPolicy"), ("spec", "runLauncherAsWorker"))},
        ),
        Release("0.6.0", fields={"": (("runPolicy", "managedBy"),)}, tags={_HUB: "0.6.0"}),
        Release("0.7.0", read=False, tags={_HUB: "0.7.0"}),
        Release("0.8.0", tags={_HUB: "0.8.0"}),
        Release("0.8.2"),
    ),
    manifests=Manifests(
        "github.com/kubeflow/mpi-operator",
        "manifests/overlays/standalone",
        namespace="mpi-operator",
        deployment="mpi-operator",
        container="mpi-operator",
        words="args",
    ),
)

# (apiVersion, kind) that releases before those above served → who did. v0.3.0, manifests/base/crd.yaml: v1alpha2, v1,
# and v2beta1; v0.4.0: v2beta1 alone. v1 lives on in the training operator.
FORMER = {
    ("kubeflow.org/v1alpha1", "MPIJob"): "the mpi-operator before 0.3",
    ("kubeflow.org/v1alpha2", "MPIJob"): "the mpi-operator until 0.3",
}

# What a release does and those before did not, by the numbers of the first that does. Recorded: 0.4.0, 0.6.0, 0.8.2.
# It knows ``launcherCreationPolicy`` and ``runLauncherAsWorker``.
LAUNCHER_WORDS = OPERATOR.since(("spec", "runLauncherAsWorker"))
# sshd of the images beside the operator listens on the port that ``images`` says (build/base/Dockerfile).
KNOWN_PORT = (0, 4)
# ``runPolicy.managedBy`` leaves the job to another controller.
MANAGED = OPERATOR.since(("runPolicy", "managedBy"))
# It writes host files for MPICH.
MPICH = (0, 5)
# One Service stands before all pods, which search for hosts there; before, one stood before the Workers alone.
ONE_SERVICE = (0, 5)
# A launcher that works is number 0, the Workers count from 1, and the Service names pods that are not ready.
LAUNCHER_IS_FIRST = (0, 7)
# The launcher's Job makes a new pod only for one that has failed.
REPLACES_FAILED = (0, 8)

TERMS = Terms(
    "mpiReplicaSpecs",
    ("Launcher", "Worker"),
    needed=("Launcher",),
    single=("Launcher",),
    peopled=("Worker",),
    restart={"Launcher": "OnFailure"},
    restarts=("Never", "OnFailure"),
    managers=(ITSELF, MULTIKUEUE),
    hosts=("Worker",),
)

# The restart policy that each role gets where it gives none.
RESTARTS = {role: TERMS.restart.get(role, TERMS.restart[""]) for role in TERMS.roles}

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


def launchers_vary(version: str) -> bool:
    """Whether the operator knows ``launcherCreationPolicy`` and ``runLauncherAsWorker``."""
    return OPERATOR.at(version) >= LAUNCHER_WORDS


def implementations(version: str) -> tuple[str, ...]:
    """The words of ``mpiImplementation`` that a version writes host files for."""
    return ("OpenMPI", "Intel", "MPICH") if OPERATOR.at(version) >= MPICH else ("OpenMPI", "Intel")


def workers(roles: dict[str, Any]) -> int:
    """Workers as the operator counts them: 0 where no number is given."""
    count = mapping(roles.get("Worker")).get("replicas")
    return count if isinstance(count, int) and not isinstance(count, bool) else 0


def slots(spec: dict[str, Any]) -> int:
    """``slotsPerWorker``, 1 where it is not given."""
    count = spec.get("slotsPerWorker")
    return count if isinstance(count, int) and not isinstance(count, bool) else 1


def idle(spec: dict[str, Any], version: str) -> str:
    """Why the operator does not look at a job; empty: it does. Any word that it does not know is enough (recorded)."""
    manager = mapping(spec.get("runPolicy")).get("managedBy")
    if OPERATOR.at(version) >= MANAGED and manager not in (None, ITSELF):
        return f"`spec.runPolicy.managedBy` leaves the job to `{manager}`"
    return ""
