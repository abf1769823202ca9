"""A bundle as a folder: ``<job>/<kind>.yaml`` for each object, and a ``kustomization.yaml``."""

from __future__ import annotations

from specgen.document.write import write_yaml
from specgen.emit.kustomize import FILE, kustomization

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.manifest.model import Bundle


def folder(bundle: Bundle) -> dict[str, str]:
    """Relative path → text. Two objects of a kind are told apart by their names."""
    files: dict[str, str] = {}
    for manifest, name in zip(bundle.manifests, _names(bundle), strict=True):
        files[f"{bundle.name}/{name}"] = write_yaml(manifest.tree)
    resources = [path.partition("/")[2] for path in files]
    taught: dict[str, Any] = {}
    if len(bundle.manifests) > 1:
        from specgen.emit import references  # most jobs stand alone

        taught = references.references(bundle)
        if taught:
            files[f"{bundle.name}/{references.FILE}"] = write_yaml(taught)
    configurations = [references.FILE] if taught else []
    files[f"{bundle.name}/{FILE}"] = write_yaml(kustomization(resources, configurations))
    return files


def _names(bundle: Bundle) -> list[str]:
    """A file name for each object: `<kind>.yaml`, or `<kind>-<name>.yaml` where the kind alone is not enough.

    Objects that a profile names bear any kind and name: what no file name should hold becomes a dash.
    """
    kinds = [_safe(manifest.ref.kind) for manifest in bundle.manifests]
    names: list[str] = []
    for kind, manifest in zip(kinds, bundle.manifests, strict=True):
        alone = kinds.count(kind) == 1 and f"{kind}.yaml" not in (FILE, "kustomizeconfig.yaml")
        base = kind if alone else f"{kind}-{_safe(manifest.ref.name)}"
        name, number = f"{base}.yaml", 2
        while name in names:  # of one name in two namespaces or API groups
            name, number = f"{base}-{number}.yaml", number + 1
        names.append(name)
    return names


def _safe(text: str) -> str:
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-.") else "-" for sign in text.lower())


def tree(bundles: Sequence[Bundle]) -> dict[str, str]:
    """Every folder, and a ``kustomization.yaml`` on top that lists them; the order of the bundles does not show."""
    files: dict[str, str] = {}
    for bundle in bundles:
        files.update(folder(bundle))
    files[FILE] = write_yaml(kustomization(sorted(bundle.name for bundle in bundles)))
    return files
