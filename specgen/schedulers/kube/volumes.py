"""VolumeRestrictions, VolumeBinding and VolumeZone, and the controller that binds claims to volumes.

Kubernetes 1.36, volumerestrictions, volumebinding/{volume_binding,binder}.go, volumezone, pkg/controller/volume/
persistentvolume/pv_controller.go (claims that do not wait are bound as soon as a volume is there).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import nano
from specgen.schedulers.kube.state import UNRESOLVABLE, UNSCHEDULABLE, Status
from specgen.schedulers.selectors import meets, node_term, requirements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.schedulers.kube.state import Kind, State
    from specgen.schedulers.pods import Sort
    from specgen.schedulers.world import Objects

_ZONES = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")
_DEFAULT = "storageclass.kubernetes.io/is-default-class"
_ALONE = "node has pod using PersistentVolumeClaim with the same name and ReadWriteOncePod access mode"
_NO_PROVISIONER = "kubernetes.io/no-provisioner"


class Volumes:
    """Claims, and the volumes they have: ``bound`` is (namespace, claim) → name of the volume."""

    __slots__ = ("_objects", "bound")

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self.bound: dict[tuple[str, str], str] = {}

    def claims(self) -> Iterator[tuple[tuple[str, str], dict[str, Any]]]:
        """All claims, by namespace and name."""
        for tree in self._objects.of("PersistentVolumeClaim"):
            metadata = mapping(tree.get("metadata"))
            yield (str(metadata.get("namespace") or "default"), str(metadata.get("name"))), tree

    def settle(self) -> None:
        """Binds what is bound already, and what waits for no pod."""
        for key, tree in self.claims():
            if key not in self.bound:
                name = mapping(tree.get("spec")).get("volumeName")
                held = name if isinstance(name, str) and name else self._held(key)
                if held is None and not self.waits(tree):
                    held = self._match(key, tree, None)
                if held is not None:
                    self.bound[key] = held

    def _held(self, key: tuple[str, str]) -> str | None:
        """The volume that says it is a claim's."""
        for volume in self._objects.of("PersistentVolume"):
            claim = mapping(mapping(volume.get("spec")).get("claimRef"))
            if (str(claim.get("namespace") or "default"), str(claim.get("name"))) == key:
                return str(mapping(volume.get("metadata")).get("name"))
        return None

    def storage_class(self, claim: dict[str, Any]) -> str:
        """The class of a claim, the cluster's default where it names none; empty: none."""
        own = mapping(claim.get("spec")).get("storageClassName")
        if isinstance(own, str):
            return own
        for tree in self._objects.of("StorageClass"):
            metadata = mapping(tree.get("metadata"))
            if mapping(metadata.get("annotations")).get(_DEFAULT) == "true":
                return str(metadata.get("name"))
        return ""

    def waits(self, claim: dict[str, Any]) -> bool:
        """Whether a claim is bound only when a pod uses it."""
        tree = self._objects.named("StorageClass", self.storage_class(claim))
        return tree is not None and tree.get("volumeBindingMode") == "WaitForFirstConsumer"

    def _match(self, key: tuple[str, str], claim: dict[str, Any], kind: Kind | None) -> str | None:
        """The smallest free volume that a claim may have, on nodes of a kind where one is named."""
        spec = mapping(claim.get("spec"))
        wanted = nano(mapping(mapping(spec.get("resources")).get("requests")).get("storage")) or 0
        found: list[tuple[int, str]] = []
        for volume in self._objects.of("PersistentVolume"):
            own, name = mapping(volume.get("spec")), str(mapping(volume.get("metadata")).get("name"))
            size = nano(mapping(own.get("capacity")).get("storage")) or 0
            labels = mapping(mapping(volume.get("metadata")).get("labels"))
            asked = requirements(spec.get("selector"))
            if (
                name not in self.bound.values()
                and not own.get("claimRef")
                and str(own.get("storageClassName") or "") == self.storage_class(claim)
                and set(sequence(spec.get("accessModes"))) <= set(sequence(own.get("accessModes")))
                and (own.get("volumeMode") or "Filesystem") == (spec.get("volumeMode") or "Filesystem")
                and size >= wanted
                and (asked is None or meets(labels, asked))
                and (kind is None or _reaches(own, kind))
            ):
                found.append((size, name))
        return min(found)[1] if found else None

    def named(self, sort: Sort) -> Iterator[tuple[str, str]]:
        """The claims of a pod, by namespace and name."""
        for volume in sort.volumes:
            claim = mapping(mapping(volume).get("persistentVolumeClaim")).get("claimName")
            if isinstance(claim, str) and not self._unseen((sort.namespace, claim)):
                yield sort.namespace, claim

    def _unseen(self, key: tuple[str, str]) -> bool:
        """Whether nothing is known of where a claim's volume is: the objects do not hold it, and may not hold all."""
        tree = self._objects.named("PersistentVolumeClaim", key[1], key[0])
        if tree is None:
            return not self._objects.knows("PersistentVolumeClaim")
        if key in self.bound:
            volume = self._objects.named("PersistentVolume", self.bound[key])
            return volume is None and not self._objects.knows("PersistentVolume")
        return not self._objects.knows("StorageClass")

    def before(self, sort: Sort) -> str:
        """Why no node is looked at at all; empty: they are."""
        keys = list(self.named(sort))
        trees = [self._objects.named("PersistentVolumeClaim", name, namespace) for namespace, name in keys]
        for (_, name), tree in zip(keys, trees, strict=True):
            if tree is None:
                return f'persistentvolumeclaim "{name}" not found'
        for key, tree in zip(keys, trees, strict=True):
            if tree is not None and key not in self.bound and not self.waits(tree):
                return "pod has unbound immediate PersistentVolumeClaims"
        return ""

    def single(self, sort: Sort, state: State) -> Status | None:
        """A claim that one pod alone may use, and another one does."""
        for key in self.named(sort):
            tree = self._objects.named("PersistentVolumeClaim", key[1], key[0]) or {}
            if "ReadWriteOncePod" in sequence(mapping(tree.get("spec")).get("accessModes")):
                for _, other, _ in state.held():
                    if key in self.named(other):
                        return Status("VolumeRestrictions", UNSCHEDULABLE, _ALONE)
        return None

    def check(self, sort: Sort, kind: Kind) -> Status | None:
        """A node that cannot reach a volume of the pod, or has none for its claim."""
        reasons: list[str] = []
        for key in self.named(sort):
            claim = self._objects.named("PersistentVolumeClaim", key[1], key[0]) or {}
            if key in self.bound:
                volume = self._objects.named("PersistentVolume", self.bound[key])
                if volume is None:
                    reasons.append("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
                elif not _reaches(mapping(volume.get("spec")), kind):
                    reasons.append("node(s) didn't match PersistentVolume's node affinity")
            elif self._match(key, claim, kind) is None and not self._provides(claim, kind):
                reasons.append("node(s) didn't find available persistent volumes to bind")
        if reasons:
            return Status("VolumeBinding", UNRESOLVABLE, *dict.fromkeys(reasons))
        for key in self.named(sort):
            volume = self._objects.named("PersistentVolume", self.bound.get(key, ""))
            labels = mapping(mapping((volume or {}).get("metadata")).get("labels"))
            for zone in _ZONES:
                own = kind.labels.get(zone)
                if (
                    zone in labels
                    and any(one in kind.labels for one in _ZONES)
                    and own not in str(labels[zone]).split("__")
                ):
                    return Status("VolumeZone", UNRESOLVABLE, "node(s) had no available volume zone")
        return None

    def _provides(self, claim: dict[str, Any], kind: Kind) -> bool:
        """Whether a volume would be made for a claim on a node."""
        tree = self._objects.named("StorageClass", self.storage_class(claim)) or {}
        if tree.get("provisioner") in (None, "", _NO_PROVISIONER):
            return False
        terms = [mapping(one) for one in sequence(tree.get("allowedTopologies"))]
        if not terms:
            return True
        return any(
            all(
                kind.labels.get(str(mapping(one).get("key"))) in sequence(mapping(one).get("values"))
                for one in sequence(term.get("matchLabelExpressions"))
            )
            for term in terms
        )

    def bind(self, sort: Sort, kind: Kind) -> None:
        """Gives the claims of a pod that waited for it their volumes."""
        for key in self.named(sort):
            claim = self._objects.named("PersistentVolumeClaim", key[1], key[0])
            if claim is not None and key not in self.bound:
                found = self._match(key, claim, kind)
                if found is not None:
                    self.bound[key] = found


def _reaches(volume: dict[str, Any], kind: Kind) -> bool:
    required = mapping(mapping(volume.get("nodeAffinity")).get("required"))
    terms = sequence(required.get("nodeSelectorTerms"))
    return not terms or any(node_term(term, kind.labels, kind.name) for term in terms)
