"""What the planner asks of the module that lowers to a kind, for what is no plain fact. For type checkers alone."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from specgen.manifest.origins import Sourced
    from specgen.operators.reader import Reader
    from specgen.plan.kind import Kind, Mpi
    from specgen.plan.model import Plan, World
    from specgen.plan.pods import RolePlan

    class Target(Protocol):
        """A kind that jobs compile to, as the planner sees it. ``lower.job`` answers as most kinds do."""

        READER: Reader
        PLAN: Kind

        def counts(self, world: World) -> dict[str, Sourced]:
            """How many pods each role has: word of the role → number."""
            ...

        def names(self, plan: Plan) -> tuple[list[str], str]:
            """The longest names that the operator derives from the job's, and what becomes of one that is too long."""
            ...

        def untold(self, name: str, world: World, version: str) -> list[str]:
            """Options of torchrun for what the operator does not tell it."""
            ...

        def tells(self, name: str, world: World) -> tuple[dict[str, Any], int | None]:
            """Variables that the pods need to meet and the operator does not set, as Kubernetes spells them without
            their names; and the port at which they meet, if they do."""
            ...

        def groups(self, plan: Plan, gang: str, flag: str | None) -> bool:
            """Whether the operator makes the gang's group itself. ``flag``: that for which it was started."""
            ...

        def mpi(self, version: str, launcher: RolePlan, pods: int) -> Mpi:
            """How the launcher reaches its workers. Asked of kinds with a launcher alone."""
            ...
