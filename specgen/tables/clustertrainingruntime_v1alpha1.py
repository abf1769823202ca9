"""Written by `python -m specgen.generate` from `schemas/k8s/trainer.kubeflow.org/clustertrainingruntime_v1alpha1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import NoneType
from specgen.tables.jobsets import JobSetSpec
from specgen.tables.metadata import ObjectMeta
from specgen.tables.pods import EmbeddedObjectMeta

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_EnvInjectionTarget: Any = (
    {
        "jobName": {str: lambda text: 1 <= len(text) <= 253},
        "containerNames": {list: {str: lambda text: len(text) <= 63}},
    },
    ("containerNames", "jobName",),
    None,
    None,
)
_EnvInjection: Any = (
    {
        "targets": {list: {dict: _EnvInjectionTarget}, NoneType: True},
    },
    (),
    None,
    None,
)
_TorchPolicy: Any = (
    {
        "envInjection": {dict: _EnvInjection, NoneType: True},
    },
    (),
    None,
    None,
)
_MPIPolicy: Any = (
    {
        "numProcPerNode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "mpiImplementation": {str: frozenset(("OpenMPI", "",)).__contains__, NoneType: True},
        "sshAuthMountPath": {str: lambda text: len(text) <= 4096, NoneType: True},
        "runLauncherAsNode": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
)
_JAXPolicy: Any = (
    {},
    (),
    None,
    None,
)
_FluxPolicy: Any = (
    {
        "numProcPerNode": {int: range(1, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
_MLPolicy: Any = (
    {
        "numNodes": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "torch": {dict: _TorchPolicy, NoneType: True},
        "mpi": {dict: _MPIPolicy, NoneType: True},
        "jax": {dict: _JAXPolicy, NoneType: True},
        "xgboost": {dict: _JAXPolicy, NoneType: True},
        "flux": {dict: _FluxPolicy, NoneType: True},
    },
    (),
    None,
    None,
)
_CoschedulingPolicy: Any = (
    {
        "scheduleTimeoutSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
_NetworkTopology: Any = (
    {
        "mode": {str: frozenset(("hard", "soft",)).__contains__, NoneType: True},
        "highestTierAllowed": {int: True, NoneType: True},
    },
    (),
    None,
    None,
)
_VolcanoPolicy: Any = (
    {
        "networkTopology": {dict: _NetworkTopology, NoneType: True},
    },
    (),
    None,
    None,
)
_PodGroupPolicy: Any = (
    {
        "coscheduling": {dict: _CoschedulingPolicy, NoneType: True},
        "volcano": {dict: _VolcanoPolicy, NoneType: True},
    },
    (),
    None,
    None,
)
_JobSetTemplate: Any = (
    {
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: JobSetSpec, NoneType: True},
    },
    (),
    None,
    None,
)
_TrainingRuntimeSpec: Any = (
    {
        "mlPolicy": {dict: _MLPolicy, NoneType: True},
        "podGroupPolicy": {dict: _PodGroupPolicy, NoneType: True},
        "template": {dict: _JobSetTemplate, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("trainer.kubeflow.org/v1alpha1",)).__contains__}, "kind": {str: frozenset(("ClusterTrainingRuntime",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _TrainingRuntimeSpec, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
