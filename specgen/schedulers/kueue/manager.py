"""Kueue beside what stands behind it: jobs wait suspended, begin when their queue has room, and are stopped again.

Kueue 0.19, pkg/scheduler/scheduler.go (a turn: the head of each queue), pkg/cache/queue (StrictFIFO, BestEffortFIFO),
pkg/controller/core (what is inactive), pkg/workload (conditions). A turn that changes nothing is the last.
"""

from __future__ import annotations

from functools import partial

from specgen.manifest.views import mapping
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.queues import KUEUE
from specgen.schedulers.kueue.entry import Entry
from specgen.schedulers.kueue.eviction import SAID
from specgen.schedulers.kueue.flavors import FIT, NO_FIT, Flavor
from specgen.schedulers.kueue.hosts import topologies
from specgen.schedulers.kueue.loose import Loose
from specgen.schedulers.kueue.nominate import nominate, still
from specgen.schedulers.kueue.quota import Queue, tree_of
from specgen.schedulers.kueue.ready import is_ready, reclaimed
from specgen.schedulers.kueue.standing import Standing, held, standing, used_by_nobody
from specgen.schedulers.kueue.steer import steered
from specgen.schedulers.kueue.webhooks import longest
from specgen.schedulers.kueue.workload import Workload, resumed, suspended, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kueue.flavors import Assignment
    from specgen.schedulers.kueue.quota import Of
    from specgen.schedulers.kueue.topology import Room
    from specgen.schedulers.simulate import Simulation

_GATED = KUEUE + "admission-gated-by"
_ROUNDS = 10_000


class Manager(Entry):
    """Kueue before a simulation, and its turns.

    ``patience``: seconds that pass once all rests, in which pods may be too late to be ready.
    """

    def __init__(self, simulation: Simulation, *, unranked: int | None = None, patience: float = 0) -> None:
        super().__init__(simulation, unranked=unranked)
        self._patience = patience
        # who is next, and waits until the pods of all who began before are ready
        self._blocked: tuple[Workload, Assignment] | None = None
        self.evicted: list[tuple[Workload, Workload]] = []
        # queues that are stopped and to be empty: kind, namespace, name
        self._drained: set[tuple[str, str, str]] = set()
        # what is used of queues whose Workloads are not known
        self.nobody: dict[str, dict[Of, int]] = {}
        # the same queues and nodes, of which nobody holds anything, once somebody asked for them
        self.alone: Manager | None = None
        # and what becomes there of jobs, by all of them but their names
        self.by_themselves: dict[str, Workload | None] = {}
        # the rooms of a topology that were asked for last, those with most first
        self.ranked: tuple[list[Room], list[tuple[str, int]]] = ([], [])
        simulation.steer = partial(steered, self)
        # what was said of queues: their names, and what they have no amount of
        self.told: set[tuple[str, ...]] = set()
        # the nodes as a supposed topology saw them last
        self._looked: tuple[tuple[int, ...], set[str]] | None = None
        self.refresh()

    # the world

    def refresh(self) -> None:
        """Reads queues, flavors and topologies anew; all who wait are looked at again."""
        self._version += 1
        objects = self.simulation.objects
        self.queues = tree_of(objects)
        self.flavors = {flavor.name: flavor for flavor in (Flavor(tree) for tree in objects.of("ResourceFlavor"))}
        self._drained = {
            (kind, namespace_of(tree) if kind == "LocalQueue" else "", str(mapping(tree.get("metadata")).get("name")))
            for kind in ("ClusterQueue", "LocalQueue")
            for tree in objects.of(kind)
            if mapping(tree.get("spec")).get("stopPolicy") == "HoldAndDrain"
        }
        self.topologies = topologies(self)
        for name, usage in self.nobody.items():
            for of, amount in usage.items():
                if name in self.queues:
                    self.queues[name].add(of, amount)
        for workload in self.workloads.values():
            if workload.given is not None:
                # one that is deleted stays, and takes nobody, until those who hold its quota have ended
                name, tree = workload.queue.name, workload.queue.tree
                if name not in self.queues:
                    self.queues[name] = Queue({**tree, "spec": {**workload.queue.spec, "stopPolicy": "Hold"}})
                    self.queues[name].subtree = dict(self.queues[name].nominal)
                workload.queue = self.queues[name]
                workload.count(1)
        self.wake()

    def stand(self) -> None:
        """Takes in the Workloads that are among the objects: they hold quota, or wait before all others."""
        objects = self.simulation.objects
        for tree in standing(objects):
            spec = mapping(tree.get("spec"))
            sets, given = held(tree, objects)
            self._clock += 1
            job = Standing(tree)
            workload = Workload(job, sets, str(spec.get("queueName") or ""), whole(spec.get("priority")), self._clock)
            workload.topology_of = self.topology_of
            workload.active = spec.get("active") is not False
            name = str(mapping(mapping(tree.get("status")).get("admission")).get("clusterQueue"))
            if given is not None and name in self.queues:
                workload.given, workload.queue, workload.since = given, self.queues[name], self._clock
            elif given is not None:
                continue
            self.workloads[job.id] = workload
        if next(objects.of("Workload"), None) is None:
            self.nobody = {name: used_by_nobody(queue.tree) for name, queue in self.queues.items()}
        if self.workloads or any(self.nobody.values()):
            self.refresh()

    def blind(self, queue: Queue) -> bool:
        """Whether a queue may evict, but those who hold its quota are not known."""
        evicts = queue.policy("withinClusterQueue") != "Never" or queue.policy("reclaimWithinCohort") != "Never"
        return evicts and any(self.nobody.values())

    def ahead(self, workload: Workload) -> list[Workload]:
        """Those who wait in the queue of a job before it, in order."""
        own = [
            one
            for one in self.workloads.values()
            if one.given is None and not one.finished and one.queue is workload.queue
        ]
        own.sort(key=lambda one: (-one.priority, one.order))
        return own[: own.index(workload)] if workload in own else []

    # jobs

    def activate(self, name: str, *, on: bool) -> None:
        """The Workload of a job is switched on, or off."""
        workload = self.workloads[name]
        workload.active = on
        if on:
            workload.say("Requeued", True, "Reactivated", "The workload was reactivated")
        elif workload.given is not None:
            self.stop(workload, "Deactivated", "The workload is deactivated")
            workload.say("Requeued", False, "Deactivated", "The workload is deactivated")
        self.wake()

    # turns

    def rest(self) -> None:
        """Brings queues, and what stands behind them, to rest."""
        for _ in range(_ROUNDS):
            self.turns()
            self.simulation.rest()
            if not (self._follow() or self._adopt() or self._unblock() or self._late() or self._over()):
                break

    def turns(self) -> None:
        """Lets all begin that may, and stops those who must."""
        self._follow()
        self._look()
        for _ in range(_ROUNDS):
            if not self._turn():
                break

    def _look(self) -> None:
        """Looks at nodes anew, where a topology is only supposed and pods of no topology came to stand on them."""
        if self.simulation.supposed is None:
            return
        waiting = [one for one in self.workloads.values() if one.given is None and not one.finished]
        if not any(pods.wish.named for one in waiting for pods in one.sets):
            return
        placed = {
            one.job.id
            for one in self.workloads.values()
            if one.given is not None and any(share.domains is not None for share in one.given.shares)
        }
        others = [name for name in self.simulation.jobs if name not in placed]
        asked = {name for one in waiting for pods in one.sets for name in (*pods.asks, *pods.wish.levels)}
        seen = tuple(pod.born for name in others for pod in self.simulation.of(name) if pod.node is not None)
        if self._looked is None or self._looked[0] != seen or not asked <= self._looked[1]:
            self._looked = seen, asked
            self.refresh()

    def _unready(self, but: Workload | None = None) -> list[Workload]:
        """Who has begun, and whose pods are not all ready."""
        begun = [one for one in self.workloads.values() if one.given is not None and one is not but]
        return [one for one in begun if not is_ready(one, self.simulation)]

    def _unblock(self) -> bool:
        """Whoever waited for the pods of others begins, once these are ready; whether somebody did."""
        if self._blocked is None or self._unready():
            return False
        (head, made), self._blocked = self._blocked, None
        self.wake()
        if head.given is None and still(self, head, made):
            self._admit(head, made)
        return True

    def _late(self) -> bool:
        """Jobs whose pods are not ready in time are stopped; whether there were any."""
        timeout = self.configuration.timeout
        if timeout is None or timeout >= self._patience:
            return False
        found = self._unready()
        for workload in found:
            workload.tries += 1
            retries, base = self.configuration.retries, self.configuration.backoff
            if retries is not None and workload.tries > retries:
                workload.active = False
                said = "The workload is deactivated due to exceeding the maximum number of re-queuing retries"
                reason = "DeactivatedDueToRequeuingLimitExceeded"
            else:
                # its name has an end that follows from the job's UID
                said = f"Exceeded the PodsReady timeout {workload.job.namespace}/<workload of {workload.job.name}>"
                reason = "PodsReadyTimeout"
                # it comes again, and again too late, where all of its tries are over in time
                workload.held = retries is None or base * 2 ** (workload.tries - 1) >= self._patience
            self.stop(workload, reason, said)
            workload.say("Requeued", False, reason, said)
            if workload.active and not workload.held:
                workload.say("Requeued", True, "BackoffFinished", "The workload backoff was finished")
        if found:
            self.wake()
        return bool(found)

    def _over(self) -> bool:
        """Jobs that have run for as long as they may are stopped for good; whether there were any."""
        found = [
            one
            for one in self.workloads.values()
            if self._patience and one.given is not None and 0 < longest(one.job.tree) < self._patience
        ]
        for workload in found:
            workload.active = False
            said = "The workload is deactivated due to exceeding the maximum execution time"
            self.stop(workload, "DeactivatedDueToMaximumExecutionTimeExceeded", said)
            workload.say("Requeued", False, "DeactivatedDueToMaximumExecutionTimeExceeded", said)
        if found:
            self.wake()
        return bool(found)

    def begins(self, job: Job) -> bool:
        """Lets all begin that may: whether a job is among them, or has no queue."""
        self.turns()
        return all(one.given is not None for one in self.workloads_of(job))

    def _follow(self) -> bool:
        """Jobs that have ended give their quota back, those of stopped queues are evicted."""
        if self._followed == self.simulation.endings and not self._drained and not self.loose:
            return False
        self._followed = self.simulation.endings
        changed = False
        for workload in list(self.workloads.values()):
            if workload.given is not None and (workload.job.finished or workload.job.gone or workload.job.failed):
                workload.count(-1)
                workload.ended, workload.given = workload.given, None
                workload.finished = changed = True
            elif self._drained and workload.given is not None and (kind := self._emptied(workload)):
                self.stop(workload, f"{kind}Stopped", f"The {kind} is stopped")
                workload.say("Requeued", False, f"{kind}Stopped", f"The {kind} is stopped")
                changed = True
            elif workload.job.gone:
                workload.finished = True
            elif workload.given is not None and workload.lower(self._fewer(workload)):
                changed = True
        if changed:
            self.refresh()
        return changed

    def _emptied(self, workload: Workload) -> str:
        """The kind of the queue of a job that was stopped and is to be empty."""
        if ("ClusterQueue", "", workload.queue.name) in self._drained:
            return "ClusterQueue"
        local = ("LocalQueue", workload.job.namespace, workload.queue_name)
        return "LocalQueue" if local in self._drained else ""

    def _fewer(self, workload: Workload) -> dict[str, int]:
        """Pod set → its pods that hold quota, where some have ended, or the job has fewer now."""
        assert workload.given is not None
        ended = reclaimed(workload, self.simulation)
        now = {pods.name: pods.count for pods in workload.sets}
        made = {}
        for share in workload.given.shares:
            name = share.pods.name
            left = min(share.count, now.get(name, share.count)) - ended.get(name, 0)
            if left < share.count:
                made[name] = max(left, 0)
        return made

    def stop(self, workload: Workload, reason: str, message: str) -> None:
        """A job is evicted: it is suspended, and waits again."""
        workload.count(-1)
        workload.given, workload.fewer = None, {}
        if workload.slice is not None:
            # the next one asks for all of its pods then
            workload.finished, workload.slice.replaces = True, None
        workload.say("Evicted", True, reason, message)
        workload.say("QuotaReserved", False, "Pending", message)
        workload.say("Admitted", False, "NoReservation", "The workload has no reservation")
        workload.tried = []
        if isinstance(workload.job, Loose):
            for pod in workload.job.pods:
                self._delete(pod)
            del self.workloads[workload.job.id]  # which goes with its pods
        elif isinstance(workload.job, Standing):
            for pod in [one for one in self.simulation.pods if workload.job.has(one)]:
                self.simulation.remove(pod)
        else:
            self.simulation.reload(workload.job.id, suspended(workload.job.tree, workload.queue_name))

    def _turn(self) -> bool:
        """Looks at the head of each queue; whether anything came of it."""
        heads: list[tuple[Workload, Assignment, list[Any]]] = []
        again = False
        if self._blocked is not None:
            return False  # nobody else is looked at
        for queue, waiting in self._waiting():
            head = waiting[0]
            made, victims = nominate(self, head, queue)
            heads.append((head, made, victims))
        heads.sort(key=lambda one: (one[1].borrow, -one[0].priority, one[0].order))
        reserved: list[tuple[Queue, Of, int]] = []
        moved = False
        for head, made, victims in heads:
            usage = made.usage()
            if made.mode == NO_FIT:
                again = self._wait(head, made) or again
            elif made.mode == FIT:
                if moved and not still(self, head, made):
                    again = True  # somebody was faster: it is looked at again
                    continue
                if self.configuration.blocks and self._unready():
                    said = "waiting for all admitted workloads to be in PodsReady condition"
                    head.say("QuotaReserved", False, "Waiting", said)
                    self._blocked = (head, made)
                    break
                self._admit(head, made)
                again = moved = True
            elif victims:
                for victim in victims:
                    self._evict(victim.held, head, victim.reason)
                self.wake()
                again = moved = True
            else:
                again = self._wait(head, made) or again
                for of, amount in usage.items():
                    room = head.queue.subtree.get(of, 0) - head.queue.used.get(of, 0)
                    keep = max(0, min(amount, room))
                    if keep and made.borrow == 0:
                        head.queue.add(of, keep)
                        reserved.append((head.queue, of, keep))
                        moved = True
        for queue, of, amount in reserved:
            queue.take(of, amount)
        return again

    def _waiting(self) -> list[tuple[Queue, list[Workload]]]:
        """Who waits in each queue, in order, whose head may be looked at now."""
        by_queue: dict[str, list[Workload]] = {}
        fresh = [one for one in self.workloads.values() if one.given is None and (not one.rests or one.queue.strict)]
        for workload in fresh:
            if workload.finished or not workload.active or workload.unknown or workload.held:
                continue
            if workload.checked[0] != self._version:
                workload.checked = (self._version, self.unlooked(workload))
            why = workload.checked[1]
            if why:
                workload.say("QuotaReserved", False, *why)
                continue
            by_queue.setdefault(workload.queue.name, []).append(workload)
        made = []
        for name, waiting in by_queue.items():
            queue = self.queues[name]
            waiting.sort(key=lambda one: (-one.priority, one.order))
            if queue.strict:
                if not waiting[0].rests:
                    made.append((queue, waiting))
            elif some := [one for one in waiting if not one.rests]:
                made.append((queue, some))
        return made

    def unlooked(self, workload: Workload) -> tuple[str, str] | None:
        """(reason, message) where nobody looks at a job of this queue."""
        objects = self.simulation.objects
        local = objects.named("LocalQueue", workload.queue_name, workload.job.namespace)
        if local is None:
            return "Inadmissible", f"LocalQueue {workload.queue_name} doesn't exist"
        spec = mapping(local.get("spec"))
        name = str(spec.get("clusterQueue"))
        if name not in self.queues:
            return "Inadmissible", f"ClusterQueue {name} doesn't exist"
        if spec.get("stopPolicy", "None") != "None":
            return "Inadmissible", f"LocalQueue {workload.queue_name} is inactive"
        workload.queue = queue = self.queues[name]
        if self.inactive(queue):
            return "Inadmissible", f"ClusterQueue {name} is inactive"
        gates = mapping(mapping(workload.job.tree.get("metadata")).get("annotations")).get(_GATED)
        return ("AdmissionGated", f"Admission is gated by: {gates}") if gates else None

    def _wait(self, head: Workload, made: Assignment) -> bool:
        """It does not fit now; whether other flavors are to be tried at once."""
        head.looked = made
        head.say("QuotaReserved", False, "Pending", made.message)
        head.tried = made.tried
        more = any(at != -1 for own in made.tried for at in own.values())
        head.rests = not more
        if head.unknown:
            head.conditions.pop("QuotaReserved", None)
            return False
        return more

    def _admit(self, head: Workload, made: Assignment) -> None:
        self._clock += 1
        old = head.replaces
        if old is not None:
            old.count(-1)
            old.ended, old.given, old.finished = old.given, None, True
        head.given, head.since, head.looked = made, self._clock, None
        head.count(1)
        head.tried = []
        queue = head.queue.name
        head.say("QuotaReserved", True, "QuotaReserved", f"Quota reserved in ClusterQueue {queue}")
        head.say("Admitted", True, "Admitted", "The workload is admitted")
        for other in self.workloads.values():
            # the head of a strict queue is looked at in every turn
            if other.given is None and other.queue.strict:
                other.rests = False
        for kind in ("Evicted", "Preempted"):
            before = head.conditions.get(kind)
            if before is not None and before[0] == "True":
                head.say(kind, False, "QuotaReserved", f"Previously: {before[2]}")
        if isinstance(head.job, Loose):
            self._make_anew(head.job.pods)
        elif old is not None:
            self._make_anew(self.simulation.of(head.job.id))
        elif not isinstance(head.job, Standing):
            self.simulation.reload(head.job.id, resumed(head.job.tree, made))

    def _evict(self, victim: Any, head: Workload, reason: str) -> None:
        by = "Preempted to accommodate a workload (UID: <uid>, JobUID: <uid>)"
        said = f"{by} due to {SAID[reason]}; preemptor path: {head.queue.path}; preemptee path: {victim.queue.path}"
        self.evicted.append((victim, head))
        self.stop(victim, "Preempted", said)
        victim.say("Preempted", True, reason, said)
        victim.say("Requeued", True, "Preempted", said)
