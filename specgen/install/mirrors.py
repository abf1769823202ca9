"""Which image is pulled in place of which: the one table of mirrors, and the operators' own mirrors above it.

``images.mirrors`` speaks for every image. ``operators.<name>.mirror`` speaks for the images of that operator: those of
its own pods and those that it puts into the pods of jobs. It replaces the registry and keeps the path.
"""

from __future__ import annotations

from specgen.plan.images import mirror, mirrored, registry
from specgen.profile.library import installed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.profile.cluster import ClusterProfile
    from specgen.source import Path


class Pulled:
    """The image that is pulled, and the path in the cluster profile of what rewrote it; empty: it is as written."""

    __slots__ = ("by", "image")

    def __init__(self, image: str, by: Path = ()) -> None:
        self.image = image
        self.by = by


def of_job(image: str, cluster: ClusterProfile) -> Pulled:
    """An image of a job, with the entry of ``images.mirrors`` that speaks for it."""
    entry = mirror(image, cluster.images.mirrors)
    return Pulled(mirrored(image, cluster.images.mirrors), () if entry is None else ("images", "mirrors", entry))


def of_operator(image: str, cluster: ClusterProfile, name: str) -> Pulled:
    """An image of an operator or one that it puts into pods: its own mirror, else ``images.mirrors``."""
    operator = installed(cluster, name)
    if operator is None or operator.mirror is None:
        return of_job(image, cluster)
    pulled = f"{operator.mirror.rstrip('/')}/{registry(image)[1]}"
    return Pulled(pulled, ("operators", name, "mirror"))


def rewritten(
    own: Sequence[str], cluster: ClusterProfile, name: str, said: Sequence[dict[str, str]] = ()
) -> list[dict[str, str]]:
    """What ``images:`` of a kustomization says of an operator's own images; tags stay those of its base.

    ``said``: what the base says there itself, whose tags go on.
    """
    found = {one["name"]: dict(one) for one in said}
    for image in own:
        pulled = of_operator(image, cluster, name)
        if pulled.by:
            found.setdefault(image, {"name": image})["newName"] = pulled.image
    return list(found.values())
