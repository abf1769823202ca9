"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/paddlejob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.metadata import ObjectMeta
from specgen.tables.metrics import MetricSpec
from specgen.tables.replicas import ReplicaSpec, RunPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ElasticPolicy: Any = (
    {
        "minReplicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "maxReplicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "maxRestarts": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "metrics": {list: {dict: MetricSpec}, NoneType: True},
    },
    (),
    None,
    None,
)
_PaddleJobSpec: Any = (
    {
        "paddleReplicaSpecs": {dict: ({ "Master": {dict: ReplicaSpec, NoneType: True}, "Worker": {dict: ReplicaSpec, NoneType: True}, }, (), {dict: ReplicaSpec, NoneType: True}, None)},
        "elasticPolicy": {dict: _ElasticPolicy, NoneType: True},
        "runPolicy": {dict: RunPolicy, NoneType: True},
    },
    ("paddleReplicaSpecs",),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("kubeflow.org/v1",)).__contains__}, "kind": {str: frozenset(("PaddleJob",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _PaddleJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
