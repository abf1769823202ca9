"""Written by `python -m specgen.generate` from `schemas/k8s/core/persistentvolumeclaim_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.tables.claims import LabelSelector, TypedLocalObjectReference, TypedObjectReference
from specgen.tables.metadata import ObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_VolumeResourceRequirements: Any = (
    {
        "limits": {dict: ({}, (), {int: True, float: True, str: quantity, NoneType: True}, None), NoneType: True},
        "requests": {dict: ({}, (), {int: True, float: True, str: quantity, NoneType: True}, None), NoneType: True},
    },
    (),
    None,
    None,
)
_PersistentVolumeClaimSpec: Any = (
    {
        "accessModes": {list: {str: True}, NoneType: True},
        "dataSource": {dict: TypedLocalObjectReference, NoneType: True},
        "dataSourceRef": {dict: TypedObjectReference, NoneType: True},
        "resources": {dict: _VolumeResourceRequirements, NoneType: True},
        "selector": {dict: LabelSelector, NoneType: True},
        "storageClassName": {str: True, NoneType: True},
        "volumeAttributesClassName": {str: True, NoneType: True},
        "volumeMode": {str: True, NoneType: True},
        "volumeName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("v1",)).__contains__}, "kind": {str: frozenset(("PersistentVolumeClaim",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _PersistentVolumeClaimSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
