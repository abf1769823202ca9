"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/pytorchjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ManagedFieldsEntry: Any = (
    {
        "apiVersion": {str: True, NoneType: True},
        "fieldsType": {str: True, NoneType: True},
        "fieldsV1": {dict: ANYTHING, NoneType: True},
        "manager": {str: True, NoneType: True},
        "operation": {str: True, NoneType: True},
        "subresource": {str: True, NoneType: True},
        "time": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
OwnerReference: Any = (
    {
        "apiVersion": {str: True},
        "blockOwnerDeletion": {bool: True, NoneType: True},
        "controller": {bool: True, NoneType: True},
        "kind": {str: True},
        "name": {str: True},
        "uid": {str: True},
    },
    ("apiVersion", "kind", "name", "uid",),
    None,
    None,
)
ObjectMeta: Any = (
    {
        "annotations": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "creationTimestamp": {str: True, NoneType: True},
        "deletionGracePeriodSeconds": {int: True, NoneType: True},
        "deletionTimestamp": {str: True, NoneType: True},
        "finalizers": {list: {str: True}, NoneType: True},
        "generateName": {str: True, NoneType: True},
        "generation": {int: True, NoneType: True},
        "labels": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "managedFields": {list: {dict: ManagedFieldsEntry}, NoneType: True},
        "name": {str: True, NoneType: True},
        "namespace": {str: True, NoneType: True},
        "ownerReferences": {list: {dict: OwnerReference}, NoneType: True},
        "resourceVersion": {str: True, NoneType: True},
        "selfLink": {str: True, NoneType: True},
        "uid": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
