"""Written by `python -m specgen.generate` from `schemas/k8s/core/service_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.metadata import ObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ServicePort: Any = (
    {
        "appProtocol": {str: True, NoneType: True},
        "name": {str: True, NoneType: True},
        "nodePort": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "port": {int: range(-2147483648, 2147483648).__contains__},
        "protocol": {str: True, NoneType: True},
        "targetPort": {int: True, str: True, NoneType: True},
    },
    ("port",),
    None,
    None,
)
_ClientIPConfig: Any = (
    {
        "timeoutSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
_SessionAffinityConfig: Any = (
    {
        "clientIP": {dict: _ClientIPConfig, NoneType: True},
    },
    (),
    None,
    None,
)
_ServiceSpec: Any = (
    {
        "allocateLoadBalancerNodePorts": {bool: True, NoneType: True},
        "clusterIP": {str: True, NoneType: True},
        "clusterIPs": {list: {str: True}, NoneType: True},
        "externalIPs": {list: {str: True}, NoneType: True},
        "externalName": {str: True, NoneType: True},
        "externalTrafficPolicy": {str: True, NoneType: True},
        "healthCheckNodePort": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "internalTrafficPolicy": {str: True, NoneType: True},
        "ipFamilies": {list: {str: True}, NoneType: True},
        "ipFamilyPolicy": {str: True, NoneType: True},
        "loadBalancerClass": {str: True, NoneType: True},
        "loadBalancerIP": {str: True, NoneType: True},
        "loadBalancerSourceRanges": {list: {str: True}, NoneType: True},
        "ports": {list: {dict: _ServicePort}, NoneType: True},
        "publishNotReadyAddresses": {bool: True, NoneType: True},
        "selector": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "sessionAffinity": {str: True, NoneType: True},
        "sessionAffinityConfig": {dict: _SessionAffinityConfig, NoneType: True},
        "trafficDistribution": {str: True, NoneType: True},
        "type": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("v1",)).__contains__}, "kind": {str: frozenset(("Service",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _ServiceSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
