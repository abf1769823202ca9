"""Pods that begin together or not at all: what schedulers of gangs have in common."""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.quantity import nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation


class Group:
    """A PodGroup. ``least``: pods that must have a node; ``sum``: what it asks of all nodes together.

    ``unit``: the unit of its job of which its pods are; empty: all of them.
    """

    __slots__ = (
        *("born", "job", "least", "name", "namespace", "phase", "priority", "queue", "said", "spec", "sum"),
        "unit",
    )

    def __init__(self, tree: dict[str, Any], job: Job | None, born: int, unit: str = "") -> None:
        metadata, spec = mapping(tree.get("metadata")), mapping(tree.get("spec"))
        self.name = str(metadata.get("name") or "")
        self.namespace = str(metadata.get("namespace") or "default")
        self.job = job
        self.unit = unit
        self.born = born
        self.spec = spec
        least = spec.get("minMember")
        self.least = least if isinstance(least, int) else 0
        self.sum = counted(mapping(spec.get("minResources")))
        self.queue = str(spec.get("queue") or "default")
        self.phase = "Pending"
        self.priority = 0
        # why it does not begin
        self.said = ""


def over(job: Job) -> bool:
    """Whether a job has ended, and its PodGroup with it."""
    return job.gone or job.finished or job.failed


def counted(tree: dict[str, Any]) -> dict[str, int]:
    """The resources of nodes among those of a PodGroup, which may hold names of quotas as well."""
    found = {str(name): nano(amount) or 0 for name, amount in tree.items()}
    return {name: amount for name, amount in found.items() if _is_of_nodes(name)}


def _is_of_nodes(name: str) -> bool:
    if "/" not in name:
        return name in ("cpu", "memory", "ephemeral-storage") or name.startswith("hugepages-")
    return name.partition(".")[0] not in ("requests", "limits") and not name.startswith("count/")


def total(simulation: Simulation) -> dict[str, int]:
    """What all nodes have together, whatever keeps pods off them."""
    made: dict[str, int] = {}
    for shelf in simulation.cluster.state.shelves.values():
        for name, amount in shelf.kind.nodes.allocatable.items():
            made[name] = made.get(name, 0) + amount * shelf.count
    return made


def used(pods: Iterable[Pod]) -> dict[str, int]:
    """What pods that have a node use."""
    made: dict[str, int] = {}
    for pod in pods:
        if pod.node is not None and not pod.done:
            for name, amount in pod.sort.asks.items():
                made[name] = made.get(name, 0) + amount
    return made


def place(
    simulation: Simulation,
    pods: Sequence[Pod],
    enough: Callable[[list[Pod]], bool],
    allowed: Callable[[Pod, list[Pod]], bool] = lambda pod, placed: True,
    within: frozenset[str] | None = None,
    *,
    stops: bool = False,
    remembers: Callable[[Pod], str] = lambda pod: "",
) -> tuple[list[Pod], str]:
    """Gives nodes to all pods that find one, or to none where those are not enough. Returns who got one, and why one
    found none.

    ``allowed``: whether a pod may have a node, with those that were just placed; ``within``: the names of the nodes
    that may be taken, None: any; ``stops``: no more than are enough; ``remembers``: pods of one such name, if it is not
    empty, do not ask a node again that refused one of them.
    """
    cluster = simulation.cluster
    placed: list[Pod] = []
    refusing: dict[str, set[str | None]] = {}
    why = ""
    for pod in pods:
        if stops and placed and enough(placed):
            break
        if not allowed(pod, placed):
            continue
        found, refused = cluster.look(pod.sort, [])
        name = remembers(pod)
        if name:
            closed = refusing.setdefault(name, set())
            closed |= {shelf.kind.name for shelf, _ in refused.by}
            found = [one for one in found if one[0].kind.name not in closed]
        if within is not None:
            found = [one for one in found if one[0].kind.name in within]
        if not found:
            why = why or refused.text
            continue
        cluster.place(pod, found, [])
        placed.append(pod)
    if enough(placed):
        return placed, why
    cluster.take_back(placed)
    return [], why
