"""Who comes under a queue, and what somebody changes of it: jobs, their slices, and pods by themselves.

Kueue 0.19, pkg/controller/jobframework/reconciler.go, pkg/controller/jobs/pod, pkg/workloadslicing (a job that grows
gets a second Workload, which takes the place of the first). Recorded in worlds ``kind-*``, ``elastic-*``.
"""

from __future__ import annotations

from specgen.diagnostics.model import article
from specgen.manifest.views import mapping
from specgen.operators.queues import KUEUE, KUEUE_PRIORITY
from specgen.schedulers.kueue.loose import Loose, group_at, labelled, refused_pod, total_at, uncomposed
from specgen.schedulers.kueue.podsets import PodSet, pod_sets
from specgen.schedulers.kueue.roles import role_of
from specgen.schedulers.kueue.state import State
from specgen.schedulers.kueue.webhooks import ELASTIC, is_elastic, refusal, unchangeable
from specgen.schedulers.kueue.workload import Workload, class_of, resumed, suspended, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.schedulers.jobs import Job
    from specgen.schedulers.pods import Pod
    from specgen.schedulers.simulate import Simulation

_PREBUILT = KUEUE + "prebuilt-workload-name"


class Entry(State):
    """The Workloads of a simulation. ``unranked``: the priority of a job whose class is not there; None: Kueue makes
    no Workload of it.
    """

    def __init__(self, simulation: Simulation, *, unranked: int | None) -> None:
        super().__init__(simulation)
        self._unranked = unranked
        self._clock = self._version = 0
        # endings of jobs that were followed, none since another one came under a queue
        self._followed = -1
        # jobs under no queue, of which pods come under one by themselves
        self._outside: dict[str, Job] = {}

    def wake(self) -> None:
        """Something happened: all who wait are looked at again."""
        self._version += 1
        for workload in self.workloads.values():
            workload.rests = False

    def submit(self, tree: dict[str, Any]) -> Job:
        """A job is created: its queue suspends it, where it names one."""
        name = self.queue_of(tree)
        if name is None:
            return self._unqueued(tree)
        job = self.simulation.submit(suspended(tree, name))
        if not job.refused:
            job.refused = refusal(tree, pod_sets(job, self.simulation.objects))
            if job.refused:
                job.refused_by = "the webhook of Kueue"
                del self.simulation.jobs[job.id]
            else:
                self.take(job, name)
        return job

    def _unqueued(self, tree: dict[str, Any]) -> Job:
        """A job, or a pod, that is under no queue; its pods may be."""
        job = self.simulation.submit(tree)
        if job.refused:
            return job
        if job.kind == "Pod" and self.looks_at_pods(job.namespace):
            alone = PodSet("main", 1, tree, job.namespace, self.simulation.objects)
            job.refused = refused_pod(tree) or refusal(tree, [alone])
            if job.refused:
                job.refused_by = "the webhook of Kueue"
                del self.simulation.jobs[job.id]
                return job
        templates = (
            [tree] if job.kind == "Pod" else [{"metadata": {"labels": one}} for one, _ in labelled(tree.get("spec"))]
        )
        if any(self.queue_of_pod(one, job.namespace) is not None for one in templates):
            self._outside[job.id] = job
        return job

    def _adopt(self) -> bool:
        """Pods that have come under a queue by themselves; whether there are new ones."""
        new = False
        for job in list(self._outside.values()):
            for pod in self.simulation.of(job.id):
                if pod.done or (job.id, pod.key) in self.loose or self.queue_of_pod(pod.tree, job.namespace) is None:
                    continue
                group = group_at(pod.tree)
                new = (self._join(group, pod) if group else self._alone(pod)) or new
        return new

    def _alone(self, pod: Pod) -> bool:
        name = pod.name if pod.name not in self.workloads else f"Pod {pod.namespace}/{pod.name}"
        return self._compose(Loose(self.simulation, name, pod), [pod])

    def _join(self, group: str, pod: Pod) -> bool:
        """A pod of a group: it takes the place of one that is missing, is one too many, or the group is whole now."""
        there = self.workloads.get(group)
        if there is not None and isinstance(there.job, Loose):
            own = there.job
            role = role_of(pod.spec)
            counts = {pods.name: pods.count for pods in there.sets}
            alive = [one for one in own.pods if own.members[one.job, one.key] == role]
            if role not in counts:
                return False  # it waits, and nobody looks at it
            if len(alive) >= counts[role]:
                self._delete(pod)
                return False
            own.add(pod)
            self.loose[pod.job, pod.key] = there
            if there.given is not None:
                self._make_anew([pod])
            return True
        waiting = [
            one
            for job in self._outside.values()
            for one in self.simulation.of(job.id)
            if one.namespace == pod.namespace and group_at(one.tree) == group and not one.done
        ]
        if uncomposed(waiting):
            return False
        total = total_at(waiting[0].tree)
        for one in waiting[total:]:
            self._delete(one)
        return self._compose(Loose(self.simulation, group, waiting[0], total), waiting[:total])

    def _compose(self, loose: Loose, pods: list[Pod]) -> bool:
        """A Workload of plain pods; whether there is one."""
        for pod in pods:
            loose.add(pod)
        sets = loose.sets(self.simulation.objects)
        priority = self._priority(loose.tree, sets)
        if priority is None:
            return False
        workload = self._enqueue(loose, sets, self.queue_of_pod(loose.tree, loose.namespace) or "", priority)
        for pod in pods:
            self.loose[pod.job, pod.key] = workload
        return True

    def _delete(self, pod: Pod) -> None:
        """A pod is deleted by Kueue; an operator makes it anew."""
        self.simulation.lose(pod)
        self.loose.pop((pod.job, pod.key), None)

    def _make_anew(self, pods: list[Pod]) -> None:
        """Pods that wait for their gates are as they are made now, without."""
        for pod in pods:
            if pod.node is None:
                self.simulation.remove(pod)

    def workloads_of(self, job: Job) -> list[Workload]:
        """The Workloads of a job, and of its pods that come under a queue by themselves."""
        own = self.current(job.id)
        if own is not None and own.job is job:
            return [own]
        return list(dict.fromkeys(one for (name, _), one in self.loose.items() if name == job.id))

    def take(self, job: Job, name: str) -> None:
        """A job comes under a queue."""
        sets = pod_sets(job, self.simulation.objects)
        priority = self._priority(job.tree, sets)
        if priority is None:
            return
        workload = self._enqueue(job, sets, name, priority)
        if mapping(mapping(job.tree.get("metadata")).get("labels")).get(_PREBUILT):
            workload.unknown = f"its Workload is made by somebody else (`{_PREBUILT}`)"
        marks = mapping(mapping(job.tree.get("metadata")).get("annotations"))
        if job.kind != "Job" and str(marks.get(ELASTIC)) == "true":
            # jobframework/validation.go has a list of the kinds that may be elastic
            workload.unknown = f"whether Kueue takes {article(job.kind)} that is elastic is not known here"
        if is_elastic(job.tree) and any(pods.wish.level for pods in sets):
            workload.unknown = "an elastic job that wishes for a topology is refused, by whom is not known here"
        if job.finished or job.failed or job.gone:
            self._followed = -1

    def _enqueue(self, job: Job | Loose, sets: list[PodSet], name: str, priority: int) -> Workload:
        """A Workload comes into a queue."""
        self._clock += 1
        workload = Workload(job, sets, name, priority, self._clock)
        workload.topology_of = self.topology_of
        for pods in sets:
            pods.counted = self.configuration.counted(pods.asks)
        self.workloads[job.id] = workload
        return workload

    def change(self, name: str, tree: dict[str, Any]) -> str:
        """A job is changed by somebody. Returns why that is refused, empty: it is not."""
        workload = self.current(name)
        job = self.simulation.jobs[name]
        queue = self.queue_of(tree)
        if workload is None or workload.job is not job:
            refused = self.simulation.reload(name, tree)
            if not refused and queue is not None and job.suspended:
                self.take(job, queue)
            return refused
        queue = queue or ""
        if workload.given is not None and queue != workload.queue_name:
            return "metadata.labels[kueue.x-k8s.io/queue-name]: field is immutable"
        if class_of(job.tree) and not class_of(tree) and workload.given is not None:
            return f"metadata.labels[{KUEUE_PRIORITY}]: WorkloadPriorityClass cannot be removed"
        refused = unchangeable(job.tree, tree) if workload.given is not None else ""
        if refused:
            return refused
        # whoever switches it, Kueue switches it back at once
        before = [(pods.name, pods.count, pods.asks) for pods in workload.sets]
        whole = resumed(tree, workload.given) if workload.given is not None else suspended(tree, queue)
        refused = self.simulation.reload(name, whole)
        if refused:
            return refused
        sets = pod_sets(job, self.simulation.objects)
        now = [(pods.name, pods.count, pods.asks) for pods in sets]
        if now != before and is_elastic(tree) and [one[::2] for one in now] == [one[::2] for one in before]:
            self._scale(workload, job, sets)
        elif now != before:
            if workload.given is not None:
                workload.count(-1)
                workload.given = None
                self.simulation.reload(name, suspended(tree, queue))
            del self.workloads[name]
            self.take(job, queue)
        else:
            workload.queue_name = queue
            priority = self._priority(job.tree, sets)
            workload.priority = workload.priority if priority is None else priority
        self.wake()
        return ""

    def _scale(self, workload: Workload, job: Job, sets: list[PodSet]) -> None:
        """An elastic job has more pods, or fewer, than before (workloadslicing.go, EnsureWorkloadSlices)."""
        for pods in sets:
            pods.counted = self.configuration.counted(pods.asks)
        if workload.slice is not None:
            workload.slice.sets = sets
        elif workload.given is None or sum(pods.count for pods in sets) < sum(pods.count for pods in workload.sets):
            workload.sets = sets
            self._followed = -1
        else:
            slices = [one for one in self.workloads.values() if one.job is job]
            self._clock += 1
            more = Workload(job, sets, workload.queue_name, workload.priority, self._clock)
            more.topology_of = self.topology_of
            more.replaces, workload.slice = workload, more
            if any(share.domains is not None for share in workload.given.shares):
                more.unknown = "where the further pods of an elastic job go in a topology is not known here"
            self.workloads[f"{job.id} #{len(slices) + 1}"] = more

    def forget(self, job: Job) -> None:
        """Takes a job away, as if it had never been."""
        for workload in self.workloads_of(job):
            if workload.given is not None:
                workload.count(-1)
            del self.workloads[workload.job.id]
            self.loose = {key: one for key, one in self.loose.items() if one is not workload}
        self._outside.pop(job.id, None)
        self.simulation.delete(job.id)
        del self.simulation.jobs[job.id]

    def _priority(self, tree: dict[str, Any], sets: list[PodSet]) -> int | None:
        """The priority of a job or pod; None: its class is not there, and Kueue makes no Workload of it."""
        objects = self.simulation.objects
        named = mapping(mapping(tree.get("metadata")).get("labels")).get(KUEUE_PRIORITY)
        if named:
            found = objects.named("WorkloadPriorityClass", str(named))
            return self._unranked if found is None else whole(found.get("value"))
        policy = mapping(mapping(mapping(tree.get("spec")).get("runPolicy")).get("schedulingPolicy"))
        called = policy.get("priorityClass") or next(
            (
                mapping(pods.template.get("spec")).get("priorityClassName")
                for pods in sets
                if mapping(pods.template.get("spec")).get("priorityClassName")
            ),
            "",
        )
        if called:
            found = objects.named("PriorityClass", str(called))
            return self._unranked if found is None else whole(found.get("value"))
        default = [tree for tree in objects.of("PriorityClass") if tree.get("globalDefault") is True]
        return min((whole(tree.get("value")) for tree in default), default=0)
