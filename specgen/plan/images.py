"""Where images come from: the cluster's mirrors and the registries that it allows."""

from __future__ import annotations

from specgen.diagnostics.model import KEY
from specgen.profile import codes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from specgen.diagnostics.model import Finding, Place
    from specgen.plan.model import Plan
    from specgen.profile.cluster import ClusterProfile
    from specgen.profile.resolve import ResolvedJob

# Fields with containers; a TrainJob says the image of its program beside the runtime's containers.
_CONTAINERS = ("containers", "initContainers", "trainer")


def registry(image: str) -> tuple[str, str]:
    """(registry, the rest) as container runtimes read a reference: no host is docker.io, no path there ``library/``."""
    first, slash, rest = image.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost"):
        return first, rest
    return "docker.io", image if slash else f"library/{image}"


def mirror(image: str, mirrors: Mapping[str, str]) -> str | None:
    """The entry of ``images.mirrors`` that speaks for an image: the longest that matches; None where none does."""
    if not mirrors:
        return None
    host, rest = registry(image)
    full = f"{host}/{rest}"
    best = None
    for prefix in mirrors:
        if (full == prefix or full.startswith(prefix.rstrip("/") + "/")) and (best is None or len(prefix) > len(best)):
            best = prefix
    return best


def mirrored(image: str, mirrors: Mapping[str, str]) -> str:
    """The image as this cluster pulls it: the entry of ``images.mirrors`` that speaks for it replaces its registry."""
    entry = mirror(image, mirrors)
    if entry is None:
        return image
    full = "/".join(registry(image))
    return f"{mirrors[entry].rstrip('/')}/{full[len(entry.rstrip('/')) + 1 :]}"


def pulled(plan: Plan, image: str) -> str:
    """The image as the plan's cluster pulls it; the plan keeps how it was written."""
    found = mirrored(image, plan.mirrors)
    if found != image:
        plan.pulled[found] = image
    return found


def mirrored_in(
    tree: Any, mirrors: Mapping[str, str], *, container: bool = False, met: dict[str, str] | None = None
) -> Any:
    """A tree in Kubernetes' spelling with the images of its containers, wherever they stand, as the cluster pulls them.

    ``container``: the tree is one itself. ``met`` gets images as they are pulled → as they were written. What holds
    none to rewrite is the same object.
    """
    if not mirrors:
        return tree
    if isinstance(tree, list):
        items = [mirrored_in(one, mirrors, container=container, met=met) for one in tree]
        return items if any(new is not old for new, old in zip(items, tree, strict=True)) else tree
    if not isinstance(tree, dict):
        return tree
    found = {}
    for key, value in tree.items():
        if container and key == "image" and isinstance(value, str):
            found[key] = mirrored(value, mirrors)
            if met is not None and found[key] != value:
                met[found[key]] = value
        else:
            found[key] = mirrored_in(value, mirrors, container=key in _CONTAINERS, met=met)
    return found if any(found[key] is not value for key, value in tree.items()) else tree


def allowed(image: str, cluster: ClusterProfile) -> bool:
    """Whether the image lies in a registry of ``images.allow``; an empty list allows all."""
    allow = cluster.images.allow
    if not allow:
        return True
    host, rest = registry(image)
    full = f"{host}/{rest}"
    return any(full.startswith(prefix.rstrip("/") + "/") for prefix in allow)


def image_checks(image: str, place: Place, job: ResolvedJob) -> list[Finding]:
    """SG207: it lies, once mirrors have rewritten it, where the cluster allows none.

    Whether a kubelet can pull by the name is judged of the manifest (``rules.unpullable_image``).
    """
    if not allowed(mirrored(image, job.cluster.images.mirrors), job.cluster):
        related = [(job.cluster_place(("images", "allow"), KEY), "allowed are these")]
        message = f"the image `{image}` lies in no registry that the cluster allows"
        return [codes.CONTRADICTION.at(place, message, related=related)]
    return []
