"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/pytorchjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import NoneType, quantity
from specgen.tables.pods import PodTemplateSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ReplicaSpec: Any = (
    {
        "replicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "template": {dict: PodTemplateSpec, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
SchedulingPolicy: Any = (
    {
        "minAvailable": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "queue": {str: True, NoneType: True},
        "minResources": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "priorityClass": {str: True, NoneType: True},
        "scheduleTimeoutSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
RunPolicy: Any = (
    {
        "cleanPodPolicy": {str: True, NoneType: True},
        "ttlSecondsAfterFinished": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "activeDeadlineSeconds": {int: True, NoneType: True},
        "backoffLimit": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "schedulingPolicy": {dict: SchedulingPolicy, NoneType: True},
        "suspend": {bool: True, NoneType: True},
        "managedBy": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
