"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/xgboostjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.metadata import ObjectMeta
from specgen.tables.replicas import ReplicaSpec, RunPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_XGBoostJobSpec: Any = (
    {
        "xgbReplicaSpecs": {dict: ({ "Master": {dict: ReplicaSpec, NoneType: True}, "Worker": {dict: ReplicaSpec, NoneType: True}, }, (), {dict: ReplicaSpec, NoneType: True}, None)},
        "runPolicy": {dict: RunPolicy, NoneType: True},
    },
    ("xgbReplicaSpecs",),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("kubeflow.org/v1",)).__contains__}, "kind": {str: frozenset(("XGBoostJob",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _XGBoostJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
