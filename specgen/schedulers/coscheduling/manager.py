"""The plugin Coscheduling: a sum before a gang, then all or nothing; and it does not look again when room comes.

scheduler-plugins 0.34, pkg/coscheduling/{coscheduling.go,core/core.go}. A pod that ends is no event for it: a gang that
was refused is looked at again when any pod is made, or its PodGroup changes. Recorded in ``schedulers/coscheduling``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping
from specgen.operators.queues import COSCHEDULING_GROUP
from specgen.quantity import NANO
from specgen.schedulers.coscheduling.configuration import schedulers
from specgen.schedulers.gangs import Group, over, place, total, used
from specgen.schedulers.pods import SCHEDULER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation

API = "scheduling.x-k8s.io/"
# A gang of which the sum on all nodes is short.
PENDING = "Pending"


class Manager:
    """The scheduler before a simulation. ``own``: names of schedulers that have the plugin."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.own = schedulers(simulation.objects)
        if SCHEDULER in self.own:
            simulation.leaves = lambda pod: bool(self._named(pod)[1])
        self.groups: dict[tuple[str, str], Group] = {}
        self._seen: dict[str, tuple[int, ...]] = {}
        self._clock = 0
        # of each group as many pods as wait for the others with a node, where they are not sent away at once
        self._held: dict[tuple[str, str], int] = {}
        # those of groups that are gone, which the plugin goes on counting
        self._stale: dict[tuple[str, str], int] = {}
        # groups whose pods may be counted on though they are gone: their job went, and its PodGroup with it
        self.haunted: set[tuple[str, str]] = set()

    def submit(self, tree: dict[str, Any]) -> Job:
        """A job is created, with the PodGroup that its operator makes."""
        job = self.simulation.submit(tree)
        for other in job.expansion.others if job.expansion is not None and not job.refused else ():
            if other.get("kind") == "PodGroup" and str(other.get("apiVersion")).startswith(API):
                self._add(other, job)
        return job

    def _add(self, tree: dict[str, Any], job: Job | None) -> None:
        self._clock += 1
        group = Group(tree, job, self._clock)
        self.groups[group.namespace, group.name] = group

    def rest(self) -> None:
        """Brings all to rest."""
        there = set()
        for tree in self.simulation.objects.of("PodGroup"):
            metadata = mapping(tree.get("metadata"))
            key = (str(metadata.get("namespace") or "default"), str(metadata.get("name")))
            if str(tree.get("apiVersion")).startswith(API):
                there.add(key)
                before = self.groups.get(key)
                if before is None or before.spec != mapping(tree.get("spec")):
                    self._add(tree, None)
                    self._seen = {}
        for key, group in list(self.groups.items()):
            held = self._held.get(key, 0)
            if group.job is None and key not in there:
                self._stale[key] = self._stale.get(key, 0) + held
            elif group.job is None or not over(group.job):
                continue
            elif held:
                self.haunted.add(key)
            del self.groups[key]
            self._held.pop(key, None)
        for _ in range(1_000):
            self.simulation.rest()
            # who was made since: only that makes it look again
            made = tuple(pod.born for pod in self.simulation.pods)
            if self._seen.get("") is not None and set(made) <= set(self._seen[""]):
                return
            self._seen[""] = made
            moved = True
            while moved:
                waiting = sorted(self.groups.values(), key=lambda group: (-self._priority(group), group.born))
                moved = any([self._try(group) for group in waiting])
            for pod in self._plain():
                place(self.simulation, [pod], lambda placed: bool(placed))

    def pods(self, group: Group) -> list[Pod]:
        """The pods that bear the label of a group."""
        return [pod for pod in self.simulation.pods if self._named(pod) == (group.namespace, group.name)]

    @staticmethod
    def _named(pod: Pod) -> tuple[str, str]:
        labels = mapping(mapping(pod.tree.get("metadata")).get("labels"))
        return pod.namespace, str(labels.get(COSCHEDULING_GROUP) or "")

    def _plain(self) -> list[Pod]:
        return [
            pod
            for pod in self.simulation.pods
            if pod.node is None
            and not pod.done
            and pod.sort.scheduler in self.own
            and pod.sort.scheduler != SCHEDULER
            and not self._named(pod)[1]
        ]

    def _priority(self, group: Group) -> int:
        return max((pod.sort.priority for pod in self.pods(group)), default=0)

    def _try(self, group: Group) -> bool:
        own = [pod for pod in self.pods(group) if not pod.done]
        waiting = [pod for pod in own if pod.node is None and pod.sort.scheduler in self.own]
        if not waiting:
            return False
        bound = len(own) - len([pod for pod in own if pod.node is None])
        if len(own) < group.least:
            group.said = f"{len(own)} pods exist, and minMember is {group.least}"
            return False
        if bound < group.least:
            group.said = self._gap(group)
            group.phase = PENDING if group.said else ""
            if group.said:
                return False
        key = (group.namespace, group.name)
        here = bound + self._stale.get(key, 0)
        most = 0

        def enough(placed: list[Pod]) -> bool:
            nonlocal most
            most = len(placed)
            return here + len(placed) >= group.least

        moved, why = place(self.simulation, waiting, enough)
        group.said = why
        # where more than a tenth is missing, all that wait are sent away at once (core.go, PostFilter)
        waits = not moved and bound < group.least and (group.least - here - most) * 10 <= group.least
        self._held[key] = most if waits else 0
        return bool(moved)

    def flush(self) -> None:
        """What waits is tried again, as kube-scheduler does after five minutes."""
        self._seen = {}

    def victims(self, group: Group) -> list[str]:
        """The jobs, or pods of nobody, that might lose pods to a gang: kube-scheduler evicts them one by one, once the
        sum of the gang is there.
        """
        waiting = [pod for pod in self.pods(group) if pod.node is None and not pod.done and not pod.sort.never]
        if not waiting or group.phase == PENDING or len(self.pods(group)) < group.least:
            return []
        most = max(pod.sort.priority for pod in waiting)
        lower = [pod for pod in self.simulation.pods if pod.node is not None and pod.sort.priority < most]
        return list(dict.fromkeys(pod.job or f"pod {pod.name}" for pod in lower))

    def _gap(self, group: Group) -> str:
        """The resource of which all nodes together have too little for the gang; what nobody says is enough."""
        if not group.sum:
            return ""
        whole = total(self.simulation)
        members = {id(pod) for pod in self.pods(group)}
        taken = used(pod for pod in self.simulation.pods if id(pod) not in members)
        there = sum(pod.node is not None and not pod.done for pod in self.simulation.pods if id(pod) not in members)
        for name, amount in [*sorted(group.sum.items()), ("pods", group.least * NANO)]:
            if self.simulation.unsaid(name):
                continue
            free = whole.get(name, 0) - (there * NANO if name == "pods" else taken.get(name, 0))
            if amount > free:
                from specgen.quantity import canonical

                return f"resource gap: {canonical(amount - free)} of {name} on all nodes together"
        return ""
