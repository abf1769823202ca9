"""Jobs in order against a world, each until all rests: pods are made, let in, placed, evicted and made anew.

The real programs run at the same time; here each step comes to its end before the next begins, as it does where they
have time. What they leave to chance is asked for: ``reverse`` (the order of roles that an operator takes from a Go
map), ``last`` (which of equal nodes is taken).
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.jobset.pods_of_jobs import pods_each
from specgen.schedulers.admit import Quotas, admitted
from specgen.schedulers.jobs import Job, placeless
from specgen.schedulers.kube import preemption
from specgen.schedulers.kube.decide import GATED, UNSCHEDULABLE_REASON, Cluster
from specgen.schedulers.kube.devices import Claim, Slices
from specgen.schedulers.kube.hints import helped
from specgen.schedulers.kube.state import State
from specgen.schedulers.kube.volumes import Volumes
from specgen.schedulers.limits import Denied
from specgen.schedulers.names import mentioned
from specgen.schedulers.pods import SCHEDULER, Pod, Sorts
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.manifest.model import Manifest
    from specgen.schedulers.jobs import Unit
    from specgen.schedulers.kube.decide import Refused
    from specgen.schedulers.world import Nodes, World

# Who refuses what a quota does not let in.
QUOTA = "the quota"
# Rounds of one step: each binds, evicts or makes at least one pod; what goes on longer goes on for ever.
_ROUNDS = 1_000


class Simulation:
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
        self.groups: list[Nodes] = sorted(world.nodes, key=lambda nodes: nodes.order)
        self.objects = world.objects.copy()
        self.unsaid = world.unsaid
        self._operators = world.operators
        self.reverse = reverse
        self.patience = patience
        self._last = last
        self.jobs: dict[str, Job] = {}
        # all pods that have not gone, in the order in which they were made
        self.pods: list[Pod] = []
        # those of each job, and those that may wait for a node
        self._own: dict[str, list[Pod]] = {}
        self._open: dict[Pod, None] = {}
        self.evicted: list[Pod] = []
        self.changed: dict[str, Nodes] = {}
        # what a queue before this does to the pods of a job that it lets begin
        self.steer: Callable[[Job, Unit, str, dict[str, Any]], dict[str, Any]] | None = None
        self._names: set[str] = set()
        self._claims: dict[Pod, list[Claim]] = {}
        self._common: dict[tuple[str, str], Claim] = {}
        self._quotas = Quotas(self.objects)
        self._companions: list[Manifest] | None = None
        self._sorts = Sorts()
        self._cluster: Cluster | None = None
        # jobs whose pods are all there, until one of them is touched
        self._calm: set[str] = set()
        self._clock = 0
        self._woken = False
        self._tried: dict[int, tuple[int, tuple[str | None, str]]] = {}
        for tree in world.pods:
            self._add(Pod(tree))
        self._learn(world.pods)
        self._build()

    @property
    def cluster(self) -> Cluster:
        """The nodes as they are now."""
        assert self._cluster is not None
        return self._cluster

    # the world

    def _learn(self, trees: list[dict[str, Any]]) -> bool:
        """Takes in names of nodes and labels of pods that somebody asks for; whether nodes must be told apart anew."""
        before = len(self._names)
        for tree in trees:
            self._names |= mentioned(tree)
        new = len(self._names) > before
        for pod in [Pod(tree) for tree in trees if tree.get("kind") in ("Pod", None)]:
            new = self._sorts.learn(pod) or new
        return new

    def _build(self, moved: list[tuple[Nodes | None, Nodes]] | None = None) -> None:
        """Puts up all nodes anew, and on them the pods that stand there.

        ``moved``: what nodes were and are, where nothing else has changed: pods are tried again that this may help.
        """
        for kind in ("ResourceSlice", "PersistentVolume"):
            for tree in self.objects.of(kind):
                self._names |= mentioned(tree)
        keys = set()
        for tree in self.objects.of("PodDisruptionBudget"):
            keys |= set(mapping(mapping(mapping(tree.get("spec")).get("selector")).get("matchLabels")))
        for tree in self.objects.of("Service"):
            keys |= set(mapping(mapping(tree.get("spec")).get("selector")))
        self._sorts.know(keys)
        slices = Slices(self.objects)
        state = State(self._sorts)
        for nodes in self.groups:
            state.add(nodes, slices.local, sorted(self._names | self.changed.keys()), self.changed)
        volumes = Volumes(self.objects)
        before = self._cluster
        self._cluster = Cluster(state, self.objects, volumes, slices, last=self._last)
        if before is not None:
            volumes.bound = before.volumes.bound
            self._cluster.shared = before.shared
        for pod in self.pods:
            pod.sort = self._sorts.of(pod)
            name = pod.node.name if pod.node is not None else pod.spec.get("nodeName")
            pod.node = None
            if name and not pod.done:
                node = state.node(str(name))
                if node is not None:
                    local = frozenset(at for claim in self._claims.get(pod, []) for at in claim.local)
                    state.bind(pod, node, local)
                    for claim in self._claims.get(pod, []):
                        claim.node = node
        self._open = dict.fromkeys(self.pods)
        volumes.settle()
        self._tried.clear()
        self._woken = self._woken or moved is None
        for pod in self.pods if moved else ():
            if pod.node is None and pod.message is not None and any(helped(pod, *one) for one in moved or ()):
                pod.message = None

    def _add(self, pod: Pod) -> None:
        self._clock += 1
        pod.born = pod.since = self._clock
        pod.done = mapping(pod.tree.get("status")).get("phase") in ("Succeeded", "Failed")
        self.pods.append(pod)
        self._own.setdefault(pod.job, []).append(pod)
        self._open[pod] = None

    def _drop(self, pod: Pod) -> None:
        """A pod is gone."""
        if pod.node is not None:
            self.cluster.evict(pod, self._claims.get(pod, []))
            self._woken = True
        self._claims.pop(pod, None)
        self._calm.discard(pod.job)
        self.pods.remove(pod)
        self._own[pod.job].remove(pod)
        self._open.pop(pod, None)

    def remove(self, pod: Pod) -> None:
        """A pod is deleted by somebody."""
        self._drop(pod)

    def change_pod(self, pod: Pod, tree: dict[str, Any]) -> None:
        """A pod that waits is changed, in its gates or its selector."""
        pod.tree = tree
        self._learn([tree])
        self._build()

    def claims(self) -> list[Claim]:
        """The device claims that exist."""
        own = [claim for pod in self.pods if not pod.done for claim in self._claims.get(pod, [])]
        return list(dict.fromkeys([*own, *self._common.values()]))

    # what happens

    def add_object(self, tree: dict[str, Any]) -> None:
        """An object appears, or changes."""
        self.objects.add(tree)
        self._companions = None
        self._build()

    def drop_object(self, tree: dict[str, Any]) -> None:
        """An object is deleted."""
        self.objects.drop(tree)
        self._companions = None
        self._build()

    def add_nodes(self, groups: list[Nodes]) -> None:
        """Nodes join."""
        self.groups += groups
        self._build(moved=[(None, nodes) for nodes in groups])

    def change_node(self, name: str, nodes: Nodes) -> None:
        """A node is another from now on: in its labels, taints, amounts."""
        before = self.changed.get(name) or next(one for one in self.groups if one.names.place(name) is not None)
        self.changed[name] = nodes
        self._build(moved=[(before, nodes)])

    def add_pods(self, trees: list[dict[str, Any]]) -> None:
        """Pods of nobody appear, on the nodes that they name."""
        self._learn(trees)
        for tree in trees:
            self._add(Pod(tree))
        self._build()

    def submit(self, tree: dict[str, Any]) -> Job:
        """A job is created; a refused one is not kept."""
        job = Job(tree, self._beside(), reverse=self.reverse, operators=self._operators)
        if not job.refused:
            try:
                self._quotas.count(self.pods)
                for name in _counted(tree):
                    self._quotas.take_object(job.namespace, name)
            except Denied as error:
                job.refused, job.refused_by = str(error), QUOTA
        if not job.refused:
            if job.name in self.jobs and not self.jobs[job.name].gone:
                job.id = f"{job.kind} {job.namespace}/{job.name}"
                if job.id in self.jobs:
                    job.id = f"{job.id} ({len(self.jobs)})"
            self.jobs[job.id] = job
            self._expect(job)
        return job

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
        owned: dict[tuple[str, str], int] = {}
        for tree in trees:
            for key, value in mapping(mapping(tree.get("metadata")).get("labels")).items():
                owned[key, str(value)] = owned.get((key, str(value)), 0) + 1
        for service in job.expansion.services if job.expansion is not None else ():
            selector = mapping(mapping(service.get("spec")).get("selector"))
            # one of a single pod spreads nothing
            if all(owned.get((key, str(value)), 0) > 1 for key, value in selector.items()):
                self.objects.add(service)
                new = self._sorts.know(set(selector)) or new
        if new:
            self._build()

    def first(self, job: Job) -> list[tuple[str, int, Pod]]:
        """(role, pods of it, one of them as it would be let in) of a job that is not placed yet."""
        found: dict[str, tuple[int, Pod]] = {}
        for unit in job.units:
            for key, tree in unit.due(self._beside())[:1]:
                count = len(unit.pods) if unit.child is None else pods_each(unit.spec)
                try:
                    pod = Pod(admitted(tree, self.objects), job.id, unit.role, key, unit.name)
                except Denied:
                    continue
                pod.sort = self._sorts.of(pod)
                found[unit.role] = (found[unit.role][0] + count if unit.role in found else count, pod)
        return [(role, count, pod) for role, (count, pod) in found.items()]

    def look(self, pod: Pod) -> tuple[bool, Refused]:
        """Whether a pod would find a node now, and why other nodes would not do."""
        found, refused = self.cluster.look(pod.sort, self._claims.get(pod, []))
        return bool(found), refused

    def reload(self, name: str, tree: dict[str, Any]) -> str:
        """A job is changed. Returns why that is refused, empty: it is not."""
        job = self.jobs[name]
        self._calm.discard(name)
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

    def of(self, name: str) -> list[Pod]:
        """The pods of a job."""
        return list(self._own.get(name, ()))

    def finish(self, name: str, role: str = "") -> None:
        """Pods of a job that stand end well, those of one role where one is named; or a pod of nobody does."""
        for pod in [one for one in self.pods if one.job == name or (not one.job and one.name == name)]:
            if pod.node is not None and not pod.done and (not role or pod.role == role):
                self.cluster.evict(pod, self._claims.get(pod, []))
                pod.done = True
                self._woken = True
        job = self.jobs.get(name)
        self._calm.discard(name)
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
        assert job.lifecycle is not None
        end = job.lifecycle.end
        roles = [role.lower() for role in end.roles]
        for pod in self.of(job.id):
            if roles and pod.role not in roles:
                continue
            if end.deletes == EVERYTHING or (end.deletes in (UNFINISHED, ACTIVE_JOBS) and not pod.done):
                self._drop(pod)

    # until all rests

    def rest(self) -> None:
        """Brings the world to rest."""
        for job in self.jobs.values():
            if job.id not in self._calm:
                for unit in job.units:
                    unit.resting.clear()
        for _ in range(_ROUNDS):
            version = self.cluster.state.version
            made = sum([self._sync(job) for job in self.jobs.values() if job.id not in self._calm and not job.gone])
            self.cluster.volumes.settle()
            self._try_all()
            if not made and version == self.cluster.state.version and not self._woken:
                return

    def _sync(self, job: Job) -> int:
        """Makes the pods of a job that are missing and due."""
        if job.finished or job.failed or job.suspended or job.id in self._calm:
            return 0
        made = {pod.key: pod for pod in self.of(job.id)}
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
                self._calm.add(job.id)
            return 0
        self._quotas.count(self.pods)
        self._count_children(job)
        count = 0
        stopped: set[str] = set()
        for unit, key, tree in missing:
            if unit.name in stopped or not job.open(unit, made):
                continue
            try:
                if self._change is not None:
                    tree = {**tree, "spec": self._change(mapping(tree.get("spec")))}
                if self.steer is not None:
                    tree = self.steer(job, unit, key, tree)
                stored = admitted(tree, self.objects)
                self._quotas.take(stored)
                if unit.child is not None:
                    self._child(job, unit)
            except Denied as error:
                stopped.add(unit.name)
                job.told[f"Pod {mapping(tree.get('metadata')).get('name')}: {error}"] = None
                continue
            pod = Pod(stored, job.id, unit.role, key, unit.name)
            if self._learn([stored]):
                self._build()
            self._add(pod)
            pod.sort = self._sorts.of(pod)
            self._claim(pod)
            made[key] = pod
            count += 1
        return count

    def _count_children(self, job: Job) -> None:
        """Counts the batch Jobs that exist."""
        for other in self.jobs.values():
            for unit in other.units:
                if (
                    unit.child is not None
                    and other.kind != "Job"
                    and any(pod.unit == unit.name for pod in self.of(other.id))
                ):
                    self._quotas.used_object(other.namespace, "count/jobs.batch")
            if other.kind == "Job" and not other.gone:
                self._quotas.used_object(other.namespace, "count/jobs.batch")

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

    def _claim(self, pod: Pod) -> None:
        """The device claims of a pod: its own, or those it shares."""
        if not pod.spec.get("resourceClaims"):
            return
        own: list[Claim] = []
        for entry in (mapping(one) for one in sequence(pod.spec.get("resourceClaims"))):
            name, template = entry.get("resourceClaimName"), entry.get("resourceClaimTemplateName")
            if isinstance(template, str):
                tree = self.objects.named("ResourceClaimTemplate", template, pod.namespace)
                spec = mapping(mapping(mapping(tree).get("spec")).get("spec"))
                if tree is not None:
                    own.append(
                        Claim(f"{pod.name}-{entry.get('name')}", spec, job=pod.job, template=str(entry.get("name")))
                    )
            elif isinstance(name, str):
                key = (pod.namespace, name)
                tree = self.objects.named("ResourceClaim", name, pod.namespace)
                if tree is not None:
                    if key not in self._common:
                        self._common[key] = Claim(name, mapping(tree.get("spec")))
                    own.append(self._common[key])
        self._claims[pod] = own

    def _try_all(self) -> None:
        """Tries the pods that wait, those of high priority first, then those that have waited longest."""
        woken, self._woken = self._woken, False
        waiting = [pod for pod in self._open if pod.node is None and not pod.done]
        self._open = dict.fromkeys(waiting)
        waiting.sort(key=lambda pod: (-pod.sort.priority, pod.since))
        version = -1
        for pod in waiting:
            tried = pod.message is not None
            moved = version != self.cluster.state.version and (
                pod.sort.affinity or pod.sort.anti or pod.sort.constraints
            )
            if tried and not woken and not moved:
                continue
            self._try(pod)

    def _try(self, pod: Pod) -> None:
        if pod.sort.gates:
            pod.reason = GATED
            pod.message = f"Scheduling is blocked due to non-empty scheduling gates: {', '.join(pod.sort.gates)}"
            return
        if pod.sort.node:
            # such a pod goes past the scheduler: nobody asks whether there is room
            node = self.cluster.state.node(pod.sort.node)
            if node is not None:
                self.cluster.state.bind(pod, node)
            return
        claims = self._claims.get(pod, [])
        nobody = pod.sort.scheduler != SCHEDULER
        if nobody or len(claims) < len(sequence(pod.spec.get("resourceClaims"))):
            pod.reason = pod.message = None
            return
        before = self._tried.get(pod.sort.id)
        if before is not None and before[0] == self.cluster.state.version and not claims:
            pod.reason, pod.message = UNSCHEDULABLE_REASON, before[1][0]
            pod.unknown = before[1][1]
            self._clock += 1
            pod.since = self._clock
            return
        found, refused = self.cluster.look(pod.sort, claims)
        if not found:
            verdict = preemption.after(pod, refused, claims, self.cluster)
            if verdict.node is not None:
                for victim in verdict.victims:
                    self._evict(victim)
                found, refused = self.cluster.look(pod.sort, claims)
                found = [(shelf, given) for shelf, given in found if shelf is verdict.node.shelf]
        if found:
            own = list(claims)
            self.cluster.place(pod, found, own)
            for claim in own:
                claim.job = claim.job or (pod.job if claim.template else "")
            if own:
                self._claims[pod] = own
            return
        self._clock += 1
        pod.since = self._clock
        pod.reason, pod.message = UNSCHEDULABLE_REASON, refused.text + verdict.message
        pod.unknown = refused.unknown
        self._tried[pod.sort.id] = (self.cluster.state.version, (pod.message, pod.unknown))

    def _evict(self, pod: Pod) -> None:
        """A pod is preempted, and what its job does then."""
        self.evicted.append(pod)
        self._drop(pod)
        job = self.jobs.get(pod.job)
        if job is None:
            return
        unit = next(one for one in job.units if one.name == pod.unit)
        then = job.lost(unit, _index(pod))
        if then != "anew":
            for other in self.of(job.id):
                if then == "restarted" or not other.done:
                    self._drop(other)


def _index(pod: Pod) -> int:
    last = pod.key.rpartition("-")[2]
    return int(last) if last.isdigit() else 0


def _counted(tree: dict[str, Any]) -> list[str]:
    """Names by which a quota counts a job."""
    group = str(tree.get("apiVersion")).partition("/")[0]
    return [f"count/{str(tree.get('kind')).lower()}s.{group}"]
