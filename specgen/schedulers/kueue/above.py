"""A job by itself: what its queue says of it with nobody else there, and which sum is above all that it ever has."""

from __future__ import annotations

from specgen.diagnostics.model import listed
from specgen.manifest.views import mapping
from specgen.schedulers.kueue.flavors import NO_FIT, selects
from specgen.schedulers.kueue.manager import Manager
from specgen.schedulers.kueue.nominate import nominate
from specgen.schedulers.simulate import Simulation
from specgen.schedulers.stages import through
from specgen.schedulers.sums import Above, Lacking, Short, Unsuited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.schedulers.kueue.flavors import Flavor, Share
    from specgen.schedulers.kueue.podsets import PodSet
    from specgen.schedulers.kueue.quota import Of, Queue
    from specgen.schedulers.kueue.workload import Workload
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.world import World


def empty(world: World, *, unranked: int | None = None) -> Manager:
    """The queues and nodes of a world, of which nobody holds anything; ``unranked`` as the manager takes it."""
    objects = world.objects.copy()
    for one in list(objects.of("Workload")):
        objects.drop(one)
    return Manager(Simulation(world.emptied(objects)), unranked=unranked)


def by_itself(empty: Manager, tree: dict[str, Any]) -> Workload | None:
    """The Workload of a job that has queues and nodes for itself; None: there is none of it."""
    job = empty.submit(tree)
    if job.refused:
        return None
    if empty.queue_of(tree) is None:
        empty.rest()  # the pods of it must be there
    empty.turns()
    own = empty.workloads_of(job)
    # of pods that come by themselves the one that waits
    workload = next((one for one in own if one.given is None), next(iter(own), None))
    given = workload.given if workload is not None else None
    empty.forget(job)
    if workload is not None:
        workload.given = given
    return workload


def placed(world: World, tree: dict[str, Any]) -> list[Pod]:
    """The pods of a job that find a node where it has queues and nodes for itself."""
    manager = empty(world)
    job = manager.submit(tree)
    if job.stages:
        return [pod for pod, node in through(job, manager.simulation, manager.rest) if node is not None]
    manager.rest()
    return [pod for pod in manager.simulation.of(job.id) if pod.node is not None]


def looked_at(empty: Manager, tree: dict[str, Any]) -> Workload | None:
    """The same with what the queue says at the first look."""
    workload = _workload(empty, tree)
    if workload is not None:
        workload.looked = nominate(empty, workload, workload.queue)[0]
    return workload


def _workload(empty: Manager, tree: dict[str, Any]) -> Workload | None:
    """The Workload of a job, also of one that is refused for something else; None: nobody would look at it."""
    job = empty.simulation.unsubmitted(tree)
    empty.take(job, empty.queue_of(tree) or "")
    workload = empty.workloads.pop(job.id, None)
    if workload is None or workload.unknown or empty.unlooked(workload):
        return None
    return workload


def above(alone: Workload, *, known: bool = True) -> Above | None:
    """What forbids a job that had queues of which nobody held anything; None: it is no sum.

    Without ``known`` nobody says which pods may take which flavor: then only what no choice of flavors mends counts.
    """
    looked, queue = alone.looked, alone.queue
    if looked is None or looked.refused or looked.mode != NO_FIT:
        return None
    before: dict[Of, int] = {}
    names: dict[Of, list[str]] = {}
    for share in looked.shares:
        if share.mode == NO_FIT:
            members = [one for one in looked.shares if one is share or _together(one, share)]
            return _largest(queue, members, before, names) if known else _anyhow(queue, alone, members)
        for name, given in share.flavors.items():
            of = (given.flavor, name)
            before[of] = before.get(of, 0) + share.pods.sum(share.count).get(name, 0)
            names.setdefault(of, []).append(share.pods.name)
    return None


def _together(one: Share, other: Share) -> bool:
    return bool(one.pods.wish.group) and one.pods.wish.group == other.pods.wish.group


def _sum(shares: Sequence[Share]) -> dict[str, int]:
    made: dict[str, int] = {}
    for share in shares:
        for name, amount in share.pods.sum(share.count).items():
            made[name] = made.get(name, 0) + amount
    return made


def _largest(queue: Queue, members: list[Share], before: dict[Of, int], names: dict[Of, list[str]]) -> Above | None:
    """The resource that no flavor has, or that is short in most; None: a flavor has enough of everything.

    One that the queue does not name it never admits, unless Kueue's configuration leaves it out
    (``excludeResourcePrefixes``): then only a queue that says so itself counts.
    """
    asks = _sum(members)
    found: dict[str, list[Short]] = {}
    for name in sorted(asks, key=lambda one: ("/" not in one, one)):
        group = queue.group(name)
        if group is None and asks[name] and queue.spec.get("quotaCheckStrategy") == "BlockUndeclared":
            return Above(queue.name, [one.pods.name for one in members], [Short("", name, asks[name], 0, 0)])
        for flavor in group[1] if group is not None else ():
            short = Short(flavor, name, asks[name], before.get((flavor, name), 0), queue.most((flavor, name)))
            if short.asked + short.before > short.most:
                found.setdefault(name, []).append(short)
    if not found:
        return None
    shorts = max(found.values(), key=len)
    group = queue.group(shorts[0].resource)
    for flavor in group[1] if group is not None else ():
        if all(one.flavor != flavor for one in shorts):
            other = next((one for listed in found.values() for one in listed if one.flavor == flavor), None)
            if other is None:
                return None
            shorts.append(other)
    first = [pods for one in shorts if one.before for pods in names[one.flavor, one.resource]]
    return Above(queue.name, list(dict.fromkeys([*first, *(one.pods.name for one in members)])), shorts)


def _anyhow(queue: Queue, alone: Workload, members: list[Share]) -> Above | None:
    """What the pods ask by themselves of each flavor, or all together of all flavors."""
    found = _largest(queue, members, {}, {})
    if found is not None:
        return found
    total: dict[str, int] = {}
    for pods in alone.sets:
        for name, amount in pods.sum().items():
            total[name] = total.get(name, 0) + amount
    for name in sorted(total, key=lambda one: ("/" not in one, one)):
        group = queue.group(name)
        if group is None:
            continue
        most = sum(queue.most((flavor, name)) for flavor in group[1])
        if total[name] > most:
            asking = [pods for pods in alone.sets if pods.asks.get(name)]
            last = asking[-1].sum()[name]
            shorts = [Short("", name, last, total[name] - last, most)]
            return Above(queue.name, [pods.name for pods in asking], shorts)
    return None


def lacking(empty: Manager, tree: dict[str, Any]) -> list[Lacking]:
    """Pod sets that wish for a level which no flavor of theirs has; none where flavors or topologies are not known."""
    workload = _workload(empty, tree)
    found: list[Lacking] = []
    if workload is None:
        return found
    for pods in workload.sets:
        groups = [group for group in map(workload.queue.group, sorted(pods.asks)) if group is not None]
        for _, flavors in groups if pods.wish.named else ():
            levels = [_levels(empty, flavor, pods) for flavor in flavors]
            if None not in levels:
                there = [(flavor, own or []) for flavor, own in zip(flavors, levels, strict=True)]
                found.append(Lacking(pods.name, _wanted(pods, there), there))
                break
    return found


def unsuited(empty: Manager, tree: dict[str, Any]) -> list[Unsuited]:
    """Pod sets that no flavor takes, whatever is left of it; none where a flavor is not known."""
    workload = _workload(empty, tree)
    found: list[Unsuited] = []
    for pods in workload.sets if workload is not None else ():
        for name in sorted(pods.asks):
            group = workload.queue.group(name) if workload is not None else None
            flavors = group[1] if group is not None else []
            if any(one not in empty.flavors for one in flavors):
                continue
            why = [(one, _unsuitable(pods.spec, empty.flavors[one])) for one in flavors]
            if why and all(reason for _, reason in why):
                found.append(Unsuited(pods.name, why))
                break
    return found


def _unsuitable(spec: dict[str, Any], flavor: Flavor) -> str:
    """Why a flavor will not do for pods, by its nodes' labels and taints; empty: it may."""
    taint = flavor.untolerated(spec)
    if taint is not None:
        return f"has the taint `{taint.get('key')}`, which they do not tolerate"
    if selects(spec, flavor.labels):
        return ""
    wanted = mapping(spec.get("nodeSelector"))
    other = [f"{key}: {flavor.labels[key]}" for key in wanted if flavor.labels.get(key, wanted[key]) != wanted[key]]
    return f"has {listed(other)}" if other else "has no label that `nodeAffinity` takes"


def _levels(empty: Manager, flavor: str, pods: PodSet) -> list[str] | None:
    """The levels of a flavor that lacks what pods wish for; None: it has it, or has a Topology without levels."""
    if not empty.flavors[flavor].topology:
        return []
    topology = empty.topologies.get(flavor)
    return list(topology.levels) if topology is not None and topology.lacks_level(pods.wish) else None


def _wanted(pods: PodSet, there: list[tuple[str, list[str]]]) -> str:
    """The level that is not there; empty: pods take any."""
    asked = [level for level in (pods.wish.level, pods.wish.slice) if level]
    return next((one for one in asked if all(one not in levels for _, levels in there)), next(iter(asked), ""))
