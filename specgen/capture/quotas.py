"""What queues have: their quotas by flavor, and their cohorts, as words of the profile.

The words never say less than there is: amounts are rounded up, and where not all who lend in a cohort are queues of the
profile, or a cohort has quota of its own, a queue has what it could borrow as its own.
"""

from __future__ import annotations

from specgen.capture.objects import MOST, MOST_BYTES, name, spec, text, texts
from specgen.manifest.views import mapping
from specgen.quantity import NANO, canonical, nano, rounded
from specgen.schedulers.kueue.quota import tree_of
from specgen.schedulers.world import Objects as World

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from specgen.capture.objects import Object, Objects
    from specgen.schedulers.kueue.quota import Of, Queue

_KUEUE = "kueue.x-k8s.io"
_MIB = 2**20 * NANO


def of_kueue(
    objects: Objects, pools: Mapping[str, dict[str, Any]], *, blind: bool = False
) -> dict[str, dict[str, Any]]:
    """LocalQueue → what its ClusterQueue has; empty where several of one name have different ClusterQueues.

    ``pools``: pool → the labels of its nodes; ``blind``: what cohorts have of their own is not known.
    """
    trees = [*objects.of(_KUEUE, "ClusterQueue"), *objects.of(_KUEUE, "Cohort")]
    queues = tree_of(World(trees))
    behind: dict[str, dict[str, None]] = {}
    for one in objects.of(_KUEUE, "LocalQueue"):
        behind.setdefault(name(one), {})[text(spec(one).get("clusterQueue"))] = None
    used = [next(iter(own)) for own in behind.values() if len(own) == 1]
    told = {queue for queue in used if used.count(queue) == 1}
    plain = _plain(queues, told, objects)
    strangers = _strangers(objects, pools)
    made: dict[str, dict[str, Any]] = {}
    for local, own in behind.items():
        queue = queues.get(next(iter(own))) if len(own) == 1 else None
        known = queue is not None and not (blind and queue.parent is not None)
        made[local] = _words(queue, plain, strangers) if queue is not None and known else {}
    return made


def _plain(queues: dict[str, Queue], told: Iterable[str], objects: Objects) -> set[str]:
    """Cohorts that are no more than their queues, each of which is one of the profile."""
    own = {name(one) for one in objects.of(_KUEUE, "Cohort") if spec(one)}
    members: dict[str, list[Queue]] = {}
    for queue in queues.values():
        if queue.parent is not None:
            members.setdefault(queue.parent.name, []).append(queue)
    known = set(told)
    return {
        cohort
        for cohort, listed in members.items()
        if cohort not in own and all(queue.name in known and not queue.lend for queue in listed)
    }


def _strangers(objects: Objects, pools: Mapping[str, dict[str, Any]]) -> dict[str, str]:
    """Flavors that are called like a pool, and are of other nodes → another name for them."""
    found = {}
    for one in objects.of(_KUEUE, "ResourceFlavor"):
        wanted = texts(spec(one).get("nodeLabels"))
        own = pools.get(name(one))
        if own is not None and any(own.get(key) != value for key, value in wanted.items()):
            found[name(one)] = f"flavor-{name(one)}"
    return found


def _words(queue: Queue, plain: set[str], strangers: Mapping[str, str]) -> dict[str, Any]:
    cohort = queue.parent.name if queue.parent is not None and queue.parent.name in plain else ""
    own = queue.nominal if cohort else {of: queue.most(of) for of in queue.nominal}
    several = [flavors for _, flavors in queue.groups if len(flavors) > 1]
    made: dict[str, Any] = {"cohort": cohort} if cohort else {}
    if not cohort and not several:
        made |= _share(own, {}, list(own))
    else:
        names = list(dict.fromkeys(flavor for _, flavors in queue.groups for flavor in flavors))
        borrow = queue.borrow if cohort else {}
        flavors = {strangers.get(one, one): _share(own, borrow, [of for of in own if of[0] == one]) for one in names}
        if flavors:
            made["flavors"] = flavors
    return made


def _share(own: Mapping[Of, int], borrow: Mapping[Of, int], listed: list[Of]) -> dict[str, Any]:
    quota = {of[1]: amount(of[1], own[of]) for of in listed}
    lent = {of[1]: amount(of[1], borrow[of]) for of in listed if of in borrow}
    return {"quota": quota} | ({"borrow": lent} if lent else {}) if quota else {}


def of_volcano(queue: Object) -> dict[str, Any]:
    """What a Queue of Volcano holds at most."""
    said = [(str(key), nano(value)) for key, value in mapping(spec(queue).get("capability")).items()]
    quota = {key: amount(key, value) for key, value in said if value is not None}
    return {"quota": quota} if quota else {}


def amount(resource: str, value: int) -> int | str:
    """An amount as a profile writes it: whole, or in mebibytes and more, rounded up; one below nothing is none."""
    value = max(value, 0)
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        return canonical(min(rounded(value, _MIB) * _MIB, MOST_BYTES * NANO), "1Gi") if value else "0Mi"
    return min(rounded(value, NANO), MOST)
