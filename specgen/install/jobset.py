"""JobSet beside Trainer: of a local base, where Trainer's own manifests would fetch its release.

It keeps the namespace of its manifests (jobset-system), and pulls its image from Trainer's mirror, as it comes with it.
"""

from __future__ import annotations

from specgen.emit import kustomize
from specgen.install.mirrors import rewritten
from specgen.operators.jobset.facts import OPERATOR
from specgen.operators.trainer.facts import JOBSET_IMAGE
from specgen.operators.trainer.facts import OPERATOR as TRAINER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.install.model import Base
    from specgen.profile.cluster import ClusterProfile

NAME = OPERATOR.name


def kustomization(base: Base, cluster: ClusterProfile) -> dict[str, Any]:
    """The kustomization of its directory."""
    tree = kustomize.kustomization(base.resources)
    images = rewritten((JOBSET_IMAGE,), cluster, TRAINER.name)
    return {**tree, "images": images} if images else tree
