"""What rules read of NCCL from a container: its variables, those that mpirun sets, the release that is preloaded."""

from __future__ import annotations

from specgen import nccl
from specgen.diagnostics.model import Place
from specgen.rules._words import carried, variables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from specgen.manifest.views import Container
    from specgen.rules._context import Context


class Setting:
    """A variable that begins as NCCL's do: its value where it is written, and where both stand.

    ``uses``: how often the words that set it say its name; 0 for a variable of the container.
    """

    __slots__ = ("at_name", "at_value", "name", "uses", "value")

    def __init__(self, name: str, value: str | None, at_name: Place, at_value: Place, uses: int = 0) -> None:
        self.name = name
        self.value = value
        self.at_name = at_name
        self.at_value = at_value
        self.uses = uses


def settings(container: Container, context: Context) -> list[Setting]:
    """The variables that begin as NCCL's do, of the container and of `mpirun -x NAME=VALUE` in its command.

    Those of init containers are none: they end before any communicator is there.
    """
    found = context.nccl.get(container)
    if found is None:
        found = context.nccl[container] = [] if container.init else list(_settings(container, context))
    return found


def _settings(container: Container, context: Context) -> Iterator[Setting]:
    for name, (path, entry) in variables(container, context).items():
        if name[:5] == "NCCL_" and name != "NCCL_":
            value = entry.get("value")
            yield Setting(
                name, value if isinstance(value, str) else None, Place((*path, "name")), Place((*path, "value"))
            )
    said = [one for one in carried(container) if one[0][:5] == "NCCL_" and one[1] is not None]
    for name, value, word in said:
        uses = sum(other[0] == name for other in said)
        behind = word.start + len(name)
        at_name = Place(word.path, inside=(word.start, behind))
        at_value = Place(word.path, inside=(behind + 1, word.start + len(word.text)))
        yield Setting(name, value, at_name, at_value, uses)


def judged(container: Container, context: Context, name: str, value: str | None, version: str) -> nccl.Judged | None:
    """What is wrong with a value. On AMD's GPUs RCCL reads the variables, as NCCL does, and has bounds of its own."""
    found = nccl.judge(name, value, version) if value is not None else None
    if found is not None and nccl.is_out_of_bounds(name, value or "") and _on_amd(container):
        return None
    return found


def _on_amd(container: Container) -> bool:
    """Whether the job asks for GPUs of AMD: those of its workers, where the launcher says the variables."""
    roles = container.role.workload.roles
    return any(["amd.com/gpu" in one.amounts() for role in roles for one in role.containers()])


def faults(container: Container, context: Context) -> Iterator[str]:
    """What may be wrong with them, by the words of ``_needs``."""
    version, _ = release(container, context)
    for setting in settings(container, context):
        name, value = setting.name, setting.value
        if not nccl.known(name):
            yield "unknown"
        if judged(container, context, name, value, version) is not None:
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
