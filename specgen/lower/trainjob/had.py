"""What a job needs and the pods of the cluster's runtime have already: nothing is to be changed for it.

A patch would replace what the runtime says, and releases that cannot patch it would refuse a job that runs as it is.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.plan.pods import RolePlan

_SHM = "/dev/shm"


def take_had(role: RolePlan, pods: list[dict[str, Any]], container: str) -> None:
    """Takes from a planned role the rights that the runtime's container has, and its `/dev/shm`.

    ``pods``: the specs of all pods that the role becomes. What somebody asked for of `/dev/shm` is held against the
    runtime's volume; where nobody did, any volume there will do.
    """
    if not pods or not all(_named(pod, container) for pod in pods):
        return
    contexts = [mapping(_named(pod, container).get("securityContext")) for pod in pods]
    add, privileged = role.security.get(("capabilities", "add")), role.security.get(("privileged",))
    if add is not None and all(_may(context, add.value) for context in contexts):
        del role.security["capabilities", "add"]
    if privileged is not None and privileged.value is True and all(one.get("privileged") is True for one in contexts):
        del role.security["privileged",]
    mount = next((one for one in role.mounts if one.path == _SHM), None)
    if mount is None:
        return
    volume = next(one for one in role.volumes if one.name == mount.volume)
    found = [_shared(pod, container) for pod in pods]
    if all(one is not None and (mount.said.place is None or one == volume.source) for one in found):
        role.mounts = [one for one in role.mounts if one is not mount]
        role.volumes = [one for one in role.volumes if one is not volume]


def _may(context: dict[str, Any], wanted: list[str]) -> bool:
    """Whether a container with this context has the capabilities."""
    added = sequence(mapping(context.get("capabilities")).get("add"))
    return context.get("privileged") is True or "ALL" in added or all(name in added for name in wanted)


def _named(pod: dict[str, Any], container: str) -> dict[str, Any]:
    listed = [mapping(one) for one in sequence(pod.get("containers"))]
    return next((one for one in listed if one.get("name") == container), {})


def _shared(pod: dict[str, Any], container: str) -> dict[str, Any] | None:
    """The source of the volume at `/dev/shm` of a container that is mounted whole; None: nothing is mounted there."""
    for mount in (mapping(one) for one in sequence(_named(pod, container).get("volumeMounts"))):
        if str(mount.get("mountPath")).rstrip("/") == _SHM and not mount.get("subPath") and not mount.get("readOnly"):
            for volume in (mapping(one) for one in sequence(pod.get("volumes"))):
                if volume.get("name") == mount.get("name"):
                    return {key: value for key, value in volume.items() if key != "name"}
    return None
