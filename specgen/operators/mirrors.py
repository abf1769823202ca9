"""Which image is pulled in place of which: the one table of mirrors, and the operators' own mirrors above it.

``images.mirrors`` speaks for every image. ``operators.<name>.mirror`` speaks for the images of that operator: those of
its own pods and those that it puts into the pods of jobs. It replaces the registry and keeps the path.
"""

from __future__ import annotations

from specgen.plan.images import registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.profile.cluster import ClusterProfile
    from specgen.source import Path


class Pulled:
    """The image that is pulled, and the path in the cluster profile of what rewrote it; empty: it is as written."""

    __slots__ = ("by", "image")

    def __init__(self, image: str, by: Path = ()) -> None:
        self.image = image
        self.by = by


def of_job(image: str, cluster: ClusterProfile) -> Pulled:
    """An image of a job: the longest matching entry of ``images.mirrors``, as ``plan.images.mirrored`` takes it."""
    mirrors = cluster.images.mirrors
    host, rest = registry(image)
    full = f"{host}/{rest}"
    entries = [entry for entry in mirrors if full == entry or full.startswith(entry.rstrip("/") + "/")]
    if not entries:
        return Pulled(image)
    entry = max(entries, key=len)
    below = full[len(entry.rstrip("/")) + 1 :]
    return Pulled(f"{mirrors[entry].rstrip('/')}/{below}", ("images", "mirrors", entry))


def of_operator(image: str, cluster: ClusterProfile, name: str) -> Pulled:
    """An image of an operator or one that it puts into pods: its own mirror, else ``images.mirrors``."""
    operator = getattr(cluster.operators, name.replace("-", "_"), None)
    if operator is None or operator.mirror is None:
        return of_job(image, cluster)
    pulled = f"{operator.mirror.rstrip('/')}/{registry(image)[1]}"
    return Pulled(pulled, ("operators", name, "mirror"))
