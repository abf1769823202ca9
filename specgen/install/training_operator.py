"""Kubeflow's training operator, of PyTorchJob, TFJob, and MPIJob v1.

Its flags name the gang scheduler, and the images of the containers that it puts into pods.
"""

from __future__ import annotations

from specgen.gangs.coscheduling import SCHEDULER
from specgen.install.mirrors import of_operator
from specgen.install.model import Flag
from specgen.operators.training.facts import DELIVERY, OPERATOR

__all__ = ["GANG", "OPERATOR", "flags"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator

# The kind that this operator and the MPI operator both define, each in a version of its own, and its CRD.
SHARED_KIND, SHARED_CRD = "MPIJob", "mpijobs.kubeflow.org"
# The flag that names its gang scheduler (cmd/training-operator.v1/main.go).
GANG = "--gang-scheduler-name"


def flags(entry: Operator, cluster: ClusterProfile) -> tuple[list[Flag], list[Finding]]:
    """Gang scheduler, images of injected containers, and the kinds that are left to it."""
    found, name = [], OPERATOR.name
    if entry.gang == "volcano":
        found.append(Flag(f"{GANG}=volcano", f"operators.{name}.gang"))
    elif entry.gang is not None:
        # pkg/controller.v1/common/job.go: any other word is the name of the scheduler, which pods then bear
        scheduler = cluster.scheduling.scheduler or SCHEDULER
        found.append(Flag(f"{GANG}={scheduler}", f"operators.{name}.gang"))
    for container, flag in OPERATOR.image_flags.items():
        if container == DELIVERY and shares_crd(cluster):
            continue
        pulled = of_operator(OPERATOR.image(container, entry.version), cluster, name)
        if pulled.by:
            reason = f"the image of {container}, which the operator puts into pods, from the mirror"
            found.append(Flag(f"{flag}={pulled.image}", reason))
    if shares_crd(cluster):
        reason = f"{SHARED_CRD} belongs to the mpi-operator of this cluster"
        kept = [kind for kind in OPERATOR.kinds(entry.version) if kind != SHARED_KIND]
        found += [Flag(f"--enable-scheme={kind.lower()}", reason) for kind in kept]
    return found, []


def shares_crd(cluster: ClusterProfile) -> bool:
    """Whether the MPI operator is there too: then MPIJobs are its own, and this operator must not ask for theirs."""
    return cluster.operators.mpi_operator is not None
