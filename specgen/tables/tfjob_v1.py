"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/tfjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.metadata import ObjectMeta
from specgen.tables.replicas import ReplicaSpec, RunPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TFJobSpec: Any = (
    {
        "tfReplicaSpecs": {dict: ({ "Chief": {dict: ReplicaSpec, NoneType: True}, "Master": {dict: ReplicaSpec, NoneType: True}, "Worker": {dict: ReplicaSpec, NoneType: True}, "PS": {dict: ReplicaSpec, NoneType: True}, "Evaluator": {dict: ReplicaSpec, NoneType: True}, }, (), {dict: ReplicaSpec, NoneType: True}, None)},
        "successPolicy": {str: True, NoneType: True},
        "enableDynamicWorker": {bool: True, NoneType: True},
        "runPolicy": {dict: RunPolicy, NoneType: True},
    },
    ("tfReplicaSpecs",),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("kubeflow.org/v1",)).__contains__}, "kind": {str: frozenset(("TFJob",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _TFJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
