"""Gang scheduler, queues with their quota, and priorities; and the labels and networks that other objects name."""

from __future__ import annotations

from specgen.capture import quotas
from specgen.capture.objects import annotation, name, namespace, spec, text, texts
from specgen.diagnostics.model import listed
from specgen.manifest.views import mapping, sequence
from specgen.operators.release import numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from specgen.capture.installed import Found
    from specgen.capture.objects import Object, Objects
    from specgen.capture.text import Tree

_KUEUE, _VOLCANO, _KAI = "kueue.x-k8s.io", "scheduling.volcano.sh", "scheduling.run.ai"
# Which resource the networks are of (k8snetworkplumbingwg, multi-net-spec 1.3, section 4).
_OF_RESOURCE = "k8s.v1.cni.cncf.io/resourceName"
# The root of all queues, to which no job is sent (volcano 1.15, capacity plugin).
_ROOT = "root"
_SYSTEM = "system-"
# The values that a class of a user's may have (Kubernetes 1.36, pkg/apis/scheduling/types.go).
_LEAST, _MOST = -2_147_483_648, 1_000_000_000


def flavor_labels(objects: Objects) -> list[str]:
    """Labels by which Kueue tells kinds of nodes apart."""
    return [key for one in objects.of(_KUEUE, "ResourceFlavor") for key in texts(spec(one).get("nodeLabels"))]


def networks(objects: Objects) -> dict[str, list[str]]:
    """Resource → the secondary networks whose interfaces its units are, by their names, sorted.

    A pod looks in its own namespace, unless the annotation says another: one that is there once is named with its own,
    and one of which each namespace has a copy is not.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for one in objects.of("k8s.cni.cncf.io", "NetworkAttachmentDefinition"):
        resource = annotation(one, _OF_RESOURCE)
        if resource:
            found.setdefault(resource, {}).setdefault(name(one), []).append(namespace(one))
    return {
        resource: sorted(
            f"{places[0]}/{called}" if len(places) == 1 and places[0] else called for called, places in names.items()
        )
        for resource, names in found.items()
    }


def say(tree: Tree, found: Found, objects: Objects, topology: Mapping[str, str], *, blind: bool = False) -> list[str]:
    """Adds ``scheduling``; ``topology``: word → label; ``blind``: what cohorts have of their own is not known."""
    said: dict[str, Any] = {}
    warnings = []
    gang = _gang(found)
    if gang:
        said["gang"] = gang
    elif found.schedulers:
        tree.note(f"Which of {listed(sorted(found.schedulers))} places the pods of jobs? scheduling: {{gang: …}}")
        warnings.append(f"which scheduler jobs use is not known: {listed(sorted(found.schedulers))} are installed")
    if gang == "kueue" and found.schedulers.get(gang):
        # which kinds of jobs it looks after hangs on its release
        said["version"] = found.schedulers[gang]
    if gang == "coscheduling" and found.scheduler:
        said["scheduler"] = found.scheduler
    if gang == "coscheduling" and not found.gangs:
        tree.note("Is the scheduler with the coscheduling plugin called scheduler-plugins-scheduler?")
    if gang == "kueue":
        tree.note("Are the kinds of the jobs among Kueue's `integrations.frameworks`?")
        if objects.of(_KUEUE, "ClusterQueue"):
            tree.note(
                "Does Kueue leave resources out, by `excludeResourcePrefixes` or `quotaCheckStrategy`? Then without"
            )
            tree.note("`undeclared: block`.")
    names = [*_local_queues(tree, objects, gang), *_other_queues(tree, objects, gang)]
    amounts = _quotas(tree, objects, gang, topology, blind=blind, placing=_places(found))
    for note in dict.fromkeys(amounts.notes):
        tree.note(note)
    has = amounts.queues
    if names:
        each = list(dict.fromkeys(names))
        # by the names of ClusterQueues it is whole; else some queues have a name and no more
        led = any("localQueues" in own for own in has.values())
        said["queues"] = has if led else {one: has.get(one, {}) for one in each} if any(has.values()) else each
    said |= {word: own for word, own in (("cohorts", amounts.cohorts), ("flavors", amounts.flavors)) if own}
    priorities = _priorities(tree, objects)
    if priorities:
        said["priorities"] = priorities
    if said:
        tree.add("scheduling", said)
    return warnings


def _gang(found: Found) -> str:
    """The one scheduler of gangs that jobs use; empty: there is none, or several are possible."""
    if len(found.gangs) == 1:
        return found.gangs[0]
    return next(iter(found.schedulers)) if len(found.schedulers) == 1 and not found.gangs else ""


def _places(found: Found) -> bool:
    """Whether Kueue looks at topologies without being told to: its gate is on by default since 0.14 (kueue#6830)."""
    version = numbers(found.schedulers.get("kueue", ""))
    return version is not None and version >= (0, 14, 0)


def _quotas(
    tree: Tree, objects: Objects, gang: str, topology: Mapping[str, str], *, blind: bool, placing: bool
) -> quotas.Said:
    """What queues have, in the words of the profile."""
    said = quotas.Said()
    if gang == "kueue":
        pools = next((value for _, key, value in tree.entries if key == "pools"), None)
        labels = {}
        for _, called, pool in pools.entries if pools is not None else ():
            labels[called] = next((mapping(value) for _, key, value in pool.entries if key == "labels"), {})
        return quotas.of_kueue(objects, labels, topology, blind=blind, placing=placing)
    if gang == "volcano":
        said.queues = {name(one): quotas.of_volcano(one) for one in objects.of(_VOLCANO, "Queue")}
        if any(own.get("deserved") or own.get("parent") for own in said.queues.values()):
            tree.note("Is Volcano's plugin capacity on? scheduling: {plugins: [capacity]}")
    return said


def _local_queues(tree: Tree, objects: Objects, gang: str) -> Iterable[str]:
    quotas = {name(one): _quota(one) for one in objects.of(_KUEUE, "ClusterQueue")}
    for one in objects.of(_KUEUE, "LocalQueue"):
        above = text(spec(one).get("clusterQueue"))
        quota = quotas.get(above, "which is not there")
        tree.note(f"{namespace(one) or 'default'}/{name(one)} is of the ClusterQueue {above}, {quota}.")
        if gang in ("", "kueue"):
            yield name(one)


def _quota(queue: Object) -> str:
    words = spec(queue)
    cohort = text(words.get("cohortName")) or text(words.get("cohort"))
    parts = [f"cohort {cohort}"] if cohort else []
    for group in map(mapping, sequence(words.get("resourceGroups"))):
        for flavor in map(mapping, sequence(group.get("flavors"))):
            amounts = []
            said = [mapping(one) for one in sequence(flavor.get("resources"))]
            for one in [one for one in said if isinstance(one.get("nominalQuota"), (str, int))]:
                more = "".join(
                    f", {what} {one[key]}"
                    for key, what in (("borrowingLimit", "borrows at most"), ("lendingLimit", "lends at most"))
                    if isinstance(one.get(key), (str, int))
                )
                amounts.append(f"{text(one.get('name'))} {one.get('nominalQuota')}{more}")
            parts.append(f"of {text(flavor.get('name'))} {', '.join(amounts)}")
    stopped = text(words.get("stopPolicy"))
    if stopped not in ("", "None"):
        parts.append(f"stopped ({stopped})")
    return "; ".join(parts) or "without a quota"


def _other_queues(tree: Tree, objects: Objects, gang: str) -> Iterable[str]:
    for group, word in ((_VOLCANO, "volcano"), (_KAI, "kai")):
        for one in objects.of(group, "Queue"):
            if name(one) == _ROOT:
                continue
            limits = {
                what: texts(mapping(spec(one).get(key)))
                for key, what in (("capability", "at most"), ("deserved", "deserves"))
            }
            said = [
                f"{what} {', '.join(f'{key} {value}' for key, value in of.items())}"
                for what, of in limits.items()
                if of
            ]
            if said:
                tree.note(f"The queue {name(one)} of {word}: {'; '.join(said)}.")
            if gang == word:
                yield name(one)


def _priorities(tree: Tree, objects: Objects) -> dict[str, Any]:
    found = {
        name(one): _worth("pod", one)
        for one in objects.of("scheduling.k8s.io", "PriorityClass")
        if not name(one).startswith(_SYSTEM)
    }
    for one in objects.of(_KUEUE, "WorkloadPriorityClass"):
        if name(one) in found:
            tree.note(f"{name(one)} is a PriorityClass of pods as well.")
        found[name(one)] = _worth("workload", one)
    return dict(sorted(found.items()))


def _worth(of: str, tree: Object) -> Any:
    """What a class is worth; of one without a value that a profile takes, what it is of."""
    value = tree.get("value", 0)
    if type(value) is not int or not _LEAST <= value <= _MOST:
        return of
    said: dict[str, Any] = {} if of == "pod" else {"of": of}
    said["value"] = value
    if of == "pod" and tree.get("preemptionPolicy") == "Never":
        said["preemption"] = "Never"
    if of == "pod" and tree.get("globalDefault") is True:
        said["default"] = True
    return said
