"""Kueue beside what stands behind it: jobs wait suspended, begin when their queue has room, and are stopped again.

Kueue 0.19, pkg/scheduler/scheduler.go (a turn: the head of each queue), pkg/cache/queue (StrictFIFO, BestEffortFIFO),
pkg/controller/core (what is inactive), pkg/workload (conditions). A turn that changes nothing is the last.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.queues import KUEUE, KUEUE_PRIORITY, KUEUE_QUEUE
from specgen.schedulers.kueue.eviction import SAID, Preemptor
from specgen.schedulers.kueue.flavors import FIT, NO_FIT, Assigner, Flavor
from specgen.schedulers.kueue.podsets import KINDS, pod_sets
from specgen.schedulers.kueue.quota import Queue, tree_of
from specgen.schedulers.kueue.standing import Standing
from specgen.schedulers.kueue.topology import Host, Topology, selected
from specgen.schedulers.kueue.webhooks import CONSTRAINTS, ELASTIC, refusal
from specgen.schedulers.selectors import meets, requirements
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from specgen.schedulers.jobs import Job, Unit
    from specgen.schedulers.kueue.flavors import Assignment, Share
    from specgen.schedulers.kueue.podsets import PodSet
    from specgen.schedulers.kueue.quota import Of
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation

GATE = KUEUE + "topology"
_GATED = KUEUE + "admission-gated-by"
_ROUNDS = 10_000


class Workload:
    """A job as Kueue sees it. ``order``: when it came; ``since``: when it got its quota."""

    def __init__(self, job: Job | Standing, sets: list[PodSet], queue_name: str, priority: int, order: int) -> None:
        self.job = job
        self.sets = sets
        self.queue_name = queue_name
        self.priority = priority
        self.order = order
        self.since = 0
        self.active = True
        self.finished = False
        self.given: Assignment | None = None
        # what it had until it ended
        self.ended: Assignment | None = None
        # its ClusterQueue, once it is known
        self.queue = Queue({})
        # type → (status, reason, message)
        self.conditions: dict[str, tuple[str, str, str]] = {}
        # looked at, and not again before something happens
        self.rests = False
        self.tried: list[dict[str, int]] = []
        self.manager: Manager
        # why what becomes of it is not known
        self.unknown = ""
        self._used: tuple[Assignment, dict[Of, int]] | None = None
        # (state of the queues, why nobody looks at it)
        self.checked: tuple[int, tuple[str, str] | None] = (-1, None)
        # what stood in its way when it was looked at last
        self.looked: Assignment | None = None

    def usage(self) -> dict[Of, int]:
        """(flavor, resource) → what it holds."""
        if self.given is None:
            return {}
        if self._used is None or self._used[0] is not self.given:
            self._used = (self.given, self.given.usage())
        return self._used[1]

    def count(self, sign: int) -> None:
        """Adds what it holds to its queue and its domains, or takes it away."""
        for of, amount in self.usage().items():
            if sign > 0:
                self.queue.add(of, amount)
            else:
                self.queue.take(of, amount)
        for share in self.given.shares if self.given is not None else ():
            topology = self.manager.topology_of(share)
            if topology is not None and share.domains is not None:
                topology.use(share.domains, share.pods.asks, sign)

    def say(self, kind: str, status: bool, reason: str, message: str) -> None:
        """Sets a condition."""
        self.conditions[kind] = ("True" if status else "False", reason, message)


class Manager:
    """Kueue before a simulation. ``excluded``: prefixes of resources that are not counted."""

    def __init__(self, simulation: Simulation, *, excluded: Sequence[str] = ()) -> None:
        self.simulation = simulation
        self.excluded = list(excluded)
        self.workloads: dict[str, Workload] = {}
        self.queues: dict[str, Queue] = {}
        self.flavors: dict[str, Flavor] = {}
        self.topologies: dict[str, Topology] = {}
        self.evicted: list[tuple[Workload, Workload]] = []
        # what is used of queues whose Workloads are not known
        self._drained: list[str] = []
        self.nobody: dict[str, dict[Of, int]] = {}
        self._clock = self._version = 0
        # the same queues and nodes, of which nobody holds anything, once somebody asked for them
        self.alone: Manager | None = None
        simulation.steer = self._steer
        self.refresh()

    # the world

    def refresh(self) -> None:
        """Reads queues, flavors and topologies anew; all who wait are looked at again."""
        self._version += 1
        objects = self.simulation.objects
        self.queues = tree_of(objects)
        self.flavors = {flavor.name: flavor for flavor in (Flavor(tree) for tree in objects.of("ResourceFlavor"))}
        self._drained = [queue.name for queue in self.queues.values() if queue.spec.get("stopPolicy") == "HoldAndDrain"]
        self._hosts()
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
        from specgen.schedulers.kueue.standing import held, standing, used_by_nobody

        objects = self.simulation.objects
        for tree in standing(objects):
            spec = mapping(tree.get("spec"))
            sets, given = held(tree, objects)
            self._clock += 1
            job = Standing(tree)
            workload = Workload(job, sets, str(spec.get("queueName") or ""), _whole(spec.get("priority")), self._clock)
            workload.manager = self
            workload.active = spec.get("active") is not False
            name = str(mapping(mapping(tree.get("status")).get("admission")).get("clusterQueue"))
            if given is not None and name in self.queues:
                workload.given, workload.queue, workload.since = given, self.queues[name], self._clock
            elif given is not None:
                continue
            self.workloads[job.id] = workload
        if next(objects.of("Workload"), None) is None:
            self.nobody = {name: used_by_nobody(queue.tree) for name, queue in self.queues.items()}
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

    def _hosts(self) -> None:
        objects = self.simulation.objects
        self.topologies = {}
        levels: dict[str, list[str]] = {}
        for tree in objects.of("Topology"):
            entries = sequence(mapping(tree.get("spec")).get("levels"))
            name = str(mapping(tree.get("metadata")).get("name"))
            levels[name] = [str(mapping(one).get("nodeLabel")) for one in entries]
        made = [flavor for flavor in self.flavors.values() if flavor.topology in levels]
        if not made:
            return
        hosts = self._nodes()
        for flavor in made:
            topology = Topology(flavor.topology, levels[flavor.topology], list(flavor.tolerations))
            for host in hosts:
                if selected(host.labels, dict(flavor.labels)):
                    topology.add(host)
            self.topologies[flavor.name] = topology

    def _nodes(self) -> list[Host]:
        """All nodes, with what pods use on them that no topology has placed."""
        simulation = self.simulation
        hosts = {}
        for group in simulation.groups:
            for at in range(group.count):
                name = group.names[at]
                nodes = simulation.changed.get(name, group)
                ready = not nodes.unschedulable and nodes.conditions.get("Ready", "True") == "True"
                labels = {HOSTNAME: name, **nodes.labels}
                hosts[name] = Host(name, labels, nodes.allocatable, nodes.taints, ready=ready)
        placed = {
            workload.job.workload if isinstance(workload.job, Standing) else workload.job.id
            for workload in self.workloads.values()
            if workload.given is not None and any(share.domains is not None for share in workload.given.shares)
        }
        for pod in simulation.pods:
            if (
                pod.node is not None
                and not pod.done
                and (pod.job or workload_of(pod)) not in placed
                and pod.node.name in hosts
            ):
                used = hosts[pod.node.name].used
                for name, amount in {**pod.sort.asks, "pods": 10**9}.items():
                    used[name] = used.get(name, 0) + amount
        return list(hosts.values())

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
        workload.manager = self
        annotations = mapping(mapping(job.tree.get("metadata")).get("annotations"))
        if str(annotations.get(ELASTIC)).lower() == "true":
            workload.unknown = "what Kueue does with an elastic job is not known here"
        for pods in workload.sets:
            if CONSTRAINTS in mapping(mapping(pods.template.get("metadata")).get("annotations")):
                workload.unknown = f"slices within slices (`{CONSTRAINTS}`) are not counted here"
        self.workloads[job.id] = workload

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
        if _priority_of(job.tree) and not _priority_of(tree) and workload.given is not None:
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
            return None if found is None else _whole(found.get("value"))
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
            return None if found is None else _whole(found.get("value"))
        default = [tree for tree in objects.of("PriorityClass") if tree.get("globalDefault") is True]
        return min((_whole(tree.get("value")) for tree in default), default=0)

    def topology_of(self, share: Share) -> Topology | None:
        """The topology of the flavor that pods have."""
        for given in share.flavors.values():
            if given.flavor in self.topologies:
                return self.topologies[given.flavor]
        return None

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

    def _follow(self) -> bool:
        """Jobs that have ended give their quota back, those of stopped queues are evicted."""
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
            made, victims = self._nominate(head, queue)
            heads.append((head, made, victims))
        heads.sort(key=lambda one: (one[1].borrow, -one[0].priority, one[0].order))
        reserved: list[tuple[Queue, Of, int]] = []
        for head, made, victims in heads:
            usage = made.usage()
            if made.mode == NO_FIT:
                again = self._wait(head, made) or again
            elif made.mode == FIT:
                if not self._still(head, made):
                    again = True  # somebody was faster: it is looked at again
                    continue
                self._admit(head, made)
                again = True
            elif victims:
                for victim in victims:
                    self._evict(victim.held, head, victim.reason)
                self.wake()
                again = True
            else:
                again = self._wait(head, made) or again
                for of, amount in usage.items():
                    room = head.queue.subtree.get(of, 0) - head.queue.used.get(of, 0)
                    keep = max(0, min(amount, room))
                    if keep and made.borrow == 0:
                        head.queue.add(of, keep)
                        reserved.append((head.queue, of, keep))
        for queue, of, amount in reserved:
            queue.take(of, amount)
        return again

    def _waiting(self) -> list[tuple[Queue, list[Workload]]]:
        """Who waits in each queue, in order, whose head may be looked at now."""
        by_queue: dict[str, list[Workload]] = {}
        for workload in self.workloads.values():
            if workload.given is not None or workload.finished or not workload.active or workload.unknown:
                continue
            if workload.checked[0] != self._version:
                workload.checked = (self._version, self._inactive(workload))
            why = workload.checked[1]
            if why:
                workload.say("QuotaReserved", False, *why)
                continue
            if workload.rests and not workload.queue.strict:
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

    def _inactive(self, workload: Workload) -> tuple[str, str] | None:
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

    def inactive(self, queue: Queue) -> str:
        """Why a queue takes nobody."""
        objects = self.simulation.objects
        if queue.spec.get("stopPolicy", "None") != "None":
            return "it is stopped"
        for _, names in queue.groups:
            for name in names:
                if name not in self.flavors:
                    return f"there is no ResourceFlavor `{name}`"
                topology = self.flavors[name].topology
                if topology and objects.named("Topology", topology) is None:
                    return f"there is no Topology `{topology}`"
        for check in self.checks(queue):
            if objects.named("AdmissionCheck", check) is None:
                return f"there is no AdmissionCheck `{check}`"
        return ""

    @staticmethod
    def checks(queue: Queue) -> list[str]:
        """Admission checks of a queue."""
        listed = sequence(mapping(queue.spec.get("admissionChecksStrategy")).get("admissionChecks"))
        return [
            *(str(one) for one in sequence(queue.spec.get("admissionChecks"))),
            *(str(mapping(one).get("name")) for one in listed),
        ]

    def _nominate(self, head: Workload, queue: Queue) -> tuple[Assignment, list[Any]]:
        """(what it would get, who would be evicted for it)."""
        from specgen.schedulers.kueue.flavors import Assignment

        namespaces = requirements(queue.spec.get("namespaceSelector"))
        said = ""
        if not meets(self._labels(head.job.namespace), namespaces):
            said = "workload namespace doesn't match ClusterQueue selector"
        elif bad := _validation(head.sets):
            said = f"resources validation failed: {bad}"
        if said:
            return Assignment(said), []
        if head.given is None and any(check for check in self.checks(queue)):
            head.unknown = f"the admission checks {', '.join(self.checks(queue))} decide outside of the cluster"
            return Assignment(), []
        counts = [pods.count for pods in head.sets]
        made, victims = self._assign(head, queue, counts)
        if made.mode == FIT or victims or all(pods.least is None for pods in head.sets):
            return made, victims
        low, high = sum(pods.least if pods.least is not None else pods.count for pods in head.sets), sum(counts)
        best: tuple[Assignment, list[Any]] | None = None
        while low < high:
            middle = (low + high) // 2
            tried = self._assign(head, queue, _fewer(head.sets, middle))
            if tried[0].mode == FIT or tried[1]:
                best, low = tried, middle + 1
            else:
                high = middle
        return best or (made, victims)

    def _labels(self, namespace: str) -> dict[str, str]:
        tree = self.simulation.objects.named("Namespace", namespace)
        labels = mapping(mapping(mapping(tree).get("metadata")).get("labels"))
        return {"kubernetes.io/metadata.name": namespace, **{str(key): str(value) for key, value in labels.items()}}

    def _assign(self, head: Workload, queue: Queue, counts: list[int]) -> tuple[Assignment, list[Any]]:
        evicts = queue.policy("withinClusterQueue") != "Never" or queue.policy("reclaimWithinCohort") != "Never"
        held = [one for one in self.workloads.values() if evicts and one.given is not None]

        def ask(of: Of, amount: int) -> tuple[int, int]:
            from specgen.schedulers.kueue.flavors import NO_VICTIMS, PREEMPT, RECLAIM

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

        assigner = Assigner(queue, self.flavors, self.topologies, ask, tried=head.tried, excluded=self.excluded)
        made = assigner.assign(head.sets, counts)
        if made.mode == NO_FIT:
            return made, []
        placed = [share for share in made.shares if assigner.wants_domains(share.pods)]
        if made.mode == FIT:
            failed, why = self.place(placed)
            if failed is not None:
                failed.reasons.append(why)
                _worse(failed, 2)
        if made.mode not in (NO_FIT, FIT) and placed:
            failed, why = self.place(placed, empty=True)
            for share in placed:
                share.domains = None
            if failed is not None:
                _worse(failed, NO_FIT)
                return made, []
            for share in placed:
                _worse(share, 2)
        if made.mode in (NO_FIT, FIT):
            return made, []
        needed = [
            (given.flavor, name) for share in made.shares for name, given in share.flavors.items() if given.mode != FIT
        ]

        def fits() -> bool:
            failed, _ = self.place(placed)
            for share in placed:
                share.domains = None
            return failed is None

        own = Preemptor(queue, head.priority, head.order, made.usage(), needed)
        return made, own.victims(held, fits)

    def place(self, shares: Sequence[Share], *, empty: bool = False) -> tuple[Share | None, str]:
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
            topology = self.topology_of(workers)
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

    def _still(self, head: Workload, made: Assignment) -> bool:
        """Whether there is still room, after others of the same turn."""
        if any(amount > max(0, head.queue.left(of)) for of, amount in made.usage().items()):
            return False
        placed = [share for share in made.shares if share.domains is not None]
        if placed:
            before = [share.domains for share in placed]
            failed, _ = self.place(placed)
            for share, domains in zip(placed, before, strict=True):
                if failed is None and share.domains != domains:
                    return True  # other domains than before, but there are some
        return True

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

    # pods

    def _steer(self, job: Job, unit: Unit, key: str, tree: dict[str, Any]) -> dict[str, Any]:
        """A pod of an admitted job: with what its flavor brings, and held in its domain."""
        workload = self.workloads.get(job.id)
        if workload is None or workload.given is None:
            return tree
        name = "main" if job.kind == "Job" else unit.role
        share = next((one for one in workload.given.shares if one.pods.name == name), None)
        if share is None:
            return tree
        spec = dict(mapping(tree.get("spec")))
        selector = dict(mapping(spec.get("nodeSelector")))
        for flavor in dict.fromkeys(given.flavor for given in share.flavors.values()):
            own = self.flavors[flavor]
            selector |= own.labels
            if own.tolerations:
                spec["tolerations"] = [*sequence(spec.get("tolerations")), *own.tolerations]
        topology = self.topology_of(share)
        if share.domains is not None and topology is not None:
            rank = self._rank(job, unit, key)
            for values, count in share.domains:
                if rank < count:
                    keys = topology.levels[-len(values) :]
                    selector |= dict(zip(keys, values, strict=True))
                    break
                rank -= count
            else:
                spec["schedulingGates"] = [*sequence(spec.get("schedulingGates")), {"name": GATE}]
        if selector:
            spec["nodeSelector"] = selector
        return {**tree, "spec": spec}

    @staticmethod
    def _rank(job: Job, unit: Unit, key: str) -> int:
        from specgen.operators.jobset.pods_of_jobs import pods_each

        if unit.child is None:
            return next(at for at, (own, _) in enumerate(unit.pods) if own == key)
        last = key.rpartition("-")[2]
        before = [one for one in job.units if one.role == unit.role]
        return sum(pods_each(one.spec) for one in before[: before.index(unit)]) + (int(last) if last.isdigit() else 0)


def _priority_of(tree: dict[str, Any]) -> str:
    return str(mapping(mapping(tree.get("metadata")).get("labels")).get(KUEUE_PRIORITY) or "")


def workload_of(pod: Pod) -> str:
    """The Workload that a pod which stands there already belongs to."""
    return str(mapping(mapping(pod.tree.get("metadata")).get("annotations")).get(KUEUE + "workload") or "")


def queue_of(tree: dict[str, Any], simulation: Simulation) -> str:
    """The LocalQueue of a job; empty: Kueue leaves it alone."""
    metadata = mapping(tree.get("metadata"))
    if tree.get("kind") not in KINDS:
        return ""
    named = str(mapping(metadata.get("labels")).get(KUEUE_QUEUE) or "")
    namespace = str(metadata.get("namespace") or "default")
    if not named and simulation.objects.named("LocalQueue", "default", namespace) is not None:
        return "default"
    return named


def suspended(tree: dict[str, Any], queue: str) -> dict[str, Any]:
    """A job as its queue keeps it waiting."""
    metadata = mapping(tree.get("metadata"))
    labels = {**mapping(metadata.get("labels")), KUEUE_QUEUE: queue}
    return {**tree, "metadata": {**metadata, "labels": labels}, "spec": _switched(tree, on=True)}


def resumed(tree: dict[str, Any], made: Assignment) -> dict[str, Any]:
    """A job as its queue lets it begin."""
    spec = _switched(tree, on=False)
    if tree.get("kind") == "Job" and made.shares and made.shares[0].count < made.shares[0].pods.count:
        from specgen.schedulers.kueue.podsets import COMPLETIONS_FOLLOW

        spec["parallelism"] = made.shares[0].count
        marks = mapping(mapping(tree.get("metadata")).get("annotations"))
        if str(marks.get(COMPLETIONS_FOLLOW)) == "true":
            spec["completions"] = made.shares[0].count
    return {**tree, "spec": spec}


def _switched(tree: dict[str, Any], *, on: bool) -> dict[str, Any]:
    spec = dict(mapping(tree.get("spec")))
    if tree.get("kind") in ("Job", "JobSet", "TrainJob"):
        spec["suspend"] = on
    else:
        spec["runPolicy"] = {**mapping(spec.get("runPolicy")), "suspend": on}
    return spec


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


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
