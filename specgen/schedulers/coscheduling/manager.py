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
        for tree in self.simulation.objects.of("PodGroup"):
            metadata = mapping(tree.get("metadata"))
            key = (str(metadata.get("namespace") or "default"), str(metadata.get("name")))
            if str(tree.get("apiVersion")).startswith(API):
                before = self.groups.get(key)
                if before is None or before.spec != mapping(tree.get("spec")):
                    self._add(tree, None)
                    self._seen = {}
        ended = [key for key, group in self.groups.items() if group.job is not None and over(group.job)]
        for key in ended:
            del self.groups[key]
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
        moved, why = place(self.simulation, waiting, lambda placed: bound + len(placed) >= group.least)
        group.said = why
        return bool(moved)

    def _gap(self, group: Group) -> str:
        """The resource of which all nodes together have too little for the gang."""
        if not group.sum:
            return ""
        whole = total(self.simulation)
        members = {id(pod) for pod in self.pods(group)}
        taken = used(pod for pod in self.simulation.pods if id(pod) not in members)
        there = sum(pod.node is not None and not pod.done for pod in self.simulation.pods if id(pod) not in members)
        for name, amount in [*sorted(group.sum.items()), ("pods", group.least * NANO)]:
            free = whole.get(name, 0) - (there * NANO if name == "pods" else taken.get(name, 0))
            if amount > free:
                from specgen.quantity import canonical

                return f"resource gap: {canonical(amount - free)} of {name} on all nodes together"
        return ""
