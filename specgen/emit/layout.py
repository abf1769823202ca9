"""A bundle as a folder: ``<kind>.yaml`` for each object, and a ``kustomization.yaml``; the folders as a tree.

A job that brings its own runtime is laid out in two folders, ``runtime`` and ``job``, below a kustomization of both:
for Flux, which cannot apply the two in one go, ``_flux`` holds a layer of all runtimes and one of all jobs.
"""

from __future__ import annotations

from specgen.document.write import write_yaml
from specgen.emit.kustomize import FILE, OTHERS, RUNTIMES, kustomization

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from specgen.manifest.model import Bundle

_RUNTIME, _JOB = PARTS = "runtime", "job"
# No job's folder is called so, nor like the next one: names of Kubernetes have no underscore.
LAYERS = "_flux"
_FIRST, _SECOND = "1-runtimes", "2-jobs"
# What overlays over the tree may name: ``overlays``.
OVERLAYS = "_overlays"


def folder_name(bundle: Bundle) -> str:
    """The folder of a job, by its own words alone: its name, behind its namespace where it names one."""
    namespace = bundle.job.ref.namespace
    return _safe(f"{namespace}.{bundle.name}" if namespace else bundle.name).lstrip(".")


def folder(bundle: Bundle) -> dict[str, str]:
    """Path in the job's folder → text. Two objects of a kind are told apart by their names."""
    split = any(manifest.ref.kind in RUNTIMES for manifest in bundle.manifests)
    files: dict[str, str] = {}
    parts: dict[str, list[str]] = {_RUNTIME: [], _JOB: []} if split else {"": []}
    for manifest, name in zip(bundle.manifests, _names(bundle), strict=True):
        part = "" if not split else _RUNTIME if manifest.ref.kind in RUNTIMES else _JOB
        parts[part].append(name)
        text = write_yaml(manifest.tree)
        if "${" in text:
            from specgen.emit.flux import guarded  # most objects hold none

            text = write_yaml(guarded(manifest.tree))
        files[_joined(part, name)] = text
    taught: dict[str, Any] = {}
    if len(bundle.manifests) > 1:
        from specgen.emit import references  # most jobs stand alone

        taught = references.references(bundle)
        if taught:
            files[references.FILE] = write_yaml(taught)
    configurations = [references.FILE] if taught else []
    if split:
        for part, names in parts.items():
            files[_joined(part, FILE)] = _listed(names)
        files[FILE] = write_yaml(kustomization(list(parts), configurations, ordered=True))
    else:
        ordered = len(parts[""]) > 1
        files[FILE] = write_yaml(kustomization(parts[""], configurations, ordered=ordered))
    return files


def _listed(names: Sequence[str]) -> str:
    return write_yaml(kustomization(names, ordered=len(names) > 1))


def _joined(part: str, name: str) -> str:
    return f"{part}/{name}" if part else name


def _names(bundle: Bundle) -> list[str]:
    """A file name for each object: `<kind>.yaml`, or `<kind>-<name>.yaml` where the kind alone is not enough.

    Objects that a profile names bear any kind and name: what no file name should hold becomes a dash.
    """
    kinds = [_safe(manifest.ref.kind) for manifest in bundle.manifests]
    taken = tuple(name.lower() for name in (FILE, *OTHERS, "kustomizeconfig.yaml"))
    names: list[str] = []
    for kind, manifest in zip(kinds, bundle.manifests, strict=True):
        alone = kinds.count(kind) == 1 and f"{kind}.yaml" not in taken
        base = kind if alone else f"{kind}-{_safe(manifest.ref.name)}"
        name, number = f"{base}.yaml", 2
        while name in names:  # of one name in two namespaces or API groups
            name, number = f"{base}-{number}.yaml", number + 1
        names.append(name)
    return names


def _safe(text: str) -> str:
    return "".join(sign if sign.isascii() and (sign.isalnum() or sign in "-.") else "-" for sign in text.lower())


def layers() -> list[str]:
    """The files of Flux's layers."""
    return [f"{LAYERS}/{name}/{FILE}" for name in (_FIRST, _SECOND)]


def component() -> list[str]:
    """The files of the component for overlays: itself, the merge keys of jobs, and what their fields mean."""
    return [f"{OVERLAYS}/{name}" for name in (FILE, "openapi.yaml", "kustomizeconfig.yaml")]


def on_top(folders: Iterable[str], paths: Iterable[str]) -> dict[str, str]:
    """The files above the folders of jobs: a list of all, and Flux's layers where a job brings its own runtime.

    ``paths``: all files of the folders, of which the layout of each is known.
    """
    folders, paths = sorted(folders), frozenset(paths)
    files = {FILE: write_yaml(kustomization(folders, ordered=True))}
    split = [one for one in folders if f"{one}/{_RUNTIME}/{FILE}" in paths]
    if split:
        runtimes = [f"../../{one}/{_RUNTIME}" for one in split]
        jobs = [f"../../{one}/{_JOB}" if one in split else f"../../{one}" for one in folders]
        for path, resources in zip(layers(), (runtimes, jobs), strict=True):
            files[path] = write_yaml(kustomization(resources, ordered=True))
    return files
