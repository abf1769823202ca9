"""Where images come from: the cluster's mirrors and the registries that it allows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.profile.cluster import ClusterProfile


def registry(image: str) -> tuple[str, str]:
    """(registry, the rest) as container runtimes read a reference: no host means docker.io, no path there ``library/``."""
    first, slash, rest = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return first, rest
    return "docker.io", image if slash else f"library/{image}"


def mirrored(image: str, cluster: ClusterProfile) -> str:
    """The image as this cluster pulls it: the longest matching entry of ``images.mirrors`` replaces its registry."""
    mirrors = cluster.images.mirrors
    if not mirrors:
        return image
    host, rest = registry(image)
    full = f"{host}/{rest}"
    best = ""
    for prefix in mirrors:
        if (full == prefix or full.startswith(prefix.rstrip("/") + "/")) and len(prefix) > len(best):
            best = prefix
    if not best:
        return image
    return f"{mirrors[best].rstrip('/')}/{full[len(best.rstrip('/')) + 1 :]}"


def allowed(image: str, cluster: ClusterProfile) -> bool:
    """Whether the image lies in a registry of ``images.allow``; an empty list allows all."""
    allow = cluster.images.allow
    if not allow:
        return True
    host, rest = registry(image)
    full = f"{host}/{rest}"
    return any(full.startswith(prefix.rstrip("/") + "/") for prefix in allow)
