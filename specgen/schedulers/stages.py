"""A job through its stages: what a later one waits for comes to its end, so that the pods of all of them are asked for.

JobSet 0.12, ``dependsOn`` with the status Complete; a TrainJob has its initializers so. Pods of an earlier stage have
given their node back when those of a later one are placed.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kube.state import Node
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation


def through(job: Job, simulation: Simulation, rest: Callable[[], None] | None = None) -> list[tuple[Pod, Node | None]]:
    """Brings the world to rest with all stages of the job: its pods, and the node that each has, or had.

    ``rest``: brings more to rest than the simulation.
    """
    had: dict[Pod, Node] = {}
    rest = rest or simulation.rest
    rest()
    for _ in job.units:
        own = simulation.of(job.id)
        if any(pod.node is None and not pod.done for pod in own):
            break
        due = _awaited(job, own)
        if not due:
            break
        had |= {pod: pod.node for pod in own if pod.role in due and pod.node is not None}
        for role in due:
            simulation.finish(job.id, role)
        rest()
    own = simulation.of(job.id)
    gone = [pod for pod in had if pod not in own]
    return [(pod, pod.node or had.get(pod)) for pod in [*gone, *own]]


def _awaited(job: Job, pods: list[Pod]) -> list[str]:
    """Roles whose end others wait for, and of which all pods are there."""
    made = {pod.unit for pod in pods}
    found = [
        other.role
        for unit in job.units
        if unit.name not in made
        for other, ready in job.stages.get(unit.name, ())
        if not ready and other.child is not None and other.name in made and len(other.done) < other.completions
    ]
    return list(dict.fromkeys(found))
