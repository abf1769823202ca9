"""What the planner must know of a kind whose launcher starts the processes of the other pods."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from specgen.plan.model import RolePlan

# Where the operators write the host file (mpi-operator 0.8, training-operator 1.9 and Trainer 2.3 alike).
HOSTFILE = "/etc/mpi/hostfile"


class Mpi:
    """How the launcher of a kind finds and reaches its workers.

    ``agent``: the program by which it starts processes in them, None for ssh; what an agent starts sees the variables
    of the worker's container, what sshd starts does not. ``idle``: what the operator has a worker without a command
    run. ``written``: whether the worker's command must be written nevertheless. ``keys``: where the keys of ssh are
    mounted. ``mounts``: (volume, path) of what the operator adds to the launcher. ``implementations``: those that the
    operator, by its version, writes host files for. ``holds``: whether it, by its version, can create the launcher once
    the workers are ready. ``refuses``: why, by its version, the launcher cannot train, or cannot but train; empty where
    all is well.
    """

    __slots__ = ("agent", "holds", "idle", "implementations", "keys", "mounts", "refuses", "written")

    def __init__(
        self,
        *,
        agent: str | None,
        idle: tuple[str, ...],
        mounts: tuple[tuple[str, str], ...],
        implementations: Callable[[str], tuple[str, ...]],
        holds: Callable[[str], bool],
        refuses: Callable[[str, RolePlan], str],
        keys: str = "",
        written: bool = False,
    ) -> None:
        self.agent = agent
        self.idle = idle
        self.written = written
        self.keys = keys
        self.mounts = mounts
        self.implementations = implementations
        self.holds = holds
        self.refuses = refuses
