"""Kueue beside what stands behind it: jobs wait suspended, begin when their queue has room, and are stopped again.

Kueue 0.19, pkg/scheduler/scheduler.go (a turn: the head of each queue), pkg/cache/queue (StrictFIFO, BestEffortFIFO),
pkg/controller/core (what is inactive), pkg/workload (conditions). A turn that changes nothing is the last.
"""

from __future__ import annotations

from functools import partial

from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE, KUEUE_PRIORITY
from specgen.schedulers.kueue.eviction import SAID
from specgen.schedulers.kueue.flavors import FIT, NO_FIT, Flavor
from specgen.schedulers.kueue.hosts import topologies
from specgen.schedulers.kueue.nominate import nominate, still
from specgen.schedulers.kueue.podsets import pod_sets
from specgen.schedulers.kueue.quota import Queue, tree_of
from specgen.schedulers.kueue.standing import Standing, held, standing, used_by_nobody
from specgen.schedulers.kueue.state import State
from specgen.schedulers.kueue.steer import steered
from specgen.schedulers.kueue.webhooks import CONSTRAINTS, ELASTIC, refusal
from specgen.schedulers.kueue.workload import Workload, class_of, queue_of, resumed, suspended, whole, workload_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kueue.flavors import Assignment
    from specgen.schedulers.kueue.quota import Of
    from specgen.schedulers.simulate import Simulation

_GATED = KUEUE + "admission-gated-by"
_ROUNDS = 10_000


class Manager(State):
    """Kueue before a simulation, and its turns. ``excluded``: prefixes of resources that are not counted.

    ``unranked``: the priority of a job whose class is not there; None: Kueue makes no Workload of it.
    """

    def __init__(self, simulation: Simulation, *, excluded: Sequence[str] = (), unranked: int | None = None) -> None:
        super().__init__(simulation, excluded)
        self._unranked = unranked
        self.evicted: list[tuple[Workload, Workload]] = []
        # what is used of queues whose Workloads are not known
        self._drained: list[str] = []
        self.nobody: dict[str, dict[Of, int]] = {}
        self._clock = self._version = 0
        # endings of jobs that were followed, none since another one came under a queue
        self._followed = -1
        # the same queues and nodes, of which nobody holds anything, once somebody asked for them
        self.alone: Manager | None = None
        # and what becomes there of jobs, by all of them but their names
        self.by_themselves: dict[str, Workload | None] = {}
        simulation.steer = partial(steered, self)
        self.refresh()

    # the world

    def refresh(self) -> None:
        """Reads queues, flavors and topologies anew; all who wait are looked at again."""
        self._version += 1
        objects = self.simulation.objects
        self.queues = tree_of(objects)
        self.flavors = {flavor.name: flavor for flavor in (Flavor(tree) for tree in objects.of("ResourceFlavor"))}
        self._drained = [queue.name for queue in self.queues.values() if queue.spec.get("stopPolicy") == "HoldAndDrain"]
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

    def wake(self) -> None:
        """Something happened: all who wait are looked at again."""
        self._version += 1
        for workload in self.workloads.values():
            workload.rests = False

    # jobs

    def submit(self, tree: dict[str, Any]) -> Job:
        """A job is created: its queue suspends it, where it names one."""
        name = queue_of(tree, self.simulation)
        if not name:
            return self.simulation.submit(tree)
        job = self.simulation.submit(suspended(tree, name))
        if not job.refused:
            job.refused = refusal(tree, pod_sets(job, self.simulation.objects))
            if job.refused:
                job.refused_by = "the webhook of Kueue"
                del self.simulation.jobs[job.id]
            else:
                self.take(job, name)
        return job

    def take(self, job: Job, name: str) -> None:
        """A job comes under a queue."""
        objects = self.simulation.objects
        priority = self._priority(job)
        if priority is None:
            return
        self._clock += 1
        workload = Workload(job, pod_sets(job, objects), name, priority, self._clock)
        workload.topology_of = self.topology_of
        annotations = mapping(mapping(job.tree.get("metadata")).get("annotations"))
        if str(annotations.get(ELASTIC)).lower() == "true":
            workload.unknown = "what Kueue does with an elastic job is not known here"
        for pods in workload.sets:
            if CONSTRAINTS in mapping(mapping(pods.template.get("metadata")).get("annotations")):
                workload.unknown = f"slices within slices (`{CONSTRAINTS}`) are not counted here"
        self.workloads[job.id] = workload
        if job.finished or job.failed or job.gone:
            self._followed = -1

    def change(self, name: str, tree: dict[str, Any]) -> str:
        """A job is changed by somebody. Returns why that is refused, empty: it is not."""
        workload = self.workloads.get(name)
        job = self.simulation.jobs[name]
        queue = queue_of(tree, self.simulation)
        if workload is None:
            refused = self.simulation.reload(name, tree)
            if not refused and queue and job.suspended:
                self.take(job, queue)
            return refused
        if workload.given is not None and queue != workload.queue_name:
            return "metadata.labels[kueue.x-k8s.io/queue-name]: field is immutable"
        if class_of(job.tree) and not class_of(tree) and workload.given is not None:
            return f"metadata.labels[{KUEUE_PRIORITY}]: WorkloadPriorityClass cannot be removed"
        # whoever switches it, Kueue switches it back at once
        before = [(pods.name, pods.count, pods.asks) for pods in workload.sets]
        whole = resumed(tree, workload.given) if workload.given is not None else suspended(tree, queue)
        refused = self.simulation.reload(name, whole)
        if refused:
            return refused
        sets = pod_sets(job, self.simulation.objects)
        if [(pods.name, pods.count, pods.asks) for pods in sets] != before:
            if workload.given is not None:
                workload.count(-1)
                workload.given = None
                self.simulation.reload(name, suspended(tree, queue))
            del self.workloads[name]
            self.take(job, queue)
        else:
            workload.queue_name = queue
            priority = self._priority(job)
            workload.priority = workload.priority if priority is None else priority
        self.wake()
        return ""

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

    def forget(self, job: Job) -> None:
        """Takes a job away, as if it had never been."""
        workload = self.workloads.pop(job.id, None)
        if workload is not None and workload.given is not None:
            workload.count(-1)
        self.simulation.delete(job.id)
        del self.simulation.jobs[job.id]

    def _priority(self, job: Job) -> int | None:
        """The priority of a job; None: its class is not there, and Kueue makes no Workload of it."""
        objects = self.simulation.objects
        metadata = mapping(job.tree.get("metadata"))
        named = mapping(metadata.get("labels")).get(KUEUE_PRIORITY)
        if named:
            found = objects.named("WorkloadPriorityClass", str(named))
            return self._unranked if found is None else whole(found.get("value"))
        spec = mapping(job.tree.get("spec"))
        policy = mapping(mapping(spec.get("runPolicy")).get("schedulingPolicy"))
        called = policy.get("priorityClass") or next(
            (
                mapping(pods.template.get("spec")).get("priorityClassName")
                for pods in pod_sets(job, objects)
                if mapping(pods.template.get("spec")).get("priorityClassName")
            ),
            "",
        )
        if called:
            found = objects.named("PriorityClass", str(called))
            return self._unranked if found is None else whole(found.get("value"))
        default = [tree for tree in objects.of("PriorityClass") if tree.get("globalDefault") is True]
        return min((whole(tree.get("value")) for tree in default), default=0)

    # turns

    def rest(self) -> None:
        """Brings queues, and what stands behind them, to rest."""
        self.turns()
        self.simulation.rest()
        if self._follow():
            self.rest()

    def turns(self) -> None:
        """Lets all begin that may, and stops those who must."""
        self._follow()
        for _ in range(_ROUNDS):
            if not self._turn():
                break

    def begins(self, job: Job) -> bool:
        """Lets all begin that may: whether a job is among them, or has no queue."""
        self.turns()
        return job.id not in self.workloads or self.workloads[job.id].given is not None

    def _follow(self) -> bool:
        """Jobs that have ended give their quota back, those of stopped queues are evicted."""
        if self._followed == self.simulation.endings and not self._drained:
            return False
        self._followed = self.simulation.endings
        changed = False
        for workload in self.workloads.values():
            if workload.given is not None and (workload.job.finished or workload.job.gone or workload.job.failed):
                workload.count(-1)
                workload.ended, workload.given = workload.given, None
                workload.finished = changed = True
            elif self._drained and workload.given is not None and workload.queue.name in self._drained:
                self.stop(workload, "ClusterQueueStopped", "The ClusterQueue is stopped")
                workload.say("Requeued", False, "ClusterQueueStopped", "The ClusterQueue is stopped")
                changed = True
            elif workload.job.gone:
                workload.finished = True
        if changed:
            self.refresh()
        return changed

    def stop(self, workload: Workload, reason: str, message: str) -> None:
        """A job is evicted: it is suspended, and waits again."""
        workload.count(-1)
        workload.given = None
        workload.say("Evicted", True, reason, message)
        workload.say("QuotaReserved", False, "Pending", message)
        workload.say("Admitted", False, "NoReservation", "The workload has no reservation")
        workload.tried = []
        if isinstance(workload.job, Standing):
            for pod in [one for one in self.simulation.pods if workload_of(one) == workload.job.workload]:
                self.simulation.remove(pod)
        else:
            self.simulation.reload(workload.job.id, suspended(workload.job.tree, workload.queue_name))

    def _turn(self) -> bool:
        """Looks at the head of each queue; whether anything came of it."""
        heads: list[tuple[Workload, Assignment, list[Any]]] = []
        again = False
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
        for workload in self.workloads.values():
            if workload.given is not None or (workload.rests and not workload.queue.strict):
                continue
            if workload.finished or not workload.active or workload.unknown:
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
            elif fresh := [one for one in waiting if not one.rests]:
                made.append((queue, fresh))
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
        if not isinstance(head.job, Standing):
            self.simulation.reload(head.job.id, resumed(head.job.tree, made))

    def _evict(self, victim: Any, head: Workload, reason: str) -> None:
        by = "Preempted to accommodate a workload (UID: <uid>, JobUID: <uid>)"
        said = f"{by} due to {SAID[reason]}; preemptor path: {head.queue.path}; preemptee path: {victim.queue.path}"
        self.evicted.append((victim, head))
        self.stop(victim, "Preempted", said)
        victim.say("Preempted", True, reason, said)
        victim.say("Requeued", True, "Preempted", said)
