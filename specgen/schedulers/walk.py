"""The way of a pod through the scheduler's filters: how many nodes each leaves, before a pod of its job has one.

The first filter that refuses a node ends the questions there, so each node is counted once.
"""

from __future__ import annotations

from specgen.schedulers.kube.state import FILTERS
from specgen.schedulers.pods import SCHEDULER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.jobs import Job
    from specgen.schedulers.simulate import Simulation


class Step:
    """A filter: the nodes that it leaves, and (nodes, reason) of those that it refuses."""

    __slots__ = ("left", "name", "refused")

    def __init__(self, name: str, left: int, refused: list[tuple[int, str]]) -> None:
        self.name = name
        self.left = left
        self.refused = refused


class Walk:
    """The filters for a pod of some roles that ask alike. ``before``: why no node is asked at all."""

    __slots__ = ("before", "nodes", "roles", "steps")

    def __init__(self, nodes: int, before: str, steps: list[Step]) -> None:
        self.roles: list[str] = []
        self.nodes = nodes
        self.before = before
        self.steps = steps


def walks(job: Job, simulation: Simulation) -> list[Walk]:
    """The ways of a job's pods, of those that kube-scheduler looks at."""
    found: dict[int, Walk] = {}
    for role, _, pod in simulation.first(job, steered=True):
        sort = pod.sort
        if sort.scheduler != SCHEDULER or sort.gates or sort.node:
            continue
        if sort.id not in found:
            _, refused = simulation.look(pod)
            by: dict[str, dict[str, int]] = {}
            lost: dict[str, int] = {}
            for shelf, status in refused.by:
                lost[status.by] = lost.get(status.by, 0) + shelf.count
                own = by.setdefault(status.by, {})
                for reason in status.reasons:
                    own[reason] = own.get(reason, 0) + shelf.count
            steps: list[Step] = []
            left = refused.nodes
            for name in FILTERS if not (refused.before or refused.unknown) else ():
                left -= lost.get(name, 0)
                steps.append(Step(name, left, [(nodes, reason) for reason, nodes in by.get(name, {}).items()]))
            found[sort.id] = Walk(refused.nodes, refused.before or refused.unknown, steps)
        found[sort.id].roles.append(role)
    return list(found.values())
