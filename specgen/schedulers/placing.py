"""Pods and nodes on their way: what appears, changes and goes, and pods that wait are tried until none finds a node.

What the real scheduler leaves to chance is asked for: ``last`` (which of equal nodes is taken).
"""

from __future__ import annotations

from itertools import groupby

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import requirements
from specgen.schedulers.kube import preemption
from specgen.schedulers.kube.cel import Unknown
from specgen.schedulers.kube.decide import FAILED, GATED, UNSCHEDULABLE_REASON, Cluster
from specgen.schedulers.kube.devices import Claim, Slices, held
from specgen.schedulers.kube.hints import helped
from specgen.schedulers.kube.state import State
from specgen.schedulers.kube.volumes import Volumes
from specgen.schedulers.names import mentioned
from specgen.schedulers.pods import SCHEDULER, Pod, Sorts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from specgen.schedulers.kube.decide import Refused
    from specgen.schedulers.world import Nodes, World


class _Named:
    """A node by its name, before it is put up."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class Placing:
    """A world with its pods, and what kube-scheduler does with those that wait."""

    def __init__(self, world: World, *, last: bool = False) -> None:
        self.groups: list[Nodes] = sorted(world.nodes, key=lambda nodes: nodes.order)
        self.objects = world.objects.copy()
        self.domains, self.supposed = world.domains, world.supposed
        self.unsaid = world.unsaid
        self._last = last
        # pods of the default scheduler that somebody before this places
        self.leaves: Callable[[Pod], bool] | None = None
        # all pods that have not gone, in the order in which they were made
        self.pods: list[Pod] = []
        # those of each job, and those that may wait for a node
        self._own: dict[str, list[Pod]] = {}
        self._open: dict[Pod, None] = {}
        self.evicted: list[Pod] = []
        self.changed: dict[str, Nodes] = {}
        self._names: set[str] = set()
        self._claims: dict[Pod, list[Claim]] = {}
        self._common: dict[tuple[str, str], Claim] = {}
        # pods that stood there, whose devices are counted; and one of them of whose claim nobody says what it asks
        self._adopted: dict[Pod, None] = {}
        self.unclaimed = ""
        self._sorts = Sorts()
        self._cluster: Cluster | None = None
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

    def _meet(self, tree: dict[str, Any]) -> None:
        """Takes in a pod that a queue sends to a node: of nodes that are alike that one alone is told apart."""
        names = mentioned(tree) - self._names
        self._names |= names
        if self._sorts.learn(Pod(tree)):
            self._build()
            return
        for name in sorted(names):
            self.cluster.state.single_out(name)

    def tell_apart(self, names: set[str]) -> None:
        """Takes in names of nodes that somebody asks for besides pods."""
        if not names <= self._names:
            self._names |= names
            self._build()

    def _build(self, moved: list[tuple[Nodes | None, Nodes]] | None = None) -> None:
        """Puts up all nodes anew, and on them the pods that stand there.

        ``moved``: what nodes were and are, where nothing else has changed: pods are tried again that this may help.
        """
        for kind in ("ResourceSlice", "PersistentVolume"):
            for tree in self.objects.of(kind):
                self._names |= mentioned(tree)
        keys = set()
        for tree in self.objects.of("PodDisruptionBudget"):
            asked = requirements(mapping(tree.get("spec")).get("selector"))
            keys |= {key for key, _, _ in asked or ()}
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
        else:
            self._allotted(slices)
        for pod in self.pods:
            pod.sort = self._sorts.of(pod)
            name = pod.node.name if pod.node is not None else pod.spec.get("nodeName")
            pod.node = None
            if name and not pod.done:
                node = state.node(str(name))
                if node is not None:
                    state.bind(pod, node)
        for claim in self.claims():
            claim.node = state.node(claim.node.name) if claim.node is not None else None
            claim.settle(slices)
            self._cluster.hold(claim)
        self._adopt()
        self._open = dict.fromkeys(self.pods)
        volumes.settle()
        self._tried.clear()
        self._woken = self._woken or moved is None
        for pod in self.pods if moved else ():
            if pod.node is None and pod.message is not None and any(helped(pod, *one) for one in moved or ()):
                pod.message = None

    def _allotted(self, slices: Slices) -> None:
        """Takes in the claims that have devices already."""
        for tree in self.objects.of("ResourceClaim"):
            found = held(tree, slices)
            if found is not None:
                claim, name = found
                self._common[claim.namespace, claim.name] = claim
                claim.node = None if not name else _Named(name)

    def _adopt(self) -> None:
        """Gives pods that stand already the devices that they claim, where nobody says which these are."""
        for pod in self.pods:
            if pod.node is None or pod.job or pod in self._adopted:
                continue
            self._adopted[pod] = None
            own = self._of_standing(pod)
            for claim in own:
                if claim.elsewhere:
                    claim.free()  # of the devices that it names none is known here: some of the node's
            if len(own) < len(pod.sort.claims):
                self.unclaimed = self.unclaimed or f"the pod {pod.namespace}/{pod.name}"
            if not own and not self.cluster.claims_more(pod.sort):
                continue
            self._claims[pod] = own
            try:
                if not self.cluster.allot(pod, own):
                    self.unclaimed = self.unclaimed or f"the pod {pod.namespace}/{pod.name}"
            except Unknown:
                self.unclaimed = self.unclaimed or f"the pod {pod.namespace}/{pod.name}"
        for claim in self._common.values():
            if claim.elsewhere:
                self.unclaimed = self.unclaimed or f"the claim {claim.called}"

    def _of_standing(self, pod: Pod) -> list[Claim]:
        """The claims of a pod that stands, as its status names them, or as they are made for it."""
        status = mapping(pod.tree.get("status"))
        listed = [mapping(one) for one in sequence(status.get("resourceClaimStatuses"))]
        listed += [mapping(status.get("extendedResourceClaimStatus"))]
        named = [str(one.get("resourceClaimName")) for one in listed if one.get("resourceClaimName")]
        own = [self._common[pod.namespace, name] for name in named if (pod.namespace, name) in self._common]
        for claim in own:
            claim.users = [one for one in claim.users if one != pod.name]
        asked = self._asked(pod)
        shared = [claim for claim in asked if not claim.template and claim not in own]
        if len(own) + len(shared) >= len(pod.sort.claims):
            return [*own, *shared]
        return [*own, *[claim for claim in asked if claim not in own]][: len(pod.sort.claims)]

    def _add(self, pod: Pod) -> None:
        self._clock += 1
        pod.born = pod.since = self._clock
        self.pods.append(pod)
        self._own.setdefault(pod.job, []).append(pod)
        self._open[pod] = None

    def _drop(self, pod: Pod) -> None:
        """A pod is gone."""
        if pod.node is not None:
            self.cluster.evict(pod, self._claims.get(pod, []))
            self._woken = True
        self._claims.pop(pod, None)
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

    def of(self, name: str) -> list[Pod]:
        """The pods of a job."""
        return list(self._own.get(name, ()))

    def ends(self, name: str) -> tuple[int, Pod | None]:
        """How many pods a job has, and the one that was made last."""
        own = self._own.get(name)
        return (len(own), own[-1]) if own else (0, None)

    # what happens

    def add_object(self, tree: dict[str, Any]) -> None:
        """An object appears, or changes."""
        self.objects.add(tree)
        self._build()

    def drop_object(self, tree: dict[str, Any]) -> None:
        """An object is deleted."""
        self.objects.drop(tree)
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

    def look(self, pod: Pod) -> tuple[bool, Refused]:
        """Whether a pod would find a node now, and why other nodes would not do."""
        claims = self._claims[pod] if pod in self._claims else self._asked(pod)
        found, refused = self.cluster.look(pod.sort, claims)
        return bool(found), refused

    # until all are tried

    def _claim(self, pod: Pod) -> None:
        """Keeps the device claims of a pod."""
        if pod.spec.get("resourceClaims"):
            self._claims[pod] = self._asked(pod)

    def _asked(self, pod: Pod) -> list[Claim]:
        """The device claims of a pod: its own, or those it shares."""
        own: list[Claim] = []
        for entry in (mapping(one) for one in sequence(pod.spec.get("resourceClaims"))):
            name, template = entry.get("resourceClaimName"), entry.get("resourceClaimTemplateName")
            if isinstance(template, str):
                tree = self.objects.named("ResourceClaimTemplate", template, pod.namespace)
                spec = mapping(mapping(mapping(tree).get("spec")).get("spec"))
                if tree is not None:
                    called = f"{pod.name}-{entry.get('name')}"
                    template = str(entry.get("name"))
                    own.append(Claim(called, spec, namespace=pod.namespace, job=pod.job, template=template))
            elif isinstance(name, str):
                key = (pod.namespace, name)
                tree = self.objects.named("ResourceClaim", name, pod.namespace)
                if tree is not None:
                    if key not in self._common:
                        self._common[key] = Claim(name, mapping(tree.get("spec")), namespace=pod.namespace)
                    own.append(self._common[key])
        return own

    def _try_all(self) -> None:
        """Tries the pods that wait, those of high priority first, then those that have waited longest."""
        woken, self._woken = self._woken, False
        waiting = [pod for pod in self._open if pod.node is None and not pod.done]
        self._open = dict.fromkeys(waiting)
        if self.leaves is not None:
            waiting = [pod for pod in waiting if not self.leaves(pod)]
        waiting.sort(key=lambda pod: (-pod.sort.priority, pod.since))
        for sort, alike in groupby(waiting, key=lambda pod: pod.sort):
            # where others stand matters to such a pod, and others have just been placed
            moved = sort.affinity or sort.anti or sort.constraints
            pods = [pod for pod in alike if woken or moved or pod.message is None]
            placed = self.cluster.fill(pods) if pods and sort.plain else 0
            for pod in pods[placed:]:
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
        if pod.sort.scheduler != SCHEDULER or len(claims) < len(pod.sort.claims):
            pod.reason = pod.message = None
            return
        before = self._tried.get(pod.sort.id)
        if before is not None and before[0] == self.cluster.state.version and not claims:
            pod.reason, pod.message = UNSCHEDULABLE_REASON, before[1][0]
            pod.unknown = before[1][1]
            self._clock += 1
            pod.since = self._clock
            return
        found, refused = self.cluster.find(pod.sort, claims)
        if refused.failed:
            pod.reason, pod.message, pod.unknown = FAILED, refused.text, refused.unknown
            return
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
        """A pod is preempted."""
        self.evicted.append(pod)
        self._drop(pod)
