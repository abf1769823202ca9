"""Volcano's two gates: a PodGroup comes into the queue by its minResources, then all of a gang find nodes, or none.

Volcano 1.15, pkg/scheduler/plugins/{overcommit,proportion,capacity,gang,network-topology-aware}, actions/{enqueue,
allocate}; of preempt and reclaim it is said who might have to go. Recorded in worlds of ``schedulers/volcano``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import asked
from specgen.operators.queues import VOLCANO, VOLCANO_GROUP, VOLCANO_QUEUE
from specgen.quantity import NANO, canonical, nano
from specgen.schedulers.gangs import Group, over, place, total, used
from specgen.schedulers.sums import Above, Short
from specgen.schedulers.volcano.configuration import Configuration
from specgen.schedulers.volcano.hypernodes import HyperNodes
from specgen.schedulers.volcano.webhook import refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.kube.state import State
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation

PENDING, INQUEUE, RUNNING = "Pending", "Inqueue", "Running"
API = "scheduling.volcano.sh/"
# Kinds whose operator makes pods before the PodGroup is in the queue.
_AT_ONCE = ("MPIJob", "TrainJob")
# More of a resource than any job asks for.
_ENOUGH = 10**40
_ROOT = "root"
# Annotations of a batch Job, and of its pods, that say what its PodGroup is like.
_LEAST = "scheduling.volcano.sh/group-min-member"
_MODE, _TIER = "volcano.sh/network-topology-mode", "volcano.sh/network-topology-highest-tier"
_QUEUES = ("default", "root")


class Manager:
    """Volcano before a simulation, which leaves pods of other schedulers alone."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.groups: dict[str, Group] = {}
        # job → why it never gets pods
        self.stuck: dict[str, str] = {}
        self._clock = 0
        # how often a group went on, and when each was last looked at
        self._moves = 0
        self._looked: dict[Group, tuple[State, int, int]] = {}
        self.configuration = Configuration(simulation.objects)
        self.hypernodes = HyperNodes(simulation) if self.configuration.topology else None

    def submit(self, tree: dict[str, Any]) -> Job:
        """A job is created; where its operator makes a PodGroup, its pods wait for that."""
        job = self.simulation.submit(tree)
        if not job.refused and (tree.get("apiVersion"), job.kind) == ("batch/v1", "Job"):
            self._own(job)
        if job.refused or job.expansion is None:
            return job
        if str(tree.get("apiVersion")).startswith("batch.volcano.sh/"):
            queue = str(mapping(tree.get("spec")).get("queue") or "default")
            state = self.state(queue)
            if state != "Open":
                said = f"can only submit job to queue with state `Open`, queue `{queue}` status is `{state}`"
                job.refused, job.refused_by = said, "the webhook of Volcano"
                del self.simulation.jobs[job.id]
                return job
        for other in job.expansion.others:
            if other.get("kind") == "PodGroup" and str(other.get("apiVersion")).startswith(API):
                self._clock += 1
                group = self.groups[job.id] = Group(other, job, self._clock)
                group.priority = self._priority(group)
                if job.kind not in _AT_ONCE:
                    job.suspended = True
                called = str(mapping(tree.get("spec")).get("priorityClassName") or "")
                own = called and str(tree.get("apiVersion")).startswith("batch.volcano.sh/")
                objects = self.simulation.objects
                if own and objects.named("PriorityClass", called) is None and objects.knows("PriorityClass"):
                    self.stuck[job.id] = f"there is no PriorityClass `{called}`, and without it no pod"
        return job

    def _own(self, job: Job) -> None:
        """The PodGroup that Volcano makes for the pods of a batch Job that name it and no group.

        pkg/controllers/podgroup/pg_controller_handler.go: a gang of one, unless an annotation of the Job says more.
        """
        template = mapping(mapping(job.tree.get("spec")).get("template"))
        pod, said = mapping(template.get("spec")), mapping(mapping(template.get("metadata")).get("annotations"))
        if pod.get("schedulerName") != VOLCANO or said.get(VOLCANO_GROUP):
            return
        least = str(mapping(mapping(job.tree.get("metadata")).get("annotations")).get(_LEAST) or "")
        count = int(least) if least.isascii() and least.isdigit() and len(least) < 10 else 1
        asks = {name: canonical(amount * count) for name, amount in asked(pod).items()}
        spec: dict[str, Any] = {"minMember": count, "minResources": asks, "queue": said.get(VOLCANO_QUEUE)}
        spec["priorityClassName"] = pod.get("priorityClassName")
        tier = str(said.get(_TIER) or "")
        if said.get(_MODE) or tier:
            spec["networkTopology"] = {"mode": said.get(_MODE) or "hard"}
            if tier.isascii() and tier.isdigit():
                spec["networkTopology"]["highestTierAllowed"] = int(tier)
        self._clock += 1
        name = f"podgroup-of-{job.id}"
        metadata = {"name": name, "namespace": job.namespace}
        group = self.groups[name] = Group({"metadata": metadata, "spec": spec}, job, self._clock)
        group.priority = self._priority(group)

    def _priority(self, group: Group) -> int:
        found = self.simulation.objects.named("PriorityClass", str(group.spec.get("priorityClassName") or ""))
        value = mapping(found).get("value")
        return value if isinstance(value, int) else 0

    def rest(self) -> None:
        """Brings all to rest."""
        simulation = self.simulation
        self._by_hand()
        for _ in range(1_000):
            simulation.rest()
            moved = False
            for name in [name for name, group in self.groups.items() if group.job is not None and over(group.job)]:
                del self.groups[name]
                self._moves += 1
            for group in self._ordered(PENDING):
                # what keeps it out is as it was while no pod, and no other group, has moved on
                if self._looked.get(group) != self._now:
                    self._looked[group] = self._now
                    group.said = self._kept_out(group)
                if not group.said:
                    group.phase, moved = INQUEUE, True
                    self._moves += 1
                    if group.job is not None and group.job.id not in self.stuck:
                        simulation.resume(group.job)
            simulation.rest()
            for group in [*self._ordered(INQUEUE), *self._ordered(RUNNING)]:
                moved = self._allocate(group) or moved
            if not moved:
                break
        for group in self.groups.values():
            if group.phase != RUNNING and any(
                pod.node is not None and pod.sort.scheduler != VOLCANO for pod in self.pods(group)
            ):
                group.phase = "Unknown"  # another scheduler has bound its pods
                self._moves += 1

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

    def _ordered(self, phase: str) -> list[Group]:
        own = [group for group in self.groups.values() if group.phase == phase]
        return sorted(own, key=lambda group: (-group.priority, group.born))

    def pods(self, group: Group) -> list[Pod]:
        """The pods of a gang."""
        if group.job is not None:
            return self.simulation.of(group.job.id)
        return [
            pod
            for pod in self.simulation.pods
            if pod.namespace == group.namespace
            and mapping(mapping(pod.tree.get("metadata")).get("annotations")).get(VOLCANO_GROUP) == group.name
        ]

    def _kept_out(self, group: Group) -> str:
        """Why a PodGroup does not come into the queue."""
        refused = self.refused(group)
        if refused or not self.configuration.gate:
            return refused
        whole, taken = self._whole(group.sum), used(self.simulation.pods)
        waiting = [one for one in self.groups.values() if one.phase == INQUEUE]
        for name in sorted(group.sum) if self.configuration.factor else ():
            asked = group.sum[name] + sum(one.sum.get(name, 0) for one in waiting)
            if (asked + taken.get(name, 0)) * NANO > whole.get(name, 0) * self.configuration.factor:
                return f"resource in cluster is overused: overused {name}"
        if self.configuration.hierarchy and group.queue in (_ROOT, *self._parents().values()):
            return f"the queue {group.queue} has queues below it, and takes no job itself"
        for queue in self.up(group.queue):
            below = self.below(queue)
            mine = [one for one in self.groups.values() if one.queue in below and one is not group]
            has = self.capability(queue, whole)
            for name in sorted(group.sum):
                asked = group.sum[name]
                for one in mine:
                    own = used(self.pods(one)).get(name, 0)
                    if one.phase == RUNNING:
                        asked += min(own, one.sum.get(name, own))  # what it has above its least is not counted
                    elif one.phase == INQUEUE:
                        asked += one.sum.get(name, 0)
                if asked > has.get(name, 0):
                    where = "" if queue == group.queue else f" in the queue {queue} above it"
                    return f"queue resource quota insufficient: insufficient {name}{where}"
        return ""

    def _parents(self) -> dict[str, str]:
        """Queue → the queue above it, where those count."""
        trees = self.simulation.objects.of("Queue") if self.configuration.hierarchy else ()
        named = [(mapping(tree.get("metadata")).get("name"), mapping(tree.get("spec")).get("parent")) for tree in trees]
        return {str(name): str(above) for name, above in named if above and above != _ROOT}

    def up(self, queue: str) -> list[str]:
        """A queue, and those above it that count."""
        parents, found = self._parents(), [queue]
        while found[-1] in parents and parents[found[-1]] not in found:
            found.append(parents[found[-1]])
        return found

    def below(self, queue: str) -> set[str]:
        """A queue, and those below it that count."""
        return {queue, *(name for name in self._parents() if queue in self.up(name))}

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
        for queue in self.up(group.queue):
            has = self.capability(queue, dict.fromkeys(asks, _ENOUGH))
            for name in sorted(asks, key=lambda one: ("/" not in one, one)):
                if asks[name] > has[name]:
                    roles = [unit.role for unit in job.units if unit.count]
                    return Above(queue, list(dict.fromkeys(roles)), [Short("", name, asks[name], 0, max(has[name], 0))])
        return None

    def crowded(self) -> bool:
        """Whether all gangs together ask for more than all nodes have, so that weights divide it among queues."""
        asks: dict[str, int] = {}
        for group in self.groups.values():
            own: dict[str, int] = {}
            for pod in self.pods(group):
                for name, amount in pod.sort.asks.items():
                    own[name] = own.get(name, 0) + amount
            for name in {**group.sum, **own}:
                asks[name] = asks.get(name, 0) + max(own.get(name, 0), group.sum.get(name, 0))
        whole, taken = self._whole(asks), used(pod for pod in self.simulation.pods if pod.sort.scheduler != VOLCANO)
        return any(amount + taken.get(name, 0) > whole.get(name, 0) for name, amount in asks.items())

    def _whole(self, names: Iterable[str]) -> dict[str, int]:
        """What all nodes have together; of what nobody speaks of there may be any amount."""
        return total(self.simulation) | {name: _ENOUGH for name in names if self.simulation.unsaid(name)}

    def refused(self, group: Group) -> str:
        """Why the PodGroup itself is not accepted, so that nothing ever happens to the job."""
        tree = self.simulation.objects.named("Queue", group.queue)
        if tree is None and group.queue not in _QUEUES:
            return f"there is no queue `{group.queue}`, and without it no PodGroup"
        said = refusal(group.queue, self.simulation.objects)
        if said:
            return f"the queue `{group.queue}` is refused: {said}"
        state = self.state(group.queue)
        return "" if state == "Open" else f"the queue `{group.queue}` is {state}"

    def state(self, queue: str) -> str:
        """The state of a queue: as it says itself, or closed by a Command that is among the objects."""
        for tree in self.simulation.objects.of("Command"):
            target = mapping(tree.get("target"))
            if tree.get("action") == "CloseQueue" and (target.get("kind"), target.get("name")) == ("Queue", queue):
                return "Closed"
        own = self.simulation.objects.named("Queue", queue)
        return str(mapping(mapping(own).get("status")).get("state") or "Open")

    def capability(self, queue: str, whole: dict[str, int]) -> dict[str, int]:
        """The most that jobs of a queue may have: what it says, and what other queues have not for sure."""
        made = dict(whole)
        kin = {*self.up(queue), *self.below(queue)}
        for tree in self.simulation.objects.of("Queue"):
            spec = mapping(tree.get("spec"))
            own = str(mapping(tree.get("metadata")).get("name"))
            if own == queue:
                for name, amount in mapping(spec.get("capability")).items():
                    made[str(name)] = min(nano(amount) or 0, made.get(str(name), 0))
            elif own not in kin:
                for name, amount in mapping(mapping(spec.get("guarantee")).get("resource")).items():
                    made[str(name)] = made.get(str(name), 0) - (nano(amount) or 0)
        return made

    def _allocate(self, group: Group) -> bool:
        """Gives nodes to the pods of a gang; whether one got one."""
        own = self.pods(group)
        waiting = [pod for pod in own if pod.node is None and not pod.done and pod.sort.scheduler == VOLCANO]
        if not waiting:
            return False
        bound = [pod for pod in own if pod.node is not None]
        roles = {
            str(mapping(one).get("name")): mapping(one).get("minAvailable")
            for one in sequence(mapping(mapping(group.job.tree if group.job else {}).get("spec")).get("tasks"))
        }
        whole = sum(value for value in roles.values() if isinstance(value, int))

        def enough(placed: list[Pod]) -> bool:
            here = [*bound, *placed]
            empty = [pod for pod in waiting if not pod.sort.asks and pod not in placed]
            if len(here) + len(empty) < group.least:
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

        whole_cluster = self._whole(name for pod in waiting for name in pod.sort.asks)
        limits = [(self.below(queue), self.capability(queue, whole_cluster)) for queue in self.up(group.queue)]

        full: list[str] = []

        def allowed(pod: Pod) -> bool:
            for below, has in limits:
                inside = [group for group in self.groups.values() if group.queue in below]
                taken = used([one for group in inside for one in self.pods(group)])
                for name, amount in pod.sort.asks.items():
                    if taken.get(name, 0) + amount > has.get(name, 0):
                        full.append(name)
                        return False
            return True

        moved, why, within = False, "", None
        for within in self._domains(group, bound):
            moved, why = place(self.simulation, waiting, enough, allowed, within)
            if moved:
                break
        if within is not None and not moved:
            why = f"no HyperNode of tier {hard_tier(group.spec)} or below has room for all of them"
        if not why and full:
            why = f"the queue {group.queue} has no room for more {full[0]}"
        group.said = why
        # pods that ask for nothing count as ready while they wait, and yet do not run
        if moved and sum(pod.node is not None for pod in own) >= group.least:
            group.phase = RUNNING
            self._moves += 1
        return moved

    def victims(self, group: Group) -> list[str]:
        """The jobs that might lose pods to a gang: no more than these do, and perhaps none."""
        if group.phase == PENDING:
            return []
        actions, found = self.configuration.evicts, []
        for other in self.groups.values():
            lower = "preempt" in actions and other.queue == group.queue and other.priority < group.priority
            foreign = "reclaim" in actions and other.queue != group.queue
            if (lower or foreign) and any(pod.node is not None for pod in self.pods(other)):
                found.append(other.name if other.job is None else other.job.name)
        return found

    def _domains(self, group: Group, bound: list[Pod]) -> list[frozenset[str] | None]:
        """The nodes of each domain that a gang may be in, lowest tiers first; None: any nodes."""
        tier = hard_tier(group.spec)
        if tier is None or self.hypernodes is None or not self.hypernodes.domains:
            return [None]
        taken = {pod.node.name for pod in bound if pod.node is not None}
        return [nodes for own, _, nodes in self.hypernodes.domains if own <= tier and taken <= nodes]


def hard_tier(spec: dict[str, Any]) -> int | None:
    """The highest tier whose domains a gang may span; None: it says none that binds. Without a mode it is hard."""
    said = mapping(spec.get("networkTopology"))
    tier = said.get("highestTierAllowed")
    return tier if said.get("mode", "hard") == "hard" and isinstance(tier, int) else None
