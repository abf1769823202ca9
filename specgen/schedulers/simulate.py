"""Jobs in order against a world, each until all rests: pods are made, let in, placed, evicted and made anew.

The real programs run at the same time; here each step comes to its end before the next begins, as it does where they
have time. What they leave to chance is asked for: ``reverse`` (the order of roles that an operator takes from a Go
map), ``last`` (which of equal nodes is taken).
"""

from __future__ import annotations

from functools import partial
from itertools import count

from specgen.manifest.views import mapping
from specgen.operators.jobset.facts import pods_each
from specgen.schedulers.admit import Quotas, let_in
from specgen.schedulers.jobs import Job, placeless
from specgen.schedulers.limits import Denied, Unnamed
from specgen.schedulers.placing import Placing
from specgen.schedulers.pods import Pod
from specgen.schedulers.shapes import Shapes
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.schedulers.jobs import Unit
    from specgen.schedulers.pods import Sort
    from specgen.schedulers.shapes import Shape
    from specgen.schedulers.world import Nodes, World

# Who refuses what a quota does not let in.
QUOTA = "the quota"
# Rounds of one step: each binds, evicts or makes at least one pod; what goes on longer goes on for ever.
_ROUNDS = 1_000
_OF_JOBSETS = ("count/jobsets.jobset.x-k8s.io",)
# What operators make beside pods, by the names that a quota counts it by.
_NAMES = {
    "Service": ("services", "count/services"),
    "ConfigMap": ("configmaps", "count/configmaps"),
    "Secret": ("secrets", "count/secrets"),
}


class Simulation(Placing):
    """A world on its way. ``patience``: whether a batch Job has time to make a lost pod anew within a step;
    ``change``: what is done to the spec of each pod before it is let in, to try what would help.
    """

    def __init__(
        self,
        world: World,
        *,
        reverse: bool = False,
        last: bool = False,
        patience: bool = True,
        change: Callable[[dict[str, Any]], dict[str, Any]] | None = None,
    ) -> None:
        self._change = change
        self.operators = world.operators
        self.reverse = reverse
        self.patience = patience
        self.jobs: dict[str, Job] = {}
        # what a queue before this does to the pods of a job that it lets begin
        self.steer: Callable[[Job, Unit, str, dict[str, Any]], dict[str, Any]] | None = None
        self._companions: list[Manifest] | None = None
        # jobs of which pods may be missing
        self._awake: dict[str, None] = {}
        # how often one of them came to an end, or was deleted
        self.endings = 0
        self._submitted = 0
        self._shapes = Shapes()
        super().__init__(world, last=last)
        self._quotas = Quotas(self.objects)

    def _build(self, moved: list[tuple[Nodes | None, Nodes]] | None = None) -> None:
        self._shapes.forget()
        super()._build(moved)

    def _drop(self, pod: Pod) -> None:
        super()._drop(pod)
        self._wake(pod.job)

    def _wake(self, name: str) -> None:
        if name in self.jobs:
            self._awake[name] = None

    def _restless(self) -> list[Job]:
        """Jobs of which pods may be missing, in the order in which they were submitted."""
        return sorted((self.jobs[name] for name in self._awake if name in self.jobs), key=lambda job: job.number)

    # what happens

    def add_object(self, tree: dict[str, Any]) -> None:
        self._companions = None
        super().add_object(tree)

    def drop_object(self, tree: dict[str, Any]) -> None:
        self._companions = None
        super().drop_object(tree)

    def submit(self, tree: dict[str, Any]) -> Job:
        """A job is created; a refused one is not kept."""
        # what a queue, or a quota, makes of pods is not theirs alone
        shape = self._shapes.proven(tree) if self.steer is None and self._quotas.none else None
        like = shape.job if shape is not None else self._shapes.held(tree)
        job = Job(tree, self._beside(), reverse=self.reverse, operators=self.operators, like=like)
        if not job.refused:
            try:
                self._count()
                for name in _counted(tree):
                    self._quotas.take_object(job.namespace, name)
            except Denied as error:
                job.refused, job.refused_by = str(error), QUOTA
        if not job.refused:
            if job.name in self.jobs and not self.jobs[job.name].gone:
                job.id = f"{job.kind} {job.namespace}/{job.name}"
                if job.id in self.jobs:
                    job.id = f"{job.id} ({len(self.jobs)})"
            job.number = self._submitted = self._submitted + 1
            self.jobs[job.id] = job
            self._wake(job.id)
            if job.suspended:
                if like is None:
                    self._shapes.hold(job)
            elif shape is None:
                self._expect(job)
            else:
                self._shapes.join(job.id, shape)
                for service in shape.services(job.name):
                    self.objects.add(service)
        return job

    def resume(self, job: Job) -> None:
        """A job that was held back may have pods."""
        job.suspended = False
        self._wake(job.id)

    def unsubmitted(self, tree: dict[str, Any]) -> Job:
        """A job as it would be, that nobody creates."""
        return Job(tree, self._beside(), reverse=self.reverse, operators=self.operators)

    def _beside(self) -> list[Manifest]:
        if self._companions is None:
            kinds = ("PriorityClass", "ClusterTrainingRuntime", "TrainingRuntime", "Service", "PersistentVolumeClaim")
            self._companions = [placeless(tree) for kind in kinds for tree in self.objects.of(kind)]
        return self._companions

    def _expect(self, job: Job) -> None:
        """Prepares for the pods of a job: names of nodes, labels, Services that choose several of them."""
        trees = [tree for unit in job.units for _, tree in unit.due(self._beside())]
        trees += [mapping(unit.spec.get("template")) for unit in job.units if unit.child is not None]
        new = self._learn(trees)
        # label → the labels of the pods that bear it
        bearing: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for tree in trees:
            labels = mapping(mapping(tree.get("metadata")).get("labels"))
            for key, value in labels.items():
                bearing.setdefault((key, str(value)), []).append(labels)
        for service in job.expansion.services if job.expansion is not None else ():
            selector = mapping(mapping(service.get("spec")).get("selector"))
            asked = [(key, str(value)) for key, value in selector.items()]
            rarest = min((bearing.get(one, []) for one in asked), key=len, default=[])
            # one of a single pod spreads nothing
            if sum(all(str(labels.get(key)) == value for key, value in asked) for labels in rarest) > 1:
                self.objects.add(service)
                job.services.append(service)
                new = self._sorts.know(set(selector)) or new
        if new:
            self._build()

    def first(self, job: Job, *, steered: bool = False) -> list[tuple[str, int, Pod]]:
        """(role, pods of it, one of them as it would be let in) of a job that is not placed yet.

        ``steered``: as a queue sends it where it lets it begin.
        """
        shape = self._shapes.of(job.id)
        if shape is not None:
            firsts = zip(job.units, shape.counts, self._like(job, shape, shape.firsts), strict=True)
            return [(unit.role, count, pod) for unit, count, pod in firsts]
        found: dict[str, tuple[int, Pod]] = {}
        for unit in job.units:
            for key, tree in unit.due(self._beside())[:1]:
                count = unit.count if unit.child is None else pods_each(unit.spec)
                if steered and self.steer is not None:
                    tree = self.steer(job, unit, key, tree)
                try:
                    pod = Pod(let_in(tree, self.objects), job.id, unit.role, key, unit.name)
                except Denied:
                    continue
                pod.sort = self._sorts.of(pod)
                found[unit.role] = (found[unit.role][0] + count if unit.role in found else count, pod)
        return [(role, count, pod) for role, (count, pod) in found.items()]

    def reload(self, name: str, tree: dict[str, Any]) -> str:
        """A job is changed. Returns why that is refused, empty: it is not."""
        job = self.jobs[name]
        self._wake(name)
        self._shapes.leave(name)
        before = {unit.name: unit for unit in job.units}
        old = job.tree
        job.load(tree, self._beside())
        if job.refused:
            refused = job.refused
            job.load(old, self._beside())
            return refused
        for unit in job.units:
            if unit.name in before:
                unit.done, unit.resting = before[unit.name].done, before[unit.name].resting
        self._expect(job)
        if job.suspended:
            for pod in self.of(name):
                self._drop(pod)
        else:
            wanted = {key for unit in job.units for key, _ in unit.due(self._beside())}
            for pod in self.of(name):
                if not pod.done and pod.key not in wanted:
                    self._drop(pod)
        return ""

    def delete(self, name: str) -> None:
        """A job is deleted, with all that is its own."""
        for pod in self.of(name):
            self._drop(pod)
        self.jobs[name].gone = True
        self.endings += 1

    def finish(self, name: str, role: str = "") -> None:
        """Pods of a job that stand end well, those of one role where one is named; or a pod of nobody does."""
        for pod in [one for one in self.pods if one.job == name or (not one.job and one.name == name)]:
            if pod.node is not None and not pod.done and (not role or pod.role == role):
                self.cluster.evict(pod, self._claims.get(pod, []))
                pod.done = True
                self._woken = True
        job = self.jobs.get(name)
        self._wake(name)
        if job is not None:
            for unit in job.units:
                if unit.child is not None:
                    unit.done |= {_index(pod) for pod in self.of(name) if pod.done and pod.unit == unit.name}
            self._ended(job)

    def _ended(self, job: Job) -> None:
        from specgen.operators.lifecycle import ACTIVE_JOBS, EVERYTHING, UNFINISHED

        done: dict[str, list[bool]] = {}
        for pod in self.of(job.id):
            done.setdefault(pod.role, []).append(pod.done)
        if job.finished or not job.succeeded(done):
            return
        job.finished = True
        self.endings += 1
        assert job.lifecycle is not None
        end = job.lifecycle.end
        roles = [role.lower() for role in end.roles]
        for pod in self.of(job.id):
            if roles and pod.role not in roles:
                continue
            if end.deletes == EVERYTHING or (end.deletes in (UNFINISHED, ACTIVE_JOBS) and not pod.done):
                self._drop(pod)

    # until all rests

    def wait(self) -> None:
        """So much time passes that batch Jobs make anew the pods that they lost."""
        for job in self._restless():
            for unit in job.units:
                unit.resting.clear()

    def rest(self) -> None:
        """Brings the world to rest."""
        if self.patience:
            self.wait()
        for _ in range(_ROUNDS):
            version = self.cluster.state.version
            made = sum([self._sync(job) for job in self._restless() if not job.gone])
            self.cluster.volumes.settle()
            self._try_all()
            if not made and version == self.cluster.state.version and not self._woken:
                return

    def _sync(self, job: Job) -> int:
        """Makes the pods of a job that are missing and due."""
        if job.finished or job.failed or job.suspended:
            if job.suspended:
                del self._awake[job.id]  # whoever resumes it wakes it
            return 0
        own = self.of(job.id)
        shape = self._shapes.of(job.id)
        if shape is not None and not own:
            return self._repeat(job, shape)
        if shape is not None and len(own) == len(shape.pods):
            del self._awake[job.id]
            return 0
        made = {pod.key: pod for pod in own}
        missing = []
        for unit in job.units:
            if self.patience:
                unit.resting.clear()
            self._follow(unit, made)
            missing += [
                (unit, key, tree) for key, tree in unit.due(self._beside()) if key not in made or made[key].done
            ]
        missing = [(unit, key, tree) for unit, key, tree in missing if key not in made]
        if not missing:
            if not any(unit.topology or unit.resting for unit in job.units):
                del self._awake[job.id]
            return 0
        self._count()
        try:
            self._equip(job)
        except Denied as error:
            job.told[str(error)] = None
            return 0
        new: list[Pod] = []
        stopped: set[str] = set()
        for unit, key, tree in missing:
            if unit.name in stopped or not job.open(unit, made):
                continue
            try:
                stored = self._stored(job, unit, key, tree)
                self._quotas.take(stored)
                if unit.child is not None:
                    self._child(job, unit)
            except Denied as error:
                stopped.add(unit.name)
                job.told[f"Pod {mapping(tree.get('metadata')).get('name')}: {error}"] = None
                if isinstance(error, Unnamed):
                    job.unnamed[unit.role] = error.missing
                continue
            pod = Pod(stored, job.id, unit.role, key, unit.name)
            if self.steer is not None:
                self._meet(stored)
            elif self._learn([stored]):
                self._build()
            self._add(pod)
            pod.sort = self._sorts.of(pod)
            self._claim(pod)
            made[key] = pod
            new.append(pod)
        if not own and self.steer is None:
            self._shapes.learn(job, new)
        return len(new)

    def _stored(self, job: Job, unit: Unit, key: str, tree: dict[str, Any]) -> dict[str, Any]:
        """A pod as it is let in. Raises Denied."""
        if self._change is not None:
            tree = {**tree, "spec": self._change(mapping(tree.get("spec")))}
        if self.steer is not None:
            tree = self.steer(job, unit, key, tree)
        return let_in(tree, self.objects)

    def _repeat(self, job: Job, shape: Shape) -> int:
        """Makes the pods of a job as those of its shape were made; they are written where somebody asks for more."""
        for pod in self._like(job, shape, shape.pods):
            self._add(pod)
        return len(shape.pods)

    def _like(self, job: Job, shape: Shape, pods: list[Pod]) -> list[Pod]:
        """Pods of a job as those of its shape."""
        sorts: dict[Sort, Sort] = {}
        units = {own.name: (unit, count()) for own, unit in zip(shape.job.units, job.units, strict=True)}
        made = []
        for one in pods:
            unit, numbers = units[one.unit]
            write = partial(self._write, job, unit, next(numbers))
            pod = Pod(write, job.id, unit.role, shape.renamed(one.key, job.name), unit.name)
            if one.sort not in sorts:
                sorts[one.sort] = self._sorts.renamed(one.sort, shape.job.name, job.name)
            pod.sort = sorts[one.sort]
            made.append(pod)
        return made

    def _write(self, job: Job, unit: Unit, at: int) -> dict[str, Any]:
        due = unit.pods if unit.child is None else unit.due(self._beside())
        return self._stored(job, unit, *due[at])

    def _count(self) -> None:
        """Counts what exists against the quotas."""
        self._quotas.count(self.pods)
        if self._quotas.none:
            return
        # the server has a Service of its own
        listed = {("Service", "default", "kubernetes")}
        for kind in _NAMES:
            for tree in self.objects.of(kind):
                metadata = mapping(tree.get("metadata"))
                listed.add((kind, str(metadata.get("namespace") or "default"), str(metadata.get("name"))))
        for other in self.jobs.values():
            if other.gone:
                continue
            for name in _counted(other.tree):
                self._quotas.used_object(other.namespace, name)
            for unit in other.units if other.kind != "Job" else ():
                if unit.child is not None and any(pod.unit == unit.name for pod in self.of(other.id)):
                    self._quotas.used_object(other.namespace, "count/jobs.batch")
            for kind, called in _equipment(other) if other.equipped else ():
                listed.add((kind, other.namespace, called))
        for kind, namespace, _ in sorted(listed):
            for name in _NAMES.get(kind, _OF_JOBSETS):
                self._quotas.used_object(namespace, name)

    def _equip(self, job: Job) -> None:
        """What an operator makes before any pod comes to be, if it is let in. Raises Denied."""
        if not job.equipped:
            for kind, called in _equipment(job):
                for name in _NAMES.get(kind, _OF_JOBSETS):
                    try:
                        self._quotas.take_object(job.namespace, name)
                    except Denied as error:
                        raise Denied(f"{kind} {called}: {error}") from None
            job.equipped = True

    def _child(self, job: Job, unit: Unit) -> None:
        """The batch Job of a unit comes to be with its first pod. Raises Denied."""
        if job.kind != "Job" and not any(pod.unit == unit.name for pod in self.of(job.id)):
            self._quotas.take_object(job.namespace, "count/jobs.batch")

    @staticmethod
    def _follow(unit: Unit, made: dict[str, Pod]) -> None:
        """Where the first pod of an exclusive Job stands, the others may follow."""
        if unit.topology:
            first = made.get(f"{unit.name}-0")
            unit.label = None
            if first is not None and first.node is not None:
                unit.label = first.node.kind.labels.get(
                    unit.topology, first.node.name if unit.topology == HOSTNAME else None
                )

    def lose(self, pod: Pod) -> None:
        """A pod is deleted by somebody, and what its job does then."""
        self._drop(pod)
        self._lost(pod)

    def _evict(self, pod: Pod) -> None:
        """A pod is preempted, and what its job does then."""
        super()._evict(pod)
        self._lost(pod)

    def _lost(self, pod: Pod) -> None:
        job = self.jobs.get(pod.job)
        if job is None:
            return
        unit = next(one for one in job.units if one.name == pod.unit)
        then = job.lost(unit, _index(pod))
        self.endings += job.failed or job.gone
        if then != "anew":
            for other in self.of(job.id):
                if then == "restarted" or not other.done:
                    self._drop(other)


def _index(pod: Pod) -> int:
    last = pod.key.rpartition("-")[2]
    return int(last) if last.isdecimal() else 0


def _counted(tree: dict[str, Any]) -> list[str]:
    """Names by which a quota counts a job."""
    group = str(tree.get("apiVersion")).partition("/")[0]
    return [f"count/{str(tree.get('kind')).lower()}s.{group}"]


def _equipment(job: Job) -> list[tuple[str, str]]:
    """(kind, name) of what an operator makes of a job before its pods: without it there are none.

    mpi-operator 0.8.2, mpi_job_controller.go, syncHandler: Service, ConfigMap, Secret, then pods. JobSet 0.12.0,
    jobset_controller.go, reconcile: the Service, then Jobs. A TrainJob has a JobSet. The training operator makes the
    pods of a role first (recorded: ``quota-12``).
    """
    expansion = job.expansion
    if expansion is None or job.kind not in ("MPIJob", "JobSet", "TrainJob"):
        return []
    kinds = {"MPIJob": ("ConfigMap", "Secret"), "TrainJob": ("JobSet",)}.get(job.kind, ())
    found = [(kind, tree) for kind in kinds for tree in expansion.others if tree.get("kind") == kind]
    found += [("Service", tree) for tree in expansion.services]
    return [(kind, str(mapping(tree.get("metadata")).get("name"))) for kind, tree in found]
