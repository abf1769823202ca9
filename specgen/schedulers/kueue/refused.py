"""What the API server, or Kueue's webhooks, refuse of queues, flavors and topologies.

Kueue 0.19, config/crd (kueue.x-k8s.io/v1beta2 and v1beta1: enumerations, lengths, rules), pkg/webhooks
(clusterqueue_webhook.go, resourceflavor_webhook.go). Recorded in world ``refuse-topologies-and-flavors``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import nano
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeAlias

    from specgen.source import Path

    # Where below the spec, and why.
    Reason: TypeAlias = tuple[Path, str]

_GROUP = "kueue.x-k8s.io/"
_GROUPS = ("resourceGroups",)
# Who refuses it.
SERVER, WEBHOOK = "the API server", "the webhook of Kueue"
_CHOICES: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = (
    (("queueingStrategy",), ("StrictFIFO", "BestEffortFIFO")),
    (("stopPolicy",), ("None", "Hold", "HoldAndDrain")),
    (("flavorFungibility", "whenCanBorrow"), ("MayStopSearch", "TryNextFlavor")),
    (("flavorFungibility", "whenCanPreempt"), ("MayStopSearch", "TryNextFlavor")),
    (("flavorFungibility", "preference"), ("BorrowingOverPreemption", "PreemptionOverBorrowing")),
    (("preemption", "withinClusterQueue"), ("Never", "LowerPriority", "LowerOrNewerEqualPriority")),
    (("preemption", "reclaimWithinCohort"), ("Never", "LowerPriority", "Any")),
    (("preemption", "borrowWithinCohort", "policy"), ("Never", "LowerPriority")),
)
# What v1beta1 takes for a word of v1beta2 as well.
_FORMER = {"whenCanBorrow": "Borrow", "whenCanPreempt": "Preempt"}
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LIMITS = ("borrowingLimit", "lendingLimit")
_MOST_GROUPS, _MOST, _MOST_LABELS, _MOST_LEVELS = 16, 64, 8, 16


def refused(tree: dict[str, Any]) -> tuple[str, str]:
    """(who refuses an object of Kueue, why); empty: nobody does."""
    return next(((who, why) for who, _, why in objections(tree)), ("", ""))


def objections(tree: dict[str, Any]) -> Iterator[tuple[str, Path, str]]:
    """(who refuses an object of Kueue, where below its spec, why), those of the webhook where nobody else does."""
    version = str(tree.get("apiVersion")).removeprefix(_GROUP)
    if version not in ("v1beta1", "v1beta2"):
        return
    spec = mapping(tree.get("spec"))
    if version == "v1beta1":
        spec = {**spec, "cohortName": spec.get("cohort")}
    checks = {
        "ClusterQueue": ((SERVER, _queue_of_server), (WEBHOOK, _queue_of_webhook)),
        "ResourceFlavor": ((SERVER, _flavor),),
        "Topology": ((SERVER, _topology),),
    }
    told: set[Path] = set()
    for who, check in checks.get(str(tree.get("kind")), ()):
        for path, why in check(spec):
            former = version == "v1beta1" and path and _value(spec, path) == _FORMER.get(str(path[-1]), "")
            if path not in told and not former:
                told.add(path)
                yield who, path, why


def _value(tree: Any, path: Path) -> Any:
    for word in path:
        tree = mapping(tree).get(str(word))
    return tree


def _queue_of_server(spec: dict[str, Any]) -> Iterator[Reason]:
    for words, choices in _CHOICES:
        value = _value(spec, words)
        if value is not None and value not in choices:
            yield words, f"spec.{'.'.join(words)}: `{value}` is none of {', '.join(choices)}"
    evicts, flexible = mapping(spec.get("preemption")), mapping(spec.get("flavorFungibility"))
    borrows = mapping(evicts.get("borrowWithinCohort")).get("policy", "Never")
    if evicts.get("reclaimWithinCohort", "Never") == "Never" and borrows != "Never":
        yield ("preemption",), "spec.preemption: reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"
    next_flavor = (flexible.get("whenCanBorrow"), flexible.get("whenCanPreempt", "TryNextFlavor"))
    if flexible.get("preference") is not None and next_flavor != ("TryNextFlavor", "TryNextFlavor"):
        together: Path = ("flavorFungibility",)
        yield together, "spec.flavorFungibility: preference can only be set when both others are TryNextFlavor"
    groups = [mapping(one) for one in sequence(spec.get("resourceGroups"))]
    if len(groups) > _MOST_GROUPS:
        yield _GROUPS, f"spec.resourceGroups: must have at most {_MOST_GROUPS} items"
    for at, group in enumerate(groups):
        covered, flavors = sequence(group.get("coveredResources")), sequence(group.get("flavors"))
        if not 0 < len(covered) <= _MOST or not 0 < len(flavors) <= _MOST:
            yield (*_GROUPS, at), f"spec.resourceGroups: resources and flavors must be 1 to {_MOST}"
        for number, flavor in enumerate(map(mapping, flavors)):
            own = [mapping(one) for one in sequence(flavor.get("resources"))]
            path: Path = (*_GROUPS, at, "flavors", number)
            if len(own) != len(covered):
                why = "spec.resourceGroups: flavors must have the same number of resources as the coveredResources"
                yield (*path, "resources"), why
            for index, one in enumerate(own):
                below: Path = (*path, "resources", index)
                if nano(one.get("nominalQuota")) is None:
                    why = f"spec.resourceGroups: a nominalQuota of the flavor `{flavor.get('name')}` is no amount"
                    yield (*below, "nominalQuota"), why
                if not spec.get("cohortName") and "borrowingLimit" in one:
                    yield (*below, "borrowingLimit"), "spec: borrowingLimit must be nil when cohort is empty"


def _queue_of_webhook(spec: dict[str, Any]) -> Iterator[Reason]:
    resources: set[str] = set()
    flavors: set[str] = set()
    for at, group in enumerate(map(mapping, sequence(spec.get("resourceGroups")))):
        covered = [str(one) for one in sequence(group.get("coveredResources"))]
        for index, name in enumerate(covered):
            if name in resources:
                yield (*_GROUPS, at, "coveredResources", index), f"spec.resourceGroups: `{name}` is covered twice"
            resources.add(name)
        for number, flavor in enumerate(map(mapping, sequence(group.get("flavors")))):
            called, own = str(flavor.get("name")), [mapping(one) for one in sequence(flavor.get("resources"))]
            path = (*_GROUPS, at, "flavors", number)
            if called in flavors:
                yield (*path, "name"), f"spec.resourceGroups: the flavor `{called}` stands there twice"
            flavors.add(called)
            if [str(one.get("name")) for one in own] != covered:
                why = f"spec.resourceGroups: resources of `{called}` must be in the order of coveredResources"
                yield (*path, "resources"), why
            for below, why in _amounts(own, cohort=bool(spec.get("cohortName"))):
                yield (*path, "resources", *below), why


def _amounts(resources: list[dict[str, Any]], *, cohort: bool) -> Iterator[Reason]:
    for at, one in enumerate(resources):
        quota = nano(one.get("nominalQuota")) or 0
        if quota < 0:
            path = (at, "nominalQuota")
            yield path, f"nominalQuota of `{one.get('name')}`: must be greater than or equal to 0"
        for word in _LIMITS:
            limit = nano(one.get(word)) if one.get(word) is not None else None
            if limit is not None and limit < 0:
                yield (at, word), f"{word} of `{one.get('name')}`: must be greater than or equal to 0"
            if limit is not None and not cohort:
                yield (at, word), f"{word} of `{one.get('name')}`: must be nil when cohort is empty"
            if word == "lendingLimit" and limit is not None and limit > quota:
                yield (at, word), f"{word} of `{one.get('name')}`: must be less than or equal to the nominalQuota"


def _flavor(spec: dict[str, Any]) -> Iterator[Reason]:
    labels = mapping(spec.get("nodeLabels"))
    if len(labels) > _MOST_LABELS:
        yield ("nodeLabels",), f"spec.nodeLabels: must have at most {_MOST_LABELS} items"
    if spec.get("topologyName") and not labels:
        yield ("topologyName",), "spec: at least one nodeLabel is required when topology is set"
    for at, one in enumerate(map(mapping, sequence(spec.get("nodeTaints")))):
        if one.get("effect") not in _EFFECTS:
            why = f"spec.nodeTaints: supported taint effect values: {', '.join(_EFFECTS)}"
            yield ("nodeTaints", at, *(["effect"] if "effect" in one else [])), why
    for at, one in enumerate(map(mapping, sequence(spec.get("tolerations")))):
        path = ("tolerations", at)
        if one.get("operator") == "Exists" and "value" in one:
            yield path, "spec.tolerations: a value must be empty when 'operator' is 'Exists'"
        if one.get("operator", "Equal") not in ("Equal", "Exists"):
            yield path, "spec.tolerations: supported toleration values: Equal, Exists"
        if "key" not in one and one.get("operator") != "Exists":
            yield path, "spec.tolerations: operator must be Exists when 'key' is empty"
        if one.get("effect", _EFFECTS[0]) not in _EFFECTS:
            yield path, f"spec.tolerations: `{one['effect']}` is no effect"
        if "tolerationSeconds" in one and one.get("effect") != "NoExecute":
            yield path, "spec.tolerations: effect must be 'NoExecute' when 'tolerationSeconds' is set"


def _topology(spec: dict[str, Any]) -> Iterator[Reason]:
    levels = [str(mapping(one).get("nodeLabel")) for one in sequence(spec.get("levels"))]
    if not 0 < len(levels) <= _MOST_LEVELS:
        yield ("levels",), f"spec.levels: must have 1 to {_MOST_LEVELS} items"
    if len(set(levels)) < len(levels):
        yield ("levels",), "spec.levels: must be unique"
    if HOSTNAME in levels[:-1]:
        yield ("levels",), f"spec.levels: the {HOSTNAME} label can only be used at the lowest level of topology"
