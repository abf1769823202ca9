"""Objects beside a job, before they are written: claims, files, a compute domain, objects that somebody gave."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Place
    from specgen.document.tree import Document
    from specgen.manifest.origins import Sourced
    from specgen.source import Path


class Claim:
    """A PersistentVolumeClaim that is made beside the job, and the volume that is made for it."""

    __slots__ = ("access", "class_", "labels", "name", "place", "size", "volume", "volume_place")

    def __init__(self, name: Sourced, place: Place | None, size: Sourced, access: Sourced) -> None:
        self.name = name
        # where somebody asks for it
        self.place = place
        self.size = size
        # its only access mode
        self.access = access
        # storage class; an empty text is none, and None the cluster's default
        self.class_: Sourced | None = None
        self.labels: dict[str, Sourced] = {}
        # fields of the PersistentVolume, None where no volume is made
        self.volume: dict[str, Sourced] | None = None
        self.volume_place: Place | None = None


class Domain:
    """The compute domain in which NVLink spans the pods: its name, and the nodes that its driver waits for."""

    __slots__ = ("name", "nodes")

    def __init__(self, name: Sourced, nodes: Sourced) -> None:
        self.name = name
        self.nodes = nodes


class Given:
    """An object as somebody wrote it: in a file of its own, or in the profile below ``path``."""

    __slots__ = ("document", "path", "reason", "tree")

    def __init__(self, tree: dict[str, Any], document: Document, path: Path, reason: str) -> None:
        self.tree = tree
        self.document = document
        self.path = path
        self.reason = reason


class Entry:
    """One key of a ConfigMap of files."""

    __slots__ = ("base", "data", "mode", "place", "reason")

    def __init__(self, base: str, data: bytes, mode: int | None, place: Place, reason: str) -> None:
        # the file's name as a key
        self.base = base
        self.data = data
        # permission bits, None where they are not said
        self.mode = mode
        self.place = place
        self.reason = reason


class Carried:
    """The ConfigMap of the files that a job carries: key → entry."""

    __slots__ = ("entries", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self.entries: dict[str, Entry] = {}


class ExtraObjects:
    """All objects beside one job, each group in the order in which it was written."""

    __slots__ = ("carried", "claims", "domain", "given")

    def __init__(
        self,
        claims: list[Claim],
        carried: Carried | None = None,
        given: list[Given] | None = None,
        domain: Domain | None = None,
    ) -> None:
        self.claims = claims
        self.carried = carried
        self.given = given or []
        # the compute domain in which NVLink spans the pods, with its claim template
        self.domain = domain
