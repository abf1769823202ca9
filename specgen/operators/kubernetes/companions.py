"""What the API server refuses of the objects that stand beside jobs: claims, volumes, ConfigMaps.

Read from Kubernetes 1.36, pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaim,
ValidatePersistentVolume, ValidateConfigMap). Their shape has been judged before.
"""

from __future__ import annotations

from specgen.diagnostics.model import shown
from specgen.manifest.views import mapping
from specgen.operators.kubernetes.names import is_key, is_subdomain
from specgen.operators.kubernetes.objects import marks, namespace_refusal
from specgen.operators.kubernetes.reason import because, missing, one_of, text
from specgen.operators.kubernetes.volumes import claim_spec, modes, one_source
from specgen.quantity import nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason

# Values of a ConfigMap together, in bytes (core/v1, MaxSecretSize).
_MOST = 1024 * 1024


def refusals(kind: str, tree: dict[str, Any]) -> Iterator[Reason]:
    """Everything for which an object of a kind is refused; of kinds that are unknown here, its metadata is judged."""
    metadata = mapping(tree.get("metadata"))
    name = text(metadata, "name")
    if name and not is_subdomain(name):
        yield because(("metadata", "name"), f"`{shown(name)}` is no name of an object")
    reason = namespace_refusal(metadata)
    if reason:
        yield because(("metadata", "namespace"), reason)
    yield from marks(metadata)
    judge = _JUDGES.get(kind)
    if judge is not None:
        yield from judge(tree)


def _claim(tree: dict[str, Any]) -> Iterator[Reason]:
    yield from claim_spec(mapping(tree.get("spec")), ("spec",))


def _volume(tree: dict[str, Any]) -> Iterator[Reason]:
    spec = mapping(tree.get("spec"))
    yield from modes(spec, ("spec",))
    capacity = mapping(spec.get("capacity"))
    size = nano(capacity.get("storage"))
    if capacity.get("storage") is None:
        yield missing(("spec", "capacity"))
    elif size is not None and size <= 0:
        message = f"`storage` of {shown(capacity['storage'])} is not above 0"
        yield because(("spec", "capacity", "storage"), message)
    yield from one_source(spec, ("spec",))
    name = text(spec, "storageClassName")
    if name and not is_subdomain(name):
        yield because(("spec", "storageClassName"), f"`{shown(name)}` is no name of an object")
    yield from one_of(spec, "persistentVolumeReclaimPolicy", ("spec",), ("Delete", "Recycle", "Retain"))
    yield from one_of(spec, "volumeMode", ("spec",), ("Block", "Filesystem"))


def _config_map(tree: dict[str, Any]) -> Iterator[Reason]:
    size = 0
    data, binary = mapping(tree.get("data")), mapping(tree.get("binaryData"))
    for field, values in (("data", data), ("binaryData", binary)):
        for key, value in values.items():
            if isinstance(key, str) and not is_key(key):
                message = f"`{shown(key)}` is no key: those have letters, digits, `-`, `_`, and `.`"
                yield because((field, key), message)
            elif field == "binaryData" and key in data:
                yield because((field, key), f"`{shown(key)}` stands in `data` as well", "", ("data", key))
            if isinstance(value, str):
                size += len(value.encode("utf-8", "replace")) if field == "data" else len(value) // 4 * 3
    if size > _MOST:
        yield because(("data" if data else "binaryData",), f"the values have {size} bytes, {_MOST} are the limit")


_JUDGES = {"ConfigMap": _config_map, "PersistentVolume": _volume, "PersistentVolumeClaim": _claim}
