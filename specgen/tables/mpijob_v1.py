"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/mpijob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.metadata import ObjectMeta
from specgen.tables.replicas import ReplicaSpec, RunPolicy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MPIJobSpec: Any = (
    {
        "mpiReplicaSpecs": {dict: ({ "Launcher": {dict: ReplicaSpec, NoneType: True}, "Worker": {dict: ReplicaSpec, NoneType: True}, }, (), {dict: ReplicaSpec, NoneType: True}, None)},
        "slotsPerWorker": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "cleanPodPolicy": {str: True, NoneType: True},
        "mainContainer": {str: True, NoneType: True},
        "runPolicy": {dict: RunPolicy, NoneType: True},
    },
    ("mpiReplicaSpecs",),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("kubeflow.org/v1",)).__contains__}, "kind": {str: frozenset(("MPIJob",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _MPIJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
