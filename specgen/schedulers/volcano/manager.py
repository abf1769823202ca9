"""Volcano's two gates: a PodGroup comes into the queue by its minResources, then all of a gang find nodes, or none.

Volcano 1.15, pkg/scheduler/plugins/{overcommit,proportion,capacity,gang,network-topology-aware}, actions/{enqueue,
allocate}; of preempt and reclaim it is said who might have to go. Recorded in worlds of ``schedulers/volcano``.

What gangs have is counted once, and kept up while pods are given nodes (``books``).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import asked
from specgen.operators.queues import VOLCANO, VOLCANO_GROUP, VOLCANO_LEAST, VOLCANO_QUEUE, VOLCANO_TOPOLOGY
from specgen.quantity import NANO, canonical
from specgen.schedulers.gangs import Group, over, place, total
from specgen.schedulers.jobs import UNORDERED
from specgen.schedulers.sums import Above, Short
from specgen.schedulers.volcano.books import INQUEUE, RUNNING, Books
from specgen.schedulers.volcano.configuration import Configuration
from specgen.schedulers.volcano.hypernodes import HyperNodes
from specgen.schedulers.volcano.queues import OWN, ROOT, Queues
from specgen.schedulers.volcano.webhook import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kube.state import State
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation

PENDING, UNKNOWN = "Pending", "Unknown"
API = "scheduling.volcano.sh/"
# Kinds whose operator makes pods before the PodGroup is in the queue.
_AT_ONCE = ("MPIJob", "TrainJob")
# Kinds whose pods all have their number as the end of their name, by which they are ordered: the first of each role,
# then the second (pkg/scheduler/api/helpers, CompareTask).
_NUMBERED = (*UNORDERED, "Job")
# More of a resource than any job asks for.
_ENOUGH = 10**40
# What shares may be off by: Volcano takes a tenth of a thousandth for nothing (api/resource_info.go).
_ROUNDED = NANO // 10_000
# The task of a pod, as its operator writes it.
_TASK = "volcano.sh/task-spec"
# Annotations of a batch Job, and of its pods, that say what its PodGroup is like.
_MODE, _TIER = VOLCANO_TOPOLOGY


class Manager:
    """Volcano before a simulation, which leaves pods of other schedulers alone."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.groups: dict[str, Group] = {}
        # job → why it never gets pods
        self.stuck: dict[str, str] = {}
        # job → why its PodGroup was refused; recorded: the operator does not try again when a queue appears
        self._lost: dict[str, str] = {}
        self._clock = 0
        # how often a group went on, and when each was last looked at
        self._moves = 0
        self._looked: dict[Group, tuple[State, int, int]] = {}
        # how often what a gang may have grew without a pod that went
        self._eased = 0
        # groups that have no pod that may get a node while nothing eases, and the last pod that was made by then
        self._resting: set[Group] = set()
        self._resting_at: tuple[Any, ...] = ()
        self.configuration = Configuration(simulation.objects)
        self.queues = Queues(simulation.objects, hierarchy=self.configuration.hierarchy)
        self._seen: tuple[int, ...] = ()
        self._kept: Books | None = None
        self._kept_at: tuple[Any, ...] = ()
        self.hypernodes = HyperNodes(simulation) if self.configuration.topology else None

    def submit(self, tree: dict[str, Any]) -> Job:
        """A job is created; where its operator makes a PodGroup, its pods wait for that."""
        job = self.simulation.submit(tree)
        if not job.refused and (tree.get("apiVersion"), job.kind) == ("batch/v1", "Job"):
            self._own(job, tree, job.id)
        if job.refused or job.expansion is None:
            return job
        if job.kind == "JobSet":
            for unit in job.units:
                self._own(job, unit.child or {}, unit.name, unit.name)
        self._refresh()
        if str(tree.get("apiVersion")).startswith("batch.volcano.sh/"):
            said = self._barred(str(mapping(tree.get("spec")).get("queue") or "default"))
            if said:
                job.refused, job.refused_by = said, "the webhook of Volcano"
                del self.simulation.jobs[job.id]
                return job
        for other in job.expansion.others:
            if other.get("kind") == "PodGroup" and str(other.get("apiVersion")).startswith(API):
                self._clock += 1
                group = self.groups[job.id] = Group(other, job, self._clock)
                group.priority = self._priority(group)
                lost = self.refused(group)
                if lost and job.kind not in _AT_ONCE:
                    self._lost[job.id] = lost
                if lost or job.kind not in _AT_ONCE:
                    job.suspended = True
                called = str(mapping(tree.get("spec")).get("priorityClassName") or "")
                own = called and str(tree.get("apiVersion")).startswith("batch.volcano.sh/")
                objects = self.simulation.objects
                if own and objects.named("PriorityClass", called) is None and objects.knows("PriorityClass"):
                    self.stuck[job.id] = f"there is no PriorityClass `{called}`, and without it no pod"
        return job

    def _own(self, job: Job, tree: dict[str, Any], called: str, unit: str = "") -> None:
        """The PodGroup that Volcano makes for the pods of a batch Job, of a JobSet also, that name it and no group.

        pkg/controllers/podgroup/pg_controller_handler.go: a gang of one, unless an annotation of the Job says more.
        """
        template = mapping(mapping(tree.get("spec")).get("template"))
        pod, said = mapping(template.get("spec")), mapping(mapping(template.get("metadata")).get("annotations"))
        if pod.get("schedulerName") != VOLCANO or said.get(VOLCANO_GROUP):
            return
        least = str(mapping(mapping(tree.get("metadata")).get("annotations")).get(VOLCANO_LEAST) or "")
        count = int(least) if least.isascii() and least.isdecimal() and len(least) < 10 else 1
        asks = {name: canonical(amount * count) for name, amount in asked(pod).items()}
        asks |= {f"requests.{name}": amount for name, amount in asks.items()}
        asks |= {"pods": str(count), "count/pods": str(count)}
        spec: dict[str, Any] = {"minMember": count, "minResources": asks, "queue": said.get(VOLCANO_QUEUE)}
        spec["priorityClassName"] = pod.get("priorityClassName")
        tier = str(said.get(_TIER) or "")
        if said.get(_MODE) or tier:
            spec["networkTopology"] = {"mode": said.get(_MODE) or "hard"}
            if tier.isascii() and tier.isdecimal():
                spec["networkTopology"]["highestTierAllowed"] = int(tier)
        self._clock += 1
        name = f"podgroup-of-{called}"
        metadata = {"name": name, "namespace": job.namespace}
        group = self.groups[name] = Group({"metadata": metadata, "spec": spec}, job, self._clock, unit)
        group.priority = self._priority(group)

    def _priority(self, group: Group) -> int:
        found = self.simulation.objects.named("PriorityClass", str(group.spec.get("priorityClassName") or ""))
        value = mapping(found).get("value")
        return value if isinstance(value, int) else 0

    def _refresh(self) -> None:
        """Looks at the queues anew, where they have changed."""
        objects = self.simulation.objects
        seen = tuple(id(tree) for kind in ("Queue", "Command") for tree in objects.of(kind))
        if seen != self._seen:
            self._seen = seen
            self.queues = Queues(objects, hierarchy=self.configuration.hierarchy)
            self._moves += 1
            self._eased += 1
            self._kept = None

    def rest(self) -> None:
        """Brings all to rest."""
        simulation = self.simulation
        self._refresh()
        self._by_hand()
        for _ in range(1_000):
            simulation.rest()
            for name in [name for name, group in self.groups.items() if group.job is not None and over(group.job)]:
                del self.groups[name]
                self._moves += 1
                self._eased += 1
                self._kept = None
            self._awake()
            moved = self._enqueue()
            simulation.rest()
            moved = self._cycle() or moved
            if not moved:
                break
        for group in self.groups.values():
            if group.phase != RUNNING and any(
                pod.node is not None and pod.sort.scheduler != VOLCANO for pod in self.pods(group)
            ):
                self._goes(group, UNKNOWN)  # another scheduler has bound its pods

    def _awake(self) -> None:
        """Looks again at gangs to which something has happened, or all where pods went.

        A gang that ran and has lost all of its pods waits for a place in the queue again.
        """
        state, pods = self.simulation.cluster.state, self.simulation.pods
        here = (state, state.freed, self._eased, pods[-1].born if pods else 0)
        if self._resting_at[:3] != here[:3]:
            self._resting.clear()
            for group in self.groups.values():
                own = self.pods(group) if group.phase == RUNNING else []
                if group.phase == RUNNING and not any(pod.node is not None or pod.done for pod in own):
                    self._goes(group, PENDING)
        elif self._resting_at != here:
            for pod in reversed(pods):
                if pod.born <= self._resting_at[3]:
                    break
                self._resting.discard(self.groups[pod.job]) if pod.job in self.groups else None
        self._resting_at = here

    def _enqueue(self) -> bool:
        """Lets PodGroups into the queue that their sums allow; whether one came in."""
        moved = False
        waiting = [group for group in self.groups.values() if group.phase == PENDING]
        for group in self._ordered(waiting):
            # what keeps it out is as it was while no pod, and no other group, has moved on
            if self._looked.get(group) != self._now:
                self._looked[group] = self._now
                group.said = self._kept_out(group)
            if not group.said:
                self._goes(group, INQUEUE)
                moved = True
                if group.job is not None and group.job.id not in self.stuck:
                    self.simulation.resume(group.job)
        return moved

    def _ordered(self, groups: list[Group]) -> list[Group]:
        """Gangs by the share of their queue, then their priority, their own share, and their age.

        Of queues of one share the older one comes first, and of those that were made in one second any.
        """
        if len(groups) < 2:
            return groups
        books, priorities = self._books, self.queues.priorities
        places = self.queues.places(dict.fromkeys(group.queue for group in groups), last=self.simulation.reverse)

        def rank(group: Group) -> tuple[Any, ...]:
            ready = group.phase == RUNNING
            own = books.own_share(group) if ready else 0.0
            queue = group.queue
            return books.share(queue), -priorities.get(queue, 0), places[queue], -group.priority, ready, own, group.born

        return sorted(groups, key=rank)

    def _cycle(self) -> bool:
        """Gives nodes to gangs, each in its turn; whether one got one.

        A gang that is ready stands back for the next pod of it (actions/allocate), so that queues, and gangs of one
        queue, get the rest one after the other.
        """
        self._awake()
        waiting = [
            group
            for group in self.groups.values()
            if group.phase in (INQUEUE, RUNNING) and group not in self._resting and not self._rests(group)
        ]
        moved = False
        while waiting:
            for group in self._ordered(waiting):
                if self._allocate(group):
                    moved = True
                    break  # its share, and that of its queue, are others now
                waiting.remove(group)
        return moved

    def _rests(self, group: Group) -> bool:
        """Whether all pods of a gang have a node; those of one by hand may be anybody's, and are looked at anew."""
        own = self.pods(group)
        if group.job is None or not own or any(pod.node is None for pod in own):
            return False
        self._resting.add(group)
        return True

    def ends(self, group: Group) -> tuple[int, Pod | None]:
        """How many pods a gang has, and the last of them."""
        if group.job is not None and not group.unit:
            return self.simulation.ends(group.job.id)
        own = self.pods(group)
        return len(own), own[-1] if own else None

    @property
    def _now(self) -> tuple[State, int, int]:
        state = self.simulation.cluster.state
        return state, state.version, self._moves

    def _by_hand(self) -> None:
        """PodGroups that somebody made, or that stand there already, whose pods name them."""
        for tree in self.simulation.objects.of("PodGroup"):
            metadata = mapping(tree.get("metadata"))
            namespace, name = str(metadata.get("namespace") or "default"), str(metadata.get("name"))
            name = name if namespace == "default" else f"{namespace}/{name}"
            phase = mapping(tree.get("status")).get("phase")
            if str(tree.get("apiVersion")).startswith(API) and name not in self.groups and phase != "Completed":
                self._clock += 1
                group = self.groups[name] = Group(tree, None, self._clock)
                group.priority = self._priority(group)
                runs = [pod for pod in self.pods(group) if pod.node is not None]
                if runs and len(runs) >= group.least:
                    group.phase = RUNNING
                elif phase == INQUEUE:
                    group.phase = INQUEUE

    def pods(self, group: Group) -> list[Pod]:
        """The pods of a gang."""
        if group.job is not None:
            own = self.simulation.of(group.job.id)
            return [pod for pod in own if pod.unit == group.unit] if group.unit else own
        return [
            pod
            for pod in self.simulation.pods
            if pod.namespace == group.namespace
            and mapping(mapping(pod.tree.get("metadata")).get("annotations")).get(VOLCANO_GROUP) == group.name
        ]

    @property
    def _books(self) -> Books:
        """What gangs have now."""
        state, pods = self.simulation.cluster.state, self.simulation.pods
        here = (state, state.version, len(pods), pods[-1].born if pods else 0)
        if self._kept is None or self._kept_at[:2] != here[:2] or here[2] < self._kept_at[2]:
            self._kept = Books(self)
        elif self._kept_at != here:
            self._kept.look()
        self._kept_at = here
        return self._kept

    def _goes(self, group: Group, phase: str) -> None:
        """A PodGroup comes into another phase."""
        books = self._books
        group.phase = phase
        self._moves += 1
        books.touch(group)

    def _kept_out(self, group: Group) -> str:
        """Why a PodGroup does not come into the queue."""
        refused = self.refused(group)
        if refused or not self.configuration.gate:
            return refused
        books, queues = self._books, self.queues
        whole = self.whole(group.sum)
        for name in sorted(group.sum) if self.configuration.factor else ():
            asked = group.sum[name] + books.promised.get(name, 0) + books.taken.get(name, 0)
            if asked * NANO > whole.get(name, 0) * self.configuration.factor:
                return f"resource in cluster is overused: overused {name}"
        if self.configuration.hierarchy and (group.queue == ROOT or queues.holds_others(group.queue)):
            return f"the queue {group.queue} has queues below it, and takes no job itself"
        for queue in queues.up(group.queue):
            has = queues.capability(queue, whole)
            below = [books.counted[one] for one in queues.below(queue) if one in books.counted]
            for name in sorted(group.sum):
                asked = group.sum[name] + sum(one.get(name, 0) for one in below)
                if asked > has.get(name, 0):
                    where = "" if queue == group.queue else f" in the queue {queue} above it"
                    return f"queue resource quota insufficient: insufficient {name}{where}"
        return ""

    def _barred(self, queue: str) -> str:
        """Why Volcano's webhook stores no Job of a queue (admission/jobs/validate)."""
        objects, queues = self.simulation.objects, self.queues
        if not queues.known(queue):
            return f"unable to find job queue: queue `{queue}`" if objects.knows("Queue") else ""
        if refusal(queue, objects):
            return f"unable to find job queue: queue `{queue}`"
        state = queues.state(queue)
        if state != "Open":
            return f"can only submit job to queue with state `Open`, queue `{queue}` status is `{state}`"
        below = queues.below_it(queue)
        return f"can only submit job to leaf queue, queue `{queue}` has {below} child queues" if below else ""

    def group_of(self, job: Job) -> Group | None:
        """The PodGroup of a job before it has pods: its operator's, or the one of somebody's that all its pods name."""
        if job.id in self.groups:
            return self.groups[job.id]
        self._by_hand()
        named = {
            (pod.namespace, mapping(mapping(pod.tree.get("metadata")).get("annotations")).get(VOLCANO_GROUP))
            for _, _, pod in self.simulation.first(job)
            if pod.sort.scheduler == VOLCANO
        }
        found = [one for one in self.groups.values() if named == {(one.namespace, one.name)}]
        return found[0] if found else None

    def above(self, group: Group, job: Job) -> Above | None:
        """What a gang asks of its queue that the queue never has, whoever else is away; None: nothing.

        Asked is what its PodGroup says, or what as many pods as begin together are themselves, if that is more.
        """
        asks = dict(group.sum)
        pods = [(pod.sort.asks, count) for _, count, pod in self.simulation.first(job)]
        for name in {name: None for each, _ in pods for name in each}:
            # the least that so many pods may ask for
            amounts = sorted(each.get(name, 0) for each, count in pods for _ in range(min(count, group.least)))
            asks[name] = max(asks.get(name, 0), sum(amounts[: group.least]))
        for queue in self.queues.up(group.queue):
            has = self.queues.capability(queue, dict.fromkeys(asks, _ENOUGH))
            for name in sorted(asks, key=lambda one: ("/" not in one, one)):
                if asks[name] > has[name]:
                    roles = [unit.role for unit in job.units if unit.count]
                    return Above(queue, list(dict.fromkeys(roles)), [Short("", name, asks[name], 0, max(has[name], 0))])
        return None

    def whole(self, names: Iterable[str]) -> dict[str, int]:
        """What all nodes have together; of what nobody speaks of there may be any amount."""
        return total(self.simulation) | {name: _ENOUGH for name in names if self.simulation.unsaid(name)}

    def refused(self, group: Group) -> str:
        """Why the PodGroup itself is not accepted, so that nothing ever happens to the job."""
        if group.job is not None and group.job.id in self._lost:
            return self._lost[group.job.id]
        if not self.queues.known(group.queue):
            return f"there is no queue `{group.queue}`, and without it no PodGroup"
        said = refusal(group.queue, self.simulation.objects) if group.queue not in OWN else ""
        if said:
            return f"the queue `{group.queue}` is refused: {said}"
        state = self.queues.state(group.queue)
        return "" if state == "Open" else f"the queue `{group.queue}` is {state}"

    def _allocate(self, group: Group) -> bool:
        """Gives nodes to as many pods of a gang as begin together, or to the next one; whether one got one."""
        own = self.pods(group)
        waiting = [pod for pod in own if pod.node is None and not pod.done and pod.sort.scheduler == VOLCANO]
        if not waiting:
            return False
        if group.job is not None and group.job.kind in _NUMBERED:
            waiting.sort(key=_turn)
        waiting.sort(key=lambda pod: not pod.sort.asks)  # those that ask for nothing come last (actions/backfill)
        bound = [pod for pod in own if pod.node is not None]
        roles = {str(name): least for name, least in mapping(group.spec.get("minTaskMember")).items()}
        whole = sum(value for value in roles.values() if isinstance(value, int))
        empty = [pod for pod in waiting if not pod.sort.asks]

        def enough(placed: list[Pod]) -> bool:
            # pods that ask for nothing count as ready while they wait
            here = [*bound, *placed, *(pod for pod in empty if pod not in placed)]
            if len(here) < group.least:
                return False
            if within is not None and len(here) < len(own):
                return False  # recorded: a hard topology takes all pods that there are, whatever the least
            if group.least < whole:
                return True
            return all(
                sum(pod.role == role for pod in here) >= least
                for role, least in roles.items()
                if isinstance(least, int)
            )

        self._tell_apart(waiting)
        books = self._books
        moved: list[Pod] = []
        full: list[str] = []
        why, within = "", None
        for within in self._domains(group, bound):
            moved, why = place(
                self.simulation,
                waiting,
                enough,
                self._allowed(group, waiting, full, books),
                within,
                stops=True,
                remembers=self._remembers(waiting),
            )
            if moved:
                break
        if within is not None and not moved:
            why = f"no HyperNode of tier {self.tier(group)} or below has room for all of them"
        if not why and full:
            why = f"the queue {group.queue} has no room for more {full[0]}"
        group.said = why
        books.shift(group, moved)
        state = self.simulation.cluster.state
        self._kept_at = (state, state.version, *self._kept_at[2:])
        # those that ask for nothing do not run before they have a node
        if moved and group.phase != RUNNING and sum(pod.node is not None for pod in own) >= group.least:
            self._goes(group, RUNNING)
        if not moved and group.job is not None and not any(pod.sort.constraints or pod.sort.affinity for pod in own):
            self._resting.add(group)  # of pods that follow others one may be what it waits for
        return bool(moved)

    def _allowed(
        self, group: Group, waiting: list[Pod], full: list[str], books: Books
    ) -> Callable[[Pod, list[Pod]], bool]:
        """Whether the queue of a gang has room for a pod of it beside those that were just placed; else ``full`` grows.

        Of the plugin proportion it has what it deserves, of the plugin capacity what it may have at most.
        """
        names = dict.fromkeys(name for pod in waiting for name in pod.sort.asks)
        cluster = self.whole(names)
        limits: list[tuple[dict[str, int], dict[str, int]]] = []
        for queue in self.queues.up(group.queue):
            below = [books.queues[one] for one in self.queues.below(queue) if one in books.queues]
            has = {name: sum(one.get(name, 0) for one in below) for name in names}
            limits.append((has, self.queues.capability(queue, cluster)))
        if self.configuration.weighed:
            limits.append((dict(limits[0][0]), books.deserved.get(group.queue, {})))
        counted, weighed = 0, len(limits) - 1 if self.configuration.weighed else -1

        def allowed(pod: Pod, placed: list[Pod]) -> bool:
            nonlocal counted
            for one in placed[counted:]:
                for has, _ in limits:
                    for name, amount in one.sort.asks.items():
                        has[name] += amount
            counted = len(placed)
            for at, (has, most) in enumerate(limits):
                for name, amount in pod.sort.asks.items():
                    if amount and has[name] + amount > most.get(name, 0) + _ROUNDED:
                        due = f" ({canonical(most.get(name, 0))} by its weight, beside other queues)"
                        full.append(f"{name}{due if at == weighed else ''}")
                        return False
            return True

        return allowed

    def _tell_apart(self, waiting: list[Pod]) -> None:
        """Where nodes are remembered by name, each must have its own."""
        if self._remembering(waiting):
            groups = self.simulation.groups
            self.simulation.tell_apart({nodes.names[at] for nodes in groups for at in range(nodes.count)})

    def _remembering(self, waiting: list[Pod]) -> bool:
        """Whether another pod can make a node fit that did not: pods that are spread, or follow others."""
        return self.configuration.remembers and any(pod.sort.constraints or pod.sort.affinity for pod in waiting)

    def _remembers(self, waiting: list[Pod]) -> Callable[[Pod], str]:
        """By which name pods share what nodes refused them: their task's, where their operator writes it on them.

        pkg/scheduler/util/predicate_helper.go. Recorded: ``spread-rack``, ``spread-rack-no-predicate-cache``,
        ``spread-rack-mpi``.
        """
        if not self._remembering(waiting):
            return lambda pod: ""
        return lambda pod: str(mapping(mapping(pod.tree.get("metadata")).get("annotations")).get(_TASK) or "")

    def victims(self, group: Group) -> list[str]:
        """The jobs that might lose pods to a gang: no more than these do, and perhaps none.

        Who has its least takes nothing from others of its queue (plugins gang and priority, JobStarving); of queues,
        those that are not ``reclaimable`` lose nothing, nor, by the plugin proportion, those within what they deserve.
        """
        if group.phase == PENDING:
            return []
        actions, found = self.configuration.evicts, []
        books, starving = self._books, group.phase != RUNNING
        for other in self.groups.values():
            if not any(pod.node is not None for pod in self.pods(other)):
                continue
            lower = starving and "preempt" in actions and other.queue == group.queue and other.priority < group.priority
            foreign = "reclaim" in actions and other.queue != group.queue and self._above_its_due(other.queue, books)
            if lower or foreign:
                found.append(other.name if other.job is None else other.job.name)
        return found

    def _above_its_due(self, queue: str, books: Books) -> bool:
        if self.queues.spec(queue).get("reclaimable") is False:
            return False
        if not self.configuration.weighed:
            return True
        deserved = books.deserved.get(queue, {})
        return any(amount > deserved.get(name, 0) for name, amount in books.queues.get(queue, {}).items())

    def tier(self, group: Group) -> int | None:
        """The highest tier whose domains a gang may span; None: none that binds is known. Without a mode it is hard."""
        said = mapping(group.spec.get("networkTopology"))
        if not said or said.get("mode", "hard") != "hard":
            return None
        tier, name = said.get("highestTierAllowed"), said.get("highestTierName")
        if isinstance(tier, int):
            return tier
        return self.hypernodes.tiers.get(str(name)) if name and self.hypernodes is not None else None

    def unfollowed(self, group: Group, pods: int) -> str:
        """What of a gang is not decided here, of which so many pods are wanted; empty: nothing."""
        if self.configuration.other:
            return f"Volcano is configured with `{self.configuration.other}`, which is not decided here"
        if group.spec.get("subGroupPolicy"):
            return "gangs of which parts begin by themselves are not decided here"
        wished = mapping(group.spec.get("networkTopology"))
        if wished and self.hypernodes is not None and wished.get("mode", "hard") == "hard":
            tier, domains = self.tier(group), self.hypernodes.domains
            if tier is not None and domains and domains[0][0] > tier:
                return f"what a topology of tier {tier} comes to, of which there is no HyperNode, is not decided here"
            if tier is None or group.least < pods:
                return "a hard topology without a tier of HyperNodes, or of a part of the pods, is not decided here"
            unread = next((why for at, why in self.hypernodes.unknown if at <= tier), "")
            if unread:
                return unread
        spec = mapping(mapping(group.job.tree if group.job is not None else None).get("spec"))
        tasks = [mapping(one) for one in sequence(spec.get("tasks"))]
        if any(mapping(one.get("dependsOn")).get("iteration") == "any" for one in tasks):
            return "tasks that wait for one of several others are not decided here"
        if any(one.get("partitionPolicy") for one in tasks):
            return "gangs of which parts begin by themselves are not decided here"
        if any(pod.sort.claims for pod in self.pods(group)):
            return "device claims before Volcano are not decided here"
        return ""

    def _domains(self, group: Group, bound: list[Pod]) -> list[frozenset[str] | None]:
        """The nodes of each domain that a gang may be in, lowest tiers first; None: any nodes."""
        tier = self.tier(group)
        if tier is None or self.hypernodes is None or not self.hypernodes.domains:
            return [None]
        taken = {pod.node.name for pod in bound if pod.node is not None}
        return [nodes for own, _, nodes in self.hypernodes.domains if own <= tier and taken <= nodes]


def _turn(pod: Pod) -> tuple[int, int]:
    """What pods of a gang are ordered by: their priority, and their number within their role."""
    number = pod.key.rpartition("-")[2]
    return -pod.sort.priority, int(number) if number.isdecimal() else 0
