"""Facts about pods, and about Jobs, claims and Services, that the types of the `kubernetes` client do not carry.

Keys are `Shape.field` with the client's class names without their version prefix. Sources: the CRD of PyTorchJob in
training-operator 1.9.4, `manifests/base/crds/kubeflow.org_pytorchjobs.yaml`; for Jobs that of JobSet 0.12.0,
`config/components/crd/bases/jobset.x-k8s.io_jobsets.yaml`; for what no CRD holds Kubernetes 1.36,
`api/openapi-spec/swagger.json`. What holds in one operator's CRD only stands in `pod_versions`.
Every entry must match a field, else the generator stops: a stale line is an error.
"""

from __future__ import annotations

QUANTITIES = (
    "CapacityRequirements.requests",
    "EmptyDirVolumeSource.sizeLimit",
    "MetricTarget.averageValue",
    "MetricTarget.value",
    "PersistentVolumeSpec.capacity",
    "PodSpec.overhead",
    "ResourceFieldSelector.divisor",
    "ResourceQuotaSpec.hard",
    "ResourceRequirements.limits",
    "ResourceRequirements.requests",
    "VolumeResourceRequirements.limits",
    "VolumeResourceRequirements.requests",
)
"""Strings in the client; the CRD takes an integer or a string in quantity form, never a decimal number."""

INT_OR_STRING = ("HTTPGetAction.port", "ServicePort.targetPort", "TCPSocketAction.port")
"""A port is a number or the name of a container port."""

INT64 = (
    "DeviceSubRequest.count",
    "DeviceToleration.tolerationSeconds",
    "ExactDeviceRequest.count",
    "JobSpec.activeDeadlineSeconds",
    "ObjectMeta.deletionGracePeriodSeconds",
    "ObjectMeta.generation",
    "PodSecurityContext.fsGroup",
    "PodSecurityContext.runAsGroup",
    "PodSecurityContext.runAsUser",
    "PodSecurityContext.supplementalGroups",
    "PodSpec.activeDeadlineSeconds",
    "PodSpec.terminationGracePeriodSeconds",
    "Probe.terminationGracePeriodSeconds",
    "SecurityContext.runAsGroup",
    "SecurityContext.runAsUser",
    "ServiceAccountTokenProjection.expirationSeconds",
    "SleepAction.seconds",
    "Toleration.tolerationSeconds",
)
"""The client says `int` for both widths; every other one has 32 bits."""

DEFAULTS: dict[str, str | bool] = {
    "AzureDiskVolumeSource.fsType": "ext4",
    "AzureDiskVolumeSource.readOnly": False,
    "ConfigMapEnvSource.name": "",
    "ConfigMapKeySelector.name": "",
    "ConfigMapProjection.name": "",
    "ConfigMapVolumeSource.name": "",
    "ContainerPort.protocol": "TCP",
    "FileKeySelector.optional": False,
    "GRPCAction.service": "",
    "ISCSIVolumeSource.iscsiInterface": "default",
    "LocalObjectReference.name": "",
    "RBDVolumeSource.keyring": "/etc/ceph/keyring",
    "RBDVolumeSource.pool": "rbd",
    "RBDVolumeSource.user": "admin",
    "ScaleIOVolumeSource.fsType": "xfs",
    "ScaleIOVolumeSource.storageMode": "ThinProvisioned",
    "SecretEnvSource.name": "",
    "SecretKeySelector.name": "",
    "SecretProjection.name": "",
    "ServicePort.protocol": "TCP",
}
"""What the API server fills in when it stores the job, list keys included."""

LIST_KEYS: dict[str, tuple[str, ...]] = {
    "Container.env": ("name",),
    "Container.ports": ("containerPort", "protocol"),
    "Container.volumeDevices": ("devicePath",),
    "Container.volumeMounts": ("mountPath",),
    "EphemeralContainer.env": ("name",),
    "EphemeralContainer.ports": ("containerPort", "protocol"),
    "EphemeralContainer.volumeDevices": ("devicePath",),
    "EphemeralContainer.volumeMounts": ("mountPath",),
    "PodSpec.containers": ("name",),
    "PodSpec.ephemeralContainers": ("name",),
    "PodSpec.hostAliases": ("ip",),
    "PodSpec.imagePullSecrets": ("name",),
    "PodSpec.initContainers": ("name",),
    "PodSpec.resourceClaims": ("name",),
    "PodSpec.schedulingGates": ("name",),
    "PodSpec.topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    "PodSpec.volumes": ("name",),
    "ResourceRequirements.claims": ("name",),
    "ServiceSpec.ports": ("port", "protocol"),
}
"""Lists that the API server treats as maps: it refuses two items with the same key."""

UNIQUE_LISTS = ("ContainerRestartRuleOnExitCodes.values", "PodFailurePolicyOnExitCodesRequirement.values")
"""Lists that the API server treats as sets."""

EMBEDDED_METADATA = ("JobTemplateSpec.metadata", "PersistentVolumeClaimTemplate.metadata", "PodTemplateSpec.metadata")
"""Metadata inside a job: the CRD lists five fields and refuses the rest, `creationTimestamp: null` included."""
