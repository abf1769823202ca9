"""Objects that two jobs of a run come to: the second one applied would overwrite the first (SG213).

Claims of variants are one object where they are the same in all but the job that they were written for: it comes with
the first of them, and none of the others has it.

Of jobs that are built into a tree, their folders as well (SG820).
"""

from __future__ import annotations

import json

from specgen.diagnostics.model import Place, article
from specgen.diagnostics.place import Spot, place
from specgen.manifest.views import mapping, sequence
from specgen.pipeline import nowhere
from specgen.profile.codes import SAME_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from specgen.diagnostics.model import Diagnostic
    from specgen.manifest.model import Bundle, Manifest
    from specgen.pipeline import Compiled
    from specgen.source import Source

    # apiVersion, kind, namespace, name
    Key: TypeAlias = tuple[str, str, str, str]

_NAME = ("metadata", "name")
# What jobs share: of any other object each job has its own.
_SHARED = ("PersistentVolume", "PersistentVolumeClaim")
# How pods on several nodes may use it.
_MANY = ("ReadWriteMany", "ReadOnlyMany")


class Collisions:
    """The objects of all jobs so far. It holds spans alone: the nodes and origins of a large batch would not fit."""

    __slots__ = ("_folders", "_known", "_shared")

    def __init__(self, *, tree: bool = False) -> None:
        # object → the file of its job, and where its name stands
        self._known: dict[Key, tuple[str, Place]] = {}
        # claim or volume → what it is, and where its job came from
        self._shared: dict[Key, tuple[str, str]] = {}
        # folder of a job → its kind, and where its name stands; None where there is no tree
        self._folders: dict[str, tuple[str, Place]] | None = {} if tree else None

    def of(self, compiled: Compiled, source: Source, *, origins: bool = True) -> list[Diagnostic]:
        """Takes the objects of a job. What it finds is for those that another job came to, or for the job alone.

        Without ``origins`` the objects know afterwards where their names stand, and of no other part.
        """
        bundle = compiled.bundle
        if bundle is None:
            return []
        found = []
        for manifest in (bundle.job, *(one for one in bundle.manifests if one is not bundle.job)):
            name = compiled.job.named if manifest is bundle.job else Place(_NAME)
            spot = Spot.of(name, manifest.where)
            here = Place(name.path, where=spot)
            if not origins:
                manifest.where = spot
            ref = manifest.ref
            key = (ref.api_version, ref.kind, ref.namespace or "", ref.name)
            if _is_shared(manifest):
                whole = self._shared.setdefault(key, (source.name, _whole(manifest)))
                if key in self._known and whole == (source.name, _whole(manifest)):
                    bundle.manifests.remove(manifest)
                    continue
            if key not in self._known:
                self._known[key] = (source.name, here)
                if manifest is bundle.job and self._folders is not None:
                    found += _in_folder(self._folders, bundle, here, source)
                continue
            file, there = self._known[key]
            if manifest is bundle.job:
                return [_collision(key, here, there, source, [])]
            helps = [_help(manifest)] if file == source.name else []
            found.append(_collision(key, here, there, source, helps))
        return found


def _is_shared(manifest: Manifest) -> bool:
    """Whether jobs on several nodes can use an object together: a claim that says so, and any volume of one."""
    if manifest.ref.kind not in _SHARED:
        return False
    modes = sequence(mapping(manifest.tree.get("spec")).get("accessModes"))
    return any(mode in _MANY for mode in modes)


def _whole(manifest: Manifest) -> str:
    """An object as text, by which two are compared: the nodes of a large batch would not fit."""
    return json.dumps(manifest.tree, sort_keys=True, default=str)


def _help(manifest: Manifest) -> str:
    """How variants of one profile come by an object."""
    if manifest.ref.kind not in _SHARED:
        return "each variant of the job may name its own"
    shared = "" if _is_shared(manifest) else ", with `access: ReadWriteMany`"
    return f"variants that say the same of it share it{shared}; `pvc: {manifest.ref.name}-$<name>` gives each its own"


def _in_folder(folders: dict[str, tuple[str, Place]], bundle: Bundle, here: Place, source: Source) -> list[Diagnostic]:
    from specgen.emit.codes import ONE_FOLDER
    from specgen.emit.layout import folder_name

    name, kind = folder_name(bundle), bundle.job.ref.kind
    if name not in folders:
        folders[name] = (kind, here)
        return []
    other, there = folders[name]
    message = f"{article(other)} and {article(kind)} come to the folder `{name}`"
    notes = ["a folder is named by the namespace and the name of its job, so that it depends on no other job"]
    finding = ONE_FOLDER.at(here, message, related=[(there, "the other one")], notes=notes)
    return [place(finding, nowhere(source))]


def _collision(key: Key, here: Place, there: Place, source: Source, helps: list[str]) -> Diagnostic:
    message = f"two jobs come to the {key[1]} `{key[3]}`" + (f" in the namespace `{key[2]}`" if key[2] else "")
    return place(SAME_NAME.at(here, message, related=[(there, "the other one")], helps=helps), nowhere(source))
