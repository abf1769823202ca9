"""How the pod types in the CRDs of operators differ from those of the `kubernetes` client.

A CRD holds the pod types of the Kubernetes version that the operator was built with. A field that came later is refused
in strict mode and dropped in silence otherwise. Keys are those of `pod_facts`; `python -m pytest tests/manifest` holds
every line against the CRDs. The client's types are those of Kubernetes 1.37. Which CRDs hold which: ``PODS`` of the
modules of ``kinds``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from specgen.generate import pod_facts
from specgen.generate.shapes import Field, Shape


@dataclass(frozen=True)
class PodTypes:
    """The differences of one CRD; the defaults say that there are none."""

    left_out: Mapping[str, str]
    """`Shape.field` → reason, the fields that the CRD lacks."""
    added: Mapping[str, Field] = field(default_factory=dict)
    """`Shape.field` → fields that the CRD has and the client no longer."""
    shapes: tuple[Shape, ...] = ()
    """Shapes that `added` refers to."""
    required: Mapping[str, bool] = field(default_factory=dict)
    """Whether the field is required, where the CRD and the client differ."""
    defaults: Mapping[str, str | bool] = field(default_factory=lambda: pod_facts.DEFAULTS)
    list_keys: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: pod_facts.LIST_KEYS)
    template_metadata: tuple[str, ...] = ("annotations", "finalizers", "labels", "name", "namespace")
    """Fields of the metadata of pod templates that the CRD keeps."""


AFTER_136 = dict.fromkeys(
    (
        "ClusterTrustBundleProjection.user",
        "ConfigMapVolumeSource.defaultUser",
        "DownwardAPIVolumeFile.user",
        "DownwardAPIVolumeSource.defaultUser",
        "DeviceSubRequest.derivedAttributes",
        "EmptyDirVolumeSource.mode",
        "ExactDeviceRequest.derivedAttributes",
        "GRPCAction.mode",
        "HTTPGetAction.protocol",
        "JobSpec.scheduling",
        "KeyToPath.user",
        "PodCertificateProjection.user",
        "PodSpec.evictionResponders",
        "ProjectedVolumeSource.defaultUser",
        "SecretVolumeSource.defaultUser",
        "ServiceAccountTokenProjection.user",
        "VolumeMount.bindMountOptions",
    ),
    "in the client's Kubernetes 1.37 types, not in the Kubernetes 1.36 types of the CRD",
)

AFTER_135 = AFTER_136 | {"PodSpec.schedulingGroup": "came with Kubernetes 1.36, the types of the CRD are of 1.35"}

AFTER_120 = AFTER_135 | dict.fromkeys(
    (
        "Container.resizePolicy",
        "Container.restartPolicy",
        "Container.restartPolicyRules",
        "EnvVarSource.fileKeyRef",
        "EphemeralContainer.resizePolicy",
        "EphemeralContainer.restartPolicy",
        "EphemeralContainer.restartPolicyRules",
        "Lifecycle.stopSignal",
        "LifecycleHandler.sleep",
        "PersistentVolumeClaimSpec.dataSourceRef",
        "PersistentVolumeClaimSpec.volumeAttributesClassName",
        "PodAffinityTerm.matchLabelKeys",
        "PodAffinityTerm.mismatchLabelKeys",
        "PodAffinityTerm.namespaceSelector",
        "PodSecurityContext.appArmorProfile",
        "PodSecurityContext.seLinuxChangePolicy",
        "PodSecurityContext.supplementalGroupsPolicy",
        "PodSpec.hostUsers",
        "PodSpec.hostnameOverride",
        "PodSpec.os",
        "PodSpec.resourceClaims",
        "PodSpec.resources",
        "PodSpec.schedulingGates",
        "Probe.grpc",
        "Probe.terminationGracePeriodSeconds",
        "ResourceRequirements.claims",
        "SecurityContext.appArmorProfile",
        "TopologySpreadConstraint.matchLabelKeys",
        "TopologySpreadConstraint.minDomains",
        "TopologySpreadConstraint.nodeAffinityPolicy",
        "TopologySpreadConstraint.nodeTaintsPolicy",
        "Volume.image",
        "VolumeMount.recursiveReadOnly",
        "VolumeProjection.clusterTrustBundle",
        "VolumeProjection.podCertificate",
        "WindowsSecurityContextOptions.hostProcess",
    ),
    "came later than the Kubernetes 1.20 types of the CRD",
)

# Kubernetes 1.35, core/v1: the field was replaced by schedulingGroup in 1.36.
WORKLOAD_REFERENCE = Shape(
    "WorkloadReference",
    {
        "name": Field("string", required=True),
        "podGroup": Field("string", required=True),
        "podGroupReplicaKey": Field("string"),
    },
)

KUBERNETES_136 = PodTypes(AFTER_136)
KUBERNETES_135 = PodTypes(
    AFTER_135, added={"PodSpec.workloadRef": Field("WorkloadReference")}, shapes=(WORKLOAD_REFERENCE,)
)

KUBERNETES_120 = PodTypes(
    AFTER_120,
    added={"EphemeralVolumeSource.readOnly": Field("boolean")},
    required={"HostAlias.ip": False, "ProjectedVolumeSource.sources": True},
    defaults={"ContainerPort.protocol": "TCP"},
    list_keys={
        "Container.ports": ("containerPort", "protocol"),
        "PodSpec.topologySpreadConstraints": ("topologyKey", "whenUnsatisfiable"),
    },
    template_metadata=(),
)
