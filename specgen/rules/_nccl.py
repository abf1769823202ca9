"""What rules read of NCCL from a container: its variables, and the release that is preloaded."""

from __future__ import annotations

from specgen import nccl
from specgen.diagnostics.model import Place
from specgen.rules._words import variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.views import Container
    from specgen.rules._context import Context
    from specgen.source import Path


def settings(container: Container, context: Context) -> Iterator[tuple[str, str | None, Path]]:
    """(name, value where it is written, path of its entry) of the variables that begin as NCCL's do.

    Those of init containers are none: they end before any communicator is there.
    """
    if container.init:
        return
    for name, (path, entry) in variables(container, context).items():
        if name[:5] == "NCCL_" and name != "NCCL_":
            value = entry.get("value")
            yield name, value if isinstance(value, str) else None, path


def faults(container: Container, context: Context) -> Iterator[str]:
    """What may be wrong with them, by the words of ``_needs``."""
    version, _ = release(container, context)
    for name, value, _ in settings(container, context):
        if not nccl.known(name):
            yield "unknown"
        if value is not None and nccl.judge(name, value, version) is not None:
            yield "wrong"
        if nccl.too_new(name, version) or nccl.gone(name, version) or (not version and nccl.long_gone(name)):
            yield "gone"


def release(container: Container, context: Context) -> tuple[str, list[tuple[Place, str]]]:
    """The release of NCCL that a container preloads, by the cluster profile's list, and where; "" where none is."""
    if context.cluster is None or not context.cluster.nccl:
        return "", []
    path, entry = variables(container, context).get("LD_PRELOAD", (container.path, {}))
    value = entry.get("value")
    preloaded = value.replace(":", " ").split() if isinstance(value, str) else []
    for version, library in context.cluster.nccl.items():
        if library in preloaded:
            return version, [(Place((*path, "value")), f"NCCL {version}")]
    return "", []
