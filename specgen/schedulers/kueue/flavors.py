"""Which flavor each pod set gets, and the sum that forbids the others.

Kueue 0.19, pkg/scheduler/flavorassigner/flavorassigner.go. Flavors are asked in order; the first that has what is
free is taken, unless the queue says that it would rather preempt or borrow. Taints and labels are those of the flavor,
never those of nodes.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import tolerates
from specgen.operators.kubernetes.selectors import node_term
from specgen.schedulers.kueue.quota import shown
from specgen.schedulers.kueue.topology import REQUIRED_TERMS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

    from specgen.schedulers.kueue.podsets import PodSet
    from specgen.schedulers.kueue.quota import Of, Queue
    from specgen.schedulers.kueue.topology import Domains, Topology
    from specgen.schedulers.world import Supposed

    class Asking(Protocol):
        """Who is asked whether evicting helps: (mode, height of the cohort that is borrowed from then)."""

        def __call__(self, of: Of, amount: int) -> tuple[int, int]: ...


# How well an amount fits, worst first: never, not now, after evictions in the queue, in the cohort, now.
NO_FIT, NO_VICTIMS, PREEMPT, RECLAIM, FIT = range(5)


class Flavor:
    """A ResourceFlavor."""

    __slots__ = ("labels", "name", "taints", "tolerations", "topology")

    def __init__(self, tree: dict[str, Any]) -> None:
        spec = mapping(tree.get("spec"))
        self.name = str(mapping(tree.get("metadata")).get("name"))
        self.labels = {str(key): str(value) for key, value in mapping(spec.get("nodeLabels")).items()}
        self.taints = [mapping(one) for one in sequence(spec.get("nodeTaints"))]
        self.tolerations = [mapping(one) for one in sequence(spec.get("tolerations"))]
        self.topology = str(spec.get("topologyName") or "")

    def untolerated(self, spec: dict[str, Any]) -> dict[str, Any] | None:
        """The first of its taints that pods do not bear, nor by what it brings."""
        borne = [*sequence(spec.get("tolerations")), *self.tolerations]
        for taint in self.taints:
            key, value, effect = (str(taint.get(word) or "") for word in ("key", "value", "effect"))
            if effect in ("NoSchedule", "NoExecute") and not tolerates(borne, key, value, effect):
                return taint
        return None


class Unfit:
    """Why a flavor will not do for pods, whatever is left of it.

    ``kind``: ``topology`` (pods wish for one, and it has none), ``level`` (it has others), ``placed`` (it takes pods
    alone that wish for a topology), ``taint``, ``labels``, or ``unknown``; ``what``: the taint or the level;
    ``message``: as Kueue says it.
    """

    __slots__ = ("kind", "message", "what")

    def __init__(self, kind: str, message: str, what: str = "") -> None:
        self.kind = kind
        self.message = message
        self.what = what


class Given:
    """A flavor for a resource. ``tried``: its place among the flavors, -1: it was the last of them."""

    __slots__ = ("borrow", "flavor", "mode", "tried")

    def __init__(self, flavor: str, mode: int, borrow: int) -> None:
        self.flavor = flavor
        self.mode = mode
        self.borrow = borrow
        self.tried = -1


class Share:
    """What a pod set gets. ``reasons``: why it does not fit now; ``domains``: where its pods go."""

    __slots__ = ("count", "domains", "flavors", "pods", "reasons")

    def __init__(self, pods: PodSet, count: int) -> None:
        self.pods = pods
        self.count = count
        self.flavors: dict[str, Given] = {}
        self.reasons: list[str] = []
        self.domains: Domains | None = None

    @property
    def mode(self) -> int:
        """How well it fits: as its worst resource."""
        if not self.flavors:
            return NO_FIT if self.pods.asks and self.reasons else FIT
        return min(given.mode for given in self.flavors.values())


class Assignment:
    """What all pod sets of a job get together. ``refused``: why it is not even counted; ``old``: what the Workload has
    that it takes the place of.
    """

    __slots__ = ("old", "refused", "shares")

    def __init__(self, refused: str = "", old: dict[Of, int] | None = None) -> None:
        self.refused = refused
        self.old = old or {}
        self.shares: list[Share] = []

    @property
    def mode(self) -> int:
        """How well it fits: as its worst pod set."""
        return NO_FIT if self.refused else min((share.mode for share in self.shares), default=FIT)

    @property
    def borrow(self) -> int:
        """The height of the highest cohort that is borrowed from."""
        return max((given.borrow for share in self.shares for given in share.flavors.values()), default=0)

    def usage(self, fewer: Mapping[str, int] | None = None) -> dict[Of, int]:
        """(flavor, resource) → billionths; ``fewer``: pod set → how many of its pods count, where not all do."""
        made: dict[Of, int] = {}
        for share in self.shares:
            count = min(share.count, (fewer or {}).get(share.pods.name, share.count))
            asks = share.pods.sum(count)
            for name, given in share.flavors.items():
                amount = count * 10**9 if name == "pods" else asks.get(name, 0)
                made[given.flavor, name] = made.get((given.flavor, name), 0) + amount
        return made

    def more(self) -> dict[Of, int]:
        """The same without what the Workload has that it takes the place of."""
        return {of: amount - self.old.get(of, 0) for of, amount in self.usage().items()}

    @property
    def message(self) -> str:
        """Why it does not fit, as Kueue says it."""
        parts = [
            f"couldn't assign flavors to pod set {share.pods.name}: {', '.join(sorted(share.reasons))}"
            for share in self.shares
            if share.reasons
        ]
        return self.refused or "; ".join(parts)

    @property
    def tried(self) -> list[dict[str, int]]:
        """For each pod set the place of the flavor that was tried last, by resource."""
        return [{name: given.tried for name, given in share.flavors.items()} for share in self.shares]


class Assigner:
    """Finds flavors for the pod sets of one job in its queue. Without ``domains`` topologies are not looked at, and
    those that are ``supposed``, where the queue has any, are for pods alone that wish for a domain.
    """

    def __init__(
        self,
        queue: Queue,
        flavors: dict[str, Flavor],
        topologies: dict[str, Topology],
        ask: Asking,
        *,
        tried: list[dict[str, int]],
        domains: bool = True,
        supposed: Supposed | None = None,
        undeclared: bool = False,
        old: dict[Of, int] | None = None,
    ) -> None:
        self.queue = queue
        self.flavors = flavors
        self.topologies = topologies
        self.ask = ask
        self.tried = tried
        fungible = mapping(queue.spec.get("flavorFungibility"))
        self.next_preempt = fungible.get("whenCanPreempt", "TryNextFlavor") == "TryNextFlavor"
        self.next_borrow = fungible.get("whenCanBorrow") == "TryNextFlavor"
        self.rather_preempt = fungible.get("preference") == "PreemptionOverBorrowing"
        names = [name for _, listed in queue.groups for name in listed]
        # a queue of flavors with a topology places by it even those who wish for none
        self.implied = bool(names) and all(name in flavors and flavors[name].topology for name in names)
        self.domains, self.supposed = domains, supposed is not None and supposed.supposes(names)
        self.implied = self.implied and not self.supposed
        # what it has already, in flavors that it keeps
        self.old = old or {}
        # a resource that no group covers is not counted: Kueue's configuration says so, or a cluster profile is silent
        self.undeclared = undeclared or queue.spec.get("quotaCheckStrategy") == "IgnoreUndeclared"

    def assign(self, sets: Sequence[PodSet], counts: Sequence[int]) -> Assignment:
        """The flavors for so many pods of each set, without domains."""
        made = Assignment(old=self.old)
        groups: dict[str, list[int]] = {}
        for at, pods in enumerate(sets):
            groups.setdefault(pods.wish.group or str(at), []).append(at)
        used: dict[Of, int] = {}
        for members in groups.values():
            shares = [Share(sets[at], counts[at]) for at in members]
            self._group(shares, members[0], used)
            made.shares += shares
            for share in shares:
                asks = self._asks(share)
                for name, given in share.flavors.items():
                    of = (given.flavor, name)
                    used[of] = used.get(of, 0) + asks.get(name, 0) - self.old.get(of, 0)
            if any(share.mode == NO_FIT for share in shares):
                break
        return made

    def _asks(self, share: Share) -> dict[str, int]:
        asks = share.pods.sum(share.count)
        if self.queue.group("pods") is not None:
            asks["pods"] = share.count * 10**9
        return asks

    def _group(self, shares: list[Share], first: int, used: dict[Of, int]) -> None:
        """Pod sets that get their flavors together."""
        own = [self._asks(share) for share in shares]
        asks: dict[str, int] = {}
        for one in own:
            for name, amount in one.items():
                asks[name] = asks.get(name, 0) + amount
        found: dict[str, Given] = {}
        reasons: list[str] = []
        for name in sorted(asks):
            if name in found:
                continue
            group = self.queue.group(name)
            if group is None:
                if asks[name] == 0 or self.undeclared:
                    continue
                found, reasons = {}, [f"resource {name} unavailable in ClusterQueue"]
                break
            given, said = self._find(shares, asks, name, group, first, used)
            if not given:
                found, reasons = {}, said
                break
            found.update(given)
            reasons += said
        for share, one in zip(shares, own, strict=True):
            for name, given_ in found.items():
                if name in one:
                    copied = Given(given_.flavor, given_.mode, given_.borrow)
                    copied.tried = given_.tried
                    share.flavors[name] = copied
            share.reasons = list(reasons)

    def _find(
        self,
        shares: list[Share],
        asks: dict[str, int],
        resource: str,
        group: tuple[list[str], list[str]],
        first: int,
        used: dict[Of, int],
    ) -> tuple[dict[str, Given], list[str]]:
        """The best flavor for the resources of a group."""
        covered, names = group
        asks = {name: amount for name, amount in asks.items() if name in covered}
        best: dict[str, Given] = {}
        best_mode = (NO_FIT, 0)
        reasons: list[str] = []
        start = self.tried[first].get(resource, -1) + 1 if first < len(self.tried) else 0
        at = -1
        for at in range(start, len(names)):
            flavor = self.flavors.get(names[at])
            unfit = [self.unfit(share.pods, names[at]) for share in shares]
            why = next((one.message for one in unfit if one is not None), "")
            if why or flavor is None:
                reasons.append(why)
                continue
            given: dict[str, Given] = {}
            worst = (FIT, 0)
            for name in sorted(asks):
                of = (flavor.name, name)
                kept = [other for other, resource in self.old if resource == name and other != flavor.name]
                if self.old and kept:
                    mode, borrow = NO_FIT, 0
                    said = f"could not assign {flavor.name} flavor since the original workload is assigned: {kept[0]}"
                else:
                    mode, borrow, said = self._fits(of, asks[name] - self.old.get(of, 0), used)
                if said:
                    reasons.append(said)
                if self._better(worst, (mode, borrow)):
                    worst = (mode, borrow)
                given[name] = Given(flavor.name, mode, borrow)
            if not self._next(worst):
                best, best_mode = given, worst
                break
            if self._better(worst, best_mode):
                best, best_mode = given, worst
        for one in best.values():
            one.tried = -1 if at == len(names) - 1 else at
        return best, [] if best_mode[0] == FIT else reasons

    def _better(self, one: tuple[int, int], other: tuple[int, int]) -> bool:
        if NO_FIT in (one[0], other[0]):
            return one[0] != NO_FIT
        if self.rather_preempt:
            return (-one[1], one[0]) > (-other[1], other[0])
        return (one[0], -one[1]) > (other[0], -other[1])

    def _next(self, worst: tuple[int, int]) -> bool:
        """Whether the flavor behind is asked, too."""
        mode, borrow = worst
        if mode in (NO_FIT, NO_VICTIMS) or (mode in (PREEMPT, RECLAIM) and self.next_preempt):
            return True
        return borrow > 0 and self.next_borrow

    def _fits(self, of: Of, amount: int, used: dict[Of, int]) -> tuple[int, int, str]:
        """(mode, height of the cohort that is borrowed from, why it does not fit now)."""
        flavor, name = of
        before = used.get(of, 0)
        whole = before + amount
        most, left = self.queue.most(of), max(0, self.queue.left(of))
        if whole > most:
            sums = f"({shown(name, before)}) + current podset request ({shown(name, amount)})"
            said = f"previously considered podsets requests {sums} > maximum capacity ({shown(name, most)})"
            return NO_FIT, 0, f"insufficient quota for {name} in flavor {flavor}, {said}"
        borrow, part = self.queue.lowest(of, whole)
        if whole <= left:
            return FIT, borrow, ""
        said = f"insufficient unused quota for {name} in flavor {flavor}, {shown(name, whole - left)} more needed"
        if self.queue.nominal.get(of, 0) >= whole or part or self.queue.borrows_by_preempting[0]:
            mode, after = self.ask(of, whole)
            return mode, after, said
        return NO_FIT, borrow, said

    def wants_domains(self, pods: PodSet) -> bool:
        """Whether pods are placed by a topology; by a supposed one where all flavors have what they wish for."""
        if self.supposed and pods.wish.named:
            names = [name for _, listed in filter(None, map(self.queue.group, pods.asks)) for name in listed]
            own = [self.topologies.get(name) for name in names]
            return self.domains and all(one is not None and not one.lacks_level(pods.wish) for one in own)
        return self.domains and (pods.wish.named or self.implied)

    def unfit(self, pods: PodSet, name: str) -> Unfit | None:
        """Why a flavor will not do for pods, whatever is left of it; None: it will."""
        flavor, wish = self.flavors.get(name), pods.wish
        if flavor is None:
            return Unfit("unknown", f"flavor {name} not found")
        if self.wants_domains(pods):
            topology = self.topologies.get(name)
            if not flavor.topology:
                return Unfit("topology", f'Flavor "{name}" does not support TopologyAwareScheduling')
            if topology is None:
                return Unfit("unknown", f'Flavor "{name}" information missing in TAS cache')
            if topology.lacks_level(wish):
                level = next(one for one in wish.levels if one not in topology.levels)
                return Unfit("level", f'Flavor "{name}" does not contain the requested level', level)
        elif flavor.topology and self.domains and not self.supposed:
            return Unfit("placed", f'Flavor "{name}" supports only TopologyAwareScheduling')
        taint = flavor.untolerated(pods.spec)
        if taint is not None:
            key, value, effect = (str(taint.get(word) or "") for word in ("key", "value", "effect"))
            return Unfit("taint", f"untolerated taint {{{key} {value} {effect} <nil>}} in flavor {name}", key)
        if not selects(pods.spec, flavor.labels):
            return Unfit("labels", f"flavor {name} doesn't match node affinity")
        return None


def selects(spec: dict[str, Any], labels: dict[str, str]) -> bool:
    """Whether pods may take a flavor: their selectors by keys that the flavor has; other keys are not looked at."""
    for key, value in mapping(spec.get("nodeSelector")).items():
        if key in labels and labels[key] != str(value):
            return False
    affinity = mapping(mapping(spec.get("affinity")).get("nodeAffinity"))
    terms = []
    for term in sequence(mapping(affinity.get(REQUIRED_TERMS)).get("nodeSelectorTerms")):
        own = [one for one in sequence(mapping(term).get("matchExpressions")) if mapping(one).get("key") in labels]
        if not own:
            return True
        terms.append({"matchExpressions": own})
    return not terms or any(node_term(term, labels, None) for term in terms)
