"""What the API server, or Kueue's webhooks, refuse of queues, flavors and topologies.

Kueue 0.19, config/crd (kueue.x-k8s.io/v1beta2: enumerations, lengths, rules), pkg/webhooks/clusterqueue_webhook.go and
resourceflavor_webhook.go. Recorded in world ``refuse-topologies-and-flavors``.
"""

from __future__ import annotations

from specgen.manifest.views import mapping, sequence
from specgen.quantity import nano
from specgen.schedulers.world import HOSTNAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_GROUP = "kueue.x-k8s.io/"
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
_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_LIMITS = ("borrowingLimit", "lendingLimit")
_MOST_GROUPS, _MOST, _MOST_LABELS, _MOST_LEVELS = 16, 64, 8, 16


def refused(tree: dict[str, Any]) -> tuple[str, str]:
    """(who refuses an object of Kueue, why); empty: nobody does."""
    if str(tree.get("apiVersion")) != f"{_GROUP}v1beta2":
        return "", ""
    spec = mapping(tree.get("spec"))
    checks = {
        "ClusterQueue": ((SERVER, _queue_of_server), (WEBHOOK, _queue_of_webhook)),
        "ResourceFlavor": ((SERVER, _flavor),),
        "Topology": ((SERVER, _topology),),
    }
    for who, check in checks.get(str(tree.get("kind")), ()):
        found = next(check(spec), "")
        if found:
            return who, found
    return "", ""


def _queue_of_server(spec: dict[str, Any]) -> Iterator[str]:
    for path, choices in _CHOICES:
        value: Any = spec
        for word in path:
            value = mapping(value).get(word)
        if value is not None and value not in choices:
            yield f"spec.{'.'.join(path)}: `{value}` is none of {', '.join(choices)}"
    evicts, flexible = mapping(spec.get("preemption")), mapping(spec.get("flavorFungibility"))
    borrows = mapping(evicts.get("borrowWithinCohort")).get("policy", "Never")
    if evicts.get("reclaimWithinCohort", "Never") == "Never" and borrows != "Never":
        yield "spec.preemption: reclaimWithinCohort=Never and borrowWithinCohort.Policy!=Never"
    next_flavor = (flexible.get("whenCanBorrow"), flexible.get("whenCanPreempt", "TryNextFlavor"))
    if flexible.get("preference") is not None and next_flavor != ("TryNextFlavor", "TryNextFlavor"):
        yield "spec.flavorFungibility: preference can only be set when both others are TryNextFlavor"
    groups = [mapping(one) for one in sequence(spec.get("resourceGroups"))]
    if len(groups) > _MOST_GROUPS:
        yield f"spec.resourceGroups: must have at most {_MOST_GROUPS} items"
    for group in groups:
        covered, flavors = sequence(group.get("coveredResources")), sequence(group.get("flavors"))
        if not 0 < len(covered) <= _MOST or not 0 < len(flavors) <= _MOST:
            yield f"spec.resourceGroups: resources and flavors must be 1 to {_MOST}"
        for flavor in map(mapping, flavors):
            own = [mapping(one) for one in sequence(flavor.get("resources"))]
            if len(own) != len(covered):
                yield "spec.resourceGroups: flavors must have the same number of resources as the coveredResources"
            if any(nano(one.get("nominalQuota")) is None for one in own):
                yield f"spec.resourceGroups: a nominalQuota of the flavor `{flavor.get('name')}` is no amount"
            if not spec.get("cohortName") and any("borrowingLimit" in one for one in own):
                yield "spec: borrowingLimit must be nil when cohort is empty"


def _queue_of_webhook(spec: dict[str, Any]) -> Iterator[str]:
    resources: set[str] = set()
    flavors: set[str] = set()
    for group in map(mapping, sequence(spec.get("resourceGroups"))):
        covered = [str(one) for one in sequence(group.get("coveredResources"))]
        for name in covered:
            if name in resources:
                yield f"spec.resourceGroups: `{name}` is covered twice"
            resources.add(name)
        for flavor in map(mapping, sequence(group.get("flavors"))):
            called, own = str(flavor.get("name")), [mapping(one) for one in sequence(flavor.get("resources"))]
            if called in flavors:
                yield f"spec.resourceGroups: the flavor `{called}` stands there twice"
            flavors.add(called)
            if [str(one.get("name")) for one in own] != covered:
                yield f"spec.resourceGroups: resources of `{called}` must be in the order of coveredResources"
            yield from _amounts(own, cohort=bool(spec.get("cohortName")))


def _amounts(resources: list[dict[str, Any]], *, cohort: bool) -> Iterator[str]:
    for one in resources:
        quota = nano(one.get("nominalQuota")) or 0
        if quota < 0:
            yield f"nominalQuota of `{one.get('name')}`: must be greater than or equal to 0"
        for word in _LIMITS:
            limit = nano(one.get(word)) if one.get(word) is not None else None
            if limit is not None and limit < 0:
                yield f"{word} of `{one.get('name')}`: must be greater than or equal to 0"
            if limit is not None and not cohort:
                yield f"{word} of `{one.get('name')}`: must be nil when cohort is empty"
            if word == "lendingLimit" and limit is not None and limit > quota:
                yield f"{word} of `{one.get('name')}`: must be less than or equal to the nominalQuota"


def _flavor(spec: dict[str, Any]) -> Iterator[str]:
    labels = mapping(spec.get("nodeLabels"))
    if len(labels) > _MOST_LABELS:
        yield f"spec.nodeLabels: must have at most {_MOST_LABELS} items"
    if spec.get("topologyName") and not labels:
        yield "spec: at least one nodeLabel is required when topology is set"
    if any(mapping(one).get("effect") not in _EFFECTS for one in sequence(spec.get("nodeTaints"))):
        yield f"spec.nodeTaints: supported taint effect values: {', '.join(_EFFECTS)}"
    for one in map(mapping, sequence(spec.get("tolerations"))):
        if one.get("operator") == "Exists" and "value" in one:
            yield "spec.tolerations: a value must be empty when 'operator' is 'Exists'"
        if one.get("operator", "Equal") not in ("Equal", "Exists"):
            yield "spec.tolerations: supported toleration values: Equal, Exists"
        if "key" not in one and one.get("operator") != "Exists":
            yield "spec.tolerations: operator must be Exists when 'key' is empty"
        if one.get("effect", _EFFECTS[0]) not in _EFFECTS:
            yield f"spec.tolerations: `{one['effect']}` is no effect"
        if "tolerationSeconds" in one and one.get("effect") != "NoExecute":
            yield "spec.tolerations: effect must be 'NoExecute' when 'tolerationSeconds' is set"


def _topology(spec: dict[str, Any]) -> Iterator[str]:
    levels = [str(mapping(one).get("nodeLabel")) for one in sequence(spec.get("levels"))]
    if not 0 < len(levels) <= _MOST_LEVELS:
        yield f"spec.levels: must have 1 to {_MOST_LEVELS} items"
    if len(set(levels)) < len(levels):
        yield "spec.levels: must be unique"
    if HOSTNAME in levels[:-1]:
        yield f"spec.levels: the {HOSTNAME} label can only be used at the lowest level of topology"
