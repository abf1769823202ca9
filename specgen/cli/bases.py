"""Copies of upstream's manifests on disk, which ``--base`` names: whole ones, and one without what it would fetch.

Trainer's overlay reads JobSet's release from GitHub (manifests/third-party/jobset), and says itself that JobSet may be
installed apart. kustomize cannot leave out a part of a base before it reads it, so the overlay is taken apart here: its
own files and the folders that it names, without those that lead elsewhere.
"""

from __future__ import annotations

import os

from specgen.diagnostics.model import BadQuestion
from specgen.install.model import Base
from specgen.recognise.kustomize import KUSTOMIZATIONS, is_remote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Fields of a kustomization that name other ones or manifests.
_PARTS = ("resources", "bases", "components", "crds")
# What an overlay may hold beside its parts so that it can be taken apart; none of these names a file.
_KEPT = ("images", "labels", "commonLabels", "commonAnnotations", "secretGenerator", "configMapGenerator")
_DROPPED = ("apiVersion", "kind", "namespace", "resources")


def local(path: str, beside: str) -> Base:
    """A folder with a kustomization, as the folder ``beside`` names it. Raises BadQuestion where it would fetch."""
    _read(path)
    for part, url in _remote(path, []):
        raise BadQuestion(f"{part} fetches {url}: name a copy on disk there")
    return Base([_from(beside, path)])


def without_remote(path: str, beside: str) -> Base:
    """A folder's kustomization without those of its parts that would fetch. Raises BadQuestion where it has others."""
    tree = _read(path)
    other = [key for key in tree if key not in (*_DROPPED, *_KEPT)]
    inputs = [one for key in ("secretGenerator", "configMapGenerator") for one in tree.get(key) or []]
    if other or any(key in one for one in inputs for key in ("files", "envs", "env")):
        what = other[0] if other else "files"
        raise BadQuestion(
            f"{path}: its kustomization cannot be taken apart, for its `{what}`: take out what it fetches"
        )
    found = Base([], {key: tree[key] for key in _KEPT if key in tree})
    for name in tree.get("resources") or []:
        part = os.path.join(path, str(name))
        if os.path.isdir(part):
            if not _remote(part, []):
                found.resources.append(_from(beside, part))
        elif not is_remote(str(name)):
            # kustomize reads files from its own folder alone
            found.resources.append(os.path.basename(part))
            found.files[os.path.basename(part)] = _text(part)
    return found


def fetches(path: str) -> bool:
    """Whether a folder's kustomization would fetch anything."""
    return bool(_remote(path, []))


def _remote(path: str, trail: list[str]) -> list[tuple[str, str]]:
    """(folder, address) of what a kustomization would fetch, at any depth."""
    real = os.path.realpath(path)
    if real in trail:
        return []
    tree = _read(path)
    found: list[tuple[str, str]] = []
    for key in _PARTS:
        for name in tree.get(key) or []:
            part = os.path.normpath(os.path.join(path, str(name)))
            if os.path.isdir(part):
                found += _remote(part, [*trail, real])
            elif not os.path.exists(part) and is_remote(str(name)):
                found.append((os.path.normpath(path), str(name)))
    return found


def _read(path: str) -> dict[str, Any]:
    """The kustomization in a folder."""
    from specgen.document.read import read
    from specgen.source import Source

    file = next((name for name in KUSTOMIZATIONS if os.path.isfile(os.path.join(path, name))), None)
    if file is None:
        raise BadQuestion(f"{path}: there is no kustomization.yaml in it")
    name = os.path.join(path, file)
    documents, _ = read(Source(name, _text(name)))
    if len(documents) != 1 or not isinstance(documents[0].data, dict):
        raise BadQuestion(f"{name}: it is no kustomization")
    return documents[0].data


def _text(name: str) -> str:
    from specgen.cli.files import DiskFiles

    try:
        source, _ = DiskFiles().named(name)
    except BadQuestion as error:
        raise BadQuestion(f"{name}: {error}") from None
    if source is None:
        raise BadQuestion(f"{name}: it is no text")
    return source.text


def _from(folder: str, path: str) -> str:
    """The path as a kustomization in the folder names it: kustomize takes relative ones only."""
    # links are followed on both sides, as kustomize does: a path through one would lead elsewhere
    return os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")
