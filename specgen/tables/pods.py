"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/pytorchjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import NoneType, quantity
from specgen.tables.claims import LabelSelector, PersistentVolumeClaimSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

ConfigMapKeySelector: Any = (
    {
        "key": {str: True},
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
    },
    ("key",),
    None,
    None,
)
ObjectFieldSelector: Any = (
    {
        "apiVersion": {str: True, NoneType: True},
        "fieldPath": {str: True},
    },
    ("fieldPath",),
    None,
    None,
)
FileKeySelector: Any = (
    {
        "key": {str: True},
        "optional": {bool: True, NoneType: True},
        "path": {str: True},
        "volumeName": {str: True},
    },
    ("key", "path", "volumeName",),
    None,
    None,
)
ResourceFieldSelector: Any = (
    {
        "containerName": {str: True, NoneType: True},
        "divisor": {int: True, str: quantity, NoneType: True},
        "resource": {str: True},
    },
    ("resource",),
    None,
    None,
)
EnvVarSource: Any = (
    {
        "configMapKeyRef": {dict: ConfigMapKeySelector, NoneType: True},
        "fieldRef": {dict: ObjectFieldSelector, NoneType: True},
        "fileKeyRef": {dict: FileKeySelector, NoneType: True},
        "resourceFieldRef": {dict: ResourceFieldSelector, NoneType: True},
        "secretKeyRef": {dict: ConfigMapKeySelector, NoneType: True},
    },
    (),
    None,
    None,
)
EnvVar: Any = (
    {
        "name": {str: True},
        "value": {str: True, NoneType: True},
        "valueFrom": {dict: EnvVarSource, NoneType: True},
    },
    ("name",),
    None,
    None,
)
ConfigMapEnvSource: Any = (
    {
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
)
EnvFromSource: Any = (
    {
        "configMapRef": {dict: ConfigMapEnvSource, NoneType: True},
        "prefix": {str: True, NoneType: True},
        "secretRef": {dict: ConfigMapEnvSource, NoneType: True},
    },
    (),
    None,
    None,
)
ExecAction: Any = (
    {
        "command": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
)
HTTPHeader: Any = (
    {
        "name": {str: True},
        "value": {str: True},
    },
    ("name", "value",),
    None,
    None,
)
HTTPGetAction: Any = (
    {
        "host": {str: True, NoneType: True},
        "httpHeaders": {list: {dict: HTTPHeader}, NoneType: True},
        "path": {str: True, NoneType: True},
        "port": {int: True, str: True},
        "scheme": {str: True, NoneType: True},
    },
    ("port",),
    None,
    None,
)
SleepAction: Any = (
    {
        "seconds": {int: True},
    },
    ("seconds",),
    None,
    None,
)
TCPSocketAction: Any = (
    {
        "host": {str: True, NoneType: True},
        "port": {int: True, str: True},
    },
    ("port",),
    None,
    None,
)
LifecycleHandler: Any = (
    {
        "exec": {dict: ExecAction, NoneType: True},
        "httpGet": {dict: HTTPGetAction, NoneType: True},
        "sleep": {dict: SleepAction, NoneType: True},
        "tcpSocket": {dict: TCPSocketAction, NoneType: True},
    },
    (),
    None,
    None,
)
Lifecycle: Any = (
    {
        "postStart": {dict: LifecycleHandler, NoneType: True},
        "preStop": {dict: LifecycleHandler, NoneType: True},
        "stopSignal": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
GRPCAction: Any = (
    {
        "port": {int: range(-2147483648, 2147483648).__contains__},
        "service": {str: True, NoneType: True},
    },
    ("port",),
    None,
    None,
)
Probe: Any = (
    {
        "exec": {dict: ExecAction, NoneType: True},
        "failureThreshold": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "grpc": {dict: GRPCAction, NoneType: True},
        "httpGet": {dict: HTTPGetAction, NoneType: True},
        "initialDelaySeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "periodSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "successThreshold": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "tcpSocket": {dict: TCPSocketAction, NoneType: True},
        "terminationGracePeriodSeconds": {int: True, NoneType: True},
        "timeoutSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
)
ContainerPort: Any = (
    {
        "containerPort": {int: range(-2147483648, 2147483648).__contains__},
        "hostIP": {str: True, NoneType: True},
        "hostPort": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "name": {str: True, NoneType: True},
        "protocol": {str: True, NoneType: True},
    },
    ("containerPort",),
    None,
    None,
)
ContainerResizePolicy: Any = (
    {
        "resourceName": {str: True},
        "restartPolicy": {str: True},
    },
    ("resourceName", "restartPolicy",),
    None,
    None,
)
ResourceClaim: Any = (
    {
        "name": {str: True},
        "request": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
)
ResourceRequirements: Any = (
    {
        "claims": {list: {dict: ResourceClaim}, NoneType: True},
        "limits": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
        "requests": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None), NoneType: True},
    },
    (),
    None,
    None,
)
ContainerRestartRuleOnExitCodes: Any = (
    {
        "operator": {str: True},
        "values": {list: {int: range(-2147483648, 2147483648).__contains__}, NoneType: True},
    },
    ("operator",),
    None,
    None,
)
ContainerRestartRule: Any = (
    {
        "action": {str: True},
        "exitCodes": {dict: ContainerRestartRuleOnExitCodes, NoneType: True},
    },
    ("action",),
    None,
    None,
)
AppArmorProfile: Any = (
    {
        "localhostProfile": {str: True, NoneType: True},
        "type": {str: True},
    },
    ("type",),
    None,
    None,
)
Capabilities: Any = (
    {
        "add": {list: {str: True}, NoneType: True},
        "drop": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
)
SELinuxOptions: Any = (
    {
        "level": {str: True, NoneType: True},
        "role": {str: True, NoneType: True},
        "type": {str: True, NoneType: True},
        "user": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
WindowsSecurityContextOptions: Any = (
    {
        "gmsaCredentialSpec": {str: True, NoneType: True},
        "gmsaCredentialSpecName": {str: True, NoneType: True},
        "hostProcess": {bool: True, NoneType: True},
        "runAsUserName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
SecurityContext: Any = (
    {
        "allowPrivilegeEscalation": {bool: True, NoneType: True},
        "appArmorProfile": {dict: AppArmorProfile, NoneType: True},
        "capabilities": {dict: Capabilities, NoneType: True},
        "privileged": {bool: True, NoneType: True},
        "procMount": {str: True, NoneType: True},
        "readOnlyRootFilesystem": {bool: True, NoneType: True},
        "runAsGroup": {int: True, NoneType: True},
        "runAsNonRoot": {bool: True, NoneType: True},
        "runAsUser": {int: True, NoneType: True},
        "seLinuxOptions": {dict: SELinuxOptions, NoneType: True},
        "seccompProfile": {dict: AppArmorProfile, NoneType: True},
        "windowsOptions": {dict: WindowsSecurityContextOptions, NoneType: True},
    },
    (),
    None,
    None,
)
VolumeDevice: Any = (
    {
        "devicePath": {str: True},
        "name": {str: True},
    },
    ("devicePath", "name",),
    None,
    None,
)
VolumeMount: Any = (
    {
        "mountPath": {str: True},
        "mountPropagation": {str: True, NoneType: True},
        "name": {str: True},
        "readOnly": {bool: True, NoneType: True},
        "recursiveReadOnly": {str: True, NoneType: True},
        "subPath": {str: True, NoneType: True},
        "subPathExpr": {str: True, NoneType: True},
    },
    ("mountPath", "name",),
    None,
    None,
)
Container: Any = (
    {
        "args": {list: {str: True}, NoneType: True},
        "command": {list: {str: True}, NoneType: True},
        "env": {list: {dict: EnvVar}, NoneType: True},
        "envFrom": {list: {dict: EnvFromSource}, NoneType: True},
        "image": {str: True, NoneType: True},
        "imagePullPolicy": {str: True, NoneType: True},
        "lifecycle": {dict: Lifecycle, NoneType: True},
        "livenessProbe": {dict: Probe, NoneType: True},
        "name": {str: True},
        "ports": {list: {dict: ContainerPort}, NoneType: True},
        "readinessProbe": {dict: Probe, NoneType: True},
        "resizePolicy": {list: {dict: ContainerResizePolicy}, NoneType: True},
        "resources": {dict: ResourceRequirements, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
        "restartPolicyRules": {list: {dict: ContainerRestartRule}, NoneType: True},
        "securityContext": {dict: SecurityContext, NoneType: True},
        "startupProbe": {dict: Probe, NoneType: True},
        "stdin": {bool: True, NoneType: True},
        "stdinOnce": {bool: True, NoneType: True},
        "terminationMessagePath": {str: True, NoneType: True},
        "terminationMessagePolicy": {str: True, NoneType: True},
        "tty": {bool: True, NoneType: True},
        "volumeDevices": {list: {dict: VolumeDevice}, NoneType: True},
        "volumeMounts": {list: {dict: VolumeMount}, NoneType: True},
        "workingDir": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
)
DownwardAPIVolumeFile: Any = (
    {
        "fieldRef": {dict: ObjectFieldSelector, NoneType: True},
        "mode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "path": {str: True},
        "resourceFieldRef": {dict: ResourceFieldSelector, NoneType: True},
    },
    ("path",),
    None,
    None,
)
EphemeralContainer: Any = (
    {
        "args": {list: {str: True}, NoneType: True},
        "command": {list: {str: True}, NoneType: True},
        "env": {list: {dict: EnvVar}, NoneType: True},
        "envFrom": {list: {dict: EnvFromSource}, NoneType: True},
        "image": {str: True, NoneType: True},
        "imagePullPolicy": {str: True, NoneType: True},
        "lifecycle": {dict: Lifecycle, NoneType: True},
        "livenessProbe": {dict: Probe, NoneType: True},
        "name": {str: True},
        "ports": {list: {dict: ContainerPort}, NoneType: True},
        "readinessProbe": {dict: Probe, NoneType: True},
        "resizePolicy": {list: {dict: ContainerResizePolicy}, NoneType: True},
        "resources": {dict: ResourceRequirements, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
        "restartPolicyRules": {list: {dict: ContainerRestartRule}, NoneType: True},
        "securityContext": {dict: SecurityContext, NoneType: True},
        "startupProbe": {dict: Probe, NoneType: True},
        "stdin": {bool: True, NoneType: True},
        "stdinOnce": {bool: True, NoneType: True},
        "targetContainerName": {str: True, NoneType: True},
        "terminationMessagePath": {str: True, NoneType: True},
        "terminationMessagePolicy": {str: True, NoneType: True},
        "tty": {bool: True, NoneType: True},
        "volumeDevices": {list: {dict: VolumeDevice}, NoneType: True},
        "volumeMounts": {list: {dict: VolumeMount}, NoneType: True},
        "workingDir": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
)
HostAlias: Any = (
    {
        "hostnames": {list: {str: True}, NoneType: True},
        "ip": {str: True},
    },
    ("ip",),
    None,
    None,
)
KeyToPath: Any = (
    {
        "key": {str: True},
        "mode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "path": {str: True},
    },
    ("key", "path",),
    None,
    None,
)
LocalObjectReference: Any = (
    {
        "name": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
NodeSelectorRequirement: Any = (
    {
        "key": {str: True},
        "operator": {str: True},
        "values": {list: {str: True}, NoneType: True},
    },
    ("key", "operator",),
    None,
    None,
)
NodeSelectorTerm: Any = (
    {
        "matchExpressions": {list: {dict: NodeSelectorRequirement}, NoneType: True},
        "matchFields": {list: {dict: NodeSelectorRequirement}, NoneType: True},
    },
    (),
    None,
    None,
)
AWSElasticBlockStoreVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "partition": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "volumeID": {str: True},
    },
    ("volumeID",),
    None,
    None,
)
PreferredSchedulingTerm: Any = (
    {
        "preference": {dict: NodeSelectorTerm},
        "weight": {int: range(-2147483648, 2147483648).__contains__},
    },
    ("preference", "weight",),
    None,
    None,
)
NodeSelector: Any = (
    {
        "nodeSelectorTerms": {list: {dict: NodeSelectorTerm}},
    },
    ("nodeSelectorTerms",),
    None,
    None,
)
NodeAffinity: Any = (
    {
        "preferredDuringSchedulingIgnoredDuringExecution": {list: {dict: PreferredSchedulingTerm}, NoneType: True},
        "requiredDuringSchedulingIgnoredDuringExecution": {dict: NodeSelector, NoneType: True},
    },
    (),
    None,
    None,
)
PodAffinityTerm: Any = (
    {
        "labelSelector": {dict: LabelSelector, NoneType: True},
        "matchLabelKeys": {list: {str: True}, NoneType: True},
        "mismatchLabelKeys": {list: {str: True}, NoneType: True},
        "namespaceSelector": {dict: LabelSelector, NoneType: True},
        "namespaces": {list: {str: True}, NoneType: True},
        "topologyKey": {str: True},
    },
    ("topologyKey",),
    None,
    None,
)
WeightedPodAffinityTerm: Any = (
    {
        "podAffinityTerm": {dict: PodAffinityTerm},
        "weight": {int: range(-2147483648, 2147483648).__contains__},
    },
    ("podAffinityTerm", "weight",),
    None,
    None,
)
PodAffinity: Any = (
    {
        "preferredDuringSchedulingIgnoredDuringExecution": {list: {dict: WeightedPodAffinityTerm}, NoneType: True},
        "requiredDuringSchedulingIgnoredDuringExecution": {list: {dict: PodAffinityTerm}, NoneType: True},
    },
    (),
    None,
    None,
)
Affinity: Any = (
    {
        "nodeAffinity": {dict: NodeAffinity, NoneType: True},
        "podAffinity": {dict: PodAffinity, NoneType: True},
        "podAntiAffinity": {dict: PodAffinity, NoneType: True},
    },
    (),
    None,
    None,
)
AzureDiskVolumeSource: Any = (
    {
        "cachingMode": {str: True, NoneType: True},
        "diskName": {str: True},
        "diskURI": {str: True},
        "fsType": {str: True, NoneType: True},
        "kind": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
    },
    ("diskName", "diskURI",),
    None,
    None,
)
AzureFileVolumeSource: Any = (
    {
        "readOnly": {bool: True, NoneType: True},
        "secretName": {str: True},
        "shareName": {str: True},
    },
    ("secretName", "shareName",),
    None,
    None,
)
CSIVolumeSource: Any = (
    {
        "driver": {str: True},
        "fsType": {str: True, NoneType: True},
        "nodePublishSecretRef": {dict: LocalObjectReference, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "volumeAttributes": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
    },
    ("driver",),
    None,
    None,
)
CephFSVolumeSource: Any = (
    {
        "monitors": {list: {str: True}},
        "path": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretFile": {str: True, NoneType: True},
        "secretRef": {dict: LocalObjectReference, NoneType: True},
        "user": {str: True, NoneType: True},
    },
    ("monitors",),
    None,
    None,
)
CinderVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: LocalObjectReference, NoneType: True},
        "volumeID": {str: True},
    },
    ("volumeID",),
    None,
    None,
)
ClusterTrustBundleProjection: Any = (
    {
        "labelSelector": {dict: LabelSelector, NoneType: True},
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
        "path": {str: True},
        "signerName": {str: True, NoneType: True},
    },
    ("path",),
    None,
    None,
)
ConfigMapProjection: Any = (
    {
        "items": {list: {dict: KeyToPath}, NoneType: True},
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
)
ConfigMapVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "items": {list: {dict: KeyToPath}, NoneType: True},
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
)
DownwardAPIProjection: Any = (
    {
        "items": {list: {dict: DownwardAPIVolumeFile}, NoneType: True},
    },
    (),
    None,
    None,
)
DownwardAPIVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "items": {list: {dict: DownwardAPIVolumeFile}, NoneType: True},
    },
    (),
    None,
    None,
)
EmbeddedObjectMeta: Any = (
    {
        "annotations": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "finalizers": {list: {str: True}, NoneType: True},
        "labels": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "name": {str: True, NoneType: True},
        "namespace": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
EmptyDirVolumeSource: Any = (
    {
        "medium": {str: True, NoneType: True},
        "sizeLimit": {int: True, str: quantity, NoneType: True},
    },
    (),
    None,
    None,
)
PersistentVolumeClaimTemplate: Any = (
    {
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: PersistentVolumeClaimSpec},
    },
    ("spec",),
    None,
    None,
)
EphemeralVolumeSource: Any = (
    {
        "volumeClaimTemplate": {dict: PersistentVolumeClaimTemplate, NoneType: True},
    },
    (),
    None,
    None,
)
FCVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "lun": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "targetWWNs": {list: {str: True}, NoneType: True},
        "wwids": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
)
FlexVolumeSource: Any = (
    {
        "driver": {str: True},
        "fsType": {str: True, NoneType: True},
        "options": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: LocalObjectReference, NoneType: True},
    },
    ("driver",),
    None,
    None,
)
FlockerVolumeSource: Any = (
    {
        "datasetName": {str: True, NoneType: True},
        "datasetUUID": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
GCEPersistentDiskVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "partition": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "pdName": {str: True},
        "readOnly": {bool: True, NoneType: True},
    },
    ("pdName",),
    None,
    None,
)
GitRepoVolumeSource: Any = (
    {
        "directory": {str: True, NoneType: True},
        "repository": {str: True},
        "revision": {str: True, NoneType: True},
    },
    ("repository",),
    None,
    None,
)
GlusterfsVolumeSource: Any = (
    {
        "endpoints": {str: True},
        "path": {str: True},
        "readOnly": {bool: True, NoneType: True},
    },
    ("endpoints", "path",),
    None,
    None,
)
HostPathVolumeSource: Any = (
    {
        "path": {str: True},
        "type": {str: True, NoneType: True},
    },
    ("path",),
    None,
    None,
)
ISCSIVolumeSource: Any = (
    {
        "chapAuthDiscovery": {bool: True, NoneType: True},
        "chapAuthSession": {bool: True, NoneType: True},
        "fsType": {str: True, NoneType: True},
        "initiatorName": {str: True, NoneType: True},
        "iqn": {str: True},
        "iscsiInterface": {str: True, NoneType: True},
        "lun": {int: range(-2147483648, 2147483648).__contains__},
        "portals": {list: {str: True}, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: LocalObjectReference, NoneType: True},
        "targetPortal": {str: True},
    },
    ("iqn", "lun", "targetPortal",),
    None,
    None,
)
ImageVolumeSource: Any = (
    {
        "pullPolicy": {str: True, NoneType: True},
        "reference": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
NFSVolumeSource: Any = (
    {
        "path": {str: True},
        "readOnly": {bool: True, NoneType: True},
        "server": {str: True},
    },
    ("path", "server",),
    None,
    None,
)
PersistentVolumeClaimVolumeSource: Any = (
    {
        "claimName": {str: True},
        "readOnly": {bool: True, NoneType: True},
    },
    ("claimName",),
    None,
    None,
)
PhotonPersistentDiskVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "pdID": {str: True},
    },
    ("pdID",),
    None,
    None,
)
PodCertificateProjection: Any = (
    {
        "certificateChainPath": {str: True, NoneType: True},
        "credentialBundlePath": {str: True, NoneType: True},
        "keyPath": {str: True, NoneType: True},
        "keyType": {str: True},
        "maxExpirationSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "signerName": {str: True},
        "userAnnotations": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
    },
    ("keyType", "signerName",),
    None,
    None,
)
PodDNSConfigOption: Any = (
    {
        "name": {str: True, NoneType: True},
        "value": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
PodDNSConfig: Any = (
    {
        "nameservers": {list: {str: True}, NoneType: True},
        "options": {list: {dict: PodDNSConfigOption}, NoneType: True},
        "searches": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
)
PodOS: Any = (
    {
        "name": {str: True},
    },
    ("name",),
    None,
    None,
)
PodSchedulingGroup: Any = (
    {
        "podGroupName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
PodSecurityContext: Any = (
    {
        "appArmorProfile": {dict: AppArmorProfile, NoneType: True},
        "fsGroup": {int: True, NoneType: True},
        "fsGroupChangePolicy": {str: True, NoneType: True},
        "runAsGroup": {int: True, NoneType: True},
        "runAsNonRoot": {bool: True, NoneType: True},
        "runAsUser": {int: True, NoneType: True},
        "seLinuxChangePolicy": {str: True, NoneType: True},
        "seLinuxOptions": {dict: SELinuxOptions, NoneType: True},
        "seccompProfile": {dict: AppArmorProfile, NoneType: True},
        "supplementalGroups": {list: {int: True}, NoneType: True},
        "supplementalGroupsPolicy": {str: True, NoneType: True},
        "sysctls": {list: {dict: HTTPHeader}, NoneType: True},
        "windowsOptions": {dict: WindowsSecurityContextOptions, NoneType: True},
    },
    (),
    None,
    None,
)
PodReadinessGate: Any = (
    {
        "conditionType": {str: True},
    },
    ("conditionType",),
    None,
    None,
)
PodResourceClaim: Any = (
    {
        "name": {str: True},
        "resourceClaimName": {str: True, NoneType: True},
        "resourceClaimTemplateName": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
)
Toleration: Any = (
    {
        "effect": {str: True, NoneType: True},
        "key": {str: True, NoneType: True},
        "operator": {str: True, NoneType: True},
        "tolerationSeconds": {int: True, NoneType: True},
        "value": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
TopologySpreadConstraint: Any = (
    {
        "labelSelector": {dict: LabelSelector, NoneType: True},
        "matchLabelKeys": {list: {str: True}, NoneType: True},
        "maxSkew": {int: range(-2147483648, 2147483648).__contains__},
        "minDomains": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "nodeAffinityPolicy": {str: True, NoneType: True},
        "nodeTaintsPolicy": {str: True, NoneType: True},
        "topologyKey": {str: True},
        "whenUnsatisfiable": {str: True},
    },
    ("maxSkew", "topologyKey", "whenUnsatisfiable",),
    None,
    None,
)
PortworxVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "volumeID": {str: True},
    },
    ("volumeID",),
    None,
    None,
)
ServiceAccountTokenProjection: Any = (
    {
        "audience": {str: True, NoneType: True},
        "expirationSeconds": {int: True, NoneType: True},
        "path": {str: True},
    },
    ("path",),
    None,
    None,
)
VolumeProjection: Any = (
    {
        "clusterTrustBundle": {dict: ClusterTrustBundleProjection, NoneType: True},
        "configMap": {dict: ConfigMapProjection, NoneType: True},
        "downwardAPI": {dict: DownwardAPIProjection, NoneType: True},
        "podCertificate": {dict: PodCertificateProjection, NoneType: True},
        "secret": {dict: ConfigMapProjection, NoneType: True},
        "serviceAccountToken": {dict: ServiceAccountTokenProjection, NoneType: True},
    },
    (),
    None,
    None,
)
ProjectedVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "sources": {list: {dict: VolumeProjection}, NoneType: True},
    },
    (),
    None,
    None,
)
QuobyteVolumeSource: Any = (
    {
        "group": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "registry": {str: True},
        "tenant": {str: True, NoneType: True},
        "user": {str: True, NoneType: True},
        "volume": {str: True},
    },
    ("registry", "volume",),
    None,
    None,
)
RBDVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "image": {str: True},
        "keyring": {str: True, NoneType: True},
        "monitors": {list: {str: True}},
        "pool": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: LocalObjectReference, NoneType: True},
        "user": {str: True, NoneType: True},
    },
    ("image", "monitors",),
    None,
    None,
)
ScaleIOVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "gateway": {str: True},
        "protectionDomain": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: LocalObjectReference},
        "sslEnabled": {bool: True, NoneType: True},
        "storageMode": {str: True, NoneType: True},
        "storagePool": {str: True, NoneType: True},
        "system": {str: True},
        "volumeName": {str: True, NoneType: True},
    },
    ("gateway", "secretRef", "system",),
    None,
    None,
)
SecretVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "items": {list: {dict: KeyToPath}, NoneType: True},
        "optional": {bool: True, NoneType: True},
        "secretName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
StorageOSVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: LocalObjectReference, NoneType: True},
        "volumeName": {str: True, NoneType: True},
        "volumeNamespace": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
VsphereVirtualDiskVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "storagePolicyID": {str: True, NoneType: True},
        "storagePolicyName": {str: True, NoneType: True},
        "volumePath": {str: True},
    },
    ("volumePath",),
    None,
    None,
)
Volume: Any = (
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
        "ephemeral": {dict: EphemeralVolumeSource, NoneType: True},
        "fc": {dict: FCVolumeSource, NoneType: True},
        "flexVolume": {dict: FlexVolumeSource, NoneType: True},
        "flocker": {dict: FlockerVolumeSource, NoneType: True},
        "gcePersistentDisk": {dict: GCEPersistentDiskVolumeSource, NoneType: True},
        "gitRepo": {dict: GitRepoVolumeSource, NoneType: True},
        "glusterfs": {dict: GlusterfsVolumeSource, NoneType: True},
        "hostPath": {dict: HostPathVolumeSource, NoneType: True},
        "image": {dict: ImageVolumeSource, NoneType: True},
        "iscsi": {dict: ISCSIVolumeSource, NoneType: True},
        "name": {str: True},
        "nfs": {dict: NFSVolumeSource, NoneType: True},
        "persistentVolumeClaim": {dict: PersistentVolumeClaimVolumeSource, NoneType: True},
        "photonPersistentDisk": {dict: PhotonPersistentDiskVolumeSource, NoneType: True},
        "portworxVolume": {dict: PortworxVolumeSource, NoneType: True},
        "projected": {dict: ProjectedVolumeSource, NoneType: True},
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
PodSpec: Any = (
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
        "schedulingGates": {list: {dict: PodOS}, NoneType: True},
        "schedulingGroup": {dict: PodSchedulingGroup, NoneType: True},
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
    },
    ("containers",),
    None,
    None,
)
PodTemplateSpec: Any = (
    {
        "metadata": {dict: EmbeddedObjectMeta, NoneType: True},
        "spec": {dict: PodSpec, NoneType: True},
    },
    (),
    None,
    None,
)
PodAntiAffinity = PodAffinity
SeccompProfile = AppArmorProfile
SecretEnvSource = ConfigMapEnvSource
SecretKeySelector = ConfigMapKeySelector
SecretProjection = ConfigMapProjection
PodSchedulingGate = PodOS
Sysctl = HTTPHeader
