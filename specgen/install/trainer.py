"""Kubeflow Trainer, of TrainJob.

It brings JobSet along. Runtimes are an overlay of their own (manifests/overlays/runtimes), applied once the manager's
webhook answers. Gang scheduling is no flag but a word of each runtime (podGroupPolicy). The containers of its pods are
those of the runtimes.
"""

from __future__ import annotations

from specgen.diagnostics.model import NOTE
from specgen.operators.trainer.facts import OPERATOR
from specgen.profile import codes

__all__ = ["OPERATOR", "flags"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.diagnostics.model import Finding
    from specgen.install.model import Flag
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.operator import Operator


def flags(entry: Operator, cluster: ClusterProfile) -> tuple[list[Flag], list[Finding]]:
    """None; a gang scheduler is noted, as its runtimes name it."""
    if entry.gang is None:
        return [], []
    message = f"`gang: {entry.gang}` sets no flag of the {OPERATOR.name}: its runtimes name the gang scheduler"
    return [], [codes.NOT_FOR_TARGET.at(("operators", OPERATOR.name, "gang"), message, severity=NOTE)]
