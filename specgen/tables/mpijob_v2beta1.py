"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/mpijob_v2beta1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.tables.metadata import ObjectMeta
from specgen.tables.pods import Affinity, Container, EmbeddedObjectMeta, EphemeralContainer, HostAlias, LocalObjectReference, PodDNSConfig, PodOS, PodReadinessGate, PodResourceClaim, PodSchedulingGate, PodSecurityContext, ResourceRequirements, Toleration, TopologySpreadConstraint, Volume
from specgen.tables.replicas import RunPolicy

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
_ReplicaSpec: Any = (
    {
        "replicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "template": {dict: _PodTemplateSpec, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_MPIJobSpec: Any = (
    {
        "mpiReplicaSpecs": {dict: ({ "Launcher": {dict: _ReplicaSpec, NoneType: True}, "Worker": {dict: _ReplicaSpec, NoneType: True}, }, (), {dict: _ReplicaSpec, NoneType: True}, None)},
        "slotsPerWorker": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "mpiImplementation": {str: frozenset(("OpenMPI", "Intel", "MPICH",)).__contains__, NoneType: True},
        "sshAuthMountPath": {str: True, NoneType: True},
        "launcherCreationPolicy": {str: True, NoneType: True},
        "runLauncherAsWorker": {bool: True, NoneType: True},
        "runPolicy": {dict: RunPolicy, NoneType: True},
    },
    ("mpiReplicaSpecs",),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("kubeflow.org/v2beta1",)).__contains__}, "kind": {str: frozenset(("MPIJob",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _MPIJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
