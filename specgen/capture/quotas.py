"""What queues have, and what they decide by besides, as words of the profile: quotas by flavor, cohorts, policies.

The words never say less than there is: amounts are rounded up, and where not all who lend in a cohort are queues of the
profile, a queue has what it could borrow as its own.
"""

from __future__ import annotations

from specgen.capture.objects import MOST, MOST_BYTES, labels, name, namespace, spec, text, texts
from specgen.manifest.views import mapping, sequence
from specgen.quantity import NANO, canonical, nano, rounded
from specgen.schedulers.kueue.quota import Queue, tree_of
from specgen.schedulers.selectors import meets, requirements
from specgen.schedulers.world import Objects as World
from specgen.schema import formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from specgen.capture.objects import Object, Objects
    from specgen.schedulers.kueue.quota import Node, Of

_KUEUE = "kueue.x-k8s.io"
_MIB = 2**20 * NANO
_EVICTS = (
    ("withinClusterQueue", ("LowerPriority", "LowerOrNewerEqualPriority")),
    ("reclaimWithinCohort", ("LowerPriority", "Any")),
)
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
# The priorities that a class of a user's may have (Kubernetes 1.36, pkg/apis/scheduling/types.go).
_PRIORITIES = range(-2_147_483_648, 1_000_000_001)
_FUNGIBLE = {
    "whenCanBorrow": ("TryNextFlavor",),
    "whenCanPreempt": ("MayStopSearch",),
    "preference": ("PreemptionOverBorrowing",),
}


class Said:
    """``queues``: LocalQueue → what its ClusterQueue has; ``cohorts`` and ``flavors``: what must be said of these."""

    __slots__ = ("cohorts", "flavors", "queues")

    def __init__(self) -> None:
        self.queues: dict[str, dict[str, Any]] = {}
        self.cohorts: dict[str, dict[str, Any]] = {}
        self.flavors: dict[str, dict[str, Any]] = {}


def of_kueue(objects: Objects, pools: Mapping[str, dict[str, Any]], *, blind: bool = False) -> Said:
    """The words; a LocalQueue has none where several of one name have different ClusterQueues.

    ``pools``: pool → the labels of its nodes; ``blind``: what cohorts have of their own is not known.
    """
    trees = [*objects.of(_KUEUE, "ClusterQueue"), *objects.of(_KUEUE, "Cohort")]
    queues = tree_of(World(trees))
    behind: dict[str, dict[str, None]] = {}
    for one in objects.of(_KUEUE, "LocalQueue"):
        behind.setdefault(name(one), {})[text(spec(one).get("clusterQueue"))] = None
    used = [next(iter(own)) for own in behind.values() if len(own) == 1]
    told = {queue for queue in used if used.count(queue) == 1}
    marks = _marks(objects, pools)
    # a flavor that is called like a pool, and is of other nodes, gets another name
    names = {one: f"flavor-{one}" for one, (_, stranger) in marks.items() if stranger}
    said = Said()
    for local, own in behind.items():
        queue = queues.get(next(iter(own))) if len(own) == 1 else None
        if queue is None or (blind and queue.parent is not None):
            said.queues[local] = {}
            continue
        root = next(iter([*queue.up()][-1:]), None)
        shared = root is not None and all(
            one.name in told or one.name not in used for one in _below(root) if isinstance(one, Queue)
        )
        if root is not None and shared:
            for cohort in _below(root):
                words = {} if isinstance(cohort, Queue) else _cohort(cohort, set(used), names)
                if words:
                    said.cohorts[cohort.name] = words
        flavors = list(dict.fromkeys(one for _, listed in queue.groups for one in listed if formats.dns_name(one)))
        for flavor in flavors:
            if flavor in marks and marks[flavor][0]:
                said.flavors[names.get(flavor, flavor)] = marks[flavor][0]
        plain = not any(flavor in marks for flavor in flavors)
        said.queues[local] = {**_has(queue, flavors, names, shared=shared, plain=plain), **_decides(queue)}
        stops = {str(spec(one).get("stopPolicy")) for one in objects.of(_KUEUE, "LocalQueue") if name(one) == local}
        if stops <= {"Hold", "HoldAndDrain"}:
            said.queues[local].setdefault("stop", max(stops))
        if said.queues[local]:
            said.queues[local]["namespaces"] = _serves(local, queue, objects)
    return said


def _below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _below(child)


def _marks(objects: Objects, pools: Mapping[str, dict[str, Any]]) -> dict[str, tuple[dict[str, Any], bool]]:
    """Flavors that mean some nodes alone: what must be said of one, and whether it is called like another's pool."""
    found: dict[str, tuple[dict[str, Any], bool]] = {}
    for one in objects.of(_KUEUE, "ResourceFlavor"):
        own = spec(one)
        wanted, pool = texts(own.get("nodeLabels")), pools.get(name(one))
        wanted = {key: value for key, value in wanted.items() if formats.label_key(key) and formats.label_value(value)}
        taints = [_taint(mapping(taint)) for taint in sequence(own.get("nodeTaints"))]
        taints = [taint for taint in taints if formats.label_key(taint["key"]) and taint["effect"] in _EFFECTS]
        stranger = pool is not None and any(pool.get(key) != value for key, value in wanted.items())
        if pool is not None and not stranger and not taints:
            found[name(one)] = ({}, False)  # the pool says it
            continue
        said: dict[str, Any] = {"labels": wanted} if wanted else {}
        if taints:
            said["taints"] = taints
        tolerations = [_toleration(mapping(entry)) for entry in sequence(own.get("tolerations"))]
        if tolerations:
            said["tolerations"] = tolerations
        if said or stranger:
            found[name(one)] = (said, stranger)
    return found


def _toleration(tree: dict[str, Any]) -> dict[str, Any]:
    words = ("key", "operator", "value", "effect")
    said: dict[str, Any] = {word: tree[word] for word in words if text(tree.get(word))}
    seconds = tree.get("tolerationSeconds")
    return said | ({"tolerationSeconds": seconds} if isinstance(seconds, int) and abs(seconds) < 2**63 else {})


def _taint(tree: dict[str, Any]) -> dict[str, Any]:
    value = text(tree.get("value"))
    said = {"key": text(tree.get("key")), "effect": text(tree.get("effect"))}
    return said | ({"value": value} if value else {})


def _has(queue: Queue, flavors: list[str], names: Mapping[str, str], *, shared: bool, plain: bool) -> dict[str, Any]:
    """What a queue has; ``shared``: all who lend to it are said, too; ``plain``: no flavor means some nodes alone."""
    own = queue.nominal if shared else {of: queue.most(of) for of in queue.nominal}
    several = any(len(listed) > 1 for _, listed in queue.groups)
    if not shared and not several and plain:
        return _share(own, {}, {}, list(own))
    made: dict[str, Any] = {"cohort": queue.parent.name} if shared and queue.parent is not None else {}
    limits = (queue.borrow, queue.lend) if shared else ({}, {})
    split = {names.get(one, one): _share(own, *limits, [of for of in own if of[0] == one]) for one in flavors}
    return made | ({"flavors": split} if split else {})


def _cohort(cohort: Node, used: set[str], names: Mapping[str, str]) -> dict[str, Any]:
    """What a cohort has beside its queues; one that no job is sent to lends all that it lends for good."""
    made: dict[str, Any] = {"parent": cohort.parent.name} if cohort.parent is not None else {}
    own, limits = dict(cohort.nominal), (cohort.borrow, cohort.lend)
    for one in cohort.children:
        if isinstance(one, Queue) and one.name not in used:
            for of, lent in one.nominal.items():
                own[of] = own.get(of, 0) + lent - one.keeps(of)
    flavors = dict.fromkeys(flavor for flavor, _ in own if formats.dns_name(flavor))
    split = {names.get(one, one): _share(own, *limits, [of for of in own if of[0] == one]) for one in flavors}
    return made | ({"flavors": split} if split else {})


def _share(own: Mapping[Of, int], borrow: Mapping[Of, int], lend: Mapping[Of, int], listed: list[Of]) -> dict[str, Any]:
    listed = [of for of in listed if formats.label_key(of[1])]
    quota = {of[1]: amount(of[1], own[of]) for of in listed}
    made: dict[str, Any] = {"quota": quota} if quota else {}
    for word, limits in (("borrow", borrow), ("lend", lend)):
        said = {of[1]: amount(of[1], limits[of]) for of in listed if of in limits}
        made |= {word: said} if said else {}
    return made


def _decides(queue: Queue) -> dict[str, Any]:
    """What a queue decides by besides, where it is not the default."""
    made: dict[str, Any] = {"queueingStrategy": "StrictFIFO"} if queue.strict else {}
    own = mapping(queue.spec.get("preemption"))
    evicts = {word: own[word] for word, policies in _EVICTS if own.get(word) in policies}
    borrows, most = queue.borrows_by_preempting
    if borrows and "reclaimWithinCohort" in evicts:
        limit = {} if most is None or most not in _PRIORITIES else {"maxPriorityThreshold": most}
        evicts["borrowWithinCohort"] = {"policy": "LowerPriority", **limit}
    if evicts:
        made["preemption"] = evicts
    flexible = mapping(queue.spec.get("flavorFungibility"))
    said = {word: flexible[word] for word, values in _FUNGIBLE.items() if flexible.get(word) in values}
    if said:
        made["fungibility"] = said
    if queue.spec.get("quotaCheckStrategy") != "IgnoreUndeclared":
        made["undeclared"] = "block"
    if queue.spec.get("stopPolicy") in ("Hold", "HoldAndDrain"):
        made["stop"] = queue.spec["stopPolicy"]
    if checks := [one for one in queue.checks if formats.dns_name(one)]:
        made["checks"] = checks
    return made


def _serves(local: str, queue: Queue, objects: Objects) -> list[str]:
    """The namespaces in which jobs may name a queue."""
    asked = requirements(queue.spec.get("namespaceSelector"))
    known = {name(one): labels(one) for one in objects.of("", "Namespace")}
    found = []
    for one in objects.of(_KUEUE, "LocalQueue"):
        space = namespace(one) or "default"
        own = {**known.get(space, {}), "kubernetes.io/metadata.name": space}
        if name(one) == local and meets(own, asked) and formats.dns_name(space):
            found.append(space)
    return sorted(set(found))


def of_volcano(queue: Object) -> dict[str, Any]:
    """What a Queue of Volcano holds at most, and what it decides by besides."""
    words = spec(queue)
    said: dict[str, Any] = {}
    listed = {"quota": words.get("capability"), "deserved": words.get("deserved")}
    for word, amounts in (listed | {"guarantee": mapping(words.get("guarantee")).get("resource")}).items():
        found = [(str(key), nano(value)) for key, value in mapping(amounts).items()]
        own = {key: amount(key, value) for key, value in found if value is not None}
        said |= {word: own} if own else {}
    weight, parent = words.get("weight"), text(words.get("parent"))
    if isinstance(weight, int) and 1 < weight <= MOST:
        said["weight"] = weight
    if parent not in ("", "root"):
        said["parent"] = parent
    if words.get("reclaimable") is False:
        said["reclaimable"] = False
    if text(mapping(queue.get("status")).get("state")) == "Closed":
        said["stop"] = "Hold"
    return said


def amount(resource: str, value: int) -> int | str:
    """An amount as a profile writes it: whole, or in mebibytes and more, rounded up; one below nothing is none."""
    value = max(value, 0)
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        return canonical(min(rounded(value, _MIB) * _MIB, MOST_BYTES * NANO), "1Gi") if value else "0Mi"
    return min(rounded(value, NANO), MOST)
