"""Written by `python -m specgen.generate` from `schemas/k8s/trainer.kubeflow.org/trainingruntime_v1alpha1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType
from specgen.tables.claims import LabelSelector, PersistentVolumeClaimSpec
from specgen.tables.pods import EmbeddedObjectMeta, PodTemplateSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DependsOn: Any = (
    {
        "name": {str: True},
        "status": {str: frozenset(("Ready", "Complete",)).__contains__},
    },
    ("name", "status",),
    None,
    None,
)
FailurePolicyRule: Any = (
    {
        "name": {str: True},
        "action": {str: frozenset(("FailJobSet", "RestartJobSet", "RestartJobSetAndIgnoreMaxRestarts", "RestartJob", "RestartJobAndIgnoreMaxRestarts",)).__contains__},
        "onJobFailureReasons": {list: {str: True}, NoneType: True},
        "onJobFailureMessagePatterns": {list: {str: True}, NoneType: True},
        "targetReplicatedJobs": {list: {str: True}, NoneType: True},
    },
    ("action", "name",),
    None,
    None,
)
PodFailurePolicyOnExitCodesRequirement: Any = (
    {
        "containerName": {str: True, NoneType: True},
        "operator": {str: True},
        "values": {list: {int: range(-2147483648, 2147483648).__contains__}},
    },
    ("operator", "values",),
    None,
    None,
)
PodFailurePolicyOnPodConditionsPattern: Any = (
    {
        "status": {str: True, NoneType: True},
        "type": {str: True},
    },
    ("type",),
    None,
    None,
)
PodFailurePolicyRule: Any = (
    {
        "action": {str: True},
        "onExitCodes": {dict: PodFailurePolicyOnExitCodesRequirement, NoneType: True},
        "onPodConditions": {list: {dict: PodFailurePolicyOnPodConditionsPattern}, NoneType: True},
    },
    ("action",),
    None,
    None,
)
PodFailurePolicy: Any = (
    {
        "rules": {list: {dict: PodFailurePolicyRule}},
    },
    ("rules",),
    None,
    None,
)
SuccessPolicyRule: Any = (
    {
        "succeededCount": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "succeededIndexes": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
SuccessPolicy: Any = (
    {
        "rules": {list: {dict: SuccessPolicyRule}},
    },
    ("rules",),
    None,
    None,
)
JobSpec: Any = (
    {
        "activeDeadlineSeconds": {int: True, NoneType: True},
        "backoffLimit": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "backoffLimitPerIndex": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "completionMode": {str: True, NoneType: True},
        "completions": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "managedBy": {str: True, NoneType: True},
        "manualSelector": {bool: True, NoneType: True},
        "maxFailedIndexes": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "parallelism": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "podFailurePolicy": {dict: PodFailurePolicy, NoneType: True},
        "podReplacementPolicy": {str: True, NoneType: True},
        "selector": {dict: LabelSelector, NoneType: True},
        "successPolicy": {dict: SuccessPolicy, NoneType: True},
        "suspend": {bool: True, NoneType: True},
        "template": {dict: PodTemplateSpec},
        "ttlSecondsAfterFinished": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    ("template",),
    None,
    None,
)
JobTemplateSpec: Any = (
    {
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: JobSpec, NoneType: True},
    },
    (),
    None,
    None,
)
Coordinator: Any = (
    {
        "replicatedJob": {str: True},
        "jobIndex": {int: True, NoneType: True},
        "podIndex": {int: True, NoneType: True},
    },
    ("replicatedJob",),
    None,
    None,
)
FailurePolicy: Any = (
    {
        "maxRestarts": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "restartStrategy": {str: frozenset(("Recreate", "BlockingRecreate", "InPlaceRestart",)).__contains__, NoneType: True},
        "rules": {list: {dict: FailurePolicyRule}, NoneType: True},
    },
    (),
    None,
    None,
)
ReplicatedJob: Any = (
    {
        "name": {str: True},
        "groupName": {str: True, NoneType: True},
        "template": {dict: JobTemplateSpec},
        "replicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "dependsOn": {list: {dict: DependsOn}, NoneType: True},
    },
    ("name", "template",),
    None,
    None,
)
Network: Any = (
    {
        "enableDNSHostnames": {bool: True, NoneType: True},
        "subdomain": {str: True, NoneType: True},
        "publishNotReadyAddresses": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
)
JobSetSuccessPolicy: Any = (
    {
        "operator": {str: frozenset(("All", "Any",)).__contains__},
        "targetReplicatedJobs": {list: {str: True}, NoneType: True},
    },
    ("operator",),
    None,
    None,
)
StartupPolicy: Any = (
    {
        "startupPolicyOrder": {str: frozenset(("AnyOrder", "InOrder",)).__contains__},
    },
    ("startupPolicyOrder",),
    None,
    None,
)
VolumeClaim: Any = (
    {
        "apiVersion": {str: True, NoneType: True},
        "kind": {str: True, NoneType: True},
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: PersistentVolumeClaimSpec, NoneType: True},
        "status": {dict: ANYTHING, NoneType: True},
    },
    (),
    None,
    None,
)
VolumeRetentionPolicy: Any = (
    {
        "whenDeleted": {str: frozenset(("Delete", "Retain",)).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
VolumeClaimPolicy: Any = (
    {
        "templates": {list: {dict: VolumeClaim}, NoneType: True},
        "retentionPolicy": {dict: VolumeRetentionPolicy, NoneType: True},
    },
    (),
    None,
    None,
)
JobSetSpec: Any = (
    {
        "replicatedJobs": {list: {dict: ReplicatedJob}, NoneType: True},
        "network": {dict: Network, NoneType: True},
        "successPolicy": {dict: JobSetSuccessPolicy, NoneType: True},
        "failurePolicy": {dict: FailurePolicy, NoneType: True},
        "startupPolicy": {dict: StartupPolicy, NoneType: True},
        "suspend": {bool: True, NoneType: True},
        "coordinator": {dict: Coordinator, NoneType: True},
        "managedBy": {str: True, NoneType: True},
        "ttlSecondsAfterFinished": {int: range(0, 2147483648).__contains__, NoneType: True},
        "volumeClaimPolicies": {list: {dict: VolumeClaimPolicy}, NoneType: True},
    },
    (),
    None,
    None,
)
