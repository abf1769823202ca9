"""What makes a job slower than it was, or has it fail sooner, as far as its manifest tells.

Adapters and TCP as NCCL takes them (``nccl``), memory that processes share, and libraries that are loaded first.
"""

from __future__ import annotations

from specgen import nccl
from specgen.devices import is_adapter
from specgen.diagnostics.model import plural
from specgen.manifest.views import mapping, sequence
from specgen.quantity import nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.views import Container, Role, Workload

_PATHS = ("LD_PRELOAD", "LD_LIBRARY_PATH")


def slower(old: Workload, new: Workload) -> list[str]:
    """A sentence for each thing, without repeats, in the order of the roles."""
    before = {role.name: role for role in old.roles}
    found: dict[str, None] = {}
    for role in new.roles:
        if role.name in before:
            was, now = before[role.name].main, role.main
            if was is not None and now is not None:
                found.update(dict.fromkeys(_containers(before[role.name], was, role, now)))
    return list(found)


def _containers(old_role: Role, old: Container, new_role: Role, new: Container) -> Iterator[str]:
    was, now = _adapters(old), _adapters(new)
    if now < was:
        rest = plural(now, "network adapter") if now else "no network adapter"
        yield f"a pod has {rest} instead of {was}" + ("" if now else ": NCCL talks TCP")
    tcp = [name for name, value in _values(new).items() if nccl.without_ib(name, value)]
    if tcp and was and not any(nccl.without_ib(name, value) for name, value in _values(old).items()):
        yield f"`{tcp[0]}` has NCCL talk TCP"
    before, after = _shared(old_role, old), _shared(new_role, new)
    if before is not None and after is None:
        yield "`/dev/shm` is not in memory any more, or has 64 MiB"
    elif before is not None and after is not None and after < before:
        yield "`/dev/shm` holds less"
    for name in _PATHS:
        gone = [part for part in _parts(old, name) if part not in _parts(new, name)]
        if gone:
            yield f"`{name}` has lost `{gone[0]}`"
    for name in ("LD_PRELOAD",):
        for path in _parts(new, name):
            if _mounted(old, path) and not _mounted(new, path):
                yield f"nothing is mounted any more where `{path}` was, which `{name}` names"


def _values(container: Container) -> dict[str, str]:
    found = {name: entry.get("value") for name, (_, entry) in container.env.items()}
    return {name: value for name, value in found.items() if isinstance(value, str)}


def _adapters(container: Container) -> int:
    total = 0
    for name, (amount, _) in container.amounts().items():
        text = str(amount)
        if "/" in name and is_adapter(name) and text.isascii() and text.isdigit() and len(text) < 6:
            total += int(text)
    return total


def _shared(role: Role, container: Container) -> float | None:
    """Bytes of the memory that is mounted at /dev/shm, without end where it has no limit; None: none is."""
    if role.pod.get("hostIPC") is True:
        return float("inf")
    for _, entry in container.mounts:
        if entry["mountPath"].rstrip("/") == "/dev/shm":
            for volume in sequence(role.pod.get("volumes")):
                if mapping(volume).get("name") == entry.get("name"):
                    return _room(volume)
    return None


def _room(volume: Any) -> float | None:
    """Of a volume that is not the node's own, the memory that it may have."""
    source = mapping(volume).get("emptyDir")
    if source is not None and mapping(source).get("medium") != "Memory":
        return None
    size = nano(mapping(source).get("sizeLimit")) if mapping(source).get("sizeLimit") is not None else None
    return float("inf") if size is None else float(size)


def _parts(container: Container, name: str) -> list[str]:
    return [part for part in _values(container).get(name, "").replace(":", " ").split() if "$" not in part]


def _mounted(container: Container, path: str) -> bool:
    return any(f"{path}/".startswith(mount.rstrip("/") + "/") for mount in container.mounted)
