"""What lies at a path of a container: the mount that holds it, and the volume behind it."""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.directories import below

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.manifest.views import Container

# Volumes that the kubelet makes of objects, and mounts read-only (Kubernetes 1.36, "Volumes"); images are as well.
OF_OBJECTS = ("configMap", "downwardAPI", "projected", "secret")
_NEVER_WRITTEN = (*OF_OBJECTS, "image")


def mount_of(container: Container, path: str) -> tuple[int, dict[str, Any]] | None:
    """(index, entry) of the deepest mount that holds a path; None: it lies in the image's own layer."""
    above = [one for one in container.mounts if below(path, one[1]["mountPath"])]
    return max(above, key=lambda one: len(one[1]["mountPath"].rstrip("/"))) if above else None


def source_of(container: Container, mount: dict[str, Any]) -> dict[str, Any]:
    """What the volume of a mount is made of, without its name; empty where the pod has none, or it is in the claims."""
    volumes = [mapping(one) for one in sequence(container.role.pod.get("volumes"))]
    named = [one for one in volumes if one.get("name") == mount.get("name")]
    return {key: value for key, value in named[0].items() if key != "name"} if named else {}


def is_read_only(container: Container, mount: dict[str, Any]) -> bool:
    """Whether nothing can be written through a mount."""
    if mount.get("readOnly") is True:
        return True
    return _is_read_only(source_of(container, mount))


def mounts_read_only(container: Container) -> bool:
    """Whether one of its mounts takes nothing, asked of each volume once."""
    if any([entry.get("readOnly") is True for _, entry in container.mounts]):
        return True
    volumes = [mapping(one) for one in sequence(container.role.pod.get("volumes"))]
    names = {str(one.get("name")) for one in volumes if _is_read_only(one)}
    return bool(names) and any([str(entry.get("name")) in names for _, entry in container.mounts])


def _is_read_only(source: dict[str, Any]) -> bool:
    """Whether nobody can write into a volume, by what it is made of."""
    if any([kind in source for kind in _NEVER_WRITTEN]):
        return True
    return any([mapping(value).get("readOnly") is True for value in source.values()])
