"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/pytorchjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import NoneType, quantity
from specgen.tables.claims import LabelSelector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CrossVersionObjectReference: Any = (
    {
        "apiVersion": {str: True, NoneType: True},
        "kind": {str: True},
        "name": {str: True},
    },
    ("kind", "name",),
    None,
    None,
)
MetricIdentifier: Any = (
    {
        "name": {str: True},
        "selector": {dict: LabelSelector, NoneType: True},
    },
    ("name",),
    None,
    None,
)
MetricTarget: Any = (
    {
        "averageUtilization": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "averageValue": {int: True, str: quantity, NoneType: True},
        "type": {str: True},
        "value": {int: True, str: quantity, NoneType: True},
    },
    ("type",),
    None,
    None,
)
ContainerResourceMetricSource: Any = (
    {
        "container": {str: True},
        "name": {str: True},
        "target": {dict: MetricTarget},
    },
    ("container", "name", "target",),
    None,
    None,
)
ExternalMetricSource: Any = (
    {
        "metric": {dict: MetricIdentifier},
        "target": {dict: MetricTarget},
    },
    ("metric", "target",),
    None,
    None,
)
ObjectMetricSource: Any = (
    {
        "describedObject": {dict: CrossVersionObjectReference},
        "metric": {dict: MetricIdentifier},
        "target": {dict: MetricTarget},
    },
    ("describedObject", "metric", "target",),
    None,
    None,
)
ResourceMetricSource: Any = (
    {
        "name": {str: True},
        "target": {dict: MetricTarget},
    },
    ("name", "target",),
    None,
    None,
)
MetricSpec: Any = (
    {
        "containerResource": {dict: ContainerResourceMetricSource, NoneType: True},
        "external": {dict: ExternalMetricSource, NoneType: True},
        "object": {dict: ObjectMetricSource, NoneType: True},
        "pods": {dict: ExternalMetricSource, NoneType: True},
        "resource": {dict: ResourceMetricSource, NoneType: True},
        "type": {str: True},
    },
    ("type",),
    None,
    None,
)
PodsMetricSource = ExternalMetricSource
