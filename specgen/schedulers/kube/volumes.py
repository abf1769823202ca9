"""VolumeRestrictions, VolumeBinding and VolumeZone, and the controller that binds claims to volumes.

Kubernetes 1.36, volumerestrictions, volumebinding/{volume_binding,binder}.go, volumezone, pkg/controller/volume/
persistentvolume/pv_controller.go (claims that do not wait are bound as soon as a volume is there).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import meets, node_term, requirements
from specgen.quantity import nano
from specgen.schedulers.kube.state import UNRESOLVABLE, UNSCHEDULABLE, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from typing import Any

    from specgen.schedulers.kube.state import Kind, State
    from specgen.schedulers.pods import Sort
    from specgen.schedulers.world import Objects

# A label of a volume, and what nodes call it today.
_ZONES = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "topology.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "topology.kubernetes.io/region": "topology.kubernetes.io/region",
}
_COMPLETED = "pv.kubernetes.io/bind-completed"
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
                if isinstance(name, str) and name:
                    held = name if self._takes(key, tree, name) else None
                else:
                    held = self._held(key)
                    if held is None and not self.waits(tree):
                        held = self._match(key, tree, None)
                if held is not None:
                    self.bound[key] = held

    def _takes(self, key: tuple[str, str], claim: dict[str, Any], name: str) -> bool:
        """Whether a claim has the volume that it names, or gets it: one that is free, or kept for it, and will do."""
        status, metadata = mapping(claim.get("status")), mapping(claim.get("metadata"))
        if status.get("phase") == "Bound" or _COMPLETED in mapping(metadata.get("annotations")):
            return True
        volume = self._objects.named("PersistentVolume", name)
        if volume is None:
            return not self._objects.knows("PersistentVolume")
        other = mapping(mapping(volume.get("spec")).get("claimRef"))
        if other:
            return (str(other.get("namespace") or "default"), str(other.get("name"))) == key
        return name not in self.bound.values() and self._will_do(mapping(claim.get("spec")), claim, volume)

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

    def _will_do(self, spec: dict[str, Any], claim: dict[str, Any], volume: dict[str, Any]) -> bool:
        """Whether a volume is large enough for a claim, of its class, and may be used as it asks."""
        own = mapping(volume.get("spec"))
        wanted = nano(mapping(mapping(spec.get("resources")).get("requests")).get("storage")) or 0
        return (
            (nano(mapping(own.get("capacity")).get("storage")) or 0) >= wanted
            and str(own.get("storageClassName") or "") == self.storage_class(claim)
            and set(map(str, sequence(spec.get("accessModes")))) <= set(map(str, sequence(own.get("accessModes"))))
            and (own.get("volumeMode") or "Filesystem") == (spec.get("volumeMode") or "Filesystem")
        )

    def _match(
        self, key: tuple[str, str], claim: dict[str, Any], kind: Kind | None, without: Collection[str] = ()
    ) -> str | None:
        """The smallest free volume that a claim may have, on nodes of a kind where one is named."""
        spec = mapping(claim.get("spec"))
        asked = requirements(spec.get("selector"))
        taken = {*self.bound.values(), *without}
        found: list[tuple[int, str]] = []
        for volume in self._objects.of("PersistentVolume"):
            own, metadata = mapping(volume.get("spec")), mapping(volume.get("metadata"))
            name = str(metadata.get("name"))
            if (
                name not in taken
                and not own.get("claimRef")
                and mapping(volume.get("status")).get("phase") in (None, "Available", "Pending")
                and self._will_do(spec, claim, volume)
                and (asked is None or meets(mapping(metadata.get("labels")), asked))
                and (kind is None or _reaches(own, kind))
            ):
                found.append((nano(mapping(own.get("capacity")).get("storage")) or 0, name))
        return min(found)[1] if found else None

    def _on(self, sort: Sort, kind: Kind) -> dict[tuple[str, str], str | None]:
        """The volumes that claims of a pod which wait for it would get on a node, those of the smallest first.

        None: none is there, nor would one be made.
        """
        waiting = [(key, tree) for key, tree in self._named(sort) if tree is not None and key not in self.bound]
        waiting.sort(key=lambda one: _wanted(one[1]))
        found: dict[tuple[str, str], str | None] = {}
        for key, tree in waiting:
            volume = self._match(key, tree, kind, [one for one in found.values() if one])
            found[key] = volume or ("" if self._provides(tree, kind) else None)
        return found

    def _named(self, sort: Sort) -> Iterator[tuple[tuple[str, str], dict[str, Any] | None]]:
        """The claims of a pod, by namespace and name, and what they ask; None: there is no such claim.

        One that is made for the pod has no name that anybody else could give.
        """
        for volume in (mapping(one) for one in sort.volumes):
            claim = mapping(volume.get("persistentVolumeClaim")).get("claimName")
            own = mapping(mapping(volume.get("ephemeral")).get("volumeClaimTemplate"))
            if isinstance(claim, str):
                key = (sort.namespace, claim)
                if not self._unseen(key):
                    yield key, self._objects.named("PersistentVolumeClaim", claim, sort.namespace)
            elif own and self._objects.knows("StorageClass"):
                yield (sort.namespace, f"{sort.id}/{volume.get('name')}"), own

    def _unseen(self, key: tuple[str, str]) -> bool:
        """Whether nothing is known of where a claim's volume is: the objects do not hold it, and may not hold all."""
        tree = self._objects.named("PersistentVolumeClaim", key[1], key[0])
        if tree is None:
            return not self._objects.knows("PersistentVolumeClaim")
        if key in self.bound:
            volume = self._objects.named("PersistentVolume", self.bound[key])
            return volume is None and not self._objects.knows("PersistentVolume")
        return not self._objects.knows("StorageClass")

    def before(self, sort: Sort) -> tuple[str, str]:
        """(why no node is looked at at all, empty: they are; the fact that nobody says about it)."""
        keys = list(self._named(sort))
        for (_, name), tree in keys:
            if tree is None:
                return f'persistentvolumeclaim "{name}" not found', ""
        for key, tree in keys:
            spec = mapping((tree or {}).get("spec"))
            if tree is not None and key not in self.bound and (spec.get("volumeName") or not self.waits(tree)):
                if "/" in key[1] and (self._match(key, tree, None) or self._makes(tree)):
                    continue  # it comes with the pod, and gets its volume
                maker = self._makes(tree) if not spec.get("volumeName") else ""
                unsaid = f"whether {maker} makes a volume for the claim `{key[1]}`, which has none yet" if maker else ""
                return "pod has unbound immediate PersistentVolumeClaims", unsaid
        return "", ""

    def single(self, sort: Sort, state: State) -> Status | None:
        """A claim that one pod alone may use, and another one does."""
        for key, tree in self._named(sort):
            if "ReadWriteOncePod" in sequence(mapping((tree or {}).get("spec")).get("accessModes")):
                for _, other, _ in state.held():
                    if any(key == one for one, _ in self._named(other)):
                        return Status("VolumeRestrictions", UNSCHEDULABLE, _ALONE)
        return None

    def check(self, sort: Sort, kind: Kind) -> Status | None:
        """A node that cannot reach a volume of the pod, or has none for its claim."""
        reasons: list[str] = []
        keys = [key for key, _ in self._named(sort)]
        for key in keys:
            if key in self.bound:
                volume = self._objects.named("PersistentVolume", self.bound[key])
                if volume is None:
                    reasons.append("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)")
                elif not _reaches(mapping(volume.get("spec")), kind):
                    reasons.append("node(s) didn't match PersistentVolume's node affinity")
        if any(one is None for one in self._on(sort, kind).values()):
            reasons.append("node(s) didn't find available persistent volumes to bind")
        if reasons:
            return Status("VolumeBinding", UNRESOLVABLE, *dict.fromkeys(reasons))
        if not any(label in kind.labels for label in _ZONES):
            return None
        for key in keys:
            volume = self._objects.named("PersistentVolume", self.bound.get(key, ""))
            labels = mapping(mapping((volume or {}).get("metadata")).get("labels"))
            for label, today in _ZONES.items():
                own = kind.labels.get(label, kind.labels.get(today))
                if label in labels and own not in str(labels[label]).split("__"):
                    return Status("VolumeZone", UNRESOLVABLE, "node(s) had no available volume zone")
        return None

    def _makes(self, claim: dict[str, Any]) -> str:
        """Who makes volumes of a claim's class; empty: nobody."""
        tree = self._objects.named("StorageClass", self.storage_class(claim)) or {}
        maker = str(tree.get("provisioner") or "")
        return "" if maker == _NO_PROVISIONER else maker

    def _provides(self, claim: dict[str, Any], kind: Kind) -> bool:
        """Whether a volume would be made for a claim on a node."""
        if not self._makes(claim):
            return False
        tree = self._objects.named("StorageClass", self.storage_class(claim)) or {}
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
        self.bound.update((key, found) for key, found in self._on(sort, kind).items() if found)


def _wanted(claim: dict[str, Any]) -> int:
    """The size that a claim asks for."""
    return nano(mapping(mapping(mapping(claim.get("spec")).get("resources")).get("requests")).get("storage")) or 0


def _reaches(volume: dict[str, Any], kind: Kind) -> bool:
    required = mapping(mapping(volume.get("nodeAffinity")).get("required"))
    terms = sequence(required.get("nodeSelectorTerms"))
    return not terms or any(node_term(term, kind.labels, kind.name) for term in terms)
