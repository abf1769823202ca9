"""What keeps a job from beginning for ever, as the program says it that lets jobs begin: a sum, or a level."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias

    from specgen.schedulers.admit import Over
    from specgen.schedulers.limits import Denied
    from specgen.schedulers.sums import Above, Lacking
    from specgen.schedulers.world import Objects, World

    # A pod, and who refuses it why.
    Kept: TypeAlias = tuple[dict[str, Any], Denied]


def of_kueue(world: World, tree: dict[str, Any], *, known: bool) -> Above | None:
    """What Kueue never admits of a job; ``known``: whether all flavors are among the objects."""
    from specgen.schedulers.kueue.above import above, empty, looked_at

    found = looked_at(empty(world, unranked=0), tree)
    return above(found, known=known) if found is not None else None


def levels_of_kueue(world: World, tree: dict[str, Any]) -> list[Lacking]:
    """Pods to which Kueue gives no flavor, as of their topology, their selectors or their tolerations."""
    from specgen.schedulers.kueue.above import empty, lacking

    return lacking(empty(world, unranked=0), tree)


def of_namespace(objects: Objects, pods: Sequence[dict[str, Any]]) -> tuple[list[Over], list[Kept]]:
    """(what pods that are there at once use beyond quotas, which of them are refused by themselves and why)."""
    from specgen.schedulers.admit import Quotas, admitted
    from specgen.schedulers.limits import Denied

    quotas, let_in, kept = Quotas(objects), [], []
    for pod in pods:
        try:
            stored = admitted(pod, objects)
            let_in.append(stored)
            Quotas(objects).take(stored)
        except Denied as error:
            kept.append((pod, error))
    return quotas.together(let_in), kept


def of_volcano(world: World, tree: dict[str, Any]) -> Above | None:
    """What Volcano never takes into the queue of a job; None also where nobody makes a PodGroup of it."""
    from specgen.schedulers.simulate import Simulation
    from specgen.schedulers.volcano.manager import Manager

    manager = Manager(Simulation(world.emptied()))
    job = manager.submit(tree)
    group = manager.group_of(job)
    return manager.above(group, job) if group is not None else None
