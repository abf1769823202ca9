"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/pytorchjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import NoneType, quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LabelSelectorRequirement: Any = (
    {
        "key": {str: True},
        "operator": {str: True},
        "values": {list: {str: True}, NoneType: True},
    },
    ("key", "operator",),
    None,
    None,
)
LabelSelector: Any = (
    {
        "matchExpressions": {list: {dict: LabelSelectorRequirement}, NoneType: True},
        "matchLabels": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
    },
    (),
    None,
    None,
)
TypedLocalObjectReference: Any = (
    {
        "apiGroup": {str: True, NoneType: True},
        "kind": {str: True},
        "name": {str: True},
    },
    ("kind", "name",),
    None,
    None,
)
TypedObjectReference: Any = (
    {
        "apiGroup": {str: True, NoneType: True},
        "kind": {str: True},
        "name": {str: True},
        "namespace": {str: True, NoneType: True},
    },
    ("kind", "name",),
    None,
    None,
)
VolumeResourceRequirements: Any = (
    {
        "limits": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "requests": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
    },
    (),
    None,
    None,
)
PersistentVolumeClaimSpec: Any = (
    {
        "accessModes": {list: {str: True}, NoneType: True},
        "dataSource": {dict: TypedLocalObjectReference, NoneType: True},
        "dataSourceRef": {dict: TypedObjectReference, NoneType: True},
        "resources": {dict: VolumeResourceRequirements, NoneType: True},
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
