"""DynamicResources: devices of ResourceSlices that are given to claims of pods.

Kubernetes 1.36, dynamicresources/{dynamicresources,extendeddynamicresources}.go and dynamic-resource-allocation/
structured/internal/stable/allocator_stable.go. A pool counts by its newest generation, if all its slices are there.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.objects import namespace_of
from specgen.operators.kubernetes.selectors import node_term
from specgen.quantity import nano
from specgen.schedulers.kube.cel import Domains, Failed, Quantity, Unknown, chooses, version
from specgen.schedulers.kube.state import UNRESOLVABLE, Status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.schedulers.kube.state import Kind, Place, Share, Shelf
    from specgen.schedulers.pods import Sort
    from specgen.schedulers.world import Objects

NO_ROOM = "cannot allocate all claims"
BROKEN = "invalid resource pools were encountered"
_IMPLICIT = "deviceclass.resource.kubernetes.io/"
# Tries of one claim on one node; beyond, it is not known whether it could be met.
_TRIES = 20_000
# Devices that one claim can have (resource/v1, AllocationResultsMaxSize), and alternatives of one request.
_RESULTS = 32
_ALTERNATIVES = 8


class Device:
    """A device of a pool.

    ``usable``: whether its pool is complete and has no name twice; ``bare``: nobody says what attributes it has;
    ``where``: the nodes that reach it, of its slice or its own; ``consumes``: (set of counters, counter) → how much of
    it; ``shared``: whether claims may have a part of it each; ``sizes``: capacity → (all of it, its policy);
    ``like``: equal for devices that nothing but their names tells apart.
    """

    __slots__ = (
        "bare",
        "consumes",
        "driver",
        "like",
        "name",
        "pool",
        "seen",
        "shared",
        "sizes",
        "taints",
        "usable",
        "where",
    )

    def __init__(
        self,
        driver: str,
        pool: str,
        tree: dict[str, Any],
        *,
        usable: bool,
        bare: bool = False,
        where: dict[str, Any] | None = None,
    ) -> None:
        self.bare = bare
        self.driver = driver
        self.pool = pool
        self.name = str(tree.get("name"))
        own = mapping(tree.get("basic")) or tree
        self.taints = [mapping(one) for one in sequence(own.get("taints"))]
        self.usable = usable
        self.where = where or {}
        self.consumes: dict[tuple[str, str], int] = {}
        for one in (mapping(entry) for entry in sequence(own.get("consumesCounters"))):
            for name, amount in _values(one.get("counters")).items():
                self.consumes[str(one.get("counterSet")), name] = amount
        self.shared = own.get("allowMultipleAllocations") is True
        attributes = Domains()
        for key, value in mapping(own.get("attributes")).items():
            domain, _, name = str(key).rpartition("/")
            word, found = next(iter(mapping(value).items()), ("", None))
            read = version(found) if word == "version" else found
            attributes.setdefault(domain or driver, {})[name] = found if read is None else read
        capacity = Domains()
        self.sizes: dict[str, tuple[int, dict[str, Any]]] = {}
        for key, value in mapping(own.get("capacity")).items():
            domain, _, name = str(key).rpartition("/")
            amount = nano(mapping(value).get("value") if isinstance(value, dict) else value) or 0
            capacity.setdefault(domain or driver, {})[name] = Quantity(amount)
            self.sizes[f"{domain or driver}/{name}"] = (amount, mapping(mapping(value).get("requestPolicy")))
        self.seen = {
            "driver": driver,
            "attributes": attributes,
            "capacity": capacity,
            "allowMultipleAllocations": self.shared,
        }
        from json import dumps

        without = {key: value for key, value in tree.items() if key != "name"}
        self.like = dumps([driver, pool, usable, bare, self.where, without], sort_keys=True, default=str)

    def attribute(self, name: str) -> Any:
        """The value of an attribute that is named with its domain; None: it has none."""
        domain, _, own = name.rpartition("/")
        value = mapping(self.seen["attributes"]).get(domain or self.driver, {}).get(own)
        return None if value is None else (type(value).__name__, value)

    def part(self, wanted: dict[str, Any]) -> Share | None:
        """What a request takes of each capacity; None: it has no such capacity, or not so much.

        Kubernetes 1.36, allocator: what is not asked for is the policy's default, or all of it.
        """
        asked = {name if "/" in name else f"{self.driver}/{name}": nano(most) or 0 for name, most in wanted.items()}
        if not asked.keys() <= self.sizes.keys():
            return None
        found = []
        for name, (whole, policy) in sorted(self.sizes.items()):
            amount = _rounded(asked[name], policy) if name in asked else nano(policy.get("default")) or whole
            if amount is None or amount > whole:
                return None
            found.append((name, amount))
        return tuple(found)


def _values(tree: Any) -> dict[str, int]:
    """Counter → its value."""
    return {str(name): nano(mapping(one).get("value")) or 0 for name, one in mapping(tree).items()}


def _rounded(amount: int, policy: dict[str, Any]) -> int | None:
    """What is taken where so much is asked for; None: the policy has nothing so large."""
    valid = sorted(nano(one) or 0 for one in sequence(policy.get("validValues")))
    if valid:
        return next((one for one in valid if one >= amount), None)
    span = mapping(policy.get("validRange"))
    least, most, step = (nano(span.get(word)) or 0 for word in ("min", "max", "step"))
    amount = max(amount, least)
    if step:
        amount = least + -(-(amount - least) // step) * step
    return None if most and amount > most else amount


class Slices:
    """The devices of a world: those of single nodes, and those that several can reach.

    ``counters``: (driver, pool) → (set, counter) → what there is of it; ``broken``: pools that name a device twice.
    """

    __slots__ = ("broken", "counters", "local", "shared", "shares")

    def __init__(self, objects: Objects) -> None:
        self.local: dict[str, tuple[Device, ...]] = {}
        self.shared: list[Device] = []
        self.counters: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
        self.broken: set[tuple[str, str]] = set()
        # parts of devices that were given, counted
        self.shares = 0
        pools: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for tree in objects.of("ResourceSlice"):
            spec = mapping(tree.get("spec"))
            pools.setdefault((str(spec.get("driver")), str(mapping(spec.get("pool")).get("name"))), []).append(spec)
        for key, slices in pools.items():
            newest = max(_number(mapping(one.get("pool")).get("generation")) for one in slices)
            current = [one for one in slices if _number(mapping(one.get("pool")).get("generation")) == newest]
            wanted = max(_number(mapping(one.get("pool")).get("resourceSliceCount")) for one in current)
            listed = [str(mapping(one).get("name")) for spec in current for one in sequence(spec.get("devices"))]
            if len(set(listed)) < len(listed):
                self.broken.add(key)
            for spec in current:
                for one in (mapping(entry) for entry in sequence(spec.get("sharedCounters"))):
                    for name, amount in _values(one.get("counters")).items():
                        self.counters.setdefault(key, {})[str(one.get("name")), name] = amount
                self._add(*key, spec, usable=len(current) >= wanted and key not in self.broken)

    def _add(self, driver: str, pool: str, spec: dict[str, Any], *, usable: bool) -> None:
        for one in (mapping(entry) for entry in sequence(spec.get("devices"))):
            where = one if spec.get("perDeviceNodeSelection") is True else spec
            where = {word: where[word] for word in ("nodeName", "nodeSelector", "allNodes") if where.get(word)}
            device = Device(driver, pool, one, usable=usable, where=where)
            if where.get("nodeName"):
                name = str(where["nodeName"])
                self.local[name] = (*self.local.get(name, ()), device)
            else:
                self.shared.append(device)

    def reach(self, kind: Kind) -> list[tuple[int, Device]]:
        """(place among all shared ones, device) that a node can reach beside its own."""
        return [(at, device) for at, device in enumerate(self.shared) if reaches(device, kind)]

    def place(self, driver: str, pool: str, name: str) -> tuple[str, int] | None:
        """(the node that has it, empty for a shared one; its place there) of a device; None: no slice has it."""
        wanted = (driver, pool, name)
        for node, devices in self.local.items():
            for at, one in enumerate(devices):
                if (one.driver, one.pool, one.name) == wanted:
                    return node, at
        for at, one in enumerate(self.shared):
            if (one.driver, one.pool, one.name) == wanted:
                return "", at
        return None


def reaches(device: Device, kind: Kind) -> bool:
    """Whether a node reaches a device that is not its own."""
    if device.where.get("allNodes") is True:
        return True
    terms = sequence(mapping(device.where.get("nodeSelector")).get("nodeSelectorTerms"))
    return any(node_term(term, kind.labels, kind.name) for term in terms)


class Claim:
    """A claim for devices: of one pod, or one that pods share. ``local`` and ``shared`` are places of devices.

    ``given``: its devices; one of a node binds it to that node, the others to the nodes that reach them.
    """

    __slots__ = (
        "allocated",
        "given",
        "job",
        "local",
        "name",
        "namespace",
        "node",
        "shared",
        "spec",
        "template",
        "users",
    )

    def __init__(
        self, name: str, spec: dict[str, Any], *, namespace: str = "default", job: str = "", template: str = ""
    ) -> None:
        self.name = name
        self.namespace = namespace
        self.spec = spec
        # whose it is, for people: of which job, and the name of the pod's claim
        self.job = job
        self.template = template
        self.users: list[Any] = []
        # driver/pool → devices; None: nothing yet
        self.allocated: dict[str, int] | None = None
        self.node: Any = None
        self.given: list[Given] = []
        self.local: frozenset[Place] = frozenset()
        self.shared: frozenset[Place] = frozenset()

    @property
    def called(self) -> str:
        """As the scheduler names it; one that is made of a template ends in signs drawn by chance."""
        return f"{self.namespace}/{self.name}{'-<random>' if self.template else ''}"

    def on(self, kind: Kind) -> bool:
        """Whether a node reaches all that it was given."""
        if any(not one.where for one in self.given):
            return self.node is None or kind is self.node.kind
        return all(reaches(one.device, kind) for one in self.given)

    def settle(self, slices: Slices) -> None:
        """Where its devices are among those of the nodes, and of the shared ones, as they stand now."""
        found = []
        for one in self.given:
            device = one.device
            if not device.bare:
                at = slices.place(device.driver, device.pool, device.name)
                if at is None:
                    continue  # nobody offers it any more
                device = slices.shared[at[1]] if not at[0] else slices.local[at[0]][at[1]]
                one = Given(0 if at[0] else 1, at[1], device, one.share, watched=one.watched)
            found.append(one)
        self.given = found
        self.local, self.shared = places(found, 0, slices), places(found, 1, slices)

    def take(self, node: Any, given: list[Given], slices: Slices) -> None:
        """It gets devices, on a node."""
        self.node, self.given, self.allocated = node, given, {}
        for one in given:
            key = f"{one.device.driver}/{one.device.pool}"
            self.allocated[key] = self.allocated.get(key, 0) + 1
        self.local, self.shared = places(given, 0, slices), places(given, 1, slices)

    @property
    def elsewhere(self) -> bool:
        """Whether it has devices of which nothing is known here."""
        return self.allocated is not None and len(self.given) < sum(self.allocated.values())

    def free(self) -> None:
        """It has no devices any more."""
        self.allocated, self.local, self.shared = None, frozenset(), frozenset()
        self.given, self.node = [], None


def held(tree: dict[str, Any], slices: Slices) -> tuple[Claim, str] | None:
    """A claim that has devices already, and the node that has them, empty: several reach them; None: it has none."""
    metadata, status = mapping(tree.get("metadata")), mapping(tree.get("status"))
    allocation = mapping(status.get("allocation"))
    if not allocation:
        return None
    claim = Claim(str(metadata.get("name")), mapping(tree.get("spec")), namespace=namespace_of(tree))
    given: list[Given] = []
    node = ""
    claim.allocated = {}
    for one in (mapping(entry) for entry in sequence(mapping(allocation.get("devices")).get("results"))):
        driver, pool, name = (str(one.get(word)) for word in ("driver", "pool", "device"))
        claim.allocated[f"{driver}/{pool}"] = claim.allocated.get(f"{driver}/{pool}", 0) + 1
        at = slices.place(driver, pool, name)
        if at is not None:
            device = slices.local[at[0]][at[1]] if at[0] else slices.shared[at[1]]
            taken = {str(key): nano(amount) or 0 for key, amount in mapping(one.get("consumedCapacity")).items()}
            taken = {key if "/" in key else f"{driver}/{key}": amount for key, amount in taken.items()}
            share = tuple(sorted((key, amount) for key, amount in taken.items() if key in device.sizes))
            watched = one.get("adminAccess") is True
            given.append(Given(0 if at[0] else 1, at[1], device, share if device.shared else None, watched=watched))
            node = node or at[0]
    claim.given = given
    claim.users = [str(mapping(one).get("name")) for one in sequence(status.get("reservedFor"))]
    return claim, node


def extended(sort: Sort, objects: Objects) -> dict[str, dict[str, Any]]:
    """Resources of a pod that a device class stands for: name → class."""
    found: dict[str, dict[str, Any]] = {}
    wanted = [name for name in sort.asks if "/" in name]
    if wanted:
        for tree in objects.of("DeviceClass"):
            names = {
                mapping(tree.get("spec")).get("extendedResourceName"),
                _IMPLICIT + str(mapping(tree.get("metadata")).get("name")),
            }
            found.update({name: tree for name in wanted if name in names})
    return found


def classes(claims: Sequence[Claim]) -> set[str]:
    """The device classes that claims name."""
    asked = [part for claim in claims for _, parts in _requests(claim.spec) for part in parts]
    return {str(part.get("deviceClassName")) for part in asked}


def missing_class(claims: Sequence[Claim], objects: Objects) -> str:
    """What a pod is told of whose claim a class does not exist; empty: all do."""
    for claim in claims:
        for request, parts in _requests(claim.spec):
            for part in parts:
                name = str(part.get("deviceClassName"))
                if objects.named("DeviceClass", name) is None:
                    called = request if len(parts) == 1 and "name" not in part else f"{request}/{part.get('name')}"
                    return f"request {called}: device class {name} does not exist"
    return ""


def _requests(spec: dict[str, Any]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """(name, alternatives) of each request."""
    for one in (mapping(entry) for entry in sequence(mapping(spec.get("devices")).get("requests"))):
        if one.get("firstAvailable"):
            yield str(one.get("name")), [mapping(part) for part in sequence(one["firstAvailable"])]
        else:
            exact = {key: value for key, value in (mapping(one.get("exactly")) or one).items() if key != "name"}
            yield str(one.get("name")), [exact]


class Given:
    """A device that a claim gets. ``where``: 0 of the node's own, 1 of the shared ones; ``at``: its place there.

    ``share``: the part of it that is taken, None: all; ``watched``: it is looked at alone, and taken from nobody.
    """

    __slots__ = ("at", "device", "share", "watched", "where")

    def __init__(self, where: int, at: int, device: Device, share: Share | None, *, watched: bool) -> None:
        self.where = where
        self.at = at
        self.device = device
        self.share = share
        self.watched = watched


class Allocation:
    """What a node would give: for each claim its devices. ``score``: how early the alternatives stand that it meets."""

    __slots__ = ("given", "score")

    def __init__(self, given: list[list[Given]], score: int) -> None:
        self.given = given
        self.score = score


def places(given: Sequence[Given], where: int, slices: Slices) -> frozenset[Place]:
    """What is taken of a node's devices, or of the shared ones, once it is given."""
    found: set[Place] = set()
    for one in given:
        if one.where == where and not one.watched:
            if one.share is not None:
                slices.shares += 1
            found.add(one.at if one.share is None else (one.at, slices.shares, one.share))
    return frozenset(found)


def check(
    claims: Sequence[Claim], shelf: Shelf, slices: Slices, taken: frozenset[Place], objects: Objects
) -> Status | Allocation:
    """Whether a node can give what claims ask that have nothing yet. Raises Unknown, Failed."""
    wanted = [claim for claim in claims if claim.allocated is None]
    search = _Search(wanted, shelf, slices, taken, objects)
    found = search.run() if wanted else []
    if found is None:
        return Status("DynamicResources", UNRESOLVABLE, BROKEN if search.broken else NO_ROOM)
    if any(claim.allocated is not None and not claim.on(shelf.kind) for claim in claims):
        return Status("DynamicResources", UNRESOLVABLE, "resourceclaim not available on the node")
    return Allocation(found, search.score)


class _Search:
    """Tries devices in order until all requests of all claims have theirs."""

    def __init__(
        self, claims: Sequence[Claim], shelf: Shelf, slices: Slices, taken: frozenset[Place], objects: Objects
    ) -> None:
        self._claims = claims
        self._objects = objects
        self._slices = slices
        self._left = _TRIES
        self._whole: list[tuple[int, int, Device]] = [(0, at, one) for at, one in enumerate(shelf.kind.devices)]
        self._whole += [(1, at, one) for at, one in slices.reach(shelf.kind)]
        pools = dict.fromkeys((one.driver, one.pool) for _, _, one in self._whole)
        self.broken = any(pool in slices.broken for pool in pools)
        self._unready = [
            pool for pool in pools if any(not one.usable for _, _, one in self._whole if _pool(one) == pool)
        ]
        # what is taken before: devices, the parts of one, counters
        self._used: dict[tuple[int, int], int] = {}
        self._parts: dict[tuple[int, int], dict[str, int]] = {}
        self._counted: dict[tuple[str, str], dict[tuple[str, str], int]] = {}
        for where, held, known in ((0, shelf.taken, shelf.kind.devices), (1, taken, slices.shared)):
            for place in held:
                if isinstance(place, tuple):
                    self._take(where, place[0], known[place[0]], place[2], -1)
                elif place < len(known):
                    self._take(where, place, known[place], None, -1)
        self._given: list[list[Given]] = [[] for _ in claims]
        # (claim, request, alternatives)
        self._asked = [(at, name, parts) for at, claim in enumerate(claims) for name, parts in _requests(claim.spec)]
        # (claim, request) → the devices of it
        self._of: dict[tuple[int, str], list[Device]] = {}
        # (request, alternative, device) → whether it may be chosen
        self._chosen: dict[tuple[int, int, str], bool] = {}
        self._first: dict[int, int] = {}

    @property
    def score(self) -> int:
        """How early the alternatives stand that were met (1.36, dynamicresources.go, computeScore)."""
        return sum(_ALTERNATIVES - at for at in self._first.values())

    def run(self) -> list[list[Given]] | None:
        for claim in range(len(self._claims)):
            least = sum(
                min((self._count(at, number, part) for number, part in enumerate(parts)), default=0)
                for at, (owner, _, parts) in enumerate(self._asked)
                if owner == claim
            )
            if least > _RESULTS:
                said = f"number of requested devices {least} exceeds the claim limit of {_RESULTS}"
                raise Failed(f"claim {self._claims[claim].called}: {said}")
        return self._given if self._request(0) else None

    def _count(self, at: int, number: int, part: dict[str, Any]) -> int:
        """How many devices an alternative asks for."""
        if part.get("allocationMode") != "All":
            return _number(part.get("count"), 1)
        claim, name, _ = self._asked[at]
        for driver, pool in self._unready:
            state = "invalid" if (driver, pool) in self._slices.broken else "being updated"
            said = f"asks for all devices, but resource pool {driver}/{pool} is currently {state}"
            raise Failed(f"claim {self._claims[claim].called}, request {name}: {said}")
        return sum(self._fits(at, number, one, part) for _, _, one in self._whole)

    def _request(self, at: int) -> bool:
        if at == len(self._asked):
            return True
        claim, name, parts = self._asked[at]
        for number, part in enumerate(parts):
            own = name if "name" not in part else f"{name}/{part['name']}"
            count = self._count(at, number, part)
            if part.get("allocationMode") == "All":
                # each of them, or none
                listed = [one for one in self._whole if self._fits(at, number, one[2], part)]
                if not listed:
                    continue
            else:
                listed = [one for one in self._whole if one[2].usable]
            if "name" in part:
                self._first[at] = number
            if len(self._given[claim]) + count <= _RESULTS and self._devices(at, number, own, listed, 0, count):
                return True
            self._first.pop(at, None)
        return False

    def _devices(
        self, at: int, number: int, name: str, listed: list[tuple[int, int, Device]], start: int, left: int
    ) -> bool:
        self._left -= 1
        if self._left < 0:
            raise Unknown("too many ways to choose devices")
        if not left:
            return self._request(at + 1)
        claim, _, parts = self._asked[at]
        part = parts[number]
        every = part.get("allocationMode") == "All"
        tried: set[tuple[str, int]] = set()
        for place in range(start, len(listed) - left + 1):
            where, spot, device = listed[place]
            given = self._offer(at, number, name, where, spot, device)
            if given is not None and (device.like, len(self._parts.get((where, spot), ()))) not in tried:
                if not device.shared:
                    tried.add((device.like, 0))
                self._give(claim, name, given)
                if self._devices(at, number, name, listed, place + 1, left - 1):
                    return True
                self._back(claim, name)
            if every:
                return False
        return False

    def _offer(self, at: int, number: int, name: str, where: int, spot: int, device: Device) -> Given | None:
        """A device as a request would get it; None: it is taken, is not chosen, or does not go with the others."""
        claim, _, parts = self._asked[at]
        part = parts[number]
        watched = part.get("adminAccess") is True
        own = any((one.where, one.at) == (where, spot) for one in self._given[claim])
        if watched and own:
            return None
        if not watched and not device.shared and (where, spot) in self._used:
            return None
        if not self._fits(at, number, device, part) or not self._room(device, watched=watched):
            return None
        share = device.part(mapping(mapping(part.get("capacity")).get("requests")))
        if share is None:
            return None
        if device.shared and not watched:
            there = self._parts.get((where, spot), {})
            if any(there.get(key, 0) + amount > device.sizes[key][0] for key, amount in share):
                return None
        if not _borne(device, part):
            return None
        if not self._agrees(claim, name, device):
            if part.get("allocationMode") == "All":
                said = f"cannot add device {device.driver}/{device.pool}/{device.name} because a claim constraint"
                called = self._claims[claim].called
                raise Failed(f"claim {called}, request {part.get('name', name)}: {said} would not be satisfied")
            return None
        return Given(where, spot, device, share if device.shared else None, watched=watched)

    def _room(self, device: Device, *, watched: bool) -> bool:
        """Whether the counters of its pool have what a device takes of them."""
        there, counted = self._slices.counters.get(_pool(device), {}), self._counted.get(_pool(device), {})
        return watched or all(
            counted.get(key, 0) + amount <= there[key] for key, amount in device.consumes.items() if key in there
        )

    def _give(self, claim: int, name: str, given: Given) -> None:
        if not given.watched:
            self._take(given.where, given.at, given.device, given.share, 1)
        self._given[claim].append(given)
        self._of.setdefault((claim, name), []).append(given.device)

    def _back(self, claim: int, name: str) -> None:
        given = self._given[claim].pop()
        self._of[(claim, name)].pop()
        if not given.watched:
            self._take(given.where, given.at, given.device, given.share, 0)

    def _take(self, where: int, at: int, device: Device, share: Share | None, much: int) -> None:
        """Counts a device as taken, or as taken no more (0)."""
        sign = 1 if much else -1
        key = (where, at)
        first = not self._used.get(key)
        self._used[key] = self._used.get(key, 0) + sign
        last = not self._used[key]
        if last:
            del self._used[key]
        own = self._parts.setdefault(key, {})
        for name, amount in share or ():
            own[name] = own.get(name, 0) + sign * amount
        if (sign > 0 and first) or (sign < 0 and last):
            counted = self._counted.setdefault(_pool(device), {})
            for counter, amount in device.consumes.items():
                counted[counter] = counted.get(counter, 0) + sign * amount

    def _fits(self, at: int, number: int, device: Device, part: dict[str, Any]) -> bool:
        """Whether the expressions of the class and of the request choose a device."""
        key = (at, number, device.like)
        if key not in self._chosen:
            self._chosen[key] = self._chooses(at, device, part)
        return self._chosen[key]

    def _chooses(self, at: int, device: Device, part: dict[str, Any]) -> bool:
        name = str(part.get("deviceClassName"))
        tree = self._objects.named("DeviceClass", name) or {}
        claim = self._claims[self._asked[at][0]]
        for whose, listed in (
            (f"class {name}", sequence(mapping(tree.get("spec")).get("selectors"))),
            (f"claim {claim.called}", sequence(part.get("selectors"))),
        ):
            for place, selector in enumerate(listed):
                if device.bare and not whose.startswith("class"):
                    raise Unknown(f"nobody says what attributes a device of {device.driver} has")
                expression = mapping(mapping(selector).get("cel")).get("expression")
                if not isinstance(expression, str):
                    raise Unknown("a selector without an expression")
                try:
                    if not chooses(expression, device.seen):
                        return False
                except Failed as error:
                    raise Failed(f"{whose}: selector #{place}: CEL runtime error: {error}") from None
        return True

    def _agrees(self, claim: int, name: str, device: Device) -> bool:
        """Whether the constraints of a claim let a device stand beside those that are given."""
        for one in sequence(mapping(self._claims[claim].spec.get("devices")).get("constraints")):
            tree = mapping(one)
            if device.bare:
                raise Unknown(f"nobody says what attributes a device of {device.driver} has")
            named = [str(entry) for entry in sequence(tree.get("requests"))]
            if named and name not in named and name.partition("/")[0] not in named:
                continue
            others = [
                other
                for (owner, request), devices in self._of.items()
                if owner == claim and (not named or request in named or request.partition("/")[0] in named)
                for other in devices
            ]
            for word, alike in (("matchAttribute", True), ("distinctAttribute", False)):
                if word in tree:
                    value = device.attribute(str(tree[word]))
                    if value is None or any(
                        (other.attribute(str(tree[word])) == value) is not alike for other in others
                    ):
                        return False
        return True


def _pool(device: Device) -> tuple[str, str]:
    return device.driver, device.pool


def _borne(device: Device, part: dict[str, Any]) -> bool:
    """Whether a request tolerates the taints of a device."""
    from specgen.operators.kubernetes.room import tolerates

    bad = [one for one in device.taints if one.get("effect") in ("NoSchedule", "NoExecute")]
    return all(
        tolerates(part.get("tolerations"), str(one.get("key")), one.get("value"), str(one.get("effect"))) for one in bad
    )


def _number(value: Any, default: int = 0) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default
