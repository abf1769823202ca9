"""What Volcano's queue says of a gang, for ``fit``: what it asks, what its queues have, and who has it."""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.quantity import nano
from specgen.schedulers.gangs import total, used
from specgen.schedulers.turns import Sum, Turn
from specgen.schedulers.volcano.books import INQUEUE
from specgen.schedulers.volcano.manager import PENDING

TYPE_CHECKING = False
if TYPE_CHECKING:
    from specgen.schedulers.gangs import Group
    from specgen.schedulers.volcano.manager import Manager


def turn(group: Group, manager: Manager, verdict: str) -> Turn:
    """Its queue, once all has come to rest: a row for each resource that it asks for, of each queue that counts.

    A gang that waits asks for what its PodGroup names, or what as many pods as begin together are themselves, another
    one for what all of its pods are.
    """
    made = Turn(group.queue)
    made.verdict = verdict
    own = manager.pods(group)
    pods = [pod for pod in own if not pod.done]
    made.pods = len(own)
    if group.phase == PENDING:
        pods = pods[: max(group.least, 1)]
    asks = dict(group.sum)
    for name in dict.fromkeys(name for pod in pods for name in pod.sort.asks):
        asks[name] = max(asks.get(name, 0), sum(pod.sort.asks.get(name, 0) for pod in pods))
    whole = total(manager.simulation)
    others = [one for one in manager.groups.values() if one is not group]
    for queue in manager.queues.up(group.queue):
        spec = manager.queues.spec(queue)
        below = manager.queues.below(queue)
        mine = [one for one in others if one.queue in below]
        most = manager.queues.capability(queue, whole)
        for name in sorted(asks, key=lambda one: ("/" not in one, one)):
            if manager.simulation.unsaid(name) and name not in mapping(spec.get("capability")):
                continue  # nobody says how much of it there is
            deserved = nano(mapping(spec.get("deserved")).get(name))
            has, mine_used = most.get(name, 0), sum(_counted(one, name, manager) for one in mine)
            held = used(own).get(name, 0)
            made.sums.append(
                Sum(
                    "gang" if queue == group.queue else f"gang, of {queue}",
                    "",
                    name,
                    asked=asks[name],
                    nominal=has if deserved is None else deserved,
                    borrowed=0 if deserved is None else max(0, mine_used + held - deserved),
                    most=has,
                    used=mine_used,
                    left=max(0, has - mine_used),
                    short=max(0, asks[name] - max(0, has - mine_used)),
                )
            )
    waiting = [one for one in others if one.phase == PENDING and one.queue == group.queue]
    if group.phase == PENDING:
        ahead = [one for one in waiting if (-one.priority, one.born) < (-group.priority, group.born)]
        made.before = [_named(one) for one in ahead]
    holding = [one for one in others if one.queue == group.queue and used(manager.pods(one))]
    made.holders = [_named(one) for one in holding]
    return made


def _counted(group: Group, name: str, manager: Manager) -> int:
    """What is counted of another gang against its queue: what its pods have, or what is kept for them."""
    has = used(manager.pods(group)).get(name, 0)
    return max(has, group.sum.get(name, 0)) if group.phase == INQUEUE else has


def _named(group: Group) -> str:
    return group.name if group.job is None else group.job.name
