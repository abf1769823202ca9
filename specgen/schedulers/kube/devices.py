"""DynamicResources: devices of ResourceSlices that are given to claims of pods.

Kubernetes 1.36, dynamicresources/{dynamicresources,extendeddynamicresources}.go and dynamic-resource-allocation/
structured/internal/stable/allocator_stable.go. A pool counts by its newest generation, if all its slices are there.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import nano
from specgen.schedulers.kube.cel import Unknown, chooses
from specgen.schedulers.kube.state import UNRESOLVABLE, Status
from specgen.schedulers.selectors import node_term

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from specgen.schedulers.kube.state import Kind, Shelf
    from specgen.schedulers.pods import Sort
    from specgen.schedulers.world import Objects

NO_ROOM = "cannot allocate all claims"
_IMPLICIT = "deviceclass.resource.kubernetes.io/"
# Tries of one claim on one node; beyond, it is not known whether it could be met.
_TRIES = 20_000


class Device:
    """A device of a pool. ``usable``: whether its pool is complete; ``bare``: nobody says what attributes it has."""

    __slots__ = ("bare", "driver", "name", "pool", "seen", "taints", "usable")

    def __init__(self, driver: str, pool: str, tree: dict[str, Any], *, usable: bool, bare: bool = False) -> None:
        self.bare = bare
        self.driver = driver
        self.pool = pool
        self.name = str(tree.get("name"))
        own = mapping(tree.get("basic")) or tree
        self.taints = [mapping(one) for one in sequence(own.get("taints"))]
        self.usable = usable
        attributes: dict[str, dict[str, Any]] = {}
        for key, value in mapping(own.get("attributes")).items():
            domain, _, name = str(key).rpartition("/")
            found = next(iter(mapping(value).values()), None)
            attributes.setdefault(domain or driver, {})[name] = found
        capacity: dict[str, dict[str, Any]] = {}
        for key, value in mapping(own.get("capacity")).items():
            domain, _, name = str(key).rpartition("/")
            amount = mapping(value).get("value") if isinstance(value, dict) else value
            capacity.setdefault(domain or driver, {})[name] = nano(amount)
        self.seen = {"driver": driver, "attributes": attributes, "capacity": capacity}

    def attribute(self, name: str) -> Any:
        """The value of an attribute that is named with its domain; None: it has none."""
        domain, _, own = name.rpartition("/")
        value = self.seen["attributes"].get(domain or self.driver, {}).get(own)  # type: ignore[attr-defined]
        return None if value is None else (type(value).__name__, value)


class Slices:
    """The devices of a world: those of single nodes, and those that several can reach."""

    __slots__ = ("local", "shared")

    def __init__(self, objects: Objects) -> None:
        self.local: dict[str, tuple[Device, ...]] = {}
        # (slice's spec, its devices)
        self.shared: list[tuple[dict[str, Any], Device]] = []
        pools: dict[tuple[str, str], list[dict[str, Any]]] = {}
        for tree in objects.of("ResourceSlice"):
            spec = mapping(tree.get("spec"))
            pools.setdefault((str(spec.get("driver")), str(mapping(spec.get("pool")).get("name"))), []).append(spec)
        for (driver, pool), slices in pools.items():
            newest = max(_number(mapping(one.get("pool")).get("generation")) for one in slices)
            current = [one for one in slices if _number(mapping(one.get("pool")).get("generation")) == newest]
            wanted = max(_number(mapping(one.get("pool")).get("resourceSliceCount")) for one in current)
            for spec in current:
                made = [
                    Device(driver, pool, mapping(one), usable=len(current) >= wanted)
                    for one in sequence(spec.get("devices"))
                ]
                if spec.get("nodeName"):
                    name = str(spec["nodeName"])
                    self.local[name] = (*self.local.get(name, ()), *made)
                else:
                    self.shared += [(spec, device) for device in made]

    def reach(self, kind: Kind) -> list[tuple[int, Device]]:
        """(place among all shared ones, device) that a node can reach beside its own."""
        return [(at, device) for at, (spec, device) in enumerate(self.shared) if _reaches(spec, kind)]


def _reaches(spec: dict[str, Any], kind: Kind) -> bool:
    if spec.get("allNodes") is True:
        return True
    terms = sequence(mapping(spec.get("nodeSelector")).get("nodeSelectorTerms"))
    return any(node_term(term, kind.labels, kind.name) for term in terms)


class Claim:
    """A claim for devices: of one pod, or one that pods share. ``local`` and ``shared`` are places of devices."""

    __slots__ = ("allocated", "job", "local", "name", "node", "shared", "spec", "template", "users")

    def __init__(self, name: str, spec: dict[str, Any], *, job: str = "", template: str = "") -> None:
        self.name = name
        self.spec = spec
        # whose it is, for people: of which job, and the name of the pod's claim
        self.job = job
        self.template = template
        self.users: list[Any] = []
        # driver/pool → devices; None: nothing yet
        self.allocated: dict[str, int] | None = None
        self.node: Any = None
        self.local: frozenset[int] = frozenset()
        self.shared: frozenset[int] = frozenset()


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


class Allocation:
    """What a node would give: for each claim its devices, as places among the node's own and among the shared ones."""

    __slots__ = ("given", "local", "shared")

    def __init__(self, given: list[list[tuple[int, int, Device]]]) -> None:
        self.given = given
        self.local = frozenset(at for one in given for where, at, _ in one if where == 0)
        self.shared = frozenset(at for one in given for where, at, _ in one if where == 1)


def check(
    claims: Sequence[Claim], shelf: Shelf, slices: Slices, taken: frozenset[int], objects: Objects
) -> Status | Allocation:
    """Whether a node can give what claims ask that have nothing yet. Raises Unknown."""
    for claim in claims:
        if claim.allocated is not None and claim.local and shelf.kind is not claim.node.kind:
            return Status("DynamicResources", UNRESOLVABLE, "resourceclaim not available on the node")
    wanted = [claim for claim in claims if claim.allocated is None]
    pool = [(0, at, device) for at, device in enumerate(shelf.kind.devices) if at not in shelf.taken]
    pool += [(1, at, device) for at, device in slices.reach(shelf.kind) if at not in taken]
    whole = [(0, at, device) for at, device in enumerate(shelf.kind.devices)]
    whole += [(1, at, device) for at, device in slices.reach(shelf.kind)]
    found = _Search(wanted, pool, whole, objects).run()
    return Status("DynamicResources", UNRESOLVABLE, NO_ROOM) if found is None else Allocation(found)


class _Search:
    """Tries devices in order until all requests of all claims have theirs."""

    def __init__(self, claims: Sequence[Claim], pool: list[Any], whole: list[Any], objects: Objects) -> None:
        self._claims = claims
        self._pool = pool
        self._whole = whole
        self._objects = objects
        self._left = _TRIES
        self._given: list[list[tuple[int, int, Device]]] = [[] for _ in claims]
        # (claim, request, alternatives)
        self._asked = [(at, name, parts) for at, claim in enumerate(claims) for name, parts in _requests(claim.spec)]
        self._used: set[tuple[int, int]] = set()
        # (claim, request) → the devices of it
        self._of: dict[tuple[int, str], list[Device]] = {}

    def run(self) -> list[list[tuple[int, int, Device]]] | None:
        return self._given if self._request(0) else None

    def _request(self, at: int) -> bool:
        if at == len(self._asked):
            return True
        claim, name, parts = self._asked[at]
        for part in parts:
            own = name if "name" not in part else f"{name}/{part['name']}"
            chosen = [one for one in self._whole if self._fits(one[2], part)]
            if part.get("allocationMode") == "All":
                free = [one for one in chosen if one in self._pool]
                if not chosen or len(free) < len(chosen) or not all(one[2].usable for one in chosen):
                    continue
                count = len(chosen)
            else:
                count = _number(part.get("count"), 1)
                chosen = [one for one in chosen if one in self._pool and one[2].usable]
            if self._devices(at, claim, own, chosen, 0, count):
                return True
        return False

    def _devices(self, at: int, claim: int, name: str, chosen: list[Any], start: int, left: int) -> bool:
        self._left -= 1
        if self._left < 0:
            raise Unknown("too many ways to choose devices")
        if not left:
            return self._request(at + 1)
        for place in range(start, len(chosen) - left + 1):
            where, number, device = chosen[place]
            if (where, number) in self._used or not self._agrees(claim, name, device):
                continue
            self._used.add((where, number))
            self._given[claim].append(chosen[place])
            self._of.setdefault((claim, name), []).append(device)
            if self._devices(at, claim, name, chosen, place + 1, left - 1):
                return True
            self._used.discard((where, number))
            self._given[claim].pop()
            self._of[(claim, name)].pop()
        return False

    def _fits(self, device: Device, part: dict[str, Any]) -> bool:
        tree = self._objects.named("DeviceClass", str(part.get("deviceClassName"))) or {}
        of_class, own = sequence(mapping(tree.get("spec")).get("selectors")), sequence(part.get("selectors"))
        for at, selector in enumerate((*of_class, *own)):
            if device.bare and at == len(of_class):
                raise Unknown(f"nobody says what attributes a device of {device.driver} has")
            expression = mapping(mapping(selector).get("cel")).get("expression")
            if not isinstance(expression, str) or not chooses(expression, device.seen):
                return False
        from specgen.operators.kubernetes.room import tolerates

        bad = [one for one in device.taints if one.get("effect") in ("NoSchedule", "NoExecute")]
        return all(
            tolerates(part.get("tolerations"), str(one.get("key")), one.get("value"), str(one.get("effect")))
            for one in bad
        )

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


def _number(value: Any, default: int = 0) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else default
