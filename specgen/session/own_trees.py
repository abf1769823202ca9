"""Manifests that specgen wrote, beside the profiles that they come from: what the build knew of the cluster.

An output tree lists its files with their profiles (``emit.ownership``). What a file of it is judged by is the cluster
profile of its job, or the one that the build of the tree gave all jobs, unless somebody names another.
"""

from __future__ import annotations

from specgen.emit.ownership import FILE, NOBODY
from specgen.profile.library import Library

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    from specgen.document.tree import Document
    from specgen.emit.ownership import Owned
    from specgen.profile.cluster import ClusterProfile
    from specgen.session.files import Files

    Known: TypeAlias = tuple[Document, ClusterProfile] | None

# Folders between a file and the top of its tree: those of a job, and of its overlays.
_DEPTH = 4


class OwnTrees:
    """The output trees of a run, each read once. The profiles are not the run's: nothing is found on them here."""

    __slots__ = ("_clusters", "_files", "_library", "_lists")

    def __init__(self, files: Files) -> None:
        self._files = files
        self._library = Library(files)
        # folder → what it lists, and the cluster profile of all its jobs
        self._lists: dict[str, tuple[Owned, str]] = {}
        self._clusters: dict[str, Known] = {}

    def cluster(self, name: str) -> Known:
        """The cluster profile of the job that a file was built from; None: it is in no tree, or the job names none."""
        for _, (folder, below) in zip(range(_DEPTH), self._above(name), strict=False):
            listed, given = self._list(folder)
            if below in listed:
                _, profile = listed[below]
                if given:
                    return self._given(self._files.join(given, _in(folder, FILE)))
                return None if profile == NOBODY else self._of(self._files.join(profile, _in(folder, FILE)))
        return None

    def _above(self, name: str) -> Iterator[tuple[str, str]]:
        """The folders around a file, from inside, and its name below each; beyond that which names count from, too."""
        folder, _, below = name.rpartition("/")
        yield folder, below
        while folder:
            folder, _, step = folder.rpartition("/")
            if step == "..":
                return  # nobody has said what that folder is called
            below = f"{step}/{below}"
            yield folder, below
        up = 0
        while not name.startswith("/") and (step := self._files.around(up)):
            up, below = up + 1, f"{step}/{below}"
            yield "/".join([".."] * up), below

    def _list(self, folder: str) -> tuple[Owned, str]:
        if folder not in self._lists:
            text = self._files.beside(_in(folder, FILE))
            owned, given = None, ""
            if text is not None:
                from specgen.emit.ownership import cluster, read  # most folders hold no tree

                owned, given = read(text), cluster(text)
            self._lists[folder] = owned or {}, given
        return self._lists[folder]

    def _given(self, name: str) -> Known:
        """A cluster profile by the name of its file."""
        if name not in self._clusters:
            document, _ = self._library.document(name)
            known = document is not None and document.data.get("kind") == "Cluster"
            self._clusters[name] = (document, self._library.cluster(document)) if document and known else None
        return self._clusters[name]

    def _of(self, profile: str) -> Known:
        """The cluster of a profile, where it is the same for all its variants."""
        if profile not in self._clusters:
            from specgen.profile.resolve import resolve

            document, _ = self._library.document(profile)
            found: list[Document | None] = []
            if document is not None and document.data.get("kind") == "Job":
                jobs = resolve(document, self._library).jobs
                found = [job.cluster_document if job is not None else None for job, _ in jobs]
            same = found[0] if found and all(one is found[0] for one in found) else None
            self._clusters[profile] = None if same is None else (same, self._library.cluster(same))
        return self._clusters[profile]


def _in(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
