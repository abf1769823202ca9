"""Written by `python -m specgen.generate` from `schemas/k8s/mindspore.gitee.com/msjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.tables.claims import LabelSelector, TypedLocalObjectReference, VolumeResourceRequirements
from specgen.tables.metadata import ObjectMeta
from specgen.tables.pods import AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, AzureFileVolumeSource, CSIVolumeSource, Capabilities, CephFSVolumeSource, CinderVolumeSource, ConfigMapKeySelector, ConfigMapProjection, ConfigMapVolumeSource, ContainerPort, DownwardAPIProjection, DownwardAPIVolumeSource, EmptyDirVolumeSource, EnvFromSource, ExecAction, FCVolumeSource, FlexVolumeSource, FlockerVolumeSource, GCEPersistentDiskVolumeSource, GitRepoVolumeSource, GlusterfsVolumeSource, HTTPGetAction, HostPathVolumeSource, ISCSIVolumeSource, LocalObjectReference, NFSVolumeSource, NodeAffinity, ObjectFieldSelector, PersistentVolumeClaimVolumeSource, PhotonPersistentDiskVolumeSource, PodDNSConfig, PodReadinessGate, PortworxVolumeSource, QuobyteVolumeSource, RBDVolumeSource, ResourceFieldSelector, SELinuxOptions, ScaleIOVolumeSource, SeccompProfile, SecretKeySelector, SecretProjection, SecretVolumeSource, ServiceAccountTokenProjection, StorageOSVolumeSource, Sysctl, TCPSocketAction, Toleration, VolumeDevice, VsphereVirtualDiskVolumeSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_EmbeddedObjectMeta: Any = (
    {},
    (),
    None,
    None,
)
_PodAffinityTerm: Any = (
    {
        "labelSelector": {dict: LabelSelector, NoneType: True},
        "namespaces": {list: {str: True}, NoneType: True},
        "topologyKey": {str: True},
    },
    ("topologyKey",),
    None,
    None,
)
_WeightedPodAffinityTerm: Any = (
    {
        "podAffinityTerm": {dict: _PodAffinityTerm},
        "weight": {int: range(-2147483648, 2147483648).__contains__},
    },
    ("podAffinityTerm", "weight",),
    None,
    None,
)
_PodAffinity: Any = (
    {
        "preferredDuringSchedulingIgnoredDuringExecution": {list: {dict: _WeightedPodAffinityTerm}, NoneType: True},
        "requiredDuringSchedulingIgnoredDuringExecution": {list: {dict: _PodAffinityTerm}, NoneType: True},
    },
    (),
    None,
    None,
)
_Affinity: Any = (
    {
        "nodeAffinity": {dict: NodeAffinity, NoneType: True},
        "podAffinity": {dict: _PodAffinity, NoneType: True},
        "podAntiAffinity": {dict: _PodAffinity, NoneType: True},
    },
    (),
    None,
    None,
)
_EnvVarSource: Any = (
    {
        "configMapKeyRef": {dict: ConfigMapKeySelector, NoneType: True},
        "fieldRef": {dict: ObjectFieldSelector, NoneType: True},
        "resourceFieldRef": {dict: ResourceFieldSelector, NoneType: True},
        "secretKeyRef": {dict: SecretKeySelector, NoneType: True},
    },
    (),
    None,
    None,
)
_EnvVar: Any = (
    {
        "name": {str: True},
        "value": {str: True, NoneType: True},
        "valueFrom": {dict: _EnvVarSource, NoneType: True},
    },
    ("name",),
    None,
    None,
)
_LifecycleHandler: Any = (
    {
        "exec": {dict: ExecAction, NoneType: True},
        "httpGet": {dict: HTTPGetAction, NoneType: True},
        "tcpSocket": {dict: TCPSocketAction, NoneType: True},
    },
    (),
    None,
    None,
)
_Lifecycle: Any = (
    {
        "postStart": {dict: _LifecycleHandler, NoneType: True},
        "preStop": {dict: _LifecycleHandler, NoneType: True},
    },
    (),
    None,
    None,
)
_Probe: Any = (
    {
        "exec": {dict: ExecAction, NoneType: True},
        "failureThreshold": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "httpGet": {dict: HTTPGetAction, NoneType: True},
        "initialDelaySeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "periodSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "successThreshold": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "tcpSocket": {dict: TCPSocketAction, NoneType: True},
        "timeoutSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
_ResourceRequirements: Any = (
    {
        "limits": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "requests": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
    },
    (),
    None,
    None,
)
_WindowsSecurityContextOptions: Any = (
    {
        "gmsaCredentialSpec": {str: True, NoneType: True},
        "gmsaCredentialSpecName": {str: True, NoneType: True},
        "runAsUserName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_SecurityContext: Any = (
    {
        "allowPrivilegeEscalation": {bool: True, NoneType: True},
        "capabilities": {dict: Capabilities, NoneType: True},
        "privileged": {bool: True, NoneType: True},
        "procMount": {str: True, NoneType: True},
        "readOnlyRootFilesystem": {bool: True, NoneType: True},
        "runAsGroup": {int: True, NoneType: True},
        "runAsNonRoot": {bool: True, NoneType: True},
        "runAsUser": {int: True, NoneType: True},
        "seLinuxOptions": {dict: SELinuxOptions, NoneType: True},
        "seccompProfile": {dict: SeccompProfile, NoneType: True},
        "windowsOptions": {dict: _WindowsSecurityContextOptions, NoneType: True},
    },
    (),
    None,
    None,
)
_VolumeMount: Any = (
    {
        "mountPath": {str: True},
        "mountPropagation": {str: True, NoneType: True},
        "name": {str: True},
        "readOnly": {bool: True, NoneType: True},
        "subPath": {str: True, NoneType: True},
        "subPathExpr": {str: True, NoneType: True},
    },
    ("mountPath", "name",),
    None,
    None,
)
_Container: Any = (
    {
        "args": {list: {str: True}, NoneType: True},
        "command": {list: {str: True}, NoneType: True},
        "env": {list: {dict: _EnvVar}, NoneType: True},
        "envFrom": {list: {dict: EnvFromSource}, NoneType: True},
        "image": {str: True, NoneType: True},
        "imagePullPolicy": {str: True, NoneType: True},
        "lifecycle": {dict: _Lifecycle, NoneType: True},
        "livenessProbe": {dict: _Probe, NoneType: True},
        "name": {str: True},
        "ports": {list: {dict: ContainerPort}, NoneType: True},
        "readinessProbe": {dict: _Probe, NoneType: True},
        "resources": {dict: _ResourceRequirements, NoneType: True},
        "securityContext": {dict: _SecurityContext, NoneType: True},
        "startupProbe": {dict: _Probe, NoneType: True},
        "stdin": {bool: True, NoneType: True},
        "stdinOnce": {bool: True, NoneType: True},
        "terminationMessagePath": {str: True, NoneType: True},
        "terminationMessagePolicy": {str: True, NoneType: True},
        "tty": {bool: True, NoneType: True},
        "volumeDevices": {list: {dict: VolumeDevice}, NoneType: True},
        "volumeMounts": {list: {dict: _VolumeMount}, NoneType: True},
        "workingDir": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
)
_EphemeralContainer: Any = (
    {
        "args": {list: {str: True}, NoneType: True},
        "command": {list: {str: True}, NoneType: True},
        "env": {list: {dict: _EnvVar}, NoneType: True},
        "envFrom": {list: {dict: EnvFromSource}, NoneType: True},
        "image": {str: True, NoneType: True},
        "imagePullPolicy": {str: True, NoneType: True},
        "lifecycle": {dict: _Lifecycle, NoneType: True},
        "livenessProbe": {dict: _Probe, NoneType: True},
        "name": {str: True},
        "ports": {list: {dict: ContainerPort}, NoneType: True},
        "readinessProbe": {dict: _Probe, NoneType: True},
        "resources": {dict: _ResourceRequirements, NoneType: True},
        "securityContext": {dict: _SecurityContext, NoneType: True},
        "startupProbe": {dict: _Probe, NoneType: True},
        "stdin": {bool: True, NoneType: True},
        "stdinOnce": {bool: True, NoneType: True},
        "targetContainerName": {str: True, NoneType: True},
        "terminationMessagePath": {str: True, NoneType: True},
        "terminationMessagePolicy": {str: True, NoneType: True},
        "tty": {bool: True, NoneType: True},
        "volumeDevices": {list: {dict: VolumeDevice}, NoneType: True},
        "volumeMounts": {list: {dict: _VolumeMount}, NoneType: True},
        "workingDir": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
)
_HostAlias: Any = (
    {
        "hostnames": {list: {str: True}, NoneType: True},
        "ip": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_PodSecurityContext: Any = (
    {
        "fsGroup": {int: True, NoneType: True},
        "fsGroupChangePolicy": {str: True, NoneType: True},
        "runAsGroup": {int: True, NoneType: True},
        "runAsNonRoot": {bool: True, NoneType: True},
        "runAsUser": {int: True, NoneType: True},
        "seLinuxOptions": {dict: SELinuxOptions, NoneType: True},
        "seccompProfile": {dict: SeccompProfile, NoneType: True},
        "supplementalGroups": {list: {int: True}, NoneType: True},
        "sysctls": {list: {dict: Sysctl}, NoneType: True},
        "windowsOptions": {dict: _WindowsSecurityContextOptions, NoneType: True},
    },
    (),
    None,
    None,
)
_TopologySpreadConstraint: Any = (
    {
        "labelSelector": {dict: LabelSelector, NoneType: True},
        "maxSkew": {int: range(-2147483648, 2147483648).__contains__},
        "topologyKey": {str: True},
        "whenUnsatisfiable": {str: True},
    },
    ("maxSkew", "topologyKey", "whenUnsatisfiable",),
    None,
    None,
)
_PersistentVolumeClaimSpec: Any = (
    {
        "accessModes": {list: {str: True}, NoneType: True},
        "dataSource": {dict: TypedLocalObjectReference, NoneType: True},
        "resources": {dict: VolumeResourceRequirements, NoneType: True},
        "selector": {dict: LabelSelector, NoneType: True},
        "storageClassName": {str: True, NoneType: True},
        "volumeMode": {str: True, NoneType: True},
        "volumeName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_PersistentVolumeClaimTemplate: Any = (
    {
        "metadata": {dict: _EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: _PersistentVolumeClaimSpec},
    },
    ("spec",),
    None,
    None,
)
_EphemeralVolumeSource: Any = (
    {
        "volumeClaimTemplate": {dict: _PersistentVolumeClaimTemplate, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
)
_VolumeProjection: Any = (
    {
        "configMap": {dict: ConfigMapProjection, NoneType: True},
        "downwardAPI": {dict: DownwardAPIProjection, NoneType: True},
        "secret": {dict: SecretProjection, NoneType: True},
        "serviceAccountToken": {dict: ServiceAccountTokenProjection, NoneType: True},
    },
    (),
    None,
    None,
)
_ProjectedVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "sources": {list: {dict: _VolumeProjection}},
    },
    ("sources",),
    None,
    None,
)
_Volume: Any = (
    {
        "awsElasticBlockStore": {dict: AWSElasticBlockStoreVolumeSource, NoneType: True},
        "azureDisk": {dict: AzureDiskVolumeSource, NoneType: True},
        "azureFile": {dict: AzureFileVolumeSource, NoneType: True},
        "cephfs": {dict: CephFSVolumeSource, NoneType: True},
        "cinder": {dict: CinderVolumeSource, NoneType: True},
        "configMap": {dict: ConfigMapVolumeSource, NoneType: True},
        "csi": {dict: CSIVolumeSource, NoneType: True},
        "downwardAPI": {dict: DownwardAPIVolumeSource, NoneType: True},
        "emptyDir": {dict: EmptyDirVolumeSource, NoneType: True},
        "ephemeral": {dict: _EphemeralVolumeSource, NoneType: True},
        "fc": {dict: FCVolumeSource, NoneType: True},
        "flexVolume": {dict: FlexVolumeSource, NoneType: True},
        "flocker": {dict: FlockerVolumeSource, NoneType: True},
        "gcePersistentDisk": {dict: GCEPersistentDiskVolumeSource, NoneType: True},
        "gitRepo": {dict: GitRepoVolumeSource, NoneType: True},
        "glusterfs": {dict: GlusterfsVolumeSource, NoneType: True},
        "hostPath": {dict: HostPathVolumeSource, NoneType: True},
        "iscsi": {dict: ISCSIVolumeSource, NoneType: True},
        "name": {str: True},
        "nfs": {dict: NFSVolumeSource, NoneType: True},
        "persistentVolumeClaim": {dict: PersistentVolumeClaimVolumeSource, NoneType: True},
        "photonPersistentDisk": {dict: PhotonPersistentDiskVolumeSource, NoneType: True},
        "portworxVolume": {dict: PortworxVolumeSource, NoneType: True},
        "projected": {dict: _ProjectedVolumeSource, NoneType: True},
        "quobyte": {dict: QuobyteVolumeSource, NoneType: True},
        "rbd": {dict: RBDVolumeSource, NoneType: True},
        "scaleIO": {dict: ScaleIOVolumeSource, NoneType: True},
        "secret": {dict: SecretVolumeSource, NoneType: True},
        "storageos": {dict: StorageOSVolumeSource, NoneType: True},
        "vsphereVolume": {dict: VsphereVirtualDiskVolumeSource, NoneType: True},
    },
    ("name",),
    None,
    None,
)
_PodSpec: Any = (
    {
        "activeDeadlineSeconds": {int: True, NoneType: True},
        "affinity": {dict: _Affinity, NoneType: True},
        "automountServiceAccountToken": {bool: True, NoneType: True},
        "containers": {list: {dict: _Container}},
        "dnsConfig": {dict: PodDNSConfig, NoneType: True},
        "dnsPolicy": {str: True, NoneType: True},
        "enableServiceLinks": {bool: True, NoneType: True},
        "ephemeralContainers": {list: {dict: _EphemeralContainer}, NoneType: True},
        "hostAliases": {list: {dict: _HostAlias}, NoneType: True},
        "hostIPC": {bool: True, NoneType: True},
        "hostNetwork": {bool: True, NoneType: True},
        "hostPID": {bool: True, NoneType: True},
        "hostname": {str: True, NoneType: True},
        "imagePullSecrets": {list: {dict: LocalObjectReference}, NoneType: True},
        "initContainers": {list: {dict: _Container}, NoneType: True},
        "nodeName": {str: True, NoneType: True},
        "nodeSelector": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "overhead": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "preemptionPolicy": {str: True, NoneType: True},
        "priority": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "priorityClassName": {str: True, NoneType: True},
        "readinessGates": {list: {dict: PodReadinessGate}, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
        "runtimeClassName": {str: True, NoneType: True},
        "schedulerName": {str: True, NoneType: True},
        "securityContext": {dict: _PodSecurityContext, NoneType: True},
        "serviceAccount": {str: True, NoneType: True},
        "serviceAccountName": {str: True, NoneType: True},
        "setHostnameAsFQDN": {bool: True, NoneType: True},
        "shareProcessNamespace": {bool: True, NoneType: True},
        "subdomain": {str: True, NoneType: True},
        "terminationGracePeriodSeconds": {int: True, NoneType: True},
        "tolerations": {list: {dict: Toleration}, NoneType: True},
        "topologySpreadConstraints": {list: {dict: _TopologySpreadConstraint}, NoneType: True},
        "volumes": {list: {dict: _Volume}, NoneType: True},
    },
    ("containers",),
    None,
    None,
)
_PodTemplateSpec: Any = (
    {
        "metadata": {dict: _EmbeddedObjectMeta, NoneType: True},
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
_SchedulingPolicy: Any = (
    {
        "minAvailable": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "queue": {str: True, NoneType: True},
        "minResources": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "priorityClass": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_RunPolicy: Any = (
    {
        "cleanPodPolicy": {str: True, NoneType: True},
        "ttlSecondsAfterFinished": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "activeDeadlineSeconds": {int: True, NoneType: True},
        "backoffLimit": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "schedulingPolicy": {dict: _SchedulingPolicy, NoneType: True},
    },
    (),
    None,
    None,
)
_MSJobSpec: Any = (
    {
        "msReplicaSpecs": {dict: ({ "Scheduler": {dict: _ReplicaSpec, NoneType: True}, "PS": {dict: _ReplicaSpec, NoneType: True}, "Worker": {dict: _ReplicaSpec, NoneType: True}, }, (), {dict: _ReplicaSpec, NoneType: True}, None)},
        "successPolicy": {str: True, NoneType: True},
        "enableDynamicWorker": {bool: True, NoneType: True},
        "runPolicy": {dict: _RunPolicy, NoneType: True},
    },
    ("msReplicaSpecs",),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("mindspore.gitee.com/v1",)).__contains__}, "kind": {str: frozenset(("MSJob",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _MSJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
