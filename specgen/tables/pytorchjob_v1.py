"""Written by `python -m specgen.generate` from `schemas/k8s/kubeflow.org/pytorchjob_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ConfigMapKeySelector: Any = (
    {
        "key": {str: True},
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
    },
    ("key",),
    None,
    None,
    None,
)
_ObjectFieldSelector: Any = (
    {
        "apiVersion": {str: True, NoneType: True},
        "fieldPath": {str: True},
    },
    ("fieldPath",),
    None,
    None,
    None,
)
_FileKeySelector: Any = (
    {
        "key": {str: True},
        "optional": {bool: True, NoneType: True},
        "path": {str: True},
        "volumeName": {str: True},
    },
    ("key", "path", "volumeName",),
    None,
    None,
    None,
)
_ResourceFieldSelector: Any = (
    {
        "containerName": {str: True, NoneType: True},
        "divisor": {int: True, str: quantity, NoneType: True},
        "resource": {str: True},
    },
    ("resource",),
    None,
    None,
    None,
)
_EnvVarSource: Any = (
    {
        "configMapKeyRef": {dict: _ConfigMapKeySelector, NoneType: True},
        "fieldRef": {dict: _ObjectFieldSelector, NoneType: True},
        "fileKeyRef": {dict: _FileKeySelector, NoneType: True},
        "resourceFieldRef": {dict: _ResourceFieldSelector, NoneType: True},
        "secretKeyRef": {dict: _ConfigMapKeySelector, NoneType: True},
    },
    (),
    None,
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
    None,
)
_ConfigMapEnvSource: Any = (
    {
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_EnvFromSource: Any = (
    {
        "configMapRef": {dict: _ConfigMapEnvSource, NoneType: True},
        "prefix": {str: True, NoneType: True},
        "secretRef": {dict: _ConfigMapEnvSource, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_ExecAction: Any = (
    {
        "command": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_HTTPHeader: Any = (
    {
        "name": {str: True},
        "value": {str: True},
    },
    ("name", "value",),
    None,
    None,
    None,
)
_HTTPGetAction: Any = (
    {
        "host": {str: True, NoneType: True},
        "httpHeaders": {list: {dict: _HTTPHeader}, NoneType: True},
        "path": {str: True, NoneType: True},
        "port": {int: True, str: True},
        "scheme": {str: True, NoneType: True},
    },
    ("port",),
    None,
    None,
    None,
)
_SleepAction: Any = (
    {
        "seconds": {int: True},
    },
    ("seconds",),
    None,
    None,
    None,
)
_TCPSocketAction: Any = (
    {
        "host": {str: True, NoneType: True},
        "port": {int: True, str: True},
    },
    ("port",),
    None,
    None,
    None,
)
_LifecycleHandler: Any = (
    {
        "exec": {dict: _ExecAction, NoneType: True},
        "httpGet": {dict: _HTTPGetAction, NoneType: True},
        "sleep": {dict: _SleepAction, NoneType: True},
        "tcpSocket": {dict: _TCPSocketAction, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_Lifecycle: Any = (
    {
        "postStart": {dict: _LifecycleHandler, NoneType: True},
        "preStop": {dict: _LifecycleHandler, NoneType: True},
        "stopSignal": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_GRPCAction: Any = (
    {
        "port": {int: range(-2147483648, 2147483648).__contains__},
        "service": {str: True, NoneType: True},
    },
    ("port",),
    None,
    None,
    None,
)
_Probe: Any = (
    {
        "exec": {dict: _ExecAction, NoneType: True},
        "failureThreshold": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "grpc": {dict: _GRPCAction, NoneType: True},
        "httpGet": {dict: _HTTPGetAction, NoneType: True},
        "initialDelaySeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "periodSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "successThreshold": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "tcpSocket": {dict: _TCPSocketAction, NoneType: True},
        "terminationGracePeriodSeconds": {int: True, NoneType: True},
        "timeoutSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_ContainerPort: Any = (
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
    None,
)
_ContainerResizePolicy: Any = (
    {
        "resourceName": {str: True},
        "restartPolicy": {str: True},
    },
    ("resourceName", "restartPolicy",),
    None,
    None,
    None,
)
_ResourceClaim: Any = (
    {
        "name": {str: True},
        "request": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
    None,
)
_ResourceRequirements: Any = (
    {
        "claims": {list: {dict: _ResourceClaim}, NoneType: True},
        "limits": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None, None), NoneType: True},
        "requests": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None, None), NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_ContainerRestartRuleOnExitCodes: Any = (
    {
        "operator": {str: True},
        "values": {list: {int: range(-2147483648, 2147483648).__contains__}, NoneType: True},
    },
    ("operator",),
    None,
    None,
    None,
)
_ContainerRestartRule: Any = (
    {
        "action": {str: True},
        "exitCodes": {dict: _ContainerRestartRuleOnExitCodes, NoneType: True},
    },
    ("action",),
    None,
    None,
    None,
)
_AppArmorProfile: Any = (
    {
        "localhostProfile": {str: True, NoneType: True},
        "type": {str: True},
    },
    ("type",),
    None,
    None,
    None,
)
_Capabilities: Any = (
    {
        "add": {list: {str: True}, NoneType: True},
        "drop": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_SELinuxOptions: Any = (
    {
        "level": {str: True, NoneType: True},
        "role": {str: True, NoneType: True},
        "type": {str: True, NoneType: True},
        "user": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_WindowsSecurityContextOptions: Any = (
    {
        "gmsaCredentialSpec": {str: True, NoneType: True},
        "gmsaCredentialSpecName": {str: True, NoneType: True},
        "hostProcess": {bool: True, NoneType: True},
        "runAsUserName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_SecurityContext: Any = (
    {
        "allowPrivilegeEscalation": {bool: True, NoneType: True},
        "appArmorProfile": {dict: _AppArmorProfile, NoneType: True},
        "capabilities": {dict: _Capabilities, NoneType: True},
        "privileged": {bool: True, NoneType: True},
        "procMount": {str: True, NoneType: True},
        "readOnlyRootFilesystem": {bool: True, NoneType: True},
        "runAsGroup": {int: True, NoneType: True},
        "runAsNonRoot": {bool: True, NoneType: True},
        "runAsUser": {int: True, NoneType: True},
        "seLinuxOptions": {dict: _SELinuxOptions, NoneType: True},
        "seccompProfile": {dict: _AppArmorProfile, NoneType: True},
        "windowsOptions": {dict: _WindowsSecurityContextOptions, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_VolumeDevice: Any = (
    {
        "devicePath": {str: True},
        "name": {str: True},
    },
    ("devicePath", "name",),
    None,
    None,
    None,
)
_VolumeMount: Any = (
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
    None,
)
_Container: Any = (
    {
        "args": {list: {str: True}, NoneType: True},
        "command": {list: {str: True}, NoneType: True},
        "env": {list: {dict: _EnvVar}, NoneType: True},
        "envFrom": {list: {dict: _EnvFromSource}, NoneType: True},
        "image": {str: True, NoneType: True},
        "imagePullPolicy": {str: True, NoneType: True},
        "lifecycle": {dict: _Lifecycle, NoneType: True},
        "livenessProbe": {dict: _Probe, NoneType: True},
        "name": {str: True},
        "ports": {list: {dict: _ContainerPort}, NoneType: True},
        "readinessProbe": {dict: _Probe, NoneType: True},
        "resizePolicy": {list: {dict: _ContainerResizePolicy}, NoneType: True},
        "resources": {dict: _ResourceRequirements, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
        "restartPolicyRules": {list: {dict: _ContainerRestartRule}, NoneType: True},
        "securityContext": {dict: _SecurityContext, NoneType: True},
        "startupProbe": {dict: _Probe, NoneType: True},
        "stdin": {bool: True, NoneType: True},
        "stdinOnce": {bool: True, NoneType: True},
        "terminationMessagePath": {str: True, NoneType: True},
        "terminationMessagePolicy": {str: True, NoneType: True},
        "tty": {bool: True, NoneType: True},
        "volumeDevices": {list: {dict: _VolumeDevice}, NoneType: True},
        "volumeMounts": {list: {dict: _VolumeMount}, NoneType: True},
        "workingDir": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
    None,
)
_CrossVersionObjectReference: Any = (
    {
        "apiVersion": {str: True, NoneType: True},
        "kind": {str: True},
        "name": {str: True},
    },
    ("kind", "name",),
    None,
    None,
    None,
)
_DownwardAPIVolumeFile: Any = (
    {
        "fieldRef": {dict: _ObjectFieldSelector, NoneType: True},
        "mode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "path": {str: True},
        "resourceFieldRef": {dict: _ResourceFieldSelector, NoneType: True},
    },
    ("path",),
    None,
    None,
    None,
)
_EphemeralContainer: Any = (
    {
        "args": {list: {str: True}, NoneType: True},
        "command": {list: {str: True}, NoneType: True},
        "env": {list: {dict: _EnvVar}, NoneType: True},
        "envFrom": {list: {dict: _EnvFromSource}, NoneType: True},
        "image": {str: True, NoneType: True},
        "imagePullPolicy": {str: True, NoneType: True},
        "lifecycle": {dict: _Lifecycle, NoneType: True},
        "livenessProbe": {dict: _Probe, NoneType: True},
        "name": {str: True},
        "ports": {list: {dict: _ContainerPort}, NoneType: True},
        "readinessProbe": {dict: _Probe, NoneType: True},
        "resizePolicy": {list: {dict: _ContainerResizePolicy}, NoneType: True},
        "resources": {dict: _ResourceRequirements, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
        "restartPolicyRules": {list: {dict: _ContainerRestartRule}, NoneType: True},
        "securityContext": {dict: _SecurityContext, NoneType: True},
        "startupProbe": {dict: _Probe, NoneType: True},
        "stdin": {bool: True, NoneType: True},
        "stdinOnce": {bool: True, NoneType: True},
        "targetContainerName": {str: True, NoneType: True},
        "terminationMessagePath": {str: True, NoneType: True},
        "terminationMessagePolicy": {str: True, NoneType: True},
        "tty": {bool: True, NoneType: True},
        "volumeDevices": {list: {dict: _VolumeDevice}, NoneType: True},
        "volumeMounts": {list: {dict: _VolumeMount}, NoneType: True},
        "workingDir": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
    None,
)
_HostAlias: Any = (
    {
        "hostnames": {list: {str: True}, NoneType: True},
        "ip": {str: True},
    },
    ("ip",),
    None,
    None,
    None,
)
_KeyToPath: Any = (
    {
        "key": {str: True},
        "mode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "path": {str: True},
    },
    ("key", "path",),
    None,
    None,
    None,
)
_LabelSelectorRequirement: Any = (
    {
        "key": {str: True},
        "operator": {str: True},
        "values": {list: {str: True}, NoneType: True},
    },
    ("key", "operator",),
    None,
    None,
    None,
)
_LocalObjectReference: Any = (
    {
        "name": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_ManagedFieldsEntry: Any = (
    {
        "apiVersion": {str: True, NoneType: True},
        "fieldsType": {str: True, NoneType: True},
        "fieldsV1": {dict: ANYTHING, NoneType: True},
        "manager": {str: True, NoneType: True},
        "operation": {str: True, NoneType: True},
        "subresource": {str: True, NoneType: True},
        "time": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_LabelSelector: Any = (
    {
        "matchExpressions": {list: {dict: _LabelSelectorRequirement}, NoneType: True},
        "matchLabels": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_MetricIdentifier: Any = (
    {
        "name": {str: True},
        "selector": {dict: _LabelSelector, NoneType: True},
    },
    ("name",),
    None,
    None,
    None,
)
_MetricTarget: Any = (
    {
        "averageUtilization": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "averageValue": {int: True, str: quantity, NoneType: True},
        "type": {str: True},
        "value": {int: True, str: quantity, NoneType: True},
    },
    ("type",),
    None,
    None,
    None,
)
_ContainerResourceMetricSource: Any = (
    {
        "container": {str: True},
        "name": {str: True},
        "target": {dict: _MetricTarget},
    },
    ("container", "name", "target",),
    None,
    None,
    None,
)
_ExternalMetricSource: Any = (
    {
        "metric": {dict: _MetricIdentifier},
        "target": {dict: _MetricTarget},
    },
    ("metric", "target",),
    None,
    None,
    None,
)
_ObjectMetricSource: Any = (
    {
        "describedObject": {dict: _CrossVersionObjectReference},
        "metric": {dict: _MetricIdentifier},
        "target": {dict: _MetricTarget},
    },
    ("describedObject", "metric", "target",),
    None,
    None,
    None,
)
_ResourceMetricSource: Any = (
    {
        "name": {str: True},
        "target": {dict: _MetricTarget},
    },
    ("name", "target",),
    None,
    None,
    None,
)
_MetricSpec: Any = (
    {
        "containerResource": {dict: _ContainerResourceMetricSource, NoneType: True},
        "external": {dict: _ExternalMetricSource, NoneType: True},
        "object": {dict: _ObjectMetricSource, NoneType: True},
        "pods": {dict: _ExternalMetricSource, NoneType: True},
        "resource": {dict: _ResourceMetricSource, NoneType: True},
        "type": {str: True},
    },
    ("type",),
    None,
    None,
    None,
)
_NodeSelectorTerm: Any = (
    {
        "matchExpressions": {list: {dict: _LabelSelectorRequirement}, NoneType: True},
        "matchFields": {list: {dict: _LabelSelectorRequirement}, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_AWSElasticBlockStoreVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "partition": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "volumeID": {str: True},
    },
    ("volumeID",),
    None,
    None,
    None,
)
_PreferredSchedulingTerm: Any = (
    {
        "preference": {dict: _NodeSelectorTerm},
        "weight": {int: range(-2147483648, 2147483648).__contains__},
    },
    ("preference", "weight",),
    None,
    None,
    None,
)
_NodeSelector: Any = (
    {
        "nodeSelectorTerms": {list: {dict: _NodeSelectorTerm}},
    },
    ("nodeSelectorTerms",),
    None,
    None,
    None,
)
_NodeAffinity: Any = (
    {
        "preferredDuringSchedulingIgnoredDuringExecution": {list: {dict: _PreferredSchedulingTerm}, NoneType: True},
        "requiredDuringSchedulingIgnoredDuringExecution": {dict: _NodeSelector, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_PodAffinityTerm: Any = (
    {
        "labelSelector": {dict: _LabelSelector, NoneType: True},
        "matchLabelKeys": {list: {str: True}, NoneType: True},
        "mismatchLabelKeys": {list: {str: True}, NoneType: True},
        "namespaceSelector": {dict: _LabelSelector, NoneType: True},
        "namespaces": {list: {str: True}, NoneType: True},
        "topologyKey": {str: True},
    },
    ("topologyKey",),
    None,
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
    None,
)
_Affinity: Any = (
    {
        "nodeAffinity": {dict: _NodeAffinity, NoneType: True},
        "podAffinity": {dict: _PodAffinity, NoneType: True},
        "podAntiAffinity": {dict: _PodAffinity, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_AzureDiskVolumeSource: Any = (
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
    None,
)
_AzureFileVolumeSource: Any = (
    {
        "readOnly": {bool: True, NoneType: True},
        "secretName": {str: True},
        "shareName": {str: True},
    },
    ("secretName", "shareName",),
    None,
    None,
    None,
)
_CSIVolumeSource: Any = (
    {
        "driver": {str: True},
        "fsType": {str: True, NoneType: True},
        "nodePublishSecretRef": {dict: _LocalObjectReference, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "volumeAttributes": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
    },
    ("driver",),
    None,
    None,
    None,
)
_CephFSVolumeSource: Any = (
    {
        "monitors": {list: {str: True}},
        "path": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretFile": {str: True, NoneType: True},
        "secretRef": {dict: _LocalObjectReference, NoneType: True},
        "user": {str: True, NoneType: True},
    },
    ("monitors",),
    None,
    None,
    None,
)
_CinderVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _LocalObjectReference, NoneType: True},
        "volumeID": {str: True},
    },
    ("volumeID",),
    None,
    None,
    None,
)
_ClusterTrustBundleProjection: Any = (
    {
        "labelSelector": {dict: _LabelSelector, NoneType: True},
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
        "path": {str: True},
        "signerName": {str: True, NoneType: True},
    },
    ("path",),
    None,
    None,
    None,
)
_ConfigMapProjection: Any = (
    {
        "items": {list: {dict: _KeyToPath}, NoneType: True},
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_ConfigMapVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "items": {list: {dict: _KeyToPath}, NoneType: True},
        "name": {str: True, NoneType: True},
        "optional": {bool: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_DownwardAPIProjection: Any = (
    {
        "items": {list: {dict: _DownwardAPIVolumeFile}, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_DownwardAPIVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "items": {list: {dict: _DownwardAPIVolumeFile}, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_RendezvousSetting: Any = (
    {
        "key": {str: True, NoneType: True},
        "value": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_ElasticPolicy: Any = (
    {
        "minReplicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "maxReplicas": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "rdzvBackend": {str: True, NoneType: True},
        "rdzvHost": {str: True, NoneType: True},
        "rdzvPort": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "rdzvId": {str: True, NoneType: True},
        "rdzvConf": {list: {dict: _RendezvousSetting}, NoneType: True},
        "standalone": {bool: True, NoneType: True},
        "nProcPerNode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "maxRestarts": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "metrics": {list: {dict: _MetricSpec}, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_EmbeddedObjectMeta: Any = (
    {
        "annotations": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
        "finalizers": {list: {str: True}, NoneType: True},
        "labels": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
        "name": {str: True, NoneType: True},
        "namespace": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_EmptyDirVolumeSource: Any = (
    {
        "medium": {str: True, NoneType: True},
        "sizeLimit": {int: True, str: quantity, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_TypedLocalObjectReference: Any = (
    {
        "apiGroup": {str: True, NoneType: True},
        "kind": {str: True},
        "name": {str: True},
    },
    ("kind", "name",),
    None,
    None,
    None,
)
_TypedObjectReference: Any = (
    {
        "apiGroup": {str: True, NoneType: True},
        "kind": {str: True},
        "name": {str: True},
        "namespace": {str: True, NoneType: True},
    },
    ("kind", "name",),
    None,
    None,
    None,
)
_VolumeResourceRequirements: Any = (
    {
        "limits": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None, None), NoneType: True},
        "requests": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None, None), NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_PersistentVolumeClaimSpec: Any = (
    {
        "accessModes": {list: {str: True}, NoneType: True},
        "dataSource": {dict: _TypedLocalObjectReference, NoneType: True},
        "dataSourceRef": {dict: _TypedObjectReference, NoneType: True},
        "resources": {dict: _VolumeResourceRequirements, NoneType: True},
        "selector": {dict: _LabelSelector, NoneType: True},
        "storageClassName": {str: True, NoneType: True},
        "volumeAttributesClassName": {str: True, NoneType: True},
        "volumeMode": {str: True, NoneType: True},
        "volumeName": {str: True, NoneType: True},
    },
    (),
    None,
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
    None,
)
_EphemeralVolumeSource: Any = (
    {
        "volumeClaimTemplate": {dict: _PersistentVolumeClaimTemplate, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_FCVolumeSource: Any = (
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
    None,
)
_FlexVolumeSource: Any = (
    {
        "driver": {str: True},
        "fsType": {str: True, NoneType: True},
        "options": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _LocalObjectReference, NoneType: True},
    },
    ("driver",),
    None,
    None,
    None,
)
_FlockerVolumeSource: Any = (
    {
        "datasetName": {str: True, NoneType: True},
        "datasetUUID": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_GCEPersistentDiskVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "partition": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "pdName": {str: True},
        "readOnly": {bool: True, NoneType: True},
    },
    ("pdName",),
    None,
    None,
    None,
)
_GitRepoVolumeSource: Any = (
    {
        "directory": {str: True, NoneType: True},
        "repository": {str: True},
        "revision": {str: True, NoneType: True},
    },
    ("repository",),
    None,
    None,
    None,
)
_GlusterfsVolumeSource: Any = (
    {
        "endpoints": {str: True},
        "path": {str: True},
        "readOnly": {bool: True, NoneType: True},
    },
    ("endpoints", "path",),
    None,
    None,
    None,
)
_HostPathVolumeSource: Any = (
    {
        "path": {str: True},
        "type": {str: True, NoneType: True},
    },
    ("path",),
    None,
    None,
    None,
)
_ISCSIVolumeSource: Any = (
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
        "secretRef": {dict: _LocalObjectReference, NoneType: True},
        "targetPortal": {str: True},
    },
    ("iqn", "lun", "targetPortal",),
    None,
    None,
    None,
)
_ImageVolumeSource: Any = (
    {
        "pullPolicy": {str: True, NoneType: True},
        "reference": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_NFSVolumeSource: Any = (
    {
        "path": {str: True},
        "readOnly": {bool: True, NoneType: True},
        "server": {str: True},
    },
    ("path", "server",),
    None,
    None,
    None,
)
_PersistentVolumeClaimVolumeSource: Any = (
    {
        "claimName": {str: True},
        "readOnly": {bool: True, NoneType: True},
    },
    ("claimName",),
    None,
    None,
    None,
)
_PhotonPersistentDiskVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "pdID": {str: True},
    },
    ("pdID",),
    None,
    None,
    None,
)
_PodCertificateProjection: Any = (
    {
        "certificateChainPath": {str: True, NoneType: True},
        "credentialBundlePath": {str: True, NoneType: True},
        "keyPath": {str: True, NoneType: True},
        "keyType": {str: True},
        "maxExpirationSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "signerName": {str: True},
        "userAnnotations": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
    },
    ("keyType", "signerName",),
    None,
    None,
    None,
)
_PodDNSConfigOption: Any = (
    {
        "name": {str: True, NoneType: True},
        "value": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_PodDNSConfig: Any = (
    {
        "nameservers": {list: {str: True}, NoneType: True},
        "options": {list: {dict: _PodDNSConfigOption}, NoneType: True},
        "searches": {list: {str: True}, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_PodOS: Any = (
    {
        "name": {str: True},
    },
    ("name",),
    None,
    None,
    None,
)
_PodSchedulingGroup: Any = (
    {
        "podGroupName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_PodSecurityContext: Any = (
    {
        "appArmorProfile": {dict: _AppArmorProfile, NoneType: True},
        "fsGroup": {int: True, NoneType: True},
        "fsGroupChangePolicy": {str: True, NoneType: True},
        "runAsGroup": {int: True, NoneType: True},
        "runAsNonRoot": {bool: True, NoneType: True},
        "runAsUser": {int: True, NoneType: True},
        "seLinuxChangePolicy": {str: True, NoneType: True},
        "seLinuxOptions": {dict: _SELinuxOptions, NoneType: True},
        "seccompProfile": {dict: _AppArmorProfile, NoneType: True},
        "supplementalGroups": {list: {int: True}, NoneType: True},
        "supplementalGroupsPolicy": {str: True, NoneType: True},
        "sysctls": {list: {dict: _HTTPHeader}, NoneType: True},
        "windowsOptions": {dict: _WindowsSecurityContextOptions, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_PodReadinessGate: Any = (
    {
        "conditionType": {str: True},
    },
    ("conditionType",),
    None,
    None,
    None,
)
_PodResourceClaim: Any = (
    {
        "name": {str: True},
        "resourceClaimName": {str: True, NoneType: True},
        "resourceClaimTemplateName": {str: True, NoneType: True},
    },
    ("name",),
    None,
    None,
    None,
)
_Toleration: Any = (
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
    None,
)
_TopologySpreadConstraint: Any = (
    {
        "labelSelector": {dict: _LabelSelector, NoneType: True},
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
    None,
)
_PortworxVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "volumeID": {str: True},
    },
    ("volumeID",),
    None,
    None,
    None,
)
_ServiceAccountTokenProjection: Any = (
    {
        "audience": {str: True, NoneType: True},
        "expirationSeconds": {int: True, NoneType: True},
        "path": {str: True},
    },
    ("path",),
    None,
    None,
    None,
)
_VolumeProjection: Any = (
    {
        "clusterTrustBundle": {dict: _ClusterTrustBundleProjection, NoneType: True},
        "configMap": {dict: _ConfigMapProjection, NoneType: True},
        "downwardAPI": {dict: _DownwardAPIProjection, NoneType: True},
        "podCertificate": {dict: _PodCertificateProjection, NoneType: True},
        "secret": {dict: _ConfigMapProjection, NoneType: True},
        "serviceAccountToken": {dict: _ServiceAccountTokenProjection, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_ProjectedVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "sources": {list: {dict: _VolumeProjection}, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_QuobyteVolumeSource: Any = (
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
    None,
)
_RBDVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "image": {str: True},
        "keyring": {str: True, NoneType: True},
        "monitors": {list: {str: True}},
        "pool": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _LocalObjectReference, NoneType: True},
        "user": {str: True, NoneType: True},
    },
    ("image", "monitors",),
    None,
    None,
    None,
)
_ScaleIOVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "gateway": {str: True},
        "protectionDomain": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _LocalObjectReference},
        "sslEnabled": {bool: True, NoneType: True},
        "storageMode": {str: True, NoneType: True},
        "storagePool": {str: True, NoneType: True},
        "system": {str: True},
        "volumeName": {str: True, NoneType: True},
    },
    ("gateway", "secretRef", "system",),
    None,
    None,
    None,
)
_SecretVolumeSource: Any = (
    {
        "defaultMode": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "items": {list: {dict: _KeyToPath}, NoneType: True},
        "optional": {bool: True, NoneType: True},
        "secretName": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_StorageOSVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _LocalObjectReference, NoneType: True},
        "volumeName": {str: True, NoneType: True},
        "volumeNamespace": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_VsphereVirtualDiskVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "storagePolicyID": {str: True, NoneType: True},
        "storagePolicyName": {str: True, NoneType: True},
        "volumePath": {str: True},
    },
    ("volumePath",),
    None,
    None,
    None,
)
_Volume: Any = (
    {
        "awsElasticBlockStore": {dict: _AWSElasticBlockStoreVolumeSource, NoneType: True},
        "azureDisk": {dict: _AzureDiskVolumeSource, NoneType: True},
        "azureFile": {dict: _AzureFileVolumeSource, NoneType: True},
        "cephfs": {dict: _CephFSVolumeSource, NoneType: True},
        "cinder": {dict: _CinderVolumeSource, NoneType: True},
        "configMap": {dict: _ConfigMapVolumeSource, NoneType: True},
        "csi": {dict: _CSIVolumeSource, NoneType: True},
        "downwardAPI": {dict: _DownwardAPIVolumeSource, NoneType: True},
        "emptyDir": {dict: _EmptyDirVolumeSource, NoneType: True},
        "ephemeral": {dict: _EphemeralVolumeSource, NoneType: True},
        "fc": {dict: _FCVolumeSource, NoneType: True},
        "flexVolume": {dict: _FlexVolumeSource, NoneType: True},
        "flocker": {dict: _FlockerVolumeSource, NoneType: True},
        "gcePersistentDisk": {dict: _GCEPersistentDiskVolumeSource, NoneType: True},
        "gitRepo": {dict: _GitRepoVolumeSource, NoneType: True},
        "glusterfs": {dict: _GlusterfsVolumeSource, NoneType: True},
        "hostPath": {dict: _HostPathVolumeSource, NoneType: True},
        "image": {dict: _ImageVolumeSource, NoneType: True},
        "iscsi": {dict: _ISCSIVolumeSource, NoneType: True},
        "name": {str: True},
        "nfs": {dict: _NFSVolumeSource, NoneType: True},
        "persistentVolumeClaim": {dict: _PersistentVolumeClaimVolumeSource, NoneType: True},
        "photonPersistentDisk": {dict: _PhotonPersistentDiskVolumeSource, NoneType: True},
        "portworxVolume": {dict: _PortworxVolumeSource, NoneType: True},
        "projected": {dict: _ProjectedVolumeSource, NoneType: True},
        "quobyte": {dict: _QuobyteVolumeSource, NoneType: True},
        "rbd": {dict: _RBDVolumeSource, NoneType: True},
        "scaleIO": {dict: _ScaleIOVolumeSource, NoneType: True},
        "secret": {dict: _SecretVolumeSource, NoneType: True},
        "storageos": {dict: _StorageOSVolumeSource, NoneType: True},
        "vsphereVolume": {dict: _VsphereVirtualDiskVolumeSource, NoneType: True},
    },
    ("name",),
    None,
    None,
    None,
)
_PodSpec: Any = (
    {
        "activeDeadlineSeconds": {int: True, NoneType: True},
        "affinity": {dict: _Affinity, NoneType: True},
        "automountServiceAccountToken": {bool: True, NoneType: True},
        "containers": {list: {dict: _Container}},
        "dnsConfig": {dict: _PodDNSConfig, NoneType: True},
        "dnsPolicy": {str: True, NoneType: True},
        "enableServiceLinks": {bool: True, NoneType: True},
        "ephemeralContainers": {list: {dict: _EphemeralContainer}, NoneType: True},
        "hostAliases": {list: {dict: _HostAlias}, NoneType: True},
        "hostIPC": {bool: True, NoneType: True},
        "hostNetwork": {bool: True, NoneType: True},
        "hostPID": {bool: True, NoneType: True},
        "hostUsers": {bool: True, NoneType: True},
        "hostname": {str: True, NoneType: True},
        "hostnameOverride": {str: True, NoneType: True},
        "imagePullSecrets": {list: {dict: _LocalObjectReference}, NoneType: True},
        "initContainers": {list: {dict: _Container}, NoneType: True},
        "nodeName": {str: True, NoneType: True},
        "nodeSelector": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
        "os": {dict: _PodOS, NoneType: True},
        "overhead": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None, None), NoneType: True},
        "preemptionPolicy": {str: True, NoneType: True},
        "priority": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "priorityClassName": {str: True, NoneType: True},
        "readinessGates": {list: {dict: _PodReadinessGate}, NoneType: True},
        "resourceClaims": {list: {dict: _PodResourceClaim}, NoneType: True},
        "resources": {dict: _ResourceRequirements, NoneType: True},
        "restartPolicy": {str: True, NoneType: True},
        "runtimeClassName": {str: True, NoneType: True},
        "schedulerName": {str: True, NoneType: True},
        "schedulingGates": {list: {dict: _PodOS}, NoneType: True},
        "schedulingGroup": {dict: _PodSchedulingGroup, NoneType: True},
        "securityContext": {dict: _PodSecurityContext, NoneType: True},
        "serviceAccount": {str: True, NoneType: True},
        "serviceAccountName": {str: True, NoneType: True},
        "setHostnameAsFQDN": {bool: True, NoneType: True},
        "shareProcessNamespace": {bool: True, NoneType: True},
        "subdomain": {str: True, NoneType: True},
        "terminationGracePeriodSeconds": {int: True, NoneType: True},
        "tolerations": {list: {dict: _Toleration}, NoneType: True},
        "topologySpreadConstraints": {list: {dict: _TopologySpreadConstraint}, NoneType: True},
        "volumes": {list: {dict: _Volume}, NoneType: True},
    },
    ("containers",),
    None,
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
    None,
)
_SchedulingPolicy: Any = (
    {
        "minAvailable": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
        "queue": {str: True, NoneType: True},
        "minResources": {dict: ({}, (), {int: True, str: quantity, NoneType: True}, None, None), NoneType: True},
        "priorityClass": {str: True, NoneType: True},
        "scheduleTimeoutSeconds": {int: range(-2147483648, 2147483648).__contains__, NoneType: True},
    },
    (),
    None,
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
        "suspend": {bool: True, NoneType: True},
        "managedBy": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
_PyTorchJobSpec: Any = (
    {
        "pytorchReplicaSpecs": {dict: ({ "Master": {dict: _ReplicaSpec, NoneType: True}, "Worker": {dict: _ReplicaSpec, NoneType: True}, }, (), {dict: _ReplicaSpec, NoneType: True}, None, None)},
        "nprocPerNode": {str: True, NoneType: True},
        "elasticPolicy": {dict: _ElasticPolicy, NoneType: True},
        "runPolicy": {dict: _RunPolicy, NoneType: True},
    },
    ("pytorchReplicaSpecs",),
    None,
    None,
    None,
)
_OwnerReference: Any = (
    {
        "apiVersion": {str: True},
        "blockOwnerDeletion": {bool: True, NoneType: True},
        "controller": {bool: True, NoneType: True},
        "kind": {str: True},
        "name": {str: True},
        "uid": {str: True},
    },
    ("apiVersion", "kind", "name", "uid",),
    None,
    None,
    None,
)
_ObjectMeta: Any = (
    {
        "annotations": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
        "creationTimestamp": {str: True, NoneType: True},
        "deletionGracePeriodSeconds": {int: True, NoneType: True},
        "deletionTimestamp": {str: True, NoneType: True},
        "finalizers": {list: {str: True}, NoneType: True},
        "generateName": {str: True, NoneType: True},
        "generation": {int: True, NoneType: True},
        "labels": {dict: ({}, (), {str: True, NoneType: True}, None, None), NoneType: True},
        "managedFields": {list: {dict: _ManagedFieldsEntry}, NoneType: True},
        "name": {str: True, NoneType: True},
        "namespace": {str: True, NoneType: True},
        "ownerReferences": {list: {dict: _OwnerReference}, NoneType: True},
        "resourceVersion": {str: True, NoneType: True},
        "selfLink": {str: True, NoneType: True},
        "uid": {str: True, NoneType: True},
    },
    (),
    None,
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("kubeflow.org/v1",)).__contains__}, "kind": {str: frozenset(("PyTorchJob",)).__contains__}, "metadata": {dict: _ObjectMeta}, "spec": {dict: _PyTorchJobSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None, None)}
DEFINITIONS: dict[str, dict[Any, Any]] = {
    "Container": {dict: _Container},
    "ContainerPort": {dict: _ContainerPort},
    "ContainerResizePolicy": {dict: _ContainerResizePolicy},
    "ContainerRestartRule": {dict: _ContainerRestartRule},
    "CrossVersionObjectReference": {dict: _CrossVersionObjectReference},
    "DownwardAPIVolumeFile": {dict: _DownwardAPIVolumeFile},
    "EnvFromSource": {dict: _EnvFromSource},
    "EnvVar": {dict: _EnvVar},
    "EphemeralContainer": {dict: _EphemeralContainer},
    "HTTPHeader": {dict: _HTTPHeader},
    "HostAlias": {dict: _HostAlias},
    "KeyToPath": {dict: _KeyToPath},
    "LabelSelectorRequirement": {dict: _LabelSelectorRequirement},
    "LocalObjectReference": {dict: _LocalObjectReference},
    "ManagedFieldsEntry": {dict: _ManagedFieldsEntry},
    "MetricIdentifier": {dict: _MetricIdentifier},
    "MetricSpec": {dict: _MetricSpec},
    "MetricTarget": {dict: _MetricTarget},
    "NodeSelectorRequirement": {dict: _LabelSelectorRequirement},
    "NodeSelectorTerm": {dict: _NodeSelectorTerm},
    "NullableAWSElasticBlockStoreVolumeSource": {dict: _AWSElasticBlockStoreVolumeSource, NoneType: True},
    "NullableAffinity": {dict: _Affinity, NoneType: True},
    "NullableAppArmorProfile": {dict: _AppArmorProfile, NoneType: True},
    "NullableAzureDiskVolumeSource": {dict: _AzureDiskVolumeSource, NoneType: True},
    "NullableAzureFileVolumeSource": {dict: _AzureFileVolumeSource, NoneType: True},
    "NullableCSIVolumeSource": {dict: _CSIVolumeSource, NoneType: True},
    "NullableCapabilities": {dict: _Capabilities, NoneType: True},
    "NullableCephFSVolumeSource": {dict: _CephFSVolumeSource, NoneType: True},
    "NullableCinderVolumeSource": {dict: _CinderVolumeSource, NoneType: True},
    "NullableClusterTrustBundleProjection": {dict: _ClusterTrustBundleProjection, NoneType: True},
    "NullableConfigMapEnvSource": {dict: _ConfigMapEnvSource, NoneType: True},
    "NullableConfigMapKeySelector": {dict: _ConfigMapKeySelector, NoneType: True},
    "NullableConfigMapProjection": {dict: _ConfigMapProjection, NoneType: True},
    "NullableConfigMapVolumeSource": {dict: _ConfigMapVolumeSource, NoneType: True},
    "NullableContainerResourceMetricSource": {dict: _ContainerResourceMetricSource, NoneType: True},
    "NullableContainerRestartRuleOnExitCodes": {dict: _ContainerRestartRuleOnExitCodes, NoneType: True},
    "NullableDownwardAPIProjection": {dict: _DownwardAPIProjection, NoneType: True},
    "NullableDownwardAPIVolumeSource": {dict: _DownwardAPIVolumeSource, NoneType: True},
    "NullableElasticPolicy": {dict: _ElasticPolicy, NoneType: True},
    "NullableEmbeddedObjectMeta": {dict: _EmbeddedObjectMeta, NoneType: True},
    "NullableEmptyDirVolumeSource": {dict: _EmptyDirVolumeSource, NoneType: True},
    "NullableEnvVarSource": {dict: _EnvVarSource, NoneType: True},
    "NullableEphemeralVolumeSource": {dict: _EphemeralVolumeSource, NoneType: True},
    "NullableExecAction": {dict: _ExecAction, NoneType: True},
    "NullableExternalMetricSource": {dict: _ExternalMetricSource, NoneType: True},
    "NullableFCVolumeSource": {dict: _FCVolumeSource, NoneType: True},
    "NullableFileKeySelector": {dict: _FileKeySelector, NoneType: True},
    "NullableFlexVolumeSource": {dict: _FlexVolumeSource, NoneType: True},
    "NullableFlockerVolumeSource": {dict: _FlockerVolumeSource, NoneType: True},
    "NullableGCEPersistentDiskVolumeSource": {dict: _GCEPersistentDiskVolumeSource, NoneType: True},
    "NullableGRPCAction": {dict: _GRPCAction, NoneType: True},
    "NullableGitRepoVolumeSource": {dict: _GitRepoVolumeSource, NoneType: True},
    "NullableGlusterfsVolumeSource": {dict: _GlusterfsVolumeSource, NoneType: True},
    "NullableHTTPGetAction": {dict: _HTTPGetAction, NoneType: True},
    "NullableHostPathVolumeSource": {dict: _HostPathVolumeSource, NoneType: True},
    "NullableISCSIVolumeSource": {dict: _ISCSIVolumeSource, NoneType: True},
    "NullableImageVolumeSource": {dict: _ImageVolumeSource, NoneType: True},
    "NullableLabelSelector": {dict: _LabelSelector, NoneType: True},
    "NullableLifecycle": {dict: _Lifecycle, NoneType: True},
    "NullableLifecycleHandler": {dict: _LifecycleHandler, NoneType: True},
    "NullableLocalObjectReference": {dict: _LocalObjectReference, NoneType: True},
    "NullableNFSVolumeSource": {dict: _NFSVolumeSource, NoneType: True},
    "NullableNodeAffinity": {dict: _NodeAffinity, NoneType: True},
    "NullableNodeSelector": {dict: _NodeSelector, NoneType: True},
    "NullableObjectFieldSelector": {dict: _ObjectFieldSelector, NoneType: True},
    "NullableObjectMetricSource": {dict: _ObjectMetricSource, NoneType: True},
    "NullablePersistentVolumeClaimTemplate": {dict: _PersistentVolumeClaimTemplate, NoneType: True},
    "NullablePersistentVolumeClaimVolumeSource": {dict: _PersistentVolumeClaimVolumeSource, NoneType: True},
    "NullablePhotonPersistentDiskVolumeSource": {dict: _PhotonPersistentDiskVolumeSource, NoneType: True},
    "NullablePodAffinity": {dict: _PodAffinity, NoneType: True},
    "NullablePodAntiAffinity": {dict: _PodAffinity, NoneType: True},
    "NullablePodCertificateProjection": {dict: _PodCertificateProjection, NoneType: True},
    "NullablePodDNSConfig": {dict: _PodDNSConfig, NoneType: True},
    "NullablePodOS": {dict: _PodOS, NoneType: True},
    "NullablePodSchedulingGroup": {dict: _PodSchedulingGroup, NoneType: True},
    "NullablePodSecurityContext": {dict: _PodSecurityContext, NoneType: True},
    "NullablePodSpec": {dict: _PodSpec, NoneType: True},
    "NullablePodTemplateSpec": {dict: _PodTemplateSpec, NoneType: True},
    "NullablePodsMetricSource": {dict: _ExternalMetricSource, NoneType: True},
    "NullablePortworxVolumeSource": {dict: _PortworxVolumeSource, NoneType: True},
    "NullableProbe": {dict: _Probe, NoneType: True},
    "NullableProjectedVolumeSource": {dict: _ProjectedVolumeSource, NoneType: True},
    "NullablePyTorchJobSpec": {dict: _PyTorchJobSpec, NoneType: True},
    "NullableQuobyteVolumeSource": {dict: _QuobyteVolumeSource, NoneType: True},
    "NullableRBDVolumeSource": {dict: _RBDVolumeSource, NoneType: True},
    "NullableReplicaSpec": {dict: _ReplicaSpec, NoneType: True},
    "NullableResourceFieldSelector": {dict: _ResourceFieldSelector, NoneType: True},
    "NullableResourceMetricSource": {dict: _ResourceMetricSource, NoneType: True},
    "NullableResourceRequirements": {dict: _ResourceRequirements, NoneType: True},
    "NullableRunPolicy": {dict: _RunPolicy, NoneType: True},
    "NullableSELinuxOptions": {dict: _SELinuxOptions, NoneType: True},
    "NullableScaleIOVolumeSource": {dict: _ScaleIOVolumeSource, NoneType: True},
    "NullableSchedulingPolicy": {dict: _SchedulingPolicy, NoneType: True},
    "NullableSeccompProfile": {dict: _AppArmorProfile, NoneType: True},
    "NullableSecretEnvSource": {dict: _ConfigMapEnvSource, NoneType: True},
    "NullableSecretKeySelector": {dict: _ConfigMapKeySelector, NoneType: True},
    "NullableSecretProjection": {dict: _ConfigMapProjection, NoneType: True},
    "NullableSecretVolumeSource": {dict: _SecretVolumeSource, NoneType: True},
    "NullableSecurityContext": {dict: _SecurityContext, NoneType: True},
    "NullableServiceAccountTokenProjection": {dict: _ServiceAccountTokenProjection, NoneType: True},
    "NullableSleepAction": {dict: _SleepAction, NoneType: True},
    "NullableStorageOSVolumeSource": {dict: _StorageOSVolumeSource, NoneType: True},
    "NullableTCPSocketAction": {dict: _TCPSocketAction, NoneType: True},
    "NullableTypedLocalObjectReference": {dict: _TypedLocalObjectReference, NoneType: True},
    "NullableTypedObjectReference": {dict: _TypedObjectReference, NoneType: True},
    "NullableVolumeResourceRequirements": {dict: _VolumeResourceRequirements, NoneType: True},
    "NullableVsphereVirtualDiskVolumeSource": {dict: _VsphereVirtualDiskVolumeSource, NoneType: True},
    "NullableWindowsSecurityContextOptions": {dict: _WindowsSecurityContextOptions, NoneType: True},
    "ObjectMeta": {dict: _ObjectMeta},
    "OwnerReference": {dict: _OwnerReference},
    "PersistentVolumeClaimSpec": {dict: _PersistentVolumeClaimSpec},
    "PodAffinityTerm": {dict: _PodAffinityTerm},
    "PodDNSConfigOption": {dict: _PodDNSConfigOption},
    "PodReadinessGate": {dict: _PodReadinessGate},
    "PodResourceClaim": {dict: _PodResourceClaim},
    "PodSchedulingGate": {dict: _PodOS},
    "PreferredSchedulingTerm": {dict: _PreferredSchedulingTerm},
    "RendezvousSetting": {dict: _RendezvousSetting},
    "ResourceClaim": {dict: _ResourceClaim},
    "Sysctl": {dict: _HTTPHeader},
    "Toleration": {dict: _Toleration},
    "TopologySpreadConstraint": {dict: _TopologySpreadConstraint},
    "Volume": {dict: _Volume},
    "VolumeDevice": {dict: _VolumeDevice},
    "VolumeMount": {dict: _VolumeMount},
    "VolumeProjection": {dict: _VolumeProjection},
    "WeightedPodAffinityTerm": {dict: _WeightedPodAffinityTerm},
}
