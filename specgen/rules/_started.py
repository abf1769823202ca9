"""How many processes the launcher of a command line starts in its pod, as the pod's variables and devices have it."""

from __future__ import annotations

from specgen.operators.kubernetes import launchers
from specgen.rules._words import gpus

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.manifest.views import Container, Role
    from specgen.operators.kubernetes.launchers import Line
    from specgen.rules._context import Context

_TOLD = "PET_NPROC_PER_NODE"


def line_of(container: Container) -> Line | None:
    """The launcher that a command line calls; None where it calls none, or one after the other."""
    lines = launchers.all_of_text([text for _, _, text in container.words()])
    lines = [line for line in lines if not line.doubtful] or lines
    return lines[0] if len(lines) == 1 else None


def is_apart(role: Role) -> bool:
    """Whether a role of one pod has a launcher, and each other role starts one process, which meets none of its ranks.

    So a server beside a trainer: a launcher that is told of its own pod alone is right.
    """
    others = [one.main for one in role.workload.roles if one is not role and one.replicas > 0]
    lines = [[text for _, _, text in main.words()] for main in others if main is not None]
    return role.replicas == 1 and 0 < len(lines) == len(others) and all(map(launchers.starts_one, lines))


def processes(container: Container, context: Context, line: Line) -> int | None:
    """How many processes a launcher starts in its pod; None where the image, the node, a file or a shell decides."""
    return launchers.processes(line, _told(container), gpus(container, context)[0])


def _told(container: Container) -> dict[str, str]:
    """What torchrun reads where its line counts nothing: the operator's variable stands last, and wins.

    Empty where a shell sets it, or something that is not seen here.
    """
    told = container.role.workload.procs_told
    if _TOLD in container.line:
        told = ""
    elif told is None and _TOLD in container.env:
        told = str(container.env[_TOLD][1].get("value", ""))
    elif told is None and "envFrom" in container.tree:
        told = ""
    return {} if told is None else {_TOLD: told}
