"""What is known of an output tree on disk, for those who sync it: its place in the repository, and what it holds."""

from __future__ import annotations

import os

from specgen.cli.files import DiskFiles
from specgen.cli.folder.standing import read
from specgen.cli.root import root
from specgen.diagnostics.model import BadQuestion
from specgen.emit import ownership
from specgen.emit.kustomize import FILE
from specgen.emit.layout import LAYERS, OVERLAYS, PARTS, layers
from specgen.emit.plugin import REPOSITORY, REVISION
from specgen.emit.references import FILE as CONFIGURATION
from specgen.emit.synced import Tree, name_of
from specgen.operators import by_object
from specgen.pipeline import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.operators.reader import Reader

_NAMESPACE = "training"
# MiB of a tree that is read: thousands of jobs, each of which carries files.
_MOST = 1024


def tree(
    out: str, operators: str | None, twins: str | None = None, *, parts: bool = False, called: str | None = None
) -> Tree:
    """The tree in a folder, or the job in a folder of one, with the tree of the twins of its jobs.

    parts: each folder of the tree by itself as well. called: the name of all that is made, None: it follows from the
    folder. Raises BadQuestion where specgen did not write it.
    """
    wrote = "specgen build … --out"
    above, folder = os.path.split(os.path.abspath(out))
    if not _wrote(out, ownership.BUILD) and _wrote(above, ownership.BUILD):
        inside = [path for path in _owned(above, ownership.BUILD, wrote) if ownership.folder(path) == folder]
        if not inside or folder in (LAYERS, OVERLAYS):
            raise BadQuestion(f"{out}: it is the folder of no job in the tree `{os.path.dirname(out) or '.'}`")
        if parts:
            raise BadQuestion(f"{out}: it is one folder of a tree: --by says how a whole tree is taken apart")
        found = _of(above, inside, folder)
    else:
        owned = _owned(out, ownership.BUILD, wrote)
        found = _of(out, owned, "")
        if parts:
            folders = {ownership.folder(path) for path in owned} - {"", LAYERS, OVERLAYS}
            found.parts = [
                _of(out, [path for path in owned if ownership.folder(path) == one], one) for one in sorted(folders)
            ]
            for part, one in zip(found.parts, sorted(folders), strict=True):
                part.called = name_of(called, one) if called is not None else None
    found.called = called
    if operators is not None:
        _owned(operators, ownership.OPERATORS, "specgen operators … --out")
        found.operators = _in_repository(operators)
    if twins is not None:
        found.twins = tree(twins, None)
    return found


def _of(out: str, owned: list[str], folder: str) -> Tree:
    """A tree, or a folder of it, of whose files some are its own."""
    found = Tree(_in_repository(os.path.join(out, folder) if folder else out), REPOSITORY, REVISION, _NAMESPACE)
    found.is_part = bool(folder)
    whole = layers()
    if not folder and whole[0] in owned:
        found.layers = tuple(path.rpartition("/")[0] for path in whole)
    elif folder and f"{folder}/{PARTS[0]}/{FILE}" in owned:
        found.layers = PARTS
    readers: dict[tuple[str, str], Reader] = {}
    named: set[str] = set()
    homeless: list[str] = []
    files = DiskFiles(mib=_MOST)
    for path in owned:
        above, _, name = path.rpartition("/")
        if name in (FILE, CONFIGURATION) or above.partition("/")[0] in ("", LAYERS, OVERLAYS):
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
    return found


def _wrote(out: str, verb: str) -> bool:
    """Whether a verb wrote into a folder."""
    return ownership.verb((read(out, ownership.FILE) or b"").decode("utf-8", "replace")) == verb


def _owned(out: str, verb: str, wrote: str) -> list[str]:
    """The files that a verb wrote into a folder."""
    if not _wrote(out, verb):
        raise BadQuestion(f"{out}: no tree that `{wrote}` wrote lies there")
    text = (read(out, ownership.FILE) or b"").decode("utf-8", "replace")
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
