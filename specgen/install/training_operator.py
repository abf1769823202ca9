"""Kubeflow's training operator: the standalone overlay, its flags, the containers that it puts into pods.

Read from kubeflow/training-operator (renamed kubeflow/trainer later; branch release-1.9 is the last of this operator):
manifests/base/deployment.yaml and manifests/overlays/standalone of v1.7.0, v1.8.1 and release-1.9,
cmd/training-operator.v1/main.go for the flags. The container has ``command: [/manager]`` and no arguments.
"""

from __future__ import annotations

from specgen.gangs.coscheduling import SCHEDULER
from specgen.install.mirrors import of_operator
from specgen.install.model import Flag, Layout, release, tag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile, Operator

NAME = "training-operator"
KNOWN: tuple[str, ...] = ("1.7.0", "1.8.0", "1.8.1", "1.9.0", "1.9.1", "1.9.2", "1.9.3", "1.9.4")

# The image moved from Docker Hub to ghcr.io within 1.9; a name that is not in the base does nothing there.
_HUB, _GHCR = "kubeflow/training-operator", "ghcr.io/kubeflow/training-v1/training-operator"
_IMAGES = {"1.7": (_HUB,), "1.8": (_HUB,), "1.9": (_GHCR, _HUB)}

# Container that the operator puts into pods → the flag that names its image.
INJECTED = {"init-pytorch": "--pytorch-init-container-image", "kubectl-delivery": "--mpi-kubectl-delivery-image"}
# The defaults of these flags. The second changed with each release (recorded).
_ALPINE = "alpine:3.10"
_DELIVERY = {
    "1.7": "mpioperator/kubectl-delivery:latest",
    "1.8": "kubeflow/kubectl-delivery:latest",
    "1.9": "ghcr.io/kubeflow/training-v1/kubectl-delivery:latest",
}
# What --enable-scheme takes besides mpijob.
_SCHEMES = {
    "1.7": ("tfjob", "pytorchjob", "mxjob", "xgboostjob", "paddlejob"),
    "1.8": ("tfjob", "pytorchjob", "mxjob", "xgboostjob", "paddlejob"),
    "1.9": ("tfjob", "pytorchjob", "xgboostjob", "paddlejob", "jaxjob"),
}
# The CRD that this operator and the MPI operator both define, each in a version of its own.
SHARED_CRD = "mpijobs.kubeflow.org"


def layout(version: str) -> Layout | None:
    """The standalone overlay of a version."""
    images = _IMAGES.get(release(version))
    if images is None:
        return None
    return Layout(
        "github.com/kubeflow/training-operator",
        "manifests/overlays/standalone",
        tag(version, KNOWN),
        namespace="kubeflow",
        deployment="training-operator",
        container="training-operator",
        words="command",
        images=images,
    )


def injected(minor: str) -> dict[str, str]:
    """Container → the image that a release, such as ``1.9``, gives it where no flag says otherwise."""
    return {"init-pytorch": _ALPINE, "kubectl-delivery": _DELIVERY[minor]}


def flags(operator: Operator, cluster: ClusterProfile, minor: str) -> tuple[list[Flag], list[Finding]]:
    """Gang scheduler, images of injected containers, and the kinds that are left to it."""
    found = []
    if operator.gang == "volcano":
        found.append(Flag("--gang-scheduler-name=volcano", f"operators.{NAME}.gang"))
    elif operator.gang is not None:
        # pkg/controller.v1/common/job.go: any other word is the name of the scheduler, which pods then bear
        scheduler = cluster.scheduling.scheduler or SCHEDULER
        found.append(Flag(f"--gang-scheduler-name={scheduler}", f"operators.{NAME}.gang"))
    for container, image in injected(minor).items():
        if container == "kubectl-delivery" and shares_crd(cluster):
            continue
        pulled = of_operator(image, cluster, NAME)
        if pulled.by:
            reason = f"the image of {container}, which the operator puts into pods, from the mirror"
            found.append(Flag(f"{INJECTED[container]}={pulled.image}", reason))
    if shares_crd(cluster):
        reason = f"{SHARED_CRD} belongs to the mpi-operator of this cluster"
        found += [Flag(f"--enable-scheme={scheme}", reason) for scheme in _SCHEMES[minor]]
    return found, []


def shares_crd(cluster: ClusterProfile) -> bool:
    """Whether the MPI operator is there too: then MPIJobs are its own, and this operator must not ask for theirs."""
    return cluster.operators.mpi_operator is not None
