"""Objects that jobs refer to, of Kubernetes itself; their fields are the client's."""

from __future__ import annotations

from collections.abc import Mapping

from specgen.generate.pod_versions import KUBERNETES_136
from specgen.generate.shapes import Field, Kind


def _kind(
    kind: str, description: str, fields: Mapping[str, Field], *, group: str = "", has_status: bool = True
) -> Kind:
    return Kind(
        group=group,
        version="v1",
        kind=kind,
        operator="kubernetes 1.36",
        description=description,
        fields=fields,
        has_status=has_status,
        built_in=True,
    )


PODS = KUBERNETES_136
KINDS = (
    _kind(
        "PersistentVolume",
        "Storage that claims can be bound to.",
        {"spec": Field("PersistentVolumeSpec", "Where the storage is, its size and how it may be mounted.")},
    ),
    _kind(
        "PersistentVolumeClaim",
        "Storage that pods of the namespace can mount.",
        {"spec": Field("PersistentVolumeClaimSpec", "Size, class and access modes.")},
    ),
    _kind(
        "ConfigMap",
        "Texts that pods of the namespace can mount or read as variables.",
        {
            "data": Field("map[string]", "Texts by name; numbers and booleans need quotes."),
            "binaryData": Field("map[string]", "Bytes by name, in Base64."),
            "immutable": Field("boolean", "True forbids later changes."),
        },
        has_status=False,
    ),
    _kind(
        "ResourceQuota",
        "What all pods and objects of the namespace may ask for together.",
        {"spec": Field("ResourceQuotaSpec", "Amounts by resource, and which pods they count.")},
    ),
    _kind(
        "Service",
        "A name, and often an address, for pods.",
        {"spec": Field("ServiceSpec", "Ports and the labels of the pods behind them.")},
    ),
    _kind(
        "ResourceClaimTemplate",
        "Devices of which every pod that names the template gets its own, since Kubernetes 1.34.",
        {"spec": Field("ResourceClaimTemplateSpec", "The claim that is made for each pod.", required=True)},
        group="resource.k8s.io",
        has_status=False,
    ),
)
