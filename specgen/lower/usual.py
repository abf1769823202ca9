"""How most kinds answer what the planner asks (``plan.target``); a kind that differs has a function of its own."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.plan.kind import Mpi
    from specgen.plan.model import Plan, World
    from specgen.plan.pods import RolePlan


def names(plan: Plan) -> tuple[list[str], str]:
    """The names of the last pods, which are their Services' too."""
    derived = []
    for role in plan.roles:
        most = plan.world.most if plan.world.elastic else int(role.replicas.value)
        derived.append(f"{plan.name}-{role.name.lower()}-{most - 1}")
    return derived, "a pod and a Service bear it, and no Service can be created"


def untold(name: str, world: World, version: str) -> list[str]:
    """The operator tells torchrun everything, or it starts nothing here."""
    return []


def groups(plan: Plan, gang: str, flag: str | None) -> bool:
    """The operator makes the group of the gang for which it was started."""
    return flag == gang


def mpi(version: str, launcher: RolePlan, pods: int) -> Mpi:
    """Kinds without a launcher are not asked."""
    raise LookupError("the kind has no launcher")
