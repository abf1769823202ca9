"""Kubeflow's MPI operator, of MPIJob v2beta1.

Its flags name the gang scheduler, and where its lock lies.
"""

from __future__ import annotations

from specgen.gangs.coscheduling import SCHEDULER
from specgen.install.model import Flag
from specgen.operators.mpi.facts import OPERATOR

__all__ = ["GANG", "OPERATOR", "flags"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator

# The flag that names its gang scheduler (cmd/mpi-operator/app/options/options.go).
GANG = "--gang-scheduling"


def flags(entry: Operator, cluster: ClusterProfile) -> tuple[list[Flag], list[Finding]]:
    """Gang scheduler, and the namespace of the lock by which the operator elects its leader."""
    found, name = [], OPERATOR.name
    if entry.gang is not None:
        # pkg/controller/podgroup.go: a word other than volcano is the scheduler's name
        scheduler = "volcano" if entry.gang == "volcano" else cluster.scheduling.scheduler or SCHEDULER
        found.append(Flag(f"{GANG}={scheduler}", f"operators.{name}.gang"))
    assert OPERATOR.manifests is not None
    if entry.namespace not in (None, OPERATOR.manifests.namespace):
        # options.go: the default is upstream's namespace, which need not exist; the last of equal flags counts
        reason = f"operators.{name}.namespace: the lock lies in the namespace of the operator"
        found.append(Flag(f"--lock-namespace={entry.namespace}", reason))
    return found, []
