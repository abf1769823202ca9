"""One try of one pod: every filter in the scheduler's order, then the score, then the node; or why there is none.

Kubernetes 1.36, pkg/scheduler/schedule_one.go, apis/config/v1/default_plugins.go: the first plugin that refuses a node
ends the questions there.
"""

from __future__ import annotations

from itertools import islice

from specgen.schedulers.kube import devices, nodeaffinity, ports, resources, score, taints
from specgen.schedulers.kube.cel import Failed, Unknown
from specgen.schedulers.kube.messages import NO_NODES, counted
from specgen.schedulers.kube.podaffinity import Near
from specgen.schedulers.kube.spread import Spread
from specgen.schedulers.kube.state import UNRESOLVABLE, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from specgen.schedulers.kube.devices import Allocation, Claim, Slices
    from specgen.schedulers.kube.state import Kind, Node, Place, Shelf, State
    from specgen.schedulers.kube.volumes import Volumes
    from specgen.schedulers.pods import Pod, Sort
    from specgen.schedulers.world import Objects

_NONE: frozenset[str] = frozenset()
UNSCHEDULABLE_REASON, GATED, FAILED = "Unschedulable", "SchedulingGated", "SchedulerError"


class Refused:
    """Why a pod found no node. ``before``: a reason of the whole cluster; ``by``: what each shelf of nodes says;
    ``failed``: why the scheduler gives up on it.
    """

    __slots__ = ("before", "by", "failed", "nodes", "unknown")

    def __init__(
        self,
        nodes: int,
        by: list[tuple[Shelf, Status]],
        *,
        before: str = "",
        unknown: str = "",
        failed: str = "",
    ) -> None:
        self.nodes = nodes
        self.by = by
        self.before = before
        self.unknown = unknown
        self.failed = failed

    @property
    def text(self) -> str:
        """The message before what is said of claims and preemption."""
        if self.failed:
            return f'running "DynamicResources" filter plugin: {self.failed}'
        if not self.nodes:
            return NO_NODES
        if self.before:
            return f"0/{self.nodes} nodes are available: {self.before}."
        reasons = [(reason, shelf.count) for shelf, status in self.by for reason in status.reasons]
        return counted(reasons, self.nodes)


class Cluster:
    """What pods are tried against. ``last``: of equal nodes the last one is taken instead of the first."""

    __slots__ = ("_cache", "last", "objects", "shared", "slices", "state", "volumes")

    def __init__(self, state: State, objects: Objects, volumes: Volumes, slices: Slices, *, last: bool = False) -> None:
        self.state = state
        self.objects = objects
        self.volumes = volumes
        self.slices = slices
        # places of shared devices that are given away
        self.shared: frozenset[Place] = frozenset()
        self.last = last
        # (sort, kind) → what does not change with what stands on a node
        self._cache: dict[tuple[int, int], Status | None] = {}

    def forget(self) -> None:
        """After nodes have changed."""
        self._cache.clear()

    def find(self, sort: Sort, claims: Sequence[Claim]) -> tuple[list[tuple[Shelf, Allocation | None]], Refused]:
        """The shelves that would do, with the devices they would give; why the others would not where none does."""
        host = nodeaffinity.host(sort)
        node = self.state.known(host) if host is not None else None
        if node is not None and node.kind.name is not None:
            found, refused = self.look(sort, claims, [node.shelf])
            if found:
                return found, refused
        return self.look(sort, claims)

    def look(
        self, sort: Sort, claims: Sequence[Claim], shelves: list[Shelf] | None = None
    ) -> tuple[list[tuple[Shelf, Allocation | None]], Refused]:
        """The shelves that would do, with the devices they would give, and why the others would not.

        ``shelves``: those that are looked at; None: all.
        """
        state = self.state
        count = state.count
        if not count:
            return [], Refused(0, [])
        named = nodeaffinity.named(sort)
        # an empty set: each term contradicts itself
        before, unsaid = self.volumes.before(sort) if named is None or named else (nodeaffinity.CONFLICT, "")
        if before:
            return [], Refused(count, [], before=before, unknown=f"nobody says {unsaid}" if unsaid else "")
        claims, elsewhere = self._claims(sort, claims)
        missing = devices.missing_class(claims, self.objects) if claims else ""
        unsaid = self._unsaid(claims, missing) if claims else ""
        if unsaid:
            return [], Refused(count, [], unknown=f"no {unsaid} is among the objects, and the pod claims devices")
        if missing:
            wrong = Status("DynamicResources", UNRESOLVABLE, missing)
            return [], Refused(count, [(shelf, wrong) for shelf in state.shelves.values()], before=missing)
        check = self._dynamic(sort)
        single = self.volumes.single(sort, state) if sort.volumes else None
        found: list[tuple[Shelf, Allocation | None]] = []
        refused: list[tuple[Shelf, Status]] = []
        unknown = failed = ""
        rooms: dict[int, Status | None] = {}
        for shelf in shelves if shelves is not None else list(state.shelves.values()):
            status: Status | Allocation | None
            if named is not None and shelf.kind.name not in named:
                status = Status("NodeAffinity", UNRESOLVABLE, "node(s) didn't satisfy plugin(s) [NodeAffinity]")
            else:
                status = self._fixed(sort, shelf.kind)
                status = status or ports.check(sort, shelf, state.sorts)
                offers = shelf.kind.nodes.allocatable
                covered = frozenset(name for name in elsewhere if not offers.get(name)) if elsewhere else _NONE
                if status is None:
                    if shelf.room not in rooms:
                        rooms[shelf.room] = resources.check(sort, shelf, covered)
                    status = rooms[shelf.room] or single or self._volumes(sort, shelf.kind)
                status = status or check(shelf)
                if status is None and claims:
                    asked = [one for one in claims if not one.template.startswith("(") or covered]
                    try:
                        status = devices.check(asked, shelf, self.slices, self.shared, self.objects)
                    except Unknown as error:
                        unknown = unknown or f"the devices of a claim cannot be chosen: {error}"
                        status = Status("DynamicResources", UNRESOLVABLE, devices.NO_ROOM)
                    except Failed as error:
                        # one node at which it fails is enough
                        failed = failed or str(error)
                        status = Status("DynamicResources", UNRESOLVABLE, devices.NO_ROOM)
            if isinstance(status, Status):
                refused.append((shelf, status))
            else:
                found.append((shelf, status))
        return [] if failed else found, Refused(count, refused, unknown=unknown, failed=failed)

    def _unsaid(self, claims: Sequence[Claim], missing: str) -> str:
        """The kind of which nobody says what there is, and claims ask for it; empty: all is said."""
        if missing:
            return "" if self.objects.knows("DeviceClass") else "DeviceClass"
        held = devices.classes(claims) <= self.objects.held
        return "" if held or self.objects.knows("ResourceSlice") else "ResourceSlice"

    def _claims(self, sort: Sort, claims: Sequence[Claim]) -> tuple[list[Claim], dict[str, object]]:
        """The claims of a pod, and one more for resources that device classes stand for."""
        classes = devices.extended(sort, self.objects)
        if not classes or any(one.template.startswith("(") for one in claims):
            return list(claims), dict(classes)
        requests = [
            {
                "name": f"request-{at}",
                "exactly": {
                    "deviceClassName": tree["metadata"]["name"],
                    "count": sort.asks[name] // 10**9,
                },
            }
            for at, (name, tree) in enumerate(sorted(classes.items()))
        ]
        spec = {"devices": {"requests": requests}}
        return [*claims, devices.Claim("", spec, template="(extended resource)")], dict(classes)

    def claims_more(self, sort: Sort) -> bool:
        """Whether a device class stands for a resource of a pod."""
        return bool(devices.extended(sort, self.objects))

    def _fixed(self, sort: Sort, kind: Kind) -> Status | None:
        key = (sort.id, kind.id)
        if key not in self._cache:
            name = Status("NodeName", UNRESOLVABLE, "node(s) didn't match the requested node name")
            wrong = name if sort.node and sort.node != kind.name else None
            self._cache[key] = (
                taints.cordoned(sort, kind) or wrong or taints.check(sort, kind) or nodeaffinity.check(sort, kind)
            )
        return self._cache[key]

    def _volumes(self, sort: Sort, kind: Kind) -> Status | None:
        return self.volumes.check(sort, kind) if sort.volumes else None

    def _dynamic(self, sort: Sort) -> Callable[[Shelf], Status | None]:
        """What depends on where other pods stand."""
        spread = Spread(sort, self.state) if sort.constraints else None
        anti = self.state.sorts.social and any(other.anti for _, other, _ in self.state.held())
        near = Near(sort, self.state, self.objects) if sort.affinity or sort.anti or anti else None

        def check(shelf: Shelf) -> Status | None:
            status = spread.check(shelf) if spread is not None else None
            return status or (near.check(shelf) if near is not None else None)

        return check

    def fill(self, pods: Sequence[Pod]) -> int:
        """Binds pods of one plain sort, one after the other. Returns how many found a node: the next one did not.

        While no shelf comes or goes, the next pod is bound as the one before it. Where more matters than what a node
        holds itself, none is bound here.
        """
        sort = pods[0].sort
        if self.state.sorts.social or devices.extended(sort, self.objects):
            return 0
        done = 0
        while done < len(pods):
            fitting, nodes = self._candidates(sort)
            if not fitting:
                break
            top = score.best(sort, fitting, self.state, self.objects, nodes=nodes)
            shelf = top[-1 if self.last else 0]
            alike = pods if score.lasts(sort, shelf, fitting, self.state, self.objects) else pods[: done + 1]
            done += self.state.bind_alike(alike, done, shelf, last=self.last)
        return done

    def _candidates(self, sort: Sort) -> tuple[list[Shelf], int]:
        """(the shelves that would do for a plain sort, how many nodes are on such).

        Of shelves that hold as much, and none of the pods that count for how the sort is spread, one stands for all: a
        pod would find them alike.
        """
        if nodeaffinity.host(sort) is not None or sort.ports or not self.state.count:
            found, _ = self.find(sort, ())
            return [shelf for shelf, _ in found], sum(shelf.count for shelf, _ in found)
        spread = score.crowd(sort, self.objects)
        met = self.state.meeting(sort.namespace, spread[0].asked) if spread else ()
        crowded = {shelf.number: shelf for shelf in self.state.holding(met)}
        chosen: list[Shelf] = []
        nodes = 0
        for room in self.state.rooms.values():
            shelves = room.shelves.values()
            first = next(iter(shelves))
            if self._fixed(sort, first.kind) is None and resources.check(sort, first) is None:
                nodes += room.count
                ordered = reversed(shelves) if self.last else shelves
                chosen += islice((one for one in ordered if one.number not in crowded), 1)
                chosen += [one for one in crowded.values() if one.room == first.room]
        return sorted(chosen, key=lambda shelf: shelf.number), nodes

    def place(self, pod: Pod, found: list[tuple[Shelf, Allocation | None]], claims: list[Claim]) -> None:
        """Binds a pod to the best of the shelves that would do."""
        early = {shelf: given.score for shelf, given in found if given is not None}
        top = score.best(pod.sort, [shelf for shelf, _ in found], self.state, self.objects, early)
        shelf = top[-1 if self.last else 0]
        given = next(given for other, given in found if other is shelf)
        node = self.state.pick(shelf, last=self.last)
        if any(not claim.template for claim in claims):
            # a claim that pods share binds the others to this one of the nodes that are alike
            self.state.single_out(node.name)
        self.give(pod, node, given, claims)
        if pod.sort.volumes:
            self.volumes.bind(pod.sort, node.kind)
        self.state.bind(pod, node)
        pod.reason = pod.message = None

    def give(self, pod: Pod, node: Node, given: Allocation | None, claims: list[Claim]) -> None:
        """Gives the claims of a pod devices of a node; further claims of the pod are added to the list."""
        if given is not None:
            everyone, _ = self._claims(pod.sort, claims)
            claims += [one for one in everyone if one not in claims and given.given]
            wanted = [one for one in claims if one.allocated is None]
            for claim, own in zip(wanted, given.given, strict=False):
                claim.take(node, own, self.slices)
                self.hold(claim)
        for claim in claims:
            if pod not in claim.users:
                claim.users.append(pod)

    def allot(self, pod: Pod, claims: list[Claim]) -> bool:
        """Gives the claims of a pod that stands already devices of its node. Returns whether all have some.

        Raises Unknown where nobody says which devices will do.
        """
        everyone, elsewhere = self._claims(pod.sort, claims)
        covered = frozenset(name for name in elsewhere if not pod.node.kind.nodes.allocatable.get(name))
        asked = [one for one in everyone if not one.template.startswith("(") or covered]
        given: Status | Allocation | None = None
        if any(claim.allocated is None for claim in asked):
            try:
                given = devices.check(asked, pod.node.shelf, self.slices, self.shared, self.objects)
            except Failed:
                given = None
        self.give(pod, pod.node, None if isinstance(given, Status) else given, claims)
        return all(claim.allocated is not None for claim in claims)

    def hold(self, claim: Claim) -> None:
        """What a claim has, nobody else gets."""
        if claim.node is not None:
            self.state.take(claim.node, claim.local)
        self.shared |= claim.shared

    def take_back(self, pods: Sequence[Pod]) -> None:
        """Takes pods off that were just placed, as if they had not been."""
        for pod in pods:
            self.evict(pod, [])
        self.state.freed -= len(pods)

    def evict(self, pod: Pod, claims: Sequence[Claim]) -> None:
        """Takes a pod off its node; claims that nobody uses any more give back their devices."""
        for claim in claims:
            if pod in claim.users:
                claim.users.remove(pod)
            if not claim.users and claim.allocated is not None:
                if claim.node is not None:
                    self.state.give_back(claim.node, claim.local)
                self.shared -= claim.shared
                claim.free()
        self.state.free(pod)
