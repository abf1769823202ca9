"""What is known of an output tree on disk, for those who sync it: its place in the repository, and what it holds."""

from __future__ import annotations

import os

from specgen.cli.files import DiskFiles
from specgen.cli.folder.standing import read
from specgen.cli.root import root
from specgen.diagnostics.model import BadQuestion
from specgen.emit import ownership
from specgen.emit.kustomize import FILE
from specgen.emit.layout import LAYERS, OVERLAYS, layers
from specgen.emit.plugin import REPOSITORY, REVISION
from specgen.emit.references import FILE as CONFIGURATION
from specgen.emit.synced import Tree
from specgen.operators import by_object
from specgen.pipeline import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.reader import Reader

_NAMESPACE = "training"
# MiB of a tree that is read: thousands of jobs, each of which carries files.
_MOST = 1024


def tree(out: str, operators: str | None, twins: str | None = None) -> Tree:
    """The tree in a folder, with that of the twins of its jobs. Raises BadQuestion where specgen did not write it."""
    owned = _owned(out, ownership.BUILD, "specgen build … --out")
    found = Tree(_in_repository(out), REPOSITORY, REVISION, _NAMESPACE)
    found.runtimes = layers()[0] in owned
    readers: dict[tuple[str, str], Reader] = {}
    named: set[str] = set()
    homeless: list[str] = []
    files = DiskFiles(mib=_MOST)
    for path in owned:
        folder, _, name = path.rpartition("/")
        if name in (FILE, CONFIGURATION) or folder.partition("/")[0] in ("", LAYERS, OVERLAYS):
            continue
        file = os.path.join(out, *path.split("/"))
        try:
            source, _ = files.named(file)
        except BadQuestion as error:
            raise BadQuestion(f"{file}: {error}", "`specgen build … --out` writes what is missing") from None
        for manifest in [] if source is None else [one for document in Text(source).objects for one in document]:
            ref = manifest.ref
            reader = by_object(ref.api_version, ref.kind)
            if reader is not None:
                readers[ref.api_version, ref.kind] = reader
                homeless += [ref.name] if ref.namespace is None else []
            home = ref.name if ref.kind == "Namespace" else ref.namespace
            named.update([] if home is None else [home])
    found.readers = [readers[key] for key in sorted(readers)]
    found.homeless, found.namespaces = homeless, sorted(named)
    if len(named) == 1:
        found.namespace = found.namespaces[0]
    if operators is not None:
        _owned(operators, ownership.OPERATORS, "specgen operators … --out")
        found.operators = _in_repository(operators)
    if twins is not None:
        found.twins = tree(twins, None)
    return found


def _owned(out: str, verb: str, wrote: str) -> list[str]:
    """The files that a verb wrote into a folder."""
    text = (read(out, ownership.FILE) or b"").decode("utf-8", "replace")
    if ownership.verb(text) != verb:
        raise BadQuestion(f"{out}: no tree that `{wrote}` wrote lies there")
    return sorted(ownership.read(text) or ())


def _in_repository(out: str) -> str:
    """The path of a folder in its repository; where there is none, from where the command runs."""
    real = os.path.realpath(out)
    top = root(out)
    base = top.path if top.marked else os.path.realpath(".")
    path = os.path.relpath(real, base).replace(os.sep, "/")
    if path.split("/")[0] == "..":
        raise BadQuestion(f"{out}: it lies in no repository, and not below the folder that the command runs in")
    return path
