"""Which fields of a job name an object beside it: kustomize knows those of Kubernetes' own kinds alone.

Without being told, an overlay with ``namePrefix`` renames a ConfigMap and leaves the job's volume with the old name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from specgen.manifest.model import Bundle

FILE = "kustomizeconfig.yaml"

# Kind that is named → the last keys of the fields that name it.
_NAMING = {
    "ConfigMap": (("configMap", "name"), ("configMapRef", "name"), ("configMapKeyRef", "name")),
    "PersistentVolumeClaim": (("persistentVolumeClaim", "claimName"),),
    "ResourceClaimTemplate": (("resourceClaims", "resourceClaimTemplateName"),),
    "TrainingRuntime": (("runtimeRef", "name"),),
}


def references(bundle: Bundle) -> dict[str, Any]:
    """kustomize's ``nameReference`` for the objects of a bundle, empty where none names another."""
    entries = []
    for kind, endings in _NAMING.items():
        names = [manifest.ref.name for manifest in bundle.manifests if manifest.ref.kind == kind]
        fields: dict[tuple[str, str], None] = {}
        for manifest in bundle.manifests if names else ():
            for path, value in _texts(manifest.tree, ()):
                if value in names and path[-2:] in endings:
                    fields[manifest.ref.kind, "/".join(path)] = None
        if fields:
            specs = [{"kind": holder, "path": path} for holder, path in fields]
            entries.append({"kind": kind, "fieldSpecs": specs})
    return {"nameReference": entries} if entries else {}


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
