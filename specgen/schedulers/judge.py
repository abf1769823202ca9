"""What nodes make of a job's pods: whether all have one, who waits by which sum, and what would help."""

from __future__ import annotations

from specgen.diagnostics.model import plural
from specgen.operators.kubernetes.room import ELSEWHERE
from specgen.schedulers.helps import helps, naming
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.stages import through
from specgen.schedulers.sums import deciding
from specgen.schedulers.unsaid import plain, priority_unsaid, unlabelled, unlooked, unread, unsaid
from specgen.schedulers.verdict import FITS, HANGS, NEVER, UNKNOWN, WAITS, Waiting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kube.state import Node
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.spared import Before, Spare
    from specgen.schedulers.verdict import Answer
    from specgen.schedulers.world import World
    from specgen.source import Path

# What keeps a job from holding nodes while it waits for others; Kueue by itself counts quota alone (Kueue 0.19,
# pkg/cache/scheduler/tas_flavor_snapshot.go; `kueue.hosts` has what pods of no topology use of nodes).
_GANG = "a gang scheduler keeps all pods waiting until every one has a place: `scheduling.gang` of a profile"
_COUNTING = "a Topology at the queue's flavor: Kueue counts what is free on its nodes, too, before it lets a job begin"


def on_nodes(
    answer: Answer,
    job: Job,
    pods: list[tuple[Pod, Node | None]],
    simulation: Simulation,
    world: World,
    tree: dict[str, Any],
    spare: Spare,
    before: list[Before],
    *,
    led: bool = False,
    unasked: bool = False,
) -> None:
    """Sets the verdict of a job by its pods, its sums and its helps.

    ``led``: a queue has let the job begin, and its flavors lead its pods to nodes; ``unasked``: one would have to,
    and is not asked."""
    waiting = [pod for pod, node in pods if node is None]
    answer.pods = wanted(job)
    answer.bound = len(pods) - len(waiting)
    answer.placed = by_group(pods)
    stands: dict[tuple[str, str, str], int] = {}
    for pod, node in pods:
        if node is not None:
            where = (node.kind.nodes.group, node.name, pod.role)
            stands[where] = stands.get(where, 0) + 1
    answer.nodes = [(*where, count) for where, count in stands.items()]
    answer.waiting = _waiting(waiting, simulation)
    answer.unmade = max(0, answer.pods - len(pods))
    answer.evicts += list(
        dict.fromkeys(pod.job or f"pod {pod.name}" for pod in simulation.evicted if pod.job != job.id)
    )
    unpriced = priority_unsaid([pod for pod in simulation.evicted if pod.job != job.id], world)
    simulation.evicted.clear()
    fault = next((pod.sort.fault for pod, _ in pods if pod.sort.fault), "")
    if fault:
        answer.verdict, answer.reason = UNKNOWN, fault
        return
    if job.left_out:
        answer.verdict, answer.reason = UNKNOWN, f"it has {job.left_out} pods more than are looked at"
        return
    if simulation.unclaimed and any(pod.sort.claims or simulation.cluster.claims_more(pod.sort) for pod, _ in pods):
        answer.verdict = UNKNOWN
        answer.reason = f"nobody says which devices {simulation.unclaimed} has, which is there already"
        return
    if unpriced:
        answer.verdict, answer.reason = UNKNOWN, unpriced
        return
    if not waiting and answer.bound >= answer.pods:
        if answer.pods == 0 and job.told:
            # what its pods would come of is refused
            answer.verdict, answer.reason = NEVER, next(iter(job.told))
            return
        if answer.pods == 0:
            answer.notes.append("it makes no pods")
        answer.verdict, answer.reason = FITS, _where(answer)
        return
    missing = unlooked(waiting) or unread(waiting) or unsaid(waiting, world)
    kept_out = _kept_out(job, tree, world, simulation) if missing else ""
    if kept_out:
        # whatever nodes there are: operators make pods without a look at them
        answer.verdict, answer.reason = NEVER, kept_out
        answer.waiting = []
        answer.helps = naming(job.unnamed)
        answer.cluster = _said(answer, world, kept_out)
        return
    if missing:
        answer.verdict, answer.reason = UNKNOWN, missing
        if answer.sums is not None:
            answer.sums.unsaid = {pod.role: key for pod in waiting for key in unlabelled(pod, world)[:1]}
        return
    told = answer.waiting[0].message if answer.waiting else next(iter(job.told), "no pod is made")
    # what follows is about preemption
    said = told.partition(". no new claims")[0].partition(". still not schedulable")[0]
    empty = world.emptied(simulation.objects)
    if led:
        from specgen.schedulers.kueue.above import placed

        room, back = placed(world, tree), world.returned()
        later = len(room) < answer.pods and back is not None and len(placed(back, tree)) >= answer.pods
    else:
        alone = Simulation(empty)
        own = alone.submit(tree)
        room = [] if own.refused else [pod for pod, node in through(own, alone) if node is not None]
        later = len(room) < answer.pods and _later(tree, empty, answer.pods)
    if len(room) < answer.pods and not later:
        answer.verdict, answer.reason = NEVER, said
        few = f"fewer pods: {len(room)} of {answer.pods} find room in the flavors that the queue gives them"
        answer.helps = ([few] if room else []) if led else helps(tree, empty, answer.pods)
        answer.helps = naming(job.unnamed) or answer.helps
    elif job.kind != "Job" and any(_holds(pod) for pod, _ in pods):
        answer.verdict = HANGS
        answer.reason = f"{answer.bound} of {answer.pods} pods have a node and hold it, the others wait: {said}"
        answer.helps = [_COUNTING if led else _GANG]
    else:
        answer.verdict, answer.reason = WAITS, said
    if later:
        answer.notes += away(world)
    if answer.verdict == NEVER and world.partial and any(map(plain, waiting)):
        answer.notes.append(ELSEWHERE)
    if answer.verdict == NEVER and answer.bound:
        held = f"{answer.bound} of its {answer.pods} pods get a node all the same, and hold it"
        answer.notes.append(f"if the queue admits it, {held}" if unasked else held)
    unpriced = priority_unsaid(waiting, world) if answer.verdict != NEVER else ""
    if unpriced:
        answer.verdict, answer.reason = UNKNOWN, unpriced
        return
    answer.cluster = _said(answer, world, told)
    if answer.verdict in (WAITS, HANGS) and not later:
        holders = spare.gone(world, before, tree, standing(simulation, job))
        if holders:
            answer.notes.append(f"it would fit if these were gone: {called(holders)}")


def _later(tree: dict[str, Any], empty: World, pods: int) -> bool:
    """Whether a job would fit nodes without a pod once those that are away are back."""
    whole = empty.returned()
    if whole is None:
        return False
    simulation = Simulation(whole)
    job = simulation.submit(tree)
    return not job.refused and sum(node is not None for _, node in through(job, simulation)) >= pods


def away(world: World) -> list[str]:
    """Which nodes take no new pods now."""
    counts: dict[tuple[str, bool], int] = {}
    for nodes in world.nodes:
        if nodes.returned() is not None:
            key = (nodes.group, nodes.unschedulable)
            counts[key] = counts.get(key, 0) + nodes.count
    return [
        f"{plural(count, 'node')} of {group} {'is' if count == 1 else 'are'} "
        f"{'cordoned' if cordoned else 'not well, as taints say'}: it would fit with {'it' if count == 1 else 'them'}"
        for (group, cordoned), count in counts.items()
    ]


def _kept_out(job: Job, tree: dict[str, Any], world: World, simulation: Simulation) -> str:
    """Why the API server takes no pod of a job by a quota or the limits of its namespace, which nothing else uses."""
    if not any(one.startswith("Pod ") for one in job.told):
        return ""
    alone = Simulation(world.emptied(simulation.objects))
    own = alone.submit(tree)
    if not own.refused:
        through(own, alone)
    return next((one for one in own.told if one.startswith("Pod ")), "")


def _said(answer: Answer, world: World, told: str) -> list[tuple[Path, str]]:
    """What of the cluster profile keeps pods waiting, or from being made."""
    if not world.said:
        return []
    if not answer.waiting:
        keys = [("quota" if "quota" in told else "limits", answer.namespace)]
        return [world.said[key] for key in keys if key in world.said]
    found: dict[tuple[str, ...], None] = {}
    for row in deciding(answer.rows):
        if row.barred:
            found["taint" if "taint" in row.barred else "label", row.group] = None
        elif row.each * row.nodes > row.there:
            found["amount", row.group, row.resource] = None
        else:
            found["nodes", row.group] = None
    return [world.said[key] for key in found if key in world.said]


def wanted(job: Job) -> int:
    """Pods that the job runs with."""
    return sum(unit.size for unit in job.units)


def by_group(pods: list[tuple[Pod, Node | None]]) -> dict[str, dict[str, list[int]]]:
    counts: dict[tuple[str, str], dict[str, int]] = {}
    for pod, node in pods:
        if node is not None:
            own = counts.setdefault((pod.role, node.kind.nodes.group), {})
            own[node.name] = own.get(node.name, 0) + 1
    made: dict[str, dict[str, list[int]]] = {}
    for (role, group), own in counts.items():
        made.setdefault(role, {})[group] = sorted(own.values(), reverse=True)
    return made


def _waiting(pods: list[Pod], simulation: Simulation) -> list[Waiting]:
    found: dict[tuple[str, str | None], list[Pod]] = {}
    for pod in pods:
        found.setdefault((pod.role, pod.message), []).append(pod)
    made = []
    for (role, message), own in found.items():
        by: dict[tuple[str, str], int] = {}
        _, refused = simulation.look(own[0])
        for shelf, status in refused.by:
            for reason in status.reasons:
                key = (shelf.kind.nodes.group, reason)
                by[key] = by.get(key, 0) + shelf.count
        told = [(group, count, reason) for (group, reason), count in by.items()]
        made.append(Waiting(role, len(own), message or "no scheduler has looked at it", told))
    return made


def _holds(pod: Pod) -> bool:
    """Whether a pod holds devices."""
    return pod.node is not None and (bool(pod.sort.claims) or any("/" in name for name in pod.sort.asks))


def _where(answer: Answer) -> str:
    groups: dict[str, int] = {}
    for own in answer.placed.values():
        for group, counts in own.items():
            groups[group] = groups.get(group, 0) + sum(counts)
    return ", ".join(f"{count} on {group}" for group, count in groups.items())


def standing(simulation: Simulation, job: Job) -> list[Pod]:
    """Who stands on nodes besides the job."""
    return [pod for pod in simulation.pods if pod.node is not None and pod.job != job.id]


def called(pods: list[Pod]) -> str:
    found = list(dict.fromkeys(pod.job or f"{pod.namespace}/{pod.name}" for pod in pods))
    return ", ".join(found if len(found) < 6 else [*found[:5], f"{len(found) - 5} more"])
