"""A bundle as a folder: ``<job>/<kind>.yaml`` for each object, and a ``kustomization.yaml``."""

from __future__ import annotations

from specgen.document.write import write_yaml, write_yaml_stream
from specgen.emit.kustomize import FILE, kustomization

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.manifest.model import Bundle


def stream(bundles: Sequence[Bundle]) -> str:
    """All objects as one YAML stream, in order."""
    return write_yaml_stream([manifest.tree for bundle in bundles for manifest in bundle.manifests])


def folder(bundle: Bundle) -> dict[str, str]:
    """Relative path → text. Two objects of a kind are told apart by their names."""
    files: dict[str, str] = {}
    kinds = [manifest.ref.kind for manifest in bundle.manifests]
    for manifest in bundle.manifests:
        kind = manifest.ref.kind.lower()
        name = kind if kinds.count(manifest.ref.kind) == 1 else f"{kind}-{manifest.ref.name}"
        files[f"{bundle.name}/{name}.yaml"] = write_yaml(manifest.tree)
    files[f"{bundle.name}/{FILE}"] = write_yaml(kustomization([path.partition("/")[2] for path in files]))
    return files


def tree(bundles: Sequence[Bundle]) -> dict[str, str]:
    """Every folder, and a ``kustomization.yaml`` on top that lists them; the order of the bundles does not show."""
    files: dict[str, str] = {}
    for bundle in bundles:
        files.update(folder(bundle))
    files[FILE] = write_yaml(kustomization(sorted(bundle.name for bundle in bundles)))
    return files
