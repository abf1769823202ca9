"""Written by `python -m specgen.generate` from `schemas/k8s/resource.k8s.io/resourceclaimtemplate_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.tables.metadata import ObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OpaqueDeviceConfiguration: Any = (
    {
        "driver": {str: True},
        "parameters": {dict: ANYTHING},
    },
    ("driver", "parameters",),
    None,
    None,
)
_DeviceClaimConfiguration: Any = (
    {
        "opaque": {dict: _OpaqueDeviceConfiguration, NoneType: True},
        "requests": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
)
_DeviceConstraint: Any = (
    {
        "distinctAttribute": {str: True, NoneType: True},
        "matchAttribute": {str: True, NoneType: True},
        "requests": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
)
_CapacityRequirements: Any = (
    {
        "requests": {dict: ({}, (), {int: True, float: True, str: quantity, NoneType: True}, None), NoneType: True},
    },
    (),
    None,
    None,
)
_CELDeviceSelector: Any = (
    {
        "expression": {str: True},
    },
    ("expression",),
    None,
    None,
)
_DeviceSelector: Any = (
    {
        "cel": {dict: _CELDeviceSelector, NoneType: True},
    },
    (),
    None,
    None,
)
_DeviceToleration: Any = (
    {
        "effect": {str: True, NoneType: True},
        "key": {str: True, NoneType: True},
        "operator": {str: True, NoneType: True},
        "tolerationSeconds": {int: True, NoneType: True},
        "value": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_ExactDeviceRequest: Any = (
    {
        "adminAccess": {bool: True, NoneType: True},
        "allocationMode": {str: True, NoneType: True},
        "capacity": {dict: _CapacityRequirements, NoneType: True},
        "count": {int: True, NoneType: True},
        "deviceClassName": {str: True},
        "selectors": {list: {dict: _DeviceSelector}, NoneType: True},
        "tolerations": {list: {dict: _DeviceToleration}, NoneType: True},
    },
    ("deviceClassName",),
    None,
    None,
)
_DeviceSubRequest: Any = (
    {
        "allocationMode": {str: True, NoneType: True},
        "capacity": {dict: _CapacityRequirements, NoneType: True},
        "count": {int: True, NoneType: True},
        "deviceClassName": {str: True},
        "name": {str: True},
        "selectors": {list: {dict: _DeviceSelector}, NoneType: True},
        "tolerations": {list: {dict: _DeviceToleration}, NoneType: True},
    },
    ("deviceClassName", "name",),
    None,
    None,
)
_DeviceRequest: Any = (
    {
        "exactly": {dict: _ExactDeviceRequest, NoneType: True},
        "firstAvailable": {list: {dict: _DeviceSubRequest}, NoneType: True},
        "name": {str: True},
    },
    ("name",),
    None,
    None,
)
_DeviceClaim: Any = (
    {
        "config": {list: {dict: _DeviceClaimConfiguration}, NoneType: True},
        "constraints": {list: {dict: _DeviceConstraint}, NoneType: True},
        "requests": {list: {dict: _DeviceRequest}, NoneType: True},
    },
    (),
    None,
    None,
)
_ResourceClaimSpec: Any = (
    {
        "devices": {dict: _DeviceClaim, NoneType: True},
    },
    (),
    None,
    None,
)
_ResourceClaimTemplateSpec: Any = (
    {
        "metadata": {dict: ObjectMeta, NoneType: True},
        "spec": {dict: _ResourceClaimSpec, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("resource.k8s.io/v1",)).__contains__}, "kind": {str: frozenset(("ResourceClaimTemplate",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _ResourceClaimTemplateSpec}, }, ("apiVersion", "kind", "metadata", "spec",), None, None)}
