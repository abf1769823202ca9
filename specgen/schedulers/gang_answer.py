"""What schedulers of gangs say of a job, for ``fit``: whether all that must begin together find a node.

Which of several nodes a pod gets is not foretold. So where earlier jobs of the same question leave parts of nodes
free, what becomes of the next one is unknown, unless it has nodes for itself, or none at all.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators import by_object
from specgen.operators.queues import VOLCANO
from specgen.quantity import canonical
from specgen.schedulers.coscheduling.configuration import SCHEDULER as COSCHEDULING
from specgen.schedulers.coscheduling.manager import Manager as Coscheduling
from specgen.schedulers.pods import SCHEDULER
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.turns import ADMITTED
from specgen.schedulers.volcano.manager import PENDING
from specgen.schedulers.volcano.manager import Manager as Volcano
from specgen.schedulers.world import World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    from specgen.schedulers.gangs import Group
    from specgen.schedulers.jobs import Job
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.turns import Turn

    Gangs: TypeAlias = Volcano | Coscheduling


class Verdict:
    """``fits``, ``waits``, ``never`` or ``unknown``, and why. ``evicts``: jobs that may lose pods to it.

    ``for_others``: it waits until these are gone; ``later``: until nodes that are away are back.
    """

    __slots__ = ("evicts", "for_others", "helps", "later", "note", "reason", "turn", "verdict")

    def __init__(
        self,
        verdict: str,
        reason: str,
        note: str = "",
        *,
        evicts: Sequence[str] = (),
        for_others: bool = False,
        later: bool = False,
    ) -> None:
        self.evicts = list(evicts)
        self.for_others = for_others
        self.helps: list[str] = []
        self.later = later
        # what its queue says, where the scheduler has some
        self.turn: Turn | None = None
        self.verdict = verdict
        self.reason = reason
        self.note = note


def manager_of(simulation: Simulation, scheduler: str) -> Gangs | None:
    """The scheduler of gangs that is called so."""
    if scheduler == VOLCANO:
        return Volcano(simulation)
    return Coscheduling(simulation) if scheduler == COSCHEDULING else None


def judge(
    job: Job, manager: Gangs, world: World, tree: dict[str, Any], missing: Callable[[list[Pod]], str]
) -> Verdict | None:
    """What becomes of a job; None: another scheduler has its pods.

    ``missing``: the fact about the world that nobody says, without which pods cannot be told to find no node.
    """
    found = _judge(job, manager, world, tree, missing)
    group = _group(job, manager)
    if found is not None and group is not None and isinstance(manager, Volcano):
        from specgen.schedulers.volcano.answer import turn

        found.turn = turn(group, manager, ADMITTED if found.verdict == "fits" else found.verdict)
        found.turn.message, found.turn.evicts = found.reason, found.evicts
        if found.verdict == "never" and group.phase == PENDING:
            found.helps = _helps(found.turn, group, manager, world, tree)
    return found


def _helps(turn: Turn, group: Group, manager: Volcano, world: World, tree: dict[str, Any]) -> list[str]:
    """A larger capability of its queue, once tried."""
    queue = manager.simulation.objects.named("Queue", group.queue)
    short = {one.resource: one for one in turn.sums if one.short and one.pods == "gang" and one.asked > one.most}
    if queue is None or not short:
        return []
    spec = mapping(queue.get("spec"))
    raised = {name: canonical(one.asked) for name, one in short.items()}
    made = world.emptied(world.objects.copy())
    made.objects.add({**queue, "spec": {**spec, "capability": {**mapping(spec.get("capability")), **raised}}})
    if not _alone(made, tree, VOLCANO, group):
        return []
    amounts = ", ".join(f"{raised[name]} of {name} (now {canonical(one.most)})" for name, one in short.items())
    return [f"a capability of the queue {group.queue} of {amounts}"]


def _judge(
    job: Job, manager: Gangs, world: World, tree: dict[str, Any], missing: Callable[[list[Pod]], str]
) -> Verdict | None:
    called = VOLCANO if isinstance(manager, Volcano) else COSCHEDULING
    own_names = {VOLCANO} if isinstance(manager, Volcano) else set(manager.own)
    group = _group(job, manager)
    pods = [pod for unit in job.units for _, pod in unit.pods]
    names = {str(mapping(pod.get("spec")).get("schedulerName") or SCHEDULER) for pod in pods}
    names |= {pod.sort.scheduler for pod in manager.simulation.of(job.id)}
    if group is None and not names & (own_names - {SCHEDULER}):
        return None
    if names - own_names:
        others = ", ".join(sorted(names - own_names))
        return Verdict("unknown", f"it has a PodGroup of {called}, but its pods name {others}")
    unknown = _unknown(job, manager, group, world)
    if unknown or group is None:
        return Verdict("unknown", unknown)
    own = manager.simulation.of(job.id)
    bound = sum(pod.node is not None for pod in own)
    wanted = sum(unit.count for unit in job.units if unit.child is None)
    whole = bound >= max(wanted, 1) and bound == len(own)
    victims = manager.victims(group) if not whole else []
    if victims:
        who = "Volcano" if isinstance(manager, Volcano) else "kube-scheduler"
        return Verdict("unknown", f"which pods {who} evicts for it is left to chance", evicts=victims)
    if whole:
        if _blurred(job, manager):
            return Verdict("unknown", f"it fits if {called} leaves room on the same nodes: which it takes is not known")
        return Verdict("fits", "")
    lacks = missing([pod for pod in own if pod.node is None]) if group.phase != PENDING else ""
    if lacks:
        return Verdict("unknown", lacks)
    why, note = _why(group, manager), ""
    if isinstance(manager, Volcano) and not manager.configuration.said:
        note = "as Volcano decides with the configuration of its chart"
    if bound:
        others = group.said or why
        return Verdict(
            "waits", f"it begins with {bound} pods (minMember {group.least}), the others wait: {others}", note
        )
    if group.job is None and len(own) < group.least:
        return Verdict("waits", f"{len(own)} of the {group.least} pods that begin together exist: others must come")
    if not _alone(world, tree, called, group):
        back = world.returned()
        if back is not None and _alone(back, tree, called, group):
            return Verdict("waits", why, note, later=True)
        return Verdict("never", why, note)
    # the sums before a gang do not depend on who stands where
    if group.phase != PENDING and _blurred(job, manager):
        return Verdict("unknown", f"which nodes {called} gives to the jobs before it decides: {why}")
    return Verdict("waits", why, note, for_others=True)


def _group(job: Job, manager: Gangs) -> Group | None:
    """The PodGroup of a job: its operator's, or one that somebody made, of which all its pods are, and no others."""
    found = [group for group in manager.groups.values() if group.job is job]
    if found:
        return found[0] if len(found) == 1 else None
    own = dict.fromkeys(manager.simulation.of(job.id))
    by_hand = [group for group in manager.groups.values() if group.job is None]
    return next((group for group in by_hand if own and dict.fromkeys(manager.pods(group)) == own), None)


def _why(group: Group, manager: Gangs) -> str:
    job = group.job
    if isinstance(manager, Volcano) and job is not None and job.id in manager.stuck:
        return manager.stuck[job.id]
    if isinstance(manager, Volcano) and group.phase == PENDING:
        asked = "its PodGroup does not come into the queue"
        return f"{asked} {group.queue}: {group.said}"
    if job is not None and job.stages and len(manager.simulation.of(job.id)) < group.least:
        there = len(manager.simulation.of(job.id))
        return f"{group.least} pods begin together, and {there} of them exist before those that wait for others"
    return f"not all of {group.least} pods find a node: {group.said}" if group.said else "its pods find no node"


def _unknown(job: Job, manager: Gangs, group: Group | None, world: World) -> str:
    """The fact that is missing."""
    if group is None:
        reader = by_object(str(job.tree.get("apiVersion")), job.kind)
        operator = reader.operator.name if reader is not None else ""
        if world.operators.get(operator, (None, None))[1] == "":
            return f"the {operator} was started without a gang scheduler, and its pods have no PodGroup of their own"
        return "its pods have no PodGroup of their own among the objects: what its operator makes depends on its flag"
    objects = manager.simulation.objects
    if any(pod.sort.constraints for pod in manager.simulation.of(job.id)):
        return "gangs whose pods are spread over a label are not decided here"
    if not isinstance(manager, Volcano):
        return ""
    if mapping(group.spec.get("networkTopology")) and not manager.configuration.said:
        return "whether Volcano has the plugin network-topology-aware is not known"
    unfollowed = manager.unfollowed(group, sum(unit.count for unit in job.units))
    if unfollowed:
        return unfollowed
    known = objects.named("Queue", group.queue) is not None or group.queue in ("default", "root")
    if not known and not objects.knows("Queue"):
        return f"no Queue is among the objects, and it asks for `{group.queue}`"
    return ""


def _blurred(job: Job, manager: Gangs) -> bool:
    """Whether pods of other gangs share nodes with what is left for the devices of a job."""
    own = manager.simulation.of(job.id)
    devices = {name for pod in own for name in pod.sort.asks if "/" in name} or {"cpu"}
    here = {pod.node: None for pod in own if pod.node is not None}
    for shelf in manager.simulation.cluster.state.shelves.values():
        offered = shelf.kind.nodes.allocatable
        full = all(shelf.used.get(name, 0) >= offered.get(name, 0) for name in devices)
        if not shelf.load or full:
            continue  # of full ones those matter that the job has a part of
        here |= dict.fromkeys(node for node in shelf.nodes.values() if any(pod.job for pod in node.pods))
    for node in here:
        if any(pod.job and pod.job != job.id for pod in node.pods):
            for name in devices:
                taken = sum(pod.sort.asks.get(name, 0) for pod in node.pods if pod.job != job.id)
                if taken < node.kind.nodes.allocatable.get(name, 0):
                    return True
    return False


def _alone(world: World, tree: dict[str, Any], called: str, group: Group) -> bool:
    """Whether all that must begin together would, on nodes for itself."""
    objects = world.objects.copy()
    for other in list(objects.of("PodGroup")):
        metadata = mapping(other.get("metadata"))
        if (str(metadata.get("namespace") or "default"), metadata.get("name")) != (group.namespace, group.name):
            objects.drop(other)  # others that stand there keep room for themselves
    manager = manager_of(Simulation(world.emptied(objects)), called)
    assert manager is not None
    job = manager.submit(tree)
    manager.rest()
    return any(pod.node is not None for pod in manager.simulation.of(job.id))
