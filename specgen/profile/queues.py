"""Queues as jobs name them, and what a cluster profile says of queues and no scheduler has.

A queue of the profile is what has the quota: Kueue's ClusterQueue. Jobs name LocalQueues: those that it lists, or the
one that is called like it. What is none: limits without those who lend, flavors beside Volcano, one LocalQueue before
two ClusterQueues.

Kueue 0.19, rules of its CRD ClusterQueue: "borrowingLimit must be nil when cohort is empty", "reclaimWithinCohort=Never
and borrowWithinCohort.Policy!=Never"; its webhook says the first of lendingLimit, too. Volcano 1.15: its Queue has a
``capability``, and neither flavors nor cohorts.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, VALUE, WARNING, Place, listed, shown
from specgen.profile import codes
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.profile.cluster import ClusterQueue
    from specgen.source import Path

    Queues = list[str] | dict[str, ClusterQueue]

# Words of a queue that Kueue alone reads.
_OF_KUEUE = (
    *(
        "flavors",
        "cohort",
        "borrow",
        "lend",
        "queueingStrategy",
        "preemption",
        "fungibility",
        "undeclared",
        "namespaces",
    ),
    *("localQueues", "checks"),
)
# Words that Volcano alone reads.
_OF_VOLCANO = ("weight", "deserved", "guarantee", "parent", "reclaimable")
_LIMITS = {"borrow": "borrowingLimit", "lend": "lendingLimit"}


class Local:
    """A queue by the name that jobs give it.

    ``queue``: the queue of the profile that it leads to, ``own``: what that has; ``namespaces``: in which jobs may name
    it, None for all; ``stop``: its own; ``path``: where the name stands below the queues, and
    ``spaces`` and ``stopped``, where these are said.
    """

    __slots__ = ("name", "namespaces", "own", "path", "queue", "spaces", "stop", "stopped")

    def __init__(self, name: str, queue: str, own: ClusterQueue) -> None:
        self.name, self.queue, self.own = name, queue, own
        self.namespaces: list[str] | None = None if own.namespaces is None else [*map(str, own.namespaces)]
        self.stop: str | None = None
        self.path: Path = (queue,)
        self.spaces: Path = (queue, "namespaces")
        self.stopped: Path = (queue, "stop")

    def serves(self, namespace: str | None) -> bool:
        """Whether jobs of a namespace may name it; None: of a namespace that is not known."""
        return namespace is None or self.namespaces is None or namespace in self.namespaces


def local_queues(queues: Queues) -> Iterator[Local]:
    """All that jobs may name, of queues of which the profile says what they have."""
    for name, own in queues.items() if isinstance(queues, dict) else ():
        said = own.local_queues
        if not said:
            yield Local(str(name), str(name), own)
            continue
        for place, called in enumerate(said):
            local = Local(str(called), str(name), own)
            local.path = (name, "localQueues", called if isinstance(said, dict) else place)
            words = said[called] if isinstance(said, dict) else None
            if words is not None:
                if words.stop is not None:
                    local.stop, local.stopped = words.stop, (*local.path, "stop")
                if words.namespaces is not None:
                    local.namespaces = [*map(str, words.namespaces)]
                    local.spaces = (*local.path, "namespaces")
            yield local


def names(queues: Queues) -> list[str]:
    """The names that jobs may give."""
    if not isinstance(queues, dict):
        return [*map(str, queues)]
    return list(dict.fromkeys(local.name for local in local_queues(queues)))


def named(queues: Queues, name: str, namespace: str | None = None) -> list[Local]:
    """What a job of a namespace may mean by a name; of a namespace that is not known, each that is called so."""
    return [local for local in local_queues(queues) if local.name == name and local.serves(namespace)]


def contradictions(data: dict[str, Any]) -> list[Finding]:
    """Findings of a cluster profile whose shape is right."""
    scheduling = data.get("scheduling") or {}
    queues = scheduling.get("queues")
    if not isinstance(queues, dict):
        return []
    found: list[Finding] = []
    for name, own in queues.items():
        path: Path = ("scheduling", "queues", name)
        if scheduling.get("gang") in (None, "kueue"):
            found += _unlent(own, path, [one.get("cohort") for one in queues.values()])
            found += [*_unclaimed(own, path), *_unpreferred(own, path)]
        else:
            found += _unread(own, path, scheduling["gang"])
        if scheduling.get("gang") not in (None, "volcano"):
            found += _of_volcano(own, path, scheduling["gang"])
    return [*found, *_divided(queues)]


def _divided(queues: dict[str, Any]) -> Iterator[Finding]:
    """A LocalQueue that leads to two ClusterQueues."""
    # (name, namespace or None for all) → where it is said first
    known: dict[str, list[tuple[Path, set[str] | None]]] = {}
    for queue, own in queues.items():
        for path, name, spaces in _said(queue, own):
            served = None if spaces is None else set(spaces)
            for other, before in known.get(name, ()):
                both = served if before is None else before if served is None else served & before
                if both is not None and not both:
                    continue
                where = f"in the namespace `{shown(min(both))}`" if both else "in every namespace"
                first, then = shown(other[2]), shown(queue)
                yield codes.CONTRADICTION.at(
                    _at(path),
                    f"{where} `{shown(name)}` leads to the queue `{first}` and to `{then}`",
                    related=[(_at(other), f"to `{first}`")],
                    notes=["a LocalQueue of Kueue leads to one ClusterQueue"],
                    helps=["`namespaces` of each says where it leads where"],
                )
                break
            known.setdefault(name, []).append((path, served))


def _at(path: Path) -> Place:
    """Where a name stands: a key, or in a list."""
    return Place(path, KEY if isinstance(path[-1], str) else VALUE)


def _said(queue: str, own: dict[str, Any]) -> Iterator[tuple[Path, str, Iterable[str] | None]]:
    """(path, name, namespaces) of what jobs name, of a queue as it is written."""
    at: Path = ("scheduling", "queues", queue)
    said = own.get("localQueues") or [] if isinstance(own, dict) else []
    spaces = own.get("namespaces") if isinstance(own, dict) else None
    if not said:
        yield at, queue, spaces
    for place, name in enumerate(said):
        words = (said[name] or {}) if isinstance(said, dict) else {}
        step = name if isinstance(said, dict) else place
        yield (*at, "localQueues", step), name, spaces if words.get("namespaces") is None else words["namespaces"]


def _unlent(own: dict[str, Any], path: Path, cohorts: list[Any]) -> list[Finding]:
    """Limits of what is borrowed or lent, of a queue that shares with nobody."""
    if own.get("cohort"):
        return []
    known = next((str(one) for one in cohorts if one), "NAME")
    shares = (own.get("flavors") or {}).items()
    at: list[Path] = [(*path, word) for word in _LIMITS if own.get(word)]
    at += [(*path, "flavors", flavor, word) for flavor, share in shares for word in _LIMITS if share.get(word)]
    said = {
        "borrow": f"`borrow` limits what the queue `{path[-1]}` borrows, and it is in no cohort that lends to it",
        "lend": f"`lend` limits what the queue `{path[-1]}` lends, and it is in no cohort that borrows of it",
    }
    return [
        codes.CONTRADICTION.at(
            Place(one, KEY),
            said[str(one[-1])],
            notes=[f"Kueue refuses such a ClusterQueue: {_LIMITS[str(one[-1])]} must be nil when cohort is empty"],
            helps=[
                f"`cohort: {known}` in `{path[-1]}` says with whom it shares",
                f"without `{one[-1]}` it has its `quota` alone",
            ],
        )
        for one in at
    ]


def _unclaimed(own: dict[str, Any], path: Path) -> list[Finding]:
    """Evicting others while it borrows, of a queue that takes nothing back."""
    evicts = own.get("preemption") or {}
    policy = (evicts.get("borrowWithinCohort") or {}).get("policy", "Never")
    if policy == "Never" or evicts.get("reclaimWithinCohort", "Never") != "Never":
        return []
    finding = codes.CONTRADICTION.at(
        Place((*path, "preemption", "borrowWithinCohort"), KEY),
        f"the queue `{path[-1]}` evicts others while it borrows, and takes nothing of its own back",
        notes=["Kueue refuses such a ClusterQueue: reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"],
        helps=["`reclaimWithinCohort: LowerPriority` beside it takes back what is the queue's own"],
    )
    return [finding]


def _unpreferred(own: dict[str, Any], path: Path) -> list[Finding]:
    """What is better of several flavors, of a queue that stops at the first."""
    said = own.get("fungibility") or {}
    both = said.get("whenCanBorrow"), said.get("whenCanPreempt", "TryNextFlavor")
    if "preference" not in said or both == ("TryNextFlavor", "TryNextFlavor"):
        return []
    finding = codes.CONTRADICTION.at(
        Place((*path, "fungibility", "preference"), KEY),
        f"`preference` chooses between flavors, and the queue `{path[-1]}` stops at the first that will do",
        notes=[
            "Kueue refuses such a ClusterQueue: preference can only be set when both whenCanBorrow and whenCanPreempt "
            "are TryNextFlavor"
        ],
        helps=["`whenCanBorrow: TryNextFlavor` and `whenCanPreempt: TryNextFlavor` beside it look at them all"],
    )
    return [finding]


def _unread(own: dict[str, Any], path: Path, gang: str) -> list[Finding]:
    """Words of Kueue beside another scheduler."""
    said = [word for word in _OF_KUEUE if own.get(word)]
    if not said:
        return []
    total: dict[str, int] = {}
    for share in (own.get("flavors") or {}).values():
        for resource, amount in (share.get("quota") or {}).items():
            total[resource] = total.get(resource, 0) + (nano(amount) or 0)
    listing = ", ".join(f"{name}: {_amount(name, value)}" for name, value in total.items())
    helps = ["`gang: kueue` if Kueue lets these jobs begin"]
    if listing and not own.get("quota"):
        helps.insert(0, f"`quota: {{{listing}}}` in their place is the most of the queue")
    words = listed(said)
    finding = codes.CONTRADICTION.at(
        Place((*path, said[0]), KEY),
        f"with `gang: {gang}` nothing reads {words} of the queue `{path[-1]}`: only Kueue does",
        severity=WARNING,
        related=[(Place(("scheduling", "gang")), f"`{gang}` looks at no such word")],
        helps=helps,
    )
    return [finding]


def _of_volcano(own: dict[str, Any], path: Path, gang: str) -> list[Finding]:
    """Words of Volcano beside another scheduler."""
    said = [word for word in _OF_VOLCANO if own.get(word) not in (None, {})]
    if not said:
        return []
    finding = codes.CONTRADICTION.at(
        Place((*path, said[0]), KEY),
        f"with `gang: {gang}` nothing reads {listed(said)} of the queue `{path[-1]}`: only Volcano does",
        severity=WARNING,
        related=[(Place(("scheduling", "gang")), f"`{gang}` looks at no such word")],
        helps=["`gang: volcano` if Volcano lets these jobs begin"],
    )
    return [finding]


def _amount(resource: str, value: int) -> str:
    return canonical(value, "1Ki" if resource in ("memory", "ephemeral-storage") else "")
