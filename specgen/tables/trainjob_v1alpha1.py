"""Written by `python -m specgen.generate` from `schemas/k8s/trainer.kubeflow.org/trainjob_v1alpha1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.metadata import ObjectMeta
from specgen.tables.pods import Affinity, EmbeddedObjectMeta, EnvVar, LocalObjectReference, PodSchedulingGate, PodSecurityContext, ResourceRequirements, SecurityContext, Toleration, Volume, VolumeMount

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_RuntimeRef: Any = (
    {
        "name": {str: lambda text: 1 <= len(text) <= 253},
        "apiGroup": {str: lambda text: len(text) <= 253, NoneType: True},
        "kind": {str: lambda text: len(text) <= 253, NoneType: True},
    },
    ("name",),
    None,
    None,
)
_Trainer: Any = (
    {
        "image": {str: lambda text: len(text) <= 500, NoneType: True},
        "command": {list: {str: True}, NoneType: True},
        "args": {list: {str: True}, NoneType: True},
        "env": {list: {dict: EnvVar}, NoneType: True},
        "numNodes": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "resourcesPerNode": {dict: ResourceRequirements, NoneType: True},
        "numProcPerNode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
_DatasetInitializer: Any = (
    {
        "storageUri": {str: lambda text: len(text) <= 2048, NoneType: True},
        "env": {list: {dict: EnvVar}, NoneType: True},
        "secretRef": {dict: LocalObjectReference, NoneType: True},
    },
    (),
    None,
    None,
)
_Initializer: Any = (
    {
        "dataset": {dict: _DatasetInitializer, NoneType: True},
        "model": {dict: _DatasetInitializer, NoneType: True},
    },
    (),
    None,
    None,
)
_ContainerPatch: Any = (
    {
        "name": {str: lambda text: 1 <= len(text) <= 253},
        "env": {list: {dict: EnvVar}, NoneType: True},
        "volumeMounts": {list: {dict: VolumeMount}, NoneType: True},
        "securityContext": {dict: SecurityContext, NoneType: True},
    },
    ("name",),
    None,
    None,
)
_PodSpecPatch: Any = (
    {
        "serviceAccountName": {str: lambda text: len(text) <= 253, NoneType: True},
        "volumes": {list: {dict: Volume}, NoneType: True},
        "initContainers": {list: {dict: _ContainerPatch}, NoneType: True},
        "containers": {list: {dict: _ContainerPatch}, NoneType: True},
        "imagePullSecrets": {list: {dict: LocalObjectReference}, NoneType: True},
        "securityContext": {dict: PodSecurityContext, NoneType: True},
        "nodeSelector": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "affinity": {dict: Affinity, NoneType: True},
        "tolerations": {list: {dict: Toleration}, NoneType: True},
        "schedulingGates": {list: {dict: PodSchedulingGate}, NoneType: True},
        "terminationGracePeriodSeconds": {int: (0).__le__, NoneType: True},
    },
    (),
    None,
    None,
)
_PodTemplatePatch: Any = (
    {
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: _PodSpecPatch, NoneType: True},
    },
    (),
    None,
    None,
)
_JobSpecPatch: Any = (
    {
        "template": {dict: _PodTemplatePatch, NoneType: True},
    },
    (),
    None,
    None,
)
_JobTemplatePatch: Any = (
    {
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: _JobSpecPatch, NoneType: True},
    },
    (),
    None,
    None,
)
_ReplicatedJobPatch: Any = (
    {
        "name": {str: lambda text: 1 <= len(text) <= 253},
        "template": {dict: _JobTemplatePatch, NoneType: True},
    },
    ("name",),
    None,
    None,
)
_JobSetSpecPatch: Any = (
    {
        "replicatedJobs": {list: {dict: _ReplicatedJobPatch}, NoneType: True},
    },
    (),
    None,
    None,
)
_JobSetTemplatePatch: Any = (
    {
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: _JobSetSpecPatch, NoneType: True},
    },
    (),
    None,
    None,
)
_RuntimeSpecPatch: Any = (
    {
        "template": {dict: _JobSetTemplatePatch, NoneType: True},
    },
    (),
    None,
    None,
)
_RuntimePatch: Any = (
    {
        "manager": {str: lambda text: 1 <= len(text) <= 253},
        "time": {str: True, NoneType: True},
        "trainingRuntimeSpec": {dict: _RuntimeSpecPatch, NoneType: True},
    },
    ("manager",),
    None,
    None,
)
_TrainJobSpec: Any = (
    {
        "runtimeRef": {dict: _RuntimeRef},
        "trainer": {dict: _Trainer, NoneType: True},
        "initializer": {dict: _Initializer, NoneType: True},
        "runtimePatches": {list: {dict: _RuntimePatch}, NoneType: True},
        "suspend": {bool: True, NoneType: True},
        "managedBy": {str: frozenset(("trainer.kubeflow.org/trainjob-controller", "kueue.x-k8s.io/multikueue",)).__contains__, NoneType: True},
        "activeDeadlineSeconds": {int: (1).__le__, NoneType: True},
    },
    ("runtimeRef",),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("trainer.kubeflow.org/v1alpha1",)).__contains__}, "kind": {str: frozenset(("TrainJob",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _TrainJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
