"""Objects as the API server stores them: the names they get, who owns them, what it refuses of any of them.

Parts that nobody can know before are words in angle brackets: ``<random>`` for the letters that ``generateName`` gets.
"""

from __future__ import annotations

from specgen.diagnostics.model import ERROR, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import RANDOM, is_label, is_qualified, is_subdomain, known
from specgen.operators.kubernetes.reason import because

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import ObjectRef
    from specgen.manifest.views import Workload
    from specgen.operators.kubernetes.reason import Reason

# (group, kind) of objects that no namespace holds: Kubernetes 1.36, and what stands beside training jobs. Of a kind
# that is unknown here a namespace is taken for granted, as kustomize does (kyaml, openapi.IsNamespaceScoped).
# fmt: off
CLUSTER_SCOPED = frozenset((
    ("", "Namespace"), ("", "Node"), ("", "PersistentVolume"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding"),
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"),
    ("apiextensions.k8s.io", "CustomResourceDefinition"), ("apiregistration.k8s.io", "APIService"),
    ("certificates.k8s.io", "CertificateSigningRequest"), ("certificates.k8s.io", "ClusterTrustBundle"),
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"), ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"),
    ("networking.k8s.io", "IPAddress"), ("networking.k8s.io", "IngressClass"), ("networking.k8s.io", "ServiceCIDR"),
    ("node.k8s.io", "RuntimeClass"), ("rbac.authorization.k8s.io", "ClusterRole"),
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"), ("resource.k8s.io", "DeviceClass"),
    ("resource.k8s.io", "DeviceTaintRule"), ("resource.k8s.io", "ResourceSlice"),
    ("scheduling.k8s.io", "PriorityClass"), ("storage.k8s.io", "CSIDriver"), ("storage.k8s.io", "CSINode"),
    ("storage.k8s.io", "StorageClass"), ("storage.k8s.io", "VolumeAttachment"),
    ("storage.k8s.io", "VolumeAttributesClass"),
    ("kueue.x-k8s.io", "AdmissionCheck"), ("kueue.x-k8s.io", "ClusterQueue"), ("kueue.x-k8s.io", "Cohort"),
    ("kueue.x-k8s.io", "MultiKueueCluster"), ("kueue.x-k8s.io", "MultiKueueConfig"),
    ("kueue.x-k8s.io", "ProvisioningRequestConfig"), ("kueue.x-k8s.io", "ResourceFlavor"),
    ("kueue.x-k8s.io", "Topology"), ("kueue.x-k8s.io", "WorkloadPriorityClass"),
    ("mellanox.com", "HostDeviceNetwork"), ("mellanox.com", "IPoIBNetwork"), ("mellanox.com", "MacvlanNetwork"),
    ("mellanox.com", "NicClusterPolicy"), ("nvidia.com", "ClusterPolicy"), ("nvidia.com", "NVIDIADriver"),
    ("scheduling.run.ai", "Queue"), ("scheduling.volcano.sh", "Queue"), ("topology.volcano.sh", "HyperNode"),
    ("trainer.kubeflow.org", "ClusterTrainingRuntime"),
))
# fmt: on
# More seconds than these, nanoseconds in 63 bits (Go's time.Duration), are over at once: what is left of them is below
# zero as a rule (recorded of the training operator and of JobSet).
LONGEST = (2**63 - 1) // 10**9
# Keys and values of an object's annotations together, in bytes (apimachinery, TotalAnnotationSizeLimitB).
_ANNOTATIONS = 256 * 1024
_FINALIZERS = ("foregroundDeletion", "orphan", "kubernetes")
# Who refuses, where it is no webhook and no operator.
SERVER = "the API server"
# Where `kubectl apply` notes what it was given (Kubernetes 1.36, core/v1/annotation_key_constants.go).
APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
NAME = ("metadata", "name")
# It puts its letters behind at most so many of a ``generateName`` (apiserver, pkg/storage/names).
_LONGEST_PREFIX = 58


def tree_of(workload: Workload) -> dict[str, Any]:
    """A job's tree without the keys that are null, which the API server drops before anybody judges it."""
    if workload.shaped:
        return workload.manifest.tree
    from specgen.manifest.prune import without_nulls  # what was compiled has none

    return mapping(without_nulls(workload.manifest.tree))


def name_of(tree: dict[str, Any]) -> str:
    """The name that an object gets: ``generateName`` gets five letters that nobody knows."""
    metadata = mapping(tree.get("metadata"))
    name, prefix = metadata.get("name"), metadata.get("generateName")
    if isinstance(name, str) and name:
        return name
    return prefix[:_LONGEST_PREFIX] + RANDOM if isinstance(prefix, str) and prefix else ""


def namespace_of(tree: dict[str, Any]) -> str:
    """The namespace in which an object lies that is made without another one being asked for."""
    return str(mapping(tree.get("metadata")).get("namespace") or "default")


def name_refusal(name: str) -> str:
    """Why the API server refuses the name of any object; empty: it takes it."""
    if not name:
        return "`metadata.name` is missing"
    return "" if is_subdomain(known(name)) else f"`metadata.name`: `{name}` is no name of an object"


def namespace_refusal(metadata: dict[str, Any]) -> str:
    """Why the API server refuses the namespace of any object; empty: it takes it, or the object names none.

    apimachinery, pkg/api/validation/objectmeta.go (ValidateNamespaceName): a DNS label.
    """
    name = metadata.get("namespace")
    if not isinstance(name, str) or not name or is_label(name):
        return ""
    form = "lower-case letters, digits, and dashes, at most 63 characters"
    return f"`metadata.namespace`: `{shown(name)}` is no name of a namespace: {form}"


def marks(tree: dict[str, Any]) -> Iterator[Reason]:
    """What is wrong with the labels, annotations, and finalizers in the metadata of any object."""
    if tree.get("labels"):
        from specgen.operators.kubernetes.scheduling import labels

        yield from labels(mapping(tree["labels"]), ("metadata", "labels"))
    size = 0
    for name, value in mapping(tree.get("annotations")).items():
        if isinstance(name, str) and not is_qualified(name.lower()):
            yield because(
                ("metadata", "annotations", name), f"`{shown(name)}` is no name of an annotation", "annotation"
            )
        size += len(str(name).encode("utf-8", "replace")) + len(str(value).encode("utf-8", "replace"))
    if size > _ANNOTATIONS:
        message = f"the annotations have {size} bytes, {_ANNOTATIONS} are the limit"
        yield because(("metadata", "annotations"), message)
    for at, name in enumerate(sequence(tree.get("finalizers"))):
        if isinstance(name, str) and (not is_qualified(name) or ("/" not in name and name not in _FINALIZERS)):
            yield because(("metadata", "finalizers", at), f"`{shown(name)}` is no name of a finalizer")


def is_namespaced(ref: ObjectRef) -> bool:
    """Whether an object lies in a namespace."""
    group, slash, _ = ref.api_version.partition("/")
    return (group if slash else "", ref.kind) not in CLUSTER_SCOPED


def misshapen(schema: str, tree: Any) -> str:
    """Why the API server refuses the shape of an object, as far as its schema tells; empty: it takes it."""
    from specgen.manifest.shape import shape
    from specgen.source import dotted

    findings = [finding for finding in shape(schema, tree) if finding.severity == ERROR]
    if not findings:
        return ""
    return f"`{dotted(findings[0].place.path)}`: {findings[0].message}"


def opened(spec: dict[str, Any]) -> dict[str, Any]:
    """A pod spec whose containers and volumes may be added to; what lies deeper is the template's."""
    return {key: _opened(one) if isinstance(one, list) else one for key, one in spec.items()}


def _opened(listed: list[Any]) -> list[Any]:
    return [dict(one) if isinstance(one, dict) else one for one in listed]


def owned(job: ObjectRef, name: str, labels: dict[str, str]) -> dict[str, Any]:
    """Metadata of an object of a job: name, namespace if the job has one, labels, controlling owner without its uid."""
    tree: dict[str, Any] = {"name": name}
    if job.namespace:
        tree["namespace"] = job.namespace
    if labels:
        tree["labels"] = labels
    owner = {"apiVersion": job.api_version, "kind": job.kind, "name": job.name, "controller": True}
    tree["ownerReferences"] = [{**owner, "blockOwnerDeletion": True}]
    return tree
