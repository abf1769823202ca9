"""Volumes of a pod (Kubernetes 1.36, validateVolumeSource): one source each, with what that source needs."""

from __future__ import annotations

from specgen.diagnostics.model import listed, shown
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.names import is_label, is_subdomain
from specgen.operators.kubernetes.reason import (
    at_least,
    because,
    missing,
    needed,
    no_backsteps,
    number,
    one_of,
    relative,
    text,
)
from specgen.quantity import nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any

    from specgen.operators.kubernetes.reason import Reason
    from specgen.source import Path

# fmt: off
SOURCES = frozenset((
    "awsElasticBlockStore", "azureDisk", "azureFile", "cephfs", "cinder", "configMap", "csi", "downwardAPI",
    "emptyDir", "ephemeral", "fc", "flexVolume", "flocker", "gcePersistentDisk", "gitRepo", "glusterfs", "hostPath",
    "image", "iscsi", "nfs", "persistentVolumeClaim", "photonPersistentDisk", "portworxVolume", "projected", "quobyte",
    "rbd", "scaleIO", "secret", "storageos", "vsphereVolume",
))
_HOST_PATHS = (
    "BlockDevice", "CharDevice", "Directory", "DirectoryOrCreate", "File", "FileOrCreate", "Socket",
)
# Sources of older days, by what they cannot be without.
_NEEDED = {
    "awsElasticBlockStore": ("volumeID",), "azureFile": ("secretName", "shareName"), "cinder": ("volumeID",),
    "flexVolume": ("driver",), "gcePersistentDisk": ("pdName",), "gitRepo": ("repository",),
    "glusterfs": ("endpoints", "path"), "photonPersistentDisk": ("pdID",), "portworxVolume": ("volumeID",),
    "quobyte": ("registry", "volume"), "rbd": ("image",), "scaleIO": ("gateway", "system", "volumeName"),
    "vsphereVolume": ("volumePath",), "persistentVolumeClaim": ("claimName",), "secret": ("secretName",),
    "configMap": ("name",), "azureDisk": ("diskName", "diskURI"),
}
_PROJECTED = ("clusterTrustBundle", "configMap", "downwardAPI", "podCertificate", "secret", "serviceAccountToken")
_FIELDS = ("metadata.name", "metadata.namespace", "metadata.labels", "metadata.annotations", "metadata.uid")
_MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_KEYS = (
    "RSA3072", "RSA4096", "ECDSAP256", "ECDSAP384", "ECDSAP521", "ED25519",
)
# fmt: on
# A volume with one of these may be a device of a container.
CLAIMS = ("persistentVolumeClaim", "ephemeral")
# Sources of which each pod has a volume of its own, which ends with it (Kubernetes 1.36, Ephemeral Volumes).
_OWN = ("emptyDir", "ephemeral")


def own(volume: dict[str, Any]) -> str | None:
    """The source by which a volume is the pod's alone; None: other pods may see what lies in it."""
    return next((source for source in _OWN if source in volume), None)


def volumes(entries: list[Any], path: Path) -> Iterator[Reason]:
    """What is wrong with a pod's volumes."""
    seen: dict[str, int] = {}
    for at, volume in enumerate(entries):
        if not isinstance(volume, dict):
            continue
        name = text(volume, "name")
        if not name or name in seen or not is_label(name):
            yield from _misnamed(name, seen, (*path, at, "name"))
        if name:
            seen.setdefault(name, at)
        yield from one_source(volume, (*path, at))


def _misnamed(name: str | None, seen: dict[str, int], path: Path) -> Iterator[Reason]:
    if name == "":
        yield missing(path, "volume-unnamed")
    elif name is not None and not is_label(name):
        yield because(path, f"`{shown(name)}` is not a DNS label", "volume-name")
    if name and name in seen:
        other = (*path[:-2], seen[name], "name")
        yield because(path, f"two volumes are called `{shown(name)}`", "volume-twice", other)


def one_source(volume: dict[str, Any], path: Path) -> Iterator[Reason]:
    """What is wrong with where a volume comes from."""
    sources = [key for key in volume if key in SOURCES and isinstance(volume[key], dict)]
    if len(sources) > 1:
        message = f"a volume has one source, not {listed(sources)}"
        yield because((*path, sources[1]), message, "two-sources", (*path, sources[0]))
    # a volume without any is an empty directory to the API server
    for kind in sources[:1]:
        source, here = volume[kind], (*path, kind)
        for key in _NEEDED.get(kind, ()):
            yield from needed(source, key, here)
        judge = _JUDGES.get(kind)
        if judge is not None:
            yield from judge(source, here)


def _empty(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    limit = nano(source.get("sizeLimit"))
    if limit is not None and limit < 0:
        yield because((*path, "sizeLimit"), f"`{shown(source['sizeLimit'])}` is below 0")
    elif limit is None and isinstance(source.get("sizeLimit"), str):
        yield because((*path, "sizeLimit"), f"`{shown(source['sizeLimit'])}` is no quantity")


def _host(source: dict[str, Any], path: Path) -> Iterable[Reason]:
    # no generator: of the volumes of a job on bare metal most are such
    found = [*needed(source, "path", path), *no_backsteps(text(source, "path") or "", (*path, "path"))]
    return [*found, *one_of(source, "type", path, _HOST_PATHS)] if "type" in source else found


def _keyed(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    """A Secret or ConfigMap as files."""
    yield from _mode(source, "defaultMode", path)
    for at, item in enumerate(sequence(source.get("items"))):
        tree, here = mapping(item), (*path, "items", at)
        yield from needed(tree, "key", here)
        yield from _file(tree, here)


def _file(item: dict[str, Any], path: Path) -> Iterator[Reason]:
    yield from needed(item, "path", path)
    yield from relative(text(item, "path") or "", (*path, "path"), reserved=True)
    yield from _mode(item, "mode", path)


def _mode(tree: dict[str, Any], key: str, path: Path) -> Iterator[Reason]:
    mode = number(tree, key)
    if mode is not None and not 0 <= mode <= 0o777:
        yield because((*path, key), f"{shown(mode)} is no mode of a file: those are 0 to 511, 0777 in octal")


def _network(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    for key in ("server", "path"):
        yield from needed(source, key, path)
    given = text(source, "path")
    if given and not given.startswith("/"):
        yield because((*path, "path"), f"`{shown(given)}` is not an absolute path")


def _git(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    yield from relative(text(source, "directory") or "", (*path, "directory"))


def _disk(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    yield from at_least(source, "partition", path, 0, 255)


def _iscsi(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    for key in ("targetPortal", "iqn"):
        yield from needed(source, key, path)
    name = text(source, "iqn")
    if name and not name.startswith(("iqn", "eui", "naa")):
        yield because((*path, "iqn"), f"`{shown(name)}` begins with neither `iqn`, `eui`, nor `naa`")
    yield from at_least(source, "lun", path, 0, 255)
    chap = source.get("chapAuthDiscovery") is True or source.get("chapAuthSession") is True
    if chap and not isinstance(source.get("secretRef"), dict):
        yield missing((*path, "secretRef"))


def _fibre(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    targets, names = sequence(source.get("targetWWNs")), sequence(source.get("wwids"))
    if bool(targets) == bool(names):
        yield because((*path, "targetWWNs"), "either `targetWWNs` or `wwids` must be given, not both")
    if targets and source.get("lun") is None:
        yield missing((*path, "lun"))
    yield from at_least(source, "lun", path, 0, 255)


def _ceph(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    if not sequence(source.get("monitors")):
        yield missing((*path, "monitors"))


def _flocker(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    name = text(source, "datasetName")
    if bool(name) == bool(text(source, "datasetUUID")):
        yield because(path, "either `datasetName` or `datasetUUID` must be given, not both")
    if name and "/" in name:
        yield because((*path, "datasetName"), f"`{shown(name)}` holds a slash")


def _csi(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    driver = text(source, "driver")
    if driver == "":
        yield missing((*path, "driver"))
    elif driver is not None and (len(driver) > 63 or not is_subdomain(driver.lower())):
        yield because((*path, "driver"), f"`{shown(driver)}` is no name of a CSI driver")
    secret = source.get("nodePublishSecretRef")
    if isinstance(secret, dict):
        yield from needed(secret, "name", (*path, "nodePublishSecretRef"))
        name = text(secret, "name")
        if name and not is_subdomain(name):
            yield because((*path, "nodePublishSecretRef", "name"), f"`{shown(name)}` is no name of an object")


def _ephemeral(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    here = (*path, "volumeClaimTemplate")
    template = source.get("volumeClaimTemplate")
    if template is None:
        yield missing(here)
        return
    yield from claim_spec(mapping(mapping(template).get("spec")), (*here, "spec"))


def modes(spec: dict[str, Any], path: Path) -> Iterator[Reason]:
    """What is wrong with the ``accessModes`` of a claim or of a volume that claims are bound to."""
    given = sequence(spec.get("accessModes"))
    if not given:
        yield missing((*path, "accessModes"))
    for at, mode in enumerate(given):
        if isinstance(mode, str) and mode not in _MODES:
            yield because((*path, "accessModes", at), f"`{shown(mode)}` is none of {listed(_MODES)}")
    if "ReadWriteOncePod" in given and len(set(map(str, given))) > 1:
        yield because((*path, "accessModes"), "`ReadWriteOncePod` excludes other modes")


def claim_spec(spec: dict[str, Any], path: Path) -> Iterator[Reason]:
    """What is wrong with what a claim asks for."""
    yield from modes(spec, path)
    requests = mapping(mapping(spec.get("resources")).get("requests"))
    size = nano(requests.get("storage"))
    if requests.get("storage") is None:
        yield because((*path, "resources", "requests"), "`storage` is missing")
    elif size is not None and size <= 0:
        shown_ = shown(requests["storage"])
        yield because((*path, "resources", "requests", "storage"), f"`storage` of {shown_} is not above 0")
    for key in ("storageClassName", "volumeAttributesClassName"):
        name = text(spec, key)
        if name and not is_subdomain(name):
            yield because((*path, key), f"`{shown(name)}` is no name of an object")
    kind = text(spec, "volumeMode")
    if kind and kind not in ("Block", "Filesystem"):
        yield because((*path, "volumeMode"), f"`{shown(kind)}` is none of `Block` and `Filesystem`")


def _image(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    reference = text(source, "reference")
    if reference == "":
        yield missing((*path, "reference"))
    elif reference is not None and reference != reference.strip():
        yield because((*path, "reference"), f"`{shown(reference)}` has blanks around it")
    policy = text(source, "pullPolicy")
    if policy and policy not in ("Always", "IfNotPresent", "Never"):
        yield because((*path, "pullPolicy"), f"`{shown(policy)}` is none of `Always`, `IfNotPresent`, and `Never`")


def _downward(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    yield from _mode(source, "defaultMode", path)
    yield from _facts(source, path)


def _facts(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    """Facts of the pod as files."""
    from specgen.operators.kubernetes.variables import amount_of_container, field_of_pod

    for at, item in enumerate(sequence(source.get("items"))):
        tree, here = mapping(item), (*path, "items", at)
        yield from _file(tree, here)
        field, amount = tree.get("fieldRef"), tree.get("resourceFieldRef")
        if field is None and amount is None:
            yield because(here, "neither `fieldRef` nor `resourceFieldRef` is given")
        elif isinstance(field, dict):
            yield from field_of_pod(field, _FIELDS, (*here, "fieldRef"))
            if isinstance(amount, dict):
                message = "`resourceFieldRef` contradicts `fieldRef`: a file has one source"
                yield because((*here, "resourceFieldRef"), message, "", (*here, "fieldRef"))
        elif isinstance(amount, dict):
            yield from needed(amount, "containerName", (*here, "resourceFieldRef"))
            yield from amount_of_container(amount, (*here, "resourceFieldRef"))


def _projected(source: dict[str, Any], path: Path) -> Iterator[Reason]:
    yield from _mode(source, "defaultMode", path)
    files: dict[str, Path] = {}
    for at, one in enumerate(sequence(source.get("sources"))):
        kinds = [key for key in mapping(one) if key in _PROJECTED and isinstance(one[key], dict)]
        here = (*path, "sources", at)
        if len(kinds) > 1:
            message = f"a projected source is of one kind, not {listed(kinds)}"
            yield because((*here, kinds[1]), message, "", (*here, kinds[0]))
        for kind in kinds:
            tree, below = one[kind], (*here, kind)
            if kind in ("secret", "configMap"):
                yield from needed(tree, "name", below)
                yield from _keyed(tree, below)
            elif kind == "downwardAPI":
                yield from _facts(tree, below)
            else:
                yield from _token(kind, tree, below)
            yield from _twice(tree, kind, files, below)


def _token(kind: str, tree: dict[str, Any], path: Path) -> Iterator[Reason]:
    """Sources that are one file, or a pair."""
    if kind == "podCertificate":
        yield from needed(tree, "signerName", path)
        word = text(tree, "keyType")
        if word == "":
            yield missing((*path, "keyType"))
        elif word is not None and word not in _KEYS:
            yield because((*path, "keyType"), f"`{shown(word)}` is none of {listed(_KEYS, most=9)}")
        for key in ("credentialBundlePath", "keyPath", "certificateChainPath"):
            yield from relative(text(tree, key) or "", (*path, key), reserved=True)
        return
    yield from needed(tree, "path", path)
    yield from relative(text(tree, "path") or "", (*path, "path"), reserved=True)
    if kind == "serviceAccountToken":
        # that the pod names an account is seen to by admission, which gives it the default one
        yield from at_least(tree, "expirationSeconds", path, 600, 2**32)
    elif tree.get("name") is not None and tree.get("signerName") is not None:
        yield because((*path, "signerName"), "`signerName` contradicts `name`", "", (*path, "name"))
    elif tree.get("name") is None and tree.get("signerName") is None:
        yield because(path, "neither `name` nor `signerName` is given")
    elif tree.get("name") is not None and tree.get("labelSelector") is not None:
        yield because((*path, "labelSelector"), "`labelSelector` contradicts `name`", "", (*path, "name"))


def _twice(tree: dict[str, Any], kind: str, files: dict[str, Path], path: Path) -> Iterator[Reason]:
    """Two sources that are one file."""
    places: list[tuple[str | None, Path]] = [
        (text(mapping(item), "path"), (*path, "items", at, "path"))
        for at, item in enumerate(sequence(tree.get("items")))
    ]
    if kind == "clusterTrustBundle":
        places.append((text(tree, "path"), (*path, "path")))
    for file, place in places:
        if file and file in files:
            yield because(place, f"two sources of a projected volume are the file `{shown(file)}`", "", files[file])
        elif file:
            files[file] = place


_JUDGES: dict[str, Callable[[dict[str, Any], Path], Iterable[Reason]]] = {
    "awsElasticBlockStore": _disk,
    "cephfs": _ceph,
    "configMap": _keyed,
    "csi": _csi,
    "downwardAPI": _downward,
    "emptyDir": _empty,
    "ephemeral": _ephemeral,
    "fc": _fibre,
    "flocker": _flocker,
    "gcePersistentDisk": _disk,
    "gitRepo": _git,
    "hostPath": _host,
    "image": _image,
    "iscsi": _iscsi,
    "nfs": _network,
    "projected": _projected,
    "rbd": _ceph,
    "secret": _keyed,
}
