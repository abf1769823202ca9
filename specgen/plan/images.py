"""Where images come from: the cluster's mirrors and the registries that it allows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.profile.cluster import ClusterProfile

# Fields with containers; a TrainJob says the image of its program beside the runtime's containers.
_CONTAINERS = ("containers", "initContainers", "trainer")


def registry(image: str) -> tuple[str, str]:
    """(registry, the rest) as container runtimes read a reference: no host means docker.io, no path there ``library/``."""
    first, slash, rest = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return first, rest
    return "docker.io", image if slash else f"library/{image}"


def mirror(image: str, cluster: ClusterProfile) -> str | None:
    """The entry of ``images.mirrors`` that speaks for an image: the longest that matches; None where none does."""
    mirrors = cluster.images.mirrors
    if not mirrors:
        return None
    host, rest = registry(image)
    full = f"{host}/{rest}"
    best = None
    for prefix in mirrors:
        if (full == prefix or full.startswith(prefix.rstrip("/") + "/")) and (best is None or len(prefix) > len(best)):
            best = prefix
    return best


def mirrored(image: str, cluster: ClusterProfile) -> str:
    """The image as this cluster pulls it: the entry of ``images.mirrors`` that speaks for it replaces its registry."""
    entry = mirror(image, cluster)
    if entry is None:
        return image
    full = "/".join(registry(image))
    return f"{cluster.images.mirrors[entry].rstrip('/')}/{full[len(entry.rstrip('/')) + 1 :]}"


def mirrored_in(tree: Any, cluster: ClusterProfile, *, container: bool = False) -> Any:
    """A tree in Kubernetes' spelling with the images of its containers, wherever they stand, as the cluster pulls them.

    ``container``: the tree is one itself. What holds none to rewrite is the same object.
    """
    if not cluster.images.mirrors:
        return tree
    if isinstance(tree, list):
        items = [mirrored_in(one, cluster, container=container) for one in tree]
        return items if any(new is not old for new, old in zip(items, tree, strict=True)) else tree
    if not isinstance(tree, dict):
        return tree
    found = {
        key: mirrored(value, cluster)
        if container and key == "image" and isinstance(value, str)
        else mirrored_in(value, cluster, container=key in _CONTAINERS)
        for key, value in tree.items()
    }
    return found if any(found[key] is not value for key, value in tree.items()) else tree


def allowed(image: str, cluster: ClusterProfile) -> bool:
    """Whether the image lies in a registry of ``images.allow``; an empty list allows all."""
    allow = cluster.images.allow
    if not allow:
        return True
    host, rest = registry(image)
    full = f"{host}/{rest}"
    return any(full.startswith(prefix.rstrip("/") + "/") for prefix in allow)
