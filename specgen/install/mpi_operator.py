"""Kubeflow's MPI operator of MPIJob v2beta1: the standalone overlay and its flags.

Read from kubeflow/mpi-operator v0.4.0 to v0.8.0 and release-0.8: manifests/base/deployment.yaml, manifests/overlays/
standalone, cmd/mpi-operator/app/options/options.go. The container has ``args`` in all of them. It adds no container
to pods.
"""

from __future__ import annotations

from specgen.gangs.coscheduling import SCHEDULER
from specgen.install.model import Flag, Layout, release, tag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile, Operator

NAME = "mpi-operator"
KNOWN: tuple[str, ...] = ("0.4.0", "0.5.0", "0.6.0", "0.7.0", "0.8.0", "0.8.2")
_NAMESPACE = "mpi-operator"
_RELEASES = ("0.4", "0.5", "0.6", "0.7", "0.8")
# Later manifests name ghcr.io; a name that is not in the base does nothing there.
_IMAGES = ("mpioperator/mpi-operator", "ghcr.io/kubeflow/mpi-operator/controller")


def layout(version: str) -> Layout | None:
    """The standalone overlay of a version."""
    if release(version) not in _RELEASES:
        return None
    return Layout(
        "github.com/kubeflow/mpi-operator",
        "manifests/overlays/standalone",
        tag(version, KNOWN),
        namespace=_NAMESPACE,
        deployment="mpi-operator",
        container="mpi-operator",
        words="args",
        images=_IMAGES,
    )


def flags(operator: Operator, cluster: ClusterProfile, minor: str) -> tuple[list[Flag], list[Finding]]:
    """Gang scheduler, and the namespace of the lock by which the operator elects its leader."""
    found = []
    if operator.gang is not None:
        # pkg/controller/podgroup.go: a word other than volcano is the scheduler's name
        scheduler = "volcano" if operator.gang == "volcano" else cluster.scheduling.scheduler or SCHEDULER
        found.append(Flag(f"--gang-scheduling={scheduler}", f"operators.{NAME}.gang"))
    if operator.namespace not in (None, _NAMESPACE):
        # options.go: the default is the namespace mpi-operator, which need not exist; the last of equal flags counts
        reason = f"operators.{NAME}.namespace: the lock lies in the namespace of the operator"
        found.append(Flag(f"--lock-namespace={operator.namespace}", reason))
    return found, []
