"""Merging a patch into a tree as Kubernetes does: lists by merge key, if any, else replaced; null removes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.source import Path

# Lists that merge, and by what: those of a pod by the list-map keys of the CRD of training-operator 1.9.4, and the
# Jobs of a JobSet by those of its own.
KEYS: dict[str, tuple[str, ...]] = {
    "containers": ("name",),
    "initContainers": ("name",),
    "ephemeralContainers": ("name",),
    "volumes": ("name",),
    "env": ("name",),
    "volumeMounts": ("mountPath",),
    "volumeDevices": ("devicePath",),
    "ports": ("containerPort", "protocol"),
    "imagePullSecrets": ("name",),
    "hostAliases": ("ip",),
    "topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "resourceClaims": ("name",),
    "replicatedJobs": ("name",),
}
_DEFAULTS = {"protocol": "TCP"}


def merge(
    tree: Any, patch: Any, path: Path, changed: list[tuple[Path, Path, bool]], patch_path: Path, key: str = ""
) -> Any:
    """The tree with the patch in it. ``changed`` gets (path, path in the patch, whether it replaced a value)."""
    if isinstance(tree, dict) and isinstance(patch, dict):
        merged = dict(tree)
        for name, value in patch.items():
            below, said = (*path, name), (*patch_path, name)
            if value is None:
                if merged.pop(name, None) is not None:
                    changed.append((below, said, True))
            elif name in merged:
                merged[name] = merge(merged[name], value, below, changed, said, name)
            else:
                merged[name] = value
                changed.append((below, said, False))
        return merged
    if isinstance(tree, list) and isinstance(patch, list) and key in KEYS:
        return _lists(tree, patch, path, changed, patch_path, KEYS[key])
    if tree != patch:
        changed.append((path, patch_path, True))
    return patch


def _identity(item: Any, keys: tuple[str, ...]) -> tuple[Any, ...] | None:
    """What an item of a list is known by; None: nothing that could be a key, and it is like no other one."""
    if not isinstance(item, dict):
        return None
    identity = tuple(item.get(key, _DEFAULTS.get(key)) for key in keys)
    return None if any(isinstance(one, (dict, list)) for one in identity) else identity


def _lists(
    tree: list[Any],
    patch: list[Any],
    path: Path,
    changed: list[tuple[Path, Path, bool]],
    patch_path: Path,
    keys: tuple[str, ...],
) -> list[Any]:
    merged = list(tree)
    places = {_identity(item, keys): index for index, item in enumerate(merged)}
    for number, item in enumerate(patch):
        identity = _identity(item, keys)
        index = places.get(identity) if identity is not None else None
        if index is None:
            changed.append(((*path, len(merged)), (*patch_path, number), False))
            merged.append(item)
        else:
            merged[index] = merge(merged[index], item, (*path, index), changed, (*patch_path, number))
    return merged
