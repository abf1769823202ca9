"""The lines that the changes of a job follow from: of its profile where it has one, else of its manifest."""

from __future__ import annotations

from specgen.diagnostics.model import Place
from specgen.manifest.origins import Origins
from specgen.operators.trainer.facts import RUNTIMES
from specgen.operators.worded import numbered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from specgen.manifest.model import Manifest
    from specgen.session.compare import Pair
    from specgen.session.jobs import Jobs
    from specgen.source import Path

# Lists whose items are one change each.
_ITEMS = (("env",), ("volumeMounts",), ("volumes",))


def locate(pairs: Sequence[Pair], new: Jobs) -> None:
    """Says of each change where it stands on the new side; what is gone from there, where it would stand."""
    for pair in pairs:
        if pair.new is None or pair.difference is None:
            continue
        runtimes = {one.ref.kind: one for one in new.beside(pair.new)[1]}
        for row in pair.difference.rows:
            if row.path[0] in RUNTIMES:
                runtime = runtimes.get(str(row.path[0]))
                row.place = None if runtime is None else _place(runtime, row.path[1:])
            else:
                row.place = _place(pair.new.manifest, row.path)


def _place(manifest: Manifest, path: Path) -> tuple[str, int, int]:
    """File, line and column of a path, or of what it would be a part of."""
    where = manifest.where
    there = numbered(manifest.tree, path)
    if isinstance(where, Origins):
        where.tree = manifest.tree  # it knows the one entry of a block by what stands there
        there = _noted(where, there)
    source, start, _ = where.span(Place(there))
    return (source.name, *source.position(start))


def _noted(origins: Origins, path: Path) -> Path:
    """The path, or of a mapping whose values alone have origins, such as a variable, the first value that has one."""
    tree = origins.tree
    for step in path:
        tree = tree[step]
    for below in ((*path, key) for key in tree) if isinstance(tree, dict) and path[-2:-1] in _ITEMS else ():
        origin = origins.of(below)
        if origin is not None and len(origin[0]) > len(path) and origin[1] is not None:
            return below
    return path
