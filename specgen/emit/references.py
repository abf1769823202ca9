"""Which fields of a job name an object beside it: kustomize knows those of Kubernetes' own kinds alone.

Without being told, an overlay with ``namePrefix`` renames a ConfigMap and leaves the job's volume with the old name.
"""

from __future__ import annotations

from specgen.operators.queues import COSCHEDULING_GROUP, VOLCANO_GROUP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from specgen.manifest.model import Bundle

FILE = "kustomizeconfig.yaml"

# Kind that is named → the last keys of the fields that name it.
_NAMING = {
    "ConfigMap": (("configMap", "name"), ("configMapRef", "name"), ("configMapKeyRef", "name")),
    "PersistentVolumeClaim": (("persistentVolumeClaim", "claimName"),),
    "PodGroup": (("annotations", VOLCANO_GROUP), ("labels", COSCHEDULING_GROUP)),
    "ResourceClaimTemplate": (("resourceClaims", "resourceClaimTemplateName"),),
    "Secret": (
        ("secret", "secretName"),
        ("sources", "secret", "name"),
        ("envFrom", "secretRef", "name"),
        ("secretKeyRef", "name"),
        ("imagePullSecrets", "name"),
        ("dataset", "secretRef", "name"),
        ("model", "secretRef", "name"),
    ),
    "ServiceAccount": (("serviceAccountName",),),
    "TrainingRuntime": (("runtimeRef", "name"),),
}


def references(bundle: Bundle) -> dict[str, Any]:
    """kustomize's ``nameReference`` for the objects of a bundle, empty where none names another."""
    entries = []
    for kind in _NAMING:
        names = [manifest.ref.name for manifest in bundle.manifests if manifest.ref.kind == kind]
        fields: dict[tuple[str, str], None] = {}
        for manifest in bundle.manifests if names else ():
            for path, value in _texts(manifest.tree, ()):
                if value in names and kind in named(path):
                    fields[manifest.ref.kind, "/".join(step.replace("/", "\\/") for step in path)] = None
        if fields:
            entries.append({"kind": kind, "fieldSpecs": specs(fields)})
    return {"nameReference": entries} if entries else {}


def named(path: tuple[str, ...]) -> list[str]:
    """The kinds whose names may stand at a path; none where it names nothing."""
    return [kind for kind, ends in _NAMING.items() if any(path[-len(end) :] == end for end in ends)]


def specs(fields: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """kustomize's ``fieldSpecs`` of (kind, path)."""
    return [{"kind": kind, "path": path} for kind, path in fields]


def _texts(tree: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    """(path, text) of every text; items of lists bear the list's path, as kustomize looks into lists by itself."""
    if isinstance(tree, dict):
        for key, value in tree.items():
            yield from _texts(value, (*path, key))
    elif isinstance(tree, list):
        for value in tree:
            yield from _texts(value, path)
    elif isinstance(tree, str):
        yield path, tree
