"""Kubeflow Trainer: the overlay of its manager, which brings JobSet along.

Read from kubeflow/trainer: manifests/overlays/manager, manifests/base/manager/manager.yaml,
manifests/third-party/jobset. Runtimes are an overlay of their own (manifests/overlays/runtimes), applied once the
manager's webhook answers. Gang scheduling is no flag but a word of each runtime (podGroupPolicy). The containers of its
pods are those of the runtimes.
"""

from __future__ import annotations

from specgen.diagnostics.model import NOTE
from specgen.install.model import Flag, Layout, release, tag
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterProfile, Operator

NAME = "trainer"
KNOWN: tuple[str, ...] = ("2.0.0", "2.0.1", "2.1.0", "2.2.0", "2.2.1", "2.3.0")
_RELEASES = ("2.0", "2.1", "2.2", "2.3")


def layout(version: str) -> Layout | None:
    """The manager's overlay of a version."""
    if release(version) not in _RELEASES:
        return None
    return Layout(
        "github.com/kubeflow/trainer",
        "manifests/overlays/manager",
        tag(version, KNOWN),
        namespace="kubeflow-system",
        deployment="kubeflow-trainer-controller-manager",
        container="manager",
        words="args",
        images=("ghcr.io/kubeflow/trainer/trainer-controller-manager", "registry.k8s.io/jobset/jobset"),
    )


def flags(operator: Operator, cluster: ClusterProfile, minor: str) -> tuple[list[Flag], list[Finding]]:
    """None; a gang scheduler is noted, as its runtimes name it."""
    if operator.gang is None:
        return [], []
    message = f"`gang: {operator.gang}` sets no flag of the {NAME}: its runtimes name the gang scheduler"
    return [], [codes.NOT_FOR_TARGET.at(("operators", NAME, "gang"), message, severity=NOTE)]
