"""What keeps a job from beginning for ever, as the program says it that lets jobs begin: a sum, or a level."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.sums import Above, Lacking, Unsuited
    from specgen.schedulers.world import World


def of_kueue(world: World, tree: dict[str, Any], *, known: bool) -> Above | None:
    """What Kueue never admits of a job; ``known``: whether all flavors are among the objects."""
    from specgen.schedulers.kueue.above import above, empty, looked_at

    found = looked_at(empty(world, unranked=0), tree)
    return above(found, known=known) if found is not None else None


def levels_of_kueue(world: World, tree: dict[str, Any]) -> list[Lacking]:
    """Pods for whose topology Kueue finds no flavor."""
    from specgen.schedulers.kueue.above import empty, lacking

    return lacking(empty(world, unranked=0), tree)


def unsuited_of_kueue(world: World, tree: dict[str, Any]) -> list[Unsuited]:
    """Pods that no flavor of their queue takes, by its labels and taints."""
    from specgen.schedulers.kueue.above import empty, unsuited

    return unsuited(empty(world, unranked=0), tree)


def of_volcano(world: World, tree: dict[str, Any]) -> Above | None:
    """What Volcano never takes into the queue of a job; None also where nobody makes a PodGroup of it."""
    from specgen.schedulers.simulate import Simulation
    from specgen.schedulers.volcano.manager import Manager

    manager = Manager(Simulation(world.emptied()))
    job = manager.submit(tree)
    group = manager.group_of(job)
    return manager.above(group, job) if group is not None else None
