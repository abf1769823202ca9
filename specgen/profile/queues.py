"""What a cluster profile says of queues and no scheduler has: limits without those who lend, flavors beside Volcano.

Kueue 0.19, rules of its CRD ClusterQueue: "borrowingLimit must be nil when cohort is empty", "reclaimWithinCohort=Never
and borrowWithinCohort.Policy!=Never"; its webhook says the first of lendingLimit, too. Volcano 1.15: its Queue has a
``capability``, and neither flavors nor cohorts.
"""

from __future__ import annotations

from specgen.diagnostics.model import KEY, WARNING, Place, listed
from specgen.profile import codes
from specgen.quantity import canonical, nano

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from specgen.diagnostics.model import Finding
    from specgen.source import Path

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
    "checks",
)
# Words that Volcano alone reads.
_OF_VOLCANO = ("weight", "deserved", "guarantee", "parent", "reclaimable")
_LIMITS = {"borrow": "borrowingLimit", "lend": "lendingLimit"}


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
    return found


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
