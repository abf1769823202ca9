"""What queues have, and what they decide by besides, as words of the profile: quotas by flavor, cohorts, policies.

The words never say less than there is: amounts are rounded up, and what a queue that no job names lends is a cohort's.
"""

from __future__ import annotations

from specgen.capture.objects import MOST, MOST_BYTES, labels, name, namespace, spec, text, texts
from specgen.manifest.views import mapping, sequence
from specgen.operators.kubernetes.selectors import meets, requirements
from specgen.profile.levels import ALWAYS
from specgen.quantity import NANO, canonical, nano, rounded
from specgen.schedulers.kueue.quota import Queue, tree_of
from specgen.schedulers.world import Objects as World
from specgen.schema import formats

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from specgen.capture.objects import Object, Objects
    from specgen.operators.kubernetes.selectors import Requirement
    from specgen.schedulers.kueue.quota import Node, Of

_KUEUE = "kueue.x-k8s.io"
# The label that every namespace has (Kubernetes, well-known labels).
_NAME = "kubernetes.io/metadata.name"
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
    """``queues``: queue → what it has; ``cohorts``, ``flavors``: what must be said of these; ``notes``: questions."""

    __slots__ = ("cohorts", "flavors", "notes", "queues")

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.queues: dict[str, dict[str, Any]] = {}
        self.cohorts: dict[str, dict[str, Any]] = {}
        self.flavors: dict[str, dict[str, Any]] = {}


def of_kueue(
    objects: Objects,
    pools: Mapping[str, dict[str, Any]],
    words: Mapping[str, str] | None = None,
    *,
    blind: bool = False,
    placing: bool = False,
) -> Said:
    """The words. A queue is called as Kueue calls it, with the LocalQueues that lead there, where one of them is called
    otherwise.

    ``pools``: pool → the labels of its nodes; ``words``: word of the topology → label; ``blind``: what cohorts have of
    their own is not known; ``placing``: Kueue looks at topologies, also where no flavor has one.
    """
    trees = [*objects.of(_KUEUE, "ClusterQueue"), *objects.of(_KUEUE, "Cohort")]
    queues = tree_of(World(trees))
    # LocalQueue → its ClusterQueues, and the other way
    behind: dict[str, dict[str, None]] = {}
    before: dict[str, dict[str, None]] = {}
    for one in objects.of(_KUEUE, "LocalQueue"):
        above = text(spec(one).get("clusterQueue"))
        behind.setdefault(name(one), {})[above] = None
        before.setdefault(above, {})[name(one)] = None
    said = Said()
    marks = _marks(objects, pools, _topologies(objects, words or {}, said, placing=placing))
    # a flavor that is called like a pool, and is of other nodes, gets another name
    names = {one: f"flavor-{one}" for one, (_, stranger) in marks.items() if stranger}
    own_words = {above: _words(queues.get(above), set(before), marks, names, said, blind=blind) for above in before}
    if all(list(own) == [local] for local, own in behind.items()):
        for local, (above, *_) in behind.items():
            own = own_words[above]
            if own:
                own |= _at(local, above, queues.get(above), objects, said)
            said.queues[local] = own
    elif any(own_words.values()):
        for above, locals_ in before.items():
            led = {local: _at(local, above, queues.get(above), objects, said) for local in locals_}
            said.queues[above] = {**own_words[above], "localQueues": led}
    return said


def _words(
    queue: Queue | None,
    used: set[str],
    marks: Mapping[str, tuple[dict[str, Any], bool]],
    names: Mapping[str, str],
    said: Said,
    *,
    blind: bool,
) -> dict[str, Any]:
    """What a ClusterQueue has, and in ``said`` what must be said besides; nothing where that is not known."""
    if queue is None or (blind and queue.parent is not None):
        return {}
    root = next(iter([*queue.up()][-1:]), None)
    for cohort in _below(root) if root is not None else ():
        words = {} if isinstance(cohort, Queue) else _cohort(cohort, used, names)
        if words:
            said.cohorts[cohort.name] = words
    flavors = list(dict.fromkeys(one for _, listed in queue.groups for one in listed if formats.dns_name(one)))
    for flavor in flavors:
        if flavor in marks and marks[flavor][0]:
            said.flavors[names.get(flavor, flavor)] = marks[flavor][0]
    plain = not any(flavor in marks for flavor in flavors)
    return {**_has(queue, flavors, names, plain=plain), **_decides(queue)}


def _at(local: str, above: str, queue: Queue | None, objects: Objects, said: Said) -> dict[str, Any]:
    """What LocalQueues of one name before a ClusterQueue say themselves: where jobs may name them, and their stop."""
    own = [
        one
        for one in objects.of(_KUEUE, "LocalQueue")
        if (name(one), text(spec(one).get("clusterQueue"))) == (local, above)
    ]
    stops = {str(spec(one).get("stopPolicy")) for one in own}
    stopped = {"stop": max(stops)} if stops <= {"Hold", "HoldAndDrain"} else {}
    selector = queue.spec.get("namespaceSelector") if queue is not None else {}
    return {**stopped, "namespaces": _serves(own, requirements(selector), objects, said)}


def _below(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from _below(child)


def _topologies(objects: Objects, words: Mapping[str, str], said: Said, *, placing: bool) -> dict[str, list[str]]:
    """Flavor → the words of its levels, none of one without a Topology; of those of which it can be said.

    Of flavors none of which has a Topology it matters only where Kueue looks at them at all (``placing``).
    """
    named = {label: word for word, label in (*ALWAYS.items(), *words.items())}
    levels = {
        name(one): [text(mapping(level).get("nodeLabel")) for level in sequence(spec(one).get("levels"))]
        for one in objects.of(_KUEUE, "Topology")
    }
    flavors = {name(one): text(spec(one).get("topologyName")) for one in objects.of(_KUEUE, "ResourceFlavor")}
    found: dict[str, list[str]] = {}
    for flavor, topology in flavors.items() if placing or any(flavors.values()) else ():
        own = levels.get(topology, []) if topology else []
        if topology and (not own or any(label not in named for label in own)):
            said.notes.append(
                f"Which levels has the Topology {topology} of {flavor}? flavors: {{{flavor}: {{topology: …}}}}"
            )
        else:
            found[flavor] = [named[label] for label in own]
    return found


def _marks(
    objects: Objects, pools: Mapping[str, dict[str, Any]], levels: Mapping[str, list[str]]
) -> dict[str, tuple[dict[str, Any], bool]]:
    """Flavors that mean some nodes alone: what must be said of one, and whether it is called like another's pool.

    ``levels``: flavor → the words of its levels.
    """
    found: dict[str, tuple[dict[str, Any], bool]] = {}
    for one in objects.of(_KUEUE, "ResourceFlavor"):
        own = spec(one)
        wanted, pool = texts(own.get("nodeLabels")), pools.get(name(one))
        wanted = {key: value for key, value in wanted.items() if formats.label_key(key) and formats.label_value(value)}
        taints = [_taint(mapping(taint)) for taint in sequence(own.get("nodeTaints"))]
        taints = [taint for taint in taints if formats.label_key(taint["key"]) and taint["effect"] in _EFFECTS]
        stranger = pool is not None and any(pool.get(key) != value for key, value in wanted.items())
        if pool is not None and not stranger and not taints and (name(one) not in levels or not wanted):
            found[name(one)] = ({}, False)  # the pool says it
            continue
        said: dict[str, Any] = {"labels": wanted} if wanted else {}
        if taints:
            said["taints"] = taints
        tolerations = [_toleration(mapping(entry)) for entry in sequence(own.get("tolerations"))]
        if tolerations:
            said["tolerations"] = tolerations
        if name(one) in levels:
            said["topology"] = levels[name(one)]
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


def _has(queue: Queue, flavors: list[str], names: Mapping[str, str], *, plain: bool) -> dict[str, Any]:
    """What a queue has; ``plain``: no flavor means some nodes alone."""
    own = queue.nominal
    several = any(len(listed) > 1 for _, listed in queue.groups)
    if queue.parent is None and not several and plain:
        return _share(own, {}, {}, list(own))
    made: dict[str, Any] = {"cohort": queue.parent.name} if queue.parent is not None else {}
    limits = (queue.borrow, queue.lend) if queue.parent is not None else ({}, {})
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


def _serves(own: list[Object], asked: tuple[Requirement, ...] | None, objects: Objects, said: Said) -> list[str]:
    """The namespaces in which jobs may name a queue; one whose labels nobody says is taken to be selected."""
    known = {name(one): labels(one) for one in objects.of("", "Namespace")}
    found = []
    for one in own:
        space = namespace(one) or "default"
        told = {**known.get(space, {}), _NAME: space}
        unsaid = [entry for entry in asked or () if space not in known and entry[0] != _NAME]
        certain = None if asked is None else tuple(entry for entry in asked if entry not in unsaid)
        if not meets(told, certain) or not formats.dns_name(space):
            continue
        found.append(space)
        if unsaid:
            above, keys = text(spec(one).get("clusterQueue")), dict.fromkeys(key for key, _, _ in unsaid)
            said.notes.append(f"Does the ClusterQueue {above} select the namespace {space} ({', '.join(keys)})?")
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
