"""Written by `python -m specgen.generate` from `schemas/k8s/batch.volcano.sh/job_v1alpha1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.schema.formats import name, subdomain
from specgen.tables.claims import PersistentVolumeClaimSpec
from specgen.tables.metadata import ObjectMeta
from specgen.tables.pods import Affinity, Container, EmbeddedObjectMeta, EphemeralContainer, HostAlias, LocalObjectReference, PodDNSConfig, PodOS, PodReadinessGate, PodResourceClaim, PodSchedulingGate, PodSecurityContext, ResourceRequirements, Toleration, TopologySpreadConstraint, Volume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WorkloadReference: Any = (
    {
        "name": {str: True},
        "podGroup": {str: True},
        "podGroupReplicaKey": {str: True, NoneType: True},
    },
    ("name", "podGroup",),
    None,
    None,
)
_PodSpec: Any = (
    {
        "activeDeadlineSeconds": {int: True, NoneType: True},
        "affinity": {dict: Affinity, NoneType: True},
        "automountServiceAccountToken": {bool: True, NoneType: True},
        "containers": {list: {dict: Container}},
        "dnsConfig": {dict: PodDNSConfig, NoneType: True},
        "dnsPolicy": {str: True, NoneType: True},
        "enableServiceLinks": {bool: True, NoneType: True},
        "ephemeralContainers": {list: {dict: EphemeralContainer}, NoneType: True},
        "hostAliases": {list: {dict: HostAlias}, NoneType: True},
        "hostIPC": {bool: True, NoneType: True},
        "hostNetwork": {bool: True, NoneType: True},
        "hostPID": {bool: True, NoneType: True},
        "hostUsers": {bool: True, NoneType: True},
        "hostname": {str: True, NoneType: True},
        "hostnameOverride": {str: True, NoneType: True},
        "imagePullSecrets": {list: {dict: LocalObjectReference}, NoneType: True},
        "initContainers": {list: {dict: Container}, NoneType: True},
        "nodeName": {str: True, NoneType: True},
        "nodeSelector": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "os": {dict: PodOS, NoneType: True},
        "overhead": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "preemptionPolicy": {str: True, NoneType: True},
        "priority": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "priorityClassName": {str: True, NoneType: True},
        "readinessGates": {list: {dict: PodReadinessGate}, NoneType: True},
        "resourceClaims": {list: {dict: PodResourceClaim}, NoneType: True},
        "resources": {dict: ResourceRequirements, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
        "runtimeClassName": {str: True, NoneType: True},
        "schedulerName": {str: True, NoneType: True},
        "schedulingGates": {list: {dict: PodSchedulingGate}, NoneType: True},
        "securityContext": {dict: PodSecurityContext, NoneType: True},
        "serviceAccount": {str: True, NoneType: True},
        "serviceAccountName": {str: True, NoneType: True},
        "setHostnameAsFQDN": {bool: True, NoneType: True},
        "shareProcessNamespace": {bool: True, NoneType: True},
        "subdomain": {str: True, NoneType: True},
        "terminationGracePeriodSeconds": {int: True, NoneType: True},
        "tolerations": {list: {dict: Toleration}, NoneType: True},
        "topologySpreadConstraints": {list: {dict: TopologySpreadConstraint}, NoneType: True},
        "volumes": {list: {dict: Volume}, NoneType: True},
        "workloadRef": {dict: _WorkloadReference, NoneType: True},
    },
    ("containers",),
    None,
    None,
)
_PodTemplateSpec: Any = (
    {
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: _PodSpec, NoneType: True},
    },
    (),
    None,
    None,
)
_LifecyclePolicy: Any = (
    {
        "action": {str: True, NoneType: True},
        "event": {str: frozenset(("*", "PodPending", "PodRunning", "PodFailed", "PodEvicted", "Unknown", "TaskCompleted", "OutOfSync", "CommandIssued", "JobUpdated", "TaskFailed",)).__contains__, NoneType: True},
        "events": {list: {str: frozenset(("*", "PodPending", "PodRunning", "PodFailed", "PodEvicted", "Unknown", "TaskCompleted", "OutOfSync", "CommandIssued", "JobUpdated", "TaskFailed",)).__contains__}, NoneType: True},
        "exitCode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "timeout": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_NetworkTopology: Any = (
    {
        "mode": {str: frozenset(("hard", "soft",)).__contains__, NoneType: True},
        "highestTierAllowed": {int: (0).__le__, NoneType: True},
        "highestTierName": {str: lambda text: len(text) <= 253, NoneType: True},
    },
    (),
    None,
    None,
)
_PartitionPolicy: Any = (
    {
        "totalPartitions": {int: range(1, 2147483648).__contains__},
        "partitionSize": {int: range(1, 2147483648).__contains__},
        "minPartitions": {int: range(0, 2147483648).__contains__, NoneType: True},
        "networkTopology": {dict: _NetworkTopology, NoneType: True},
    },
    ("partitionSize", "totalPartitions",),
    None,
    None,
)
_TaskDependsOn: Any = (
    {
        "name": {list: {str: True}, NoneType: True},
        "iteration": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_Task: Any = (
    {
        "name": {str: name, NoneType: True},
        "replicas": {int: range(0, 2147483648).__contains__, NoneType: True},
        "minAvailable": {int: range(0, 2147483648).__contains__, NoneType: True},
        "template": {dict: _PodTemplateSpec, NoneType: True},
        "policies": {list: {dict: _LifecyclePolicy}, NoneType: True},
        "topologyPolicy": {str: frozenset(("none", "best-effort", "restricted", "single-numa-node",)).__contains__, NoneType: True},
        "partitionPolicy": {dict: _PartitionPolicy, NoneType: True},
        "maxRetry": {int: range(0, 2147483648).__contains__, NoneType: True},
        "dependsOn": {dict: _TaskDependsOn, NoneType: True},
    },
    (),
    None,
    None,
)
_VolumeSpec: Any = (
    {
        "mountPath": {str: True},
        "volumeClaimName": {str: lambda text: len(text) <= 253, NoneType: True},
        "volumeClaim": {dict: PersistentVolumeClaimSpec, NoneType: True},
    },
    ("mountPath",),
    None,
    None,
)
_VolcanoJobSpec: Any = (
    {
        "schedulerName": {str: lambda text: len(text) <= 63, NoneType: True},
        "minAvailable": {int: range(0, 2147483648).__contains__, NoneType: True},
        "minSuccess": {int: range(1, 2147483648).__contains__, NoneType: True},
        "queue": {str: lambda text: len(text) <= 253 and subdomain(text), NoneType: True},
        "priorityClassName": {str: lambda text: len(text) <= 253 and subdomain(text), NoneType: True},
        "tasks": {list: {dict: _Task}, NoneType: True},
        "policies": {list: {dict: _LifecyclePolicy}, NoneType: True},
        "plugins": {dict: ({ "env": {list: {str: True}, NoneType: True}, "svc": {list: {str: True}, NoneType: True}, "ssh": {list: {str: True}, NoneType: True}, "pytorch": {list: {str: True}, NoneType: True}, "tensorflow": {list: {str: True}, NoneType: True}, "mpi": {list: {str: True}, NoneType: True}, "ray": {list: {str: True}, NoneType: True}, "hcclrank": {list: {str: True}, NoneType: True}, }, (), {list: {str: True}, NoneType: True}, None), NoneType: True},
        "volumes": {list: {dict: _VolumeSpec}, NoneType: True},
        "networkTopology": {dict: _NetworkTopology, NoneType: True},
        "runningEstimate": {str: True, NoneType: True},
        "maxRetry": {int: range(0, 2147483648).__contains__, NoneType: True},
        "ttlSecondsAfterFinished": {int: range(0, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("batch.volcano.sh/v1alpha1",)).__contains__}, "kind": {str: frozenset(("Job",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _VolcanoJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
