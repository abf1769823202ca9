"""Which domains of a topology pods get: racks, blocks, hosts, as few as will do.

Kueue 0.19, pkg/cache/scheduler/tas_flavor_snapshot.go. Domains that hold all are taken by the least room (best fit);
where it takes several, those with most room come first, and the last one is again the best fit; without a wish, those
with least room. Ties go by name. Recorded in worlds ``tas-*``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.room import tolerates
from specgen.operators.kubernetes.selectors import meets, node_term
from specgen.quantity import NANO
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any, TypeAlias

    from specgen.schedulers.kueue.podsets import PodSet, Wish
    from specgen.schedulers.world import Taint

    # (values of the labels that name a domain, pods there)
    Domains: TypeAlias = list[tuple[tuple[str, ...], int]]

# More of a resource than any job asks for: of what nobody says how much a node has.
ENOUGH = 10**40
# Sorts of pods of which is kept how they find the domains.
_MOST_VIEWS = 16
REQUIRED_TERMS = "requiredDuringSchedulingIgnoredDuringExecution"


class Host:
    """A node, as far as a topology looks at it. ``used``: by pods that no topology has placed.

    ``alike``: the number of the group whose nodes differ in their names and use alone; 0: it is of none.
    """

    __slots__ = ("alike", "allocatable", "labels", "name", "ready", "taints", "used")

    def __init__(
        self, name: str, labels: dict[str, str], allocatable: dict[str, int], taints: Sequence[Taint], *, ready: bool
    ) -> None:
        self.name = name
        self.labels = labels
        self.allocatable = allocatable
        self.taints = taints
        self.ready = ready
        self.used: dict[str, int] = {}
        self.alike = 0


class Domain:
    """A domain of a level. What of it is free is counted anew for each pod set.

    ``pods``, ``slices``: that find room; ``led_pods``, ``led_slices``: beside a leader; ``leader``: 1, it finds room.
    """

    __slots__ = ("children", "host", "leader", "led_pods", "led_slices", "parent", "pods", "slices", "there", "values")

    def __init__(self, values: tuple[str, ...], parent: Domain | None) -> None:
        self.values = values
        self.parent = parent
        self.children: list[Domain] = []
        self.there: dict[str, int] = {}
        self.host: Host | None = None
        self.pods = self.led_pods = self.slices = self.led_slices = self.leader = 0


class Room:
    """A domain: its values from the top, and how many pods find room in it now.

    ``there``: what its nodes have beside what pods of no topology use, ``free``: what of that is free, both by the
    resources that the pods ask for, in billionths.
    """

    __slots__ = ("free", "pods", "there", "values")

    def __init__(self, values: tuple[str, ...], pods: int, free: dict[str, int], there: dict[str, int]) -> None:
        self.values = values
        self.pods = pods
        self.free = free
        self.there = there


class View:
    """The domains of a topology as pods of one sort find them; counted anew is what has changed since the last time.

    ``seen``: changes of the topology that are counted; ``stale``: domains of which more than those has changed.
    """

    __slots__ = ("by_level", "domains", "kept_out", "leaves", "roots", "seen", "stale", "why")

    def __init__(self, topology: Topology) -> None:
        self.by_level: list[list[Domain]] = [[] for _ in topology.levels]
        self.domains: dict[tuple[str, ...], Domain] = {}
        self.leaves: dict[tuple[str, ...], Domain] = {}
        self.roots: list[Domain] = []
        # why hosts are left out → how many, and of each leaf that has a reason which
        self.kept_out: dict[str, int] = {}
        self.why: dict[tuple[str, ...], str] = {}
        for values, one in topology.leaves.items():
            parent: Domain | None = None
            for level in range(len(values)):
                domain = self.domains.get(values[: level + 1])
                if domain is None:
                    domain = self.domains[values[: level + 1]] = Domain(values[: level + 1], parent)
                    self.by_level[level].append(domain)
                    (parent.children if parent is not None else self.roots).append(domain)
                parent = domain
            assert parent is not None
            parent.there, parent.host = one.there, one.host
            self.leaves[values] = parent
        self.seen = len(topology.changes)
        self.stale: dict[Domain, None] = dict.fromkeys(self.leaves.values())

    def set_reason(self, values: tuple[str, ...], why: str) -> None:
        """Why a leaf is left out; empty: it is not."""
        before = self.why.pop(values, "")
        if before:
            self.kept_out[before] -= 1
            if not self.kept_out[before]:
                del self.kept_out[before]
        if why:
            self.why[values] = why
            self.kept_out[why] = self.kept_out.get(why, 0) + 1


class Search:
    """A pod set, and its leader, on their way to domains."""

    __slots__ = ("count", "kept_out", "layers", "leaders", "level", "open", "required", "size", "sizes", "slice_level",
                 "total")  # fmt: skip

    def __init__(self, wish: Wish, count: int, leaders: int) -> None:
        self.count = count
        self.leaders = leaders
        self.size = wish.slice_size
        self.required = wish.required
        # no wish: the domains with least room are filled first
        self.open = wish.unconstrained or not wish.level
        self.level = self.slice_level = 0
        # slices within slices: of a level, and as they are asked for, with the outermost
        self.sizes: dict[int, int] = {}
        self.layers = [(wish.slice, wish.slice_size), *wish.layers] if wish.layers else []
        # why hosts are left out → how many
        self.kept_out: dict[str, int] = {}
        self.total = 0


class Topology:
    """The domains of a flavor, and what jobs that it has placed use of them."""

    def __init__(self, name: str, levels: Sequence[str], tolerations: list[dict[str, Any]]) -> None:
        self.name = name
        self.levels = list(levels)
        self.tolerations = tolerations
        self.roots: list[Domain] = []
        self.by_level: list[list[Domain]] = [[] for _ in self.levels]
        self.leaves: dict[tuple[str, ...], Domain] = {}
        # of each domain of any level
        self.used: dict[tuple[str, ...], dict[str, int]] = {}
        # leaves of which the use has changed, in order
        self.changes: list[tuple[str, ...]] = []
        self._views: dict[Any, View] = {}
        # the rooms that were last asked for: (level, changes until then, what pods ask and say)
        self._rooms: tuple[tuple[str, int, str, str], list[Room]] = (("", 0, "", ""), [])
        self._by_host: dict[str, tuple[str, ...]] = {}
        self._found: dict[tuple[str, ...], Domain] = {}
        self.to_hosts = bool(self.levels) and self.levels[-1] == HOSTNAME

    def add(self, host: Host) -> None:
        """Takes in a node that has the labels of the flavor."""
        if not host.ready or any(key not in host.labels for key in self.levels):
            return
        values = tuple(host.labels[key] for key in self.levels)
        parent: Domain | None = None
        for level in range(len(values)):
            key = values[: level + 1]
            domain = self._found.get(key)
            if domain is None:
                domain = self._found[key] = Domain(key, parent)
                self.by_level[level].append(domain)
                (parent.children if parent is not None else self.roots).append(domain)
            parent = domain
        assert parent is not None
        self.leaves[values] = parent
        self._by_host.setdefault(values[-1], values)
        self._views.clear()
        parent.host = host
        for name, amount in host.allocatable.items():
            parent.there[name] = parent.there.get(name, 0) + amount - host.used.get(name, 0)

    def leaf(self, values: tuple[str, ...]) -> tuple[str, ...]:
        """The whole name of a domain that may be named by its host alone."""
        if self.to_hosts and len(values) == 1:
            return self._by_host.get(values[0], values)
        return values

    def use(self, domains: Domains, asks: dict[str, int], sign: int = 1) -> None:
        """Counts pods that are placed, or takes them away."""
        for values, count in domains:
            leaf = self.leaf(values)
            self.changes.append(leaf)
            for level in range(0 if leaf in self.leaves else len(leaf) - 1, len(leaf)):
                used = self.used.setdefault(leaf[: level + 1], {})
                for name, amount in {**asks, "pods": NANO}.items():
                    used[name] = used.get(name, 0) + sign * amount * count

    def rooms(self, level: str, pods: PodSet) -> list[Room]:
        """The domains of a level, and those above it, each before those in it, as they are for pods of a set now."""
        key = (level, len(self.changes), repr(pods.asks), repr(pods.spec))
        if self._rooms[0] != key:
            search = Search(pods.wish, pods.count, 0)
            search.size, search.slice_level = 1, len(self.levels) - 1
            view = self._count(pods, None, {}, search, empty=False)
            own = [one for listed in view.by_level[: self.levels.index(level) + 1] for one in listed]
            own.sort(key=lambda one: one.values)
            self._rooms = key, [self._room(one, pods.asks) for one in own]
        return self._rooms[1]

    def _room(self, domain: Domain, names: Iterable[str]) -> Room:
        have, used = _there(self._found[domain.values]), self.used.get(domain.values, {})
        there = {name: have.get(name, 0) for name in names if have.get(name, 0) < ENOUGH}
        return Room(domain.values, domain.pods, {name: there[name] - used.get(name, 0) for name in there}, there)

    def lacks_level(self, wish: Wish) -> bool:
        """Whether a level is asked for that is none of these."""
        return any(key and key not in self.levels for key in (wish.level, wish.slice, *(one for one, _ in wish.layers)))

    def find(
        self,
        workers: PodSet,
        count: int,
        leader: PodSet | None,
        assumed: dict[tuple[str, ...], dict[str, int]],
        *,
        empty: bool = False,
    ) -> tuple[dict[str, Domains], str]:
        """(pod set → domains, why there are none)."""
        wish = workers.wish
        search = Search(wish, count, 0 if leader is None else 1)
        top = wish.level or (self.levels[0] if wish.slice else self.levels[-1])
        below = wish.slice or self.levels[-1]
        search.level, search.slice_level = self.levels.index(top), self.levels.index(below)
        if search.level > search.slice_level:
            return {}, f"podset slice topology {below} is above the podset topology {top}"
        why = self._layered(wish, search)
        if why:
            return {}, why
        view = self._count(workers, leader, assumed, search, empty=empty)
        level, chosen, why = self._level(search.level, search, view)
        if why:
            return {}, why
        chosen = _filled(chosen, count, search.leaders, search.size, search, slices=True)
        view.stale |= dict.fromkeys(chosen)
        while level < min(len(self.levels) - 1, search.slice_level):
            lower = _sorted([child for domain in chosen for child in domain.children], search)
            chosen = _filled(lower, count, search.leaders, search.size, search, slices=True)
            view.stale |= dict.fromkeys(chosen)
            level += 1
        while level < len(self.levels) - 1:
            size = search.size if level < search.slice_level else search.sizes.get(level + 1, 1)
            deeper: list[Domain] = []
            for domain in chosen:
                lower = _sorted(domain.children, search)
                for child in lower if size > 1 else ():
                    child.slices, child.led_slices = child.pods // size, child.led_pods // size
                    view.stale[child] = None
                deeper += _filled(lower, domain.pods, domain.leader, size, search, slices=size > 1)
            chosen = deeper
            view.stale |= dict.fromkeys(chosen)
            level += 1
        made = {workers.name: self._named(chosen, led=False)}
        if leader is not None:
            made[leader.name] = self._named(chosen, led=True)
        return made, ""

    def _layered(self, wish: Wish, search: Search) -> str:
        """Takes in the slices within slices; why there can be none."""
        before, size = search.slice_level, search.size
        for name, own in wish.layers:
            level = self.levels.index(name)
            if level <= before:
                return f"additional slice layer topology {name} must be at a lower level than {self.levels[before]}"
            if size % own:
                return f"additional slice layer size {own} must evenly divide parent layer size {size}"
            search.sizes |= dict.fromkeys(range(before + 1, level + 1), own)
            before, size = level, own
        return ""

    def _named(self, domains: list[Domain], *, led: bool) -> Domains:
        first = len(self.levels) - 1 if self.to_hosts else 0
        return [
            (domain.values[first:], domain.leader if led else domain.pods)
            for domain in sorted(domains, key=lambda one: one.values)
            if (domain.leader if led else domain.pods) > 0
        ]

    def _count(
        self,
        workers: PodSet,
        leader: PodSet | None,
        assumed: dict[tuple[str, ...], dict[str, int]],
        search: Search,
        *,
        empty: bool,
    ) -> View:
        """Counts how many pods find room in each domain."""
        asks = {**workers.asks, "pods": NANO}
        leads = {**leader.asks, "pods": NANO} if leader is not None else None
        tolerations = [*sequence(workers.spec.get("tolerations")), *self.tolerations]
        where = [tolerations, workers.spec.get("nodeSelector"), workers.spec.get("affinity")]
        layers = tuple(search.sizes.items())
        sort = (repr(sorted(asks.items())), repr(leads), repr(where), search.size, search.slice_level, empty, layers)
        view = self._views.get(sort)
        if view is None:
            if len(self._views) >= _MOST_VIEWS:
                del self._views[next(iter(self._views))]
            view = self._views[sort] = View(self)
        stale = {domain.values: domain for domain in view.stale}
        stale |= {
            values: view.leaves[values] for values in (*self.changes[view.seen :], *assumed) if values in view.leaves
        }
        # what is assumed holds for this time alone
        view.stale = {view.leaves[values]: None for values in assumed if values in view.leaves}
        view.seen = len(self.changes)
        above: dict[tuple[str, ...], Domain] = {}
        # what of pods finds room on a node of a group of which nothing is used, where no name matters
        told = self.to_hosts and not any(word in sort[2] for word in (HOSTNAME, "matchFields"))
        fresh: dict[int, tuple[int, int, int, str]] = {}
        for values, domain in stale.items():
            if values not in view.leaves:
                above[values] = domain
                continue
            domain.pods = domain.led_pods = domain.slices = domain.led_slices = domain.leader = 0
            used = [assumed.get(values), None if empty else self.used.get(values)]
            host = domain.host
            group = host.alike if told and host is not None and not (host.used or used[0] or used[1]) else 0
            if group in fresh:
                domain.pods, domain.led_pods, domain.leader, why = fresh[group]
            else:
                why = self._fill(domain, workers, asks, leads, tolerations, used)
                if group:
                    fresh[group] = (domain.pods, domain.led_pods, domain.leader, why)
            view.set_reason(values, why)
            if len(values) - 1 == search.slice_level:
                domain.slices, domain.led_slices = domain.pods // search.size, domain.led_pods // search.size
            for level in range(1, len(values)):
                above.setdefault(values[:level], view.domains[values[:level]])
        for domain in list(above.values()):
            for level in range(1, len(domain.values)):
                above.setdefault(domain.values[:level], view.domains[domain.values[:level]])
        for domain in sorted(above.values(), key=lambda one: -len(one.values)):
            _summed(domain, len(domain.values) - 1, search)
        search.total, search.kept_out = len(view.leaves), view.kept_out
        return view

    def _fill(
        self,
        domain: Domain,
        workers: PodSet,
        asks: dict[str, int],
        leads: dict[str, int] | None,
        tolerations: list[Any],
        used: list[dict[str, int] | None],
    ) -> str:
        """Counts what finds room in a leaf; why none does."""
        if self.to_hosts:
            assert domain.host is not None
            why = _kept_out(domain.host, workers.spec, tolerations)
            if why:
                return why
        left = dict(domain.there)
        for one in used:
            for name, amount in (one or {}).items():
                left[name] = left.get(name, 0) - amount
        domain.pods, short = _holds(asks, left)
        why = f'resource "{short}"' if domain.pods == 0 and short else ""
        if leads is not None and _holds(leads, left)[0] > 0:
            domain.leader = 1
            for name, amount in leads.items():
                left[name] = left.get(name, 0) - amount
        domain.led_pods = _holds(asks, left)[0]
        return why

    def _level(self, level: int, search: Search, view: View) -> tuple[int, list[Domain], str]:
        """The level, and its domains, that hold all; the level above where a wish is only a preference."""
        if not view.by_level[level]:
            return 0, [], f"no topology domains at level: {self.levels[level]}"
        domains = sorted(
            view.by_level[level],
            key=lambda one: (-one.leader, one.led_slices if search.open else -one.led_slices, one.led_pods, one.values),
        )
        wanted = search.count // search.size
        first = domains[0]
        if search.open:
            for domain in domains:
                if domain.slices >= wanted:
                    return level, [domain], ""
            if search.required:
                return 0, [], self._short(domains[-1].pods, wanted, search, view, level)
        elif first.led_slices >= wanted and first.leader >= search.leaders:
            return level, [_best(domains, wanted, "led_slices" if search.leaders else "slices")], ""
        if search.required and not (first.led_slices >= wanted and first.leader >= search.leaders):
            return 0, [], self._short(first.slices, wanted, search, view, level)
        if level > 0 and not search.open:
            return self._level(level - 1, search, view)
        chosen: list[Domain] = []
        rest, leaders, at = wanted, search.leaders, 0
        while leaders > 0 and at < len(domains) and domains[at].leader > 0:
            domain = domains[at]
            if not search.open and domain.led_slices >= rest:
                domain = _best(domains[at:], rest, "led_slices")
            chosen.append(domain)
            leaders -= domain.leader
            rest -= domain.led_slices
            at += 1
        if leaders > 0:
            return 0, [], self._short(search.leaders - leaders, wanted, search, view, level)
        others = _sorted([one for one in domains[at:] if one not in chosen], search)
        for place, domain in enumerate(others):
            if rest <= 0:
                break
            if not search.open and domain.slices >= rest:
                domain = _best(others[place:], rest, "slices")
            chosen.append(domain)
            rest -= domain.slices
        if rest > 0:
            return 0, [], self._short(wanted - rest, wanted, search, view, level)
        return level, chosen, ""

    def _short(self, fitting: int, wanted: int, search: Search, view: View, level: int) -> str:
        unit = "pod" if search.size == 1 else "slice"
        if search.layers:
            # of the domain that holds most
            best = min(view.by_level[level], key=lambda one: (-one.slices, one.values))
            said = f'topology "{self.name}" doesn\'t allow to fit'
            for name, size in search.layers:
                fit = _slices_in(best, level, self.levels.index(name), size)
                said += f"; {fit}/{search.count // size} slice(s) fit on level {name}"
        elif fitting:
            said = f'topology "{self.name}" allows to fit only {fitting} out of {wanted} {unit}(s)'
        else:
            said = f'topology "{self.name}" doesn\'t allow to fit any of {wanted} {unit}(s)'
        if not search.kept_out:
            return said
        listed = ", ".join(sorted(f"{why}: {count}" for why, count in search.kept_out.items()))
        return f"{said}. Total nodes: {search.total}; excluded: {listed}"


def _there(domain: Domain) -> dict[str, int]:
    """What all nodes of a domain have; added up once for one of several nodes."""
    if domain.children and not domain.there:
        for child in domain.children:
            for name, amount in _there(child).items():
                domain.there[name] = domain.there.get(name, 0) + amount
    return domain.there


def _kept_out(host: Host, spec: dict[str, Any], tolerations: list[Any]) -> str:
    """Why a node is left out, whatever is free on it."""
    for taint in host.taints:
        if taint.effect in ("NoSchedule", "NoExecute") and not tolerates(
            tolerations, taint.key, taint.value, taint.effect
        ):
            own = f"{taint.key}={taint.value}" if taint.value else taint.key
            return f'taint "{own}:{taint.effect}"'
    for key, value in mapping(spec.get("nodeSelector")).items():
        if host.labels.get(str(key)) != str(value):
            return "nodeSelector"
    affinity = mapping(mapping(spec.get("affinity")).get("nodeAffinity"))
    terms = sequence(mapping(affinity.get(REQUIRED_TERMS)).get("nodeSelectorTerms"))
    if affinity.get(REQUIRED_TERMS) is not None and not any(node_term(term, host.labels, host.name) for term in terms):
        return "affinity"
    return ""


def _holds(asks: dict[str, int], left: dict[str, int]) -> tuple[int, str]:
    """(pods that find room, the resource that decides)."""
    most, short = -1, ""
    for name in sorted(asks):
        if asks[name] > 0:
            count = max(left.get(name, 0), 0) // asks[name]
            if most < 0 or count < most:
                most, short = count, name
    return max(most, 0), short


def _summed(domain: Domain, level: int, search: Search) -> None:
    """Sums up what the domains right below hold."""
    # the leader goes where it costs least
    led = [child for child in domain.children if not search.leaders or child.leader > 0]
    inner = search.sizes.get(level + 1)
    if inner is not None:
        _summed_by(domain, led, inner)
    else:
        domain.pods = sum([child.pods for child in domain.children])
        domain.led_pods = domain.pods - min([child.pods - child.led_pods for child in led]) if led else 0
    domain.slices = sum([child.slices for child in domain.children])
    domain.leader = max([child.leader for child in domain.children])
    domain.led_slices = domain.slices - min([child.slices - child.led_slices for child in led]) if led else 0
    if level == search.slice_level:
        domain.slices, domain.led_slices = domain.pods // search.size, domain.led_pods // search.size


def _summed_by(domain: Domain, led: list[Domain], size: int) -> None:
    """Sums up what the domains right below hold in whole slices of a size."""
    domain.pods = sum([child.pods // size * size for child in domain.children])
    less = [child.pods // size * size - child.led_pods // size * size for child in led]
    domain.led_pods = domain.pods - min(less) if led else 0


def _slices_in(domain: Domain, level: int, wanted: int, size: int) -> int:
    """The slices of a size that domains of a level hold, below this one or in it."""
    if level == wanted:
        return domain.pods // size
    return sum(_slices_in(child, level + 1, wanted, size) for child in domain.children)


def _sorted(domains: list[Domain], search: Search) -> list[Domain]:
    return sorted(domains, key=lambda one: (one.slices if search.open else -one.slices, one.pods, one.values))


def _best(domains: list[Domain], wanted: int, word: str) -> Domain:
    """The first of the domains with the least room that is enough."""
    best = domains[0]
    for domain in domains:
        if wanted <= getattr(domain, word) < getattr(best, word):
            best = domain
    return best


def _filled(
    domains: list[Domain], count: int, leaders: int, size: int, search: Search, *, slices: bool
) -> list[Domain]:
    """The domains that are used, each with what it is to hold. ``slices``: they are filled by whole slices."""
    rest = count // size if slices else count
    room, led = ("slices", "led_slices") if slices else ("pods", "led_pods")
    size = size if slices else 1
    made: list[Domain] = []
    for at, domain in enumerate(domains):
        if leaders > 0:
            if not search.open and getattr(domain, led) >= rest and domain.leader >= leaders:
                domain = _best(domains[at:], rest, led)
            made.append(domain)
            own = getattr(domain, led)
            if own >= rest and domain.leader >= leaders:
                domain.leader, domain.slices, domain.pods = leaders, rest, rest * size
                return made
            domain.leader = min(domain.leader, leaders)
            domain.pods = min(own, rest) * size
            leaders -= domain.leader
            rest -= min(own, rest)
            continue
        if not search.open and getattr(domain, room) >= rest:
            domain = _best(domains[at:], rest, room)
        domain.leader = 0
        made.append(domain)
        own = getattr(domain, room)
        if own >= rest:
            domain.slices, domain.pods = rest, rest * size
            return made
        domain.pods = own * size
        rest -= own
    return made


def selected(labels: dict[str, str], wanted: dict[str, Any]) -> bool:
    """Whether a node has the labels of a flavor."""
    return meets(labels, tuple((str(key), "In", (str(value),)) for key, value in wanted.items()))
