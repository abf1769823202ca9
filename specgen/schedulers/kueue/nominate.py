"""What a job would get now, and who would be evicted for it.

Kueue 0.19, pkg/scheduler/scheduler.go (nominate, getAssignments; partial admission by search for the largest number).
"""

from __future__ import annotations

from specgen.operators.kubernetes.selectors import meets, requirements
from specgen.schedulers.kueue.eviction import Preemptor
from specgen.schedulers.kueue.flavors import FIT, NO_FIT, NO_VICTIMS, PREEMPT, RECLAIM, Assigner, Assignment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.schedulers.kueue.flavors import Share
    from specgen.schedulers.kueue.podsets import PodSet
    from specgen.schedulers.kueue.quota import Of, Queue
    from specgen.schedulers.kueue.state import State
    from specgen.schedulers.kueue.workload import Workload


def nominate(state: State, head: Workload, queue: Queue) -> tuple[Assignment, list[Any]]:
    """(what it would get, who would be evicted for it)."""
    namespaces = requirements(queue.spec.get("namespaceSelector"))
    said = ""
    if not meets(state.labels_of(head.job.namespace), namespaces):
        said = "workload namespace doesn't match ClusterQueue selector"
    elif bad := _validation(head.sets):
        said = f"resources validation failed: {bad}"
    if said:
        return Assignment(said), []
    if head.given is None and queue.checks:
        head.unknown = f"the admission checks {', '.join(queue.checks)} decide outside of the cluster"
        return Assignment(), []
    counts = [pods.count for pods in head.sets]
    made, victims = _assign(state, head, queue, counts)
    if made.mode == FIT or victims or all(pods.least is None for pods in head.sets):
        return made, victims
    low, high = sum(pods.least if pods.least is not None else pods.count for pods in head.sets), sum(counts)
    best: tuple[Assignment, list[Any]] | None = None
    while low < high:
        middle = (low + high) // 2
        tried = _assign(state, head, queue, _fewer(head.sets, middle))
        if tried[0].mode == FIT or tried[1]:
            best, low = tried, middle + 1
        else:
            high = middle
    return best or (made, victims)


def _assign(state: State, head: Workload, queue: Queue, counts: list[int]) -> tuple[Assignment, list[Any]]:
    evicts = queue.policy("withinClusterQueue") != "Never" or queue.policy("reclaimWithinCohort") != "Never"
    held = [one for one in state.workloads.values() if evicts and one.given is not None and one is not head.replaces]

    def ask(of: Of, amount: int) -> tuple[int, int]:
        own = Preemptor(queue, head.priority, head.order, {of: amount}, [of])
        victims = own.victims(held, lambda: True)
        if not victims:
            return NO_VICTIMS, queue.lowest(of, amount)[0]
        for one in victims:
            one.held.count(-1)
        after = queue.lowest(of, amount)[0]
        for one in victims:
            one.held.count(1)
        return (PREEMPT if any(one.held.queue is queue for one in victims) else RECLAIM), after

    assigner = Assigner(
        queue,
        state.flavors,
        state.topologies,
        ask,
        tried=head.tried,
        domains=state.simulation.domains,
        supposed=state.simulation.supposed,
        undeclared=state.configuration.ignores,
        old=head.replaces.usage() if head.replaces is not None else None,
    )
    made = assigner.assign(head.sets, counts)
    if made.mode == NO_FIT:
        return made, []
    placed = [share for share in made.shares if assigner.wants_domains(share.pods)]
    if made.mode == FIT:
        failed, why = place(state, placed)
        if failed is not None:
            failed.reasons.append(why)
            _worse(failed, PREEMPT)
    if made.mode not in (NO_FIT, FIT) and placed:
        failed, why = place(state, placed, empty=True)
        for share in placed:
            share.domains = None
        if failed is not None:
            _worse(failed, NO_FIT)
            return made, []
        for share in placed:
            _worse(share, PREEMPT)
    if made.mode in (NO_FIT, FIT):
        return made, []
    needed = [
        (given.flavor, name) for share in made.shares for name, given in share.flavors.items() if given.mode != FIT
    ]

    def fits() -> bool:
        failed, _ = place(state, placed)
        for share in placed:
            share.domains = None
        return failed is None

    own = Preemptor(queue, head.priority, head.order, made.more(), needed)
    return made, own.victims(held, fits)


def most(state: State, head: Workload) -> int:
    """With how many pods a job would begin that has too many; those of its largest set are fewer. 0: with none."""
    if not head.sets:
        return 0
    at = max(range(len(head.sets)), key=lambda one: head.sets[one].count)
    counts = [pods.count for pods in head.sets]
    # in whole slices
    unit = head.sets[at].wish.slice_size
    before, head.tried = head.tried, []
    low, high = 0, -(-counts[at] // unit)
    while high - low > 1:
        middle = (low + high) // 2
        made, victims = _assign(state, head, head.queue, [*counts[:at], middle * unit, *counts[at + 1 :]])
        if made.mode == FIT and not victims:
            low = middle
        else:
            high = middle
    head.tried = before
    return sum(counts) - counts[at] + low * unit if low else 0


def first_look(state: State, head: Workload) -> Assignment:
    """What a queue says of a job that it has not seen before: of all flavors, not of those behind the last tried."""
    before, head.tried = head.tried, []
    made = nominate(state, head, head.queue)[0]
    head.tried = before
    return made


def place(state: State, shares: Sequence[Share], *, empty: bool = False) -> tuple[Share | None, str]:
    """Finds domains for pod sets. Returns the one that has none, and why."""
    groups: dict[str, list[Share]] = {}
    for at, share in enumerate(shares):
        groups.setdefault(share.pods.wish.group or str(at), []).append(share)
    assumed: dict[str, dict[tuple[str, ...], dict[str, int]]] = {}
    for members in groups.values():
        leader: Share | None = None
        workers = members[0]
        if len(members) > 1:
            leader = members[1]
            if leader.count > workers.count:
                leader, workers = workers, leader
        topology = state.topology_of(workers)
        if topology is None:
            continue
        own = assumed.setdefault(topology.name, {})
        found, why = topology.find(workers.pods, workers.count, leader.pods if leader else None, own, empty=empty)
        if why:
            return members[0], why
        for share in members:
            share.domains = found.get(share.pods.name, [])
            for values, count in share.domains:
                used = own.setdefault(topology.leaf(values), {})
                for name, amount in {**share.pods.asks, "pods": 10**9}.items():
                    used[name] = used.get(name, 0) + amount * count
    return None, ""


def still(state: State, head: Workload, made: Assignment) -> bool:
    """Whether there is still room, after others of the same turn."""
    if any(amount > max(0, head.queue.left(of)) for of, amount in made.more().items()):
        return False
    placed = [share for share in made.shares if share.domains is not None]
    # perhaps in other domains than before
    return place(state, placed)[0] is None


def _fewer(sets: Sequence[PodSet], total: int) -> list[int]:
    """So many pods in all, taken from those sets that may have fewer."""
    counts = [pods.count for pods in sets]
    over = sum(counts) - total
    for at, pods in enumerate(sets):
        if pods.least is not None:
            less = min(over, counts[at] - pods.least)
            counts[at] -= less
            over -= less
    return counts


def _worse(share: Share, mode: int) -> None:
    for given in share.flavors.values():
        given.mode = min(given.mode, mode)


def _validation(sets: Sequence[PodSet]) -> str:
    """Why the pods of a job would be refused."""
    found = [
        f"spec.podSets[{at}].template.spec.{one}: requests must not exceed its limits"
        for at, pods in enumerate(sets)
        for one in pods.over
    ]
    return f"[{', '.join(found)}]" if len(found) > 1 else "".join(found)
