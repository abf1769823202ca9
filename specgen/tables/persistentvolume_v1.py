"""Written by `python -m specgen.generate` from `schemas/k8s/core/persistentvolume_v1.json`; see the package."""

from __future__ import annotations

from specgen.schema.checks import ANYTHING, NoneType, quantity
from specgen.tables.metadata import ObjectMeta
from specgen.tables.pods import AWSElasticBlockStoreVolumeSource, AzureDiskVolumeSource, FCVolumeSource, FlockerVolumeSource, GCEPersistentDiskVolumeSource, HostPathVolumeSource, NFSVolumeSource, NodeSelector, PhotonPersistentDiskVolumeSource, PortworxVolumeSource, QuobyteVolumeSource, VsphereVirtualDiskVolumeSource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_AzureFilePersistentVolumeSource: Any = (
    {
        "readOnly": {bool: True, NoneType: True},
        "secretName": {str: True},
        "secretNamespace": {str: True, NoneType: True},
        "shareName": {str: True},
    },
    ("secretName", "shareName",),
    None,
    None,
)
_SecretReference: Any = (
    {
        "name": {str: True, NoneType: True},
        "namespace": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_CephFSPersistentVolumeSource: Any = (
    {
        "monitors": {list: {str: True}},
        "path": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretFile": {str: True, NoneType: True},
        "secretRef": {dict: _SecretReference, NoneType: True},
        "user": {str: True, NoneType: True},
    },
    ("monitors",),
    None,
    None,
)
_CinderPersistentVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _SecretReference, NoneType: True},
        "volumeID": {str: True},
    },
    ("volumeID",),
    None,
    None,
)
_ObjectReference: Any = (
    {
        "apiVersion": {str: True, NoneType: True},
        "fieldPath": {str: True, NoneType: True},
        "kind": {str: True, NoneType: True},
        "name": {str: True, NoneType: True},
        "namespace": {str: True, NoneType: True},
        "resourceVersion": {str: True, NoneType: True},
        "uid": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_CSIPersistentVolumeSource: Any = (
    {
        "controllerExpandSecretRef": {dict: _SecretReference, NoneType: True},
        "controllerPublishSecretRef": {dict: _SecretReference, NoneType: True},
        "driver": {str: True},
        "fsType": {str: True, NoneType: True},
        "nodeExpandSecretRef": {dict: _SecretReference, NoneType: True},
        "nodePublishSecretRef": {dict: _SecretReference, NoneType: True},
        "nodeStageSecretRef": {dict: _SecretReference, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "volumeAttributes": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "volumeHandle": {str: True},
    },
    ("driver", "volumeHandle",),
    None,
    None,
)
_FlexPersistentVolumeSource: Any = (
    {
        "driver": {str: True},
        "fsType": {str: True, NoneType: True},
        "options": {dict: ({}, (), {str: True, NoneType: True}, None), NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _SecretReference, NoneType: True},
    },
    ("driver",),
    None,
    None,
)
_GlusterfsPersistentVolumeSource: Any = (
    {
        "endpoints": {str: True},
        "endpointsNamespace": {str: True, NoneType: True},
        "path": {str: True},
        "readOnly": {bool: True, NoneType: True},
    },
    ("endpoints", "path",),
    None,
    None,
)
_ISCSIPersistentVolumeSource: Any = (
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
        "secretRef": {dict: _SecretReference, NoneType: True},
        "targetPortal": {str: True},
    },
    ("iqn", "lun", "targetPortal",),
    None,
    None,
)
_LocalVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "path": {str: True},
    },
    ("path",),
    None,
    None,
)
_VolumeNodeAffinity: Any = (
    {
        "required": {dict: NodeSelector, NoneType: True},
    },
    (),
    None,
    None,
)
_RBDPersistentVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "image": {str: True},
        "keyring": {str: True, NoneType: True},
        "monitors": {list: {str: True}},
        "pool": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _SecretReference, NoneType: True},
        "user": {str: True, NoneType: True},
    },
    ("image", "monitors",),
    None,
    None,
)
_ScaleIOPersistentVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "gateway": {str: True},
        "protectionDomain": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _SecretReference},
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
_StorageOSPersistentVolumeSource: Any = (
    {
        "fsType": {str: True, NoneType: True},
        "readOnly": {bool: True, NoneType: True},
        "secretRef": {dict: _ObjectReference, NoneType: True},
        "volumeName": {str: True, NoneType: True},
        "volumeNamespace": {str: True, NoneType: True},
    },
    (),
    None,
    None,
)
_PersistentVolumeSpec: Any = (
    {
        "accessModes": {list: {str: True}, NoneType: True},
        "awsElasticBlockStore": {dict: AWSElasticBlockStoreVolumeSource, NoneType: True},
        "azureDisk": {dict: AzureDiskVolumeSource, NoneType: True},
        "azureFile": {dict: _AzureFilePersistentVolumeSource, NoneType: True},
        "capacity": {dict: ({}, (), {int: True, float: True, str: quantity, NoneType: True}, None), NoneType: True},
        "cephfs": {dict: _CephFSPersistentVolumeSource, NoneType: True},
        "cinder": {dict: _CinderPersistentVolumeSource, NoneType: True},
        "claimRef": {dict: _ObjectReference, NoneType: True},
        "csi": {dict: _CSIPersistentVolumeSource, NoneType: True},
        "fc": {dict: FCVolumeSource, NoneType: True},
        "flexVolume": {dict: _FlexPersistentVolumeSource, NoneType: True},
        "flocker": {dict: FlockerVolumeSource, NoneType: True},
        "gcePersistentDisk": {dict: GCEPersistentDiskVolumeSource, NoneType: True},
        "glusterfs": {dict: _GlusterfsPersistentVolumeSource, NoneType: True},
        "hostPath": {dict: HostPathVolumeSource, NoneType: True},
        "iscsi": {dict: _ISCSIPersistentVolumeSource, NoneType: True},
        "local": {dict: _LocalVolumeSource, NoneType: True},
        "mountOptions": {list: {str: True}, NoneType: True},
        "nfs": {dict: NFSVolumeSource, NoneType: True},
        "nodeAffinity": {dict: _VolumeNodeAffinity, NoneType: True},
        "persistentVolumeReclaimPolicy": {str: True, NoneType: True},
        "photonPersistentDisk": {dict: PhotonPersistentDiskVolumeSource, NoneType: True},
        "portworxVolume": {dict: PortworxVolumeSource, NoneType: True},
        "quobyte": {dict: QuobyteVolumeSource, NoneType: True},
        "rbd": {dict: _RBDPersistentVolumeSource, NoneType: True},
        "scaleIO": {dict: _ScaleIOPersistentVolumeSource, NoneType: True},
        "storageClassName": {str: True, NoneType: True},
        "storageos": {dict: _StorageOSPersistentVolumeSource, NoneType: True},
        "volumeAttributesClassName": {str: True, NoneType: True},
        "volumeMode": {str: True, NoneType: True},
        "vsphereVolume": {dict: VsphereVirtualDiskVolumeSource, NoneType: True},
    },
    (),
    None,
    None,
)
ROOT: dict[Any, Any] = {dict: ({ "apiVersion": {str: frozenset(("v1",)).__contains__}, "kind": {str: frozenset(("PersistentVolume",)).__contains__}, "metadata": {dict: ObjectMeta}, "spec": {dict: _PersistentVolumeSpec, NoneType: True}, "status": {dict: ANYTHING, NoneType: True}, }, ("apiVersion", "kind", "metadata",), None, None)}
