"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/pytorchjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.metadata import ObjectMeta
from specgen.tables.metrics import MetricSpec
from specgen.tables.replicas import ReplicaSpec, RunPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_RendezvousSetting: Any = (
    {
        "key": {str: True, NoneType: True},
        "value": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_ElasticPolicy: Any = (
    {
        "minReplicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "maxReplicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "rdzvBackend": {str: True, NoneType: True},
        "rdzvHost": {str: True, NoneType: True},
        "rdzvPort": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "rdzvId": {str: True, NoneType: True},
        "rdzvConf": {list: {dict: _RendezvousSetting}, NoneType: True},
        "standalone": {bool: True, NoneType: True},
        "nProcPerNode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "maxRestarts": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "metrics": {list: {dict: MetricSpec}, NoneType: True},
    },
    (),
    None,
    None,
)
_PyTorchJobSpec: Any = (
    {
        "pytorchReplicaSpecs": {dict: ({ "Master": {dict: ReplicaSpec, NoneType: True}, "Worker": {dict: ReplicaSpec, NoneType: True}, }, (), {dict: ReplicaSpec, NoneType: True}, None)},
        "nprocPerNode": {str: True, NoneType: True},
        "elasticPolicy": {dict: _ElasticPolicy, NoneType: True},
        "runPolicy": {dict: RunPolicy, NoneType: True},
    },
    ("pytorchReplicaSpecs",),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("kubeflow.org/v1",)).__contains__}, "kind": {str: frozenset(("PyTorchJob",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _PyTorchJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
