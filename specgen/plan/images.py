"""Where images come from: the cluster's mirrors and the registries that it allows."""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING
from specgen.profile import codes
from specgen.schema.codes import WRONG_VALUE

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
_LOWER = "abcdefghijklmnopqrstuvwxyz0123456789"
_TAG = _LOWER + _LOWER[:26].upper() + "_.-"


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
    """SG104: no kubelet can pull it; SG207: it lies, once mirrors have rewritten it, where the cluster allows none.

    The first is a warning: it may be a name that is filled in later, such as by an `images` entry of kustomize.
    """
    if not is_reference(image):
        message = f"`image` takes a reference such as registry.example.com/train:1.4, not `{image}`"
        notes = ["the API server takes it, and the kubelet stops at `InvalidImageName`"]
        helps = ["leave the scheme out"] if "://" in image else []
        label = "no image has this name"
        return [WRONG_VALUE.at(place, message, label=label, notes=notes, helps=helps, severity=WARNING)]
    if not allowed(mirrored(image, job.cluster.images.mirrors), job.cluster):
        related = [(job.cluster_place(("images", "allow"), KEY), "allowed are these")]
        message = f"the image `{image}` lies in no registry that the cluster allows"
        return [codes.CONTRADICTION.at(place, message, related=related)]
    return []


def is_reference(image: str) -> bool:
    """Whether container runtimes read it: `host:port/path/name:tag@digest` (distribution/reference, regexp.go).

    A text that a tool still fills in, such as ``${TAG}``, is taken for one.
    """
    if "$" in image or "{{" in image:
        return True
    name, at, digest = image.partition("@")
    if at:
        algorithm, colon, code = digest.partition(":")
        if not (algorithm and colon and len(code) >= 32) or code.strip("0123456789abcdef"):
            return False
    path, colon, tag = name.rpartition(":")
    if colon and "/" not in tag:
        if not 0 < len(tag) <= 128 or tag[0] in ".-" or tag.strip(_TAG):
            return False
    else:
        path = name
    first, slash, rest = path.partition("/")
    if slash and ("." in first or ":" in first or first == "localhost" or first != first.lower()):
        host, colon, port = first.partition(":")
        if not host or host.lower().strip(_LOWER + ".-[]:") or (colon and not port.rpartition(":")[2].isdecimal()):
            return False
        path = rest
    return all(_is_part(part) for part in path.split("/"))


def _is_part(part: str) -> bool:
    """Lower-case words with a dot, one or two underscores, or dashes between."""
    if not part or part.strip(_LOWER + "._-") or part[0] in "._-" or part[-1] in "._-":
        return False
    return not any(pair in part for pair in ("..", "._", "_.", ".-", "-.", "_-", "-_", "___"))
